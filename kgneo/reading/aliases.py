"""Aliases: relationship types under the words that a question has for them: "who is the BOSS of X" of REPORTS_TO.

Comes in: a question, and what its words fit. Goes out: ways to read it, each with a vocabulary that has a relationship
type more, called as the question does and leading the way that this says, and how the query graphs that are read by it
are put into the graph's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.relating import Said, said
from kgneo.english.voice import HAVING
from kgneo.english.words import DESCRIBING, FUNCTION_WORDS, POSSESSIVES
from kgneo.query.graph import Edge, QueryGraph
from kgneo.reading.fits import Fits
from kgneo.reading.form import form_of
from kgneo.reading.mentions import Lookup, Word, has_root
from kgneo.reading.otherwise import CLOSED, values_in
from kgneo.reading.spelt import words_as_named
from kgneo.reading.vocabulary import Vocabulary

LIKELY = 0.8
"""The probability that words which may say a relationship type do, shared by those that they may say."""
RARELY = 0.1
"""The share of what words may say, below which they are not taken to say it: "hold" is hardly "take place"."""
MOST = 2
"""Ways to read one question."""


@dataclass(frozen=True, slots=True)
class Alias:
    """A relationship type as a question calls it: its `relation` and `name`, and whether both lead the same way."""

    relation: str
    name: str
    forward: bool


@dataclass(frozen=True, slots=True)
class Aliased:
    """A way to read a question: by what `fits` its words, with the `aliases`, and how likely these are right."""

    fits: Fits
    aliases: tuple[Alias, ...]
    probability: float


def stored(graph: QueryGraph, aliases: Sequence[Alias]) -> QueryGraph | None:
    """A query graph in the graph's own relationship types; None where it uses no alias, or cannot be told so."""
    by_name = {item.name: item for item in aliases}
    if not any(relation in by_name for edge in graph.edges for relation in edge.relations):
        return None
    edges = [_stored(edge, by_name) for edge in graph.edges]
    return replace(graph, edges=tuple(edge for edge in edges if edge)) if all(edges) else None


def _stored(edge: Edge, aliases: dict[str, Alias]) -> Edge | None:
    """An edge in the graph's own types; None where these lead different ways."""
    known = [aliases.get(relation) for relation in edge.relations]
    ways = {alias is None or alias.forward for alias in known}
    if len(ways) > 1 and edge.directed:
        return None
    relations = tuple(alias.relation if alias else own for alias, own in zip(known, edge.relations, strict=True))
    edge = replace(edge, relations=tuple(dict.fromkeys(relations)))
    return edge if ways == {True} else replace(edge, subject=edge.object, object=edge.subject)


def aliased(question: str, fits: Fits, dictionary: Lookup) -> list[Aliased]:
    """The ways to read a question in which its words for relations are those of relationship types, the likeliest
    first; none where all are the schema's own."""
    if fits.likeness is None:
        return []
    words = words_as_named(question, fits)
    sayings = said([word.plain for word in words], fits.likeness.thesaurus.lemmas)
    if all(item.saying.frame not in fits.framed for item in sayings):
        return []  # most questions: nothing is looked up for them
    chosen: dict[tuple[Alias, ...], float] = {(): 1.0}
    for own in _by_words(words, sayings, fits, dictionary):
        longer = {
            tuple(dict.fromkeys((*before, alias))): likely * LIKELY * share
            for before, likely in chosen.items() for alias, share in own.items()
        }  # fmt: skip
        chosen = dict(sorted((chosen | longer).items(), key=lambda pair: -pair[1])[: MOST + 1])
    return [_way(fits, aliases, likely) for aliases, likely in chosen.items() if aliases]


def _by_words(
    words: Sequence[Word], sayings: Sequence[Said], fits: Fits, dictionary: Lookup
) -> Iterator[dict[Alias, float]]:
    """For each of the words that may say relationship types the aliases of these, each with its share."""
    spent = values_in(words, fits, dictionary) | set(form_of(words).used)
    found: dict[tuple[str, ...], list[Said]] = {}
    for item in sayings:
        place = range(item.start, item.end)
        if spent.isdisjoint(place) and _is_new(item, words, fits):
            found.setdefault(tuple(words[at].plain for at in place), []).append(item)
    for items in found.values():
        counted = Counter(alias for item in items for alias in _aliases(item, fits))
        if counted.total() >= RARELY * len(items):
            yield _one_way(counted)


def _one_way(counted: Counter[Alias]) -> dict[Alias, float]:
    """Of aliases with one name that which most frames say, each with its share of the frames."""
    best: dict[str, Alias] = {}
    for alias, _ in counted.most_common():
        best.setdefault(alias.name, alias)
    total = sum(counted[alias] for alias in best.values())
    return {alias: counted[alias] / total for alias in best.values()}


def _is_of_something(item: Said, words: Sequence[Word]) -> bool:
    """Whether a noun is said of something: "the BOSS of X", "X's BOSS", "who has a BOSS"."""
    before, behind = words[item.start - 1 : item.start], words[item.end : item.end + 1]
    owned = any(word.text.lower().endswith(("'s", "s'")) or word.plain in POSSESSIVES for word in before)
    return owned or any(word.plain == "of" for word in behind) or any(word.plain in HAVING for word in words)


def _is_new(item: Said, words: Sequence[Word], fits: Fits) -> bool:
    """Whether a saying has no word that the schema has itself, and a noun is said of something."""
    plain = [word.plain for word in words[item.start : item.end]]
    telling = [word for word in plain if word not in FUNCTION_WORDS]
    if len(telling) == 1 and (telling[0] in CLOSED or telling[0] in DESCRIBING):
        return False
    known = any(has_root(word, fits) for word in telling)
    return not known and (not item.saying.noun or _is_of_something(item, words))


def _aliases(item: Said, fits: Fits) -> Iterator[Alias]:
    """The relationship types that a saying may mean, as it calls them."""
    text = "_".join(item.words)
    for relation, forward in fits.framed.get(item.saying.frame, {}).items():
        yield Alias(relation, f"{relation}/{text}{'_of' if item.saying.noun else ''}", forward == item.saying.forward)


def _way(fits: Fits, aliases: tuple[Alias, ...], likely: float) -> Aliased:
    return Aliased(fits.with_vocabulary(_with(fits.vocabulary, aliases)), aliases, likely)


def _with(vocabulary: Vocabulary, aliases: Sequence[Alias]) -> Vocabulary:
    """The vocabulary with relationship types under further names."""
    links, keys = list(vocabulary.links), list(vocabulary.keys)
    symmetric = {alias.name for alias in aliases if vocabulary.is_symmetric(alias.relation)}
    for alias in aliases:
        own = [link for link in vocabulary.links if link.relation == alias.relation]
        links += [
            replace(link, relation=alias.name) if alias.forward
            else replace(link, subject=link.object, relation=alias.name, object=link.subject)
            for link in own
        ]  # fmt: skip
        keys += [replace(key, owner=alias.name) for key in vocabulary.keys_of(alias.relation)]
    symmetric |= vocabulary.symmetric
    return replace(vocabulary, links=tuple(links), keys=tuple(keys), symmetric=frozenset(symmetric), _ways={})
