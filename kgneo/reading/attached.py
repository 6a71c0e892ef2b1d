"""Attached: readings beside one, which differ from it in where a part of the question attaches, or how far it reaches.

Comes in: what was heard of a question, and a reading of it. Goes out: readings near it, each by the actions of one
edit, with the words that it says and the reading left unsaid. Words license edits: "or" between two conditions makes
them alternatives, "average" measures what a comparison tests, "both" asks for one way for each of two values. An edit
that says no more than the reading does costs something, so that it stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from kgneo.english.names import is_past, name_words, same_root
from kgneo.english.numbers import multiple_of
from kgneo.english.words import ARTICLES, ASKING, COMMON, FUNCTION_WORDS, IDENTIFYING, MEASURES
from kgneo.query.graph import (
    Aggregate,
    Condition,
    Edge,
    Function,
    Operator,
    QueryGraph,
    Selection,
    Value,
    Variable,
    values_of,
)
from kgneo.query.growth import Action, Ask, Begin, Cut, Either, Join, Order, Show, Turn, Where, apply, fresh, grown
from kgneo.query.tree import Tree, tree_of
from kgneo.reading.conditions import Conditions
from kgneo.reading.fits import words_with_unit
from kgneo.reading.form import Comparison
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.measures import COUNTING, is_age, reverses
from kgneo.reading.vocabulary import MEASURED, Key, Step

SAID = 0.15
"""What it is worth that a word is said which the reading leaves unsaid."""
LICENSED = 0.3
"""What it is worth that a word surely asks for an edit."""
MOVED, TURNED, BARE = 0.8, 1.0, 1.5
"""What it costs to attach a part elsewhere, to say something else in its place, and to ask for what no word names."""
EPSILON = 1e-3
"""What it costs to say what is as likely."""
TOGETHER = 1.2
"""What it is worth that all nouns that "and" joins are asked for."""
LONGEST_NOUN = 3
"""Words of a noun phrase for a property."""
LIKE = 0.4
"""Fit of a word of dimension from which it may speak of a property."""
BEFORE = 3
"""Words from one that says what is made of a number to the name of that, at most."""
MOST_BEGINNINGS = 2
"""Labels from which edits begin where nothing else was read."""
OF_EACH: dict[str, Function] = {
    **dict.fromkeys(("average", "mean"), "average"), **dict.fromkeys(("total", "cumulative", "combined"), "sum"),
}  # fmt: skip
"""Words for what is made of the numbers of each."""
NAMES = frozenset(("name", "names"))
VERB_AHEAD = frozenset(("who", "that", "which", "can", "could", "may", "must", "will", "would", "to"))
"""Words right behind which a verb stands, and no noun: "actors who CAN sing and joined in 2021"."""
POSSESSIVES = frozenset(("their", "its", "his", "her"))
ANY_ONE = frozenset(("a", "an", "any", "some"))
WITH = "with"
LACKING = frozenset(("free", "without", "lack", "lacks", "lacking", "never"))
Part = Condition | Selection


@dataclass(frozen=True, slots=True)
class Edit:
    """Actions, what they are worth besides the words that they say, and these words."""

    actions: tuple[Action, ...]
    worth: float
    said: frozenset[int] = frozenset()
    tied: bool = False
    """Whether what it makes of the reading is as likely as that."""

    @classmethod
    def saying(cls, actions: tuple[Action, ...], said: frozenset[int], cost: float) -> Edit:
        """An edit that costs nothing where it says words, and else so much."""
        return cls(actions, 0.0 if said else -cost, said)


def attached(heard: Heard, graph: QueryGraph, left: Sequence[int]) -> Iterator[tuple[QueryGraph, Edit]]:
    """The query graphs one edit away from `graph`, which leaves the words `left` unsaid, each with the edit; some are
    there twice, and some the schema does not allow."""
    view = _View(heard, graph, frozenset(left))
    for edits in EDITS:
        for edit in edits(view):
            yield grown(graph, edit.actions), edit


def beginnings(heard: Heard) -> Iterator[tuple[QueryGraph, frozenset[int]]]:
    """Query graphs from which edits begin where nothing else was read: all nodes that have a property which the
    question surely names, with the words that name it and them."""
    found: dict[str, frozenset[int]] = {}
    for label in heard.fits.vocabulary.labels:
        view = _View(heard, apply(None, Begin((label,))), frozenset())
        words = frozenset(index for _, _, named in view.known for index in named)
        if words:
            found[label] = words | view.naming(label)
    best = sorted(found, key=lambda label: -len(found[label]))[:MOST_BEGINNINGS]
    yield from ((apply(None, Begin((label,))), found[label]) for label in best)


@dataclass(frozen=True)
class _View:
    """A query graph with the words of its question."""

    heard: Heard
    graph: QueryGraph
    left: frozenset[int]

    @cached_property
    def tree(self) -> Tree:
        """How it hangs together."""
        return tree_of(self.graph)

    @property
    def plain(self) -> Sequence[str]:
        """The words, folded."""
        return self.heard.plain

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is tested and ordered."""
        return (*self.graph.conditions, *self.graph.selections)

    @cached_property
    def visible(self) -> tuple[str, ...]:
        """The variables that are not behind an absent edge."""
        there = self.tree.parents.keys() - self.tree.hidden
        return tuple(item.name for item in self.graph.variables if item.name in there)

    @cached_property
    def known(self) -> tuple[tuple[Value, Key, frozenset[int]], ...]:
        """The properties of what is visible that words surely name, with these."""
        edges = (edge.name for edge in self.graph.edges if edge.name and not edge.absent)
        return tuple(
            (Value(name, key.key, key.form), key, words)
            for name in (*self.visible, *edges)
            for key in self.keys_of(name)
            if (words := self.named(key))
        )

    @cached_property
    def functions(self) -> tuple[tuple[int, Function], ...]:
        """The words for what is made of numbers that are in no property's name."""
        own = {index for start, end, _ in self.heard.whole_keys for index in range(start, end)}
        own |= {index for item in self.heard.form.comparisons for index in range(item.start, item.end)}
        return tuple(
            (index, OF_EACH[word]) for index, word in enumerate(self.plain) if word in OF_EACH and index not in own
        )

    @cached_property
    def measurable(self) -> tuple[tuple[Value, Key, frozenset[int]], ...]:
        """The numbers and dates of what is visible that words name, or a superlative or a comparison is like."""
        form = self.heard.form
        words = {self.plain[item.start] for item in form.comparisons} | {self.plain[item.at] for item in form.extremes}
        found = [item for item in self.known if item[1].kind in MEASURED]
        named = {value for value, _, _ in found}
        for name in self.visible:
            for key in self.keys_of(name):
                value = Value(name, key.key, key.form)
                fits = any(self.heard.fits.key(word)[key] >= LIKE for word in words & MEASURES.keys())
                found += [(value, key, frozenset())] if fits and key.kind in MEASURED and value not in named else []
        return tuple(found)

    def label(self, name: str) -> str:
        """The label of a variable, or the type of an edge."""
        edge = next((edge for edge in self.graph.edges if edge.name == name), None)
        return edge.relations[0] if edge else next(iter(self.graph.variable(name).labels), "")

    def keys_of(self, name: str) -> Sequence[Key]:
        """The properties of a variable or an edge."""
        return self.heard.fits.vocabulary.keys_of(self.label(name))

    def upwards(self, name: str) -> Iterator[str]:
        """The variables above one, the nearest first."""
        name = self.tree.parents[self.graph.owner(name)]
        while name:
            yield name
            name = self.tree.parents[name]

    def span_of(self, item: Condition) -> tuple[int, int] | None:
        """The words that say what a condition compares with."""
        if not isinstance(item.right, tuple):
            return None
        for bound in self.heard.form.comparisons:
            if bound.operator == item.operator and self._is_said(item, bound):
                return bound.start, bound.end
        for mention in self.heard.values:
            if any(meaning.values == item.right for meaning in mention.meanings):
                return mention.start, mention.end
        return None

    def _is_said(self, item: Condition, bound: Comparison) -> bool:
        """Whether a condition compares with what a bound says, in whatever unit: "more than 2 HOURS"."""
        keys = self.keys_of(item.left.of) if isinstance(item.left, Value) else ()
        name = next((words_with_unit(key) for key in keys if key.key == getattr(item.left, "key", "")), ())
        times = multiple_of(self.plain[bound.start : bound.end + 1], name)
        said = [_number(value) for value in bound.values]
        said = [round(value / times, 9) if isinstance(value, float) and times != 1 else value for value in said]
        return said == [_number(value) for value in item.right] if isinstance(item.right, tuple) else False

    def is_bound(self, part: Part) -> bool:
        """Whether a part is a superlative or a comparison of the question."""
        bounds = [(bound.start, bound.end) for bound in self.heard.form.comparisons]
        return isinstance(part, Selection) or self.span_of(part) in bounds

    def named(self, key: Key) -> frozenset[int]:
        """The words that surely name a property."""
        found = {index for start, end, other in self.heard.whole_keys if other == key for index in range(start, end)}
        found |= {
            index
            for item in self.heard.key_mentions
            for meaning in item.meanings
            if meaning.key == key and meaning.score >= NAMED
            for index in range(item.start, item.end)
        }
        return frozenset(found or self._spelt(key))

    def _spelt(self, key: Key) -> set[int]:
        """The words of a property's name, where all of them are there that are not its label's."""
        name = name_words(key.name or key.key)
        own = [part for part in name if not any(same_root(part, other) for other in name_words(key.owner))] or name
        places = [{index for index, word in enumerate(self.plain) if same_root(word, part)} for part in own]
        return set().union(*places) if all(places) else set()

    def is_before(self, index: int, value: Value) -> bool:
        """Whether a word stands right before those that name a property."""
        if not value.key or self.graph.owner(value.of) not in self.tree.parents:
            return False
        return any(0 < at - index <= BEFORE for at in self.saying(value))

    def saying(self, value: Value) -> frozenset[int]:
        """The words that surely name a property which the query graph speaks of."""
        return frozenset(at for key in self.keys_of(value.of) if key.key == value.key for at in self.named(key))

    def is_done_by_asked(self, words: Collection[int]) -> bool:
        """Whether words are what is done by the kind of things that is asked for: "which vet GAVE it", or what that is
        done to: "which firm employs the most STAFF"."""
        at = self.heard.form.at
        if self.heard.form.word not in ("which", "what") or not self.heard.is_label(at):
            return False
        end = self.heard.mentions[self.heard.mention_at(at)].end
        acts = self.plain[end : end + 1] != [] and self.heard.fits.names_any(self.plain[end])
        return all(is_past(self.plain[index]) or (acts and index > end) for index in words)

    def naming(self, label: str) -> frozenset[int]:
        """The words that surely name a label."""
        last = name_words(label)[-1:]
        return frozenset(
            index
            for index, word in enumerate(self.plain)
            if word not in FUNCTION_WORDS
            and index not in self.heard.taken
            and any(same_root(word, own) for own in last)
        )


# What words connect and measure --------------------------------------------------------------------------------------


def either(view: _View) -> Iterator[Edit]:
    """Two conditions with an "or" between them: "higher than 5000 OR with a prominence above 1000"."""
    placed = [(span, item) for item in view.graph.conditions if (span := view.span_of(item))]
    placed.sort(key=lambda pair: pair[0])
    for (one, first), (two, second) in pairwise(placed):
        between = view.plain[one[1] : two[0]]
        if "or" in between and "and" not in between:
            yield Edit((Cut(first), Cut(second), Either(((first,), (second,)))), LICENSED)


def also(view: _View) -> Iterator[Edit]:
    """One value more of a property: "in the year 2008 OR 2010"."""
    for item in view.graph.conditions:
        if item.operator != "=" or not isinstance(item.left, Value) or not isinstance(item.right, tuple):
            continue
        own = view.label(item.left.of), item.left.key
        for mention in view.heard.values:
            words = frozenset(range(mention.start, mention.end))
            for meaning in mention.meanings if view.plain[mention.start - 1] == "or" else ():
                if meaning.key and (meaning.owner, meaning.key.key) == own and not {*meaning.values} & {*item.right}:
                    more = Condition(item.left, "=", (*item.right, *meaning.values))
                    yield Edit((Turn(item, more),), LICENSED, words)


def of_each(view: _View) -> Iterator[Edit]:
    """A comparison or an order of what is made of all numbers of each: "items whose AVERAGE rating is above 5"."""
    for index, function in view.functions:
        if isinstance(view.graph.answer, Aggregate) and view.graph.answer.function == function:
            continue
        for part in view.parts:
            value = part.left if isinstance(part, Condition) else part.by
            if isinstance(value, Value) and view.is_before(index, value):
                for above in view.upwards(value.of):
                    made = Aggregate(function, value, Value(above))
                    yield Edit((Turn(part, _of(part, made, above)),), LICENSED, frozenset({index}))


def _of(part: Part, measure: Aggregate, variable: str) -> Part:
    """The same test or order of what is measured for a variable."""
    if isinstance(part, Condition):
        return Condition(measure, part.operator, part.right)
    return Selection(variable, measure, part.descending, part.limit, part.offset)


def of_all(view: _View) -> Iterator[Edit]:
    """What is made of all numbers, or how many different values there are: "the TOTAL amount of payments", "how many
    KINDS OF injuries"; or the number itself that has such a name."""
    answer = view.graph.answer
    counted = isinstance(answer, Aggregate) and answer.function == "count" and not answer.per
    for value, key, words in view.known:
        for index, function in view.functions if key.kind == "number" else ():
            yield Edit.saying((Ask(Aggregate(function, value)),), (words | {index}) & view.left, TURNED)
        if counted:
            yield Edit.saying((Ask(Aggregate("count", Value(value.of, value.key))),), words & view.left, TURNED)
    if isinstance(answer, Aggregate) and answer.function in ("average", "sum") and not answer.per:
        yield Edit((Ask(Value(answer.value.of, answer.value.key)),), -TURNED)


# Where parts attach --------------------------------------------------------------------------------------------------


def counted_for(view: _View) -> Iterator[Edit]:
    """A number that is counted for something further up: "products that at least two customers bought" counts the
    customers of a product, and not those of an order."""
    for part in view.parts:
        number, at = (part.left, "") if isinstance(part, Condition) else (part.by, part.variable)
        over_all = isinstance(part, Condition) and isinstance(number, Aggregate) and number.per is None
        if not isinstance(number, Aggregate) or over_all or (number.per and number.per.key):
            continue
        for above in view.upwards(number.per.of if number.per else at):
            yield Edit((Turn(part, _of(part, Aggregate(number.function, number.value, Value(above)), above)),), -MOVED)


def measured(view: _View) -> Iterator[Edit]:
    """A comparison or an order by another number or date: "parties with hosts OLDER than 50" by the hosts' age."""
    for part in view.parts:
        value = part.left if isinstance(part, Condition) else part.by
        for other, key, words in view.measurable if view.is_bound(part) else ():
            if other != value:
                own = isinstance(value, Value) and view.saying(value)
                said = frozenset() if own else words & view.left  # what was said is not any more
                yield Edit.saying((Turn(part, _by(view, part, other, key)),), said, TURNED)


def dated(view: _View) -> Iterator[Edit]:
    """A time of another date, where no word tells which one: "sales FROM MARCH" by when they were delivered."""
    answer = view.graph.answer
    for value, others in Conditions(view.heard).undecided_in(view.graph):
        for other in others:
            turned: list[Action] = [
                Turn(item, replace(item, left=other)) for item in view.graph.conditions if item.left == value
            ]
            if isinstance(answer, Aggregate) and answer.per == value:
                turned.append(Ask(replace(answer, per=other)))
            if turned:
                yield Edit(tuple(turned), -EPSILON, tied=True)


def _by(view: _View, part: Part, value: Value, key: Key) -> Part:
    """The same test or order of another value, of an age in place of a date of birth the other way round."""
    if isinstance(part, Condition):
        start, end = view.span_of(part) or (0, 0)
        aged = any(is_age(word, key) for word in view.plain[start:end])
        return Condition(value, _OPPOSITE.get(part.operator, part.operator) if aged else part.operator, part.right)
    extreme = next((item for item in view.heard.form.extremes), None)
    down = extreme.descending != reverses(view.plain[extreme.at], key) if extreme else part.descending
    return Selection(view.graph.owner(value.of), value, down, part.limit, part.offset)


_OPPOSITE: dict[Operator, Operator] = {">": "<", "<": ">"}


def asking(view: _View) -> Iterator[Edit]:
    """Another thing or property as what is asked for: "employee IDS of employees who …"."""
    answer = view.graph.answer
    if isinstance(answer, Aggregate) and (answer.function not in ("count", "exists") or answer.per or answer.top):
        return
    if view.heard.form.word in ("who", "whom"):
        return
    for name in view.visible:
        yield _asked(view, Value(name), view.naming(view.label(name)))
        for key in view.keys_of(name):
            words = frozenset(index for index in view.left if _identifies(view.plain[index], key))
            if words:
                yield _asked(view, Value(name, key.key), words)
    for value, key, words in view.known:
        if key.kind != "truth" and (any(map(view.heard.is_told, words)) or view.is_done_by_asked(words)):
            continue
        yield _asked(view, Value(value.of, value.key), words)


def together(view: _View) -> Iterator[Edit]:
    """Several properties as what is asked for: "the NAME AND AGE of the oldest student", "guests and THEIR PHONES",
    "guests WITH THEIR PHONES"."""
    answer = view.graph.answer
    if not isinstance(answer, Value) or view.graph.columns or answer.of not in view.visible:
        return
    for spans in _listed(view):
        if view.plain[spans[0].start - 1] in VERB_AHEAD:
            continue
        shown = _columns(view, answer.of, spans)
        if shown is None:
            continue
        columns, joins = shown
        if _is_beside_thing(view, answer.of, spans[0].start):
            columns = list(dict.fromkeys((Value(answer.of), *columns)))
        elif _are_things(columns):
            continue
        if len(columns) == len(set(columns)) > 1 and columns[0].of == answer.of:
            words = frozenset(index for span in spans for index in span)
            yield Edit((*joins, Ask(columns[0]), *map(Show, columns[1:])), TOGETHER, words & view.left)


def _are_things(columns: Sequence[Value]) -> bool:
    """Whether things of several kinds are named side by side, of which no table is wanted: "phones of GUESTS AND
    STAFF"."""
    return len({column.of for column in columns}) > 1 and not any(column.key for column in columns)


def _columns(view: _View, name: str, spans: Sequence[range]) -> tuple[list[Value], list[Join]] | None:
    """What noun phrases say of a variable, of another one that is there, or of what the variable may be joined to, and
    the joins for the last; None where one of them says nothing."""
    graph, columns, joins = view.graph, list[Value](), list[Join]()
    others = [other for other in view.visible if other != name]
    for span in spans:
        column = next((found for at in (name, *others) if (found := _column(view, at, span))), None)
        step = None if column else _step_named(view, name, span)
        if step is not None:
            join, new = _join_by(graph, name, step, optional=True)
            graph, column = join.on(graph), Value(new)
            joins.append(join)
        if column is None:
            return None
        columns.append(column)
    return columns, joins


def _step_named(view: _View, name: str, span: range) -> Step | None:
    """The step from a variable to what the noun of a phrase names, where one type alone leads there: to the CITIES of
    employees who live in one."""
    leaving = view.heard.fits.vocabulary.leaving.get(view.label(name), ())
    steps = [step for step in leaving if span[-1] in view.naming(step.label)]
    return steps[0] if len(steps) == len(span) == 1 else None


def _join_by(graph: QueryGraph, name: str, step: Step, *, optional: bool = False) -> tuple[Join, str]:
    """The join of a variable with what a step leads to, which is `optional` or must be there, and that variable."""
    new = fresh(graph)
    ends = (name, new) if step.forward else (new, name)
    return Join(Edge(ends[0], (step.relation,), ends[1], optional=optional), Variable(new, (step.label,))), new


def _listed(view: _View) -> Iterator[list[range]]:
    """The words on both sides of each "and", as far as they are of a noun phrase each, and of those that commas put
    before them; the noun phrase behind a "with" alone."""
    for at, word in enumerate(view.plain):
        last = _noun_behind(view, at + 1) if word in ("and", WITH) else range(0)
        before = _nouns_before(view, at) if last and word == "and" else []
        if last and (all(before) if word == "and" else _is_shown_alone(view, at, last)):
            yield [*before, last]


def _nouns_before(view: _View, at: int) -> list[range]:
    """The noun phrase that ends before a word, and those that commas put before it."""
    found = [_noun_before(view, at)]
    while found[0] and _is_behind_comma(view, start := _determined(view, found[0].start)):
        found.insert(0, _noun_before(view, start))
    return found


def _is_shown_alone(view: _View, at: int, noun: range) -> bool:
    """Whether the noun behind a "with" may be shown: no condition says it, it is definite, and no list goes on."""
    definite = view.plain[at + 1] not in ANY_ONE
    return definite and view.left.issuperset(noun) and view.plain[noun.stop : noun.stop + 1] != ["and"]


def _is_beside_thing(view: _View, name: str, start: int) -> bool:
    """Whether words are what is shown beside things that stand before them: "rides WITH THEIR park and length"."""
    first = _determined(view, start)
    return (
        first < start
        and view.plain[first - 1 : first] == [WITH]
        and min(view.naming(view.label(name)), default=first) < first
    )


def _determined(view: _View, start: int) -> int:
    """Where a noun phrase begins with its article or possessive."""
    while start and view.plain[start - 1] in ARTICLES | POSSESSIVES:
        start -= 1
    return start


def _noun_behind(view: _View, begin: int) -> range:
    """The words of a noun phrase that begins with a word, without its article or possessive."""
    plain = view.plain
    while begin < len(plain) and plain[begin] in ARTICLES | POSSESSIVES:
        begin += 1
    end = begin
    while end < len(plain) and end - begin < LONGEST_NOUN and _is_of_noun(view, end):
        if end > begin and _is_behind_comma(view, end):
            break
        end += 1
    return range(begin, end)


def _noun_before(view: _View, end: int) -> range:
    """The words of a noun phrase that ends before a word."""
    start = end
    while start and end - start < LONGEST_NOUN and _is_of_noun(view, start - 1):
        start -= 1
        if _is_behind_comma(view, start):
            break
    return range(start, end)


def _is_of_noun(view: _View, index: int) -> bool:
    """Whether a word may be of a noun phrase."""
    return view.plain[index] not in FUNCTION_WORDS - NAMES


def _is_behind_comma(view: _View, index: int) -> bool:
    words = view.heard.words
    return index > 0 and "," in view.heard.text[words[index - 1].end : words[index].start]


def _column(view: _View, name: str, span: range) -> Value | None:
    """What a noun phrase says of a variable: itself, or one of its properties; None where it says neither surely."""
    words, label = {*span}, view.naming(view.label(name))
    if span[-1] in label or (view.plain[span[-1]] in NAMES and not words & label and len(span) == 1):
        return Value(name)
    open_ = words - label - {index for index in span if view.plain[index] in IDENTIFYING | ASKING - NAMES}
    found = {key: words & view.named(key) for key in view.keys_of(name)}
    found = {key: named for key, named in found.items() if named and named >= open_}
    most = max(map(len, found.values()), default=0)
    best = [key for key, named in found.items() if len(named) == most]
    return Value(name, best[0].key) if len(best) == 1 else None


def _identifies(word: str, key: Key) -> bool:
    """Whether a word is the one by which a property identifies nodes: "ids", "codes", "numbers"."""
    last = name_words(key.name or key.key)[-1]
    return last in IDENTIFYING and same_root(word, last)


def _asked(view: _View, value: Value, words: frozenset[int]) -> Edit:
    answer = view.graph.answer
    asked = Aggregate(answer.function, value) if isinstance(answer, Aggregate) else value
    own = isinstance(answer, Value) and answer.key and view.saying(answer)
    said = frozenset() if own else words & view.left  # what was said is not any more
    return Edit.saying((Ask(asked),), said, TURNED if words else BARE)


# Values as things ----------------------------------------------------------------------------------------------------


def commonest(view: _View) -> Iterator[Edit]:
    """The values that most nodes have: "the most common participant TYPE"."""
    cuts = [Cut(item) for item in view.graph.selections]
    answer = view.graph.answer
    ordered = bool(cuts) or (isinstance(answer, Aggregate) and (answer.top != 0 or answer.function != "count"))
    for extreme in view.heard.form.extremes:
        if view.plain[extreme.at] not in COUNTING or extreme.offset:
            continue
        behind = extreme.at + 1
        said = {extreme.at} | ({behind} if {*view.plain[behind : behind + 1]} & COMMON else set())
        top = extreme.limit if extreme.descending else -extreme.limit
        for value, words in _shared(view):
            for counted in view.visible:
                asked = Ask(Aggregate("count", Value(counted), value, top=top))
                cost = MOVED * (ordered + (counted != value.of))
                yield Edit((*cuts, asked), LICENSED - cost, (words | said) & view.left)


def most_joined(view: _View) -> Iterator[Edit]:
    """The things that most others are joined to: "the most popular COURSE", "the most common AMENITY in the dorms"."""
    asked = view.graph.answer
    if not isinstance(asked, Value) or asked.of not in view.visible:
        return
    cuts = [Cut(item) for item in view.graph.selections]
    for extreme in view.heard.form.extremes:
        words = {extreme.at, extreme.at + 1}
        common = {*view.plain[extreme.at + 1 : extreme.at + 2]} & COMMON
        of_label = not view.naming(view.label(asked.of)).isdisjoint(range(extreme.at + 2, extreme.at + 4))
        if view.plain[extreme.at] not in COUNTING or extreme.offset or not common or (asked.key and not of_label):
            continue
        for joins, other in _joined(view, asked.of):
            counted = Aggregate("count", Value(other))
            first = Order(Selection(asked.of, counted, extreme.descending, extreme.limit))
            yield Edit((*cuts, *joins, first), LICENSED, frozenset(words) & view.left)


def _joined(view: _View, name: str) -> Iterator[tuple[tuple[Join, ...], str]]:
    """What a variable is joined to; where it is joined to nothing, what it may be, each with the join."""
    edges = [edge for edge in view.graph.edges_of(name) if not (edge.absent or edge.is_way)]
    yield from (((), edge.other(name)) for edge in edges)
    if edges:
        return
    for step in view.heard.fits.vocabulary.leaving.get(view.label(name), ()):
        join, new = _join_by(view.graph, name, step)
        yield (join,), new


def had_by(view: _View) -> Iterator[Edit]:
    """The values that so many nodes have: "the STATES where at least 3 heads were born"."""
    for bound in view.heard.form.comparisons:
        if not bound.values or not all(value.isdecimal() for value in bound.values):
            continue
        cuts = [Cut(item) for item in view.graph.conditions if view.span_of(item) == (bound.start, bound.end)]
        for value, words in _shared(view):
            number = Aggregate("count", Value(value.of), value)
            test = Condition(number, bound.operator, tuple(map(int, bound.values)))
            said = words | view.naming(view.label(value.of))
            yield Edit.saying((*cuts, Where(test), Ask(value)), said & view.left, MOVED)


def _shared(view: _View) -> list[tuple[Value, frozenset[int]]]:
    """The properties that words name and several nodes may share."""
    return [(Value(value.of, key.key), words) for value, key, words in view.known if not (key.unique or key.of_edge)]


# What is denied, and what is had twice -------------------------------------------------------------------------------


def denied(view: _View) -> Iterator[Edit]:
    """A step that is not there, or a value, behind the word that denies it, that is another: "games that are FREE OF
    accidents"."""
    negations = {*view.heard.form.negations, *(index for index in view.left if view.plain[index] in LACKING)}
    if not negations or view.graph.denies:
        return
    said = frozenset(negations)
    for edge in view.graph.edges:
        turned = Turn(edge, Edge(edge.subject, edge.relations, edge.object, edge.name, edge.directed, absent=True))
        cuts = [Cut(item) for item in view.graph.conditions_of(edge.name)] if edge.name else []
        yield Edit((turned,), -SAID, said)
        yield Edit((*cuts, turned), -SAID, said)
    behind = {value for item in view.heard.mentions if item.start > min(negations)
              for meaning in item.meanings for value in meaning.values}  # fmt: skip
    for item in view.graph.conditions:
        equal = item.operator == "=" and isinstance(item.left, Value)
        values = item.right if equal and isinstance(item.right, tuple) else ()
        if values and behind.issuperset(values):
            yield Edit((Turn(item, Condition(item.left, "<>", values)),), -SAID, said)
        span, own = view.span_of(item), {value.of for value in values_of(item.left)} == {view.graph.root}
        found = view.heard.denial(span[0]) if span and own and view.is_bound(item) else -1
        if found >= 0 and item.operator in _DENIED:
            yield Edit((Turn(item, Condition(item.left, _DENIED[item.operator], item.right)),), LICENSED, said)


_DENIED: dict[Operator, Operator] = {"=": "<>", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}
"""What holds of a value that does not pass a test: "NOT shipped on weekends"."""


def never(view: _View) -> Iterator[Edit]:
    """Values of which no node passes a test: "countries that do NOT have a stadium opened after 2006" are those whose
    latest one opened by then."""
    asked, negations = view.graph.answer, view.heard.form.negations
    if not negations or view.graph.denies or not isinstance(asked, Value) or not asked.key:
        return
    for item in view.graph.conditions:
        if isinstance(item.left, Value) and item.left.of == asked.of and item.operator in _NONE:
            function, operator = _NONE[item.operator]
            test = Condition(Aggregate(function, item.left, Value(asked.of, asked.key)), operator, item.right)
            yield Edit((Turn(item, test),), LICENSED, frozenset(negations))


_NONE: dict[str, tuple[Function, Operator]] = {
    ">": ("maximum", "<="), ">=": ("maximum", "<"), "<": ("minimum", ">="), "<=": ("minimum", ">"),
}  # fmt: skip
"""What holds of a group of which nothing passes a test."""


def both(view: _View) -> Iterator[Edit]:
    """One way for each of two values: "swimmers with BOTH a win and a loss"."""
    if not {"both", "and"} & {*view.plain}:
        return
    for item in view.graph.conditions:
        if item.operator != "=" or not isinstance(item.left, Value) or not isinstance(item.right, tuple):
            continue
        if len(item.right) == 2 and item.left.of in view.tree.parents and item.left.of != view.graph.root:
            first, second = (Condition(item.left, "=", (value,)) for value in item.right)
            worth = LICENSED if "both" in view.plain else -MOVED
            yield Edit((Turn(item, first), *_another_way(view, item.left.of, second)), worth)


def _another_way(view: _View, name: str, known: Condition) -> Iterator[Action]:
    """The way from the root to a variable once more, with what is known of its other end."""
    graph, names = view.graph, {view.graph.root: view.graph.root}
    for number, (above, below) in enumerate(pairwise([name, *view.upwards(name)][::-1])):
        edge = next(item for item in graph.edges if {item.subject, item.object} == {above, below})
        names[below] = f"{fresh(graph)}n{number}"
        added = Edge(names[edge.subject], edge.relations, names[edge.object], f"{fresh(graph, 'r')}n{number}")
        yield Join(added, Variable(names[below], graph.variable(below).labels))
    assert isinstance(known.left, Value)
    yield Where(Condition(Value(names[name], known.left.key, known.left.form), "=", known.right))


def _number(value: object) -> object:
    try:
        return float(str(value))
    except ValueError:
        return str(value)


EDITS: tuple[Callable[[_View], Iterator[Edit]], ...] = (
    either, also, of_each, of_all, counted_for, measured, dated, asking, together, commonest, most_joined, had_by,
    denied, never, both
)  # fmt: skip
"""What may be attached otherwise, each with an example in its docstring that is its test."""
