"""Describe: what the graph knows of one thing: "tell me about the Kettle", "who is Ann?".

Comes in: a question. Goes out: its properties and what it is joined to, by relationship type, where one of the
constructions of `kgneo.english.describing` is the whole question and its name is one of the graph; else None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgneo.context import Context
from kgneo.english.describing import asks_about
from kgneo.english.names import hop_wording, is_noun, name_words
from kgneo.errors import EntityNotFound
from kgneo.graph.around import Around, Link, around
from kgneo.graph.values import property_triples
from kgneo.model import AnswerNode, Entity, Evidence, Hop, Table
from kgneo.reading.connections import with_names
from kgneo.stages.computed import Computed
from kgneo.stages.connect import LEFT, SURE, Named, names_in
from kgneo.stages.link import unbracket
from kgneo.text import listed

LINKS = 200
"""Relationships that are looked at."""
SHOWN = 5
"""Names that are told of each type of relationship."""
ARTICLE = re.compile(r"(?:the|a|an)\s+$", re.IGNORECASE)
WORD_BEFORE = re.compile(r"(\w+)\s+$")
Fact = tuple[str, tuple[str, ...]]
"""What is told of a thing, as "price", and its values."""


def describe(context: Context, question: str, entities: Sequence[str] = ()) -> Computed | None:
    """What there is to know about the thing that `question` names; None where it asks for something else."""
    text = with_names(question, tuple(entities))
    try:
        named = _named(context, text)
    except EntityNotFound:  # other stages look further, and say so
        return None
    found = around(context.knowledge, named.ids[0], limit=LINKS) if named else None
    return _told(context, named, found) if named and found else None


def _named(context: Context, text: str) -> Named | None:
    """The thing that a question asks about as a whole. Of marked names it is told before any is looked up."""
    plain, marked = unbracket(text)
    if marked and not any(asks_about(masked) for masked in _masked(plain, marked[0].start, marked[0].end)):
        return None
    names = names_in(context, text)
    if len(names) != 1:
        return None
    given, start, end = names[0]
    kinds = [part for entity in given.entities for label in entity.labels for part in name_words(label)]
    kind = WORD_BEFORE.search(plain[:start])
    own = kind is not None and any(is_noun(kind[1].lower(), part) for part in kinds)  # "the ORDER A-1"
    return given if asks_about(_masked(plain, start, end)[own]) else None


def _masked(plain: str, start: int, end: int) -> tuple[str, str]:
    """A question with X for its name and the article before that, and for the word before it, too."""
    before, behind = plain[:start], f"X{plain[end:]}"
    return ARTICLE.sub("", before) + behind, ARTICLE.sub("", WORD_BEFORE.sub("", before)) + behind


def _told(context: Context, named: Named, found: Around) -> Computed:
    """The description of a node."""
    facts = [(" ".join(name_words(key)), values) for key, values in _known(found).items()]
    facts += _joined(context, found)
    lines = tuple(f"{what}: {listed(values, shown=SHOWN)}" for what, values in facts)
    kind = " ".join(name_words(found.node.labels[0])) if found.node.labels else ""
    name = found.node.name
    others = len(named.entities) - 1
    warnings = (f"{others} other nodes have that name, too.",) if others else ()
    if found.degree > len(found.links):
        warnings = (*warnings, f"{len(found.links)} of its {found.degree} relationships were looked at.")
    return Computed(
        wording=f"what is known of {name}{f' ({kind})' if kind else ''}",
        text=f"{name}{f' is a {kind}' if kind else ''}. {'; '.join(lines)}" if lines else name,
        nodes=(AnswerNode(found.node.id, found.node.labels, (name,)),),
        answers=lines or (name,),
        table=Table(("what", "value"), tuple((what, listed(values, shown=SHOWN)) for what, values in facts)),
        evidence=tuple(_evidence(found)),
        topics=(named.topic,),
        confidence=SURE if not others else LEFT,
        warnings=warnings,
    )


def _known(found: Around) -> dict[str, tuple[str, ...]]:
    """The properties but for the name."""
    return {key: values for key, values in found.properties.items() if values != (found.node.name,)}


def _joined(context: Context, found: Around) -> Iterator[Fact]:
    """What the node is joined to, by relationship type, direction and label."""
    names = context.record.statistics.readable_names
    groups: dict[Hop, list[str]] = {}
    for link in found.links:
        forward, other = _other(found, link)
        groups.setdefault(Hop(link.triple.relation, forward, labels=other.labels[:1]), []).append(other.name)
    for hop, reached in groups.items():
        yield hop_wording(hop, "it", names=names), tuple(dict.fromkeys(reached))


def _other(found: Around, link: Link) -> tuple[bool, Entity]:
    """Whether a relationship leaves the node, and what is at its other end."""
    forward = link.subject.id == found.node.id
    return forward, link.object if forward else link.subject


def _evidence(found: Around) -> Iterator[Evidence]:
    for key, values in _known(found).items():
        yield from (Evidence(triple, 1) for triple in property_triples(found.node.name, key, list(values)))
    yield from (Evidence(link.triple, 1) for link in found.links)
