"""Whether a relation path gives the answers that a question should have, for many questions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.graph.cypher import shown_name
from kgneo.graph.open import Knowledge
from kgneo.graph.walks import follow, pattern, relations_of
from kgneo.model import RelationPath

TIMEOUT = 20.0
LIMIT = 5_000
BATCH = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question's topic entities (element ids) and the names of its answers."""

    entities: tuple[str, ...]
    answers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Given:
    """What a path gives: `total` answers, of which `right` are among the `wanted`."""

    total: int
    right: int
    wanted: int

    @property
    def exact(self) -> bool:
        """Whether these are the answers, no more and no fewer."""
        return self.total == self.right == self.wanted

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / (self.total + self.wanted)


def answers_of(knowledge: Knowledge, path: RelationPath, wanted: Sequence[Wanted]) -> list[Given]:
    """For each question what `path` gives. Names are compared without regard to case."""
    if path.hops[-1].value:
        return [_of_values(knowledge, path, item) for item in wanted]
    found: list[Given] = []
    for start in range(0, len(wanted), BATCH):
        found += _batch(knowledge, path, wanted[start : start + BATCH])
    return found


def _batch(knowledge: Knowledge, path: RelationPath, wanted: Sequence[Wanted]) -> list[Given]:
    text = (
        "UNWIND $rows AS row\n"
        "MATCH (topic) WHERE elementId(topic) IN row.entities\n"
        f"MATCH {pattern(path, knowledge.shape.told)}\n"
        "WITH DISTINCT row, answer, elementId(answer) IN row.entities AS itself\n"
        f"WITH row, itself, toLower({shown_name('answer')}) AS name\n"
        "WITH row, collect(CASE WHEN itself THEN null ELSE name END) AS others, collect(name) AS all\n"
        "WITH row, CASE size(others) WHEN 0 THEN all ELSE others END AS names\n"
        "RETURN row.number AS number, size(names) AS total, size([name IN names WHERE name IN row.answers]) AS right"
    )
    rows = [
        {"number": number, "entities": list(item.entities), "answers": sorted(map(str.lower, item.answers))}
        for number, item in enumerate(wanted)
    ]
    given = [Given(0, 0, len(item.answers)) for item in wanted]
    parameters = {"rows": rows, "hops": relations_of(path), **knowledge.shape.parameters}
    for row in knowledge.graph.read(text, timeout=TIMEOUT, **parameters):
        number = row["number"]
        given[number] = Given(row["total"], row["right"], given[number].wanted)
    return given


def _of_values(knowledge: Knowledge, path: RelationPath, wanted: Wanted) -> Given:
    followed = follow(knowledge, wanted.entities, path, limit=LIMIT)
    lower = {answer.lower() for answer in wanted.answers}
    right = sum(found.entity.name.lower() in lower for found in followed.found)
    return Given(followed.total, right, len(wanted.answers))
