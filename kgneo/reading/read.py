"""Read: a question as query graphs, best first.

Comes in: a question and the vocabulary of a graph. Goes out: interpretations. In this order: the form of the answer is
told by closed classes of words, mentions are found, trees are grown from what is asked for, and superlatives,
comparisons and aggregates are put on what they speak of.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise

from kgneo.english.names import is_done, is_past, name_words, same_root, singular
from kgneo.english.numbers import UNIT_SIZES, is_of_time
from kgneo.english.words import ARTICLES, QUANTITIES, UNITS
from kgneo.errors import EntityNotFound
from kgneo.query.check import check, check_structure
from kgneo.query.graph import (
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Expression,
    Function,
    QueryGraph,
    Selection,
    Value,
    Variable,
    aggregates_of,
)
from kgneo.query.wording import wording
from kgneo.reading.alike import Alike
from kgneo.reading.asked import may_be_asked_for
from kgneo.reading.attached import SAID, Edit, attached, beginnings
from kgneo.reading.bare import Bare
from kgneo.reading.chains import Chained, Chains
from kgneo.reading.conditions import Conditions, equal
from kgneo.reading.copies import and_no_other, first_of_each, more_than, of_all, of_every, of_first, outnumbers, parted
from kgneo.reading.fits import Fits
from kgneo.reading.form import Comparison
from kgneo.reading.groups import first_behind, group_words, with_group_last
from kgneo.reading.grow import COSTS, Grower, Tree
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.measures import Measures
from kgneo.reading.mentions import SURE, Lookup, Mention, Span
from kgneo.reading.owners import Owners
from kgneo.reading.presentation import presented
from kgneo.reading.reaching import Reaching
from kgneo.reading.roots import Roots
from kgneo.reading.scope import scoped
from kgneo.reading.silent import LIKE_ANY, head_of, is_noun, silent
from kgneo.reading.spans import Spans
from kgneo.reading.verbs import Verbs
from kgneo.reading.vocabulary import MEASURED
from kgneo.text import fold

NEAREST = 5
MOST_MENTIONS = 16
"""Names, kinds and values of the graph in one question that is read: trees of more take minutes to grow."""
CONTRADICTED = 1.0
"""What it costs to say of one thing that it has a relationship and that it has none."""
WIDTH = 4
"""Readings, the best ones, whose edits are looked at."""
MOST = 10
"""Edits of each that are offered, the best ones."""
PARTED = 0.2
"""What it costs that two things of a kind join what is named side by side, where one may."""
MISSED = 1.6
"""What it costs to leave out what something is the same as."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A query graph for a question, its score, and the words of the question that it leaves out."""

    graph: QueryGraph
    score: float
    ignored: tuple[str, ...] = ()
    silent: float = 0.0
    """The share of the question's telling words that it says nothing about, less how much these are like what it
    says."""
    unsaid: tuple[str, ...] = ()
    """The telling words that are like nothing of what it says."""
    nouns: int = 0
    """How many of these are nouns."""
    named: float = 1.0
    """How surely what is asked for is named."""
    loose: int = 0
    """How many of its ways through the graph no word speaks of."""
    measured: float = 1.0
    """How surely words speak of what is compared or put in an order."""
    plain_chain: bool = False
    """Whether the question names nodes, and asks for nothing but what chains of relations lead to from them."""

    bare: bool = False
    """Whether the question names nothing of the graph, and asks for no number, extreme or test."""

    kind: bool = False
    """Whether a word of the question surely names what kind of thing is asked for."""

    meant: QueryGraph | None = None
    """The query graph in the question's terms, where `graph` has others, which the graph knows."""

    bracketed: tuple[str, ...] = ()
    """The question with the names of nodes in brackets, where these are as the graph has them: those that this reads,
    and those that the question spells, where they are others; the likelier first."""

    vacuous: bool = False
    """Whether it asks for, or counts, the very thing that the question names."""

    spelt: bool = True
    """Whether every name that the question has is written there as the graph has it, capitals and all."""

    mentions: tuple[Mention, ...] = ()
    """The values that the question names, whichever of them the query graph has."""

    open_names: tuple[str, ...] = ()
    """What the question writes as a name, and is read as a word that it is like: "Everest" as a mountain."""

    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Readable names of relationship types that are codes."""

    nodes: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """The names of nodes that the query graph tells by their ids."""

    left: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The places of the words that it leaves unsaid."""

    unbound: tuple[str, ...] = ()
    """Comparisons that it leaves out: "over 12". It is no answer then, but everything there is."""

    order: str = ""
    """Words that ask for an order of the answers, of which the query graph says nothing."""

    likely: float | None = None
    """The probability that it is right, by what was learned; None where nothing was."""

    along: float | None = None
    """How likely the ranking of relation paths takes it for right, where that found it; None for what was read."""

    at: str = ""
    """The time at which it is to hold, in words."""

    means: float = 1.0
    """The probability that words which the schema does not have mean what they are read as."""

    against: int = 0
    """Relationships between like things that the question says the other way round: "services that X needs" as those
    that need X."""

    headless: bool = False
    """Whether it leaves unsaid the first telling word behind the one that asks: "which FUEL", "who BUILT"."""

    decided: float = 1.0
    """The probability that times are of the dates by which it tells them, where no word tells which of several."""

    @property
    def complete(self) -> bool:
        """Whether it says all of the question, and each of its parts is said there."""
        return not (self.ignored or self.unsaid or self.loose or self.vacuous) and self.named >= NAMED

    @property
    def implied(self) -> bool:
        """Whether it says all of the question but for one step, without which what is surely asked for by name would
        not be reached: "the NICKNAME of Knox", which stands in what Knox is joined to."""
        surely = self.named >= SURE and isinstance(self.graph.answer, Value) and bool(self.graph.answer.key)
        return surely and self.loose == 1 and not (self.ignored or self.unsaid or self.vacuous)

    @property
    def wording(self) -> str:
        """The query graph in English."""
        text = wording(self.meant or self.graph, nodes=self.nodes, names=self.names)
        return f"{text}, {self.at}" if self.at else text


def keep_best(best: dict[QueryGraph, Interpretation], item: Interpretation) -> None:
    """Keep an interpretation among the `best` of each query graph, where it is better than the one there."""
    if item.graph not in best or best[item.graph].score < item.score:
        best[item.graph] = item


def read(
    question: str, fits: Fits, dictionary: Lookup, chains: Chains | None = None, given: Sequence[Span] = ()
) -> list[Interpretation]:
    """The ways to understand a question, best first; none where a name that the user marked (`given`, by its place) is
    no value of the dictionary. `chains` are asked for where a single thing is named.

    Raises EntityNotFound for a name that the graph does not have.
    """
    shown = presented(question, fits, given)
    if shown is None:
        return _read(question, fits, dictionary, chains, given)
    named = Heard(question, fits, dictionary, given)
    inside = any(named.stands_at(item, span) for span in shown.spans for item in named.values)
    found = _read(shown.text, fits, dictionary, chains, given, different=shown.different)
    found = [replace(item, order=shown.order) for item in found]
    return [*_read(question, fits, dictionary, chains, given), *found] if inside else found


def _read(
    question: str,
    fits: Fits,
    dictionary: Lookup,
    chains: Chains | None,
    given: Sequence[Span],
    *,
    different: bool = False,
) -> list[Interpretation]:
    """The ways to understand a question all of whose words say what is asked for."""
    heard = Heard(question if given else with_group_last(question), fits, dictionary, given)
    if heard.unknown:
        raise _unknown(heard, dictionary)
    return _Reader(heard, chains, different=different).read()


def _unknown(heard: Heard, dictionary: Lookup) -> EntityNotFound:
    """The error for names that the graph does not have; its piece is what a name that is found must hold."""
    nearest = tuple(dict.fromkeys(entry.text for name in heard.unknown for entry in dictionary.similar(name)))[:NEAREST]
    hint = f"Nearest names: {', '.join(nearest)}." if nearest else "No name in the graph is like it."
    piece = " ".join(name for name in heard.unknown if heard.is_alone(name))
    named = " or ".join(map(repr, heard.unknown))
    message = f"The graph has no entity named {named}."
    return EntityNotFound(message, nearest=nearest, hint=hint, piece=piece, names=heard.unknown)


class _Reader:
    """Reads one question, of which `heard` is known."""

    def __init__(self, heard: Heard, chains: Chains | None = None, *, different: bool = False) -> None:
        self.heard = heard
        self.different = different
        self.conditions = Conditions(heard)
        self.alike = Alike(heard)
        self.spans = Spans(heard)
        self.owners = Owners(heard)
        self.reaching = Reaching(heard)
        self.verbs = Verbs(heard)
        self.chained = chains and Chained(heard, chains)

    def read(self) -> list[Interpretation]:
        """The interpretations, best first."""
        heard = self.heard
        if heard.unread or len(heard.mentions) > MOST_MENTIONS:
            return []
        roots, order = Roots(heard).found()
        grown = self.grower.grow(roots, order)
        if heard.form.same:
            alike = [joined for tree in grown if (joined := self.alike.put_on(tree))]
            grown = alike or [replace(tree, score=tree.score - MISSED, unsaid=tree.unsaid + 1) for tree in grown]
        grown = [Bare(heard).joined(self.verbs.joined(tree)) for tree in grown]
        grown = [scoped(tree, heard.mentions, heard.form.negations) for tree in grown]
        found = sorted(filter(self._holds, map(self._interpretation, grown)), key=lambda item: -item.score)
        found = self._with_parted(found)
        chains = self._chains()
        least = found[0].score if found and found[0].vacuous else math.inf
        found = self._with_attached(found, {item.graph for item in (*found, *chains)})
        ahead = [item for item in chains if item.score > least and item.complete and not item.plain_chain]
        last = min((item.score for item in found), default=math.inf)  # their scores are of different kinds
        rest = [replace(item, score=min(item.score, last)) for item in chains if item not in ahead]
        return [item for item in (*ahead, *found, *rest) if may_be_asked_for(heard, item.graph)]

    @cached_property
    def grower(self) -> Grower:
        """What joins the mentions to trees."""
        heard = self.heard
        spent = heard.happening.union(self.verbs.beside)
        bounded = {item.end for item in heard.form.comparisons}
        return Grower(heard.words, heard.mentions, heard.fits, heard.form.negations, spent, bounded)

    def _holds(self, item: Interpretation) -> bool:
        """Whether what a query graph measures hangs below its place. It may not, where a relationship's property is
        asked for."""
        graph = item.graph
        measures = [side for test in graph.conditions for side in (test.left, test.right)]
        return not (graph.selections or any(map(aggregates_of, measures))) or not check_structure(graph)

    def _with_parted(self, found: list[Interpretation]) -> list[Interpretation]:
        """With readings in which what is named side by side is joined by two things of a kind, and not by one: who
        "ordered A and B" may have placed two orders."""
        pairs = [(item, parted(item.graph, lambda *_: True)) for item in found[:1]]
        apart = [replace(item, graph=graph, score=item.score - PARTED) for item, graph in pairs if graph != item.graph]
        return sorted([*found, *apart], key=lambda item: -item.score)

    def _with_attached(self, found: list[Interpretation], known: Container[QueryGraph]) -> list[Interpretation]:
        """With the readings one edit away from the best of them, but for `known` ones, behind what says as much."""
        vocabulary = self.heard.fits.vocabulary
        if vocabulary.spoken:  # classes that are only implied: their relations are too often like any word
            return found
        catalogue = vocabulary.catalogue
        more: dict[QueryGraph, Interpretation] = {}
        for item in found[:WIDTH] or list(self._beginnings()):
            near = [self._edited(item, *pair) for pair in attached(self.heard, item.graph, item.left)]
            new = (other for other in sorted(near, key=lambda other: -other.score) if other.graph not in known)
            for other in islice((other for other in new if not check(other.graph, catalogue)), MOST):
                keep_best(more, other)
        return sorted([*found, *more.values()], key=lambda item: -item.score)

    def _edited(self, item: Interpretation, graph: QueryGraph, edit: Edit) -> Interpretation:
        """A reading with the query graph that an edit made of its own."""
        said = edit.said.intersection(item.left)
        words = {self.heard.words[index].text for index in edit.said}
        return replace(
            item,
            graph=graph,
            score=item.score + edit.worth + SAID * len(said),
            left=tuple(index for index in item.left if index not in said),
            unsaid=tuple(text for text in item.unsaid if text not in words),
            ignored=tuple(text for text in item.ignored if text not in words),
            silent=max(item.silent - len(said) / max(len(self.heard.telling), 1), 0.0),
            headless=item.headless and head_of(self.heard) not in said,
            loose=item.loose + (edit.worth <= 0 and not edit.tied),
            vacuous=item.vacuous and graph.answer == item.graph.answer,
            unbound=() if _tests(graph) > _tests(item.graph) else item.unbound,
            plain_chain=False,
        )

    def _beginnings(self) -> Iterator[Interpretation]:
        """What edits begin with where nothing was read: it says what it names, and leaves all else unsaid."""
        telling = self.heard.telling
        for graph, said in beginnings(self.heard):
            left = tuple(index for index in telling if index not in said)
            unsaid = tuple(self.heard.words[index].text for index in left)
            ignored = tuple(self.heard.words_of(item) for item in self.heard.values)
            yield Interpretation(graph, 0.0, ignored, len(left) / max(len(telling), 1), unsaid, left=left,
                                 mentions=self.heard.values, names=self.heard.fits.vocabulary.names)  # fmt: skip

    def _chains(self) -> list[Interpretation]:
        """Where one thing is named, the chains of relations from it."""
        named = [number for number, item in enumerate(self.heard.mentions) if item.meanings[0].kind == "value"]
        if not self.chained or len(named) != 1 or self.heard.form.negations or self.heard.alike:
            return []
        found = []
        for tree in self.chained.trees(named[0]):
            item = self._interpretation(tree)
            found.append(replace(item, score=tree.score - 0.5 * self._unread(item)))
        return sorted(found, key=lambda item: -item.score)

    def _unread(self, item: Interpretation) -> int:
        asked = len(self.heard.form.extremes) + len(self.heard.form.comparisons)
        compared = sum(condition.operator not in ("=", "<>") or isinstance(condition.left, Aggregate)
                       for condition in item.graph.conditions)  # fmt: skip
        return max(asked - len(item.graph.selections) - compared, 0)

    def _interpretation(self, tree: Tree) -> Interpretation:
        tree = self.spans.joined(Measures(self.heard).with_counted(self.conditions.with_truth(tree)))
        tree = self.reaching.joined(tree)
        variables = tuple(
            Variable(f"x{number}", (thing.label,) if thing.label and not thing.loose else ())
            for number, thing in enumerate(tree.things)
        )
        edges, conditions = [], []
        for number, join in enumerate(tree.joins):
            subject, target = (join.source, join.target) if join.forward else (join.target, join.source)
            relations, ends = (join.relation, *join.others), (f"x{subject}", f"x{target}")
            edges.append(Edge(ends[0], relations, ends[1], f"r{number}", join.directed, join.absent))
            conditions += [equal(f"r{number}", key, values) for key, values in join.values]
        for number, thing in enumerate(tree.things):
            conditions += [equal(f"x{number}", key, values) for key, values in thing.values]
            conditions += [replace(equal(f"x{number}", key, values), operator="<>") for key, values in thing.denied]
        conditions += [*self.conditions.truths(tree), *self.conditions.missing(tree)]
        conditions += [*self.conditions.present(tree), *self.conditions.same(tree)]
        selections: list[Selection] = []
        unread, measured = 0, [1.0]
        unordered: list[str] = []
        groups = Measures(self.heard).first_groups(tree)
        for extreme in self.heard.form.extremes:
            if groups and extreme == groups[0]:
                continue
            selection = self.conditions.selection(extreme, tree)
            if selection is not None:
                selections.append(selection)
                measured.append(self.conditions.said(extreme, selection.by, tree))
            else:
                unread += 1
                unordered.append(self.heard.words[extreme.at].text)
        counted = [item for item in self.heard.form.comparisons if self.owners.counted(item, tree)]
        bounds = [item for item in self.heard.form.comparisons if item not in counted]
        compared = [self._compared(item, tree) for item in bounds]
        unbound = tuple(
            self.heard.text_between(item.start, item.end)
            for item, (condition, _, _) in zip(bounds, compared, strict=True)
            if not condition
        )
        conditions += [condition for condition, _, _ in compared if condition]
        unread += sum(left for _, left, _ in compared) + self._unjoined
        measured += [said for _, _, said in compared]
        variables += tuple(self._over_all(condition, tree) for condition, _, _ in compared
                           if condition and isinstance(condition.right, Aggregate))  # fmt: skip
        held = [self.conditions.held(item, tree) for item in self.heard.holdings]
        conditions += [condition for condition in held if condition]
        unread += held.count(None)
        answer, selections = _of_relations(groups[1] if groups else self._answer(tree), selections)
        answer = _amount(answer, selections) if self.heard.form.much else answer
        span = self.spans.asked(tree)
        answer = span[0] if span else answer
        measured += [span[1]] if span else []
        unread += self.heard.form.span is not None and span is None
        period = self.heard.form.period
        measured += [self.conditions.said(period, answer.per, tree)] if period and isinstance(answer, Aggregate) else []
        against = self.conditions.own(tree)
        conditions += [against] if against else []
        lost: tuple[str, ...] = ()
        more = self.conditions.outnumbered(tree) if self.heard.compared else None
        if self.heard.compared and not more:
            other = self.conditions.other(tree)
            if other is None:
                unread, lost = unread + 1, tuple(map(self.heard.words_of, self.heard.compared))
            else:
                variables = (*variables, other[0])
                conditions += other[1]
                answer = other[2] or answer
        graph = QueryGraph(variables, answer, tuple(edges), tuple(conditions), tuple(selections))
        graph = self._copied(outnumbers(graph, *more) if more else graph, tree)
        graph, both = self.owners.with_both(graph, tree)
        tree = self._taking(tree, both)
        for comparison in counted:
            graph = self.owners.with_count(graph, comparison)
        ignored = tuple(self.heard.text_of(number) for number in tree.ignored if not self._is_said(number, tree)) + lost
        left = self._silent(tree, {value.key for value in graph.values()})
        if self.heard.form.same and not tree.same:
            ignored += tuple(self.heard.words_of(item) for item in self.heard.alike)
            left += [(index, 0.0) for index in self.alike.nouns]
        share = sum(1.0 - like for _, like in left) / max(len(self.heard.telling), 1)
        unlike = [index for index, like in left if like < LIKE_ANY]
        unsaid = tuple(self.heard.words[index].text for index in unlike)
        nouns = sum(is_noun(self.heard, index, {*self.heard.telling}.difference(unlike)) for index in unlike)
        flags = {key.flags[1] for key in self.heard.fits.keys if key.flags}
        denied = graph.denies or any(item.right in [(text,) for text in flags] for item in graph.conditions)
        denied |= any(not flag.true and self.heard.is_denied(flag.start) for flag in self.heard.flags)  # "not unpaid"
        if self.heard.form.negations and not denied:
            unsaid = (*unsaid, self.heard.words[self.heard.form.negations[0]].text)
        unsaid = (*unsaid, *unordered, *unbound)
        denying = [index for index in self.heard.form.negations if not denied]
        score = tree.score - 0.5 * unread - 0.12 * len(left) - CONTRADICTED * _contradicts(tree)
        bare = not (self.heard.values or self.heard.alike) and self.heard.is_plain and not conditions
        loose = tree.unsaid + unread
        return Interpretation(
            graph,
            score,
            ignored,
            share,
            unsaid,
            nouns,
            tree.named,
            loose,
            plain_chain=self._is_plain_chain
            and not (loose <= 1 and self._is_between(tree))
            and not self._is_much(tree),
            bare=bare,
            kind=self._is_sure(tree),
            bracketed=tuple(dict.fromkeys(self._bracketed(tree, spelt=spelt) for spelt in self._spellings)),
            vacuous=self._is_vacuous(tree, graph, unsaid),
            spelt=self._is_spelt,
            mentions=(*self.heard.values, *self.heard.compared),
            open_names=self.heard.alike_names,
            names=self.heard.fits.vocabulary.names,
            measured=min(measured),
            left=(*unlike, *denying),
            unbound=unbound,
            decided=self.conditions.decided(graph),
            against=self.grower.turned(tree),
            headless=head_of(self.heard) in unlike,
        )

    def _copied(self, graph: QueryGraph, tree: Tree) -> QueryGraph:
        """The query graph with what is said twice of a part of it told apart: what is asked of the first of something,
        or of all of a kind, the first of each group, what is joined to one thing only."""
        graph = parted(graph, self._is_single)
        for number, place in tree.places:
            if place and number >= 0 and self.heard.is_only(self.heard.mentions[number]):
                graph = and_no_other(graph, f"x{place}")
        for thing, counted in self._wholes(tree):
            graph = of_all(graph, f"x{thing}", f"x{counted}")
        if self.heard.outnumbered is not None:
            graph = more_than(graph, *self.heard.outnumbered)
        if self.heard.form.every:
            return of_every(graph, self._last(tree))
        if self.heard.form.kind == "exists":
            return of_first(graph, self._naming(tree), self._last(tree))
        group = self._group(tree) if self.heard.form.kind == "things" else None
        return first_of_each(graph, f"x{group}") if group else graph

    def _wholes(self, tree: Tree) -> Iterator[tuple[int, int]]:
        """The places of what is joined to all of a kind, and of that kind: "who takes EVERY COURSE"."""
        for number, place in tree.places:
            if place and number >= 0 and self.heard.is_of_all(self.heard.mentions[number]):
                above = next((join.source for join in tree.joins if join.target == place and not join.absent), None)
                if above is not None:
                    yield above, place

    def _group(self, tree: Tree) -> int | None:
        """The place of what is named behind a word for groups: "the oldest player OF EACH TEAM"."""
        found = (first_behind(self.heard.words, at) for at in group_words(self.heard.words))
        there = (self.heard.mention_at(at) for at in found)
        return next((place for number in there if number >= 0 and (place := tree.thing_of(number))), None)

    def _is_single(self, label: str, relation: str, forward: bool) -> bool:
        """Whether nodes of a label have no more than one relationship of a type each: a review is of one product."""
        vocabulary = self.heard.fits.vocabulary
        links = (link for link in vocabulary.links if link.relation == relation
                 and (link.subject if forward else link.object) == label)  # fmt: skip
        return sum(link.count for link in links) <= vocabulary.labels.get(label, 0)

    def _naming(self, tree: Tree) -> set[Value]:
        """The values of a tree that are names of single things."""
        things = enumerate(tree.things)
        return {
            Value(f"x{number}", key.key, key.form) for number, thing in things for key, _ in thing.values if key.unique
        }

    def _last(self, tree: Tree) -> str:
        """The variable of the value that is named last, and not behind "of"."""
        places = [(self.heard.mentions[number].start, place) for number, place in tree.places
                  if number >= 0 and self.heard.mentions[number].meanings[0].kind == "value"]  # fmt: skip
        start, place = max(places, default=(0, 0))
        return "" if start == 0 or self.heard.plain[start - 1] == "of" else f"x{place}"

    def _over_all(self, item: Condition, tree: Tree) -> Variable:
        """The variable of all that a number is measured over which something is compared with."""
        assert isinstance(item.left, Value)
        assert isinstance(item.right, Aggregate)
        return Variable(item.right.value.of, (tree.owners[item.left.of],))

    def _compared(self, item: Comparison, tree: Tree) -> tuple[Condition | None, int, float]:
        """The condition of a comparison, whether something of it is left unread, and how surely its measure is said."""
        condition = self.conditions.compared(item, tree)
        if condition is None:
            return None, 1, 1.0
        assert isinstance(condition.left, Value | Aggregate)
        other = self.conditions.is_of_other(item, condition)
        return condition, other, self.conditions.said(item, condition.left, tree)

    @cached_property
    def _unjoined(self) -> int:
        """How often an "or" stands between two comparisons, of which query graphs take both."""
        return sum(
            "or" in self.heard.plain[one.end : other.start] for one, other in pairwise(self.heard.form.comparisons)
        )

    def _taking(self, tree: Tree, numbers: Sequence[int]) -> Tree:
        """The tree in which mentions that it left out are said after all."""
        worth = sum(COSTS.skipped_value + self.heard.mentions[number].meanings[0].score for number in numbers)
        used = {index for number in numbers for item in [self.heard.mentions[number]]
                for index in (*range(item.start, item.end), *item.also)}  # fmt: skip
        left = tuple(number for number in tree.ignored if number not in numbers)
        return replace(tree, ignored=left, used=tree.used | used, score=tree.score + worth)

    def _is_said(self, number: int, tree: Tree) -> bool:
        """Whether the words of a mention name a relationship of the tree."""
        item = self.heard.mentions[number]
        return tree.used.issuperset(range(item.start, item.end))

    def _silent(self, tree: Tree, keys: set[str]) -> list[tuple[int, float]]:
        """The telling words that a tree and the properties that it speaks of leave out, with how much they are like
        what it speaks of."""
        held = {key.key for key in self.heard.fits.keys if key.kind == "truth" or key.listed}
        said = tree.used | self.heard.form.used | (self.heard.supposing if held & keys else set())
        said |= {index for start, end, key in self.heard.lacked if key.key in keys for index in range(start, end)}
        said |= self._saying(keys)
        said |= {index for start, end, key in self.heard.whole_keys if key.key in keys for index in range(start, end)}
        said |= {index for index, word in enumerate(self.heard.plain) if word in UNITS and index - 1 in said}
        said |= self._units | (Measures(self.heard).averaged)
        said |= self.heard.happening | self._held_by_all(tree.things[0].label)
        labels = {thing.label for thing in tree.things}
        relations = [join.relation for join in tree.joins]
        spoken = [key for key in self.heard.fits.keys if key.key in keys and key.owner in {*labels, *relations}]
        return silent(self.heard, said, labels, relations, spoken)

    def _held_by_all(self, label: str) -> set[int]:
        """The verbs that say nothing more of the nodes of a label than that they are there: of a relationship of which
        each has one ("orders PLACED in May"), or before a time, where they have one date only."""
        fits, nodes = self.heard.fits, self.heard.fits.vocabulary.labels.get(label, 0)
        links = [link for link in fits.vocabulary.links if label in (link.subject, link.object) and link.count == nodes]
        held = {fits.relations.index(link.relation) for link in links}
        verbs = [index for index in self.heard.telling if is_past(self.heard.plain[index])]
        dates = [key for key in fits.vocabulary.keys_of(label) if key.kind == "date"]
        times = {item.start - 1 for item in self.heard.form.comparisons if item.values and is_of_time(item.values[0])}
        return {index for index in verbs if any(fits.named(self.heard.plain[index], relation) for relation in held)
                or (index in times and len(dates) == 1)}  # fmt: skip

    @cached_property
    def _units(self) -> set[int]:
        """The units of numbers that something is compared with: "more than 2 HOURS"."""
        ends = {item.end for item in self.heard.form.comparisons}
        return {index for index, word in enumerate(self.heard.plain) if index in ends and word in UNIT_SIZES}

    def _saying(self, keys: set[str]) -> set[int]:
        """The words that name properties of which a tree speaks: all that surely name one, and of those that are only
        like it the likeliest, with what stands right beside it; one property is not named in two places."""
        best: dict[str, tuple[float, int]] = {}
        found: list[tuple[str, float, Mention]] = []
        for item in self.heard.key_mentions:
            for meaning in item.meanings:
                if meaning.key and meaning.key.key in keys:
                    found.append((meaning.key.key, meaning.score, item))
                    best[meaning.key.key] = max(best.get(meaning.key.key, (0.0, 0)), (meaning.score, -item.start))
        return {
            index
            for key, score, item in found
            if score >= NAMED or abs(item.start + best[key][1]) <= 1
            for index in range(item.start, item.end)
        }

    @cached_property
    def _is_spelt(self) -> bool:
        """Whether names are written as the graph has them."""
        named = [number for number, item in enumerate(self.heard.mentions) if item.meanings[0].kind == "value"]
        return all(
            any(self.heard.text_of(number) in meaning.values for meaning in self.heard.mentions[number].meanings)
            for number in named
        )

    @cached_property
    def _spellings(self) -> tuple[bool, bool]:
        """Whether the names that the question spells come first, then whether they come second: "Mississippi" is the
        state, but "the Mississippi" may be the river."""
        article = any(self.heard.plain[item.start - 1 : item.start] == ["the"] for item in self.heard.values)
        return not article, article

    def _bracketed(self, tree: Tree, *, spelt: bool) -> str:
        """The question with the names that a tree reads in it, as the graph has them, in brackets in place of its own
        and of the noun for what they name: "rivers in the state of Texas". The question itself where one is no name.
        `spelt`: rather its own, where that is a name, too: the state that a river is called by."""
        text = self.heard.text
        places = dict(tree.places)
        for number in reversed(range(len(self.heard.mentions))):
            item = self.heard.mentions[number]
            if item.meanings[0].kind != "value":
                continue
            known = tree.things[places[number]].values if number in places else ()
            key, values = next((pair for pair in known if any(m.values == pair[1] for m in item.meanings)), (None, ()))
            names = self.heard.fits.vocabulary.display.get(key.owner) if key else None
            if key is None or names != (key.key,) or len(values) != 1:
                return self.heard.text
            first, said = self._noun_of(number, places), self.heard.text_of(number)
            own = any(m.values == (said,) for m in item.meanings)
            name = (
                said if own and (spelt or fold(said) == fold(str(values[0]))) else values[0]
            )  # "orphan", not "Orphan"
            text = f"{text[: self.heard.words[first].start]}[{name}]{text[self.heard.words[item.end - 1].end :]}"
        return text

    def _noun_of(self, number: int, places: Mapping[int, int]) -> int:
        """Where a name begins, with the noun for what it names and the article before that: "the state of Texas"."""
        start = self.heard.mentions[number].start
        if not number or places.get(number - 1) != places[number]:
            return start
        noun = self.heard.mentions[number - 1]
        if noun.meanings[0].kind == "value" or not set(self.heard.plain[noun.end : start]) <= {"of"}:
            return start
        return noun.start - (noun.start > 0 and self.heard.plain[noun.start - 1] in ARTICLES)

    def _is_vacuous(self, tree: Tree, graph: QueryGraph, unsaid: Sequence[str]) -> bool:
        """Whether what is asked for is what the question names, or, of a number or yes and no, how much of that is
        there, or whether it is, though the question says more."""
        label, vocabulary = tree.things[0].label, self.heard.fits.vocabulary
        shown, nodes = vocabulary.display.get(label, ()), vocabulary.labels.get(label, 0)
        keys = [key for key, _ in tree.things[0].values]
        compared = any(item.operator != "=" or not isinstance(item.right, tuple) for item in graph.conditions)
        more = bool(unsaid) and not graph.edges and not compared
        rare = any(2 * key.distinct > nodes for key in keys)
        if self.heard.form.kind == "exists":
            return more and (rare or any(key.key in shown for key in keys))
        if self.heard.form.kind == "count" and more and rare:
            return not isinstance(graph.answer, Arithmetic)
        asked = graph.answer.value if isinstance(graph.answer, Aggregate) else graph.answer
        return asked == Value("x0") and not graph.selections and any(key.unique and key.key in shown for key in keys)

    def _is_sure(self, tree: Tree) -> bool:
        """Whether a word surely names the kind of what is asked for."""
        there = [self.heard.mentions[number] for number, place in tree.places if number >= 0 and place == 0]
        return any(
            meaning.kind == "label" and meaning.owner == tree.things[0].label and meaning.score >= SURE
            for item in there
            for meaning in item.meanings
        )

    def _answer(self, tree: Tree) -> Value | Aggregate | Arithmetic:
        """What of a tree is asked for."""
        root, asked, kind = Value("x0"), tree.asked, self.heard.form.kind
        grouped = self.conditions.per(tree)
        added_up = asked is not None and asked.kind == "number"  # "how many people live in each city"
        if kind == "count" and grouped is not None and not added_up:
            return Aggregate("count", self._counted(tree), grouped)
        if kind == "share" and asked is None:
            return Aggregate("share", root)
        if kind == "count" and tree.joins and (times := self._times(tree, grouped)):
            return times
        if kind == "exists" or (kind == "count" and asked is None):
            return Aggregate("exists", root) if kind == "exists" else Aggregate("count", self._counted(tree))
        if asked is None and kind == "sum":
            return self._whole_amount(tree.things[0].label)
        if asked is None:
            return root
        if kind == "count" and (self.different or (asked.kind not in MEASURED and not asked.of_edge)):
            return Aggregate("count", Value(tree.asking, asked.key))
        owner = tree.asking
        if kind in ("sum", "average") and asked.kind != "number":
            return Value(owner, asked.key)
        whole = self.heard.form.whole if asked.kind == "number" and kind == "count" else ""
        if kind == "average" or whole == "average":
            alone = grouped == Value(owner) and self.heard.plain[self.heard.form.per - 1] == "per"
            return Aggregate("average", Value(owner, asked.key, asked.form), None if alone else grouped)
        total = "total" in self.heard.plain[: self.heard.form.at] or (grouped is not None and added_up)
        if kind == "count" and total and asked.kind != "number":
            return Aggregate("count", Value(owner))  # times and dates do not add up
        several = kind == "count" and not whole and not self.heard.form.much and self._is_of_several(tree)
        if kind == "sum" or whole == "sum" or (kind == "count" and total) or several:
            return Aggregate("sum", Value(owner, asked.key, asked.form), grouped)
        return Value(owner, asked.key)

    def _is_of_several(self, tree: Tree) -> bool:
        """Whether so much is asked for that several may have, of which one is named further on: "how many CREDITS did X
        earn" by courses."""
        asked, named = tree.asked, any(key.unique for key, _ in tree.things[0].values)
        return asked is not None and asked.kind == "number" and not asked.of_edge and bool(tree.joins) and not named

    def _counted(self, tree: Tree) -> Value:
        """What a count counts: things, or the relationships whose noun asks for them ("how many TRANSFERS")."""
        relation = next((role.relation for role in tree.things[0].roles), "")
        there = self.heard.mentions[tree.things[0].named] if tree.things[0].named >= 0 else None
        word = next(iter(self.heard.plain[there.start if there else self.heard.form.at :]), "")
        if not relation or not self._is_row(word, relation):
            return Value("x0")
        known = [number for number, join in enumerate(tree.joins) if join.relation == relation]
        return Value(f"r{known[0]}") if known else Value("x0")

    def _is_row(self, word: str, relation: str) -> bool:
        """Whether a noun asks for relationships, and not for what they lead to: one of the verb that they are called
        by, or of their own name, where they have properties: "transactions" of FINANCIAL_TRANSACTIONS."""
        name = name_words(self.heard.fits.vocabulary.readable(relation))
        own = bool(self.heard.fits.vocabulary.keys_of(relation)) and len(name) > 1 and same_root(word, name[-1])
        return own or is_done(singular(word), name[0])

    def _times(self, tree: Tree, grouped: Value | None) -> Aggregate | None:
        """How often what is asked for is done, or how many of a named thing it is done to."""
        if self.heard.form.word == "how often":
            return Aggregate("count", Value(f"r{_first_join(tree)}"), grouped)
        return self._handled(tree) if tree.asked is None and self.heard.counts_named else None

    def _handled(self, tree: Tree) -> Aggregate:
        """How many of a named thing, "how many BOLTS were ordered": the sum of what the first relationships of it
        have for that, or how many they are."""
        at = _first_join(tree)
        for key in self.heard.fits.vocabulary.keys_of(tree.joins[at].relation):
            if key.kind == "number" and QUANTITIES.intersection(name_words(key.key)):
                return Aggregate("sum", Value(f"r{at}", key.key))
        return Aggregate("count", Value(f"r{at}"))

    def _whole_amount(self, label: str) -> Value | Aggregate:
        """The sum of the number that is most like a total: what invoices add up to. What is counted has none."""
        fits = self.heard.fits.key("total")
        numbers = [key for key in self.heard.fits.vocabulary.keys_of(label) if key.kind == "number" and not key.unique]
        best = max(numbers, key=lambda key: fits[key], default=None)
        return Aggregate("sum", Value("x0", best.key, best.form)) if best and fits[best] > LIKE_ANY else Value("x0")

    @cached_property
    def _is_plain_chain(self) -> bool:
        form = self.heard.form
        named = [number for number, item in enumerate(self.heard.mentions) if item.meanings[0].kind == "value"]
        if (
            form.extremes
            or form.comparisons
            or form.negations
            or not named
            or form.per >= 0
            or form.period
            or form.same
            or self.heard.compared
        ):
            return False
        if self.heard.says_truth or self.verbs.beside or any(map(self.heard.is_only, self.heard.values)):
            return False
        if form.kind != "things" and (form.kind not in ("count", "exists") or len(named) < 2):
            return False
        beside = any(self.heard.mentions[one].end == self.heard.mentions[other].start for one, other in pairwise(named))
        return not beside and all(self._names_a_node(number) for number in named)

    def _is_much(self, tree: Tree) -> bool:
        """Whether a number asks for that of a property: "how many MEGAWATTS did X lose at Y"."""
        return self.heard.form.kind == "count" and tree.asked is not None and tree.asked.kind == "number"

    def _is_between(self, tree: Tree) -> bool:
        """Whether what is asked for is joined to others than the one thing that is named, too, and ends no chain. In a
        graph of plain triples, whose classes are only implied, words are too often like one of them to tell that."""
        named = sum(item.meanings[0].kind == "value" for item in self.heard.mentions)
        implied = any(thing.label in self.heard.fits.vocabulary.spoken for thing in tree.things)
        return named == 1 and not implied and sum(0 in (join.source, join.target) for join in tree.joins) > 1

    def _names_a_node(self, number: int) -> bool:
        """Whether a mention is the name of one node, and not a value that several have."""
        best = self.heard.mentions[number].meanings[0]
        shown = self.heard.fits.vocabulary.display.get(best.owner, ())
        return best.key is not None and best.key.key in shown and best.times <= 1 and len(best.values) == 1


def _first_join(tree: Tree) -> int:
    """The place of the first relationship of the first thing."""
    return min(number for number, join in enumerate(tree.joins) if 0 in (join.source, join.target))


def _contradicts(tree: Tree) -> bool:
    """Whether a tree has a relationship from a thing to anything, and none from it to anything."""
    plain = [item for item in tree.joins if not item.values and not tree.things[item.target].values]
    ways = [{(item.source, item.relation, item.forward) for item in plain if item.absent == absent}
            for absent in (False, True)]  # fmt: skip
    return bool(ways[0] & ways[1])


def _amount(answer: Expression, selections: Sequence[Selection]) -> Expression:
    """What "how much" asks for: of what was selected by a number that number, "how much is the largest loan"."""
    measured = selections[0].by if selections else None
    return measured if measured is not None and answer == Aggregate("count", Value("x0")) else answer


def _of_relations(answer: Expression, selections: list[Selection]) -> tuple[Expression, list[Selection]]:
    """What is asked for, and what is selected, with the greatest or the least of a property of relationships as that:
    a selection keeps nodes, and these may have other such relationships, too."""
    found = [item for item in selections if isinstance(answer, Value) and answer.of.startswith("r")
             and isinstance(item.by, Value) and (item.by.of, item.by.key) == (answer.of, answer.key)
             and (item.limit, item.offset) == (1, 0)]  # fmt: skip
    if not found or not isinstance(found[0].by, Value):
        return answer, selections
    function: Function = "maximum" if found[0].descending else "minimum"
    return Aggregate(function, found[0].by), [item for item in selections if item is not found[0]]


def _tests(graph: QueryGraph) -> int:
    """How many conditions compare something, and do not say what it is."""
    return sum(item.operator not in ("=", "<>") for item in graph.every_condition())
