"""Graphs of triples in memory, with the relation paths that leave an entity and where they lead.

For tests and benchmarks of path ranking: the same walk that the database does, in plain Python.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgneo.english.question import MaskedQuestion
from kgneo.model import Hop, RelationPath
from kgneo.ranking.vectors import HopKey, HopStatistics, RelationStatistics
from kgneo.sample import questions_path, triples_path

GRAPHS = Path(__file__).parent / "graphs"
FILES = {
    "sample": (triples_path(), questions_path()),
    "music": (GRAPHS / "music" / "triples.tsv", GRAPHS / "music" / "questions.jsonl"),
    "science": (GRAPHS / "science" / "triples.tsv", GRAPHS / "science" / "questions.jsonl"),
    "people-paths": (GRAPHS / "people-paths" / "triples.tsv", GRAPHS / "people-paths" / "questions.jsonl"),
    "codes": (GRAPHS / "codes" / "relationships.tsv", GRAPHS / "codes" / "questions.jsonl"),
}
SAMPLES = 12


@dataclass(frozen=True)
class PathQuestion:
    """A question about one entity, with its gold path as text and its answers."""

    question: MaskedQuestion
    entity: str
    path: str
    answers: frozenset[str]


class MemoryGraph:
    """Triples with optional labels; `edges[node][relation, forward]` are its neighbours in order of name."""

    def __init__(
        self,
        triples: list[tuple[str, str, str]],
        labels: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.labels = dict(labels or {})
        self.names = dict(names or {})
        edges: dict[str, dict[HopKey, set[str]]] = defaultdict(lambda: defaultdict(set))
        for subject, relation, target in triples:
            edges[subject][relation, True].add(target)
            edges[target][relation, False].add(subject)
        self.edges = {node: {key: sorted(nodes) for key, nodes in hops.items()} for node, hops in edges.items()}
        self.hop_labels = self._hop_labels()

    def _hop_labels(self) -> dict[HopKey, tuple[str, ...]]:
        found: dict[HopKey, Counter[str]] = defaultdict(Counter)
        for hops in self.edges.values():
            for key, nodes in hops.items():
                found[key].update(self.labels[node] for node in nodes if node in self.labels)
        return {key: tuple(label for label, _ in counter.most_common(3)) for key, counter in found.items()}

    def statistics(self) -> RelationStatistics:
        """What the ranking may know of the graph, as a query would give it."""
        reached: dict[HopKey, set[str]] = defaultdict(set)
        sources: Counter[HopKey] = Counter()
        counts: Counter[HopKey] = Counter()
        for hops in self.edges.values():
            for key, nodes in hops.items():
                reached[key].update(nodes)
                sources[key] += 1
                counts[key] += len(nodes)
        hop_statistics = {
            key: HopStatistics(
                count=counts[key],
                sources=sources[key],
                targets=len(nodes),
                samples=_spread(sorted(nodes), SAMPLES),
                next=self._next(_spread(sorted(nodes), 10 * SAMPLES)),
            )
            for key, nodes in reached.items()
        }
        return RelationStatistics(hop_statistics, self.names)

    def _next(self, nodes: Sequence[str]) -> dict[HopKey, float]:
        leaving = Counter(key for node in nodes for key in self.edges[node])
        return {key: count / len(nodes) for key, count in leaving.most_common()}

    def walk(self, entity: str, *, hops: int = 3) -> dict[tuple[HopKey, ...], set[str]]:
        """Every relation path of up to `hops` steps from an entity with the nodes that it reaches.

        No relationship is used twice in one walk, as in one Cypher pattern.
        """
        found: dict[tuple[HopKey, ...], set[str]] = {}

        def step(node: str, path: tuple[HopKey, ...], used: frozenset[tuple[str, str, str]]) -> None:
            for key, targets in self.edges.get(node, {}).items():
                for target in targets:
                    relation, forward = key
                    edge = (node, relation, target) if forward else (target, relation, node)
                    if edge in used:
                        continue
                    found.setdefault((*path, key), set()).add(target)
                    if len(path) + 1 < hops:
                        step(target, (*path, key), used | {edge})

        step(entity, (), frozenset())
        return found

    def relation_path(self, keys: tuple[HopKey, ...], *, labelled: bool = True) -> RelationPath:
        return RelationPath(
            tuple(Hop(key[0], key[1], labels=self.hop_labels.get(key, ()) if labelled else ()) for key in keys)
        )


def _spread(names: list[str], wanted: int) -> tuple[str, ...]:
    step = max(1, len(names) // wanted)
    return tuple(names[::step][:wanted])


def load_graph(name: str) -> MemoryGraph:
    """One of the hand-made graphs of triples."""
    triples, labels, names = [], {}, {}
    with FILES[name][0].open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            triples.append((row["subject"], row["relation"], row["object"]))
            for end in ("subject", "object"):
                if row.get(f"{end}_label"):
                    labels[row[end]] = row[f"{end}_label"]
            if row.get("label"):
                names[row["relation"]] = row["label"]
    return MemoryGraph(triples, labels, names)


def load_questions(name: str) -> list[PathQuestion]:
    """The questions about one entity that a path answers."""
    questions = []
    for line in FILES[name][1].read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if len(record["entities"]) == 1 and record.get("path") and not record.get("kind"):
            question = masked(record["question"])
            answers = frozenset(record["answers"])
            questions.append(PathQuestion(question, record["entities"][0], record["path"], answers))
    return questions


def masked(text: str) -> MaskedQuestion:
    """A question whose topic entity stands in [brackets]."""
    match = re.search(r"\[(.*?)\]", text)
    assert match is not None, text
    plain = text[: match.start()] + match[1] + text[match.end() :]
    return MaskedQuestion(plain, ((match.start(), match.start() + len(match[1])),))
