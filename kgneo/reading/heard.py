"""Heard: the words of a question with what each may mean in a graph, before anything is made of them.

Comes in: a question, the vocabulary's fits and the dictionary. Goes out: the form of the answer, and the mentions of
values, labels and properties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from kgneo.english.calendar import unit_at
from kgneo.english.names import denies, is_past, name_words, same_root, singular
from kgneo.english.numbers import is_day, is_number, number_at
from kgneo.english.words import (
    ACTING,
    AMOUNTS,
    ANYBODY,
    ARTICLES,
    AUXILIARIES,
    BEING,
    DOING,
    EACH,
    FUNCTION_WORDS,
    HAPPENING,
    IDENTIFYING,
    JOINING,
    LIGHT_VERBS,
    MEASURES,
    NOBODY,
    ONLY,
    PERFECT,
    PREPOSITIONS,
    PRONOUNS,
    RATES,
    RATING,
    RECEIVING,
    RELATIVES,
    SAID_OF,
    SAME_NAMES,
    TAKING_PLACE,
    UNNAMED,
)
from kgneo.query.graph import Operator
from kgneo.reading.fits import LEAST_PEOPLE, Fits, key_name
from kgneo.reading.flags import flags_said
from kgneo.reading.form import ON, TIMES, Comparison, Extreme, Form, form_of, operator_of
from kgneo.reading.formed import formed_mentions
from kgneo.reading.groups import first_behind, group_noun, group_words
from kgneo.reading.holding import holdings
from kgneo.reading.mentions import (
    SURE,
    Lookup,
    Meaning,
    Mention,
    Span,
    Word,
    is_part,
    key_mentions,
    label_mentions,
    misspelt,
    open_names,
    stands,
    value_mentions,
    with_choices,
    with_keys,
)
from kgneo.reading.phrases import phrase_mentions
from kgneo.reading.shortened import shortened_mentions
from kgneo.reading.spelt import words_as_named
from kgneo.reading.vocabulary import Key

REACH = 5
"""Words from "than" to the name behind it, at most."""
DENYING = 3
"""Words from a verb to the "nobody" that it is denied by, at most."""
SCOPE = 6
"""Words from a negation to what it denies, at most."""
LIKE_HAND = 0.3
"""Fit of a word to a property from which "in" or "out of" may stand before it for whether there is any."""
NAMED = 0.7
"""Score from which a property is surely named."""


class Heard:
    """A question's words, the form of its answer, and what it mentions; `taken` are the words of values."""

    def __init__(
        self,
        question: str,
        fits: Fits,
        dictionary: Lookup,
        given: Sequence[Span] = (),
    ) -> None:
        self.text = question
        self.fits = fits
        self.words = words_as_named(question, fits)
        self.plain = [word.plain for word in self.words]
        self.whole_keys = self._whole_keys()
        self.flags = flags_said(self.plain, fits)
        self.form: Form = self._of_amounts(self._of_wholes(self._without_names(form_of(self.words))))
        self.form = replace(self.form, used=self.form.used | self._rates())
        fits.prepare([word for word in self.plain if word not in FUNCTION_WORDS or word in MEASURES])
        self.holdings = holdings(
            question, self.words, fits, {end - 1 for _, end, key in self.whole_keys if key.kind == "text"}
        )
        held = {index for item in self.holdings for index in range(item.start, item.end)}
        self.form = replace(self.form, used=self.form.used | held)
        values = value_mentions(question, self.words, dictionary, fits, given)
        self.unread = len(given) > sum(_stands_at(item, self.words, span) for span in given for item in values)
        self.form = _outside(self.form, [item for item in values if self._is_whole_name(item)])
        self.form = self._without_days(self.form, values)
        values = [item for item in values if not self._in_comparison(item) and item.start not in self.form.used]
        values = [item for item in values if not self._in_whole_key(item) and not self._tells_a_number(item)]
        taken = {index for item in values for index in range(item.start, item.end)} | self.form.used
        spare = [index for index in range(len(self.words)) if index not in taken]
        values, whole = phrase_mentions(self.words, values, spare, dictionary, fits), values
        self.form = _outside(self.form, [item for item in values if item not in whole])
        taken = {index for item in values for index in range(item.start, item.end)} | self._said
        values = shortened_mentions(question, self.words, values, taken, dictionary, fits)
        taken = {index for item in values for index in range(item.start, item.end)} | self._said
        values = formed_mentions(self.words, values, taken, dictionary, fits)
        values, self.unknown = self._with_misspelt(values, dictionary)
        taken = {index for item in values for index in range(item.start, item.end)} | self._said
        self.alike_names = tuple(
            self.text_between(start, end) for start, end in open_names(self.words, taken, fits, alike=True)
        )
        values = with_choices(self.words, with_keys(self.words, values, fits))
        values = self._without_alike(values)
        self.taken = taken = {index for item in values for index in (*range(item.start, item.end), *item.also)}
        spoken_for = taken | self.form.used | set(self.form.negations)
        free = [index for index in range(len(self.words)) if index not in spoken_for]
        self.key_mentions = [
            found
            for item in key_mentions(self.words, free, fits, self.flags)
            if (found := self._within_whole(item)).meanings
        ]
        self.form = self._with_amounts(self.form, values)
        values = [item for item in values if not self._in_comparison(item)]
        named = self._named
        unnamed = [index for index in free if index not in named]
        head = self._head(unnamed)
        asked = self.form.at if self.form.word in ("who", "whom") else -1
        if any(meaning.key and meaning.key.kind == "truth" and meaning.score >= NAMED
               for item in self.key_mentions for meaning in item.meanings):  # fmt: skip
            unnamed = [index for index in unnamed if index not in self.supposing]
        labels = label_mentions(self.words, unnamed, fits, asked=asked, head=head)
        labels += self._people_of(labels)
        labels = [item for item in self._as_what(labels) if not (self._are_too_many(item) or self._is_deed(item))]
        mentions = sorted([*values, *labels], key=lambda item: item.start)
        mentions = [item for item in mentions if not self._is_kind_of_alike(item)]
        mentions, self.outnumbered = self._with_fewer(mentions)
        self.compared = self._compared(mentions)
        end = max((item.end for item in self.compared), default=-1)
        first = self.form.versus[1] if self.form.versus else 0
        self.mentions: list[Mention] = [item for item in mentions if not first <= item.start < end]
        self.form = replace(self.form, used=self.form.used | set(range(first, end)))
        self.form = self._with_numbers(self.form)
        self.grouping = range(0)
        self._group()

    def _with_fewer(self, mentions: list[Mention]) -> tuple[list[Mention], tuple[str, Operator] | None]:
        """The mentions without the kind of things than which it is asked if there are more of another one, and that
        kind: "are there more films THAN ACTORS"."""
        at, than = self.form.versus or (0, 0)
        asks = at == 2 and self.plain[1] == "there" and self.form.kind == "exists"
        there = next((item for item in mentions if item.start == than + 1 and item.end == len(self.words)), None)
        if not asks or there is None or there.meanings[0].kind != "label" or there.meanings[0].score < SURE:
            return mentions, None
        used = {at, at + (self.plain[at] == "as"), *range(than, len(self.words))}
        self.form = replace(self.form, versus=None, used=self.form.used | used)
        return [item for item in mentions if item is not there], (there.meanings[0].owner, operator_of(self.plain[at]))

    def is_only(self, item: Mention) -> bool:
        """Whether it is said that something is joined to what is named and to nothing else: "takes ONLY Logic", "only
        takes Logic"."""
        if item.meanings[0].kind != "value":
            return False
        at = next((at for at in range(item.start - 1, max(item.start - 5, 0), -1) if self.plain[at] in ONLY), -1)
        verbs = [at for at in range(at + 1, item.start) if self.plain[at] not in FUNCTION_WORDS]
        return at > 0 and self.plain[at - 1] not in ("the", "not") and len(verbs) < 2 and all(
            self.mention_at(place) < 0 for place in range(at + 1, item.start))  # fmt: skip

    def is_of_all(self, item: Mention) -> bool:
        """Whether a noun stands for all of its kind behind the verb: "takes EVERY COURSE", "acted in ALL FILMS", and
        not "the names of all courses"."""
        at = item.start - 1 - (self.plain[item.start - 1 : item.start] == ["the"])
        if at < 2 or self.plain[at] not in EACH - {"each"} or item.meanings[0].kind != "label" or self.form.extremes:
            return False
        verb = at - 1 - (self.plain[at - 1] in PREPOSITIONS - {"of", "with", "for"})
        return (
            self.plain[verb] not in FUNCTION_WORDS
            and not self.is_label(verb)
            and self.form.kind in ("things", "exists")
        )

    def _compared(self, mentions: Sequence[Mention]) -> list[Mention]:
        """The names of what something is compared with; of times only by a date of such things that the word before
        speaks of: "HIRED before Ann"."""
        versus = self.form.versus
        found = _behind(versus, mentions)
        if versus is None or self.plain[versus[1]] not in TIMES:
            return found
        dates = self.fits.key(self.plain[versus[0] - 1])
        owners = {meaning.owner for item in found for meaning in item.meanings}
        timely = any(key.kind == "date" and key.owner in owners and fit >= NAMED for key, fit in dates.items())
        return found if timely else []

    def _with_amounts(self, form: Form, values: Sequence[Mention]) -> Form:
        """The form with comparisons by numbers that stand behind the property which they are of, where none of the
        `values` that are named is one of it: "a rating OF 5", "in grade 12"."""
        compared = {index for item in form.comparisons for index in range(item.start, item.end)}
        keys = {item.start: {meaning.key for meaning in item.meanings} for item in values}
        found = [
            Comparison(item.end, number[1], "=", (number[0],))
            for item in self.key_mentions
            if (at := item.end + (self.plain[item.end : item.end + 1] == ["of"])) not in compared
            and (number := number_at(self.plain, at))
            for meaning in item.meanings[:1]
            if meaning.key and meaning.key.kind == "number" and meaning.score >= NAMED
            and meaning.key not in keys.get(at, ())
        ]  # fmt: skip
        found += self._at_hand()
        used = form.used.union(*(range(item.start, item.end) for item in found))
        return replace(form, comparisons=(*form.comparisons, *found), used=used) if found else form

    def _at_hand(self) -> Iterator[Comparison]:
        """Tests of whether there is any of a number that may be 0: "IN stock", "OUT OF stock"."""
        for item in self.key_mentions:
            key = item.meanings[0].key
            if key is None or key.kind != "number" or item.meanings[0].score < LIKE_HAND or "0" not in key.examples:
                continue
            before = self.plain[max(item.start - 2, 0) : item.start]
            if before == ["out", "of"]:
                yield Comparison(item.start, item.end, "=", ("0",))
            elif before[-1:] == ["in"] and self.plain[item.start] not in AMOUNTS:
                yield Comparison(item.start, item.end, ">", ("0",))

    def _as_what(self, labels: Sequence[Mention]) -> list[Mention]:
        """The mentions of labels, of which "who" names what is said to be its part: "WHO was hired as a DRIVER"."""
        part = next((item for item in labels if self.plain[item.start - 2 : item.start] in (["as", "a"], ["as", "an"])
                     and item.meanings[0].score >= SURE), None)  # fmt: skip
        who = self.plain.index("who") if self.form.word == "who" and "who" in self.plain else -1
        if who < 0 or part is None or part.start - who > SCOPE:
            return list(labels)
        whole = Mention(who, who + 1, part.meanings, tuple(range(part.start, part.end)))
        return [whole, *(item for item in labels if item is not part and item.start != who)]

    def _with_numbers(self, form: Form) -> Form:
        """The form with tests of how many things hang on what is asked for: "owners who have TWO pets"."""
        found = []
        for item in self.mentions:
            at = item.start - 1
            behind = at > form.at and any(other.end <= at for other in self.mentions)
            plural = singular(self.plain[item.start]) != self.plain[item.start]
            number = number_at(self.plain, at) if behind and plural and at not in form.used else None
            if number and number[1] == item.start and item.meanings[0].kind == "label" and self.plain[at - 1] != "the":
                found.append(Comparison(at, item.start, "=", (number[0],)))
        used = form.used | {item.start for item in found}
        return replace(form, comparisons=(*form.comparisons, *found), used=used) if found else form

    def _people_of(self, labels: Sequence[Mention]) -> list[Mention]:
        """The nouns with "who" behind them that are of the name of a date, as the people that have it: "CLIENTS who" of
        owners with `client_since`."""
        people, taken = self.fits.people, {item.start for item in labels}
        found = []
        for item in self.key_mentions:
            dates = [each for each in item.meanings if each.key and each.key.kind == "date"]
            owners = [each.owner for each in dates if people.get(each.owner, 0.0) > LEAST_PEOPLE]
            if owners and item.start not in taken and self.plain[item.end : item.end + 1] == ["who"]:
                meanings = tuple(Meaning("label", owner, SURE) for owner in dict.fromkeys(owners))
                found.append(Mention(item.start, item.end, meanings))
        return found

    def _is_deed(self, item: Mention) -> bool:
        """Whether a word that is like a label is the verb of a clause, and of a relationship type: "how many pets does
        each vet TREAT" beside treatments."""
        word, owner = self.plain[item.start], item.meanings[0].owner
        does = next((at for at in range(item.start - 2, -1, -1) if self.plain[at] in DOING - PERFECT), -SCOPE)
        ends = not {*self.plain[item.end : item.end + 1]} - FUNCTION_WORDS
        own = singular(word) in map(singular, name_words(owner))
        spoken = bool(self.fits.vocabulary.spoken)  # there, the verbs of relations name classes
        if spoken or item.start + 1 != item.end or own or item.meanings[0].role or not self.fits.names_any(word):
            return False
        itself = any(word in name_words(relation) for relation in self.fits.relations)  # "Ann TREATS pets"
        return itself or (ends and singular(word) == word and item.start - does < SCOPE)

    def _are_too_many(self, item: Mention) -> bool:
        """Whether so many of what a word names are asked for that the graph has fewer: "5000 PEOPLE" are a number that
        it knows of something else."""
        asked = self.plain[1:2] == ["there"] and self.form.kind == "exists"  # "ARE THERE more than 5000 people"
        bounds = [
            bound for bound in self.form.comparisons if bound.end == item.start and not (asked and bound.start == 2)
        ]
        counts = [self.fits.vocabulary.labels.get(meaning.owner, 0) for meaning in item.meanings]
        numbers = [value for bound in bounds for value in bound.values if is_number(value)]
        return bool(numbers) and min(map(float, numbers)) > max(counts)

    def _without_alike(self, values: Sequence[Mention]) -> list[Mention]:
        """The values without those of what something is the same as (`alike`), and of what is the same."""
        start, end = self.form.same or (0, 0)
        self.alike = _behind(self.form.same, values) if end < len(self.words) else self._second(values, start)
        if not self.alike and not self._is_shared(values):
            self.form = replace(self.form, same=None)
            return list(values)
        used = {*range(start, end + 1), *(at for item in self.alike for at in range(item.start, item.end))}
        self.form = replace(self.form, used=self.form.used | used)
        return [item for item in values if item not in self.alike and not start <= item.start < end]

    def _is_shared(self, values: Sequence[Mention]) -> bool:
        """Whether it is asked what has something in common with any other: "which clients have the SAME phone"."""
        same = self.form.same
        if same is None or same[1] < len(self.words) or self.form.kind not in ("things", "count"):
            return False
        return not any(same[0] <= item.start for item in values)

    def _tells_a_number(self, item: Mention) -> bool:
        """Whether a value is rather a part of a property's name that the graph may not have: "PHONE number"."""
        alone = item.end == item.start + 1 and self.words[item.start].text.islower()
        return alone and bool({*self.plain[item.end : item.end + 1]} & IDENTIFYING)

    def _is_kind_of_alike(self, item: Mention) -> bool:
        """Whether a label only says what is compared: "the same genre as the FILM Kea"."""
        owners = {meaning.owner for other in self.alike for meaning in other.meanings if item.end == other.start}
        return item.meanings[0].kind == "label" and any(meaning.owner in owners for meaning in item.meanings)

    def _second(self, values: Sequence[Mention], before: int) -> list[Mention]:
        """The names behind "and", where it is asked whether two have the same: "do X and Y live in the SAME town"."""
        joint = next((at for at, word in enumerate(self.plain[:before]) if word == "and"), before)
        names = [item for item in values if item.start < before]
        both = joint < before and any(item.end <= joint for item in names)
        return [item for item in names if item.start > joint] if both and self.form.kind == "exists" else []

    def _group(self) -> None:
        """Find what a number is asked for each of (`grouping`: the words that say so), as a mention that trees take in,
        even where it is a property."""
        if self.form.kind not in ("count", "sum", "average"):
            return
        named = self._named
        for at in reversed(group_words(self.words)):
            if at in self.form.used:
                continue
            noun = group_noun(self.text, self.words, at, self.is_label, self.is_key) if at not in named else -1
            if noun >= 0:
                self.form = replace(self.form, per=noun, per_key=not self.is_label(noun), used=self.form.used | {at})
                self.grouping = range(at, noun + 1)
                self.mentions = sorted([*self.mentions, *self._owners_of(noun)], key=lambda item: item.start)
                return
            if unit := unit_at(self.plain, first_behind(self.words, at)):
                period = Comparison(at, unit.end, "=", unit.names, form=unit.form)
                self.form = replace(self.form, period=period, used=self.form.used | set(range(at, unit.end)))
                self.grouping = range(at, unit.end)
                return

    def _rates(self) -> set[int]:
        """The words of a "per hour" that tell of a property which of several it is: `hourly_wage`; "each hour" does,
        where the property is spoken of besides."""
        names = [name_words(key.name or key.key) for key in self.fits.keys]
        return {
            index
            for at, (word, unit) in enumerate(pairwise(self.plain))
            if word in RATING and unit in RATES and any(self._is_rate(name, unit, said=word == "per") for name in names)
            for index in (at, at + 1)
        }

    def _is_rate(self, name: Sequence[str], unit: str, *, said: bool) -> bool:
        """Whether a property is given for each of a unit, and is `said` to be, or "how much" asks for it, or another of
        its words is there."""
        rest = [own for own in name if own not in RATES[unit]]
        said = said or self.form.much
        return len(rest) < len(name) and (said or any(same_root(word, own) for word in self.plain for own in rest))

    def _owners_of(self, noun: int) -> list[Mention]:
        """The labels that have the property which groups are made by, as a mention, where nothing else names any."""
        meanings = [meaning for item in self.key_mentions if item.start == noun for meaning in item.meanings]
        owners = {meaning.owner: meaning.score for meaning in reversed(meanings)
                  if meaning.key and not meaning.key.of_edge and meaning.score >= NAMED}  # fmt: skip
        if self.mention_at(noun) >= 0 or any(meaning.owner in owners for item in self.mentions
                                             for meaning in item.meanings):  # fmt: skip
            return []
        labels = [Meaning("label", owner, score) for owner, score in owners.items()]
        return [Mention(noun, noun + 1, tuple(sorted(labels, key=lambda item: -item.score)))] if labels else []

    def is_key(self, index: int) -> bool:
        """Whether a word surely names a property."""
        return any(
            item.start == index and meaning.score >= NAMED for item in self.key_mentions for meaning in item.meanings
        )

    def _whole_keys(self) -> list[tuple[int, int, Key]]:
        """Where the words of a property's name stand side by side, if it has several; in other words only where they
        are no part of a longer name that stands there: "catalog entry" of "catalog entry NAME" is no entry's id."""
        found: list[tuple[int, int, Key]] = []
        others: list[tuple[int, int, Key]] = []
        for key in self.fits.keys:
            own = name_words(key.name or key.key)
            told = tuple(SAME_NAMES.get(word, word) for word in own)
            kind = key.kind == "text" and own == name_words(key.owner)  # music festivals are nodes of MusicFestival
            for at in range(len(self.plain) - len(own) + 1 if len(own) > 1 and not kind else 0):
                if own[-1] in PREPOSITIONS and at + len(own) < len(self.plain):
                    continue  # "sold ON Monday": the last word belongs to what follows
                if any(stands(self.words[at : at + len(own)], name) for name in {own, told}):
                    found.append((at, at + len(own), key))
                elif self._was(at, own):
                    found.append((at, at + len(own) + 1, key))
            others += [(*span, key) for span in self._in_other_words(own)]
        return [*found, *(item for item in others if not any(is_part(item[:2], whole[:2]) for whole in found))]

    def _in_other_words(self, own: Sequence[str]) -> Iterator[Span]:
        """Where the words of a property's name stand the other way round, "NAME OF THE SPONSOR", or without the last
        one, where that only says that it is a code or a name: "PRODUCT TYPES" of `product_type_code`. The first ones
        must be no name of a label: its nodes would be meant."""
        *first, last = own
        if last not in IDENTIFYING | {"name", "description", "title"} or not first or self._is_of_label(first):
            return
        size = len(first)
        for at, word in enumerate(self.plain):
            behind = at + 2 + (self.plain[at + 2 : at + 3] == ["the"])
            if self.plain[at + 1 : at + 2] == ["of"] and same_root(word, last):
                if stands(self.words[behind : behind + size], first):
                    yield at, behind + size
            elif size > 1 and stands(self.words[at : at + size], first):
                yield at, at + size

    def _is_of_label(self, name: Sequence[str]) -> bool:
        """Whether words are the name of a label, or the last of them is."""
        labels = [name_words(label) for label in self.fits.labels]
        return any(len(own) <= len(name) and all(map(same_root, own, name[-len(own) :])) for own in labels)

    def _within_whole(self, item: Mention) -> Mention:
        """A mention of properties without those that have only a word in common with a name of several that stands
        there: "nightly RATE" is no rating."""
        whole = {key: end - start for start, end, key in self.whole_keys if start <= item.start < end}
        if not whole:
            return item
        longest = max(whole.values())
        kept = (meaning for meaning in item.meanings if meaning.key and whole.get(meaning.key, 0) == longest)
        return replace(item, meanings=tuple(kept))

    def _was(self, at: int, own: Sequence[str]) -> bool:
        """Whether the two words of a property's name stand at a word with "was" or "were" between: "TRAINS were
        CANCELLED"."""
        apart = [*self.words[at : at + 1], *self.words[at + 2 : at + 3]]
        return len(own) == 2 and is_past(own[1]) and self.plain[at + 1] in BEING and stands(apart, own)

    def _without_names(self, form: Form) -> Form:
        """The form without superlatives that are the name of what is asked for: "the highest point of"."""
        asked = {
            item.at for item in form.extremes
            if 0 <= item.at - form.at <= 3 and set(self.plain[form.at : item.at]) <= FUNCTION_WORDS
            and (self._is_thing(item.at) if form.word == "where" else form.word not in ("how", "when", "who")
                 and (self._is_thing(item.at) or any(start == item.at for start, _, _ in self.whole_keys)))
        }  # fmt: skip
        asked |= {item.at for item in form.extremes for start, end, key in self.whole_keys
                  if (key.kind == "truth" and start <= item.at < end) or (key.kind == "number" and start == item.at)
                  }  # fmt: skip
        left = tuple(item for item in form.extremes if item.at not in asked)
        return replace(form, extremes=left, used=form.used - asked)

    def _of_wholes(self, form: Form) -> Form:
        """The form without a sum or a mean whose word begins the name of a property: "the TOTAL POINTS of gymnasts"."""
        at = form.at - 1
        if form.kind not in ("sum", "average") or not any(start == at for start, _, _ in self.whole_keys):
            return form
        return replace(form, kind="things", at=at, used=form.used - {at})

    def _of_amounts(self, form: Form) -> Form:
        """The form of a question for an "amount of" something which has a property of that name: no count."""
        at = form.at - 2
        if form.kind != "count" or form.word != "number" or self.plain[at] in ("number", "count"):
            return form
        owners = {key.owner for key in self.fits.keys if key.kind == "number" and key_name(key) == self.plain[at]}
        behind = [word for word in self.plain[form.at : form.at + 4] if word not in FUNCTION_WORDS]
        if not any(self._names_owner(word, owner) for word in behind for owner in owners):
            return form
        total = "total" in self.plain[:at]
        return replace(form, kind="sum" if total else "things", at=at, used=form.used - {at, at + 1})

    def _names_owner(self, word: str, owner: str) -> bool:
        """Whether a word surely names a label, or a relationship type."""
        relations = self.fits.relations
        named = owner in relations and self.fits.named(word, relations.index(owner))
        return named or self.fits.label(word).get(owner, 0.0) >= SURE

    def _is_thing(self, at: int) -> bool:
        """Whether the name of a label or of a relationship type, of several words, stands at a word."""
        vocabulary = self.fits.vocabulary
        names = map(name_words, (*self.fits.labels, *map(vocabulary.readable, self.fits.relations)))
        return any(len(own) > 1 and stands(self.words[at : at + len(own)], own) for own in names)

    @property
    def _said(self) -> frozenset[int]:
        """The words that serve the form, and those that name properties by all of their name's words."""
        return self.form.used | {index for start, end, _ in self.whole_keys for index in range(start, end)}

    def _with_misspelt(self, values: list[Mention], dictionary: Lookup) -> tuple[list[Mention], tuple[str, ...]]:
        """The mentions with those of misspelt names, and the names that are not in the graph."""
        taken = {index for item in values for index in range(item.start, item.end)}
        unknown = []
        for start, end in open_names(self.words, taken | self._said, self.fits):
            found = misspelt(self.text, self.words, start, end, dictionary, self.fits)
            if found is None:
                unknown.append(self.text_between(start, end))
            else:
                values.append(found)
        return sorted(values, key=lambda item: item.start), tuple(unknown)

    def is_alone(self, piece: str) -> bool:
        """Whether no name stands beside a piece of the question: "Dr" and a surname are one name."""
        start = self.text.find(piece)
        first, last = (next((at for at, word in enumerate(self.words) if word.start <= place < word.end), -1)
                       for place in (start, start + len(piece) - 1))  # fmt: skip
        return not any(item.end == first or item.start == last + 1 for item in self.values)

    def _is_whole_name(self, item: Mention) -> bool:
        """Whether a value of several words begins and ends with a capital or a number, as names do."""
        first, last = self.words[item.start].text, self.words[item.end - 1].text
        return item.end - item.start > 1 and not (first[0].islower() or last[0].islower())

    def _without_days(self, form: Form, values: Sequence[Mention]) -> Form:
        """The form without tests of days and months that the graph has as texts ("open on Monday"), unless the word
        before speaks of a date, and of days that are the value of some property ("on 1 May 2020")."""
        written = [item for item in values if self._is_as_written(item)]
        texts = [item for item in form.comparisons if item.form and self._has_as_text(item, written)]
        texts += [item for item in form.comparisons if self.plain[item.start] in ON and is_day(item.values[0])
                  and any((value.start, value.end) == (item.start + 1, item.end) for value in values)]  # fmt: skip
        words = {index for item in texts for index in range(item.start, item.end)}
        comparisons = tuple(item for item in form.comparisons if item not in texts)
        return replace(form, comparisons=comparisons, used=form.used - words)

    def _has_as_text(self, bound: Comparison, values: Sequence[Mention]) -> bool:
        inside = [item for item in values if bound.start < item.start and item.end <= bound.end]
        fits = self.fits.key(self.plain[bound.start - 1]) if bound.start else {}
        of_dates = max((fit for key, fit in fits.items() if key.kind == "date"), default=0.0)
        keys = [meaning.key for item in inside for meaning in item.meanings if meaning.key]
        return any(fits.get(key, 0.0) >= of_dates for key in keys)

    def _is_as_written(self, item: Mention) -> bool:
        """Whether a value is spelt in the graph as the question does, or as the singular of that."""
        text = self.words_of(item).casefold()
        texts = {str(value).casefold() for meaning in item.meanings for value in meaning.values}
        return bool(texts & {text, text.removesuffix("s")})

    def _in_comparison(self, item: Mention) -> bool:
        return any(bound.start <= item.start < bound.end for bound in self.form.comparisons)

    def _in_whole_key(self, item: Mention) -> bool:
        """Whether a value is only a part of a property's name ("CREDIT score"), whose rest does not name the property
        that has it ("RED card")."""
        return any(
            is_part((item.start, item.end), (start, end)) and not self._names_beside(item, range(start, end))
            for start, end, _ in self.whole_keys
        )  # fmt: skip

    def _names_beside(self, item: Mention, within: range) -> bool:
        others = [self.plain[index] for index in within if not item.start <= index < item.end]
        own = [part for meaning in item.meanings if meaning.key for part in name_words(meaning.key.key)]
        return any(same_root(word, part) for word in others for part in own)

    def _head(self, free: Sequence[int]) -> int:
        """The noun for what is asked for, where the question begins with it; -1 for none."""
        if not self.words or self.form.word in ("who", "whom", "when", "where", "how"):
            return -1
        if not self.form.word and singular(self.plain[0]) == self.plain[0]:
            return -1
        for index in range(self.form.at, min(self.form.at + 6, len(self.words))):
            if index in free and self.plain[index] not in FUNCTION_WORDS and not is_number(self.plain[index]):
                return -1 if self.plain[index].endswith(("ing", "ed")) else index
            if index not in free and index not in self.form.used:
                return -1
        return -1

    @cached_property
    def counts_named(self) -> bool:
        """Whether how many is asked of a thing with a name, and of no kind of things: "how many BOLTS were sold"."""
        there = self.mention_at(self.form.at) if self.form.word == "how many" else -1
        if there < 0 or self.is_label(self.mentions[there].end):
            return False
        best = self.mentions[there].meanings[0]
        return best.kind == "value" and best.key is not None and best.key.unique and len(best.values) == 1

    @cached_property
    def values(self) -> tuple[Mention, ...]:
        return tuple(item for item in self.mentions if item.meanings[0].kind == "value")

    @cached_property
    def is_plain(self) -> bool:
        form = self.form
        return form.kind == "things" and not (form.extremes or form.comparisons or form.negations or self.compared)

    @cached_property
    def says_truth(self) -> bool:
        """Whether a word names a property that is true or false."""
        return any(
            meaning.key is not None and meaning.key.kind == "truth" and meaning.score >= NAMED
            for item in self.key_mentions
            for meaning in item.meanings
        )

    @cached_property
    def telling(self) -> tuple[int, ...]:
        """The words that carry a meaning of their own."""
        denying = set(self.form.negations)
        return tuple(index for index, word in enumerate(self.plain)
                     if word not in FUNCTION_WORDS | UNNAMED and index not in denying)  # fmt: skip

    @cached_property
    def happening(self) -> frozenset[int]:
        """The words that say that something happened, where they speak of when: "WHEN did it occur", "that OCCURRED ON
        May 1"."""
        said = [range(index, index + 1) for index, word in enumerate(self.plain) if word in HAPPENING]
        said += [range(index - 1, index + 1) for index, word in enumerate(self.plain)
                 if word == "place" and index and self.plain[index - 1] in TAKING_PLACE]  # fmt: skip
        of_time = [item for item in said if self.plain[0] == "when" or self._is_before_date(item.stop)]
        return frozenset(index for item in of_time for index in item)

    def _is_before_date(self, index: int) -> bool:
        """Whether a date is named at a word, or behind a preposition there."""
        place = index + (self.plain[index : index + 1] != [] and self.plain[index] in PREPOSITIONS)
        number = self.mention_at(place)
        return number >= 0 and any(
            meaning.key is not None and meaning.key.kind == "date" for meaning in self.mentions[number].meanings
        )

    @cached_property
    def supposing(self) -> set[int]:
        """The words that only say that there is, may or must be what another word names: "NEED a key"."""
        return {
            index for index in self.telling
            if self.plain[index] in RECEIVING or any(same_root(self.plain[index], word) for word in SAID_OF)
        }  # fmt: skip

    def denies(self, index: int) -> bool:
        """Whether a negation stands before a word, or a word for nobody behind it."""
        behind = self.plain[index + 1 : index + 1 + DENYING]
        nobody = next((place for place, word in enumerate(behind) if word in NOBODY), -1)
        return (nobody >= 0 and set(behind[:nobody]) <= FUNCTION_WORDS) or self.denial(index) >= 0

    @cached_property
    def _named(self) -> set[int]:
        """The words that name properties by all of their names' words, or say that they are true or false."""
        spans = [(start, end) for start, end, _ in self.whole_keys]
        spans += [(flag.start, flag.end) for flag in self.flags]
        return {index for span in spans for index in range(*span)}

    def is_opposite(self, index: int, key: Key) -> bool:
        """Whether a word, or what begins at it, says that a property is false: "UNPAID", "PART-TIME" of `fullTime`."""
        said = next((flag.true for flag in self.flags if flag.start == index and flag.key == key), None)
        return denies(self.plain[index], name_words(key.key)[-1]) if said is None else not said

    def is_denied(self, index: int) -> bool:
        """Whether a negation stands before a word, or behind it, before one that only says that it is there: "dogs are
        NOT allowed"."""
        found = (self.denial(place) for place in self.supposing if 0 < place - index <= REACH)
        return self.denial(index) >= 0 or any(
            place > index and set(self.plain[index + 1 : place]) <= AUXILIARIES for place in found
        )

    @cached_property
    def lacked(self) -> tuple[tuple[int, int, Key], ...]:
        """Where the question names properties that are not to be there, of those that some nodes do not have: "have no
        shipped date", "not yet shipped"."""
        found = [item for item in self.whole_keys if self._is_lacked(item[0], item[2])]
        within = {index for start, end, _ in found for index in range(start, end)}
        for item in self.key_mentions:
            if item.start in within or self.mention_at(item.start) >= 0:
                continue
            for key in (meaning.key for meaning in item.meanings if meaning.key):
                said = self._words_of(item.start, key)
                named = said > 1 or any(meaning.key == key and meaning.score >= NAMED for meaning in item.meanings)
                if named and self._is_lacked(item.start, key):
                    found.append((item.start, item.start + max(said, 1), key))
        return tuple(found)

    @cached_property
    def done(self) -> tuple[Key, ...]:
        """Dates that only some nodes have, of what the question says was done, and no more about when: "orders that
        WERE SHIPPED"."""
        found = []
        timed = self.form.word == "when" or self.form.comparisons or self.form.extremes
        for item in self.key_mentions:
            key, before = item.meanings[0].key, self.plain[item.start - 1 : item.start]
            clause = bool(set(before) & BEING) and bool(set(self.plain[item.start - 2 : item.start - 1]) & ACTING)
            if key is None or timed or not clause or item.meanings[0].score < NAMED:
                continue
            if key.kind == "date" and key.share < 1 and is_past(self.plain[item.start]) and not key.of_edge:
                found.append(key)
        return tuple(found)

    def _words_of(self, index: int, key: Key) -> int:
        """How many words side by side are some of a property's name."""
        own, end = name_words(key.name or key.key), index
        while end < len(self.plain) and any(same_root(self.plain[end], part) for part in own):
            end += 1
        return end - index

    def _is_lacked(self, index: int, key: Key) -> bool:
        found = self.denial(index)
        bound = any(0 <= item.start - index <= 3 for item in self.form.comparisons)
        if found < 0 or key.share == 1 or key.kind == "truth" or bound:
            return False
        between = [word for word in self.plain[found + 1 : index] if word not in FUNCTION_WORDS | LIGHT_VERBS]
        return not between or (len(between) == 1 and is_past(between[0]) and self.plain[index - 1] in ARTICLES)

    def denial(self, index: int) -> int:
        """The word of negation that denies what a word says, or -1: the last one before it, where nothing begins and
        nothing is named between the two, be it something that the graph does not know: "no SUSPECT after"."""
        found = max((place for place in self.form.negations if place < index), default=-1)
        between = range(found + 1, index)
        if found < 0 or index - found > SCOPE:
            return -1
        cut = any(self.plain[place] in JOINING | RELATIVES or self.mention_at(place) >= 0 for place in between)
        unknown = any(
            self.plain[place] in PREPOSITIONS and not set(self.plain[found + 1 : place]) <= FUNCTION_WORDS
            for place in between
        )
        return -1 if cut or unknown else found

    def text_of(self, number: int) -> str:
        """The words of a mention as they stand in the question."""
        return self.words_of(self.mentions[number])

    def words_of(self, item: Mention) -> str:
        """The same of a mention that no tree takes in."""
        return self.text_between(item.start, item.end)

    def text_between(self, start: int, end: int) -> str:
        """The words from one to before another, as they stand in the question; nothing where there are none."""
        return self.text[self.words[start].start : self.words[end - 1].end] if start < end else ""

    def is_amount(self, extreme: Extreme) -> bool:
        """Whether a superlative is what somebody does so much of: "what is the MOST that Ann has paid"."""
        at = extreme.at
        said = self.plain[at - 1 : at + 1] in (["the", "most"], ["the", "least"])
        behind = at + 1 + (self.plain[at + 1 : at + 2] == ["that"])
        there = self.mention_at(behind)
        about = there >= 0 and self.mentions[there].meanings[0].kind == "value"
        end = self.mentions[there].end if about else behind + 1
        somebody = about or bool(set(self.plain[behind : behind + 1]) & (ANYBODY | PRONOUNS))
        return said and somebody and bool(set(self.plain[end : end + 1]) & AUXILIARIES)

    def stands_at(self, item: Mention, span: Span) -> bool:
        """Whether a mention has a word of a piece of the question."""
        return _stands_at(item, self.words, span)

    def mention_at(self, index: int) -> int:
        """The mention that a word belongs to, or -1."""
        return next((number for number, item in enumerate(self.mentions) if item.start <= index < item.end), -1)

    def is_told(self, index: int) -> bool:
        """Whether a word is what is told of the kind that a question asks for, behind a verb or as one: "which students
        are BOARDING", "which trains ARRIVE at X", but not "which students' AGES"."""
        at = self.form.at
        if not (at < index and self.is_label(at)) or self.plain[0] not in ("which", "what"):
            return False
        head = self.mentions[self.mention_at(at)]
        acts = index == head.end and self.plain[index + 1 : index + 2] != [] and self.fits.names_any(self.plain[index])
        return head.start == at and (acts or not AUXILIARIES.isdisjoint(self.plain[head.end : index]))

    def is_label(self, index: int) -> bool:
        """Whether a word surely names a label."""
        there = self.mention_at(index)
        return (
            there >= 0
            and self.mentions[there].meanings[0].kind == "label"
            and (self.mentions[there].meanings[0].score >= SURE)
        )

    def only_function(self, start: int, end: int) -> bool:
        return all(self.plain[index] in FUNCTION_WORDS or index in self.form.used for index in range(start, end))


def _stands_at(item: Mention, words: Sequence[Word], span: Span) -> bool:
    return words[item.start].start < span[1] and span[0] < words[item.end - 1].end


def _outside(form: Form, names: Sequence[Mention]) -> Form:
    """The form without what stands inside names: "The LAST of the Mohicans"."""

    def free(start: int, end: int) -> bool:
        return not any(item.start <= start and end <= item.end for item in names)

    inside = {index for item in names for index in range(item.start, item.end)}
    bounds = tuple(item for item in form.comparisons if free(item.start, item.end))
    compared = {index for item in bounds for index in range(item.start, item.end)}
    return replace(
        form,
        used=form.used - (inside - compared),
        extremes=tuple(item for item in form.extremes if item.at not in inside),
        comparisons=bounds,
        negations=tuple(index for index in form.negations if index not in inside),
    )


def _behind(versus: tuple[int, int] | None, mentions: Sequence[Mention]) -> list[Mention]:
    """The values that name what something is compared with: the first behind "than", and those beside it."""
    found: list[Mention] = []
    for item in mentions:
        if versus is None or item.start < versus[1] or item.meanings[0].kind != "value":
            continue
        if (not found and item.start - versus[1] <= REACH) or (found and found[-1].end == item.start):
            found.append(item)
    return found
