"""Review: what a piece of feedback would change, and the file of terms with it, or without it again.

Comes in: feedback that waits, and the verified questions of the graph's terms. Goes out: which of these would be
answered otherwise (`Effect`), and, once it is taken, one verified question more. What would make a verified question
worse is refused with its name: somebody looked at that one, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgneo.context import Context
from kgneo.errors import KgneoError, UsageError
from kgneo.feedback.said import Feedback, remove
from kgneo.feedback.trial import tried_with
from kgneo.folders import alone
from kgneo.stages.interpret import verified_questions
from kgneo.stages.same_kind import compared, probability
from kgneo.strategies.paths import ALIKE, Paths
from kgneo.terms.edit import add_question, opened, remove_questions, saved
from kgneo.terms.file import VerifiedQuestion

HINT = (
    "Look at both: one of them is wrong, or they are of two kinds. A verified question is deleted in kgneo.terms.toml."
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What taking a piece of feedback would change: the question's own answers `before` and `after` (as texts), the
    verified questions that would come out right (`better`) or wrong (`worse`) if nobody had verified them, and whether
    one of the same words means something else (`contradicted` says who verified it)."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    contradicted: str | None = None

    @property
    def refusal(self) -> str:
        """Why it cannot be taken; empty where it can."""
        if self.contradicted is not None:
            return f"{self.contradicted} verified another meaning of the same question"
        return f"it breaks {len(self.worse)}: {'; '.join(self.worse)}" if self.worse else ""


def verified_by(item: Feedback) -> VerifiedQuestion:
    """The verified question that a piece of feedback becomes. Raises UsageError for one that only says what is wrong,
    or what cannot be learned."""
    if item.graph is None:
        raise UsageError(
            f"{item.question!r} was said to be answered wrong, and not what is right.",
            hint="Say it: kgneo ask QUESTION --means WORDS; then drop this one.",
        )
    record = {"question": item.question, "query_graph": json.dumps(item.query_graph, ensure_ascii=False), "by": item.by}
    return VerifiedQuestion.model_validate({**record, "on": item.on[:10] or None})


def effect(context: Context, item: Feedback) -> Effect:
    """What taking it would change. Raises UsageError as `verified_by` does."""
    new, known = verified_by(item), verified_questions(context)
    before = _answers(context, item.question, known)
    after = _answers(context, item.question, [new])
    same = [other for other in known if other.plain == new.plain]
    if same:
        other = same[0]
        return Effect(before, after, contradicted=(other.by or "Somebody") if other.graph != new.graph else None)
    changes = list(_changes(context, new, known))
    return Effect(
        before,
        after,
        tuple(question for question, was, now in changes if now and not was),
        tuple(question for question, was, now in changes if was and not now),
    )


def _answers(context: Context, question: str, verified: Sequence[VerifiedQuestion]) -> tuple[str, ...]:
    try:
        return Paths().chosen(question, context, verified=verified).answer.answers
    except KgneoError:
        return ()


def _changes(
    context: Context, new: VerifiedQuestion, known: Sequence[VerifiedQuestion]
) -> Iterator[tuple[str, bool, bool]]:
    """The verified questions that may be taken for one of the kind of a new one, each with whether it comes out right
    without it and with it."""
    for item in known:
        alike = (probability(found.signs) for found in compared(context, item.question, [new]))
        if max(alike, default=0.0) < ALIKE:
            continue
        others = [other for other in known if other is not item]
        was, now = (tried_with(context, item, verified).same for verified in (others, [*others, new]))
        yield item.question, was, now


def take(context: Context, file: Path, item: Feedback, found: Effect, waiting: Path) -> VerifiedQuestion:
    """Make a piece of feedback a verified question of the terms in `file`, and take it out of those `waiting`. Raises
    UsageError where that breaks a verified question."""
    if found.refusal:
        raise UsageError(f"{item.question!r} was not taken: {found.refusal}.", hint=HINT)
    new = verified_by(item)
    with alone(file, of_user=True):
        document = opened(file)
        said = new.model_dump(exclude_defaults=True)
        add_question(document, {"question": said.pop("question"), **said})
        context.graph.terms = saved(document, file)
    remove(waiting, [item.key])
    return new


def take_back(context: Context, file: Path, by: str) -> list[str]:
    """Take the verified questions of one person out of a file of terms; which they were."""
    if not file.exists():
        return []
    with alone(file, of_user=True):
        document = opened(file)
        gone = remove_questions(document, lambda record: record.get("by") == by)
        if gone:
            context.graph.terms = saved(document, file)
    return gone
