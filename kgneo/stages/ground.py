"""Ground: a reply in words becomes names in the graph, and the triples that hold them.

A model's answer counts for nothing by itself. What it names is looked for among the entities of the triples that it
was shown; a name that is not there is reported, never passed on as an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgneo.model import Candidate, Evidence
from kgneo.names import fold
from kgneo.stages.facts import one_line
from kgneo.stages.reached import Reached, names_in

NOT_FOUND = "not in the graph"
LIST_ITEM_WORDS = 8
"""A piece of a list with more words than this is a sentence."""

_NOTHING = re.compile(
    r"^\W*(?:the answer is |it is |this is )?(?:not in the (?:graph|facts|triples)|unknown|none|no answer|n/?a"
    r"|i (?:do not|don't|cannot|can't) .*|there is no (?:information|answer|fact).*"
    r"|the (?:given |provided )?(?:facts|triples|graph|sub-answers?) (?:do|does) not .*)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_SPLIT = re.compile(r"\n|;|\|")
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
    by_key: dict[str, list[Reached]] = {}
    for entity in entities:
        by_key.setdefault(_key(entity.name), []).append(entity)
    names = [group[0].name for group in by_key.values()]
    repeated = {_key(item.name) for item in names_in(asked, names)}
    found: dict[str, None] = {}
    unmatched: list[str] = []
    for piece in _pieces(text):
        keys = _keys_of(piece, by_key, names, repeated)
        found.update(dict.fromkeys(keys))
        if not keys and len(piece.split()) <= LIST_ITEM_WORDS:
            unmatched.append(piece)
    return Grounded(tuple(entity for key in found for entity in by_key[key]), tuple(dict.fromkeys(unmatched)))


def _pieces(text: str) -> list[str]:
    pieces = (_BULLET.sub("", piece).strip() for piece in _SPLIT.split(text))
    return [piece for piece in pieces if any(char.isalnum() for char in piece)]


def _keys_of(piece: str, by_key: dict[str, list[Reached]], names: Sequence[str], repeated: set[str]) -> list[str]:
    """The item as a whole, else as a list with commas, else the names in the sentence."""
    for whole in (piece, piece.strip(" .\"'“”*")):
        if _key(whole) in by_key:
            return [_key(whole)]
    parts = [_key(part.strip(" .\"'“”*")) for part in _COMMA.split(piece) if part.strip()]
    if len(parts) > 1 and all(part in by_key for part in parts):
        return parts
    return [key for item in names_in(piece, names) if (key := _key(item.name)) not in repeated]


def _key(name: str) -> str:
    return fold(one_line(name)).replace('"', "'")


def evidence_of(
    answers: Sequence[Reached], candidates: Iterable[Candidate], *, about: Iterable[Reached] = ()
) -> tuple[Evidence, ...]:
    """Of the triples that were shown those that hold an answer, and, where there are such, an entity asked about."""
    wanted = {entity.id for entity in answers}
    near = {entity.id for entity in about}
    touching = [item for item in candidates if item.subject_id in wanted or item.object_id in wanted]
    direct = [
        item
        for item in touching
        if (item.subject_id in wanted and item.object_id in near)
        or (item.object_id in wanted and item.subject_id in near)
    ]
    held = {id_ for item in direct for id_ in (item.subject_id, item.object_id)}
    chosen = direct if wanted <= held else touching
    return tuple(Evidence(item.triple, item.hop, item.score) for item in chosen)
