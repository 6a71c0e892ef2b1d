"""Ground: a reply in words becomes names in the graph, and the triples that hold them.

A model's answer counts for nothing by itself. What it names is looked for among the entities of the triples that it
was shown; a name that is not there is reported, never passed on as an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kgneo.graph.neighbours import ends_of
from kgneo.graph.shape import Shape
from kgneo.model import Candidate, Evidence
from kgneo.stages.facts import one_line
from kgneo.stages.reached import Reached, names_in
from kgneo.text import fold

NOT_FOUND = "not in the graph"
LIST_ITEM_WORDS = 8
"""A piece of a list with more words than this is a sentence."""

PIECES = 4
"""Pieces of a list that are tried as one name."""

_NOTHING = re.compile(
    r"^\W*(?:the answer is |it is |this is )?(?:not in the (?:graph|facts|triples)|not found|unknown|none|no answer"
    r"|n/?a|i (?:do not|don't|cannot|can't) .*|there is no (?:information|answer|fact).*"
    r"|the (?:given |provided )?(?:facts|triples|graph|sub-answers?) (?:do|does) not .*)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_TOKEN = re.compile(r'"[^"\n]*"|[^;|\n"]+|.|\n')
EDGES = " .\"'“”*"
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)")
_COMMA = re.compile(r",\s+(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+")


@dataclass(frozen=True, slots=True)
class Grounded:
    """The entities that a text names, in its order, each name once, and the pieces that name none."""

    entities: tuple[Reached, ...] = ()
    unmatched: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(dict.fromkeys(entity.name for entity in self.entities))


def says_nothing(text: str) -> bool:
    """Whether a reply says that there is no answer."""
    return not text.strip() or bool(_NOTHING.match(text.strip()))


def ground(text: str, entities: Iterable[Reached], *, asked: str = "") -> Grounded:
    """The entities that the reply `text` names. Names that stand in the question `asked` count only where they are an
    item of a list by themselves: a sentence repeats what it was asked about."""
    if says_nothing(text):
        return Grounded()
    by_name: dict[str, list[Reached]] = {}
    for entity in entities:
        by_name.setdefault(entity.name, []).append(entity)
    names = _Names.of(by_name)
    repeated = {item.name for item in names_in(asked, by_name)}
    found: dict[str, None] = {}
    unmatched: list[str] = []
    for piece in names.joined(_pieces(text)):
        named = names.in_piece(piece, repeated)
        found.update(dict.fromkeys(named))
        if not named and len(piece.split()) <= LIST_ITEM_WORDS and any(char.isalnum() for char in piece):
            unmatched.append(piece)
    return Grounded(tuple(entity for name in found for entity in by_name[name]), tuple(dict.fromkeys(unmatched)))


def _pieces(text: str) -> list[str]:
    """The items of a list: lines, and what stands between semicolons or bars that are not in quotes."""
    pieces = [""]
    for match in _TOKEN.finditer(text):
        if match.group() in ("\n", ";", "|"):
            pieces.append("")
        else:
            pieces[-1] += match.group()
    return [piece for piece in (_BULLET.sub("", piece).strip() for piece in pieces) if piece]


@dataclass(frozen=True, slots=True)
class _Names:
    """Names as they are, and by how they are compared where they are spelt otherwise."""

    exact: dict[str, str]
    folded: dict[str, str]

    @classmethod
    def of(cls, names: Iterable[str]) -> _Names:
        exact: dict[str, str] = {}
        folded: dict[str, str] = {}
        for name in names:
            exact.setdefault(one_line(name), name)
            folded.setdefault(_key(name), name)
        return cls(exact, folded)

    def find(self, text: str) -> str | None:
        """The name that a text is, as it is written or else without regard to case, accents and quotes."""
        for whole in (text, text.strip(EDGES)):
            if whole in self.exact:
                return self.exact[whole]
        for whole in (text, text.strip(EDGES)):
            if _key(whole) in self.folded:
                return self.folded[_key(whole)]
        return None

    def joined(self, pieces: Sequence[str]) -> Iterator[str]:
        """The items of a list, of which those side by side are one that are a name with semicolons in it."""
        place = 0
        while place < len(pieces):
            longest = range(min(PIECES, len(pieces) - place), 1, -1)
            tried = ((length, "; ".join(pieces[place : place + length])) for length in longest)
            length, item = next(((size, text) for size, text in tried if self.find(text)), (1, pieces[place]))
            yield item
            place += length

    def in_piece(self, piece: str, repeated: set[str]) -> list[str]:
        """The piece as a whole, else as a list with commas, else the names in the sentence."""
        whole = self.find(piece)
        if whole is not None:
            return [whole]
        parts = [self.find(part) for part in _COMMA.split(piece) if part.strip(EDGES)]
        if len(parts) > 1 and None not in parts:
            return [part for part in parts if part is not None]
        return [item.name for item in names_in(piece, self.exact.values()) if item.name not in repeated]


def _key(name: str) -> str:
    return fold(one_line(name)).replace('"', "'")


def shown(text: str, found: Grounded, warn: Callable[[str], None]) -> str:
    """A reply as it is shown: the names alone where a part of it names nothing, which is warned of."""
    if says_nothing(text):
        return NOT_FOUND
    if not found.names:
        warn("No triple holds what the model answered.")
    elif found.unmatched:
        warn(f"No triple holds this part of the answer: {'; '.join(found.unmatched[:5])}.")
        return "; ".join(found.names)
    return text


@dataclass(frozen=True, slots=True)
class _Link:
    """A triple and the ids of what stands at its ends."""

    candidate: Candidate
    ends: frozenset[str]


def supporting(
    answers: Sequence[Reached], shown: Sequence[Candidate], *, about: Iterable[Reached], shape: Shape
) -> tuple[Candidate, ...]:
    """Of the triples that were shown those that the answers rest on: between them and the entities asked about, over
    several hops where there is no other way; else those that touch an answer. Relations that were shown first come
    first, and one that holds no further answer is left out."""
    links = [_Link(item, frozenset(end.id for end in ends_of(item, shape))) for item in shown]
    near = {entity.id for entity in about}
    answered = {entity.id for entity in answers}
    wanted = answered - near or answered
    far = _distances(links, near)
    lost = {id_ for id_ in wanted if not far.get(id_)}
    chosen = [link for link in links if link.ends & lost]
    frontier = wanted - lost
    for distance in range(max((far[id_] for id_ in frontier), default=0), 0, -1):
        nearer = {id_ for id_ in far if far[id_] == distance - 1}
        found = _between(links, {id_ for id_ in frontier if far[id_] == distance}, nearer)
        chosen += found
        frontier |= {id_ for link in found for id_ in link.ends & nearer}
    kept = {id(link) for link in chosen}
    return tuple(link.candidate for link in links if id(link) in kept)


def _distances(links: Sequence[_Link], near: set[str]) -> dict[str, int]:
    """How many triples lie between the nodes and `near`; nodes without a way there are left out."""
    far = dict.fromkeys(near, 0)
    frontier, distance = near, 0
    while frontier:
        distance += 1
        reached = {id_ for link in links if link.ends & frontier for id_ in link.ends}
        frontier = reached - far.keys()
        far |= dict.fromkeys(frontier, distance)
    return far


def _between(links: Sequence[_Link], ends: set[str], near: set[str]) -> list[_Link]:
    """The triples that lead from `near` to `ends`, of as few relations as hold them all."""
    by_relation: dict[str, list[_Link]] = {}
    for link in links:
        if link.ends & ends and link.ends & near:
            by_relation.setdefault(link.candidate.triple.relation, []).append(link)
    chosen: list[_Link] = []
    held: set[str] = set()
    for found in by_relation.values():
        new = {id_ for link in found for id_ in link.ends} & ends - held
        if new:
            chosen += found
            held |= new
    return chosen


def completed(
    answers: Sequence[Reached],
    shown: Sequence[Candidate],
    ends: Sequence[Reached],
    *,
    about: Iterable[Reached],
    shape: Shape,
) -> tuple[Reached, ...]:
    """The answers of a list that was cut off, with the rest of what the same relation holds, of nodes or of values of
    the same property; as they are where they come from several relations, or several hops away."""
    near = {entity.id for entity in about}
    support = supporting(answers, shown, about=about, shape=shape)
    relations = {item.triple.relation for item in support}
    if len(relations) != 1 or not all({item.subject_id, item.object_id} & near for item in support):
        return tuple(answers)
    known = {entity.id for entity in answers}
    held = [end for item in shown if item.triple.relation in relations for end in ends_of(item, shape)]
    keys = {end.key for end in held if end.id in known}
    more = {end.id for end in held if end.key in keys} - known - near
    return (*answers, *(end for end in ends if end.id in more))


def as_evidence(candidates: Iterable[Candidate]) -> tuple[Evidence, ...]:
    """The same triples as an answer carries them."""
    return tuple(Evidence(item.triple, item.hop, item.score) for item in candidates)
