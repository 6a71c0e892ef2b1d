"""Sentences: answers from graphs whose relationships say in a sentence what they mean, and in no other way.

Comes in: a question that names one thing, or two that it asks yes or no about. Goes out: what is joined to it by a
relationship whose sentence says what the question says of it; None over graphs whose relationships have types. First
come sentences with the question's own words, or others of their root; where none has any, those that are most like the
question by the encoder. Likeness is no fact, so the answer says that it was found so, and its confidence is low.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.english.names import name_words, same_root, singular
from kgneo.english.words import AGES, COMPARATIVES, EXTREMES, FUNCTION_WORDS, NEGATIONS, word_set
from kgneo.errors import EntityNotFound
from kgneo.graph.cypher import fill
from kgneo.graph.walks import read_triples
from kgneo.model import Evidence, Triple
from kgneo.reading.likeness import Likeness
from kgneo.reading.vocabulary import Vocabulary
from kgneo.stages.computed import Computed, Kind
from kgneo.stages.connect import Placed, names_in
from kgneo.stages.link import unbracket
from kgneo.stages.ranking import ranking
from kgneo.text import listed
from kgneo.thesaurus_data import load_thesaurus
from kgneo.unit_vectors import unit

MOST = 2_000
"""Sentences at one thing that are looked at."""
WORDED, HALF_WORDED, ALIKE = 0.7, 0.4, 0.25
"""Confidence in sentences that have all words of a question, half of them at least, and that are only like it."""
LIKE_ENOUGH, BEHIND = 0.35, 0.1
"""A cosine from which on a sentence may be one, and how far it may be behind the likest."""
SAME_KIND = 0.3
"""Probability from which on a word means a kind of things."""
ASKED = {"who": "person", "whom": "person", "whose": "person", "where": "place"}
"""Kinds of things that a question word asks for."""
ASKING = word_set("which what how many much name list show all every")
CLOSED = word_set("do does did is are was were has have had can could")
RELATIVE = re.compile(r"\w\s+(?:that|whose|who|which|where)\s", re.IGNORECASE)
"""What asks for more than one step, of which sentences at one thing tell nothing."""
COMPARED = {*EXTREMES, *COMPARATIVES, *AGES, *NEGATIONS} | word_set("after average before between first last only than")
"""Words that compare, order or deny, of which a sentence at one thing tells nothing."""
_WORD = re.compile(r"[^\W_]+(?:'\w+)?")
FOUND = "Found by what relationships say in sentences, which is likeness, not fact."


@dataclass(frozen=True, slots=True)
class _Fact:
    """A sentence of a relationship, with the node at its other end and what kind of thing that is."""

    id: str
    sentence: str
    other: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question names, the word for the kind of thing that it asks for, and what it says of both."""

    names: tuple[Placed, ...]
    kind: str
    words: tuple[str, ...]
    text: str
    counts: bool
    closed: bool


def alone(context: Context) -> bool:
    """Whether only sentences say what relationships of a graph mean, and neither a type nor a name does."""
    return any(context.shape.speaks_of(relation) for relation in context.shape.facts)


def sentences(context: Context, question: str) -> Computed | None:
    """What the sentences of relationships answer; None where a graph has no such, or the question asks otherwise."""
    relations = context.shape.facts
    asked = _asked(context, question) if relations else None
    if asked is None:
        return None
    facts = [fact for relation, key in relations.items() for fact in _facts(context, asked, relation, key)]
    if asked.closed:
        return _whether(context, asked, facts)
    found, sure = _saying(context, asked, facts)
    return _computed(context, asked, found, sure) if found else None


def _asked(context: Context, question: str) -> _Asked | None:
    plain = unbracket(question)[0]
    try:
        names = tuple(names_in(context, question))
    except EntityNotFound:
        return None
    masked = plain
    for _, start, end in reversed(names):
        masked = f"{masked[:start]} {masked[end:]}"
    words = [word.lower() for word in _WORD.findall(masked)]
    closed = bool(words) and words[0] in CLOSED
    if not words or COMPARED.intersection(words) or len(names) != (2 if closed else 1):
        return None
    kind, rest = _kind_in(words)
    telling = tuple(dict.fromkeys(word for word in rest if word not in FUNCTION_WORDS | ASKING | CLOSED))
    counts = words[:2] == ["how", "many"]
    return _Asked(names, kind, telling, plain, counts, closed) if telling else None


def _kind_in(words: Sequence[str]) -> tuple[str, list[str]]:
    """The word for the kind of thing that is asked for, and the words behind it."""
    for place, word in enumerate(words):
        if word in ASKED:
            return ASKED[word], [*words[:place], *words[place + 1 :]]
        if (
            word in ("which", "what", "many")
            and place + 1 < len(words)
            and words[place + 1] not in FUNCTION_WORDS | CLOSED
        ):
            return singular(words[place + 1]), [*words[:place], *words[place + 2 :]]
    return "", list(words)


def _facts(context: Context, asked: _Asked, relation: str, key: str) -> list[_Fact]:
    """What relationships of one type say of the thing that is named first."""
    shape = context.shape
    if shape.left_out.hides(key, (relation,)):
        return []
    kind = "" if shape.left_out.hides_anywhere(shape.kind_key) else shape.kind_key
    rows = context.graph.read(
        fill("sentences", relation=relation),
        ids=list(asked.names[0][0].ids),
        key=key,
        kind=kind,
        excluded=list(shape.excluded),
        most=MOST,
    )
    return [_Fact(row["id"], row["sentence"], row["other"], str(row["kind"] or "")) for row in rows]


def _of_kind(context: Context, asked: _Asked, facts: Sequence[_Fact]) -> list[_Fact]:
    """The facts that lead to the kind of thing that is asked for; all where the word is for none of their kinds."""
    kinds = {fact.kind: 1 for fact in facts if fact.kind}
    thesaurus = load_thesaurus() if asked.kind and kinds else None
    if thesaurus is None:
        return list(facts)
    cache, _ = ranking(context)
    meant = Likeness(Vocabulary(kinds), cache, thesaurus).of(asked.kind)
    terms = {item.term for item in meant if item.probability >= SAME_KIND} | {asked.kind}
    left = [fact for fact in facts if any(same_root(word, term) for word in name_words(fact.kind) for term in terms)]
    return left or list(facts)


def _saying(context: Context, asked: _Asked, facts: Sequence[_Fact]) -> tuple[list[_Fact], float]:
    """The facts that say what the question says, with how sure that is."""
    shares = [_share(asked.words, fact.sentence) for fact in facts]
    most = max(shares, default=0.0)
    if most >= 0.5:
        found = [fact for fact, share in zip(facts, shares, strict=True) if share == most]
        return _of_kind(context, asked, found), WORDED if most == 1 else HALF_WORDED
    facts = _of_kind(context, asked, facts)
    if not facts or RELATIVE.search(asked.text):
        return [], 0.0
    units = unit(context.encoder.encode([asked.text, *(fact.sentence for fact in facts)]))
    alike = units[1:] @ units[0]
    least = max(float(alike.max()) - BEHIND, LIKE_ENOUGH)
    return [fact for fact, like in zip(facts, alike, strict=True) if like >= least], ALIKE


def _share(words: Sequence[str], sentence: str) -> float:
    """The share of some words that a sentence has, or others of their roots."""
    there = [word.lower() for word in _WORD.findall(sentence)]
    return sum(any(same_root(word, own) for own in there) for word in words) / len(words)


def _whether(context: Context, asked: _Asked, facts: Sequence[_Fact]) -> Computed | None:
    """Yes or no: whether a sentence about both things that are named says it."""
    others = {*asked.names[1][0].ids}
    between = [fact for fact in facts if fact.other in others]
    said = [fact for fact in between if _share(asked.words, fact.sentence) == 1]
    if not between:
        return None
    sure = HALF_WORDED if said else ALIKE
    return _computed(context, asked, said or between, sure, text="yes" if said else "no")


def _computed(context: Context, asked: _Asked, found: Sequence[_Fact], sure: float, *, text: str = "") -> Computed:
    """The answer by some facts: what they lead to, how many these are, or the `text` that is given."""
    nodes = Kind().among(context, list(dict.fromkeys(fact.other for fact in found)))
    names = tuple(node.names[0] for node in nodes)
    answers = (text,) if text else (str(len(names)),) if asked.counts else names
    said = {fact.id: fact.sentence for fact in found}
    triples = read_triples(context.graph, list(said), context.shape)
    named = " and ".join(item.text for item, _, _ in asked.names)
    return Computed(
        f"what relationships of {named} say of: {' '.join(asked.words)}",
        f"{answers[0]} ({listed(names)})" if asked.counts else text or listed(names),
        () if text or asked.counts else tuple(nodes),
        answers,
        evidence=tuple(
            Evidence(replace(triple, relation=_called(context, triple), detail=said[id_]), 1)
            for id_, triple in triples.items()
        ),
        topics=tuple(item.topic for item, _, _ in asked.names),
        confidence=sure,
        warnings=(FOUND,),
    )


def _called(context: Context, triple: Triple) -> str:
    return context.shape.names.get(triple.relation, triple.relation)
