"""Learning: labelled questions become examples in the graph.

Comes in: questions with their answers; paths are not needed. Goes out: a report, and in the graph the examples and
the weights of the scorer. In this order:

1. The topic entities are found, as for asking, and the paths that leave them are ranked.
2. The paths are tried, best first, many questions at once, until one gives exactly the answers. Some more are tried
   after it, since two paths can have the same answers ("directed by" and "written by" the same person).
3. Where several paths fit, the questions decide together: what questions of the same text have in common, then what
   the examples that are most like it have, then the ranking.
4. A path that gives more than the answers is taken only if other questions support it, or if it is close. What no
   path answers, or what contradicts the majority of questions of the same text, is reported and not stored.
5. The examples are encoded and written; a scorer is trained on them and kept if it does better than the weights set
   by hand on questions that it did not see.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from kgneo.context import Context
from kgneo.encoders.encoder import Vectors
from kgneo.errors import EntityNotFound, GraphTimeout
from kgneo.graph import examples as stored
from kgneo.graph.examples import Example, SimilarExample
from kgneo.graph.path_answers import Given, Wanted, answers_of
from kgneo.learning.readings import Outcome, learn_readings
from kgneo.model import HopKeys, RelationPath, TopicEntity, path_keys
from kgneo.questions import Question
from kgneo.ranking.recall import Lesson, Row, Scorer, accuracy, features, train
from kgneo.stages.choose_reading import (
    MEMORY,
    TEMPERATURE,
    Known,
    RankedReading,
    masked_text,
    rank_alone,
    rank_readings,
)
from kgneo.stages.interpret import reading
from kgneo.stages.link import LinkedQuestion, readings, with_topics
from kgneo.unit_vectors import unit

RIVALS, RIVAL = 4, 0.03
"""Once a path fits, so many of the next ones are tried, if they are at least so likely."""
AT_ONCE = 4
TRIES = 40
"""Paths that are tried for a question until one gives its answers."""
REACH = 30.0
"""How many times as many answers as wanted a path may be expected to give for it to be tried."""
CLOSE = 0.6
"""F1 from which a path is taken that gives other answers, too, without support by other questions."""
SUPPORTED = 0.2
"""The same with support: all answers must be there, at least."""
LIKE = 0.8
"""Similarity from which a question supports another."""
FOLDS = 5
BETTER = 0.002
"""What training must gain to be worth it."""
LESSONS = 1_500
"""Examples that a scorer is trained on at most, those of most questions first."""
NEAR = 30
BATCH = 500
ROWS = 200
"""Paths of a question that are looked at."""
NOTHING = np.zeros(0, dtype=np.float32)
NEAR_WEIGHT = 8.0
"""Points of ranking that a similarity of 1 is worth."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A question that was not learned, and why."""

    question: str
    reason: str


@dataclass(frozen=True, slots=True)
class LearnReport:
    """`questions` were read, `learned` of them answered by a path, in `examples` of different text or path;
    `stored` is how many the graph holds now. `accuracy` (by hand, trained) is the share of examples whose path was
    chosen by a scorer that had not seen them."""

    questions: int
    learned: int
    examples: int
    stored: int
    rejected: tuple[Rejected, ...]
    paths: Mapping[str, int]
    trained: bool
    accuracy: tuple[float, float]


OnProgress = Callable[[str, int, int], None]


@dataclass
class _Item:
    """A question on its way: `rows` are pairs of a reading and a path, best first; `given` what tried ones give."""

    question: Question
    text: str
    rows: list[RankedReading]
    vector: Vectors
    given: dict[int, Given] = field(default_factory=dict)

    @property
    def exact(self) -> list[int]:
        """Numbers of the rows that give exactly the answers."""
        return [number for number, given in self.given.items() if given.exact]

    def number_of(self, keys: HopKeys) -> int | None:
        """The best row of that path."""
        return next((number for number, row in enumerate(self.rows) if path_keys(row.path) == keys), None)


def learn_questions(
    context: Context,
    questions: Sequence[Question],
    *,
    source: str = "",
    on_progress: OnProgress = lambda _stage, _done, _total: None,
) -> LearnReport:
    """Learn `questions`, which come from `source` (empty: somebody asked them). `on_progress` gets a stage ("reading",
    "trying", "reading by learned words", "training"), how far it is, and of how much.

    Questions without a named entity about a graph with labels become templates of query graphs
    (`kgneo.learning.readings`). Raises GraphError where the graph cannot be written.
    """
    known = reading(context)
    labelled = known is not None and known.implied is None
    plain = [item for item in questions if not item.entities and "[" not in item.text] if labelled else []
    if not plain:
        return _learn_paths(context, questions, on_progress)
    read = _of_readings(len(plain), learn_readings(context, plain, source=source, on_progress=on_progress))
    others = [item for item in questions if item not in plain]
    return _together(read, _learn_paths(context, others, on_progress)) if others else read


def _of_readings(questions: int, found: Outcome) -> LearnReport:
    rejected = tuple(Rejected(text, reason) for text, reason in found.rejected)
    return LearnReport(
        questions, found.learned, found.lessons, found.stored, rejected, found.templates, found.kept, found.accuracy
    )


def _together(one: LearnReport, two: LearnReport) -> LearnReport:
    """The report of questions learned as query graphs, and of others as paths; the accuracy is the first's."""
    return LearnReport(
        one.questions + two.questions,
        one.learned + two.learned,
        one.examples + two.examples,
        one.stored + two.stored,
        (*one.rejected, *two.rejected),
        {**one.paths, **two.paths},
        one.trained or two.trained,
        one.accuracy,
    )


def understood(context: Context, questions: Sequence[Question]) -> list[tuple[Question, RankedReading]]:
    """The questions whose meaning their answers tell, each with the entities and the relation path that it means;
    nothing is written. Raises GraphError."""
    meant, _ = _understood(context, questions, {}, lambda _stage, _done, _total: None)
    return [(item.question, row) for item, row in meant if isinstance(row, RankedReading)]


def _understood(
    context: Context, questions: Sequence[Question], known: Known, on_progress: OnProgress
) -> tuple[list[tuple[_Item, RankedReading | str]], list[Rejected]]:
    """Each question with the pair that it means, or why there is none; and questions without an entity of the graph."""
    items, rejected = _read(context, questions, known, on_progress)
    _try(context, items, on_progress)
    return list(zip(items, _decide(context, items), strict=True)), rejected


def _learn_paths(context: Context, questions: Sequence[Question], on_progress: OnProgress) -> LearnReport:
    known: Known = {}
    meant, rejected = _understood(context, questions, known, on_progress)
    learned = [(item, row) for item, row in meant if isinstance(row, RankedReading)]
    rejected += [Rejected(item.question.text, row) for item, row in meant if isinstance(row, str)]
    examples = _examples(learned)
    graph, fingerprint = context.graph, context.encoder.fingerprint
    if examples:
        vectors = context.encoder.encode([example.text for example in examples])
        stored.store(graph, examples, vectors, fingerprint=fingerprint)
    scorer, figures = train_scorer(context, on_progress, known)
    context.memory.pop(MEMORY, None)
    return LearnReport(
        questions=len(questions),
        learned=len(learned),
        examples=len(examples),
        stored=stored.count_examples(graph, fingerprint=fingerprint),
        rejected=tuple(rejected),
        paths=dict(Counter(str(row.path) for _, row in learned).most_common()),
        trained=scorer is not None,
        accuracy=figures,
    )


def _read(
    context: Context, questions: Sequence[Question], known: Known, on_progress: OnProgress
) -> tuple[list[_Item], list[Rejected]]:
    """Questions with their readings and ranked paths, and those without an entity of the graph."""
    items: list[_Item] = []
    rejected: list[Rejected] = []
    for start in range(0, len(questions), BATCH):
        batch, unknown = _linked(context, questions[start : start + BATCH])
        rejected += unknown
        told = iter(rank_alone(context, [linked[0] for _, linked in batch if len(linked) == 1], known))
        for question, linked in batch:
            rows = next(told) if len(linked) == 1 else rank_readings(context, linked, recall=False)
            items.append(_Item(question, masked_text(linked[0]), rows[:ROWS], NOTHING))
        on_progress("reading", min(start + BATCH, len(questions)), len(questions))
    texts = list(dict.fromkeys(item.text for item in items))
    vectors = dict(zip(texts, context.encoder.encode(texts), strict=True)) if texts else {}
    for item in items:
        item.vector = unit(vectors[item.text])
    return items, rejected


def _linked(
    context: Context, questions: Sequence[Question]
) -> tuple[list[tuple[Question, tuple[LinkedQuestion, ...]]], list[Rejected]]:
    """Questions with their readings; names that are spelt as the graph spells them are looked up at once."""
    names = list(dict.fromkeys(name for question in questions for name in question.entities))
    known = {name: found.entity for name, found in context.knowledge.names.by_name(names).items()}
    linked: list[tuple[Question, tuple[LinkedQuestion, ...]]] = []
    rejected: list[Rejected] = []
    for question in questions:
        if not question.answers:
            rejected.append(Rejected(question.text, "it has no answers as texts"))
            continue
        if question.entities and all(name in known for name in question.entities):
            topics = tuple(TopicEntity(known[name], name) for name in question.entities)
            linked.append((question, (with_topics(question.text, topics),)))
            continue
        try:
            linked.append((question, readings(context.knowledge, question.text, entities=question.entities)))
        except EntityNotFound as error:
            rejected.append(Rejected(question.text, error.message))
    return linked, rejected


def _try(context: Context, items: Sequence[_Item], on_progress: OnProgress) -> None:
    """Try the paths of every question, best first; those that questions of the same text found come before."""
    pending = {number: _worth_trying(context, item) for number, item in enumerate(items)}
    found: dict[str, Counter[HopKeys]] = defaultdict(Counter)
    while pending:
        groups: dict[RelationPath, list[tuple[int, int]]] = defaultdict(list)
        for number, queue in list(pending.items()):
            rows = _next(items[number], queue, found[items[number].text])
            if not rows:
                del pending[number]
            for row in rows:
                groups[items[number].rows[row].path].append((number, row))
        for path, pairs in groups.items():
            for (number, row), given in zip(pairs, _answers(context, path, items, pairs), strict=True):
                items[number].given[row] = given
                if given.exact:
                    found[items[number].text][path_keys(path)] += 1
        on_progress("trying", len(items) - len(pending), len(items))


def _answers(
    context: Context, path: RelationPath, items: Sequence[_Item], pairs: Sequence[tuple[int, int]]
) -> list[Given]:
    wanted = [
        Wanted(items[number].rows[row].linked.entity_ids, frozenset(items[number].question.answers))
        for number, row in pairs
    ]
    try:
        return answers_of(context.knowledge, path, wanted)
    except GraphTimeout:  # a path that takes too long from somewhere: it is no answer to any of these
        return [Given(0, 0, len(item.answers)) for item in wanted]


def _worth_trying(context: Context, item: _Item) -> Iterator[int]:
    """Numbers of the rows, best first, without paths that lead to far more than the answers."""
    fan_out = {str(hop.hop): hop.fan_out for hop in context.record.statistics.hops}
    most = REACH * (len(item.question.answers) + 5)
    for number, row in enumerate(item.rows):
        expected = 1.0
        for hop in row.path.hops[1:]:
            expected *= fan_out.get(str(hop), 1.0)
        if expected <= most:
            yield number


def _next(item: _Item, queue: Iterator[int], found: Counter[HopKeys]) -> list[int]:
    """The rows to try next: what others of this text found; likely ones, in case they fit, too, once one fits; else
    the best that are left. None when enough were tried."""
    shared = [row for keys in found if (row := item.number_of(keys)) is not None and row not in item.given]
    if shared:
        return shared
    if item.exact:
        return [row for row in islice(queue, RIVALS) if row not in item.given and item.rows[row].confidence >= RIVAL]
    if len(item.given) >= TRIES:
        return []
    wanted = 1 if not item.given else AT_ONCE
    return list(islice((row for row in queue if row not in item.given), wanted))


def _decide(context: Context, items: Sequence[_Item]) -> list[RankedReading | str]:
    """For each question the pair that it means, or why there is none."""
    sure = [(item, item.rows[item.exact[0]]) for item in items if len(item.exact) == 1]
    support: dict[str, Counter[HopKeys]] = defaultdict(Counter)
    for item, row in sure:
        support[item.text][path_keys(row.path)] += 1
    for example in stored.all_examples(context.graph, fingerprint=context.encoder.fingerprint):
        support[example.text][path_keys(example.path)] += example.count
    matrix = np.stack([item.vector for item, _ in sure]) if sure else np.zeros((0, 1), dtype=np.float32)
    neighbours = _Supporters(matrix, [path_keys(row.path) for _, row in sure], [item.question.id for item, _ in sure])
    first = [_choose(item, support[item.text], neighbours) for item in items]
    agreed: dict[str, Counter[HopKeys]] = defaultdict(Counter)
    for item, chosen in zip(items, first, strict=True):
        if chosen is not None:
            agreed[item.text][path_keys(item.rows[chosen].path)] += 1
    return [_verdict(item, row, agreed[item.text]) for item, row in zip(items, first, strict=True)]


class _Supporters:
    """Questions whose path is certain, to be asked what is usual for a question like another."""

    def __init__(self, matrix: Vectors, paths: Sequence[HopKeys], ids: Sequence[str]) -> None:
        self.matrix, self.paths, self.ids = matrix, paths, ids

    def of(self, item: _Item) -> dict[HopKeys, float]:
        """For each path the similarity of the most similar question that has it, the question itself left out."""
        best: dict[HopKeys, float] = defaultdict(float)
        if not self.paths:
            return best
        similarities = self.matrix @ item.vector
        for number in np.argsort(-similarities)[:NEAR]:
            if self.ids[number] != item.question.id:
                best[self.paths[number]] = max(best[self.paths[number]], float(similarities[number]))
        return best


def _choose(item: _Item, support: Counter[HopKeys], supporters: _Supporters) -> int | None:
    """The row of the path that the question means, None where no tried path is good enough."""
    if len(item.exact) == 1:
        return item.exact[0]
    near = supporters.of(item)

    def worth(number: int) -> tuple[float, ...]:
        keys = path_keys(item.rows[number].path)
        return support[keys], NEAR_WEIGHT * near[keys] + item.rows[number].score

    if item.exact:
        return max(item.exact, key=worth)
    supported = [
        number
        for number, given in item.given.items()
        if given.right == given.wanted
        and given.f1 >= SUPPORTED
        and (support[path_keys(item.rows[number].path)] or near[path_keys(item.rows[number].path)] >= LIKE)
    ]
    if supported:
        return max(supported, key=worth)
    close = [number for number, given in item.given.items() if given.f1 >= CLOSE]
    return max(close, key=lambda number: (item.given[number].f1, *worth(number))) if close else None


def _verdict(item: _Item, row: int | None, agreed: Counter[HopKeys]) -> RankedReading | str:
    if row is None:
        best = max(item.given.items(), key=lambda pair: pair[1].f1, default=None)
        if best is None or not best[1].right:
            return "no path from its entity gives any of its answers"
        path, given = item.rows[best[0]].path, best[1]
        return f"no path gives its answers; {path} gives {given.right} of {given.wanted} among {given.total}"
    chosen = path_keys(item.rows[row].path)
    usual, times = agreed.most_common(1)[0]
    if times > agreed[chosen]:
        number = item.number_of(usual)
        partly = item.given.get(number) if number is not None else None
        if number is not None and partly and partly.right == partly.wanted and partly.f1 >= SUPPORTED:
            return item.rows[number]  # the answers are some of those of the usual path; the other fits by chance
        meant = "/".join(("" if forward else "^") + relation for relation, forward, _ in usual)
        return f"contradicts {times} questions of the same text: they mean {meant}, this one {item.rows[row].path}"
    return item.rows[row]


def _examples(learned: Sequence[tuple[_Item, RankedReading]]) -> list[Example]:
    """One example for each text and path."""
    made: dict[str, Example] = {}
    for item, row in learned:
        example = Example(
            text=masked_text(row.linked),
            path=row.path,
            question=item.question.text,
            entity=row.linked.names[0],
            answers=len(item.question.answers),
        )
        known = made.get(example.key)
        made[example.key] = replace(known, count=known.count + 1) if known else example
    return list(made.values())


def train_scorer(
    context: Context,
    on_progress: OnProgress = lambda _stage, _done, _total: None,
    known: Known | None = None,
) -> tuple[Scorer | None, tuple[float, float]]:
    """Train the scorer on all examples of the graph; keep it if it is better on examples that it did not see.

    `known` are rankings that were made already.
    Out come the scorer (None: the weights by hand are as good) and the accuracy by hand and trained.
    """
    lessons = _lessons(context, on_progress, {} if known is None else known)
    scorer: Scorer | None = None
    by_hand = trained = accuracy(lessons, Scorer())
    if len(lessons) >= 2 * FOLDS:
        folds = [lessons[start::FOLDS] for start in range(FOLDS)]
        right = []
        for number, unseen in enumerate(folds):
            seen = [lesson for other, fold in enumerate(folds) if other != number for lesson in fold]
            right.append(accuracy(unseen, train(seen)) * sum(lesson.weight for lesson in unseen))
        trained = sum(right) / sum(lesson.weight for lesson in lessons)
        if trained > by_hand + BETTER:
            scorer = train(lessons)
    stored.write_scorer(context.graph, scorer.to_dict() if scorer else None)
    return scorer, (by_hand, trained)


def _lessons(context: Context, on_progress: OnProgress, known: Known) -> list[Lesson]:
    """What each example would have looked like as a question: among the others, and, as often as its text was asked
    more than once, with an example of its own text."""
    every = stored.all_examples(context.graph, fingerprint=context.encoder.fingerprint)
    if not every:
        return []
    vectors = unit(context.encoder.encode([example.text for example in every]))
    learned: Counter[HopKeys] = Counter()
    for example in every:
        learned[path_keys(example.path)] += example.count
    entities = context.knowledge.names.by_name([example.entity for example in every])
    usable = [number for number, example in enumerate(every[:LESSONS]) if example.entity in entities]
    questions = [
        with_topics(every[number].question, (TopicEntity(entities[every[number].entity].entity, every[number].entity),))
        for number in usable
    ]
    lessons: list[Lesson] = []
    for done, (number, ranked) in enumerate(zip(usable, rank_alone(context, questions, known), strict=True), start=1):
        on_progress("training", done, len(usable))
        example = every[number]
        rows = [Row(0, row.path, row.score * TEMPERATURE) for row in ranked[:ROWS]]
        right = next((i for i, row in enumerate(rows) if path_keys(row.path) == path_keys(example.path)), None)
        if right is None:
            continue
        near = _near(number, every, vectors)
        others = [item for item in near if item.example.key != example.key]
        lessons.append(Lesson(features(rows, [others], learned), right))
        if example.count > 1:
            lessons.append(Lesson(features(rows, [near], learned), right, float(np.log2(example.count))))
    return lessons


def _near(number: int, every: Sequence[Example], vectors: Vectors) -> list[SimilarExample]:
    similarities = vectors @ vectors[number]
    order = np.argsort(-similarities)[: NEAR + 1]
    return [SimilarExample(every[row], float(similarities[row])) for row in order]
