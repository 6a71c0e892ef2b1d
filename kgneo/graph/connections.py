"""Connections: the labels that a relationship type joins, each pair with its own number.

Comes in: a type of any size. Goes out: every pair of label sets that is known. A type of few relationships is counted
whole. Of a larger one, Neo4j's counters tell at once how many relationships leave, and reach, the nodes of each label;
where that leaves no choice, pairs follow from it. Else relationships are looked at: some that are spread over all, and
those of each label that has few or that these did not meet. What is still open is estimated so that it agrees with the
counters. A label of which a counter says that the type leaves or reaches it is always in a connection.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice

from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill
from kgneo.graph.shape import is_own

COUNTED = 20_000
"""Relationships up to which a type is counted whole, which takes no longer than looking at a thousand with their
properties."""
LOOKED_AT = 1_000
"""Relationships of one label at one end that are looked at; a label with fewer is seen whole."""
WALKED = 20_000
"""Nodes of one label that are walked to find them."""
SEEN_WHOLE = 5_000
"""Relationships that are looked at to see labels with few of them whole."""
AT_ONCE = 100
"""Counters that are read with one query."""
COMPARED = 12
"""Labels at one end up to which it is looked whether they share nodes."""
KEPT = 1_000
"""Connections of one type that are kept; of the rest those that join labels which no other does."""
ROUNDS = 30
"""How often an estimate is made to agree with each counter in turn."""

Labels = tuple[str, ...]
Pair = tuple[Labels, Labels]
Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Connection:
    """Label sets at both ends of a relationship type and how many relationships have them; `exact`: counted, not
    estimated."""

    subject: Labels
    object: Labels
    times: int
    exact: bool = True


@dataclass
class Ends:
    """Reads what joins what; which labels share nodes is looked at once for all types. `labels` has the number of
    nodes of each; after `ends_at` (of the monotonic clock) nothing more is looked at."""

    graph: Graph
    labels: Mapping[str, int]
    ends_at: float
    _apart: dict[tuple[str, str], bool] = field(default_factory=dict)

    def connections(self, relation: str, number: int, sampled: Sequence[Pair]) -> tuple[Connection, ...]:
        """The connections of a type with so many relationships, of which those that join `sampled` were looked at."""
        if number <= len(sampled):
            return kept(Counter(sampled), exact=True)
        if number <= COUNTED:
            return kept(counted_whole(self.graph, relation)[0], exact=True)
        if time.monotonic() > self.ends_at:
            return kept(_shared_out(Counter(sampled), number), exact=False)
        return self._from_counters(relation, number, sampled)

    def _from_counters(self, relation: str, number: int, sampled: Sequence[Pair]) -> tuple[Connection, ...]:
        names = list(self.labels)
        texts = [(file, {"label": name, "relation": relation}) for file in (LEAVING, REACHING) for name in names]
        found = counts(self.graph, texts)
        leaving, reaching = _nonzero(names, found[: len(names)]), _nonzero(names, found[len(names) :])
        pairs = self._decided(number, leaving, reaching)
        if pairs is not None:
            return kept(pairs, exact=True)
        seen, met = self._looked_at(relation, leaving, reaching, sampled)
        rest = number - sum(seen.values())
        leaving, reaching = _less(leaving, seen, 0), _less(reaching, seen, 1)
        pairs = self._decided(rest, leaving, reaching) if rest else Counter()
        if pairs is not None:
            return kept(seen + pairs, exact=True)
        unseen = {pair: times for pair, times in met.items() if pair not in seen}
        return (*kept(seen, exact=True), *kept(estimate(rest, leaving, reaching, unseen), exact=False))

    def _decided(self, number: int, leaving: Counts, reaching: Counts) -> Counter[Pair] | None:
        """The pairs that follow from the counters alone: the nodes at one end all have the same labels."""
        if _varying(number, leaving) and _varying(number, reaching):
            return None
        subjects, objects = self._sets(number, leaving), self._sets(number, reaching)
        if subjects is None or objects is None:
            return None
        return Counter(
            {(subject, target): min(one, two) for subject, one in subjects.items() for target, two in objects.items()}
        )

    def _sets(self, number: int, counters: Counts) -> dict[Labels, int] | None:
        """The label sets of the nodes at one end, where those labels that not all have are of different nodes."""
        varying = _varying(number, counters)
        everywhere = [label for label, times in counters.items() if times == number]
        left = number - sum(varying.values())
        if left < 0 or not self._are_apart(varying):
            return None
        sets = {tuple(sorted([*everywhere, label])): times for label, times in varying.items()}
        return {**sets, tuple(sorted(everywhere)): left} if left else sets

    def _are_apart(self, labels: Iterable[str]) -> bool:
        """Whether no node has two of these labels, as far as that is looked at."""
        names = sorted(labels)
        if len(names) > COMPARED:
            return False
        new = [pair for pair in combinations(names, 2) if pair not in self._apart]
        found = counts(self.graph, [("schema_both", {"labels": pair}) for pair in new])
        self._apart.update({pair: not number for pair, number in zip(new, found, strict=True)})
        return all(self._apart[pair] for pair in combinations(names, 2))

    def _looked_at(
        self, relation: str, leaving: Counts, reaching: Counts, sampled: Sequence[Pair]
    ) -> tuple[Counter[Pair], Counter[Pair]]:
        """The pairs of all relationships of those labels that have few; and the pairs that were met at all."""
        room = SEEN_WHOLE
        wanted: list[tuple[int, str, int]] = []  # the end, a label, how many relationships of it
        ends = ((0, leaving), (1, reaching))
        for times, end, label in sorted((times, end, label) for end, of in ends for label, times in of.items()):
            if times <= min(LOOKED_AT, room):
                room -= times
                wanted.append((end, label, times))
            elif not any(label in pair[end] for pair in sampled):
                wanted.append((end, label, times))
        whole: dict[str, Pair] = {}
        met = Counter(sampled)
        for end, label, times in wanted:
            rows = self.graph.read(
                fill((JOINED_FROM, JOINED_TO)[end], label=label, relation=relation), sample=LOOKED_AT, walked=WALKED
            )
            found = {row["id"]: (own_labels(row["subject"]), own_labels(row["object"])) for row in rows}
            met.update(found.values())
            if len(found) == times:
                whole |= found
        return Counter(whole.values()), met


LEAVING, REACHING = "schema_leaving", "schema_reaching"
JOINED_FROM, JOINED_TO = "schema_joined_from", "schema_joined_to"


def counts(graph: Graph, texts: Sequence[tuple[str, Mapping[str, str | Sequence[str]]]]) -> list[int]:
    """What each of these queries counts, each a file with what is filled in; many are read at once."""
    found = [0] * len(texts)
    numbered = iter(list(enumerate(texts)))
    while part := list(islice(numbered, AT_ONCE)):
        text = "\nUNION ALL\n".join(fill(file, number=number, **filled) for number, (file, filled) in part)
        for row in graph.read(text):
            found[row["number"]] = int(row["found"])
    return found


def counted_whole(
    graph: Graph, relation: str, *, excluded: Sequence[str] = (), timeout: float | None = None
) -> tuple[Counter[Pair], Counter[str]]:
    """How many relationships of a type join each pair, and have each key; all of them are looked at, but for those at
    nodes with a label that is `excluded`."""
    pairs: Counter[Pair] = Counter()
    keys: Counter[str] = Counter()
    for row in graph.read(fill("schema_relation_all", relation=relation), timeout=timeout):
        if any(label in excluded for label in (*row["subject"], *row["object"])):
            continue
        if row["key"] is None:
            pairs[own_labels(row["subject"]), own_labels(row["object"])] += row["found"]
        else:
            keys[row["key"]] += row["found"]
    return pairs, keys


def own_labels(labels: Iterable[str]) -> Labels:
    """Labels without kgneo's own, in order."""
    return tuple(sorted(label for label in labels if not is_own(label)))


def kept(pairs: Mapping[Pair, int], *, exact: bool) -> tuple[Connection, ...]:
    """As connections, most frequent first. Of very many, those that say nothing new are left out."""
    found: list[Connection] = []
    joined: set[tuple[str, str]] = set()
    for (subject, target), times in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        new = {(one, two) for one in subject or ("",) for two in target or ("",)}
        if times > 0 and (len(found) < KEPT or not new <= joined):
            found.append(Connection(subject, target, times, exact))
            joined |= new
    return tuple(found)


def estimate(number: int, leaving: Counts, reaching: Counts, met: Mapping[Pair, int]) -> dict[Pair, int]:
    """How many of `number` relationships join each pair that was met, so that each label's counters are agreed with as
    well as can be. A label that was not met is taken to be joined with every label of the other end."""
    weights = {pair: float(times) for pair, times in met.items()}
    weights |= dict.fromkeys(_unmet(leaving, reaching, met), 0.5)
    constraints = [
        (times, [pair for pair in weights if label in pair[end]])
        for end, counters in enumerate((leaving, reaching))
        for label, times in counters.items()
    ]
    for _ in range(ROUNDS):
        for times, of in constraints:
            total = sum(weights[pair] for pair in of)
            for pair in of:
                weights[pair] *= times / total if total else 0.0
    return _shared_out(weights, number)


def _unmet(leaving: Counts, reaching: Counts, met: Iterable[Pair]) -> Iterator[Pair]:
    pairs = list(met)
    ends = [{label for pair in pairs for label in pair[end]} for end in (0, 1)]
    for subject in leaving or {"": 0}:
        for target in reaching or {"": 0}:
            if (subject and subject not in ends[0]) or (target and target not in ends[1]):
                yield own_labels(filter(None, [subject])), own_labels(filter(None, [target]))


def _shared_out(weights: Mapping[Pair, float], number: int) -> Counter[Pair]:
    """`number` shared out by weights; whatever was met at least once."""
    total = sum(weights.values()) or 1.0
    return Counter({pair: max(round(number * weight / total), 1) for pair, weight in weights.items()})


def _nonzero(names: Sequence[str], found: Sequence[int]) -> Counts:
    return {name: number for name, number in zip(names, found, strict=True) if number}


def _varying(number: int, counters: Counts) -> Counts:
    """The labels that some of the nodes at an end have, and others have not."""
    return {label: times for label, times in counters.items() if times != number}


def _less(counters: Counts, seen: Mapping[Pair, int], end: int) -> Counts:
    """The counters of an end without what was seen."""
    left: dict[str, int] = defaultdict(int, counters)
    for pair, times in seen.items():
        for label in pair[end]:
            left[label] -= times
    return {label: times for label, times in left.items() if times > 0}
