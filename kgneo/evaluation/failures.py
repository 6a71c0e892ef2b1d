"""Why an answer was wrong, by what can be checked.

In come the record of a question and what the graph says about its gold path; out goes the first class that
applies, in the order of a question's way through the program: linking, candidates, decomposition, selection,
answering. An answer is looked at when its set of entities is not the gold set; `hit` says whether its first
entity was right all the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from kgneo.errors import KgneoError
from kgneo.evaluation.records import Record
from kgneo.evaluation.run import Backend, Configuration
from kgneo.matching import fold
from kgneo.model import Triple
from kgneo.questions import Question
from kgneo.strategies import Strategy

CLASSES: Mapping[str, str] = {
    "failed": "the question failed with an error",
    "not-linked": "entity not linked",
    "not-among-candidates": "gold triples not among the candidates",
    "too-few-steps": "wrong path or decomposition: too few steps",
    "too-many-steps": "wrong path or decomposition: too many steps",
    "other-path": "wrong path or decomposition: right number of steps, other relations",
    "not-in-top-k": "gold triples not among the top K",
    "not-refused": "answered although the graph holds no answer",
    "unanswered": "no answer given",
    "nameless": "a node without a name taken for an answer",
    "constraint": "a condition of the question was not applied",
    "incomplete": "right set but incomplete",
    "excess": "right set and others besides",
    "not-grounded": "not grounded",
    "right-triples": "right triples but wrong answer",
    "other": "wrong answer, and nothing to check it against",
}
"""Every class with its words, in the order in which they are looked for."""


MINDFUL_CLASSES: Mapping[str, str] = {
    "not-linked": "ambiguity in question or data",
    "not-among-candidates": "limited query processing",
    "too-few-steps": "misinterpretation of the question's context",
    "too-many-steps": "misinterpretation of the question's context",
    "other-path": "incorrect relation mapping",
    "not-in-top-k": "limited query processing",
    "not-refused": "misinterpretation of the question's context",
    "unanswered": "limited query processing",
    "nameless": "encoding issues",
    "incomplete": "incomplete answer",
    "constraint": "constraint identification error",
    "excess": "specificity or precision error",
}
"""The failure of Mindful-RAG's table 1 that each class is a case of; those without one are no failure of its eight."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What the graph says. `gold` are the triples of the gold path (empty: not known); the others count those
    among the candidates, and among the selected triples (None: this strategy does not select by top K)."""

    gold: frozenset[Triple] = frozenset()
    among_candidates: int = 0
    among_selected: int | None = None
    candidates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A class and a few words on the case at hand."""

    kind: str
    detail: str = ""


def check(question: Question, configuration: Configuration, record: Record, backend: Backend) -> Checks:
    """Ask the graph about the gold path of `question`. Raises what the backend raises."""
    strategy = backend.strategy(configuration.strategy)
    if backend.gold is None or backend.retrieve is None or not strategy.needs.graph:
        return Checks()
    gold = frozenset(backend.gold(question)) if question.path else frozenset()
    by_top_k = bool(gold) and strategy.nearest
    asked = configuration if by_top_k else replace(configuration, top_k=0)
    retrieved = backend.retrieve(question, asked, tuple(gold))
    selected: int | None = None
    if by_top_k:
        steps = [step["question"] for step in record.get("steps", [])]
        reached = set(retrieved.ranked) if not steps else set()
        for text in dict.fromkeys(steps):
            # Candidates stay those of the topic entities; only the text that ranks them changes.
            step = replace(question, text=text, told=True)
            reached.update(backend.retrieve(step, configuration, ()).ranked)
        reached.update(_evidence(record))
        selected = len(gold & reached)
    return Checks(gold, len(gold & retrieved.gold), selected, retrieved.counts)


def classify(question: Question, strategy: Strategy, record: Record, checks: Checks) -> Failure:
    """The first class that applies to a record whose answers are not the gold set."""
    if record.get("error"):
        error = record["error"]
        if error["type"] == "EntityNotFound":
            return Failure("not-linked", error["message"])
        return Failure("failed", f"{error['type']}: {error['message']}")
    return (
        _linking(question, strategy, record)
        or _candidates(checks)
        or _decomposition(question, strategy, record)
        or _selection(checks)
        or _answering(question, record, checks)
    )


def _linking(question: Question, strategy: Strategy, record: Record) -> Failure | None:
    if not strategy.needs.graph or not question.entities:
        return None
    linked = {fold(name) for name in record.get("entities", [])}
    missed = [name for name in question.entities if fold(name) not in linked]
    if not missed:
        return None
    found = ", ".join(record.get("entities", [])) or "nothing"
    return Failure("not-linked", f"expected {', '.join(missed)}; found {found}")


def _candidates(checks: Checks) -> Failure | None:
    if not checks.gold or checks.among_candidates == len(checks.gold):
        return None
    return Failure("not-among-candidates", f"{checks.among_candidates} of {len(checks.gold)} gold triples")


def _decomposition(question: Question, strategy: Strategy, record: Record) -> Failure | None:
    if record.get("path") and question.path:
        return _path(str(question.path), record["path"])
    if not strategy.splits or question.hops is None:
        return None
    steps = record.get("sub_questions") or 1
    if steps == question.hops:
        return None
    kind = "too-few-steps" if steps < question.hops else "too-many-steps"
    return Failure(kind, f"{steps} for a question of {question.hops}")


def _path(gold: str, found: str) -> Failure | None:
    if found == gold or _takes(found, gold):
        return None
    wanted, steps = gold.count("/") + 1, found.count("/") + 1
    detail = f"read as {found}, gold path {gold}"
    if steps == wanted:
        return Failure("other-path", detail)
    return Failure("too-few-steps" if steps < wanted else "too-many-steps", detail)


def _takes(found: str, gold: str) -> bool:
    """Whether a way that may take several relations a hop, between bars, takes the gold path's."""
    ways, hops = found.split("/"), gold.split("/")
    return len(ways) == len(hops) and all(hop in way.split("|") for way, hop in zip(ways, hops, strict=True))


def _selection(checks: Checks) -> Failure | None:
    if checks.among_selected is None or checks.among_selected == len(checks.gold):
        return None
    return Failure("not-in-top-k", f"{checks.among_selected} of {len(checks.gold)} gold triples")


def _answering(question: Question, record: Record, checks: Checks) -> Failure:
    counts = record["counts"]
    found, right, gold, met = (counts[name] for name in ("found", "right", "gold", "met"))
    words = f"{met} of {gold} answers right, {found - right} others"
    if not gold:
        return Failure("not-refused", record["answer"])
    if not found and record["scores"]["unanswered"]:
        return Failure("unanswered")
    if nameless := [name for name in record.get("answers", []) if str(name).startswith("_:")]:
        return Failure("nameless", ", ".join(nameless[:3]))
    if found > right and (said := _unapplied(record)):
        return Failure("constraint", said)
    if found and right == found:
        return Failure("incomplete", f"{met} of {gold} answers")
    if met == gold:
        return Failure("excess", f"{gold} right answers and {found - right} others")
    if not record.get("grounded"):
        return Failure("not-grounded", words)
    if checks.gold and (checks.among_selected is not None or checks.gold & set(_evidence(record))):
        return Failure("right-triples", words)
    return Failure("right-triples" if record.get("path") and question.path else "other", words)


def _unapplied(record: Record) -> str:
    """What the strategy itself says that it left out of the question."""
    marks = ("Ignored: ", "Constraints were not checked", "The constraint was not applied")
    return next((warning for warning in record.get("warnings", []) if any(mark in warning for mark in marks)), "")


def _evidence(record: Record) -> Iterator[Triple]:
    return (Triple(*item) for item in record.get("evidence", []))


def rerun_command(question: Question, configuration: Configuration, *, seeded: bool = True) -> str:
    """The command that asks one question again with the same configuration; `seeded` where a language model got
    the seed."""
    words = ["kgneo", "ask", question.text, "--strategy", configuration.strategy]
    words += ["--hops", str(configuration.hops), "--top-k", str(configuration.top_k)]
    words += ["--seed", str(configuration.seed)] if seeded else []
    if question.told and "[" not in question.text:
        for name in question.entities:
            words += ["--entity", name]
    return shlex.join(words)


def has_failed(record: Record) -> bool:
    """Whether the question of `record` raised an error."""
    return bool(record.get("error"))


def needs_diagnosis(record: Record) -> bool:
    """Whether the answers of `record` are not the gold set."""
    return not record["scores"]["exact"]


def diagnose(
    question: Question,
    *,
    record: Record,
    configuration: Configuration,
    backend: Backend,
    sampled: bool = False,
) -> Record:
    """A row on one record: `id`, `class` (None for a right answer), `detail`, `hit`, `candidates` by hop,
    `ms`, `sampled` (looked at to count candidates, right or wrong) and `seeded` (a language model got the seed).

    Raises KgneoError only when its `retry` says that waiting can help.
    """
    checks, unchecked = Checks(), ""
    try:
        if not has_failed(record):
            checks = check(question, configuration, record, backend)
    except KgneoError as error:
        if error.retry:
            raise
        unchecked = f" (the graph could not be asked: {error.message})"
    wrong = needs_diagnosis(record)
    failure = classify(question, backend.strategy(configuration.strategy), record, checks) if wrong else None
    return {
        "id": record["id"],
        "class": failure.kind if failure else None,
        "detail": failure.detail + unchecked if failure else unchecked.strip(),
        "hit": record["scores"]["hit_at_1"],
        "candidates": list(checks.candidates),
        "ms": record.get("ms"),
        "sampled": sampled,
        "seeded": record.get("model") is not None,
    }
