"""Complete: a question about named nodes as a whole query graph, which begins with a ranked relation path.

Comes in: a question with its topic entities. Goes out: the query graph that answers it, with what it finds. The words
that only serve a form (how many, the largest, after 1990, did, both) are taken out, the rest is read as a relation path
from the named nodes, and the form becomes a part of the query graph: a number, yes or no, a test of a value, an order,
paths from several nodes to one. Of the readings, best first, the first that finds something is taken: what leads
nowhere cannot be meant, so its probability goes to the others in proportion.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from kgneo.context import Context
from kgneo.english.clauses import clauses
from kgneo.english.intent import Direction, Intent, asks_truth, compared, plain_question
from kgneo.english.intent import interpret as intent_of
from kgneo.english.names import content_words, name_words, same_root
from kgneo.english.question import TOPIC, question_parts
from kgneo.english.words import SHARING
from kgneo.graph.implied import NAME
from kgneo.graph.run import Result, evidence_of
from kgneo.graph.shape import LOADED_LABEL
from kgneo.graph.statistics import HopStatistics
from kgneo.graph.vocabulary import kind_of_texts
from kgneo.graph.walks import first_hops, follow
from kgneo.model import Evidence, RelationPath, split_value_relation
from kgneo.query.graph import Aggregate, Condition, Form, QueryGraph, Scalar, Selection, Value
from kgneo.query.wording import wording
from kgneo.reading.along import END, along, joined, measured, without_its_beginning
from kgneo.stages.agree import beside
from kgneo.stages.ask_kind import with_kind
from kgneo.stages.choose_reading import RankedReading, masked, rank_readings
from kgneo.stages.interpret import run_query
from kgneo.stages.link import LinkedQuestion, Mention
from kgneo.stages.moment import holding, moment_of

PATHS = 25
"""Paths, best first, that are run until one leads somewhere."""
TRIES = 12
"""The same for a question in a form of its own."""
MOST_TOPICS = 5
"""Names that a question may ask of at once: each further one has `TRIES` times as many readings together."""
EVERYTHING = 100_000
CLOSE = 0.4
"""Points of score by which a path that joins two entities may be behind the best one and still mean yes."""
BEHIND = 1.0
"""Points of score by which a reading that leads to values may be behind the best one that leads to none."""
MOSTLY = 0.8
SHOWN = 10
"""Triples that are shown of what there is instead, where the answer is no."""
DATE = re.compile(r"-?\d{4}(-\d\d(-\d\d.*)?)?")
NUMBER = re.compile(r"[-+]?\d+(,\d{3})*(\.\d+)?")
OF_TIME = frozenset(
    ("first", "last", "earliest", "latest", "oldest", "newest", "eldest", "youngest", "most recent", "most recently")
)


@dataclass(frozen=True, slots=True)
class Completed:
    """A query graph with what it finds and how sure it is (0..1); `readings` are the best ranked ones, for a plain one
    from its own on. `joins`: the question names both ends of what was walked. That a path leads from one to the other
    is as if a second reader agreed, so that it is surer than its path alone.
    """

    graph: QueryGraph
    result: Result
    evidence: tuple[Evidence, ...]
    wording: str
    confidence: float
    readings: tuple[RankedReading, ...]
    joins: bool = False


def complete(context: Context, linked: LinkedQuestion) -> Completed | None:
    """The answer to a question that asks for something other than what a path leads to; None for a plain one after all:
    "first" can belong to a relation's name, "how many" can ask for a number that the graph holds."""
    if any(mention is None for mention in linked.mentions):
        return None
    return _Completer(context, linked).completed()


def complete_plain(context: Context, ranked: Sequence[RankedReading]) -> Completed | None:
    """What the first of the readings that leads somewhere leads to; None where none does."""
    found = _first(context, ranked, tries=PATHS)
    if found is None:
        return None
    number, item, graph, result = found
    return Completed(
        graph,
        result,
        evidence_of(context.knowledge, graph, result),
        item.wording,
        _left(ranked, number),
        tuple(ranked[number:]),
    )


_Found = tuple[int, RankedReading, QueryGraph, Result]
"""The number of a reading, the reading, its query graph and what that finds."""


def _first(context: Context, ranked: Sequence[RankedReading], *, tries: int) -> _Found | None:
    """The first reading that leads somewhere."""
    for number, item in enumerate(ranked[:tries]):
        graph, result = what_leads(context, item.linked, item.path)
        if not result.empty:
            return number, item, graph, result
    return None


def _left(ranked: Sequence[RankedReading], number: int) -> float:
    """The probability of a reading when those before it are out."""
    dead = sum(item.confidence for item in ranked[:number])
    return min(ranked[number].confidence / max(1.0 - dead, 1e-6), 1.0)


def what_leads(context: Context, linked: LinkedQuestion, path: RelationPath) -> tuple[QueryGraph, Result]:
    """The query graph of what a path from the topic entities leads to, and what it finds, which may be nothing."""
    time = moment_of(context, linked.text)
    for given in graphs_along(context, linked, path):
        graph = holding(context, given, time.moment) if time else given
        result = _run(context, graph, linked)
        if not result.empty:
            break
    return graph, result


def is_of_relationship(path: RelationPath) -> bool:
    """Whether a path of one step leads to a property of the relationship, of which several names may be the ends."""
    last = path.hops[-1]
    return len(path) == 1 and last.value and bool(split_value_relation(last.relation)[0])


def graphs_along(context: Context, linked: LinkedQuestion, path: RelationPath) -> Iterator[QueryGraph]:
    """What a path leads to, of the kind that is asked for; the first that is anything: a property of the relationship
    between several nodes; others than the nodes that it begins at; all."""
    relation, _ = split_value_relation(path.hops[-1].relation) if path.hops[-1].value else ("", "")
    if relation and len(linked.topics) > 1:
        yield along(path, linked.entity_ids, ends=linked.entity_ids)
    graph = with_kind(context, linked, path, along(path, linked.entity_ids))
    if not path.hops[-1].value:
        yield without_its_beginning(graph)
    yield graph


def _run(context: Context, graph: QueryGraph, linked: LinkedQuestion) -> Result:
    """What a query graph finds. In a graph that kgneo loaded, a name tells a node, and people can read it."""
    entities = [topic.entity for topic in linked.topics] if context.shape.loaded else []
    named = {entity.id: (LOADED_LABEL, NAME, entity.name) for entity in entities}
    return run_query(context, graph, named=named)


@dataclass(frozen=True)
class _Completer:
    context: Context
    linked: LinkedQuestion

    def completed(self) -> Completed | None:
        question = masked(self.linked)
        intent = intent_of(question)
        several = len(self.linked.topics) == 2
        if len(self.linked.topics) == 1 and asks_truth(question):
            return self._truth()
        if (directions := compared(question)) is not None:
            return self._which(directions)
        if intent.kind == "yes_no" and several:
            return self._yes_or_no()
        if intent.kind == "names" and intent.several:
            return self._intersection()
        if intent.kind == "count" and not intent.operator:
            return self._count()
        if intent.kind in ("count", "superlative", "comparison"):
            return self._measured(intent)
        return None

    def _made(
        self, graph: QueryGraph, result: Result, confidence: float, readings: Sequence[RankedReading], *, joins: bool
    ) -> Completed:
        evidence = evidence_of(self.context.knowledge, graph, result)
        nodes = {topic.entity.id: topic.entity.name for topic in self.linked.topics}
        told = wording(graph, nodes=nodes, names=self.context.record.statistics.readable_names)
        if joins and not result.empty:
            confidence = beside(confidence, agreed=True)
        return Completed(graph, result, evidence, told, confidence, tuple(readings[:3]), joins)

    # Counts ------------------------------------------------------------------------------------------------------

    def _count(self) -> Completed | None:
        """How many nodes the rest of the question leads to; None where the graph holds the number itself."""
        ranked = rank_readings(self.context, [_reworded(self.linked)])
        found = _first(self.context, ranked, tries=TRIES)
        if found is None:
            return None
        number, item, graph, result = found
        if item.path.hops[-1].value or all(NUMBER.fullmatch(name) for name in result.answers):
            return None
        counted = replace(graph, answer=Aggregate("count", Value(END)))
        result = _run(self.context, counted, self.linked)
        return self._made(counted, result, _left(ranked, number), ranked, joins=False)

    # Tests and extremes of a value -------------------------------------------------------------------------------

    def _measured(self, intent: Intent) -> Completed | None:
        """Those of the nodes that the rest of the question leads to whose value passes a test or is the extreme, or
        how many they are. Of the readings, the first that leads to nodes with such values."""
        every = rank_readings(self.context, [_reworded(self.linked)])
        ranked = self._of_nodes(every)
        names = self.context.record.statistics.readable_names
        least = -float("inf")
        for number, item in enumerate(ranked[:TRIES]):
            if item.ranked.score < least:
                break
            leading, found = what_leads(self.context, item.linked, item.path)
            if found.empty:
                continue
            words = {word for hop in item.path.hops for word in name_words(names.get(hop.relation, hop.relation))}
            if intent.extreme and intent.extreme in words:
                return None
            graph = self._with_measure(leading, item, intent, value=self._asks_value(every[0]))
            result = _run(self.context, graph, self.linked) if graph else None
            if graph and result and not result.empty:
                return self._made(graph, result, _left(ranked, number), every, joins=False)
            least = max(least, item.ranked.score - BEHIND)
        return None

    def _with_measure(
        self, graph: QueryGraph, item: RankedReading, intent: Intent, *, value: bool
    ) -> QueryGraph | None:
        """The graph with the test or the order that the question asks for; `value`: it asks for the value itself."""
        step = self._value_hop(item.path, intent, item.linked.text)
        if step is None:
            return None
        names = self.context.record.statistics.readable_names
        form = _form(step)
        graph, measure = measured(graph, step.hop, form, NAME)
        if intent.operator:
            values = tuple(map(_number, intent.values)) if form == "number" else intent.values
            graph = replace(graph, conditions=(*graph.conditions, Condition(measure, intent.operator, values)))
        part_of_name = intent.operator and intent.extreme in name_words(names.get(step.relation, step.relation))
        if intent.kind == "superlative" and not part_of_name:  # "first ran before 1990" has no extreme
            order = Selection(END, measure, intent.direction == "greatest")
            graph = replace(graph, selections=(order,))
        if intent.kind == "count":
            return replace(graph, answer=Aggregate("count", Value(END)))
        if intent.kind == "superlative" and value:
            graph, asked = measured(graph, step.hop, "", "", at="asked")
            return replace(graph, answer=asked)
        return graph

    def _asks_value(self, item: RankedReading) -> bool:
        """Whether a question asks for the value itself: "the highest PRICE of …", read as a path onto prices."""
        parts = question_parts(masked(item.linked))
        last = item.path.hops[-1]
        names = self.context.record.statistics.readable_names
        own = content_words(names.get(last.relation, last.relation))
        named = any(same_root(parts.words[index], word) for index in parts.head for word in own)
        return named and (last.relation, last.forward) in self._value_steps()

    def _value_steps(self) -> set[tuple[str, bool]]:
        """The steps (relation and direction) onto values, not nodes."""
        return {
            (item.relation, item.forward)
            for item in self.context.record.statistics.hops
            if item.value or values_are(DATE, item) or values_are(NUMBER, item)
        }

    def _of_nodes(self, ranked: Sequence[RankedReading]) -> list[RankedReading]:
        """The readings without a last step onto a value: what is measured is the nodes before it."""
        values = self._value_steps()
        shortened: dict[tuple[tuple[str, ...], RelationPath], RankedReading] = {}
        for item in ranked:
            last = item.path.hops[-1]
            path = RelationPath(item.path.hops[:-1]) if (last.relation, last.forward) in values else item.path
            if path.hops:
                kept = replace(item, ranked=replace(item.ranked, path=path))
                shortened.setdefault((item.linked.entity_ids, path), kept)
        return list(shortened.values())

    def _value_hop(self, path: RelationPath, intent: Intent, question: str) -> HopStatistics | None:
        """The step from the path's end onto the value that the question compares: the one that it names, else of time
        or of size, and of several the one most like its word for the extreme."""
        known = {str(item.hop): item for item in self.context.record.statistics.hops}
        last = known.get(str(path.hops[-1]))
        onward = [known[name] for name in last.onward if name in known] if last else []
        dates = [item for item in onward if item.forward and values_are(DATE, item)]
        numbers = [item for item in onward if item.forward and item not in dates and values_are(NUMBER, item)]
        of_time = intent.extreme in OF_TIME or (not intent.extreme and any(DATE.fullmatch(v) for v in intent.values))
        return most_like(
            self.context,
            [*dates, *numbers],
            preferred=dates if of_time else numbers,
            words=[word.lower() for word in re.findall(r"[^\W_]+", question)],
            phrase=_measure(intent, question, of_time=of_time),
        )

    # Yes or no, the one of two -----------------------------------------------------------------------------------

    def _truth(self) -> Completed | None:
        """Yes or no from a property that is true or false; None where the question is explained by something else."""
        if not any(hop.value for hop in self.context.record.statistics.hops):
            return None  # nothing to rank for
        ranked = rank_readings(self.context, [self.linked])
        found = _first(self.context, ranked, tries=TRIES)
        if found is None or not found[1].path.hops[-1].value or set(found[3].answers) not in ({"yes"}, {"no"}):
            return None
        number, _, graph, _ = found
        assert isinstance(graph.answer, Value)
        true = Condition(graph.answer, "=", (True,))
        asked = replace(graph, conditions=(true,), answer=Aggregate("exists", Value(graph.root)))
        result = _run(self.context, asked, self.linked)
        made = self._made(asked, result, _left(ranked, number), ranked, joins=False)
        return made if not result.empty else replace(made, evidence=self._evidence(graph))

    def _evidence(self, graph: QueryGraph) -> tuple[Evidence, ...]:
        return evidence_of(self.context.knowledge, graph, _run(self.context, graph, self.linked))

    def _which(self, directions: tuple[Direction, Direction]) -> Completed | None:
        """The one of two entities that has the lesser or the greater value, along the best path that measures both."""
        alone = [_about(self.linked, number) for number in range(len(self.linked.topics))]
        ranked = [item for item in rank_readings(self.context, alone[:1]) if item.path.hops[-1].value]
        for number, item in enumerate(ranked[:TRIES]):
            found = [_run(self.context, along(item.path, one.entity_ids), one).answers for one in alone]
            texts = [answers[0] if len(answers) == 1 else "" for answers in found]
            if not all(NUMBER.fullmatch(text) or DATE.fullmatch(text) for text in texts):
                continue
            direction = directions[all(DATE.fullmatch(text) for text in texts)]
            graph = along(item.path, self.linked.entity_ids)
            assert isinstance(graph.answer, Value)
            begin = graph.variables[-1].name
            kind, form = kind_of_texts(texts)
            by = replace(graph.answer, form=form or ("date" if kind != "number" else ""))
            graph = replace(graph, answer=Value(begin), selections=(Selection(begin, by, direction == "greatest"),))
            result = _run(self.context, graph, self.linked)
            return self._made(graph, result, item.confidence, ranked[number:], joins=True)
        return None

    def _yes_or_no(self) -> Completed | None:
        """Whether the best path from one entity leads to the other."""
        options: list[tuple[RankedReading, str]] = []
        ids = self.linked.entity_ids
        for number, other in ((0, 1), (1, 0)):
            leaving = first_hops(self.context.knowledge, ids[other : other + 1])
            back = {(hop.relation, not hop.forward) for hop in leaving}
            ranked = rank_readings(self.context, [_about(self.linked, number)])
            options += [
                (item, ids[other])
                for item in ranked
                if (item.path.hops[-1].relation, item.path.hops[-1].forward) in back
            ]
        options.sort(key=lambda option: -option[0].ranked.score)
        near = [option for option in options[:TRIES] if option[0].ranked.score >= options[0][0].ranked.score - CLOSE]
        asked = [
            replace(along(item.path, item.linked.entity_ids, ends=[end]), answer=Aggregate("exists", Value(END)))
            for item, end in near
        ]
        readings = [item for item, _ in options]
        results: list[Result] = []
        for graph, (item, _) in zip(asked, near, strict=True):
            results.append(_run(self.context, graph, self.linked))
            if not results[-1].empty:
                return self._made(graph, results[-1], item.confidence, readings, joins=True)
        if not results:
            return None
        best = readings[0]
        made = self._made(asked[0], results[0], best.confidence, readings, joins=True)
        instead = self._evidence(along(best.path, best.linked.entity_ids))
        return replace(made, evidence=instead[:SHOWN])

    # What several lead to ----------------------------------------------------------------------------------------

    def _intersection(self) -> Completed | None:
        """The nodes to which a path from each of the topic entities leads."""
        context, linked = self.context, self.linked
        if not 1 < len(set(linked.entity_ids)) == len(linked.topics) <= MOST_TOPICS:
            return None  # a name that is told twice asks for nothing more
        together = rank_readings(context, [linked])
        if together and together[0].path.hops[-1].value:
            return None  # a property of the relationship between the two
        each = [_to_nodes(context, alone) for alone in _apart(linked)]

        @cache
        def ends(path: RelationPath, ids: tuple[str, ...]) -> set[str]:
            found = follow(context.knowledge, ids, path, limit=EVERYTHING).found
            return {item.entity.id for item in found} - set(linked.entity_ids)

        for readings in sorted(itertools.product(*each), key=lambda chosen: -sum(item.ranked.score for item in chosen)):
            if not set.intersection(*(ends(item.path, item.linked.entity_ids) for item in readings)):
                continue
            parts = [
                along(item.path, item.linked.entity_ids, prefix="abcdefgh"[number])
                for number, item in enumerate(readings)
            ]
            graph = without_its_beginning(joined(parts))
            result = _run(context, graph, linked)
            if not result.empty:
                return self._made(graph, result, min(item.confidence for item in readings), readings, joins=True)
        return None


def _to_nodes(context: Context, linked: LinkedQuestion) -> list[RankedReading]:
    """The best readings that end at nodes."""
    return [item for item in rank_readings(context, [linked]) if not item.path.hops[-1].value][:TRIES]


# Values --------------------------------------------------------------------------------------------------------------


def values_are(form: re.Pattern[str], item: HopStatistics) -> bool:
    """Whether most of the values that a step reaches are of this form."""
    return bool(item.names) and sum(bool(form.fullmatch(name)) for name in item.names) >= MOSTLY * len(item.names)


def _form(item: HopStatistics) -> Form:
    """How the values that a step reaches are compared."""
    return kind_of_texts(item.names)[1] or ("date" if values_are(DATE, item) else "number")


def _number(text: str) -> Scalar:
    """A number; of a date, its year."""
    return float(text if NUMBER.fullmatch(text) else text[:4])


def _measure(intent: Intent, question: str, *, of_time: bool) -> str:
    """The words to which the name of what is compared should be similar."""
    longer = re.search(r"\b([^\W\d_]+er) than\b", question)
    return intent.extreme or (longer[1] if longer else "time" if of_time else question)


def most_like(
    context: Context,
    items: Sequence[HopStatistics],
    *,
    preferred: Sequence[HopStatistics],
    words: Sequence[str],
    phrase: str,
) -> HopStatistics | None:
    """Of steps onto values the one that `words` name, else of the `preferred` ones (else of all) the one most like
    `phrase`; a property of the node itself before one of its relationships."""
    readable = context.record.statistics.readable_names
    names = {item.relation: readable.get(item.relation, item.relation) for item in items}
    named = [
        item
        for item in items
        if any(same_root(word, own) for own in content_words(names[item.relation]) for word in words)
    ]
    candidates = named or preferred or items
    if not candidates:
        return None
    candidates = [item for item in candidates if not split_value_relation(item.relation)[0]] or candidates
    vectors = context.encoder.encode([phrase, *(" ".join(name_words(names[item.relation])) for item in candidates)])
    return candidates[int((vectors[1:] @ vectors[0]).argmax())]


# Parts of a question -------------------------------------------------------------------------------------------------


def _reworded(linked: LinkedQuestion) -> LinkedQuestion:
    """The question without the words that serve its form."""
    plain = plain_question(masked(linked))
    mentions = tuple(Mention(plain.text[start:end], start, end) for start, end in plain.spans)
    if len(mentions) != len(linked.topics):
        return linked
    return replace(linked, text=plain.text, mentions=mentions)


def _apart(linked: LinkedQuestion) -> list[LinkedQuestion]:
    """The question as one about each of its topic entities."""
    order = sorted(range(len(linked.topics)), key=lambda number: _start(linked.mentions[number]))
    cut = clauses(masked(linked))
    if cut is None:
        return [_about(linked, number) for number in range(len(linked.topics))]
    words = dict(zip(order, cut, strict=True))
    return [_in_words(linked, number, words[number]) for number in range(len(linked.topics))]


def _start(mention: Mention | None) -> int:
    return mention.start if mention else -1


def _in_words(linked: LinkedQuestion, number: int, words: Sequence[str]) -> LinkedQuestion:
    """A question about the topic entity `number` in the words given, among which `TOPIC` stands for it."""
    mention = linked.mentions[number]
    assert mention is not None
    start = sum(len(word) + 1 for word in words[: words.index(TOPIC)])
    text = " ".join(mention.text if word == TOPIC else word for word in words)
    mentions = (Mention(mention.text, start, start + len(mention.text)),)
    return replace(linked, text=text, topics=(linked.topics[number],), mentions=mentions)


def _about(linked: LinkedQuestion, number: int) -> LinkedQuestion:
    """The question as one about its topic entity `number` alone: the other names and words of sharing are cut out."""
    kept = linked.mentions[number]
    assert kept is not None
    cuts = [(item.start, item.end) for item in linked.mentions if item is not None and item is not kept]
    words = re.finditer(r"\w+", linked.text)
    shared = [word.span() for word in words if word[0].lower() in SHARING | {"both"}]
    cuts += [span for span in shared if not kept.start <= span[0] < kept.end]
    text, start = linked.text, kept.start
    for first, last in sorted(set(cuts), reverse=True):
        text = text[:first] + text[last:]
        if first < kept.start:
            start -= last - first
    mention = Mention(kept.text, start, start + kept.end - kept.start)
    return replace(linked, text=text, topics=(linked.topics[number],), mentions=(mention,))
