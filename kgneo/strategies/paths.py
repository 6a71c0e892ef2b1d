"""`paths`: answers without a language model.

A question is read as query graphs, and where it names nodes and asks for what chains of relations lead to, the relation
paths that leave them are ranked against it, too. The likeliest are run, and what they find says which of them answers,
and how likely it is right (`kgneo.stages.run_readings`). Its triples are the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from kgneo.context import Clock, Context
from kgneo.english.names import is_noun, name_words
from kgneo.english.restating import restated
from kgneo.errors import EntityNotFound
from kgneo.graph.run import Result, counted, evidence_of
from kgneo.graph.vocabulary import kind_of_texts
from kgneo.model import Answer, Evidence, Reading, Step, TopicEntity
from kgneo.query.graph import Aggregate, QueryGraph
from kgneo.query.json import to_json
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.reading.asked import may_be_asked_for
from kgneo.reading.heard import Heard
from kgneo.reading.read import Interpretation
from kgneo.reading.silent import head_of, left_out
from kgneo.stages.about import about, cited, what_is_said
from kgneo.stages.besides import besides
from kgneo.stages.central import central
from kgneo.stages.choose_reading import RankedReading, rank_readings
from kgneo.stages.climb import climb
from kgneo.stages.complete import Completed, complete, complete_plain, is_of_relationship
from kgneo.stages.computed import Computed
from kgneo.stages.connect import Connected, connect, table_of
from kgneo.stages.describe import describe
from kgneo.stages.interpret import (
    as_told,
    by_graph,
    interpret,
    interpret_linked,
    joins,
    reading,
    run_query,
    verified_question,
    verified_questions,
)
from kgneo.stages.link import LinkedQuestion, readings, unbracket
from kgneo.stages.offer_readings import Offered, leaving_out, of_completed, of_interpretations, of_paths
from kgneo.stages.places import places
from kgneo.stages.reasons import asks_untold_reason
from kgneo.stages.resemble import resemble
from kgneo.stages.run_readings import Answered, run_readings
from kgneo.stages.same_kind import of_verified_kind
from kgneo.stages.sentences import WORDED, alone, sentences
from kgneo.stages.twice import once
from kgneo.strategies.protocol import Needs, NoOptions
from kgneo.text import LISTED, listed

if TYPE_CHECKING:
    from kgneo.terms.file import VerifiedQuestion

READINGS = 3
ALIKE = 0.5
"""Probability that a question is of the kind of a verified one from which on that is held against how it is read."""
LINKED = 0.5
"""Score of linking from which a name in lower case, or a misspelt one, is taken for a node's."""
FORMED = 0.05
"""Confidence below which what a form is completed with is less likely than that its words name a relation."""
DOUBTED = 0.4
"""Confidence below which, over plain triples, neither what was read nor the ranking of relation paths is taken at its
word: the surer of both is; and over graphs with sentences, what these say is looked at, too."""
WITHOUT_WORD, MOST_SILENT = 0.5, 3
"""Share of its confidence that is left for each word of which its path says nothing, and for how many of these."""
SURE_OF_TEXTS, UNSURE_OF_TEXTS, LIKE_ENOUGH = 0.7, 0.4, 0.3
"""Confidence in what was found by what texts say, at most: where a passage is at least so like what is asked for (a
cosine), and else. Unrelated texts are up to 0.25 alike."""
OTHERWISE = 0.8
"""What the score of a name is worth that the question spells and its interpretation does not read."""
MOST_COUNTED = 100_000
"""Of more that were counted, the first are not shown: putting them in order takes memory and time."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer with the readings among which it was chosen, the one that gave it first."""

    answer: Answer
    offered: tuple[Offered, ...]
    said: bool = False
    """Whether it tells passages of texts, for the question what they say."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Without a model: reads the question as a query of the graph, or as a path of relations."""

    options: NoOptions = field(default_factory=NoOptions)
    name: ClassVar[str] = "paths"
    needs: ClassVar[Needs] = Needs()
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = MAX_HOPS

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Link, rank the paths that leave the topic entity, follow the best one."""
        return self.chosen(question, context, entities=entities).answer

    def chosen(
        self,
        question: str,
        context: Context,
        *,
        entities: Sequence[str] = (),
        verified: Sequence[VerifiedQuestion] | None = None,
    ) -> Chosen:
        """The same with the readings of the question. `verified` are the questions that count as verified; those of the
        graph's terms where nothing is given."""
        clock = Clock(context.on_event)
        known = verified_questions(context) if verified is None else verified
        told = verified_question(context, question, known)
        if told is not None:
            return _read(context, question, [told], clock)
        alike = _alike(context, question, known, entities, clock)
        try:
            found = self._chosen(as_told(context, question), context, entities, clock)
            found = _or_by_sentences(context, question, found, clock)
        except EntityNotFound:
            if alike is None:
                raise
            return _read(context, question, [alike], clock)
        found = replace(found, answer=replace(found.answer, question=question))
        return _surest(context, question, found, alike, clock)

    def _chosen(self, question: str, context: Context, entities: Sequence[str], clock: Clock) -> Chosen:
        """The same for a question that is in the graph's words, as far as people told others."""
        other = self._without_reading(question, context, entities, clock)
        if other is not None:
            return other
        marked = bool(entities) or "[" in question
        linked: Sequence[LinkedQuestion] = ()
        if marked:
            try:
                with clock.stage("link"):
                    linked = readings(context.knowledge, question, entities=entities)
            except EntityNotFound:
                called = () if entities else _by_other_names(context, question)
                if not called:
                    raise
                return _read(context, question, called, clock)
        with clock.stage("interpret"):
            understood = interpret_linked(context, linked[0]) if linked else _understood(context, question)
        if understood and (besides(question) or _is_for_reading(context, understood[0], marked=marked)):
            found = _read(context, question, understood, clock)
            if not context.shape.loaded:
                return found
            best = understood[0]
            if found.answer.answers or (best.complete and best.spelt):
                return _surer(context, question, linked, found, clock)
            understood = []  # what finds nothing took words for names: linking chooses among them
        try:
            return _ranked(context, question, linked, understood, clock)
        except EntityNotFound:  # a word that names no node may be the value of a property
            if not understood:
                raise
            return _read(context, question, understood, clock)

    def _without_reading(self, question: str, context: Context, entities: Sequence[str], clock: Clock) -> Chosen | None:
        """The answer to a question that is no query graph: about ways, networks, what texts say, one thing as a whole,
        or reasons; None for all others."""
        with clock.stage("connect"):
            joined = (
                places(context, question)
                or connect(context, restated(question), entities)
                or climb(context, question, entities)
                or central(context, question)
                or resemble(context, question, entities)
                or (sentences(context, question) if alone(context) else None)
            )
        if isinstance(joined, Connected):
            return _connected(context, question, joined, clock)
        if joined is not None:
            return _computed(question, joined, clock)
        if not entities and (said := _by_texts(context, question, clock)):
            return said
        if asks_untold_reason(context, question):
            return _queried(context, question, None, (), clock)
        known = describe(context, question, entities)
        return _computed(question, known, clock) if known is not None else None


def _or_by_sentences(context: Context, question: str, found: Chosen, clock: Clock) -> Chosen:
    """What was found; where that is doubted, over a graph whose relationships have sentences, what these say."""
    sure = found.answer.confidence or 0.0
    if not context.shape.facts or alone(context) or (found.answer.answers and sure >= DOUBTED):
        return found
    said = sentences(context, question)
    return _computed(question, said, clock) if said is not None and said.confidence >= WORDED else found


def _by_texts(context: Context, question: str, clock: Clock) -> Chosen | None:
    """The answer by what texts say; None where the question does not ask for that, or nothing was found so."""
    if not context.knowledge.texts.there:
        return None
    with clock.stage("about"):
        said = what_is_said(context, question)
        told = [] if said else about(context, question)
    readings = [said] if said else told
    if not readings:
        return None
    with clock.stage("answer"):
        queried = run_readings(context, question, readings)
    found = _queried(context, question, queried, readings, clock)
    if queried is None or not found.answer.answers:
        return None
    if said is not None:
        found = replace(found, answer=_with_passages(context, queried.result, found.answer), said=True)
        if not said.graph.about:
            return found
    likest = max((item.score or 0.0 for item in found.answer.evidence), default=0.0)
    sure = min(found.answer.confidence or 0.0, SURE_OF_TEXTS if likest >= LIKE_ENOUGH else UNSURE_OF_TEXTS)
    return replace(found, answer=replace(found.answer, confidence=sure))


def _with_passages(context: Context, result: Result, answer: Answer) -> Answer:
    """An answer that tells the passages of what was found, and not what it is called."""
    evidence = cited(context, result)
    texts = tuple(dict.fromkeys(item.triple.object for item in evidence))
    text = listed([f"“{text}”" for text in texts], between=" ")
    steps = tuple(replace(step, answer=text, answers=texts, evidence=evidence) for step in answer.steps)
    return replace(answer, answer=text, answers=texts, answer_nodes=(), evidence=evidence, steps=steps, table=None)


def _alike(
    context: Context,
    question: str,
    verified: Sequence[VerifiedQuestion],
    entities: Sequence[str],
    clock: Clock,
) -> Interpretation | None:
    """The reading of a question by those that somebody verified, where it is likely at all."""
    if not verified or entities:
        return None
    with clock.stage("recall"):
        found = of_verified_kind(context, question, verified)
    return found if found is not None and (found.likely or 0.0) >= ALIKE else None


def _surest(context: Context, question: str, found: Chosen, alike: Interpretation | None, clock: Clock) -> Chosen:
    """What was found, or by a verified question of the same kind, where that is likelier to be right."""
    if alike is None or (alike.likely or 0.0) <= (found.answer.confidence or 0.0):
        return found
    taught = _read(context, question, [alike], clock)
    if (taught.answer.confidence or 0.0) <= (found.answer.confidence or 0.0):
        return found
    others = tuple(item for item in found.offered if item.graph != alike.graph)
    return Chosen(taught.answer, (*taught.offered, *others))


def _surer(context: Context, question: str, linked: Sequence[LinkedQuestion], found: Chosen, clock: Clock) -> Chosen:
    """What reading has found over plain triples; where that is doubted, what the ranking of relation paths finds, if it
    is surer."""
    sure = found.answer.confidence or 0.0
    if sure >= DOUBTED:
        return found
    try:
        ranked = _ranked(context, question, linked, (), clock)
    except EntityNotFound:
        return found
    return ranked if ranked.answer.answers and (ranked.answer.confidence or 0.0) > sure else found


def _connected(context: Context, question: str, found: Connected, clock: Clock) -> Chosen:
    """The answer to a question about ways between things, or levels."""
    answer = _answer(context, question, found.graph, found.result, found.wording, found.evidence, clock)
    if found.told is not None:
        names = found.kinds or tuple(dict.fromkeys(node.names[0] for node in found.told))
        answer = replace(answer, answer=listed(names) or "none", answers=names, answer_nodes=found.told, table=None)
    elif found.result.ways:
        answer = replace(answer, table=table_of(found.result.ways))
    if found.text:
        answers = (found.text,) if found.text.isdecimal() else answer.answers
        answer = replace(answer, answer=found.text, answers=answers)
    steps = tuple(replace(step, answer=answer.answer, answers=answer.answers) for step in answer.steps)
    if found.beyond:
        texts = tuple(map(str, found.beyond))
        steps = (*steps, Step(found.beyond_wording, listed(texts), texts, found.beyond_evidence))
    reading = Reading(found.wording, "", found.confidence)
    answer = replace(
        answer,
        entities=found.topics,
        confidence=found.confidence,
        warnings=found.warnings,
        steps=steps,
        evidence=(*answer.evidence, *(item for item in found.beyond_evidence if item not in answer.evidence)),
        readings=(reading,),
    )
    return Chosen(answer, (Offered(found.graph, found.wording, found.confidence),))


def _computed(question: str, found: Computed, clock: Clock) -> Chosen:
    """The answer that was computed, and not found by a query graph."""
    answer = Answer(
        question,
        "paths",
        found.text,
        answers=found.answers,
        entities=found.topics,
        steps=(Step(found.wording, found.text, found.answers, found.evidence),),
        evidence=found.evidence,
        confidence=found.confidence,
        grounded=True,
        timings_ms=clock.milliseconds,
        warnings=found.warnings,
        readings=(Reading(found.wording, "", found.confidence),),
        answer_nodes=found.nodes,
        table=found.table,
    )
    return Chosen(answer, ())


def _by_other_names(context: Context, question: str) -> list[Interpretation]:
    """How a question about a graph with labels is read in which what the user marked is no name that is shown of a
    node, but one that it goes by, too, or another value of it; nothing where it is none."""
    text, mentions = unbracket(question)
    spans = [(item.start, item.end) for item in mentions]
    try:
        return [] if context.shape.loaded else interpret(context, text, spans)
    except EntityNotFound:
        return []


def _is_for_reading(context: Context, best: Interpretation, *, marked: bool) -> bool:
    """Whether an interpretation is run before the ranking of relation paths is asked."""
    return (not marked and by_graph(context, best)) or (joins(context, best) and best.kind)


def _ranked(
    context: Context,
    question: str,
    linked: Sequence[LinkedQuestion],
    understood: Sequence[Interpretation],
    clock: Clock,
) -> Chosen:
    """The answer by the relation paths that leave what is named: as the user marked it (`linked`), as the question was
    understood, or as linking finds it."""
    marked = bool(linked)
    if not linked:
        texts = understood[0].bracketed if understood else (question,)
        with clock.stage("link"):
            linked = _linked(context, texts)
    with clock.stage("form"):
        several = bool(understood) and not marked and not context.shape.loaded and len(linked[0].topics) > 1
        formed, best = (None, linked[0]) if several else _formed(context, linked)
    if formed is not None and understood and not context.shape.loaded and _counts(formed.graph):
        found = _read(context, question, understood, clock)
        if found.answer.answers:
            return found
    if formed is not None and (formed.joins or formed.confidence >= FORMED):
        if context.shape.loaded:
            return _completed(context, question, best.topics, formed, formed.confidence, (), clock)
        return _beside(context, question, best, formed, understood, clock)
    if understood and joins(context, understood[0]):
        found = _read(context, question, understood, clock)
        return found if found.answer.answers or marked else _ranked(context, question, (), (), clock)
    with clock.stage("select"):
        ranked = rank_readings(context, linked)
        ranked = [item for item in ranked if is_of_relationship(item.path)] if several else ranked
    with clock.stage("answer"):
        first = complete_plain(context, ranked)
    if first is None and several:
        return _read(context, question, understood, clock)
    if first is None:
        return _not_found(context, question, linked[0].topics, ranked, clock)
    if context.shape.loaded:
        unsaid = understood[0].unsaid if understood and not marked else ()
        return _beside_triples(context, question, first, understood, unsaid, clock)
    return _beside(context, question, first.readings[0].linked, first, understood, clock)


def _counts(graph: QueryGraph) -> bool:
    """Whether a query graph counts things. With labels, reading knows better which: "how many SENSORS does X use"."""
    return isinstance(graph.answer, Aggregate) and graph.answer.function == "count"


def _beside(
    context: Context,
    question: str,
    linked: LinkedQuestion,
    path: Completed,
    understood: Sequence[Interpretation],
    clock: Clock,
) -> Chosen:
    """The answer by a relation path, or by a reading of the question that is likelier than that."""
    known = None if context.shape.loaded else reading(context)
    heard = Heard(linked.text, known.fits, known.dictionary) if known else None
    along = _along(heard, linked, path)
    unlearned = [item for item in understood if item.likely is None]  # learning has sent the others here
    with clock.stage("answer"):
        if unlearned and not _answers(heard, path):
            return _queried(context, question, run_readings(context, question, unlearned), understood, clock)
        found = run_readings(context, question, [along, *unlearned], {0: path.result})
    if found is not None and found.interpretation is not along:
        return _queried(context, question, found, understood, clock)
    sure = found.confidence if found else 0.0
    return _completed(context, question, linked.topics, path, sure, along.unsaid, clock)


def _answers(heard: Heard | None, path: Completed) -> bool:
    """Whether what a relation path led to can answer a question for "who" or "where", or it asks for something else: a
    number or a date is no place. One step is not "Ann's boss's boss"."""
    result = path.result
    if heard is None:
        return True
    if once(restated(heard.text)) and len(path.graph.edges) < 2:
        return False
    if not result.nodes:
        told = heard.form.word != "where" or not result.answers or kind_of_texts(result.answers)[0] == "text"
        return told and may_be_asked_for(heard, path.graph)
    return may_be_asked_for(heard, path.graph, {label for node in result.nodes for label in node.labels})


def _beside_triples(
    context: Context,
    question: str,
    path: Completed,
    understood: Sequence[Interpretation],
    unsaid: Sequence[str],
    clock: Clock,
) -> Chosen:
    """The same over plain triples, for which the ranking of relation paths was made: its answer, unless that is doubted
    and a reading that says all of the question is surer. `unsaid` are words of which reading has found nothing."""
    sure = path.confidence * WITHOUT_WORD ** min(len(unsaid), MOST_SILENT)
    found = _completed(context, question, path.readings[0].linked.topics, path, sure, unsaid, clock)
    if sure >= DOUBTED or not (understood and understood[0].plain_chain and understood[0].complete):
        return found
    read = _read(context, question, understood, clock)
    return read if read.answer.answers and (read.answer.confidence or 0.0) > sure else found


def _formed(context: Context, linked: Sequence[LinkedQuestion]) -> tuple[Completed | None, LinkedQuestion]:
    """The surest reading that completes a form, of those that linking takes for as likely, since a name may be an
    author's and a member's."""
    found = [(complete(context, item), item) for item in linked if item.score == linked[0].score]
    return max(found, key=lambda pair: pair[0].confidence if pair[0] else 0.0)


def _along(heard: Heard | None, linked: LinkedQuestion, path: Completed) -> Interpretation:
    """What a relation path finds as a reading of a question, with the words that are like nothing of it."""
    found = Interpretation(path.graph, 0.0, plain_chain=True, along=path.confidence)
    if heard is None:
        return found
    names = [topic.entity.name for topic in linked.topics]
    names += [mention.text for mention in linked.mentions if mention]
    unsaid = left_out(heard, path.graph, names)
    return replace(
        found,
        unsaid=tuple(heard.words[index].text for index in unsaid.places),
        nouns=len(unsaid.nouns),
        headless=head_of(heard) in unsaid.places,
        spelt=all(topic.matched.casefold() == topic.entity.name.casefold() for topic in linked.topics),
        open_names=tuple(text for index in unsaid.places if index and (text := heard.words[index].text)[0].isupper()),
        nodes={topic.entity.id: topic.entity.name for topic in linked.topics},
    )


def _linked(context: Context, texts: Sequence[str]) -> list[LinkedQuestion]:
    """The readings of a question by what is in brackets in its first text, and, less likely, in the others."""
    found = [
        replace(linked, score=linked.score * (OTHERWISE if number else 1.0))
        for number, text in enumerate(texts)
        for linked in readings(context.knowledge, text)
    ]
    return list({linked.entity_ids: linked for linked in reversed(found)}.values())[::-1]


def _understood(context: Context, question: str) -> list[Interpretation]:
    """How a question is read as a query graph; nothing where a name in it is one that only linking finds, in lower
    case, in part or with several errors. Raises EntityNotFound for a name that the graph does not have."""
    try:
        understood = interpret(context, question)
    except EntityNotFound as error:
        if _is_linked(context, question, error.piece):
            return []
        raise
    if not understood:
        return []
    names = understood[0].open_names if context.shape.loaded else ()
    if any(_is_linked(context, question, name) for name in names):
        return []
    named = question.replace(understood[0].order, "") if understood[0].order else question
    return [] if understood[0].bare and _is_linked(context, named) else understood


def _read(context: Context, question: str, understood: Sequence[Interpretation], clock: Clock) -> Chosen:
    with clock.stage("answer"):
        queried = run_readings(context, question, understood)
    return _queried(context, question, queried, understood, clock)


def _is_linked(context: Context, question: str, piece: str = "") -> bool:
    """Whether linking finds the name of a node in a question, and not in words for kinds of nodes or properties; of a
    `piece` that must be names, all of it."""
    try:
        found = readings(context.knowledge, question)
    except EntityNotFound:
        return False
    likely = [item for item in found if item.score >= LINKED]
    words = [[word for mention in item.mentions if mention for word in mention.text.split()] for item in likely]
    named = " ".join(word.lower() for there in words for word in there)
    whole = all(part in named for part in piece.lower().split())
    return bool(words) and whole and not _are_kinds(context, words[0])


def _are_kinds(context: Context, words: Sequence[str]) -> bool:
    """Whether words are those for kinds of nodes or, in lower case, properties: "states" of `bornState`, whoever is
    called State."""
    known = reading(context)
    if known is None:
        return not words
    kinds = {part for label in known.fits.labels for part in name_words(label)}
    properties = {name_words(key.name or key.key)[-1] for key in known.fits.keys}
    return all(
        any(is_noun(word.lower(), kind) for kind in (kinds | properties if word.islower() else kinds)) for word in words
    )


def _queried(
    context: Context, question: str, found: Answered | None, understood: Sequence[Interpretation], clock: Clock
) -> Chosen:
    """The answer of a query graph that was read."""
    evidence = evidence_of(context.knowledge, found.interpretation.graph, found.result) if found else ()
    offered = of_interpretations(understood, found, evidence)
    readings = tuple(Reading(item.wording, "", round(item.score, 3)) for item in offered[:READINGS])
    if found is None:
        answer = Answer(
            question, "paths", "not found", confidence=0.0, timings_ms=clock.milliseconds, readings=readings
        )
        return Chosen(answer, offered)
    best = found.interpretation
    order = f"The answers are in no order, though one is asked for: {best.order!r}."
    warnings = (*_ignored([*best.ignored, *best.unsaid]), *([order] if best.order else []))
    answer = _answer(context, question, best.graph, found.result, best.wording, evidence, clock)
    answer = replace(answer, confidence=found.confidence, warnings=(*warnings, *found.result.notes), readings=readings)
    return Chosen(answer, offered)


def _completed(
    context: Context,
    question: str,
    topics: tuple[TopicEntity, ...],
    found: Completed,
    confidence: float,
    unsaid: Sequence[str],
    clock: Clock,
) -> Chosen:
    """The answer of a query graph that begins with a ranked relation path, and leaves words of the question unsaid."""
    answer = _answer(context, question, found.graph, found.result, found.wording, found.evidence, clock)
    first, *others = _shown(found.readings)
    offered = of_completed(context, found)
    answer = replace(
        answer,
        entities=topics,
        confidence=confidence,
        readings=(replace(first, text=found.wording), *others),
        warnings=_ignored(unsaid),
    )
    return Chosen(answer, leaving_out(offered, unsaid) if unsaid else offered)


def _ignored(words: Sequence[str]) -> tuple[str, ...]:
    """A warning of the words of a question that a reading leaves out."""
    return (f"Ignored: {', '.join(map(repr, dict.fromkeys(words)))}.",) if words else ()


def _answer(
    context: Context,
    question: str,
    graph: QueryGraph,
    result: Result,
    wording: str,
    evidence: tuple[Evidence, ...],
    clock: Clock,
) -> Answer:
    """The answer of a query graph, whoever made it."""
    text = result.text or "none"
    found = _counted(context, graph, result)
    if found:
        text += f" ({listed(found.answers, int(result.answers[0]) - len(found.nodes))})"
    return Answer(
        question,
        "paths",
        text,
        answers=result.answers,
        more=result.more,
        steps=(Step(wording, text, result.answers, evidence),),
        evidence=evidence,
        cypher=result.compiled.text,
        cypher_parameters={"limit": context.options.limit, **result.compiled.parameters},
        query_graph=to_json(graph),
        picture=result.compiled.picture,
        grounded=True,
        timings_ms=clock.milliseconds,
        answer_nodes=result.nodes,
        table=result.table,
        counted=found.nodes if found else (),
    )


def _counted(context: Context, graph: QueryGraph, result: Result) -> Result | None:
    """The first of what a count counted; None for another query graph, and where they are too many to put in order."""
    each = None if result.empty else counted(graph)
    if each is None or int(result.answers[0]) > MOST_COUNTED:
        return None
    return run_query(context, each, named=result.named, limit=LISTED, whole=False)


def _not_found(
    context: Context, question: str, topics: tuple[TopicEntity, ...], alive: Sequence[RankedReading], clock: Clock
) -> Chosen:
    answer = Answer(
        question,
        "paths",
        "not found",
        entities=alive[0].linked.topics if alive else topics,
        confidence=alive[0].confidence if alive else 0.0,
        timings_ms=clock.milliseconds,
        readings=_shown(alive),
    )
    return Chosen(answer, of_paths(context, alive))


def _shown(alive: Sequence[RankedReading]) -> tuple[Reading, ...]:
    """The best readings; of several entities each one's best comes first, so that other choices are seen."""
    first: dict[tuple[str, ...], RankedReading] = {}
    for item in alive:
        first.setdefault(item.linked.entity_ids, item)
    best = alive[:1]
    others = sorted(
        [*alive[1:READINGS], *(item for item in first.values() if item not in alive[:READINGS])],
        key=lambda item: -item.score,
    )
    return tuple(
        Reading(item.wording, str(item.path), item.score, item.linked.names) for item in [*best, *others][:READINGS]
    )
