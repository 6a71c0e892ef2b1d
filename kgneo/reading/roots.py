"""Roots: what a question asks for.

Comes in: what was heard of a question. Goes out: labels and properties that the answer may be, with how likely each is
by the words alone, and the order in which the other mentions join it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.names import is_deed, is_doer, is_done, is_noun, is_past, is_present, name_words, same_root, singular
from kgneo.english.numbers import UNIT_SIZES
from kgneo.english.words import (
    ACTING,
    AMOUNTS,
    ARTICLES,
    AUXILIARIES,
    BEING,
    CLAUSES,
    EXTREMES,
    FREQUENTLY,
    FUNCTION_WORDS,
    MEASURES,
    NOBODY,
    OF_SIZE,
    PEOPLE,
    PERFECT,
    POSSESSING,
    PREPOSITIONS,
    SAME_NAMES,
    UNITS,
)
from kgneo.reading.fits import LEAST_PEOPLE, LEAST_PLACE, PLACE, key_name, unit_of
from kgneo.reading.form import Comparison
from kgneo.reading.grow import COSTS
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.measures import LIKE_MEASURE
from kgneo.reading.mentions import LIKELY, SURE, Meaning, Mention, has_telling_capitals, people
from kgneo.reading.vocabulary import MEASURED, Key, Step

ROOTS = 8
AMOUNT = ("amount", "price", "cost")
"""Words for what is dealt with where somebody pays or gets so much."""
WEAK = 0.6
"""Score of a property up to which a word is only like it."""
OWNED = 0.7
"""What it is worth that a property is one of what is named behind it."""
HEADED = 0.6
"""What it costs that the noun for a property stands before that of another one."""
HAVING = 0.6
"""Score of what has a value that is named, where the noun for what is asked for says nothing."""
MEASURING, UNLIKE = 0.5, 3.0
"""Fit of a property to the word behind "how" from which on those are not asked for that fit it so many times less."""
AGENT = 0.75
"""Score of what does what a verb says."""
DOING = {"do", "does", "did"}
TOLD = 0.7
"""Score of a property that says where something is, for "where"."""
COMPOUND = 0.9
"""Score of what the noun of a relationship names behind one for its other end."""


@dataclass(frozen=True)
class Roots:
    """What one question asks for."""

    heard: Heard

    def found(self) -> tuple[list[tuple[int, Meaning]], list[int]]:
        """What the answer may be, and the order in which the other mentions are taken."""
        if self.heard.form.span and self.heard.mentions:
            return self._dated(), list(range(len(self.heard.mentions)))
        if whose := self._whose():
            return whose, list(range(len(self.heard.mentions)))
        return self._named()

    def _whose(self) -> list[tuple[int, Meaning]]:
        """The people to whom what stands behind "whose" is joined: "WHOSE paintings were shown at X"."""
        behind = self.heard.mention_at(1) if self.heard.plain[:1] == ["whose"] else -1
        if behind < 0 or self.heard.mentions[behind].meanings[0].kind != "label":
            return []
        fits, owned = self.heard.fits, self.heard.mentions[behind].meanings[0].owner
        steps = fits.vocabulary.leaving.get(owned, ())
        whole = {label for label, share in people(fits) if share > LEAST_PEOPLE}
        people_at = {step.label: AGENT for step in steps if step.label in whole}
        owning = {step.label: SURE for step in steps if POSSESSING.intersection(name_words(step.relation))}
        return [(-1, Meaning("label", end, score)) for end, score in (people_at | owning).items()]

    def _named(self) -> tuple[list[tuple[int, Meaning]], list[int]]:
        at = self.heard.form.at
        run = self._run(at)
        roots: list[tuple[int, Meaning]] = []
        asked = self.heard.form.word
        if asked in ("when",) or (asked == "how" and at < len(self.heard.words)):
            roots += self._measures(self.heard.plain[at] if asked == "how" else "when", asked)
        if asked == "where":
            roots += self._places()
        if self.heard.form.much and {*self.heard.plain[at : at + 1]} & BEING:
            roots += self._measures("expensive", "how")  # "how much IS a ticket"
        agents = self._agents(at, run)
        roots += agents
        kinds = self._of_kind(run)
        roots += kinds
        for number in () if kinds else run:
            last = number == run[-1]
            roots += [
                (number, self._shifted(meaning, last)) for meaning in self.heard.mentions[number].meanings[:4]
                if meaning.kind != "value" or meaning.key is None or not meaning.key.of_edge
            ]  # fmt: skip
        roots += [*self._having(run), *self._being(run)]
        if run and self.heard.plain[0] == "who" and self.heard.mentions[run[0]].meanings[0].kind == "value":
            roots += [
                (-1, Meaning("label", label, share)) for label, share in people(self.heard.fits) if share > LEAST_PEOPLE
            ]
        keys = self._keys(at, run)
        keys += [
            (-1, Meaning("key", key.owner, 1.1, key)) for start, end, key in self.heard.whole_keys
            if 0 <= start - at <= 3 and not self._is_in_clause(start, run)
            and start not in self.heard.form.used | self.heard.taken | {*self.heard.grouping}
            and self.heard.denial(start) < 0 and not self._is_deed(start, key, run)
            and not any(self._is_bound(start, end, bound) for bound in self.heard.form.comparisons)
            and not self._is_compared(start, end) and (key.kind == "truth" or not self.heard.is_told(start))
        ]  # fmt: skip
        sure = max((meaning.score for _, meaning in roots if meaning.kind == "label"), default=0.0)
        people_asked = self.heard.form.kind == "things" and {*self.heard.plain[at : at + 1]} & PEOPLE
        if asked in ("who", "whom", "where") or people_asked:
            keys = [pair for pair in keys if pair[1].key and pair[1].key.kind == "text"]
        owners = self._owners_of_values(at) if not run and asked not in ("who", "whom", "when", "where", "how") else []
        if owners and self.heard.form.kind != "average":
            keys = [pair for pair in keys if pair[1].score >= LIKELY]
        roots += [pair for pair in keys if -_worth(pair) >= sure - 0.15]
        roots += owners
        roots += [*self._edges(at)] or self._relation_nouns(at)
        if self.heard.form.kind == "count":
            roots = [pair for pair in roots if pair[1].key is None or pair[1].key.kind not in ("date", "time")]
            in_units = bool({*self.heard.plain[at : at + 1]} & UNIT_SIZES.keys())  # "how many MINUTES"
            amounts = self._amounts(run) if in_units or not owners else []
            counted = {meaning.key for number, meaning in amounts if number >= 0}
            roots = [pair for pair in roots if pair[0] >= 0 or pair[1].key not in counted]
            roots = amounts if in_units and amounts else [*roots, *amounts]
        roots += [*self._done(run), *self._largest(run)]
        roots = self._dealt(at) or self._paid(at, roots) or self._without_beside_counted(roots)
        roots = self._shares(run) or self._of_form(roots)
        roots = roots or self._chosen()
        if not roots:
            everything = sorted(self.heard.fits.vocabulary.labels.items(), key=lambda item: -item[1])[:ROOTS]
            roots = [(-1, Meaning("label", label, 0.1)) for label, _ in everything]
        if asked == "when" and any(meaning.kind == "key" for _, meaning in roots):
            keys = [pair for pair in roots if pair[1].key]
            roots = _merged([pair for pair in keys if pair[1].key and pair[1].key.kind in ("date", "time")] or keys)
        if asked in ("who", "whom"):
            roots = self._who(roots, agents, run)
        roots.sort(key=_worth)
        first = run[0] if run else -1
        rest = [number for number in range(len(self.heard.mentions)) if number not in run and number > first]
        fronted = [number for number in range(len(self.heard.mentions)) if number not in run and number < first]
        return roots[: 2 * ROOTS], [*reversed(run), *self._possessed(rest), *fronted]

    def _who(
        self, roots: list[tuple[int, Meaning]], agents: Sequence[tuple[int, Meaning]], run: Sequence[int]
    ) -> list[tuple[int, Meaning]]:
        """What "who" asks for, of what may be asked for."""
        if doing := self._doing(run):
            return doing
        named = [pair for pair in roots if run and pair[0] == run[0] and self._is_asked_for(pair)]
        doers = [pair for pair in agents if self._may_be_who(pair[1])]
        return [*named, *doers] or roots

    def _may_be_who(self, meaning: Meaning) -> bool:
        """Whether "who" may ask for something: for nothing that no people are."""
        return meaning.kind != "label" or self.heard.fits.are_asked_by_who({meaning.owner})

    def _is_asked_for(self, root: tuple[int, Meaning]) -> bool:
        """Whether a label stands right behind "who", which asks for it ("who are the PLAYERS that"): neither what
        somebody does ("who REVIEWED") nor what it is done to ("who sold a HOUSE")."""
        item = self.heard.mentions[root[0]]
        between = self.heard.plain[self.heard.form.at : item.start]
        does = item.end == item.start + 1 and is_past(self.heard.plain[item.start])
        return root[1].kind == "label" and not does and FUNCTION_WORDS.issuperset(between)

    def _chosen(self) -> list[tuple[int, Meaning]]:
        """The alternatives of which one is asked for: "which is larger, A or B"."""
        return [
            (number, meaning)
            for number, item in enumerate(self.heard.mentions) if self.heard.form.extremes
            for meaning in item.meanings[:4] if meaning.kind == "value" and len(meaning.values) > 1
        ]  # fmt: skip

    def _of_form(self, roots: list[tuple[int, Meaning]]) -> list[tuple[int, Meaning]]:
        """The roots that the form of the question can ask for: numbers, where they are added up or averaged; things,
        where it is asked whether they are there."""
        if self.heard.form.kind == "exists":
            return [
                pair for pair in roots if pair[1].kind != "key" or pair[1].owner in self.heard.fits.relations
            ] or roots
        versus = self.heard.form.versus
        if self.heard.compared and versus and self.heard.plain[versus[1]] != "when":  # of the like, or a relationship
            compared = {meaning.owner for meaning in self.heard.compared[0].meanings} | {*self.heard.fits.relations}
            roots = [pair for pair in roots if pair[1].kind != "key" or pair[1].owner in compared] or roots
        if self.heard.form.kind in ("sum", "average"):
            return [pair for pair in roots if pair[1].key is None or pair[1].key.kind == "number"]
        return roots

    def _shares(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """The per cents that the graph has, where a share of one named thing is asked for: "what PERCENTAGE OF that
        plant does X own"."""
        whole = self.heard.mentions[run[0]].meanings[0] if run and self.heard.form.kind == "share" else None
        if whole is None or whole.kind != "value" or whole.key is None or not whole.key.unique:
            return []
        given = [key for key in self.heard.fits.keys if (unit_of(key) or ("",))[0] == "share"]
        return [(-1, Meaning("key", key.owner, SURE, key)) for key in given]

    def _dated(self) -> list[tuple[int, Meaning]]:
        """What is named first that may have the dates between which a time is asked for."""
        return [
            (number, meaning)
            for number, item in enumerate(self.heard.mentions)
            for meaning in item.meanings[:4]
            if meaning.kind == "label" or (meaning.key and not meaning.key.of_edge)
        ]

    def _possessed(self, numbers: list[int]) -> list[int]:
        """Mentions in an order in which what belongs to someone comes before whom it belongs to: "Amanda's friends"."""
        order = list(numbers)
        for place, number in enumerate(numbers[:-1]):
            item, after = self.heard.mentions[number], self.heard.mentions[numbers[place + 1]]
            owns = self.heard.words[item.end - 1].text.endswith(("'s", "’s"))
            if owns and after.start == item.end and after.meanings[0].kind == "label":
                order[place], order[place + 1] = order[place + 1], order[place]
        return order

    def _shifted(self, meaning: Meaning, last: bool) -> Meaning:
        return meaning if last else replace(meaning, score=meaning.score - 0.3)

    def _run(self, at: int) -> list[int]:
        """The mentions side by side that name what is asked for: "which Probe vehicles"."""
        start = at
        skipped = ARTICLES | AUXILIARIES | EXTREMES.keys() | {"different", "distinct", "there", "of", "in", "number"}
        begins = {item.start: number for number, item in enumerate(self.heard.mentions)}
        while (
            start < len(self.heard.words)
            and start not in begins
            and (
                self.heard.plain[start] in skipped
                or start in self.heard.form.used
                or self.heard.plain[start] in FUNCTION_WORDS
                or self._is_said_of(start)
            )
        ):
            start += 1
        if start not in begins:
            if start + 1 not in begins or any(item.start == start for item in self.heard.key_mentions):
                return []
            named = self.heard.mentions[begins[start + 1]].meanings[0].owner
            part = any(same_root(self.heard.plain[start], own) for own in name_words(named))
            if self.heard.plain[start] in PREPOSITIONS:
                return []
            if not part and max(self.heard.fits.label(self.heard.plain[start]).values(), default=0) > 0.25:
                return []
            start += 1
        run = [begins[start]]
        while (end := self._end(run[-1])) in begins:
            behind = begins[end]
            if self._is_done(self.heard.mentions[behind]):
                break
            run.append(behind)
        return run

    def _is_said_of(self, index: int) -> bool:
        """Whether a word is a participle behind a superlative, with the noun behind it: "the most VISITED park"."""
        word = self.heard.plain[index]
        before = index - 1 - (self.heard.plain[index - 1] in FREQUENTLY)
        return (
            any(item.at == before for item in self.heard.form.extremes)
            and (is_past(word) or word.endswith("ing"))
            and self.heard.mention_at(index + 1) >= 0
        )

    def _end(self, number: int) -> int:
        """Where a mention ends, with a participle that a hyphen ties to it: "CANADIAN-BORN actors"."""
        end = self.heard.mentions[number].end
        word = self.heard.words[end] if end < len(self.heard.words) else None
        tied = word is not None and self.heard.text[word.start - 1] == "-" and is_past(word.plain)
        return end + 1 if tied else end

    def _is_done(self, item: Mention) -> bool:
        """Whether what was taken for a noun is the verb of what is asked for: "customers ORDERED Y"."""
        return item.meanings[0].kind == "label" and is_past(self.heard.plain[item.start])

    def _keys(self, at: int, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """Properties that may be asked for: those named where the answer is."""
        limit = self.heard.mentions[run[-1]].end if run else at
        near = [
            item for item in self.heard.key_mentions
            if at <= item.start and self._words_to(at, limit, item.start) <= (1 if run else 3)
            and item.start not in self.heard.grouping
            and (item.end > item.start + 1 or self.heard.plain[item.start] not in MEASURES
                 or self._is_measured(item.start))
        ]  # fmt: skip
        found: list[tuple[int, Meaning]] = []
        for item in near[:3]:
            if self._is_label_of(item, run) or self._is_denied(item) or self._is_degree(item):
                continue
            if self._is_in_clause(item.start, run):
                continue
            if self.heard.is_told(item.start) and not any(m.key and m.key.kind == "truth" for m in item.meanings):
                continue
            if self.heard.plain[item.start].endswith("ly") and item.meanings[0].score < NAMED:
                continue  # "currently" is no time
            between = self.heard.plain[limit : item.start] if run else self.heard.plain[at : item.start]
            if run and (item.start > limit or is_past(self.heard.plain[item.start])):
                continue
            if any((0 <= bound.start - item.end <= 1 and not self.heard.is_label(bound.end))
                   or (run and self._is_bound(item.start, item.end, bound))
                   for bound in self.heard.form.comparisons):  # fmt: skip
                continue
            told = {other.start for other in near if other.end == item.start}  # of which kind it is: "FLOOR area"
            told |= self._owning(item)
            if not run and any(word not in FUNCTION_WORDS | AMOUNTS and index + at not in self.heard.form.used | told
                               for index, word in enumerate(between)):  # fmt: skip
                break
            before = HEADED * self._is_before_head(item)
            said = {meaning.key for number in run for meaning in self.heard.mentions[number].meanings[:1]}
            owners = self._owners(item.end, "of")
            asked = [
                replace(meaning, score=meaning.score - before, owned=OWNED if meaning.owner in owners else 0.0)
                for meaning in item.meanings
                if self._may_ask(item, meaning)
            ]
            found += [self._of_owner(item.end, meaning) for meaning in asked if meaning.key not in said]
            if len(run) and item.start == limit:
                label = {meaning.owner for number in run for meaning in self.heard.mentions[number].meanings}
                found = [(number, replace(m, owned=m.owned + 0.4)) if m.owner in label else (number, m)
                         for number, m in found]  # fmt: skip
        return found

    def _is_in_clause(self, start: int, run: Sequence[int]) -> bool:
        """Whether a word stands in what is said of that which is asked for: "actors WHO can SING"."""
        behind = self.heard.mentions[run[-1]].end if run else start
        return self.heard.plain[behind : behind + 1] in (["who"], ["that"], ["which"]) and start > behind

    def _without_beside_counted(self, roots: Sequence[tuple[int, Meaning]]) -> list[tuple[int, Meaning]]:
        """The roots without properties that a noun does not ask for, since it counts relationships."""
        counted = {meaning.role.relation for _, meaning in roots if meaning.edge and meaning.role}
        return [pair for pair in roots if not (counted and self._is_beside_counted(pair[1], counted))]

    def _is_beside_counted(self, meaning: Meaning, relations: Container[str]) -> bool:
        """Whether a property is asked for by a noun that counts relationships: one of theirs, or one that it does not
        name in full."""
        number = self.heard.form.kind == "count" and meaning.key is not None and meaning.key.kind == "number"
        return number and (meaning.owner in relations or meaning.score < SURE)

    def _counts(self, at: int, relation: str) -> bool:
        """Whether a plural noun, and no label's, counts the relationships of a type, also where they have a number of
        that name: "how many RATINGS" of RATED."""
        heard = self.heard
        if heard.form.much or relation not in heard.fits.relations or at >= len(heard.plain):
            return False
        word, one = heard.plain[at], singular(heard.plain[at])
        if max(heard.fits.label(word).values(), default=0.0) >= SURE:
            return False
        names = heard.fits.name_of(heard.fits.relations.index(relation))
        return one != word and any(is_done(one, own) for own in names)

    def _of_owner(self, start: int, meaning: Meaning) -> tuple[int, Meaning]:
        """A property that is asked for, with the mention behind it that says whose it is: "the age OF THE PLAYERS"."""
        place = start + 1
        while place < len(self.heard.plain) and self.heard.plain[place] in ARTICLES:
            place += 1
        head = self._head_of(self.heard.mention_at(place)) if self.heard.mention_at(place) >= 0 else -1
        place = self.heard.mentions[head].start if head >= 0 else place
        number = self.heard.mention_at(place) if meaning.owned else -1
        if number < 0 or self.heard.mentions[number].start != place:
            return -1, meaning
        noun = self.heard.mentions[number].meanings[0]
        if noun.kind != "label" or noun.owner != meaning.owner:
            return -1, meaning
        return number, replace(meaning, owned=meaning.owned + COSTS.first + COSTS.label * noun.score)

    def _head_of(self, number: int) -> int:
        """The mention that names what a noun phrase is about, which begins with a mention: the class right behind a
        name, "the Moonlight EPISODES"."""
        item = self.heard.mentions[number]
        behind = self.heard.mention_at(item.end)
        named = item.meanings[0].kind == "value" and behind > number
        return behind if named and self.heard.is_label(item.end) else number

    def _having(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """What has a value that stands right before a noun which names no label surely: "PLATINUM customers"."""
        if len(run) < 2:
            return []
        values, nouns = (self.heard.mentions[number].meanings for number in run[-2:])
        if nouns[0].kind != "label" or nouns[0].score >= HAVING:
            return []
        owners = [item.owner for item in values if item.key and not item.key.of_edge and not item.key.unique]
        return [(run[-1], Meaning("label", owner, HAVING)) for owner in owners[:1]]

    def _of_kind(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """What is of a kind that a node is called by: "which DRAMAS" are the films of that genre, and no genre."""
        handled = self.heard.counts_named and len(self.heard.values) > 1  # "how many BOLTS does a wheel have"
        others = handled or self.heard.form.word in ("who", "whom")
        item = self.heard.mentions[run[0]] if len(run) == 1 and not others else None
        best = item.meanings[0] if item else None
        if item is None or best is None or best.key is None or not self._names_a_kind(item, best.key):
            return []
        counts = Counter[str]()
        for link in self.heard.fits.vocabulary.links:
            for here, other in ((link.subject, link.object), (link.object, link.subject)):
                counts[other] += link.count if here == best.owner != other else 0
        return [(-1, Meaning("label", label, HAVING)) for label, count in counts.most_common(2) if count]

    def _names_a_kind(self, item: Mention, key: Key) -> bool:
        """Whether the name of a node stands in small letters, as a noun, for what is asked for."""
        words = self.heard.words[item.start : item.end]
        shown = key.key in self.heard.fits.vocabulary.display.get(key.owner, ())
        small = all(word.text.islower() for word in words) and item.start >= self.heard.form.at
        many = singular(words[-1].plain) != words[-1].plain
        return shown and small and (many or has_telling_capitals(self.heard.words))

    def _being(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """What stands in the relationships of which a value is named alone: "the PARTNERS at X" of a graph where people
        are employed as partners."""
        best = self.heard.mentions[run[0]].meanings[0] if len(run) == 1 else None
        if best is None or best.key is None or not best.key.of_edge or best.kind != "value":
            return []
        fits, word = self.heard.fits, self.heard.plain[self.heard.mentions[run[0]].start]
        if fits.has_root(word, fits.relations.index(best.owner)):
            return []  # "members" of `member_of`
        links = [link for link in self.heard.fits.vocabulary.links if link.relation == best.owner]
        return [(-1, Meaning("label", label, HAVING)) for label in dict.fromkeys(link.subject for link in links)]

    def _owners_of_values(self, at: int) -> list[tuple[int, Meaning]]:
        """What has the values that are named, where a noun in the plural says what is asked for, and names nothing that
        the graph knows: "HOMES with a garden" of a graph of estates."""
        head = self._open_plural(at)
        if head < 0:
            return []
        best = [item.meanings[0] for item in self.heard.values]
        owners = [
            meaning.owner for meaning in best if meaning.key and not meaning.key.of_edge and not meaning.key.unique
        ]
        return [(-1, Meaning("label", owner, HAVING)) for owner in dict.fromkeys(owners)]

    def _open_plural(self, at: int) -> int:
        """Where a noun in the plural says what is asked for that names nothing surely; -1 where none does."""
        plain = self.heard.plain
        for index in range(at, min(at + 6, len(plain))):
            if plain[index] in FUNCTION_WORDS or index in self.heard.form.used:
                continue
            known = self.heard.mention_at(index) >= 0 or self.heard.is_key(index) or plain[index] in MEASURES
            return -1 if known or singular(plain[index]) == plain[index] else index
        return -1

    def _owning(self, item: Mention) -> set[int]:
        """The word before a noun for a property of relationships, where it names these: "TRANSFER amount"."""
        relations, at = self.heard.fits.relations, item.start - 1
        owners = {meaning.owner for meaning in item.meanings if meaning.key and meaning.key.of_edge}
        named = any(self.heard.fits.named(self.heard.plain[at], relations.index(owner)) for owner in owners)
        return {at} if at >= 0 and named else set()

    def _is_before_head(self, item: Mention) -> bool:
        """Whether a noun for a property only tells of which kind the next one is: "FLOOR area"."""
        names = {part for meaning in item.meanings if meaning.key for part in name_words(key_name(meaning.key))}
        behind = self.heard.plain[item.end : item.end + 1]
        there = any(other.start == item.end for other in self.heard.key_mentions)
        whole = item.meanings[0].score >= SURE and set(behind) <= UNITS  # "phone NUMBER"
        return (
            there
            and not whole
            and item.end not in self.heard.form.used
            and not any(same_root(SAME_NAMES.get(word, word), part) for word in behind for part in names)
        )

    def _words_to(self, at: int, limit: int, index: int) -> int:
        """How many words stand from where the answer is named to a word, without those that only say its form."""
        used = sum(place in self.heard.form.used for place in range(at, index)) if limit == at else 0
        return index - limit - used

    def _is_label_of(self, item: Mention, run: Sequence[int]) -> bool:
        """Whether a word names a label of what is asked for better than any property, or as well as the name that its
        nodes have by it: of an Artist with the property `artist`, artists are the nodes."""
        there = self.heard.mention_at(item.start)
        label = self.heard.mentions[there].meanings[0] if there in run else None
        if label is None or label.kind != "label":
            return False
        others = [meaning.score for meaning in item.meanings if not _is_own_text(meaning, label.owner)]
        return label.score > max(others, default=0.0) and label.score >= item.meanings[0].score

    def _is_degree(self, item: Mention) -> bool:
        """Whether a word for a property is the adjective of a superlative: "the most VALUABLE paintings"."""
        at = item.start - 1
        more = at >= 0 and self.heard.plain[at] in ("most", "least")
        more = more and any(extreme.at == at for extreme in self.heard.form.extremes)
        return more and item.end == item.start + 1 and self.heard.is_label(item.end)

    def _is_denied(self, item: Mention) -> bool:
        """Whether a property is said not to be there, and is not one that is true or false."""
        truth = any(meaning.key and meaning.key.kind == "truth" for meaning in item.meanings)
        return not truth and self.heard.denies(item.start)

    def _is_bound(self, start: int, end: int, bound: Comparison) -> bool:
        """Whether words for a property are within a bound, right before it, "a RUNNING TIME of at least 90", or behind
        its number: "more than 5000 OUTSTANDING"."""
        return start <= bound.end and {*self.heard.plain[end : bound.start]} <= {"of", *BEING}

    def _is_compared(self, start: int, end: int) -> bool:
        """Whether a property is said right before, or behind, a word that compares it with another one."""
        versus = self.heard.form.versus
        if versus is None or self.heard.compared or not self._run(self.heard.form.at):
            return False
        return versus[0] < start or 0 <= versus[0] - end <= 1

    def _owners(self, start: int, *behind: str) -> set[str]:
        """The labels that the next noun names, where one of the words `behind` stands at a word: "the type OF the last
        CRIME", "how large IS the oldest TOWN"."""
        if self.heard.plain[start : start + 1] == [] or self.heard.plain[start] not in behind:
            return set()
        for index in range(start + 1, len(self.heard.plain)):
            there = self.heard.mention_at(index)
            if there >= 0:
                kinds = self.heard.mentions[self._head_of(there)].meanings
                return {meaning.owner for meaning in kinds if meaning.score >= LIKELY}
            said = self.heard.plain[index] in FUNCTION_WORDS or index in self.heard.form.used
            if not said and not self._names_value(index):
                break
        return set()

    def _names_value(self, index: int) -> bool:
        """Whether a word names the property of the value right behind it: "VERSION 2.0 of"."""
        there = self.heard.mention_at(index + 1)
        keys = [meaning.key for meaning in self.heard.mentions[there].meanings if meaning.key] if there >= 0 else []
        return any(same_root(self.heard.plain[index], own) for key in keys for own in name_words(key.key))

    def _is_measured(self, index: int) -> bool:
        """Whether a word for a measure is a noun: "the size of"."""
        return self.heard.plain[index - 1 : index] != [] and self.heard.plain[index - 1] in ARTICLES and (
            self.heard.plain[index + 1 : index + 2] == [] or self.heard.plain[index + 1] in PREPOSITIONS
        )  # fmt: skip

    def _may_ask(self, item: Mention, meaning: Meaning) -> bool:
        """Whether a word that is like a property's name can ask for it: by its very name, unless it is a noun for a
        kind of things, or is counted."""
        counted = (
            self.heard.form.kind == "count"
            and meaning.key is not None
            and (meaning.key.kind not in MEASURED or not _is_amount(meaning.key, self.heard.plain[item.start]))
        )
        if (
            self.heard.form.comparisons
            and meaning.score < WEAK
            and meaning.key is not None
            and meaning.key.kind in MEASURED
        ):
            return False  # what is like it is compared
        there = self.heard.mention_at(item.start)
        if there >= 0 and self.heard.mentions[there].end - self.heard.mentions[there].start > 1:
            return False  # a part of a longer name: "power plants"
        return meaning.score >= NAMED or not (counted or self.heard.is_label(item.start))

    def _measures(self, word: str, asked: str) -> list[tuple[int, Meaning]]:
        """Properties that "when" or "how large" asks for, those of what the question is about first."""
        owners = self._owners(self.heard.form.at + (asked == "how"), "is", "are", "was", "were", "did", "does")
        said: dict[Key | None, float] = {}
        for item in self.heard.key_mentions:
            for meaning in item.meanings:
                said[meaning.key] = max(said.get(meaning.key, 0.0), meaning.score)
        dated = any(key and key.kind == "date" and score >= NAMED for key, score in said.items())
        surely = asked == "when" and not self.heard.happening and any(
            key and key.kind in ("date", "time") and score >= SURE for key, score in said.items())  # fmt: skip
        measured = [score for key, score in self.heard.fits.key(word).items() if key.kind in MEASURED]
        best_said = max((score for score in measured if score >= MEASURING and word not in OF_SIZE), default=0.0)
        least = LIKE_MEASURE if word in MEASURES.keys() - OF_SIZE else 0.0  # "how TALL" asks for nothing else
        found = []
        for key, score in self.heard.fits.key(word).items():
            if asked == "when" and key.kind not in ("date", "time"):
                continue
            if asked == "how" and (key.kind not in MEASURED or score * UNLIKE < best_said or score < least):
                continue
            base = 0.6 if asked == "when" and key.kind == "date" else 0.3
            named = said.get(key, 0.0) if asked == "when" else 0.0
            if surely and named < NAMED:
                continue  # "when did X CHECK IN" asks for no date of birth
            owned = OWNED if key.owner in owners and not (asked == "when" and dated and named < NAMED) else 0.0
            best = max(base + 0.5 * score, named if named >= NAMED else 0.0)
            best = min(best, base) if dated and named < NAMED else best
            found.append((-1, Meaning("key", key.owner, best, key, owned=owned)))
        return sorted(found, key=_worth)[:ROOTS]

    def _done(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """Numbers that the verb behind what a question is about asks for: "how much DO drivers EARN", "how much WAS Ann
        PAID for"."""
        at, plain = self.heard.form.at, self.heard.plain
        most = next((item.at for item in self.heard.form.extremes if self.heard.is_amount(item)), -1)
        at = most + 1 if most >= 0 else at
        much = most >= 0 or self.heard.form.much
        doing = DOING | BEING if much else DOING
        if self.heard.form.word not in ("what", "how many") or not run:
            return []
        if most < 0 and not set(plain[at : at + 1]) & doing:
            return []
        about = [meaning for number in run for meaning in self.heard.mentions[number].meanings]
        owners = {meaning.owner for meaning in about if meaning.kind == "label" or much}
        owners |= {step.relation for label in owners if much
                   for step in self.heard.fits.vocabulary.leaving.get(label, ())}  # fmt: skip
        verbs = [item for item in self.heard.key_mentions if item.start >= self.heard.mentions[run[-1]].end
                 and item.start not in self.heard.form.used
                 and (plain[item.start - 1] not in ARTICLES | PREPOSITIONS
                      or (much and item.meanings[0].score >= NAMED))]  # fmt: skip
        named = [meaning for meaning in about if meaning.kind == "value"]
        return [
            (-1 if named else run[-1], replace(meaning, owned=1.0 - 0.9 * meaning.score))
            for item in (verbs[:1] if much else verbs[-1:])
            for meaning in item.meanings
            if meaning.key and meaning.key.kind == "number" and meaning.owner in owners
        ]

    def _dealt(self, at: int) -> list[tuple[int, Meaning]]:
        """The amounts of what a verb says that the graph has as things or relationships: "how much did X PAY" of
        payments."""
        form, fits = self.heard.form, self.heard.fits
        if not form.much or form.kind != "count" or not {*self.heard.plain[at : at + 1]} & DOING:
            return []
        owners = {
            item.meanings[0].owner: number for number, item in enumerate(self.heard.mentions)
            if item.start > at and item.meanings[0].kind == "label" and item.end == item.start + 1
            and self.heard.plain[item.start - 1] not in ARTICLES | PREPOSITIONS
        }  # fmt: skip
        numbers = [key for key in fits.keys if key.owner in owners and key.kind == "number"]
        amounts = ((key, max(fits.key(word)[key] for word in AMOUNT)) for key in numbers)
        return [
            (owners[key.owner], Meaning("key", key.owner, SURE, key, owned=fit))
            for key, fit in amounts
            if fit >= LIKELY
        ]

    def _paid(self, at: int, roots: Sequence[tuple[int, Meaning]]) -> list[tuple[int, Meaning]]:
        """The amounts of the relationships by which what is named does what a verb says, where no number is named: "how
        much did the firm GIVE" of `SPONSORS.amount`."""
        form, fits, plain = self.heard.form, self.heard.fits, self.heard.plain
        first = at + 1 + (plain[at + 1 : at + 2] == ["the"])
        doer = next((item for item in self.heard.values if item.start == first), None)
        keys = [meaning for _, meaning in roots if meaning.kind == "key" and meaning.key and not meaning.key.of_edge]
        sure = any(meaning.score >= NAMED for meaning in keys)
        if not form.much or doer is None or sure or not {*plain[at : at + 1]} & (DOING | PERFECT):
            return []
        verb = next((plain[index] for index in self.heard.telling if index >= doer.end), "")
        leaving = fits.vocabulary.leaving.get(doer.meanings[0].owner, ())
        relations = {step.relation: fits.relations.index(step.relation) for step in leaving}
        named = {name for name, number in relations.items() if fits.named(verb, number)} or relations.keys()
        numbers = [key for key in fits.keys if key.of_edge and key.kind == "number" and key.owner in named]
        alone = len(numbers) == 1
        amounts = [(max(fits.key(word)[key] for word in AMOUNT), key) for key in numbers]
        return [(-1, Meaning("key", key.owner, SURE, key, owned=fit)) for fit, key in amounts if alone or fit >= LIKELY]

    def _largest(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """The number of relationships whose noun stands behind a superlative: "how much was the largest TRANSFER"."""
        plain, fits, at = self.heard.plain, self.heard.fits, self.heard.form.at
        first = next((item.at + 1 for item in self.heard.form.extremes if at <= item.at <= at + 2), len(plain))
        if run or not self.heard.form.much or first >= len(plain):
            return []
        amounts = fits.key("amount")
        return [
            (-1, Meaning("key", key.owner, SURE + 0.1 * amounts[key], key))
            for key in fits.keys
            if key.of_edge and key.kind == "number" and fits.named(plain[first], fits.relations.index(key.owner))
        ]

    def _agents(self, at: int, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """The labels of what does, or has done to it, what the verb behind "who" or behind a noun that names no label
        surely says: "WHO maintains packages", "companies that OPERATE lines"."""
        first = self.heard.mentions[run[0]] if run else None
        if self.heard.form.word == "who":
            other = first is not None and (first.meanings[0].kind == "value" or first.start > at)
        else:
            kinds = self.heard.mentions[run[-1]].meanings if run else ()
            other = first is None or first.meanings[0].kind == "value" or kinds[0].score >= SURE
        start = self.heard.mentions[run[-1]].end if run else at
        verbs = [] if other else self._verbs_at(start)
        if not verbs:
            return []
        passive = is_past(self.heard.plain[verbs[0]]) and bool(set(self.heard.plain[start : verbs[0]]) & BEING)
        found = [label for index in verbs for label in self._subjects(self.heard.plain[index], passive=passive)]
        found = found or list(self._said_of(verbs))
        return [(run[0] if run else -1, Meaning("label", label, AGENT)) for label in dict.fromkeys(found)]

    def _doing(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """The labels that are called after what the verb behind "who" says: "who ACTED in" asks for actors."""
        behind = max([self.heard.form.at, *(self.heard.mentions[number].end for number in run if number == 0)])
        verbs = self._verbs_at(behind) if self.heard.form.word == "who" else []
        if not verbs or self.heard.fits.names_any(self.heard.plain[verbs[0]]):
            return []
        doers = [label for label in self.heard.fits.labels
                 if is_doer(name_words(label)[-1], self.heard.plain[verbs[0]])]  # fmt: skip
        return [(run[0] if run else -1, Meaning("label", label, SURE)) for label in doers]

    def _said_of(self, verbs: Sequence[int]) -> Iterator[str]:
        """The labels of people that have a property which a verb names: "who was HIRED first"."""
        whole = dict(people(self.heard.fits))
        for item in self.heard.key_mentions:
            for meaning in item.meanings if item.start in verbs and self.heard.form.word == "who" else ():
                someone = whole.get(meaning.owner, 0.0) > LEAST_PEOPLE
                if meaning.score >= NAMED and meaning.key and not meaning.key.of_edge and someone:
                    yield meaning.owner

    def _is_deed(self, start: int, key: Key, run: Sequence[int]) -> bool:
        """Whether words that name a property are a verb of what is asked for: "which ships ENTERED SERVICE second", or
        say, in a question for how many, what was done."""
        behind = bool(run) and self.heard.mentions[run[-1]].end == start and bool(self.heard.form.extremes)
        counted = self.heard.form.kind == "count" and key.kind != "number"
        return (behind or counted) and is_past(self.heard.plain[start])

    def _verbs_at(self, start: int) -> list[int]:
        """The verb that begins at a word or behind auxiliaries there, with another one behind "and"."""
        plain = self.heard.plain
        verb = next((index for index in range(start, len(plain)) if plain[index] not in FUNCTION_WORDS), -1)
        if verb < 0 or verb in self.heard.form.used or self.heard.mention_at(verb) >= 0:
            return []
        if set(plain[start:verb]) - (ACTING | BEING | AUXILIARIES):
            return []
        return [verb, verb + 2] if plain[verb + 1 : verb + 2] == ["and"] and verb + 2 < len(plain) else [verb]

    def _subjects(self, verb: str, *, passive: bool) -> Iterator[str]:
        """The labels of what does what a verb with the root of a relationship type says, or has it done to it."""
        vocabulary = self.heard.fits.vocabulary
        for number, relation in enumerate(self.heard.fits.relations):
            if self.heard.fits.named(verb, number):
                forward = (name_words(vocabulary.readable(relation))[-1] == "by") == passive
                for link in vocabulary.links:
                    if link.relation == relation:
                        yield link.subject if forward else link.object

    def _places(self) -> list[tuple[int, Meaning]]:
        shares = [(label, float(kinds[PLACE])) for label, kinds in self.heard.fits.kinds.items()]
        found = [(-1, Meaning("label", label, 0.8 * share)) for label, share in shares if share > LEAST_PLACE]
        named = {meaning.owner for item in self.heard.values for meaning in item.meanings}
        told = (key for key in self.heard.fits.whereabouts if key.owner in named)
        return [*found, *self._places_of_deeds(), *((-1, Meaning("key", key.owner, TOLD, key)) for key in told)]

    def _places_of_deeds(self) -> Iterator[tuple[int, Meaning]]:
        """What a verb leads to that is no person: "where does the band PERFORM"."""
        fits = self.heard.fits
        verbs = [self.heard.plain[at] for at in self.heard.telling if self.heard.mention_at(at) < 0]
        for link in fits.vocabulary.links:
            deed = any(fits.named(word, fits.relations.index(link.relation)) for word in verbs)
            if deed and link.subject != link.object and fits.people.get(link.object, 0.0) <= LEAST_PEOPLE:
                yield -1, Meaning("label", link.object, AGENT)

    def _amounts(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """Numbers that a noun may be the measure of: "how many people live in"."""
        for index in range(self.heard.form.at, min(self.heard.form.at + 3, len(self.heard.words))):
            word = self.heard.plain[index]
            if word in FUNCTION_WORDS and word not in PEOPLE:
                continue
            least = max(
                [0.3, *(meaning.score for number in run[:1] for meaning in self.heard.mentions[number].meanings)]
            )
            if self.heard.fits.names_any(word):
                least = max(least, NAMED)  # "how many VISITS" counts what was visited, and measures nothing
            return [
                (run[0] if run else -1, Meaning("key", key.owner, 0.3 + 0.5 * score, key))
                for key, score in self.heard.fits.key(word).items()
                if key.kind == "number" and score > least and _is_amount(key, word)
            ]
        return []

    def _relation_nouns(self, at: int) -> list[tuple[int, Meaning]]:
        """Labels that a relationship's noun names, alone or behind the noun for its other end: the "capital" of a
        state, the "largest state capital"."""
        plain, form = self.heard.plain, self.heard.form
        telling = [index for index in range(at, min(at + 6, len(plain)))
                   if plain[index] not in FUNCTION_WORDS and index not in form.used]  # fmt: skip
        found: list[tuple[int, Meaning]] = []
        for index in telling[:1]:
            if self._is_said_of(index):
                break
            named = index + (is_past(plain[index]) and self.heard.is_label(index + 1))  # "BORROWED books" are books
            found = [(self.heard.mention_at(named), meaning) for meaning in self._of_noun(plain[index], 0.7)]
            if self.heard.is_label(index):  # "players" of PLAYED_AT, which are a label, too
                found = [
                    pair for pair in found if pair[1].role and self._is_noun_of(plain[index], pair[1].role.relation)
                ]
            ends = set(plain[index + 2 : index + 3]) <= PREPOSITIONS | AUXILIARIES | CLAUSES
            ends = ends and not NOBODY & set(plain[index + 2 : index + 5])  # no verb: "states BORDER …"
            whole = self.heard.mention_at(index) == self.heard.mention_at(index + 1) >= 0
            done = is_past(plain[index + 1]) if index + 1 < len(plain) else False  # "papers cited by"
            done = done or bool(DOING & {*plain[max(index - 2, 0) : index]})  # "does the parser DEPEND on"
            many = singular(plain[index]) != plain[index]  # "services depend on" is no compound
            if index + 1 in telling and not (found or whole or done or many) and ends:
                kinds = {meaning.owner for meaning in self._kinds_at(index)}
                found = [
                    (-1, meaning)
                    for meaning in self._of_noun(plain[index + 1], COMPOUND)
                    if meaning.role and meaning.role.label in kinds
                ]
        return found

    def _edges(self, at: int) -> Iterator[tuple[int, Meaning]]:
        """The relationships between like things whose noun is counted, or asked whether there is one: "is there a ROUTE
        from A to B"; those of others, where the noun for what is done is counted: "how many RATINGS has X"."""
        if self.heard.form.kind not in ("count", "exists"):
            return
        for link in self.heard.fits.vocabulary.links if self.heard.form.kind == "count" else ():
            if link.subject != link.object and self._counts(at, link.relation):
                counted = Step(link.relation, True, link.object)
                yield -1, Meaning("label", link.subject, SURE, role=counted, edge=True)
        word = next((word for word in self.heard.plain[at:] if word not in FUNCTION_WORDS), "")
        for meaning in self._of_noun(word, NAMED):
            role = meaning.role
            if not role or role.forward or self.heard.fits.vocabulary.is_symmetric(role.relation):
                continue  # "how many CHILDREN" of CHILD_OF asks for things
            if role.label == meaning.owner:
                yield -1, replace(meaning, role=Step(role.relation, True, role.label), edge=True)

    def _is_noun_of(self, word: str, relation: str) -> bool:
        return any(is_noun(word, own) for own in name_words(self.heard.fits.vocabulary.readable(relation)))

    def _kinds_at(self, index: int) -> tuple[Meaning, ...]:
        there = self.heard.mention_at(index)
        return self.heard.mentions[there].meanings if there >= 0 else ()

    def _of_noun(self, word: str, score: float) -> list[Meaning]:
        """The labels at the end of the relationships that a noun names."""
        if self.heard.fits.does(word):
            return []
        found = []
        for number, relation in enumerate(self.heard.fits.relations):
            if self.heard.fits.has_root(word, number):
                name = name_words(self.heard.fits.vocabulary.readable(relation))
                of_subject = name[-1] in PREPOSITIONS and not _is_what_is_done(word, name)
                of_subject = of_subject or (is_deed(word) and is_past(name[0]))
                of_subject = of_subject or self.heard.fits.is_who_does(word, number)
                for link in self.heard.fits.vocabulary.links:
                    if link.relation == relation:
                        end, other = (link.subject, link.object) if of_subject else (link.object, link.subject)
                        found.append(Meaning("label", end, score, role=Step(relation, of_subject, other)))
        return found


def _is_what_is_done(word: str, name: Sequence[str]) -> bool:
    """Whether a noun is what the verb in front of a relation's name is done with: the "flag" of "flies flag of"."""
    verb = is_present(name[0]) and name[0] not in BEING
    return verb and "as" not in name and not same_root(word, name[0])


def _worth(root: tuple[int, Meaning]) -> float:
    """What roots are ordered by, the best first."""
    return -root[1].score - root[1].owned


def _is_own_text(meaning: Meaning, label: str) -> bool:
    """Whether what is meant is a text of the nodes of that label: a number is rather an amount of what it is called
    after."""
    return meaning.owner == label and meaning.key is not None and meaning.key.kind == "text"


def _merged(roots: Iterable[tuple[int, Meaning]]) -> list[tuple[int, Meaning]]:
    """Properties, each once, with the best that speaks for it."""
    found: dict[tuple[int, Key | None], tuple[int, Meaning]] = {}
    for number, meaning in roots:
        other = found.get((number, meaning.key), (number, meaning))[1]
        best = replace(meaning, score=max(meaning.score, other.score), owned=max(meaning.owned, other.owned))
        found[number, meaning.key] = (number, best)
    return list(found.values())


def _is_amount(key: Key, word: str) -> bool:
    """Whether the values of a number can be how many there are: whole ones, none below zero, unless the word for what
    they count is a unit: "how many MEGAWATTS"."""
    return word in UNIT_SIZES or all(text.removesuffix(".0").isdecimal() for text in key.examples)
