"""Errors that a user can cause or meet, as one tree.

    KgneoError                 everything below; `hint` says what to do next
    ├── UsageError             options that do not fit together (exit 2)
    │   └── QuestionError      a question or claim that says nothing, or that is no text
    ├── DataError              a file that cannot be used; names file and line
    ├── ServerError            the local Neo4j could not be had or started
    ├── GraphError             the database answered with a refusal
    │   ├── GraphUnavailable   not reachable just now; retrying can help
    │   ├── GraphTimeout       a query ran into its timeout; retrying rarely helps
    │   ├── GraphEmpty         there is nothing to ask about
    │   ├── NotIndexed         there is a graph, and no index of its triples
    │   ├── EncoderMismatch    the graph was indexed with another encoder
    │   ├── EntityNotFound     no node of that name; `nearest` has similar ones
    │   └── StatementError     Cypher that somebody else wrote, and that is not run
    │       ├── StatementInvalid   it cannot be read as Cypher
    │       ├── UnknownName        it names what the schema does not have; `nearest` has similar ones
    │       └── StatementRefused   it may not be run: it writes, calls out, or costs too much
    ├── WorkEnded              whoever asked has gone, or the server stops
    ├── EncoderError           an encoder that cannot be loaded
    └── ModelError             the language model refused or failed
        ├── BudgetSpent        the calls or tokens that one question may cost are used up
        ├── ModelUnavailable   not reachable, overloaded or too slow; retrying can help
        └── ContextOverflow    the prompt does not fit into the model's context

A message says what was found, what was expected and what to do next. The command line turns each into
one message and an exit status (1, or 2 for UsageError) at one place, `kgneo.cli.main`.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "BudgetSpent",
    "ContextOverflow",
    "DataError",
    "EncoderError",
    "EncoderMismatch",
    "EntityNotFound",
    "GraphEmpty",
    "GraphError",
    "GraphTimeout",
    "GraphUnavailable",
    "IndexUnreadable",
    "KgneoError",
    "LessonWarning",
    "ModelError",
    "ModelUnavailable",
    "NotIndexed",
    "QuestionError",
    "ServerError",
    "StatementError",
    "StatementInvalid",
    "StatementRefused",
    "UnknownName",
    "UsageError",
    "WorkEnded",
]


class KgneoError(Exception):
    """Base of every error that kgneo raises on purpose.

    `message` is one sentence on what was found and expected, `hint` (may be empty) one on what to do next,
    `retry` whether doing the same again can succeed.
    """

    retry = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(KgneoError):
    """Options or arguments that do not fit together."""


class QuestionError(UsageError):
    """A question or claim without a word that says anything, or that is no Unicode text."""


class DataError(KgneoError):
    """A file that cannot be read as what it should be. `file` and `line` (1-based) say where, when known."""

    def __init__(self, message: str, *, file: str = "", line: int | None = None, hint: str = "") -> None:
        place = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(place + message, hint=hint)
        self.file = file
        self.line = line


class ServerError(KgneoError):
    """The local Neo4j could not be resolved, started or stopped."""


class GraphError(KgneoError):
    """The database answered, and refused."""


class LoginRefused(GraphError):
    """The database does not take a login: it is wrong (`wrong`), or not taken now, as the message says; `retry` where
    it may be in some seconds."""

    def __init__(self, message: str, *, hint: str = "", wrong: bool = True, retry: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.wrong, self.retry = wrong, retry


class GraphUnavailable(GraphError):
    """The database cannot be reached at the moment."""

    retry = True


class GraphTimeout(GraphError):
    """A query was ended by the server at its timeout."""


class GraphEmpty(GraphError):
    """The graph holds no triples."""


class NotIndexed(GraphError):
    """The graph holds triples, and no embeddings of them."""


class IndexUnreadable(GraphError):
    """What says how the index was made cannot be read: another version of kgneo wrote it, or somebody changed it."""


class EncoderMismatch(GraphError):
    """The graph's embeddings come from another encoder than the one that was asked for."""


class EntityNotFound(GraphError):
    """No node matches a name. `nearest` holds the most similar names, best first; `piece` is what of a question must be
    a name and is none, where that is known; `names` are those that the graph does not have, where any stand in a text.
    """

    def __init__(
        self, message: str, *, nearest: Sequence[str] = (), hint: str = "", piece: str = "", names: Sequence[str] = ()
    ) -> None:
        super().__init__(message, hint=hint)
        self.nearest = tuple(nearest)
        self.piece = piece
        self.names = tuple(names)


class StatementError(GraphError):
    """Cypher that somebody else wrote, and that is not run."""


class StatementInvalid(StatementError):
    """It cannot be read as Cypher, or not be run with the values it was given."""


class UnknownName(StatementError):
    """It names something that the schema does not have. `nearest` holds the most similar names, best first."""

    def __init__(self, message: str, *, nearest: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.nearest = tuple(nearest)


class StatementRefused(StatementError):
    """It may not be run: it would write, read files, call out, or cost more than is allowed."""


class WorkEnded(KgneoError):
    """What was done for a question was ended from outside, before there was an answer."""

    retry = True


class EncoderError(KgneoError):
    """A sentence encoder that cannot be found, loaded or run."""


class ModelError(KgneoError):
    """The language model refused or failed; the same call again gives the same."""


class BudgetSpent(ModelError):
    """The calls or tokens that one question may cost are used up; strategies answer with what they have then."""


class ModelUnavailable(ModelError):
    """The language model cannot be reached, is overloaded, or did not answer in time."""

    retry = True


class ContextOverflow(ModelError):
    """A prompt is longer than the model's context. `tokens` were asked for, `limit` fit."""

    def __init__(self, message: str, *, tokens: int, limit: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.tokens = tokens
        self.limit = limit


class LessonWarning(UserWarning):
    """Something that was learned about a graph cannot be read, and is passed over."""
