"""Examples for an encoder, from a graph: questions beside texts of the graph, right ones and wrong ones.

The texts are those that kgneo compares with a question. Wrong ones are of the same graph and, as hard negatives should
be, of the same entities:

| task | question | right | wrong |
| --- | --- | --- | --- |
| path | without its entity | the relation path that it means, in words | other paths that leave the entity |
| relation | a sub-question | the relation of its hop, in words | other relations of the entities at hand |
| triples | as it is asked | the triples along the path | other triples of the entities on the way |
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from kgneo.context import Context
from kgneo.english.question import MaskedQuestion
from kgneo.errors import DataError
from kgneo.graph.candidates import Reach, all_candidates
from kgneo.graph.embeddings import text_of
from kgneo.graph.neighbours import triples_along
from kgneo.graph.value_walks import explained
from kgneo.graph.walks import first_hops, leaving
from kgneo.model import Candidate, RelationPath, path_keys
from kgneo.questions import read_lines
from kgneo.ranking.rank import as_sentences
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.choose_reading import masked, paths_of
from kgneo.stages.link import LinkedQuestion
from kgneo.stages.reached import Reached, mask

__all__ = ["TASKS", "WRONG", "Pair", "pairs", "read_pairs"]

TASKS = ("path", "relation", "triples")
WRONG = 200
"""Wrong texts of one question that are kept, drawn where there are more."""
RIGHT = 60
"""Right triples from which on a question is left out: they are not to be told from the wrong ones by their wording."""
FRONTIER, AROUND = 10, 1000
"""Entities of a hop whose other triples are looked at, and how many of these."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question of one `task` with texts that are `right` and `wrong` for it. `topics` are the named things that it is
    about, `names` these and all answers."""

    task: str
    question: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    topics: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    def record(self) -> dict[str, Any]:
        """As a line of a file holds it."""
        return {"task": self.task, "question": self.question, "right": list(self.right), "wrong": list(self.wrong)}


def pairs(
    context: Context, linked: LinkedQuestion, path: RelationPath, parts: Sequence[str], random: Random
) -> Iterator[Pair]:
    """The pairs of a question about one entity that means `path`; `parts` are its sub-questions, one a hop, or none.

    Raises GraphError.
    """
    way = _Way(context, linked, path)
    way.walk()
    topics = frozenset(linked.names)
    names = topics | way.names
    ((_, paths),) = paths_of(context, [linked])
    found = [_worded("path", masked(linked), path, paths, context)]
    if len(path) > 1:
        for part, hop, at_hand in zip(parts, path.hops, way.at_hand, strict=False):
            offered = _leaving(context, at_hand)
            found.append(_worded("relation", mask(part, at_hand), RelationPath((hop,)), offered, context))
    found.append(_of_triples(way, context))
    for pair in found:
        if pair is not None and pair.wrong:
            wrong = pair.wrong if len(pair.wrong) <= WRONG else tuple(sorted(random.sample(pair.wrong, WRONG)))
            yield Pair(pair.task, pair.question, pair.right, wrong, topics, names)


def _worded(
    task: str, question: MaskedQuestion, path: RelationPath, paths: Sequence[RelationPath], context: Context
) -> Pair | None:
    """The question beside `path` and the others of `paths`, as ranking compares them; None where `path` is not there.

    What has the right path's wording is not wrong.
    """
    known = [found for found in paths if len(explained(found)) <= MAX_HOPS]
    names = context.record.statistics.readable_names
    asked, *wordings = as_sentences(question, [explained(found) for found in known], names)
    right = {wording for found, wording in zip(known, wordings, strict=True) if path_keys(found) == path_keys(path)}
    return Pair(task, asked, tuple(sorted(right)), tuple(sorted(set(wordings) - right))) if right else None


def _of_triples(way: _Way, context: Context) -> Pair | None:
    right = {text_of(item.triple, context.shape) for item in way.right}
    wrong = {text_of(item.triple, context.shape) for item in way.wrong} - right
    if not right or len(right) > RIGHT:
        return None
    return Pair("triples", way.linked.text, tuple(sorted(right)), tuple(sorted(wrong)))


def _leaving(context: Context, entities: Sequence[Reached]) -> list[RelationPath]:
    """The relations that leave the entities, as paths of one hop."""
    first = first_hops(context.knowledge, [entity.id for entity in entities], direction=context.options.direction)
    return leaving(first, context.record.statistics, hops=1, direction=context.options.direction)


@dataclass
class _Way:
    """A path walked from a question's entity: the triples along it (`right`), those of the entities on the way (`wrong`
    where they are not right), these entities by hop, and their names."""

    context: Context
    linked: LinkedQuestion
    path: RelationPath
    right: list[Candidate] = field(default_factory=list)
    wrong: list[Candidate] = field(default_factory=list)
    at_hand: list[list[Reached]] = field(default_factory=list)
    names: frozenset[str] = frozenset()

    def walk(self) -> None:
        """Walk it."""
        entities = [Reached(topic.entity.name, topic.entity.id, 0, topic.entity.labels) for topic in self.linked.topics]
        for hop in self.path.hops:
            self.at_hand.append(entities)
            depths = {entity.id: entity.depth for entity in entities}
            found = triples_along(self.context.knowledge, depths, hop)
            self.right += [item.candidate for item in found]
            near = tuple(entity.id for entity in entities[:FRONTIER] if not entity.value)
            around = Reach(near, hops=1, most=AROUND, bounded=True)
            self.wrong += all_candidates(self.context.knowledge, around)[0] if near else []
            ends = {item.end.id: item for item in found}
            entities = [
                Reached(item.end.name, id_, item.candidate.hop, hop.labels, item.end.value)
                for id_, item in ends.items()
            ]
            self.names |= {entity.name for entity in entities}


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file. Raises DataError, which names file and line."""
    hint = "Pairs are made with: kgneo tune data --out FOLDER"
    found = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            record = json.loads(line)
            pair = Pair(record["task"], record["question"], tuple(record["right"]), tuple(record["wrong"]))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"this is no pair: {error!r}", file=str(path), line=number, hint=hint) from error
        if not pair.right or not pair.wrong or set(pair.right) & set(pair.wrong):
            raise DataError(
                "expected right texts and wrong ones, none of them both", file=str(path), line=number, hint=hint
            )
        found.append(pair)
    if not found:
        raise DataError("there are no pairs in the file", file=str(path), hint=hint)
    return found
