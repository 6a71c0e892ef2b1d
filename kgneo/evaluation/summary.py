"""Figures of a run, from its records.

Records are read one by one; what stays in memory is an array of a few numbers a question, then the summary.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kgneo.evaluation.metrics import OF_NAMES, SCORES, Floats, bootstrap, percentile, spread, wilson
from kgneo.evaluation.records import Record
from kgneo.evaluation.run import Configuration

FIRST = "first"
"""Under which right sets are counted where of each choice the first is taken."""
HIT, EXACT = SCORES.index("hit_at_1"), SCORES.index("exact")


@dataclass(frozen=True, slots=True)
class TypeSummary:
    """Questions of one type, how many of their first answers and how many of their sets were right."""

    n: int
    hits: int
    sets: int

    @property
    def hit_at_1(self) -> float:
        """Share of right first answers."""
        return self.hits / self.n

    @property
    def exact(self) -> float:
        """Share of right sets."""
        return self.sets / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval: a type has few questions, where a bootstrap of 0 or 1 has no width."""
        return wilson(self.hits, self.n)


@dataclass(frozen=True, slots=True)
class Summary:
    """One configuration. `means` and `intervals` are by score; times in milliseconds; `calls` and `tokens` a
    question; `steps` counts questions by their number of sub-questions."""

    configuration: Configuration
    n: int
    means: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    p50_ms: float
    p95_ms: float
    calls: float
    tokens: float
    errors: int
    by_type: Mapping[str, TypeSummary] = field(default_factory=dict)
    steps: Mapping[int, int] = field(default_factory=dict)
    in_words: bool = False
    """Whether it names no entities, and has no score of names."""
    outcomes: Mapping[str, float] = field(default_factory=dict)
    """The share of the questions with each outcome; a question that failed has none."""
    exact_of_answers: float = 0.0
    """The share of right sets among the questions whose outcome is an answer."""
    exact_first: float = 0.0
    """The share of right sets where of each choice the first is taken."""

    def applies(self, name: str) -> bool:
        """Whether it has the score `name`."""
        return not (self.in_words and name in OF_NAMES)

    def to_dict(self, *, dataset: str, split: str, variant: str) -> dict[str, Any]:
        """The object that `kgneo eval --json` prints for a configuration."""
        return {
            "dataset": dataset,
            "split": split,
            "variant": variant,
            **_configuration_part(self.configuration),
            "n": self.n,
            **{name: round(self.means[name], 6) if self.applies(name) else None for name in PRINTED},
            "ci95": {name: [round(end, 6) for end in self.intervals[name]] for name in PRINTED if self.applies(name)},
            "p50_ms": round(self.p50_ms, 2),
            "p95_ms": round(self.p95_ms, 2),
            "calls": round(self.calls, 3),
            "tokens": round(self.tokens, 1),
            "errors": self.errors,
            "outcomes": {name: round(share, 6) for name, share in self.outcomes.items()},
            "exact_of_answers": round(self.exact_of_answers, 6),
            "exact_first": round(self.exact_first, 6),
            "by_type": {
                name: {"n": part.n, "hit_at_1": round(part.hit_at_1, 6), "exact": round(part.exact, 6)}
                for name, part in self.by_type.items()
            },
        }


PRINTED = ("hit_at_1", "hit_at_1_text", "f1", "precision", "recall", "exact")
"""The scores in the JSON of a run; the report has all."""


def _configuration_part(configuration: Configuration) -> dict[str, Any]:
    return {
        "question_hops": configuration.question_hops,
        "strategy": configuration.strategy,
        "hops": configuration.hops,
        "top_k": configuration.top_k,
        "seed": configuration.seed,
    }


def summarise(
    configuration: Configuration, records: Iterable[Record], order: Sequence[str], *, in_words: bool = False
) -> Summary:
    """The figures of one configuration; `in_words` is for strategies that name no entities.

    `order` has the identifiers of its sample: the bootstrap goes by it, so that the order in which several
    workers finished changes nothing. Records of other questions are left out.
    """
    place = {identifier: index for index, identifier in enumerate(order)}
    places, types = array("l"), array("l")
    values, times = array("d"), array("d")
    type_names: dict[str, int] = {}
    steps: Counter[int] = Counter()
    ends_in: Counter[str] = Counter()
    right: Counter[str] = Counter()
    calls = tokens = errors = 0
    for record in records:
        index = place.pop(record["id"], None)
        if index is None:
            continue
        places.append(index)
        values.extend(float(record["scores"][name]) for name in SCORES)
        types.append(type_names.setdefault(record["type"], len(type_names)))
        if record["error"]:
            errors += 1
            continue
        times.append(record["ms"])
        calls += record["calls"]
        tokens += record["tokens"]
        steps[record["sub_questions"]] += 1
        outcome = record.get("outcome", "answer")
        ends_in[outcome] += 1
        right[outcome] += record["scores"]["exact"]
        right[FIRST] += record.get("exact_first", record["scores"]["exact"])
    count = len(places)
    sorting = np.argsort(np.asarray(places, dtype=int), kind="stable")
    scores = np.asarray(values, dtype=float).reshape(count, len(SCORES))[sorting]
    kinds = np.asarray(types, dtype=int)[sorting]
    ends = bootstrap(scores)
    means = scores.mean(axis=0) if count else np.zeros(len(SCORES))
    timed = np.asarray(times, dtype=float)
    return Summary(
        configuration=configuration,
        n=count,
        means={name: float(means[i]) for i, name in enumerate(SCORES)},
        intervals={name: (float(ends[i, 0]), float(ends[i, 1])) for i, name in enumerate(SCORES)},
        p50_ms=percentile(timed, 0.5),
        p95_ms=percentile(timed, 0.95),
        calls=calls / count if count else 0.0,
        tokens=tokens / count if count else 0.0,
        errors=errors,
        by_type={} if in_words else _by_type(type_names, kinds, scores[:, [HIT, EXACT]]),
        steps=dict(sorted(steps.items())),
        in_words=in_words,
        outcomes={name: number / count for name, number in sorted(ends_in.items())},
        exact_of_answers=right["answer"] / max(ends_in["answer"], 1),
        exact_first=right[FIRST] / max(count, 1),
    )


def _by_type(names: Mapping[str, int], kinds: Any, right: Floats) -> dict[str, TypeSummary]:
    found = {}
    for name, code in sorted(names.items()):
        chosen = right[kinds == code]
        hits, sets = chosen.sum(axis=0)
        found[name] = TypeSummary(len(chosen), int(hits), int(sets))
    return {} if list(found) == [""] else found


@dataclass(frozen=True, slots=True)
class Group:
    """The same configuration under all its seeds.

    `bar` gives the ends of a score's error bar: mean ± standard deviation over seeds where there are several
    seeds, the 95 % bootstrap interval over questions where there is one.
    """

    summaries: tuple[Summary, ...]

    @property
    def configuration(self) -> Configuration:
        """The first seed's configuration."""
        return self.summaries[0].configuration

    def applies(self, name: str) -> bool:
        """Whether it has the score `name`."""
        return self.summaries[0].applies(name)

    @property
    def seeds(self) -> int:
        """How many seeds there are."""
        return len(self.summaries)

    @property
    def n(self) -> int:
        """Questions asked, over all seeds."""
        return sum(summary.n for summary in self.summaries)

    @property
    def errors(self) -> int:
        """Failed questions, over all seeds."""
        return sum(summary.errors for summary in self.summaries)

    def mean(self, name: str) -> float:
        """Mean of the score `name` over seeds."""
        return float(np.mean([summary.means[name] for summary in self.summaries]))

    def deviation(self, name: str) -> float:
        """Sample standard deviation of the score `name` over seeds, 0 with one seed."""
        return spread([summary.means[name] for summary in self.summaries])

    def bar(self, name: str) -> tuple[float, float]:
        """Lower and upper end of the error bar."""
        if self.seeds == 1:
            return self.summaries[0].intervals[name]
        mean, deviation = self.mean(name), self.deviation(name)
        return mean - deviation, mean + deviation

    def average(self, name: str) -> float:
        """Mean over seeds of a field of `Summary` that is a number: p50_ms, p95_ms, calls, tokens."""
        return float(np.mean([getattr(summary, name) for summary in self.summaries]))

    @property
    def by_type(self) -> dict[str, TypeSummary]:
        """Types with their questions and what was right, over all seeds."""
        total: dict[str, TypeSummary] = {}
        for summary in self.summaries:
            for name, part in summary.by_type.items():
                so_far = total.get(name, TypeSummary(0, 0, 0))
                total[name] = TypeSummary(so_far.n + part.n, so_far.hits + part.hits, so_far.sets + part.sets)
        return dict(sorted(total.items()))

    @property
    def steps(self) -> dict[int, int]:
        """Questions by their number of sub-questions, over all seeds."""
        total: Counter[int] = Counter()
        for summary in self.summaries:
            total.update(summary.steps)
        return dict(sorted(total.items()))


def group(summaries: Iterable[Summary]) -> list[Group]:
    """Summaries that differ in their seed alone, together, in the order of their first."""
    found: dict[tuple[Any, ...], list[Summary]] = {}
    for summary in summaries:
        cell = summary.configuration
        key = (cell.strategy, cell.hops, cell.top_k, cell.question_hops)
        found.setdefault(key, []).append(summary)
    return [Group(tuple(members)) for members in found.values()]


@dataclass(frozen=True, slots=True)
class RetrievalSummary:
    """Retrieval alone, for one N and K.

    `candidates` is the mean number first reached at each hop; the recalls are means, over the `with_gold`
    questions whose gold triples are known, of the share of them found, `complete` the shares of those
    questions with all of them found.
    """

    configuration: Configuration
    n: int
    with_gold: int
    candidates: tuple[float, ...]
    candidates_median: float
    recall_candidates: float
    recall_top_k: float
    complete_candidates: float
    complete_top_k: float
    interval_top_k: tuple[float, float]
    p50_ms: float
    p95_ms: float
    errors: int
    seeds: int = 1

    def to_dict(self, *, dataset: str, split: str, variant: str) -> dict[str, Any]:
        """The object that `kgneo eval --stage retrieve --json` prints for a configuration."""
        part = _configuration_part(self.configuration)
        del part["strategy"]
        return {
            "dataset": dataset,
            "split": split,
            "variant": variant,
            **part,
            "n": self.n,
            "with_gold": self.with_gold,
            "candidates_by_hop": [round(value, 2) for value in self.candidates],
            "candidates_median": self.candidates_median,
            "recall_candidates": round(self.recall_candidates, 6),
            "recall_top_k": round(self.recall_top_k, 6),
            "complete_candidates": round(self.complete_candidates, 6),
            "complete_top_k": round(self.complete_top_k, 6),
            "ci95": {"recall_top_k": [round(end, 6) for end in self.interval_top_k]},
            "p50_ms": round(self.p50_ms, 2),
            "p95_ms": round(self.p95_ms, 2),
            "errors": self.errors,
        }


def summarise_retrieval(
    configuration: Configuration, records: Iterable[Record], order: Sequence[str]
) -> RetrievalSummary:
    """The figures of retrieval for the K of `configuration`. Failed questions have a recall of 0."""
    place = {identifier: index for index, identifier in enumerate(order)}
    rows: list[tuple[int, float, float]] = []
    times, sizes = array("d"), array("d")
    by_hop = np.zeros(configuration.hops)
    errors = 0
    for record in records:
        index = place.pop(record["id"], None)
        if index is None:
            continue
        if record["error"]:
            errors += 1
            rows.append((index, 0.0, 0.0))
            continue
        if gold := record["gold"]:
            kept = record["gold_among_top_k"][str(configuration.top_k)]
            rows.append((index, record["gold_among_candidates"] / gold, kept / gold))
        counts = record["candidates"][: configuration.hops]
        by_hop[: len(counts)] += counts
        sizes.append(sum(counts))
        times.append(record["ms"])
    rows.sort()
    recalls = np.asarray([row[1:] for row in rows], dtype=float).reshape(len(rows), 2)
    answered = max(1, len(times))
    means = recalls.mean(axis=0) if rows else np.zeros(2)
    complete = (recalls >= 1).mean(axis=0) if rows else np.zeros(2)
    low, high = bootstrap(recalls)[1]
    return RetrievalSummary(
        configuration=configuration,
        n=len(times) + errors,
        with_gold=len(rows),
        candidates=tuple(float(value) for value in by_hop / answered),
        candidates_median=percentile(np.asarray(sizes, dtype=float), 0.5),
        recall_candidates=float(means[0]),
        recall_top_k=float(means[1]),
        complete_candidates=float(complete[0]),
        complete_top_k=float(complete[1]),
        interval_top_k=(float(low), float(high)),
        p50_ms=percentile(np.asarray(times, dtype=float), 0.5),
        p95_ms=percentile(np.asarray(times, dtype=float), 0.95),
        errors=errors,
    )


def over_seeds(summaries: Iterable[RetrievalSummary]) -> list[RetrievalSummary]:
    """Those that differ in their seed alone as one, with means; with several seeds the interval is their
    mean ± standard deviation."""
    found: dict[tuple[Any, ...], list[RetrievalSummary]] = {}
    for summary in summaries:
        cell = summary.configuration
        found.setdefault((cell.question_hops, cell.hops, cell.top_k), []).append(summary)
    return [_merged(members) for members in found.values()]


def _merged(members: Sequence[RetrievalSummary]) -> RetrievalSummary:
    if len(members) == 1:
        return members[0]

    def mean(name: str) -> float:
        return float(np.mean([getattr(member, name) for member in members]))

    recall, deviation = mean("recall_top_k"), spread([member.recall_top_k for member in members])
    return RetrievalSummary(
        configuration=members[0].configuration,
        n=sum(member.n for member in members),
        with_gold=sum(member.with_gold for member in members),
        candidates=tuple(np.mean([member.candidates for member in members], axis=0).tolist()),
        candidates_median=mean("candidates_median"),
        recall_candidates=mean("recall_candidates"),
        recall_top_k=recall,
        complete_candidates=mean("complete_candidates"),
        complete_top_k=mean("complete_top_k"),
        interval_top_k=(recall - deviation, recall + deviation),
        p50_ms=mean("p50_ms"),
        p95_ms=mean("p95_ms"),
        errors=sum(member.errors for member in members),
        seeds=len(members),
    )
