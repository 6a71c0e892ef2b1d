"""Learning readings: labelled questions about a graph with labels become templates of query graphs, and weights.

Comes in: questions with gold answers, or with a gold query. Goes out: a report, and in the graph the lessons and what
was learned from all of them together. In this order:

1. Each question is read as for asking, without what was learned before.
2. What it means is its gold query, where it has one. Else the interpretations are run, best first, until one gives
   exactly the gold answers; some more are tried after it, since two can give the same.
3. From these, weights are learned. By them, questions of which several interpretations fit are decided, and for those
   of which none does readings near the likeliest are run (`kgneo.reading.near`).
4. The weights are learned from all lessons of the graph, old and new. On questions whose templates they did not see it
   is found out how sure they must be to go before the reader; they are kept unless they never help.

Lessons that were drawn from the graph (`kgneo.learning.self_teaching`) say what words stand for, and nothing of what
people ask and how often: words are learned from them, weights and templates from what somebody asked alone. Of one text
the latter counts, and where there are enough of them, they alone tell what words are worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kgneo.context import Context
from kgneo.errors import DataError, GraphError, KgneoError
from kgneo.graph.lessons import DRAWN, Lesson, all_lessons, store_lessons, write_learned
from kgneo.graph.run import run
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import Condition, Edge, QueryGraph, Value, Variable
from kgneo.query.json import to_json
from kgneo.query.wording import wording
from kgneo.questions import Question
from kgneo.reading.bind import Templates, cut
from kgneo.reading.fits import Fits
from kgneo.reading.learned import PRIOR, Learned, search, train
from kgneo.reading.learned import Lesson as Candidates
from kgneo.reading.lexicon import EMPTY, Lexicon, learn_words
from kgneo.reading.near import Constant, Layout, Near, identity
from kgneo.reading.parts import Asked, names_in
from kgneo.reading.read import Interpretation
from kgneo.reading.vocabulary import Vocabulary
from kgneo.stages.apply_learned import MEMORY, Taught, likely, pool, ranked
from kgneo.stages.interpret import LONGEST, Reading, reading, unlearned
from kgneo.stages.run_readings import gives
from kgneo.text import digest, fold

OnProgress = Callable[[str, int, int], None]
TRIES = 8
"""Interpretations of a question that are run until one gives its answers."""
RIVALS = 2
"""Once one fits, so many of the next ones are run, too."""
NEARER = 12
"""Readings near the likeliest that are run where none of the reader's gives the answers."""
FEWEST = 10
"""Lessons from which on some are left out to see what learning is worth; fewer are taken as they are."""
MOST = 1_200
"""Lessons that weights are learned from, those of most questions first."""
COOLEST, HOTTEST = 2.0, 20.0
"""Temperature where nothing could be checked, and the highest."""
AGAINST = 24
"""Likely readings of a question that its right one is set against."""
UNSEEN = 5
"""The lessons of one of so many templates are left out to see what learning is worth."""
NEVER = 1.01
SURES = (0.0, 0.3, 0.5, 0.7, 0.9, NEVER)
"""Probabilities from which on a learned reading may go before the reader's."""
USUAL = 3
"""Questions in which a value must be meant and not named for it to be tried for others."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the questions: lessons by the words of their templates, why others were left out, how many
    questions were learned, and the shares of unseen ones read right by the reader alone and by what was learned."""

    learned: int
    lessons: int
    stored: int
    rejected: tuple[tuple[str, str], ...]
    templates: Mapping[str, int]
    kept: bool
    accuracy: tuple[float, float]


@dataclass
class _Item:
    """A question on its way: its readings, those that give its answers, and the one that it means."""

    question: Question
    asked: Asked
    understood: list[Interpretation]
    fitting: list[QueryGraph] = field(default_factory=list)
    meant: QueryGraph | None = None
    times: int = 1
    source: str = ""


def learn_readings(
    context: Context,
    questions: Sequence[Question],
    *,
    source: str = "",
    on_progress: OnProgress = lambda _stage, _done, _total: None,
) -> Outcome:
    """Learn `questions`, which are of that `source`; without any, the weights are learned anew from the lessons of the
    graph.

    Raises GraphError where the graph cannot be written.
    """
    known = reading(context)
    assert known is not None
    items, rejected = _read(context, known, questions, on_progress)
    for done, item in enumerate(items, start=1):
        _find(context, known, item)
        on_progress("trying", done, len(items))
    _decide(context, known, items)
    rejected += [(item.question.text, "no reading gives its answers") for item in items if item.meant is None]
    learned = [item for item in items if item.meant is not None]
    lessons = _lessons(learned, source)
    if lessons:
        store_lessons(context.graph, lessons)
    kept, accuracy, stored = _train_all(context, known, learned, on_progress)
    context.memory.pop(MEMORY, None)
    templates = Counter(wording(item.meant) for item in learned if item.meant is not None)
    return Outcome(len(learned), len(lessons), stored, tuple(rejected), dict(templates.most_common()), kept, accuracy)


def _read(
    context: Context, known: Reading, questions: Sequence[Question], on_progress: OnProgress
) -> tuple[list[_Item], list[tuple[str, str]]]:
    items: list[_Item] = []
    rejected: list[tuple[str, str]] = []
    for done, question in enumerate(questions, start=1):
        try:
            understood = unlearned(context, question.text)
        except KgneoError as error:
            rejected.append((question.text, error.message))
            continue
        if not understood:
            rejected.append((question.text, "it cannot be read"))
        elif not (question.answers or question.nodes or question.cypher or question.query_graph):
            rejected.append((question.text, "it has no answers"))
        else:
            items.append(_Item(question, Asked(question.text, understood[0].mentions, known.fits), understood))
        on_progress("reading", done, len(questions))
    return items, rejected


# What a question means -----------------------------------------------------------------------------------------------


def _find(context: Context, known: Reading, item: _Item) -> None:
    """The meaning of a question by its gold query, or readings that give its gold answers."""
    item.meant = _told(item, known.fits.vocabulary)
    if item.meant is None:
        item.fitting = _fitting(context, item, [found.graph for found in item.understood[:TRIES]])


def _told(item: _Item, vocabulary: Vocabulary) -> QueryGraph | None:
    """The gold query of a question; None where there is none, or none that can be a query graph."""
    graph = item.question.query_graph
    if graph is None and item.question.cypher:
        try:
            graph = from_cypher(item.question.cypher)
        except DataError:
            return None
    return None if graph is None else settled(graph, vocabulary, item.asked)


def settled(graph: QueryGraph, vocabulary: Vocabulary, asked: Asked) -> QueryGraph:
    """A query graph in the form in which questions are read: relationships go the way that the schema has them, values
    are compared as their properties are, and are those that the question names where they are the same."""
    layout = Layout(graph)
    forms = {(key.owner, key.key): key.form for key in vocabulary.keys}
    values = {
        (meaning.owner, meaning.key.key, fold(str(value))): meaning.values
        for mention in asked.named for meaning in mention.meanings if meaning.key is not None
        for value in meaning.values
    }  # fmt: skip

    def edge(item: Edge) -> Edge:
        one, two = layout.labels[item.subject], layout.labels[item.object]
        if item.directed or one == two:
            return item
        ways = {step.forward for step in vocabulary.leaving.get(one, ()) if step.label == two
                and (step.relation,) == item.relations}  # fmt: skip
        if len(ways) != 1:
            return item
        ends = (item.subject, item.object) if ways == {True} else (item.object, item.subject)
        return replace(item, subject=ends[0], object=ends[1], directed=True)

    def condition(item: Condition) -> Condition:
        if not isinstance(item.left, Value) or not isinstance(item.right, tuple) or len(item.right) != 1:
            return item
        own = layout.labels.get(item.left.of, "")
        if item.operator == "=":
            return replace(item, right=values.get((own, item.left.key, fold(str(item.right[0]))), item.right))
        return replace(item, left=replace(item.left, form=item.left.form or forms.get((own, item.left.key), "")))

    selections = tuple(
        replace(item, by=replace(item.by, form=forms.get((layout.labels.get(item.by.of, ""), item.by.key), "")))
        if isinstance(item.by, Value) and not item.by.form else item
        for item in graph.selections
    )  # fmt: skip
    return replace(
        graph,
        edges=tuple(edge(item) for item in graph.edges),
        conditions=tuple(condition(item) for item in graph.conditions),
        selections=selections,
    )


def _fitting(context: Context, item: _Item, graphs: Sequence[QueryGraph]) -> list[QueryGraph]:
    """Those of the first `graphs` that give exactly the gold answers."""
    found: list[QueryGraph] = []
    left = len(graphs)
    for graph in graphs:
        if left <= 0:
            break
        left -= 1
        if gives(context, graph, item.question.answers, item.question.nodes):
            left = min(left, RIVALS) if not found else left
            found.append(graph)
    return found


def _decide(context: Context, known: Reading, items: Sequence[_Item]) -> None:
    """Of several readings that fit the likeliest; where none does, the likeliest of those near that fits."""
    for item in items:
        if len(item.fitting) == 1:
            item.meant = item.fitting[0]
    sure = [item for item in items if item.meant is not None]
    vocabulary = known.fits.vocabulary
    templates, constants = _templates(sure), _constants(sure)
    learned = PRIOR
    if len(sure) >= FEWEST:
        learned = train([_candidates(item, vocabulary, PRIOR, templates, constants) for item in sure[:MOST]])
    for item in items:
        if item.meant is not None:
            continue
        judge = learned.judge(item.asked)
        if not item.fitting:
            near = Near(vocabulary.stored, item.asked.named, constants)
            ranked = search(judge, near, pool(item.asked, item.understood, templates))
            item.fitting = _fitting(context, item, [graph for _, graph in ranked[:NEARER]])
        if item.fitting:
            item.meant = max(item.fitting, key=lambda graph: judge.score(Layout(graph)))


# What is learned from all --------------------------------------------------------------------------------------------


def _lessons(items: Sequence[_Item], source: str) -> list[Lesson]:
    """One lesson for each text and template."""
    made: dict[str, Lesson] = {}
    for item in items:
        assert item.meant is not None
        template = cut(item.meant, item.asked.named)
        lesson = Lesson(item.asked.masked, template, item.question.text, item.meant, source=source)
        earlier = made.get(lesson.key)
        made[lesson.key] = replace(earlier, count=earlier.count + 1) if earlier else lesson
    return list(made.values())


def _train_all(
    context: Context, known: Reading, items: Sequence[_Item], on_progress: OnProgress
) -> tuple[bool, tuple[float, float], int]:
    """Learn from all lessons of the graph; whether it is kept, what it is worth, and how many lessons there are."""
    fresh = {item.question.text: item for item in items}
    stored = _outranked(all_lessons(context.graph))
    read = [(fresh.get(lesson.question) or _again(context, known, lesson), lesson) for lesson in stored[:MOST]]
    every = [replace(item, times=lesson.count, source=lesson.source) for item, lesson in read if item is not None]
    if not every:
        write_learned(context.graph, None)
        return False, (0.0, 0.0), 0
    learned, accuracy = _trained(context, known, every, on_progress)
    if min(learned.sure) == NEVER and not learned.lexicon.words:
        write_learned(context.graph, None)
        return False, accuracy, len(stored)
    record = {
        "weights": learned.learned.weights,
        "temperature": learned.temperature,
        "sure": list(learned.sure),
        "words": learned.lexicon.words,
        "constants": [[label, to_json(_alone(label, item))] for label, item in learned.constants],
    }
    write_learned(context.graph, record)
    return True, accuracy, len(stored)


def _outranked(lessons: Sequence[Lesson]) -> list[Lesson]:
    """The lessons without those that were drawn and have the text of one that somebody asked."""
    asked = {lesson.text.casefold() for lesson in lessons if not lesson.source}
    return [lesson for lesson in lessons if not lesson.source or lesson.text.casefold() not in asked]


def _again(context: Context, known: Reading, lesson: Lesson) -> _Item | None:
    """A lesson of the graph as a question that was just read."""
    try:
        understood = unlearned(context, lesson.question)
    except KgneoError:
        return None
    if not understood:
        return None
    question = Question(lesson.key, lesson.question, ())
    return _Item(question, Asked(lesson.question, understood[0].mentions, known.fits), understood, meant=lesson.graph)


def _trained(
    context: Context, known: Reading, items: Sequence[_Item], on_progress: OnProgress
) -> tuple[Taught, tuple[float, float]]:
    """What is learned, words first. It is checked on questions whose templates it did not see: the shares that the
    reader alone answers right, and that it does with what was learned."""
    unseen = _left_out(items)
    seen = [item for item in items if id(item) not in {id(other) for other in unseen}]
    wanted = [_results(context, known, [item.meant] if item.meant else []) for item in unseen]
    alone = _reads_right(context, known, wanted, unseen)
    lexicon, told = _words_checked(context, known, seen, unseen, wanted, alone, on_progress)
    asked = [place for place, item in enumerate(unseen) if item.source != DRAWN]
    apart = _Unseen([unseen[place] for place in asked], [wanted[place] for place in asked], told[asked])
    taught, gain = _weighed(context, known, [item for item in items if item.source != DRAWN], apart, on_progress)
    every = _words(items) if lexicon.words or not unseen else EMPTY
    accuracy = (float(alone.mean()), float(told.mean()) + gain) if unseen else (0.0, 0.0)
    return replace(taught, lexicon=every), accuracy


@dataclass(frozen=True)
class _Unseen:
    """Questions that are left out to see what learning is worth: what each should find, and whether the reader reads it
    right."""

    items: Sequence[_Item]
    wanted: Sequence[frozenset[str]]
    told: NDArray[np.bool_]


def _weighed(
    context: Context, known: Reading, items: Sequence[_Item], unseen: _Unseen, on_progress: OnProgress
) -> tuple[Taught, float]:
    """Weights and templates of what somebody asked, in two rounds: what is right is set against what the reader takes
    for likely, and then against what the first weights do; and what share of the unseen questions that gains."""
    if not items:
        return Taught(PRIOR, Templates.of([]), temperature=COOLEST, sure=(NEVER, NEVER)), 0.0
    vocabulary = known.fits.vocabulary
    seen = [item for item in items if id(item) not in {id(other) for other in unseen.items}]
    total = len(seen) + len(items)
    templates, constants = _templates(seen), _constants(seen)
    lessons: dict[int, Candidates] = {}
    for item in seen:
        lessons[id(item)] = _candidates(item, vocabulary, PRIOR, templates, constants)
        on_progress("training", len(lessons), total)
    first = Taught(train(list(lessons.values())), templates, constants)
    checked, gain = _checked(context, known, first, unseen.items, unseen.wanted, unseen.told)
    templates, constants = _templates(items), _constants(items)
    for done, item in enumerate(items, start=1):
        more = _candidates(item, vocabulary, first.learned, templates, constants)
        lessons[id(item)] = _merged(lessons[id(item)], more) if id(item) in lessons else more
        on_progress("training", len(seen) + done, total)
    learned = train(list(lessons.values()), start=first.learned)
    return Taught(learned, templates, constants, checked.temperature, checked.sure), gain


def _words(items: Sequence[_Item]) -> Lexicon:
    """What the words of questions stand for."""
    return learn_words((item.asked.masked.split(), names_in(item.meant), item.times) for item in items if item.meant)


def _words_checked(
    context: Context,
    known: Reading,
    seen: Sequence[_Item],
    unseen: Sequence[_Item],
    wanted: Sequence[frozenset[str]],
    alone: NDArray[np.bool_],
    on_progress: OnProgress,
) -> tuple[Lexicon, NDArray[np.bool_]]:
    """The lexicon of the questions that are `seen`, unless the reader does worse by it on those that are `unseen`, and
    which of these it then reads right (`alone`: without it). With a lexicon all of them are read anew."""
    lexicon = _words(seen)
    if not lexicon.words or not unseen:
        return EMPTY, alone
    items = [*seen, *unseen]
    before = [item.understood for item in items]
    fits = known.fits.with_words(lexicon)
    for done, item in enumerate(items, start=1):
        _read_anew(context, item, fits)
        on_progress("reading by learned words", done, len(items))
    told = _reads_right(context, known, wanted, unseen)
    if told.mean() >= alone.mean():
        return lexicon, told
    for item, understood in zip(items, before, strict=True):
        item.understood, item.asked = understood, replace(item.asked, fits=known.fits)
    return EMPTY, alone


def _read_anew(context: Context, item: _Item, fits: Fits) -> None:
    """Read a question by fits that know learned words; where it cannot be read by them, it stays as it was."""
    try:
        understood = unlearned(context, item.question.text, fits=fits)
    except KgneoError:
        return
    if understood:
        item.understood = understood
        item.asked = Asked(item.question.text, understood[0].mentions, fits)


def _left_out(items: Sequence[_Item]) -> list[_Item]:
    """The questions of some templates, of those that somebody asked where these are not few; none where all are few."""
    own = [item for item in items if item.source != DRAWN]
    return _some_templates(own) or _some_templates(items)


def _some_templates(items: Sequence[_Item]) -> list[_Item]:
    keys = [repr(identity(Layout(cut(item.meant, item.asked.named)))) for item in items if item.meant is not None]
    out = set(sorted(set(keys), key=digest)[::UNSEEN]) if len(items) >= FEWEST and len(set(keys)) >= UNSEEN else set()
    return [item for item, key in zip(items, keys, strict=True) if key in out]


def _checked(
    context: Context,
    known: Reading,
    taught: Taught,
    unseen: Sequence[_Item],
    wanted: Sequence[frozenset[str]],
    alone: NDArray[np.bool_],
) -> tuple[Taught, float]:
    """`taught` with the temperature at which it expects as many right answers as it has, and how sure it must be; what
    share of the questions that gains, of which the reader answers those right that `alone` says. Too few questions to
    hold some back show nothing of readings that nobody taught."""
    if not unseen:
        return replace(taught, temperature=COOLEST, sure=(0.0, NEVER)), 0.0
    orders = [ranked(taught, known.fits, item.asked, pool(item.asked, item.understood, taught.templates))
              for item in unseen]  # fmt: skip
    right = _right(context, known, wanted, [[found.graph for found in order] for order in orders])
    temperature = _temperature([[found.score for found in order] for order in orders], float(right.mean()))
    shares = np.array([likely([found.score for found in order], temperature)[0] for order in orders])
    bound = np.array([order[0].learned for order in orders])
    sure, gain = thresholds(shares, bound, right, alone)
    return replace(taught, temperature=temperature, sure=sure), gain


def thresholds(
    shares: NDArray[np.float64], bound: NDArray[np.bool_], right: NDArray[np.bool_], alone: NDArray[np.bool_]
) -> tuple[tuple[float, float], float]:
    """From which probabilities on learned readings go before the reader's, those of learned templates (`bound`) and
    others, and what share of questions that gains. `shares` are the probabilities of the learned readings, `right` and
    `alone` whether these and the reader's own are right, one for each question. Others go first only where that gains
    more than one standard error."""
    gains = {
        (one, other): np.where(shares >= np.where(bound, one, other), right, alone).astype(float) - alone
        for one in SURES for other in SURES
    }  # fmt: skip
    sure = max(gains, key=lambda item: (gains[item].mean(), item[1]))
    if gains[sure].mean() <= gains[sure].std() / len(shares) ** 0.5:
        sure = max((item for item in gains if item[1] == NEVER), key=lambda item: gains[item].mean())
    return sure, float(gains[sure].mean())


def _reads_right(
    context: Context, known: Reading, wanted: Sequence[frozenset[str]], items: Sequence[_Item]
) -> NDArray[np.bool_]:
    """For each question whether the reader's interpretations find what is `wanted`."""
    return _right(context, known, wanted, [[found.graph for found in item.understood] for item in items])


def _right(
    context: Context, known: Reading, wanted: Sequence[frozenset[str]], orders: Sequence[Sequence[QueryGraph]]
) -> NDArray[np.bool_]:
    """For each question whether its query graphs, best first, find what is `wanted`."""
    return np.array([
        bool(want) and _results(context, known, graphs[:TRIES]) == want
        for want, graphs in zip(wanted, orders, strict=True)
    ])  # fmt: skip


def _results(context: Context, known: Reading, graphs: Sequence[QueryGraph]) -> frozenset[str]:
    """What the first of `graphs` that finds something finds: nodes by their ids, values as texts."""
    for graph in graphs:
        try:
            result = run(context.knowledge, graph, keys=known.keys, naming=known.naming,
                         limit=context.options.limit, timeout=LONGEST)  # fmt: skip
        except GraphError:
            continue
        if not result.empty:
            return frozenset(node.id for node in result.nodes) or frozenset(result.answers)
    return frozenset()


def _candidates(
    item: _Item, vocabulary: Vocabulary, learned: Learned, templates: Templates, constants: Sequence[Constant]
) -> Candidates:
    """What a question means, and likely readings that it does not."""
    assert item.meant is not None
    given = pool(item.asked, item.understood, templates, own=cut(item.meant, item.asked.named))
    extras = {identity(Layout(graph)): extra for graph, extra in given}
    right = identity(Layout(item.meant))
    near = Near(vocabulary.stored, item.asked.named, constants)
    nearest = search(learned.judge(item.asked), near, given)
    graphs = {right: item.meant} | {
        identity(Layout(graph)): graph for _, graph in nearest[:AGAINST] if not _same(graph, item.meant)
    }
    pairs = [(graph, extras.get(key, {})) for key, graph in graphs.items()]
    return Candidates(item.asked, pairs, [key == right for key in graphs], item.times)


def _merged(one: Candidates, two: Candidates) -> Candidates:
    known = {identity(Layout(graph)) for graph, _ in one.graphs}
    new = [pair for pair in two.graphs if identity(Layout(pair[0])) not in known]
    return replace(one, graphs=[*one.graphs, *new], right=[*one.right, *(False for _ in new)])


def _same(graph: QueryGraph, meant: QueryGraph | None) -> bool:
    return meant is not None and identity(Layout(graph)) == identity(Layout(meant))


def _temperature(scores: Sequence[Sequence[float]], share: float) -> float:
    """The temperature at which the best of `scores` are expected to be right as often as they were."""
    if not scores:
        return COOLEST
    low, high = 1.0, HOTTEST
    for _ in range(20):
        middle = (low + high) / 2
        expected = sum(likely(found, middle)[0] for found in scores) / len(scores)
        low, high = (middle, high) if expected > share else (low, middle)
    return round(high, 3)


def _templates(items: Sequence[_Item]) -> Templates:
    counts: dict[object, tuple[QueryGraph, int]] = {}
    for item in items:
        assert item.meant is not None
        template = cut(item.meant, item.asked.named)
        key = identity(Layout(template))
        counts[key] = (template, item.times + (counts[key][1] if key in counts else 0))
    return Templates.of(list(counts.values()))


def _constants(items: Sequence[_Item]) -> tuple[Constant, ...]:
    """Conditions that questions mean without naming their values, those that several have."""
    found: Counter[Constant] = Counter()
    for item in items:
        assert item.meant is not None
        labels = Layout(item.meant).labels
        for condition in item.meant.conditions:
            left = condition.left
            if not isinstance(left, Value) or condition.operator != "=" or isinstance(condition.right, Value):
                continue
            label = labels.get(left.of, "")
            if label and (label, left.key, condition.right) not in item.asked.meanings:
                found[label, replace(condition, left=replace(left, of="x0"))] += item.times
    return tuple(constant for constant, times in found.items() if times >= USUAL)


def _alone(label: str, condition: Condition) -> QueryGraph:
    """A condition as a query graph of one variable, in which it can be kept."""
    return QueryGraph((Variable("x0", (label,)),), Value("x0"), conditions=(condition,))
