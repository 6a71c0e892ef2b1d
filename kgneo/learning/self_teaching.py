"""Self-teaching: questions that kgneo draws from a graph, as lessons about it.

Comes in: a graph, and a language model where there is one. Goes out: questions with their query graphs, which
`kgneo.learning.readings` learns from. In this order:

1. Query graphs are drawn (`kgneo.tuning.queries`), of which those are taken that speak of what the others do not:
   every label, relationship type, property and form in turn.
2. Each has kgneo's own wording. A model puts it into questions as people would ask them, ten query graphs a call.
3. Each question is read back. Where the reader reads the query graph, it is kept. Else the model, which does not see
   where the question is from, says which of several query graphs in words it asks for, among them what the reader takes
   it for; it is kept where that is the right one. Without a model only the former are kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeVar

from kgneo.context import Context
from kgneo.errors import BudgetSpent, KgneoError, ModelError, UsageError
from kgneo.graph.schema_text import prompt_text
from kgneo.learning.readings import settled
from kgneo.llm import Parameters
from kgneo.query.graph import Aggregate, QueryGraph, Value
from kgneo.query.wording import wording
from kgneo.questions import Question
from kgneo.reading.near import Layout, identity
from kgneo.reading.parts import Asked
from kgneo.stages.generate import ModelCalls
from kgneo.stages.interpret import Reading, reading, unlearned
from kgneo.tuning.queries import queries

COUNT = 100
"""Query graphs that are drawn where nobody says how many."""
POOL = 3
"""Times as many are drawn as are taken."""
TOGETHER = 10
"""Query graphs, or questions, of one call."""
AT_ONCE = 4
"""Calls of the model that run at the same time."""
WORDINGS = 3
"""Questions that a model makes of a query graph."""
SCHEMA_TOKENS = 1_500
LONGEST = 300
"""Characters of a question, at most."""
WRITTEN = Parameters(max_tokens=2_000, temperature=0.8, top_k=0)
SAID = Parameters(max_tokens=400, temperature=0.0)
Item = TypeVar("Item")
OnProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Told:
    """What came of it: `drawn` query graphs, `worded` questions made of them, `read` of these that the reader reads
    right, and all that are kept, those among them."""

    drawn: int
    worded: int
    read: int
    kept: tuple[Question, ...]


def teach_self(
    context: Context,
    count: int = COUNT,
    *,
    calls: ModelCalls | None = None,
    seed: int = 0,
    on_progress: OnProgress = lambda _stage, _done, _total: None,
    warn: Callable[[str], None] = lambda _: None,
) -> Told:
    """Questions about the graph of `context` with their query graphs, from `count` that are drawn by `seed`, put into
    people's words by a model where there are `calls`.

    Raises UsageError where the graph has no labels to ask about, GraphError where it cannot be read.
    """
    known = reading(context)
    if known is None or known.implied is not None:
        raise UsageError(
            "Questions are drawn from a graph whose nodes have labels, and this one has none.",
            hint="`kgneo learn FILE` learns from questions with their answers.",
        )
    drawn = list(spread(_drawn(context, count * POOL, seed, on_progress), count))
    worded = drawn if calls is None else list(_by_people(context, drawn, calls, on_progress, warn))
    read, doubted = _read_back(context, known, worded, on_progress)
    told = [] if calls is None else list(_confirmed(context, doubted, calls, on_progress, warn))
    return Told(len(drawn), len(worded), len(read), (*read, *told))


# Draw ----------------------------------------------------------------------------------------------------------------


def _drawn(context: Context, count: int, seed: int, on_progress: OnProgress) -> list[Question]:
    random = Random(f"kgneo {seed}")  # noqa: S311 - questions are no secret
    found = []
    for item in queries(context.knowledge, count, random):
        found.append(replace(item, entities=()))  # nobody marks them
        on_progress("drawing", len(found), count)
    return found


def spread(questions: Sequence[Question], count: int) -> Iterator[Question]:
    """`count` of the questions, each time the one whose names and form the others had least often."""
    seen: Counter[str] = Counter()
    left = [(item, frozenset(_names(item.query_graph))) for item in questions if item.query_graph is not None]
    for _ in range(min(count, len(left))):
        best = min(left, key=lambda item: sum(seen[name] for name in item[1]) / max(len(item[1]), 1))
        left.remove(best)
        seen.update(best[1])
        yield best[0]


def _names(graph: QueryGraph) -> Iterator[str]:
    """What a query graph speaks of, and its form: each a name of its own."""
    labels = Layout(graph).labels
    for edge in graph.edges:
        yield f"edge {labels.get(edge.subject)} {edge.relations} {labels.get(edge.object)} {edge.absent}"
    for condition in graph.conditions:
        if isinstance(condition.left, Value):
            yield f"condition {labels.get(condition.left.of)} {condition.left.key}"
            yield f"operator {condition.operator}"
    for selection in graph.selections:
        yield f"selection {selection.descending} {_of(selection.by, labels)}"
    yield f"answer {type(graph.answer).__name__} {_of(graph.answer, labels)}"


def _of(value: object, labels: Mapping[str, str]) -> str:
    if isinstance(value, Value):
        return f"{labels.get(value.of)} {value.key}"
    return f"{value.function} {_of(value.value, labels)}" if isinstance(value, Aggregate) else ""


# Into words ----------------------------------------------------------------------------------------------------------


def _by_people(
    context: Context,
    drawn: Sequence[Question],
    calls: ModelCalls,
    on_progress: OnProgress,
    warn: Callable[[str], None],
) -> Iterator[Question]:
    """The questions that a model makes of query graphs; one that leaves out a value is left out."""
    schema = prompt_text(context.knowledge.schema, context.shape, tokens=SCHEMA_TOKENS)
    batches = list(_batches(drawn))
    given = [
        {"schema": schema, "number": str(WORDINGS), "meanings": _numbered(item.text for item in some)}
        for some in batches
    ]
    asked = _replies(calls, "reword", WRITTEN, given, warn)
    for done, (some, reply) in enumerate(zip(batches, asked, strict=True), start=1):
        for number, item in enumerate(some, start=1):
            for text in _texts(reply.get(str(number))):
                if all(value in text.casefold() for value in _values(item.query_graph)):
                    yield replace(item, id=text, text=text)
        on_progress("putting into words", min(done * TOGETHER, len(drawn)), len(drawn))


def _numbered(texts: Iterable[str]) -> str:
    return "\n".join(f"{number}. {' '.join(text.split())}" for number, text in enumerate(texts, start=1))


def _texts(found: object) -> list[str]:
    """The questions of a reply, each once."""
    some = found if isinstance(found, list) else [found]
    texts = (" ".join(text.split()) for text in some if isinstance(text, str))
    return list(dict.fromkeys(text for text in texts if 0 < len(text) <= LONGEST and "[" not in text))


def _values(graph: QueryGraph | None) -> Iterator[str]:
    """The texts that conditions compare with, as a question must have them."""
    for condition in graph.conditions if graph else ():
        if isinstance(condition.right, tuple) and condition.operator == "=":
            texts = (value for value in condition.right if isinstance(value, str))
            yield from (text.casefold() for text in texts if len(text) > 1)  # nobody says a flag as it stands


# Read back -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Doubted:
    """A question that the reader reads as something else."""

    question: Question
    read_as: QueryGraph | None


def _read_back(
    context: Context, known: Reading, worded: Sequence[Question], on_progress: OnProgress
) -> tuple[list[Question], list[_Doubted]]:
    """The questions that the reader reads as they are meant, and the others with what it takes them for."""
    read: list[Question] = []
    doubted: list[_Doubted] = []
    for done, item in enumerate(worded, start=1):
        assert item.query_graph is not None
        try:
            understood = unlearned(context, item.text)
        except KgneoError:
            understood = []
        meant = item.query_graph
        if understood:
            asked = Asked(item.text, understood[0].mentions, known.fits)
            meant = settled(meant, known.fits.vocabulary, asked)
        if understood and identity(Layout(understood[0].graph)) == identity(Layout(meant)):
            read.append(item)
        else:
            doubted.append(_Doubted(item, understood[0].graph if understood else None))
        on_progress("reading back", done, len(worded))
    return read, doubted


def _confirmed(
    context: Context,
    doubted: Sequence[_Doubted],
    calls: ModelCalls,
    on_progress: OnProgress,
    warn: Callable[[str], None],
) -> Iterator[Question]:
    """Those questions for which the model finds the query graph that they were made of, among others in words."""
    names = context.shape.names
    batches = [(some, _meanings(some, names)) for some in _batches(doubted)]
    given = [
        {"meanings": _numbered(said), "questions": _numbered(item.question.text for item in some)}
        for some, said in batches
    ]
    asked = _replies(calls, "which_meaning", SAID, given, warn)
    for done, ((some, said), reply) in enumerate(zip(batches, asked, strict=True), start=1):
        for number, item in enumerate(some, start=1):
            assert item.question.query_graph is not None
            if reply.get(str(number)) == said.index(wording(item.question.query_graph, names=names)) + 1:
                yield item.question
        on_progress("asking what is meant", min(done * TOGETHER, len(doubted)), len(doubted))


def _meanings(some: Sequence[_Doubted], names: Mapping[str, str]) -> list[str]:
    """What questions mean, and what the reader takes them for, in words."""
    graphs = [item.question.query_graph for item in some] + [item.read_as for item in some]
    return sorted({wording(graph, names=names) for graph in graphs if graph is not None})


# The model -----------------------------------------------------------------------------------------------------------


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + TOGETHER] for start in range(0, len(items), TOGETHER))


def _replies(
    calls: ModelCalls,
    prompt: str,
    parameters: Parameters,
    given: Sequence[Mapping[str, str]],
    warn: Callable[[str], None],
) -> Iterator[dict[str, Any]]:
    """What the model replies to a prompt with each of the variables that are given, some calls at once."""

    def ask(variables: Mapping[str, str]) -> tuple[ModelCalls, dict[str, Any]]:
        own = replace(calls)
        return own, _record(own, prompt, parameters, warn, **variables)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for own, found in pool.map(ask, given):
            calls.use += own.use
            yield found


def _record(
    calls: ModelCalls, prompt: str, parameters: Parameters, warn: Callable[[str], None], **variables: str
) -> dict[str, Any]:
    """The object that the model replies with; nothing where it replies with something else, which is told."""
    try:
        text = calls.complete(prompt, parameters, None, **variables).text
        found = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except ValueError:
        warn(f"A reply of the model to {prompt!r} was no JSON object, and is left out.")
        return {}
    except BudgetSpent as error:
        warn(error.message)
        return {}
    except ModelError as error:
        warn(f"The model did not answer: {error.message}")
        return {}
    return found if isinstance(found, dict) else {}
