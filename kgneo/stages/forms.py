"""Forms: answers that are no plain list of names: a count, yes or no, an extreme, a comparison, an intersection.

Comes in: the readings of a question. Goes out: a `Formed` answer, or None where the question is a plain one after all:
"first" can belong to a relation's name, "how many" can ask for a number that the graph holds. Each form reads the
question without the words that only serve it, as a path, and then works on where the path leads.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from kgneo.context import Context
from kgneo.english.clauses import clauses
from kgneo.english.intent import Direction, Intent, asks_truth, compared, interpret, plain_question
from kgneo.english.names import content_words, name_words, same_root
from kgneo.english.question import TOPIC, question_parts
from kgneo.english.words import SHARING
from kgneo.graph.neighbours import Neighbour, triples_along
from kgneo.graph.statistics import HopStatistics
from kgneo.graph.walks import Followed, first_hops, follow, shown_intersection, shown_query
from kgneo.model import Evidence, Hop, RelationPath, Triple, split_value_relation
from kgneo.stages.choose_reading import RankedReading, masked, rank_readings
from kgneo.stages.first_reading import first_that_leads
from kgneo.stages.link import LinkedQuestion, Mention

TRIES = 12
"""Paths of each entity that are followed at most."""
EVERYTHING = 100_000
CLOSE = 0.4
"""Points of score by which a path that joins two entities may be behind the best one and still mean yes."""
BEHIND = 1.0
"""Points of score by which a reading that leads to values may be behind the best one that leads to none."""
MOSTLY = 0.8
DATE = re.compile(r"-?\d{4}(-\d\d(-\d\d.*)?)?")
NUMBER = re.compile(r"[-+]?\d+(,\d{3})*(\.\d+)?")
OF_TIME = frozenset(
    ("first", "last", "earliest", "latest", "oldest", "newest", "eldest", "youngest", "most recent", "most recently")
)


@dataclass(frozen=True, slots=True)
class Formed:
    """An answer in a form of its own: `text` in full, `answers` as the list that is compared with others. `joins`:
    the question names both ends of what was walked, which says more than the confidence of one path."""

    text: str
    answers: tuple[str, ...]
    wording: str
    readings: tuple[RankedReading, ...]
    evidence: tuple[Evidence, ...]
    cypher: str
    parameters: Mapping[str, object]
    confidence: float
    joins: bool = False


def answer_in_form(context: Context, linked: LinkedQuestion) -> Formed | None:
    """The answer to a question that asks for something other than a list of names, or None."""
    intent = interpret(masked(linked))
    if any(mention is None for mention in linked.mentions):
        return None
    if len(linked.topics) == 1 and asks_truth(masked(linked)):
        return _truth(context, linked)
    if (directions := compared(masked(linked))) is not None:
        return _which(context, linked, directions)
    if intent.kind == "yes_no" and len(linked.topics) == 2:
        return _yes_or_no(context, linked)
    if intent.kind == "names" and intent.several:
        return _intersection(context, linked)
    if intent.kind in ("count", "superlative", "comparison"):
        return _over_names(context, linked, intent)
    return None


def _over_names(context: Context, linked: LinkedQuestion, intent: Intent) -> Formed | None:
    """A count, an extreme or a comparison over the entities that the rest of the question leads to."""
    ranked = rank_readings(context, [_reworded(linked)])
    measured: list[Evidence] = []
    note = ""
    if intent.kind != "count" or intent.operator:
        chosen = _first_measured(context, _of_nodes(context, ranked), intent)
        if chosen is None:
            return None
        best, followed, measured, note = chosen
    else:
        first = first_that_leads(context, ranked, tries=TRIES, limit=EVERYTHING)
        if first is None or first.reading.path.hops[-1].value:
            return None
        best, followed = first.reading, first.followed
        if all(NUMBER.fullmatch(found.entity.name) for found in followed.found):
            return None  # the graph holds the number itself
    names = tuple(found.entity.name for found in followed.found)
    cypher, parameters = shown_query(best.path, [topic.entity for topic in linked.topics], shape=context.shape)
    counted = intent.kind == "count"
    shown = names
    if intent.kind == "superlative" and _asks_value(context, ranked[0]):
        shown = tuple(dict.fromkeys(item.triple.object for item in measured))
    return Formed(
        text=f"{followed.total} ({listed(names)})" if counted and names else listed(shown) or "0",
        answers=(str(followed.total),) if counted else shown,
        wording=("number of: " if counted else "") + best.ranked.wording + note,
        readings=tuple(ranked[:3]),
        evidence=(*_touching(followed.evidence, names, len(best.path)), *measured),
        cypher=cypher,
        parameters=parameters,
        confidence=best.confidence,
    )


def _asks_value(context: Context, reading: RankedReading) -> bool:
    """Whether a question asks for the value itself: "the highest PRICE of …", read as a path onto prices."""
    parts = question_parts(masked(reading.linked))
    last = reading.path.hops[-1]
    name = content_words(context.record.statistics.readable_names.get(last.relation, last.relation))
    named = any(same_root(parts.words[index], own) for index in parts.head for own in name)
    return named and (last.relation, last.forward) in _value_steps(context)


def _value_steps(context: Context) -> set[tuple[str, bool]]:
    """The steps (relation and direction) onto values, not nodes."""
    return {
        (item.relation, item.forward)
        for item in context.record.statistics.hops
        if item.value or values_are(DATE, item) or values_are(NUMBER, item)
    }


def _first_measured(
    context: Context, ranked: Sequence[RankedReading], intent: Intent
) -> tuple[RankedReading, Followed, list[Evidence], str] | None:
    """The first reading that leads to nodes with values to compare, and those of the nodes that pass the test."""
    names = context.record.statistics.readable_names
    least = -math.inf
    for _ in range(TRIES):
        first = first_that_leads(context, ranked, tries=TRIES, limit=EVERYTHING, accept=_can_have_values)
        if first is None:
            return None
        best = first.reading
        words = {word for hop in best.path.hops for word in name_words(names.get(hop.relation, hop.relation))}
        if intent.extreme and intent.extreme in words:
            return None
        chosen = _by_value(context, best, first.followed, intent)
        if chosen is not None:
            return best, *chosen
        least = max(least, best.ranked.score - BEHIND)
        ranked = [item for item in first.alive[1:] if item.ranked.score >= least]
    return None


def _of_nodes(context: Context, ranked: Sequence[RankedReading]) -> list[RankedReading]:
    """The readings without a last step onto a value: what is measured is the nodes before it."""
    values = _value_steps(context)
    shortened: dict[tuple[tuple[str, ...], RelationPath], RankedReading] = {}
    for item in ranked:
        last = item.path.hops[-1]
        path = RelationPath(item.path.hops[:-1]) if (last.relation, last.forward) in values else item.path
        if path.hops:
            kept = replace(item, ranked=replace(item.ranked, path=path))
            shortened.setdefault((item.linked.entity_ids, path), kept)
    return list(shortened.values())


def _by_value(
    context: Context, best: RankedReading, followed: Followed, intent: Intent
) -> tuple[Followed, list[Evidence], str] | None:
    """Those of the entities found whose value passes the test or is the extreme; None where there is no value."""
    names = context.record.statistics.readable_names
    hop = _value_hop(context, best.path, intent, best.linked.text)
    if hop is None:
        return None
    if intent.operator and intent.extreme in name_words(names.get(hop.relation, hop.relation)):
        intent = replace(intent, kind="comparison")  # "first" is part of the value's name: "first ran before 1990"
    distances = {found.entity.id: len(best.path) for found in followed.found}
    values: dict[str, list[Neighbour]] = {}
    for neighbour in triples_along(context.knowledge, distances, hop):
        values.setdefault(neighbour.candidate.subject_id, []).append(neighbour)
    if all(_size(neighbour.end.name) is None for found in values.values() for neighbour in found):
        return None
    passing = _extreme(values, intent) if intent.kind == "superlative" else None
    kept = [
        (found, neighbour)
        for found in followed.found
        for neighbour in values.get(found.entity.id, ())
        if passes(neighbour.end.name, intent) and (passing is None or neighbour.end.name in passing)
    ]
    entities = tuple(dict.fromkeys(found for found, _ in kept))
    evidence = [Evidence(item.candidate.triple, item.candidate.hop) for _, item in kept]
    readable = " ".join(name_words(names.get(hop.relation, hop.relation)))
    test = f"the {intent.direction} {readable}" if passing is not None else f"{readable} {_test(intent)}"
    return Followed(entities, len(entities), followed.evidence), evidence, f", with {test}"


def _test(intent: Intent) -> str:
    return f"{intent.operator} {' and '.join(intent.values)}"


def _extreme(values: Mapping[str, Sequence[Neighbour]], intent: Intent) -> set[str]:
    """The values that are the least or the greatest of those that pass."""
    texts = {item.end.name for items in values.values() for item in items if passes(item.end.name, intent)}
    measured = {text: size for text in texts if (size := _size(text)) is not None}
    if not measured:
        return set()
    pick: Callable[..., tuple[float, str]] = min if intent.direction == "least" else max
    extreme = pick(measured.values())
    return {text for text, size in measured.items() if size == extreme}


def _size(text: str) -> tuple[float, str] | None:
    """What a value is ordered by: a number, or a year and then the rest of the date."""
    if DATE.fullmatch(text):
        sign = -1.0 if text.startswith("-") else 1.0
        return sign * float(text.lstrip("-")[:4]), text.lstrip("-")[4:]
    return (float(text.replace(",", "")), "") if NUMBER.fullmatch(text) else None


def passes(text: str, intent: Intent) -> bool:
    """Whether a value passes the test of a comparison, as everything does where there is none."""
    if not intent.operator:
        return True
    size = _size(text)
    if size is None:
        return False
    bounds = [float(value) if NUMBER.fullmatch(value) else float(value[:4]) for value in intent.values]
    value = size[0]
    tests = {
        "<": value < bounds[0],
        "<=": value <= bounds[0],
        ">": value > bounds[0],
        ">=": value >= bounds[0],
        "=": value == bounds[0],
        "between": bounds[0] <= value <= bounds[-1],
    }
    return tests[intent.operator]


def _value_hop(context: Context, path: RelationPath, intent: Intent, question: str) -> Hop | None:
    """The step from the path's end onto the value that the question compares: the one that it names, else of time or
    of size, and of several the one most like its word for the extreme."""
    known = {str(item.hop): item for item in context.record.statistics.hops}
    last = known.get(str(path.hops[-1]))
    onward = [known[name] for name in last.onward if name in known] if last else []
    dates = [item for item in onward if item.forward and values_are(DATE, item)]
    numbers = [item for item in onward if item.forward and item not in dates and values_are(NUMBER, item)]
    of_time = intent.extreme in OF_TIME or (not intent.extreme and any(DATE.fullmatch(v) for v in intent.values))
    best = most_like(
        context,
        [*dates, *numbers],
        preferred=dates if of_time else numbers,
        words=[word.lower() for word in re.findall(r"[^\W_]+", question)],
        phrase=_measure(intent, question, of_time=of_time),
    )
    return best.hop if best else None


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


def values_are(form: re.Pattern[str], item: HopStatistics) -> bool:
    """Whether most of the values that a step reaches are of this form."""
    return bool(item.names) and sum(bool(form.fullmatch(name)) for name in item.names) >= MOSTLY * len(item.names)


def _truth(context: Context, linked: LinkedQuestion) -> Formed | None:
    """Yes or no from a property that is true or false; None where the question is explained by something else."""
    if not any(hop.value for hop in context.record.statistics.hops):
        return None  # nothing to rank for
    ranked = rank_readings(context, [linked])
    first = first_that_leads(context, ranked, tries=TRIES, limit=EVERYTHING)
    if first is None or not first.reading.path.hops[-1].value:
        return None
    best, followed = first.reading, first.followed
    names = {found.entity.name for found in followed.found}
    if names not in ({"true"}, {"false"}):
        return None
    cypher, parameters = shown_query(best.path, [topic.entity for topic in linked.topics], shape=context.shape)
    answer = "yes" if names == {"true"} else "no"
    wording = f"whether it is true: {best.ranked.wording}"
    return Formed(answer, (answer,), wording, tuple(ranked[:3]), followed.evidence, cypher, parameters, best.confidence)


def _which(context: Context, linked: LinkedQuestion, directions: tuple[Direction, Direction]) -> Formed | None:
    """The one of two entities that has the lesser or the greater value, along the best path that measures both."""
    alone = [_about(linked, number) for number in range(len(linked.topics))]
    ranked = [item for item in rank_readings(context, alone[:1]) if item.path.hops[-1].value]
    for item in ranked[:TRIES]:
        followed = [follow(context.knowledge, one.entity_ids, item.path, limit=EVERYTHING) for one in alone]
        texts = [found.found[0].entity.name if found.total == 1 else "" for found in followed]
        sizes = [_size(text) for text in texts]
        if None in sizes:
            continue
        direction = directions[all(DATE.fullmatch(text) for text in texts)]
        pick: Callable[..., object] = min if direction == "least" else max
        best = pick(size for size in sizes if size is not None)
        entities = [topic.entity for topic in linked.topics]
        names = tuple(entity.name for entity, size in zip(entities, sizes, strict=True) if size == best)
        evidence = tuple(triple for found in followed for triple in found.evidence)
        cypher, parameters = shown_query(
            item.path, [entity for entity in entities if entity.name in names], shape=context.shape
        )
        wording = (
            f"the {direction}: {item.ranked.wording.replace('X', ' or '.join(entity.name for entity in entities), 1)}"
        )
        return Formed(
            listed(names), names, wording, tuple(ranked[:3]), evidence, cypher, parameters, item.confidence, joins=True
        )
    return None


def _yes_or_no(context: Context, linked: LinkedQuestion) -> Formed | None:
    """Whether the best path from one entity leads to the other."""
    options: list[tuple[RankedReading, int]] = []
    for number, other in ((0, 1), (1, 0)):
        back = {
            (hop.relation, not hop.forward)
            for hop in first_hops(context.knowledge, linked.entity_ids[other : other + 1])
        }
        ranked = rank_readings(context, [_about(linked, number)])
        options += [
            (item, other) for item in ranked if (item.path.hops[-1].relation, item.path.hops[-1].forward) in back
        ]
    options.sort(key=lambda option: -option[0].ranked.score)
    if not options:
        return None
    best = options[0][0].ranked.score
    answer, shown, followed = "no", options[0], Followed((), 0, ())
    for option in options[:TRIES]:
        if option[0].ranked.score < best - CLOSE:
            break
        target = linked.entity_ids[option[1]]
        reached = follow(context.knowledge, option[0].linked.entity_ids, option[0].path, limit=EVERYTHING)
        if any(found.entity.id == target for found in reached.found):
            answer, shown, followed = "yes", option, reached
            break
        followed = followed if followed.total else reached
    reading, other = shown
    name = linked.topics[other].entity.name
    evidence = _touching(followed.evidence, (name,), len(reading.path)) if answer == "yes" else followed.evidence[:10]
    cypher, parameters = shown_query(
        reading.path, [topic.entity for topic in reading.linked.topics], shape=context.shape
    )
    wording = f"is {name} among: {reading.ranked.wording}"
    readings = tuple(item for item, _ in options[:3])
    return Formed(answer, (answer,), wording, readings, evidence, cypher, parameters, reading.confidence, joins=True)


def _intersection(context: Context, linked: LinkedQuestion) -> Formed | None:
    """The entities to which a path from each of the topic entities leads."""
    together = rank_readings(context, [linked])
    if together and together[0].path.hops[-1].value:
        return None  # a property of the relationship between the two
    each = [_to_nodes(context, alone) for alone in _apart(linked)]
    topics = set(linked.entity_ids)

    @cache
    def ends(path: RelationPath, ids: tuple[str, ...]) -> Followed:
        return follow(context.knowledge, ids, path, limit=EVERYTHING)

    for readings in sorted(itertools.product(*each), key=lambda chosen: -sum(item.ranked.score for item in chosen)):
        reached = [ends(item.path, item.linked.entity_ids) for item in readings]
        common = set.intersection(*({found.entity.id for found in followed.found} for followed in reached)) - topics
        if not common:
            continue
        names = tuple(item.entity.name for item in reached[0].found if item.entity.id in common)
        evidence = [
            item
            for reading, followed in zip(readings, reached, strict=True)
            for item in _touching(followed.evidence, names, len(reading.path))
        ]
        entities = [topic.entity for topic in linked.topics]
        cypher, parameters = shown_intersection([item.path for item in readings], entities, shape=context.shape)
        wording = " and ".join(
            item.ranked.wording.replace("X", topic.entity.name, 1)
            for item, topic in zip(readings, linked.topics, strict=True)
        )
        confidence = min(item.confidence for item in readings)
        return Formed(
            listed(names), names, wording, readings[:3], tuple(evidence), cypher, parameters, confidence, joins=True
        )
    return None


def _to_nodes(context: Context, linked: LinkedQuestion) -> list[RankedReading]:
    """The best readings that end at nodes."""
    return [item for item in rank_readings(context, [linked]) if not item.path.hops[-1].value][:TRIES]


def _can_have_values(followed: Followed) -> bool:
    """Whether what was reached is no values themselves."""
    values = sum(_size(found.entity.name) is not None for found in followed.found)
    return values < MOSTLY * len(followed.found)


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


def _touching(evidence: Sequence[Evidence], names: Sequence[str], length: int) -> tuple[Evidence, ...]:
    """The evidence of some answers: all but last steps to others."""
    wanted = set(names)

    def touches(triple: Triple) -> bool:
        return triple.subject in wanted or triple.object in wanted

    return tuple(item for item in evidence if item.hop < length or touches(item.triple))


def listed(names: Sequence[str], shown: int = 20) -> str:
    """Names as a text, the first of many."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
