"""Conditions: superlatives, comparisons and truths, put on what they speak of.

Comes in: what was heard of a question, and a tree of its mentions. Goes out: conditions and selections.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.names import is_past, name_words, same_root, same_whole_root
from kgneo.english.numbers import MULTIPLES, UNIT_SIZES, is_clock, is_number, is_of_time, multiple_of
from kgneo.english.words import (
    BEGINNINGS,
    COMPARATIVES,
    ENDS,
    FUNCTION_WORDS,
    IDENTIFYING,
    MEASURES,
    OF_SIZE,
    ORDINALS,
    PREPOSITIONS,
)
from kgneo.query.graph import (
    Aggregate,
    Arithmetic,
    Calculation,
    Condition,
    Expression,
    Operator,
    QueryGraph,
    Scalar,
    Selection,
    Value,
    Variable,
)
from kgneo.query.graph import Form as ValueForm
from kgneo.reading.copies import OTHER
from kgneo.reading.fits import key_name, words_with_unit
from kgneo.reading.form import SPAN_UNITS, TIMES, Comparison, Extreme, operator_of
from kgneo.reading.grow import Tree
from kgneo.reading.heard import NAMED, REACH, Heard
from kgneo.reading.holding import Holding
from kgneo.reading.measures import COUNTING, LIKE_MEASURE, Measures, by_count, is_age, reverses
from kgneo.reading.mentions import SURE, Mention, Word, stands
from kgneo.reading.vocabulary import MEASURED, Key

UNDECIDED = 0.1
"""How surely a time is one of several dates that no word tells apart."""
TIED = 0.1
"""Points by which words must speak more of one date than of another to tell which is meant."""
OF_LABEL = 0.05
"""What it is worth that a date is like the noun for what has it: of two that nothing else tells apart, `soldOn` of
sales."""
OWN_DATE = 0.25
"""What it is worth that a date bears no name but its label's."""
FAR = 0.6
"""What it costs that a number is ten times as large as any that is known of a property, or a tenth."""
SPLIT = 0.15
"""What it costs that a number has a fraction, where the property's are whole."""
DONE = 0.7
"""What it is worth that a date is that of what the word before a time says."""
NO_DAY = 1.0
"""What it costs to compare a day with a number."""
TRUE, TRUE_BY_ROOT = 0.55, 0.45
"""Fit from which a word speaks of a property that is true or false: of another root, and of one of its words'."""
PARTITIVES = ("of", "among", "between")
SAYS_MEASURE = 0.4
"""Fit of a noun from which it says what a superlative measures that says it itself: "the highest PEAK"."""
OF_RELATION = 3.0
"""What it is worth that a superlative is said of a relationship."""
BESIDE_UNIT = 0.25
"""What other words count for a property, beside one for a unit, which several properties may be given in."""
OTHER_WAY: dict[Operator, Operator] = {"<": ">", ">": "<"}
OF_ONE = 0.5
"""What a property loses of a single thing that is named: "films of Ann AFTER 1999" are not those of Ann born later."""
OF_YEAR = 0.1
"""What a property that holds years gains where one is said."""
TIMELY = ("after", "before", "since", "until", "between", "from", "in", "during")


@dataclass(frozen=True)
class Conditions:
    """What one question tests, orders and compares."""

    heard: Heard

    def truths(self, tree: Tree) -> list[Condition]:
        """Properties that are true or false and that the question names: "products that are discontinued"."""
        found: dict[tuple[str, str], Condition] = {}
        for item in self.heard.key_mentions:
            if item.start in self.heard.form.used:
                continue
            for meaning in item.meanings:
                key = meaning.key
                if key is None or key.kind != "truth" or tree.asked == key:
                    continue
                root = self._is_part(item.start, key) and item.meanings[0].score <= meaning.score
                if meaning.score < (TRUE_BY_ROOT if root else TRUE):
                    continue
                if item.start in tree.used and not (key.of_edge and meaning.score >= NAMED):
                    continue
                owner = self._said_before(item.end, tree, key) or _owner(tree, key)
                if owner is not None and not _is_known(tree, owner, key):
                    true = self._is_true(item.start, key, denied=_is_absent(tree, owner))
                    found[owner, key.key] = Condition(Value(owner, key.key), "=", (literal(key, true),))
                    break
        return list(found.values())

    def _said_before(self, end: int, tree: Tree, key: Key) -> str:
        """The thing whose noun stands right behind a word for how it is: "an INFECTED person"; "" for none."""
        there = self.heard.mention_at(end)
        place = tree.thing_of(there) if there >= 0 and self.heard.mentions[there].start == end else None
        return f"x{place}" if place is not None and tree.things[place].label == key.owner else ""

    def _is_part(self, word: int, key: Key) -> bool:
        """Whether a word is one of a property's name: the "pets" of `petFriendly`."""
        said, names = self.heard.plain[word], name_words(key_name(key))
        return any(same_whole_root(form, own) for form in (said, said.removesuffix("ly")) for own in names)

    def missing(self, tree: Tree) -> list[Condition]:
        """Properties that the question says are not there: "orders that have no shipped date"."""
        found: dict[int, Condition] = {}
        for start, _, key in self.heard.lacked:
            owner = _owner(tree, key)
            if owner is not None and key != tree.asked and start not in found:
                found[start] = Condition(Value(owner, key.key), "missing")
        return list(found.values())

    def present(self, tree: Tree) -> list[Condition]:
        """Dates that the question says are there, of those that some nodes do not have: "orders that were SHIPPED"."""
        found: list[Condition] = []
        for key in self.heard.done:
            owner = _owner(tree, key)
            if owner is not None and key != tree.asked:
                found.append(Condition(Value(owner, key.key), "present"))
        return found

    def held(self, held: Holding, tree: Tree) -> Condition | None:
        """The test that a text holds a word, of the thing that stands next before it and has such a text."""
        word = self.heard.plain[held.at]
        whole = {key for start, end, key in self.heard.whole_keys if start <= held.at < end}
        for name, owner in sorted(tree.owners.items(), key=lambda item: -self._ends_before(held.start, item[0], tree)):
            shown = self.heard.fits.vocabulary.display.get(owner, ())
            its = self.heard.fits.label(word).get(owner, 0.0) >= SURE  # "parks that contain the word X"
            keys = [key for key in self.heard.fits.vocabulary.keys_of(owner)
                    if key.kind == "text" and (self.heard.fits.key(word)[key] >= SURE or (its and key.key in shown))
                    ]  # fmt: skip
            keys = [key for key in self.heard.fits.vocabulary.keys_of(owner) if key in whole] or keys
            if keys:
                best = max(keys, key=lambda key: self.heard.fits.key(word)[key])
                return Condition(Value(name, best.key), "contains", (held.text,))
        return None

    def _ends_before(self, at: int, name: str, tree: Tree) -> int:
        """Where the mention of a thing ends, if that is before a word; -1 for others, and for joins."""
        named = tree.things[int(name[1:])].named if name.startswith("x") else -1
        end = self.heard.mentions[named].end if named >= 0 else -1
        return end if end <= at else -1

    def same(self, tree: Tree) -> list[Condition]:
        """What two things of a tree have in common, and that they are two."""
        found = []
        for item in tree.same:
            one, other = (
                Value(f"x{thing}", item.key.key if item.key else "", item.form) for thing in (item.one, item.other)
            )
            found.append(Condition(one, "<>" if item.denied or not item.key else "=", other))
        return found

    def _is_true(self, word: int, key: Key, *, denied: bool = False) -> bool:
        """Whether a word that names a property that is true or false says that it is true; `denied`: where something
        else says what a negation before it does."""
        return self.heard.is_opposite(word, key) == (not denied and self.heard.is_denied(word))

    def with_truth(self, tree: Tree) -> Tree:
        """A tree that asks for those of which a property is true, where it asked for a property of several that is
        true or false: "which tools are discontinued"."""
        asked = tree.asked
        exists = self.heard.form.kind == "exists"
        one = any(key.unique for key, _ in tree.things[0].values) and not exists
        if asked is None or asked.kind != "truth" or one:
            return tree
        word = next((item.start for item in self.heard.key_mentions if any(m.key == asked for m in item.meanings)), -1)
        if asked.of_edge:
            place = max(tree.asked_join, 0)
            join = tree.joins[place]
            true = self._is_true(word, asked, denied=join.absent)
            join = replace(join, values=(*join.values, (asked, (literal(asked, true),))))
            joins = (*tree.joins[:place], join, *tree.joins[place + 1 :])
            return replace(tree, joins=joins, asked=None, used=tree.used | {word})
        thing = tree.things[0]
        known = (*thing.values, (asked, (literal(asked, self._is_true(word, asked)),)))
        things = (replace(thing, values=known), *tree.things[1:])
        return replace(tree, things=things, asked=None, used=tree.used | {word})

    def per(self, tree: Tree) -> Value | None:
        """What a number is asked for each of: "how many orders per country"."""
        at, period = self.heard.form.per, self.heard.form.period
        if period is not None:
            dated = self._best_compared(period, tree)
            return Value(dated[0], dated[1].key, period.form) if dated else None
        if at < 0:
            return None
        if not self.heard.form.per_key:
            place = tree.thing_of(self.heard.mention_at(at))
            return Value(f"x{place}") if place or (place == 0 and tree.asked) else None
        owners = [
            (f"x{number}", thing.label, self._is_beside(thing.named, at)) for number, thing in enumerate(tree.things)
        ]
        owners += [(f"r{number}", join.relation, False) for number, join in enumerate(tree.joins)]
        found = [
            (meaning.score - 0.01 * place + beside, owner, meaning.key)
            for item in self.heard.key_mentions
            for meaning in (item.meanings if item.start == at else ())
            for place, (owner, label, beside) in enumerate(owners)
            if meaning.key and label == meaning.owner
        ]
        best = max(found, key=lambda item: item[0], default=None)
        return Value(best[1], best[2].key) if best else None

    def _is_beside(self, named: int, at: int) -> bool:
        """Whether the noun for a thing stands before a word: "account" in "each account type"."""
        return named >= 0 and self.heard.mentions[named].end == at

    def selection(self, extreme: Extreme, tree: Tree) -> Selection | None:
        """What a superlative selects; None where a tree has nothing that it can be said of."""
        if tree.asked is not None and tree.asked.kind == "number" and self.heard.is_amount(extreme):
            by = Value(tree.asking, tree.asked.key, tree.asked.form)
            return Selection(self._top(tree), by, extreme.descending, extreme.limit, extreme.offset)
        counted = self._counted(extreme, tree)
        if counted is not None or (self.heard.plain[extreme.at] in COUNTING and self.heard.is_label(extreme.at + 1)):
            return counted  # "which genre has the most films" counts what is asked for
        measures = Measures(self.heard)
        stated = measures.stated(extreme)
        if stated is not None:
            return measures.by_stated(stated, extreme, tree)
        return by_count(extreme, tree) if tree.counted >= 0 else self._measured(extreme, tree, measures)

    def _measured(self, extreme: Extreme, tree: Tree, measures: Measures) -> Selection | None:
        """The selection by the property that a superlative, or the noun behind it, is most like."""
        word = self.heard.plain[extreme.at]
        following = self.heard.plain[extreme.at + 1] if extreme.at + 1 < len(self.heard.plain) else ""
        named = [
            item for item in self.heard.key_mentions
            if extreme.at < item.start <= extreme.at + 4
            and self.heard.only_function(extreme.at + 1 + bool(measures.function(extreme.at)), item.start)
            and not self.heard.is_label(item.start)
            and (word not in MEASURES or item.meanings[0].score >= SAYS_MEASURE)
            and any(meaning.key and self._measures(meaning.key, extreme) for meaning in item.meanings)
        ]  # fmt: skip
        named = named or self._done_at(extreme)
        best: tuple[float, int, Key] | None = None
        for number, thing in enumerate(tree.things):
            for key in self.heard.fits.vocabulary.keys_of(thing.label):
                if not self._measures(key, extreme):
                    continue
                score = self._measure(word, following, key, named) + self._whole(extreme, key)
                score += self._modifies(extreme, tree, number, bool(named)) + (0.05 if key.kind == "date" else 0.0)
                if best is None or score > best[0]:
                    best = (score, number, key)
        if best is None:
            return None
        of_relation = measures.of_relation(extreme, tree)
        for number, join in enumerate(tree.joins):
            for key in self.heard.fits.vocabulary.keys_of(join.relation):
                if key.kind in MEASURED:
                    score = self._measure(word, following, key, named) + (0.5 if named else 0.1)
                    score += OF_RELATION * (number == of_relation)
                    if score > best[0]:
                        best = (score, -1 - number, key)
        _, number, key = best
        owner = f"x{number}" if number >= 0 else f"r{-1 - number}"
        descending = extreme.descending != reverses(word, key)
        function = measures.function(extreme.at)
        if function and number and key.kind == "number":
            by = Aggregate(function, Value(owner, key.key, key.form))
            return Selection("x0", by, descending, extreme.limit, extreme.offset)
        variable = self._top(tree) if number < 0 else f"x{number}"
        return Selection(variable, Value(owner, key.key, key.form), descending, extreme.limit, extreme.offset)

    def _measures(self, key: Key, extreme: Extreme) -> bool:
        """Whether a superlative may order by a property: the tallest person is none with the highest `people_id`."""
        said = self.heard.plain[extreme.at : extreme.at + 5]
        return key.kind in MEASURED and not _only_names(key, said)

    def _done_at(self, extreme: Extreme) -> list[Mention]:
        """The verb that a place in an order ends, where it names a date: "who was HIRED first"."""
        behind = self.heard.plain[extreme.at + 1 : extreme.at + 2]
        if not _is_timely(self.heard.plain[extreme.at]) or not set(behind) <= FUNCTION_WORDS:
            return []
        return [
            item for item in self.heard.key_mentions
            if item.end == extreme.at and is_past(self.heard.plain[item.start]) and item.meanings[0].score >= NAMED
            and item.meanings[0].key and item.meanings[0].key.kind == "date"
        ]  # fmt: skip

    def _top(self, tree: Tree) -> str:
        """What hangs below nothing else: the end of the relationship whose property is asked for, or what is."""
        if tree.asked is None or not tree.asked.of_edge:
            return "x0"
        join = tree.joins[tree.asked_join]  # the last where it is -1
        return f"x{join.target if join.forward else join.source}"

    def _measure(self, word: str, following: str, key: Key, named: Sequence[Mention]) -> float:
        if named:
            return max(
                (meaning.score for item in named for meaning in item.meanings if meaning.key == key), default=0.0
            )
        if word in ("most", "least", "more", "less") and following:
            return self.heard.fits.key(following)[key]
        score = self.heard.fits.key(word)[key]
        if _is_timely(word):
            score = max(score, 0.5) if key.kind == "date" else score * (0.9 if key.kind == "number" else 0.5)
        return score

    def _whole(self, extreme: Extreme, key: Key) -> float:
        """What it is worth that all words of a property's name stand at a superlative, or behind it."""
        within = range(extreme.at, extreme.at + 5)
        return max((0.3 * (end - start) for start, end, other in self.heard.whole_keys
                    if other == key and start in within), default=0.0)  # fmt: skip

    def _modifies(self, extreme: Extreme, tree: Tree, number: int, named: bool) -> float:
        """Which thing a superlative is said of: the noun behind it, or, where a measure is, the one before it."""
        thing = tree.things[number]
        if any(key.unique for key, _ in thing.values):
            return -1.0
        if thing.named < 0:
            return 2.1 if any(self._is_first_part(other.named, extreme, tree) for other in tree.things) else 0.15
        if self._is_first_part(thing.named, extreme, tree):
            return 0.1
        mention = self.heard.mentions[thing.named]
        if named:
            return 0.8 if mention.end <= extreme.at and extreme.at - mention.end <= 4 else 0.1
        if mention.start > extreme.at:
            if self._is_place(extreme.at + 1, mention.start):
                return 0.1
            return (2.0 if mention.start <= extreme.at + 2 else 0.8) - 0.1 * min(mention.start - extreme.at, 6)
        return 0.3 if extreme.at - mention.end <= 2 else 0.1

    def _is_first_part(self, named: int, extreme: Extreme, tree: Tree) -> bool:
        """Whether the noun behind a superlative only tells of what the next one is: "the largest STATE capital"."""
        relation = next((role.relation for role in tree.things[0].roles), "")
        if not relation or named < 0 or self.heard.mentions[named].start != extreme.at + 1:
            return False
        behind = self.heard.plain[self.heard.mentions[named].end :][:1]
        number = self.heard.fits.relations.index(relation)
        return any(self.heard.fits.named(word, number) for word in behind)

    def _is_place(self, start: int, end: int) -> bool:
        """Whether a preposition between a superlative and a noun says that the noun is no such thing: "came last in
        Rome", but "the oldest of the towns"."""
        return any(word in PREPOSITIONS and word not in PARTITIVES for word in self.heard.plain[start:end])

    def _counted(self, extreme: Extreme, tree: Tree) -> Selection | None:
        """ "the most films": the thing that is counted hangs on the one that is chosen."""
        word = self.heard.plain[extreme.at]
        at = extreme.at + 1
        if word not in ("most", "fewest", "least"):
            if self.heard.plain[at : at + 2] not in (["number", "of"], ["amount", "of"], ["count", "of"]):
                return None
            at += 2
        for number, place in tree.places:
            if number >= 0 and place and self.heard.mentions[number].start == at:
                by = Aggregate("count", Value(f"x{place}"))
                return Selection(_named_above(tree, place), by, extreme.descending, extreme.limit, extreme.offset)
        return None

    def compared(self, item: Comparison, tree: Tree) -> Condition | None:
        if item.often:
            return self._counted_alone(item, tree) or self._counted_last(item, tree)
        measured = item.function or item.form or any(map(is_clock, item.values))
        counted = None if measured else self._counted_by(item, tree)
        if counted is not None:
            return counted
        best = self._best_compared(item, tree)
        if best is None:
            return None
        owner, key = best
        right: tuple[Scalar, ...] | Aggregate
        if item.form:
            return Condition(Value(owner, key.key, item.form), item.operator, item.values)
        if item.function:
            right = Aggregate(item.function, Value(f"all{item.start}", key.key, key.form))
        elif key.kind == "time" or (key.kind == "date" and key.form):
            right = item.values
        else:
            times = multiple_of(self.heard.plain[item.start : item.end + 1], words_with_unit(key))
            right = tuple(round(_number(value) / times, 9) if times != 1 else _number(value) for value in item.values)
        operator = item.operator
        if any(is_age(word, key) for word in self.heard.plain[item.start : item.end]):
            operator = OTHER_WAY.get(operator, operator)
        return Condition(Value(owner, key.key, key.form), operator, right)

    def _best_compared(self, item: Comparison, tree: Tree) -> tuple[str, Key] | None:
        """The property that a comparison speaks of most, with what has it."""
        options = list(self._comparable(item, tree))
        if not options:
            return None
        _, number, key = max(options, key=lambda option: option[0])
        return (f"x{number}" if number >= 0 else f"r{-1 - number}"), key

    def is_of_other(self, item: Comparison, condition: Condition) -> bool:
        """Whether the noun behind the number of a comparison surely names a property other than the one that the
        comparison was put on: "more than 8 STARS"."""
        inside = self.heard.plain[item.end - 2 : item.end - 1] == ["or"]
        at = item.end - 3 if inside else item.end
        if not isinstance(condition.left, Value) or at >= len(self.heard.plain) or self.heard.is_label(at):
            return False
        named = {key.key for key, fit in self.heard.fits.key(self.heard.plain[at]).items()
                 if fit >= SURE and key.kind == "number"}  # fmt: skip
        return bool(named) and condition.left.key not in named

    def other(self, tree: Tree) -> tuple[Variable, list[Condition], Arithmetic | None] | None:
        """What something is compared with: its variable, what is known of it and the comparison, or the difference
        where that is asked for; None where they have nothing to compare."""
        assert self.heard.form.versus is not None
        at, than = self.heard.form.versus
        if self.heard.plain[than] == "when":
            return self._age(tree, than)
        words = [self.heard.plain[index] for index in range(max(at - 3, 0), than) if self._may_measure(index)]
        best: tuple[float, int, Key] | None = None
        for number, thing in enumerate(tree.things):
            if all(meaning.owner != thing.label for meaning in self.heard.compared[0].meanings):
                continue
            for key in self.heard.fits.vocabulary.keys_of(thing.label):
                said = max((self._measure(word, "", key, ()) for word in words), default=0.0)
                score = said + 0.5 * (tree.asked == key)
                if key.kind in MEASURED and (best is None or score - 0.1 * number > best[0]):
                    best = (score - 0.1 * number, number, key)
        other = f"x{len(tree.things)}"
        if self.heard.form.kind == "count" and (best is None or best[0] < NAMED):
            return self._counts(tree, other)
        if best is None or best[0] < LIKE_MEASURE:
            return None
        _, number, key = best
        label = tree.things[number].label
        known = self._known_of(other, label)
        left, right = Value(f"x{number}", key.key, key.form), Value(other, key.key, key.form)
        if self._asks_difference(at):
            sides = (right, left) if self._is_less(at, key) else (left, right)
            return Variable(other, (label,)), known, Arithmetic(self._calculation(key, at), *sides)
        operator = operator_of(self.heard.plain[at])
        if is_age(self.heard.plain[at], key):
            operator = OTHER_WAY.get(operator, operator)
        test = Condition(left, operator, right)
        return Variable(other, (label,)), [*known, test, *self._others(f"x{number}", known, operator)], None

    def _is_less(self, at: int, key: Key) -> bool:
        """Whether a word that compares says of the first of two that its value is the lesser: "how much OLDER is X"."""
        word = self.heard.plain[at]
        return word in COMPARATIVES and COMPARATIVES[word] == is_age(word, key)

    def _asks_difference(self, at: int) -> bool:
        """Whether it is asked how far two things are apart: "how much OLDER", "how many years OLDER", and not how many
        are "older"."""
        form = self.heard.form
        if self.heard.plain[at] in ("difference", "differ", "ratio"):
            return True
        between = all(self.heard.mention_at(index) < 0 for index in range(form.at, at))
        return form.kind == "count" and self.heard.plain[at] not in (*TIMES, "as") and between

    def _others(self, thing: str, known: Sequence[Condition], operator: Operator) -> list[Condition]:
        """That what is as great as something is not called the same, where things are asked for."""
        if operator != "=" or self.heard.form.kind == "exists":
            return []
        return [replace(item, left=replace(item.left, of=thing), operator="<>") for item in known
                if isinstance(item.left, Value)]  # fmt: skip

    def outnumbered(self, tree: Tree) -> tuple[str, str, list[Condition], Operator] | None:
        """What has more or fewer of something than what is named, with the variable of what is counted, what is known
        of the other, and how the numbers are compared: "acted in MORE FILMS THAN Ann"; None for another comparison."""
        assert self.heard.form.versus is not None
        at, than = self.heard.form.versus
        word = self.heard.plain[at]
        there = self.heard.mention_at(at + 1 + (word == "as"))
        place = tree.thing_of(there) if there >= 0 else None
        if word not in ("more", "fewer", "less", "as") or not place or self.heard.plain[than] not in ("than", "as"):
            return None
        if all(meaning.kind != "label" for meaning in self.heard.mentions[there].meanings):
            return None
        owners = {meaning.owner for meaning in self.heard.compared[0].meanings}
        thing = next((number for number, item in enumerate(tree.things[:place]) if item.label in owners), None)
        if thing is None:
            return None
        own, other, operator = f"x{thing}", f"{OTHER}x{thing}", operator_of(word)
        known = self._known_of(other, tree.things[thing].label)
        known += self._others(own, known, operator)
        return own, f"x{place}", known, operator

    def _may_measure(self, index: int) -> bool:
        """Whether a word may say what two things are compared by, and not what they are or are called."""
        word, there = self.heard.plain[index], self.heard.mention_at(index)
        names = there >= 0 and self.heard.mentions[there].meanings[0].kind in ("value", "label")
        return not names and (word not in FUNCTION_WORDS or word in MEASURES)

    def _counts(self, tree: Tree, other: str) -> tuple[Variable, list[Condition], Arithmetic]:
        """ "How many more male students are there than female ones": how many of both there are."""
        label = tree.things[0].label
        both = Aggregate("count", Value("x0")), Aggregate("count", Value(other))
        return Variable(other, (label,)), self._known_of(other, label), Arithmetic("-", *both)

    def _calculation(self, key: Key, at: int) -> Calculation:
        """How the two values of a property are set against each other by the word `at`: dates by what the question
        counts in."""
        if self.heard.plain[at] == "ratio" or "times" in self.heard.plain[max(at - 1, 0) : at + 1]:
            return "/"
        if key.form in ("date", "day first", "month first"):
            return next((SPAN_UNITS[word] for word in self.heard.plain if word in SPAN_UNITS), "days")
        return "difference" if self.heard.plain[at].startswith("differ") else "-"

    def own(self, tree: Tree) -> Condition | None:
        """A test of one property against another one that the question names, of the same thing or of what it is joined
        to: "fewer units in stock THAN their reorder level", "more domestic THAN international passengers"."""
        versus = self.heard.form.versus
        if versus is None or self.heard.compared or self.heard.plain[versus[1]] != "than":
            return None
        at, than = versus
        behind = range(than + 1, min(than + REACH, len(self.heard.plain)))
        right = self._spoken_of(behind, tree)
        left = right and (
            self._spoken_of(range(at, than), tree, right)
            or self._sharing_noun(range(at + 1, than), behind, tree, right)
            or self._spoken_of(range(max(at - REACH, 0), at), tree, right)
        )
        if not left or not right:
            return None
        return Condition(left, operator_of(self.heard.plain[at]), right)

    def _spoken_of(self, words: range, tree: Tree, other: Value | None = None) -> Value | None:
        """The number or date, but for the `other`, that words surely name, of a tree's things and joins."""
        said = [self.heard.plain[index] for index in words]
        telling = [word for word in said if word not in FUNCTION_WORDS and word not in COMPARATIVES]
        whole = {key: end - start for start, end, key in self.heard.whole_keys if start in words}
        best: tuple[float, Value] | None = None
        for name, owner in tree.owners.items():
            for key in self.heard.fits.vocabulary.keys_of(owner):
                value = Value(name, key.key, key.form)
                score = max((self.heard.fits.key(word)[key] for word in telling), default=0.0) + whole.get(key, 0)
                if key.kind in MEASURED and value != other and score >= NAMED and (best is None or score > best[0]):
                    best = score, value
        return best[1] if best else None

    def _sharing_noun(self, before: range, behind: range, tree: Tree, other: Value) -> Value | None:
        """The number whose name begins before "than", and ends as what stands behind it: "DOMESTIC than international
        PASSENGERS"."""
        first, last = self.heard.words[before.start : before.stop], self.heard.words[behind.start : behind.stop]
        for name, owner in tree.owners.items():
            for key in self.heard.fits.vocabulary.keys_of(owner):
                own, value = name_words(key.name or key.key), Value(name, key.key, key.form)
                shared = own[len(first) :]
                begins = bool(first) and bool(shared) and stands(first, own[: len(first)])
                ends = any(stands(pieces, shared) for pieces in _runs(last, len(shared)))
                if key.kind in MEASURED and value != other and begins and ends:
                    return value
        return None

    def _known_of(self, other: str, label: str) -> list[Condition]:
        """What the question says of the node of a label that something is compared with."""
        return [
            equal(other, meaning.key, meaning.values)
            for item in self.heard.compared
            for meaning in [next((one for one in item.meanings if one.owner == label), None)]
            if meaning and meaning.key
        ]

    def _age(self, tree: Tree, when: int) -> tuple[Variable, list[Condition], Arithmetic | None] | None:
        """ "How old was X when Y came out": the years from a date of what is asked about to one of what is named."""
        named = next((meaning for item in self.heard.compared for meaning in item.meanings if meaning.key), None)
        own = {index for item in self.heard.compared for index in range(item.start, item.end)}
        said = [word for index, word in enumerate(self.heard.plain) if index > when and index not in own]
        born = self._date_of(tree.things[0].label, ["born", "birth"])
        then = self._date_of(named.owner, ["date", *said]) if named else None
        if named is None or born is None or then is None:
            return None
        other = f"x{len(tree.things)}"
        known = self._known_of(other, named.owner)
        years = Arithmetic("years", Value(other, then.key, then.form), Value("x0", born.key, born.form))
        return Variable(other, (named.owner,)), known, years

    def _date_of(self, label: str, words: Sequence[str]) -> Key | None:
        """The date, or the number of a year, of a label's nodes that words speak of most."""
        telling = [word for word in words if word not in FUNCTION_WORDS]

        def fit(key: Key) -> float:
            return max(self.heard.fits.key(word)[key] for word in telling)

        keys = self.heard.fits.vocabulary.keys_of(label)
        dates = [key for key in keys if key.kind == "date" or (key.kind == "number" and fit(key) >= NAMED)]
        return max(dates, key=fit, default=None)

    def _comparable(self, item: Comparison, tree: Tree) -> Iterator[tuple[float, int, Key]]:
        """Numbers and dates of things, and of joins (-1 for the first), with how well a comparison fits each."""
        year = bool(item.values) and all(is_of_time(value) for value in item.values)
        for number, thing in enumerate(tree.things):
            near = 0.0
            if thing.named >= 0 and self.heard.mentions[thing.named].start <= item.start:
                near = 0.2 - 0.02 * min(item.start - self.heard.mentions[thing.named].end, 8)
            near -= OF_ONE * (bool(number) and any(key.unique for key, _ in thing.values))
            for key in self.heard.fits.vocabulary.keys_of(thing.label):
                if self._may_compare(item, key, year=year) and not self._counts_nothing(item, key):
                    yield self._compares(item, key, year=year) + near, number, key
        for number, join in enumerate(() if item.function else tree.joins):
            done = DONE * self._is_done(join.relation, item)
            for key in self.heard.fits.vocabulary.keys_of(join.relation):
                if self._may_compare(item, key, year=year):
                    more = done if key.kind == "date" else 0.0
                    yield self._compares(item, key, year=year) + 0.15 + more, -1 - number, key

    def _may_compare(self, item: Comparison, key: Key, *, year: bool) -> bool:
        """Whether a property holds what a comparison is with: a number, but for amounts of "in 2024", a date where that
        is one; a date that is written as one, where it is with days of the week or months."""
        if item.form:
            return key.kind == "date" and key.form in ("", "date")
        if key.kind == "time" or any(map(is_clock, item.values)):
            return key.kind == "time" and bool(item.values) and all(map(is_clock, item.values))
        if key.kind != "number":
            return key.kind == "date" and year
        timely = year and self.heard.plain[item.start] in ("in", "during")
        return not timely or all(map(is_of_time, key.examples))

    def _is_done(self, relation: str, item: Comparison) -> bool:
        """Whether the word right before a time says the relationship: "judges that RULED ON cases before 2010"."""
        number = self.heard.fits.relations.index(relation) if relation in self.heard.fits.relations else -1
        before = [word for word in self.heard.plain[: item.start] if word not in FUNCTION_WORDS][-1:]
        return number >= 0 and bool(before) and self.heard.fits.named(before[0], number)

    def _counts_nothing(self, item: Comparison, key: Key) -> bool:
        """Whether a number only names things, and no word names it: "taller than 180" is no `employee_no`."""
        if item.function and name_words(key.name or key.key)[-1] in IDENTIFYING:
            return True
        return _only_names(key, self.heard.plain[max(item.start - 5, 0) : item.end + 3])

    def _compares(self, item: Comparison, key: Key, *, year: bool) -> float:
        inside = [] if item.form else self.heard.plain[item.start : item.end]
        inside = [word for word in inside if word not in BEGINNINGS | ENDS]
        around = (
            *range(max(item.start - 5, 0), item.start),
            *range(item.end, min(item.end + 3, len(self.heard.plain))),
        )
        beside = [self.heard.plain[index] for index in around if not self._names_owner(index, key)]
        words = [word for word in (*beside, *inside) if word not in FUNCTION_WORDS and not is_number(word)]
        words += [self.heard.plain[item.start]] if self.heard.plain[item.start] in MEASURES else []
        score = max((self.heard.fits.measured(word, key) for word in words), default=0.0)
        score += BESIDE_UNIT * self._beside_unit(words, key)
        timely = (year and self.heard.plain[item.start] in TIMELY) or bool(item.form)
        if timely:
            score += 0.6 if key.kind == "date" or "year" in name_words(key.key) else -0.3
            score += OF_YEAR * ("year" in name_words(key.key) and all(len(value) == 4 for value in item.values))
            score += OWN_DATE * _is_own(key) + OF_LABEL * self.heard.fits.key(name_words(key.owner)[-1])[key]
        if key.kind != "date" and any("-" in value for value in item.values):
            score -= NO_DAY
        return score if key.kind == "date" else score - _unlike(item.values, key)

    def decided(self, graph: QueryGraph) -> float:
        """The probability that times are of the dates by which a query graph tells them."""
        return 1 / math.prod(1 + len(others) for _, others in self.undecided_in(graph))

    def undecided_in(self, graph: QueryGraph) -> list[tuple[Value, list[Value]]]:
        """The dates by which a query graph tells times, each with those that may be meant as well, where there are
        any."""
        period, answer = self.heard.form.period, graph.answer
        found = [
            (item.left, self._as_well(graph, item.left, bound))
            for bound in self.heard.form.comparisons
            for item in graph.conditions
            if isinstance(item.left, Value) and item.operator == bound.operator
        ]
        if period and isinstance(answer, Aggregate) and answer.per:
            found.append((answer.per, self._as_well(graph, answer.per, period)))
        return [pair for pair in found if pair[1]]

    def _as_well(self, graph: QueryGraph, value: Value, bound: Comparison) -> list[Value]:
        """The dates that a time may be of as well as of the one that a query graph has."""
        edges = {edge.name: edge.relations for edge in graph.edges if edge.name}
        owners = edges[value.of] if value.of in edges else graph.variable(value.of).labels
        keys = [key for owner in owners for key in self.heard.fits.vocabulary.keys_of(owner) if key.key == value.key]
        return [
            replace(value, key=other.key, form=bound.form or other.form)
            for key in keys
            for other in self.undecided(bound, key)
        ]

    def undecided(self, item: Comparison, key: Key) -> list[Key]:
        """The other dates of the same nodes that a time may be of as well: no word speaks of one of them more."""
        if key.kind != "date" or not (item.form or (item.values and all(map(is_of_time, item.values)))):
            return []
        own = self._compares(item, key, year=True)
        return [
            other
            for other in self.heard.fits.vocabulary.keys_of(key.owner)
            if other != key and other.kind == "date" and self._may_compare(item, other, year=True)
            and abs(own - self._compares(item, other, year=True)) <= TIED
        ]  # fmt: skip

    def _names_owner(self, index: int, key: Key) -> bool:
        """Whether a word surely names the label that has a property, and not that: "ORDERS" beside `orderedOn`."""
        there = self.heard.mention_at(index)
        return self.heard.is_label(index) and self.heard.mentions[there].meanings[0].owner == key.owner

    def _beside_unit(self, words: Sequence[str], key: Key) -> float:
        """How well words other than that for the unit name a property that is given in it: "COST more than 40
        dollars"."""
        others = [word for word in words if word not in UNIT_SIZES | MULTIPLES]
        return (
            max((self.heard.fits.key(word)[key] for word in others), default=0.0) if len(others) < len(words) else 0.0
        )

    def said(self, item: Comparison | Extreme, measure: Expression | None, tree: Tree) -> float:
        """How surely a word beside a comparison or a superlative speaks of what it was put on: 0 to 1."""
        if not isinstance(measure, Value) or (isinstance(item, Extreme) and self.heard.plain[item.at] in OF_SIZE):
            return 1.0
        keys = self.heard.fits.vocabulary.keys_of(tree.owners[measure.of])
        key = next(key for key in keys if key.key == measure.key)
        first = item.start if isinstance(item, Comparison) else item.at
        timely = self.heard.plain[first] in TIMELY or _is_timely(self.heard.plain[first])
        timely = timely or (isinstance(item, Comparison) and bool(item.form))
        words = [
            word for index, word in enumerate(self.heard.plain)
            if first - 5 <= index < first + 6 and (word not in FUNCTION_WORDS or word in MEASURES)
            and not (is_number(word) or self.heard.is_label(index))
        ]  # fmt: skip
        if timely and key.kind == "date":
            return UNDECIDED if isinstance(item, Comparison) and self.undecided(item, key) else 1.0
        named = self.heard.plain[first + 1 : first + 2] if isinstance(item, Extreme) else []
        if named and named[0] not in FUNCTION_WORDS and not self.heard.is_label(first + 1):
            words = [*named, *(word for word in words if word in self.heard.plain[first + 2 : first + 4])]
        return max((self.heard.fits.measured(word, key) for word in words), default=0.0)

    def _counted_by(self, item: Comparison, tree: Tree) -> Condition | None:
        """ "more than 3 films": a test of how many things hang on another."""
        for number, place in tree.places:
            if number < 0 or self.heard.mentions[number].start != item.end:
                continue
            if not place and self.heard.form.kind == "exists":
                return Condition(Aggregate("count", Value("x0")), item.operator, tuple(map(_number, item.values)))
            if place and any(meaning.kind == "label" for meaning in self.heard.mentions[number].meanings):
                values = tuple(_number(value) for value in item.values)
                if max(values) > self.heard.fits.vocabulary.labels.get(tree.things[place].label, 0):
                    return None  # so many there are not: "40,000 visitors" are a number that the graph has
                own = Aggregate("count", Value(f"x{place}"), Value(_named_above(tree, place)))
                return Condition(own, item.operator, values)
        return self._counted_alone(item, tree)

    def _names_measure(self, index: int, tree: Tree) -> bool:
        """Whether a word surely names a number or a date of what a tree speaks of."""
        owners = {thing.label for thing in tree.things} | {join.relation for join in tree.joins}
        return any(
            meaning.key is not None and meaning.key.kind in MEASURED
            and meaning.score >= NAMED and meaning.owner in owners
            for item in self.heard.key_mentions if item.start == index for meaning in item.meanings
        )  # fmt: skip

    def _counted_alone(self, item: Comparison, tree: Tree) -> Condition | None:
        """ "sent more than 3 transfers", "supervise more than two others": a test of how many relationships of a type
        there are, which a word names alone."""
        values = tuple(_number(value) for value in item.values)
        if self.heard.plain[item.start] in TIMELY or self._names_measure(item.end, tree):
            return None
        for number, join in enumerate(tree.joins):
            said = tree.things[join.target].said
            most = sum(link.count for link in self.heard.fits.vocabulary.links if link.relation == join.relation)
            if said >= 0 and said in (item.start - 1, item.end) and not join.absent and max(values) <= most:
                return Condition(
                    Aggregate("count", Value(f"r{number}"), Value(f"x{join.source}")), item.operator, values
                )
        return None

    def _counted_last(self, item: Comparison, tree: Tree) -> Condition | None:
        """ "received an X-ray TWICE": a test of how many relationships lead to what is named last before it."""
        ends = {place: self.heard.mentions[number].end for number, place in tree.places if number >= 0}
        joins = [(ends[join.target], number) for number, join in enumerate(tree.joins)
                 if not join.absent and ends.get(join.target, item.end) <= item.start]  # fmt: skip
        number = max(joins, default=(0, -1))[1]
        if number < 0:
            return None
        measure = Aggregate("count", Value(f"r{number}"), Value(f"x{tree.joins[number].source}"))
        return Condition(measure, item.operator, tuple(map(_number, item.values)))


def _only_names(key: Key, said: Sequence[str]) -> bool:
    """Whether a property only tells one thing from another, and no word asks for that."""
    last = name_words(key.name or key.key)[-1]
    return key.unique and last in IDENTIFYING and not any(same_root(word, last) for word in said)


def _runs(words: Sequence[Word], length: int) -> list[Sequence[Word]]:
    """All words of so many that stand side by side."""
    return [words[at : at + length] for at in range(len(words) - length + 1)]


def _is_own(key: Key) -> bool:
    """Whether a date is the one of its label as such: `date`, `orderDate` or `orderedOn` of an order."""
    own = (*name_words(key.owner), "date", "year")
    telling = [word for word in name_words(key.key) if word not in FUNCTION_WORDS]
    return all(any(same_root(word, other) for other in own) for word in telling)


def _unlike(values: Sequence[str], key: Key) -> float:
    """What it costs that numbers are of another order of magnitude than a property's, or have a fraction where those
    are whole."""
    known = [float(text) for text in key.examples if is_number(text)]
    numbers = [_number(value) for value in values if not is_clock(value)]
    if len(known) < 3:
        return 0.0
    far = any(number > 10 * max(known) or number < min(known) / 10 for number in numbers)
    split = any(number % 1 for number in numbers) and not any(number % 1 for number in known)
    return FAR * far + SPLIT * split


def _is_timely(word: str) -> bool:
    """Whether a word of dimension speaks of dates before all: "latest", "second"."""
    return word in ORDINALS or MEASURES.get(word, ())[:1] == ("date",)


def _owner(tree: Tree, key: Key) -> str | None:
    """The first variable or edge of a tree that can have a property."""
    kind = "r" if key.of_edge else "x"
    return next((name for name, owner in tree.owners.items() if owner == key.owner and name.startswith(kind)), None)


def _is_known(tree: Tree, name: str, key: Key) -> bool:
    """Whether a variable or an edge has a value of a property."""
    part = (tree.joins if name.startswith("r") else tree.things)[int(name[1:])]
    return any(known == key for known, _ in part.values)


def _named_above(tree: Tree, place: int) -> str:
    """What a thing hangs on that has a word of its own: what is on the way there has none."""
    word, sources = tree.things[place].named, {join.target: join.source for join in tree.joins}
    while place and tree.things[place].named == word:
        place = sources.get(place, 0)
    return f"x{place}"


def _is_absent(tree: Tree, name: str) -> bool:
    """Whether an edge must not be there."""
    return name.startswith("r") and tree.joins[int(name[1:])].absent


def literal(key: Key, true: bool) -> Scalar:
    """What a property holds that is true, or false."""
    return true if key.flags is None else key.flags[not true]


def equal(name: str, key: Key, values: tuple[Scalar, ...]) -> Condition:
    """The test that a property of the variable or edge `name` has one of `values`."""
    form: ValueForm
    form = "list" if key.listed else "date" if key.form == "date" else ""
    return Condition(Value(name, key.key, form), "=", values)


def _number(text: str) -> int | float:
    """A number; of a date, its year, of a time of the day, its hour."""
    plain = text[:4] if "-" in text else text.partition(":")[0]
    return float(plain) if "." in plain else int(plain)
