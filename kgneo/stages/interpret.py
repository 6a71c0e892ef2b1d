"""Interpret: a question as query graphs over a graph with labels, best first.

Comes in: a question. Goes out: interpretations, none where the graph has no labels to read by. What reading needs of a
graph (its vocabulary, its dictionary of values, vectors of its names) is made once and kept in the context.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgneo.context import Context
from kgneo.english.calendar import part_asked
from kgneo.english.framing import unframed
from kgneo.english.lacking import with_no, with_not
from kgneo.english.question import MaskedQuestion
from kgneo.english.restating import restated
from kgneo.errors import EntityNotFound
from kgneo.graph.attach import is_name
from kgneo.graph.cache import LocalCache
from kgneo.graph.catalogue import catalogue
from kgneo.graph.country_codes import said_of_countries
from kgneo.graph.dictionary import SaidValues
from kgneo.graph.implied import NAME, Implied, ImpliedNames, implied
from kgneo.graph.run import Result, run
from kgneo.graph.shape import LOADED_LABEL
from kgneo.graph.value_walks import explained
from kgneo.graph.vocabulary import vocabulary
from kgneo.graph.walks import leaving
from kgneo.languages.translate import in_english
from kgneo.model import Hop
from kgneo.query.check import check
from kgneo.query.compile import UNNAMED, Named
from kgneo.query.graph import Aggregate, QueryGraph, Value, aggregates
from kgneo.ranking.rank import RankedPath, rank_paths
from kgneo.ranking.value_steps import corrections
from kgneo.ranking.vectors import MAX_HOPS, RankingCache
from kgneo.reading import otherwise
from kgneo.reading.aliases import Aliased, aliased, stored
from kgneo.reading.fits import Fits
from kgneo.reading.lexicon import Lexicon
from kgneo.reading.likeness import Likeness
from kgneo.reading.mentions import Lookup, Meaning, Span, has_root, words_of
from kgneo.reading.otherwise import Otherwise
from kgneo.reading.read import Interpretation, keep_best, read
from kgneo.reading.vocabulary import Key, Vocabulary
from kgneo.stages.apply_learned import Taught, taught, weighed
from kgneo.stages.besides import besides, without
from kgneo.stages.between import between, of_the_two
from kgneo.stages.link import LinkedQuestion, bracketed
from kgneo.stages.moment import at_moment, moment_of
from kgneo.stages.parts_of_dates import names_part, with_part
from kgneo.stages.ranking import ranking
from kgneo.stages.twice import once, twice
from kgneo.terms.meaning import expanded
from kgneo.text import plain_question
from kgneo.thesaurus_data import load_thesaurus

if TYPE_CHECKING:
    from kgneo.terms.file import VerifiedQuestion

KEY, WORDS = "interpret", "learned words"
LONGEST = 5.0
"""Seconds that an interpretation may take."""
SILENT = 0.5
"""The share of a question's telling words from which on an interpretation that names nothing does not explain it."""
FRAMED = 6
"""Words from which on a message may say more than a question."""
MOST_WAYS = 2
"""Ways to read a question with relationship types under its own names, in other words besides."""
OF_WORDS, LEAST = 0.3, 1e-3
"""Points of score for the logarithm of the probability that words mean what they are read as, and its least."""
KIND = 0.9
"""How surely the kind of what is asked for is named, from which on a question about plain triples that names nothing
else is read: the graph has no other kinds than those that it tells apart, and none stands for another. A verb names who
does it less surely: in "who produced so?", "so" may be a name."""


@dataclass(frozen=True)
class Reading:
    """What reading keeps between questions about one graph; `keys` are the properties of each label's nodes, `naming`
    those that identify a node."""

    fits: Fits
    dictionary: Lookup
    keys: dict[str, tuple[str, ...]]
    naming: dict[str, tuple[str, ...]]
    implied: Implied | None = None
    """The classes that reading knows instead of labels, in a graph of plain triples."""


def reading(context: Context) -> Reading | None:
    """What reading needs of the graph, made once; None for a graph without labels of its own."""
    if KEY not in context.memory:
        context.memory[KEY] = _reading(context)
    kept = context.memory[KEY]
    return kept if isinstance(kept, Reading) else None


def _reading(context: Context) -> Reading | None:
    cache, _ = ranking(context)
    if context.shape.loaded:
        return _implied(context, cache)
    known = vocabulary(context.knowledge.schema, context.shape)
    if not known.labels:
        return None
    stored = LocalCache(context.graph).dictionary(context.shape, known)
    known, dictionary = _in_terms(context, known, stored)
    keys = {label: tuple(key.key for key in known.stored.keys_of(label)) for label in known.labels}
    naming = {
        label: tuple(key.key for key in known.keys_of(label) if _names(key, known.display.get(label, ())))
        for label in known.labels
    }
    thesaurus = load_thesaurus()
    likeness = Likeness(known, cache, thesaurus) if thesaurus else None
    return Reading(Fits(known, cache, likeness=likeness), dictionary, keys, naming)


def _in_terms(context: Context, known: Vocabulary, stored: Lookup) -> tuple[Vocabulary, Lookup]:
    """The vocabulary and the dictionary with what the terms of the graph add, and the names of countries for codes."""
    countries = said_of_countries(known, stored)
    stored = SaidValues(stored, countries) if countries else stored
    if context.graph.terms is None:
        return known, stored
    from kgneo.terms.said import with_terms  # and with it pydantic, for which no other graph must wait

    shown = catalogue(context.knowledge.schema, context.shape)
    known = with_terms(known, context.graph.terms, shown)
    return known, SaidValues(stored, known.said)


def _implied(context: Context, cache: RankingCache) -> Reading | None:
    """What reading needs of a graph of plain triples."""
    classes = implied(context.record.statistics)
    if not classes.vocabulary.links:
        return None
    names = ImpliedNames(context.graph, context.knowledge.names, classes)
    known, dictionary = _in_terms(context, classes.vocabulary, names)
    return Reading(Fits(known, cache), dictionary, {LOADED_LABEL: (NAME,)}, {}, classes)


def _names(key: Key, display: Sequence[str]) -> bool:
    """Whether a property is one by which people speak of a node: what is shown, what no two nodes share, a part of a
    name."""
    return key.key in display or (key.unique and key.kind == "text") or is_name(key.key)


def interpret(context: Context, question: str, given: Sequence[Span] = ()) -> list[Interpretation]:
    """The ways to understand `question`, best first, by what was learned where anything was; `given` are the places of
    names that the user marked.

    Raises EntityNotFound for a name that the graph does not have.
    """
    known, part = reading(context), part_asked(question)
    if known is None or known.implied or part is None:
        return _at_time(context, question, given)
    vocabulary = known.fits.vocabulary
    dates = [(item, with_part(item, part.form, vocabulary)) for item in _at_time(context, part.text, given)]
    if not names_part(vocabulary, part.form):
        return [found for _, found in dates]
    found = [*_at_time(context, question, given), *(found for item, found in dates if found is not item)]
    return sorted(found, key=lambda item: -item.score)


def _at_time(context: Context, question: str, given: Sequence[Span]) -> list[Interpretation]:
    """The ways to understand a question of which the time is told apart."""
    time = None if given else moment_of(context, question)
    if time is None:
        return _interpreted(context, question, given)
    return [at_moment(context, item, time.moment) for item in _interpreted(context, time.rest, given)]


def _interpreted(context: Context, question: str, given: Sequence[Span]) -> list[Interpretation]:
    known, lessons = reading(context), lessons_of(context)
    apart = None if given else besides(question)
    if known is not None and apart is not None:
        rest = _interpreted(context, apart.rest, given)
        if left := without(rest, apart.names, known.fits.vocabulary, known.dictionary):
            return left
    if known is not None and not given:
        question = with_not(with_no(restated(_unframed(question, known))), known.fits.names_any)
        if asked := between(question, known.fits.vocabulary, known.dictionary):
            return of_the_two(_interpreted(context, asked, given))
        if (single := once(question)) and (found := twice(_interpreted(context, single, given))):
            return found
    if known is None or lessons is None:
        return unlearned(context, question, given)
    fits = fits_of(context, known)
    understood = unlearned(context, question, given, fits)
    return understood if given else weighed(lessons, fits, question, understood)


def _unframed(question: str, known: Reading) -> str:
    """The question in a message that says more than that."""
    words = [word.plain for word in words_of(question)]
    if len(words) < FRAMED:
        return question
    values = functools.cache(lambda: known.dictionary.lookup(words))  # only where something may be left out
    return unframed(question, lambda word: has_root(word, known.fits) or bool(values().get(word)))


def verified_questions(context: Context) -> tuple[VerifiedQuestion, ...]:
    """The questions of the graph's terms that somebody verified."""
    return context.graph.terms.questions if context.graph.terms else ()


def verified_question(context: Context, question: str, questions: Sequence[VerifiedQuestion]) -> Interpretation | None:
    """The query graph of one of the verified `questions`, word for word, as its interpretation."""
    plain = plain_question(question)
    graph = next((item.graph for item in questions if item.plain == plain), None)
    if graph is None or not is_shown(context, graph):
        return None
    return Interpretation(graph, 0.0, likely=1.0, names=context.shape.names)


def as_told(context: Context, question: str) -> str:
    """A question in English words, where it is in another language that is read, and in the schema's words in the place
    of those of which the terms tell one meaning."""
    question = in_english(question)
    known = reading(context) if context.graph.terms else None
    if known is None or not known.fits.vocabulary.words:
        return question
    return otherwise.as_told(question, known.fits, known.dictionary, bracketed(question))


def is_shown(context: Context, graph: QueryGraph) -> bool:
    """Whether a query graph speaks of nothing that the graph does not have, or that is left out."""
    return not check(graph, catalogue(context.knowledge.schema, context.shape))


def fits_of(context: Context, known: Reading) -> Fits:
    """What the words of questions fit in the graph, with the words that lessons have taught."""
    lessons = lessons_of(context)
    return known.fits if lessons is None else _with_words(context, known.fits, lessons.lexicon)


def lessons_of(context: Context) -> Taught | None:
    """What was learned about a graph with labels."""
    known = reading(context)
    return taught(context) if known and known.implied is None else None


def unlearned(
    context: Context, question: str, given: Sequence[Span] = (), fits: Fits | None = None
) -> list[Interpretation]:
    """The same without what was learned, but for the words that `fits` know."""
    known = reading(context)
    if known is None:
        return []

    def chains(masked: MaskedQuestion, meaning: Meaning) -> Sequence[RankedPath]:
        return _chains(context, known, masked, meaning)

    own = fits or known.fits

    def read_as(text: str, spans: Sequence[Span]) -> list[Interpretation]:
        items = read(text, own, known.dictionary, chains, spans)
        return _with_meanings([item for item in items if _explains(item)], known.fits.vocabulary)

    ways = otherwise.otherwise(question, own, known.dictionary, given)
    found = in_all_words(ways, read_as)
    if not given:
        found = _with_aliases(question, own, known, found)
    if known.implied is None:
        return found
    found = [item for item in found if (item.named >= KIND or item.mentions) and not _measures_relations(item.graph)]
    return [
        replace(item, graph=known.implied.lowered(item.graph), meant=item.graph)
        for item in found
        if not (isinstance(item.graph.answer, Aggregate) and item.graph.answer.function == "share")  # of no label
    ]


def _with_aliases(question: str, fits: Fits, known: Reading, found: Sequence[Interpretation]) -> list[Interpretation]:
    """The interpretations, and those in which relationship types are called as the question does."""
    more: dict[QueryGraph, Interpretation] = {}
    for way in aliased(question, fits, known.dictionary):

        def read_as(text: str, spans: Sequence[Span], way: Aliased = way) -> list[Interpretation]:
            items = [item for item in read(text, way.fits, known.dictionary, None, spans) if _explains(item)]
            pairs = [(item, stored(item.graph, way.aliases)) for item in items]
            return [replace(item, graph=graph) for item, graph in pairs if graph is not None]

        try:
            items = in_all_words(otherwise.otherwise(question, way.fits, known.dictionary)[:MOST_WAYS], read_as)
        except EntityNotFound:
            continue  # of which the question as it stands tells
        for item in items:
            less = OF_WORDS * math.log(way.probability)
            keep_best(more, replace(item, score=item.score + less, means=item.means * way.probability))
    if not more:
        return list(found)
    better = {item.graph for item in found if item.graph in more and more[item.graph].score <= item.score}
    left = [item for item in found if item.graph not in more or item.graph in better]
    right = [item for graph, item in more.items() if graph not in better]
    return sorted([*left, *right], key=lambda item: -item.score)


def _measures_relations(graph: QueryGraph) -> bool:
    """Whether a query graph speaks of a property of relationships, of which plain triples have none."""
    edges = {edge.name for edge in graph.edges}
    return any(value.of in edges and value.key for value in graph.values())


def _with_meanings(items: Sequence[Interpretation], vocabulary: Vocabulary) -> list[Interpretation]:
    """The interpretations with what terms stand for in their place; without those in which that cannot be said."""
    if not vocabulary.meanings:
        return list(items)
    pairs = [(item, expanded(item.graph, vocabulary.meanings)) for item in items]
    return [item if graph == item.graph else _meaning(item, graph) for item, graph in pairs if graph is not None]


def _meaning(item: Interpretation, graph: QueryGraph) -> Interpretation:
    """An interpretation with the query graph that it stands for. It is worded by its terms, but where these measure
    something: what a measure is of for each is not told by its name."""
    own = aggregates(item.graph)
    measured = any(part not in own for part in aggregates(graph))
    return replace(item, graph=graph, meant=None if measured else item.graph)


def in_all_words(
    ways: Sequence[Otherwise], read_as: Callable[[str, Sequence[Span]], list[Interpretation]]
) -> list[Interpretation]:
    """The interpretations of a question in all the words in which it may be read, best first.

    Raises EntityNotFound where it has in all of them a name that the graph does not have.
    """
    if len(ways) == 1 and not ways[0].changes:
        return read_as(ways[0].text, ways[0].spans)
    found: dict[QueryGraph, Interpretation] = {}
    unknown: EntityNotFound | None = None
    for way in ways:
        try:
            items = read_as(way.text, way.spans)
        except EntityNotFound as error:
            unknown = unknown or error
            continue
        less = OF_WORDS * math.log(max(way.probability, LEAST))
        for item in items:
            keep_best(found, replace(item, score=item.score + less, means=way.meant))
    if not found and unknown:
        raise unknown
    return sorted(found.values(), key=lambda item: -item.score)


def _with_words(context: Context, fits: Fits, lexicon: Lexicon) -> Fits:
    """Fits that know the words of a lexicon, made once."""
    if not lexicon.words:
        return fits
    kept = context.memory.get(WORDS)
    if not isinstance(kept, Fits) or kept.lexicon is not lexicon:
        context.memory[WORDS] = kept = fits.with_words(lexicon)
    return kept


def interpret_linked(context: Context, linked: LinkedQuestion) -> list[Interpretation]:
    """How a question about plain triples is read in which the user marked several names; nothing where one of them is
    not in its text. All other marked questions are for the ranking of relation paths."""
    spans = [(mention.start, mention.end) for mention in linked.mentions if mention]
    if not context.shape.loaded or len(spans) < max(len(linked.mentions), 2):
        return []
    try:
        return interpret(context, linked.text, spans)
    except EntityNotFound:
        return []


def by_graph(context: Context, item: Interpretation) -> bool:
    """Whether an interpretation of a question without marked names is to be run: where it says all of the question, or
    more than the names of nodes. Other chains of relations are ranked by `kgneo.stages.choose_reading`."""
    return not (item.plain_chain or item.vacuous) or (not context.shape.loaded and (item.complete or item.implied))


def joins(context: Context, item: Interpretation) -> bool:
    """Whether a question about plain triples names several things, and asks for what an interpretation joins to all.
    Over graphs with labels, the ranking of relation paths answers such questions better: what it asks for is as often a
    property of the relationship between the two."""
    named = len(item.mentions)
    equal = sum(condition.operator == "=" for condition in item.graph.conditions)
    return context.shape.loaded and named > 1 and equal >= named and isinstance(item.graph.answer, Value)


def _explains(item: Interpretation) -> bool:
    """Whether it names something, or at least says more of the question than it leaves out."""
    return item.silent < SILENT or any(condition.operator == "=" for condition in item.graph.conditions)


def keys_of(context: Context) -> Mapping[str, tuple[str, ...]]:
    """The properties of each label's nodes that are names or values; of nodes without a label by ""."""
    if context.shape.loaded:
        return {"": (NAME,), LOADED_LABEL: (NAME,)}
    known = reading(context)
    return known.keys if known else {}


def run_query(
    context: Context,
    graph: QueryGraph,
    *,
    named: Named = UNNAMED,
    timeout: float | None = None,
    limit: int | None = None,
    whole: bool = True,
) -> Result:
    """What a query graph finds, within a limit (the options'); given nodes are told by what they are `named`; `whole`
    where that is the answer."""
    known = reading(context)
    if graph.about:
        context.knowledge.texts.use(context.encoder)  # which is loaded
    result = run(
        context.knowledge,
        graph,
        keys=keys_of(context),
        naming=known.naming if known else {},
        limit=limit or context.options.limit,
        timeout=timeout,
        named=named,
        whole=whole,
        walks=context.options.evidence,
    )
    if context.graph.terms is None:
        return result
    from kgneo.terms.written import as_written  # and with it pydantic, for which no other graph must wait

    return replace(result, written=as_written(graph, result.answers, context.graph.terms))


def _chains(context: Context, known: Reading, masked: MaskedQuestion, meaning: Meaning) -> Sequence[RankedPath]:
    """The relation paths that can leave nodes of a label, ranked."""
    label, shape = meaning.owner, context.shape
    statistics = context.record.statistics
    first = [Hop(step.relation, step.forward) for step in known.fits.vocabulary.leaving.get(label, ())]
    first = list(dict.fromkeys(first))
    first += [
        Hop(shape.value_relation(key, hop.relation), hop.forward, value=True)
        for hop in list(first)
        for key in shape.details.get(hop.relation, ())
    ]
    first += [Hop(shape.value_relation(key), value=True) for key in shape.keys_of((label,))]
    paths = leaving(first, statistics, hops=context.options.hops, direction=context.options.direction)
    given = {explained(path): path for path in paths}
    given = {short: path for short, path in given.items() if len(short) <= MAX_HOPS}
    cache, figures = ranking(context)
    correction = corrections(masked, statistics, ())
    ranked = rank_paths(
        masked,
        list(given),
        encoder=context.encoder,
        statistics=figures,
        cache=cache,
        correction=lambda path: correction(given[path]),
    )
    return [
        RankedPath(given[item.path], item.score, item.confidence, item.names, item.parts, item.evidence)
        for item in ranked[:20]
    ]
