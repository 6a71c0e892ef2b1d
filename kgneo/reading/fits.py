"""Fits: how well each word of a question names each relationship type, label and property of a vocabulary.

Comes in: words and names. Goes out: numbers from 0 to 1, by a shared root, else by the encoder's similarity, less how
similar a name is to any noun, in competition with the other names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from kgneo.english.names import (
    called,
    is_doer,
    is_past,
    is_present,
    is_role,
    name_words,
    names_role,
    same_root,
    same_whole_root,
    singular,
    telling_words,
)
from kgneo.english.numbers import UNIT_SIZES, before_per
from kgneo.english.relating import frames_of
from kgneo.english.words import (
    BIRTH,
    CLOSING,
    DONE,
    GIVING,
    MEASURES,
    OPENING,
    OTHER_ENDS,
    PERIODS,
    PERSONAL,
    PLAIN_VERBS,
    PREPOSITIONS,
    RECEIVING,
    SAID_OF,
    SAME_NAMES,
    UNITS,
    UNITS_OF_MEASURE,
    WHEREABOUTS,
)
from kgneo.ranking.kinds import KINDS
from kgneo.ranking.vectors import NameVectors, RankingCache, Scores
from kgneo.ranking.weights import Weights
from kgneo.reading.lexicon import EMPTY, Kind, Lexicon
from kgneo.reading.likeness import Likeness
from kgneo.reading.vocabulary import LIFELESS, MEASURED, Key, Step, Vocabulary

WEIGHTS = Weights()
NAMELESS = 1.25
"""What a label gains for which the graph has no word: any noun for it can only be like what is said of it."""
LIKE = 0.85
"""The best fit of a word that is like a name, and shares no root with it."""
SURE, LEARNED, OTHER = 0.9, 0.95, 0.5
"""Fit of a shared root, and of what was learned; what is left of one to anything that was not."""
EDGE = 0.75
"""Fit of a word for where a period begins, or ends, to the property that holds that."""
GIVEN_IN = 0.6
"""Fit of a word for a unit to the properties that are given in it."""
PERSON, GROUP, PLACE = (KINDS.index(kind) for kind in ("person", "group", "place"))
PEOPLE = 0.6
"""How surely nodes are people by their properties or their names, whatever their label is called."""
LEAST_PEOPLE = 0.3
"""How surely nodes are people, from which on "who" may ask for them."""
LEAST_PLACE = 0.3
"""The same of places and "where"."""
NOT_EXACT = 0.8
"""What a shared root is worth beside a name that has the very word."""
ONLY_PEOPLE = 0.95
"""Share of its uses in which a noun is for people, from which on it is for nothing else."""
WEAK = 0.2
"""The best fit of a noun for who does something to a property of the same root."""


class Fits:
    """Fits of words to the names of one vocabulary; keeps what does not depend on the question."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        cache: RankingCache,
        lexicon: Lexicon = EMPTY,
        likeness: Likeness | None = None,
        named: dict[tuple[str, ...], NameVectors] | None = None,
    ) -> None:
        self._named = {} if named is None else named
        self.vocabulary = vocabulary
        self.cache = cache
        self.lexicon = lexicon
        self.likeness = likeness
        self._owned_keys = tuple(f"{key.owner}.{key.key}" for key in vocabulary.keys)
        self.labels = tuple(vocabulary.labels)
        self.relations = vocabulary.relations
        self.keys = vocabulary.keys
        self._label_names = [self._name(label, *vocabulary.spoken.get(label, ())) for label in self.labels]
        self._relation_names = [self._name(vocabulary.readable(relation)) for relation in self.relations]
        self._key_names = [self._name(key_name(key)) for key in self.keys]
        self._known: dict[str, tuple[Scores, Scores, Scores]] = {}
        self._similar: dict[str, Scores] = {}
        self._of_labels: dict[str, dict[str, float]] = {}
        self._of_keys: dict[str, dict[Key, float]] = {}

    def with_words(self, lexicon: Lexicon) -> Fits:
        """The same with what was learned of words."""
        return Fits(self.vocabulary, self.cache, lexicon, self.likeness, self._named)

    def with_vocabulary(self, vocabulary: Vocabulary) -> Fits:
        """The same for a vocabulary with more names."""
        return Fits(vocabulary, self.cache, self.lexicon, self.likeness, dict(self._named))

    def _name(self, name: str, *like: str) -> NameVectors:
        """A name; where it says nothing itself, its vectors are those of names that are `like` it."""
        known = (called(name), *map(called, like))
        if known not in self._named:
            self._named[known] = self._vectors(name, *like)
        return self._named[known]

    def _vectors(self, name: str, *like: str) -> NameVectors:
        words = telling_words(name)
        texts = [" ".join(name_words(other)) for other in like] or [" ".join(name_words(name)), " ".join(words), *words]
        vectors = self.cache.of_graph(texts)
        return NameVectors(words, vectors, self.cache.bias(vectors))

    def similarity(self, text: str) -> Scores:
        """How similar a piece of text is to each relationship type, without competition: 0 to 1."""
        if text not in self._similar:
            vector = self.cache.vectors([text])[0]
            found = np.array([float((name.vectors @ vector - name.bias).max()) for name in self._relation_names])
            found = np.clip((found - WEIGHTS.floor) / (2 * WEIGHTS.ceiling - WEIGHTS.floor), 0.0, 1.0)
            self._similar[text] = self._with_learned(text, "relation", self.relations, found)
        return self._similar[text]

    def named(self, word: str, relation: int) -> bool:
        """Whether a word shares its root with one of the relationship type's, or was learned to stand for it."""
        learned = self.relations[relation] in self.lexicon.names("relation", word)
        return learned or self.has_root(word, relation) or self.is_other_end(word, relation)

    def names_any(self, word: str) -> bool:
        """Whether a word names a relationship type, whichever."""
        return any(self.named(word, relation) for relation in range(len(self.relations)))

    def says(self, word: str, label: str, relation: str) -> bool:
        """Whether a verb says a relationship type of the nodes of a label: it names it, or says little and can mean
        nothing else, since they have no other: "given" of vaccines, which are only what `VACCINATED_WITH` leads to."""
        if self.named(word, self.relations.index(relation)):
            return True
        steps = {step.relation for step in self.vocabulary.leaving.get(label, ())}
        return steps == {relation} and word in PLAIN_VERBS | GIVING | RECEIVING | DONE

    def has_root(self, word: str, relation: int) -> bool:
        """Whether a word shares its root with one of the relationship type's."""
        return any(same_root(word, own) for own in self._relation_names[relation].words)

    def is_other_end(self, word: str, relation: int) -> bool:
        """Whether a word is the noun for the other end of a relationship type between like things than its name is:
        "children" of `PARENT_OF`."""
        if relation not in self._within:
            return False
        others = OTHER_ENDS.get(singular(word), ())
        return any(singular(own) in others for own in self._relation_names[relation].words)

    def is_who_does(self, word: str, relation: int) -> bool:
        """Whether a noun for people is the verb that a relationship type is called by: "mentor" of `MENTORS`."""
        name = name_words(self.vocabulary.readable(self.relations[relation]))
        return len(name) == 1 and is_present(name[0]) and singular(word) == singular(name[0]) and self._is_person(word)

    def is_any_other_end(self, word: str) -> bool:
        """The same of any of them."""
        return any(self.is_other_end(word, relation) for relation in self._within)

    @cached_property
    def _within(self) -> frozenset[int]:
        """The relationship types between nodes of one label."""
        like = {link.relation for link in self.vocabulary.links if link.subject == link.object}
        return frozenset(number for number, relation in enumerate(self.relations) if relation in like)

    def name_of(self, relation: int) -> tuple[str, ...]:
        """The telling words of a relationship type."""
        return self._relation_names[relation].words

    def prepare(self, words: Sequence[str]) -> None:
        """Encode all words of a question at once."""
        self.cache.vectors([text for word in words if word not in self._known for text in _texts(word)])

    def of(self, word: str) -> tuple[Scores, Scores, Scores]:
        """How well a word names each label, relationship type and property."""
        if word not in self._known:
            vector = self.cache.vectors(_texts(word)).mean(axis=0)
            vector = vector / max(float(np.linalg.norm(vector)), 1e-9)
            keys = self._of_property(word, _fit(word, vector, self._key_names))
            keys = self._of_period(word, self._of_unit(word, self._of_kind(word, keys)))
            labels, relations = _fit(word, vector, self._label_names), _fit(word, vector, self._relation_names)
            self._known[word] = (
                self._with_learned(word, "label", self.labels, self._with_meant(word, labels, self._label_names)),
                self._with_learned(
                    word, "relation", self.relations, self._with_meant(word, relations, self._relation_names)
                ),
                self._with_learned(word, "key", self._owned_keys, self._meant_keys(word, keys)),
            )
        return self._known[word]

    def _with_meant(self, word: str, fits: Scores, names: Sequence[NameVectors]) -> Scores:
        """The fits of a word, and of one that shares its root with no name, to names that have a term which it means by
        the thesaurus and the encoder together: as surely as it means that."""
        if self.likeness is None or self.is_own(word):
            return fits
        meant = {item.term: item.probability for item in self.likeness.of(word)}
        terms = [[own, " ".join(name.words)] for name in names for own in name.words[-1:] or ("",)]
        found = [max((meant.get(term, 0.0) for term in own), default=0.0) for own in terms]
        return np.maximum(fits, LEARNED * np.array(found)) if found else fits

    def _meant_keys(self, word: str, fits: Scores) -> Scores:
        """The same of properties. People are no dates, and are not true or false: "members" are no `joinedOn`."""
        found = self._with_meant(word, fits, self._key_names)
        if not found.size or not self._is_person(word):
            return found
        lifeless = np.array([key.kind in LIFELESS for key in self.keys], dtype=bool) & (found < SURE)
        return np.asarray(np.where(lifeless, np.minimum(found, WEAK), found))

    def _with_learned(self, word: str, kind: Kind, names: Sequence[str], fits: Scores) -> Scores:
        """The fits of a word to names of a kind by what was learned of the word: those that it stands for surely, and
        less those that it is only like."""
        learned, shares = self.lexicon.names(kind, word), self.lexicon.shares(kind, word)
        if not learned:
            return fits
        known = np.where((fits >= SURE) | np.array([name in shares for name in names], dtype=bool), fits, OTHER * fits)
        return np.asarray(np.where([name in learned for name in names], np.maximum(known, LEARNED), known))

    def _of_property(self, word: str, fits: Scores) -> Scores:
        """The fits of a word to properties, without those that it shares only a root with as a noun for who does
        something: "coders" are no `code`."""
        if not singular(word).endswith(("er", "or")):
            return fits
        does = [any(is_doer(word, own) for own in name.words) for name in self._key_names]
        return np.asarray(np.where(does, np.minimum(fits, WEAK), fits))

    def _of_kind(self, word: str, fits: Scores) -> Scores:
        """The fits of a word for what kind of values properties have, as far as their names have it: "date" of
        `date_placed`."""
        said = singular(word)
        if said not in UNITS:
            return fits
        held = np.array([said in name_words(key.name or key.key) for key in self.keys], dtype=bool)
        return np.asarray(np.where(held, np.maximum(fits, GIVEN_IN), fits)) if held.any() else fits

    def _of_unit(self, word: str, fits: Scores) -> Scores:
        """The fits of a word for a unit, to the properties that are given in it: "megawatts" to `capacityMW`."""
        if word not in UNIT_SIZES:
            return fits
        given = [unit_of(key) == UNIT_SIZES[word] for key in self.keys]
        return np.asarray(np.where(given, np.maximum(fits, GIVEN_IN), fits))

    def measured(self, word: str, key: Key) -> float:
        """How well a word beside a number names the property that this is compared with; also a unit of another size
        does: "more than two HOURS" of `durationMin`."""
        unit, own = UNIT_SIZES.get(word), unit_of(key)
        return max(self.key(word)[key], GIVEN_IN if unit and own and unit[0] == own[0] else 0.0)

    def _of_period(self, word: str, fits: Scores) -> Scores:
        """The fits of a word for where a period begins, or ends, to the properties that hold that: as well as it fits
        either, and less to the other one."""
        found = fits.copy()
        for meant, other in self._meant(word):
            found[meant] = max(fits[meant], fits[other], EDGE)
            found[other] = OTHER * fits[other]
        return found

    def bounds(self, word: str, key: Key) -> bool:
        """Whether a word says at which end of a period is what a property holds: "until" of `valid_to`."""
        return any(self.keys[meant] == key for meant, _ in self._meant(word))

    def _meant(self, word: str) -> list[tuple[int, int]]:
        """The properties for that end of a period which a word says, with those for the other end."""
        if word in OPENING:
            return self._periods
        return [(end, begin) for begin, end in self._periods] if word in CLOSING else []

    @cached_property
    def _periods(self) -> list[tuple[int, int]]:
        """The properties that hold where a period begins with those that hold where it ends: all but one word of their
        names is the same."""
        found = {(key.owner, name_words(key.key)): number for number, key in enumerate(self.keys)}
        return [
            (number, found[owner, other])
            for (owner, words), number in found.items()
            for place in range(len(words))
            if words[place] in PERIODS[0]
            for end in PERIODS[1]
            if (owner, other := (*words[:place], end, *words[place + 1 :])) in found
        ]

    def label(self, word: str) -> dict[str, float]:
        """Labels with the fit of a word to each."""
        if word not in self._of_labels:
            labels, relations, keys = self.of(word)
            named = any(self.named(word, relation) for relation in range(len(relations)))
            doers = self.does(word)
            other = 1.0 if named else max(map(float, keys), default=0.0)
            self._of_labels[word] = {
                label: 1.0
                if label in doers
                else self._of_nameless(fit, other)
                if label in self.vocabulary.spoken
                else fit
                for label, fit in zip(self.labels, map(float, labels), strict=True)
            }
        return self._of_labels[word]

    def does(self, word: str) -> list[str]:
        """The labels whose nodes do what a word is the doer of: "players" for `plays_in_club`."""
        return [label for label, verbs in self.vocabulary.doers.items() if any(is_doer(word, verb) for verb in verbs)]

    def doers(self, word: str, *, said: bool = False) -> list[tuple[str, Step]]:
        """The labels whose nodes do what a noun is for the doers of ("directors"), or are called by it in the name of a
        relationship ("members" of MEMBER_OF_CLUB), each with the relationship that they do it by. What is `said` to be
        a member is named before."""
        found = []
        for number, relation in enumerate(self.relations):
            name = name_words(self.vocabulary.readable(relation))
            active = self._begins_at(word, name, number)
            if active is None or (said and is_role(name)):
                continue
            itself = not is_doer(word, name[0]) and self.named(word, number)  # "transfer" of TRANSFERRED_TO
            for link in self.vocabulary.links:
                if link.relation == relation and not (itself and link.subject == link.object):
                    doer, other = (link.subject, link.object) if active else (link.object, link.subject)
                    found.append((doer, Step(relation, active, other)))
        return found

    def _begins_at(self, word: str, name: Sequence[str], number: int) -> bool | None:
        """Whether a noun is for what a relationship of a name begins at; None where it is for neither end."""
        if names_role(word, name):
            return True
        if list(name) == ["has", singular(word)]:
            return False
        if not word.removesuffix("s").endswith(("er", "or")):
            return None
        irregular = is_past(name[0]) and not name[0].startswith(singular(word)) and self.of(word)[1][number] >= LIKE
        return name[-1] != "by" if is_doer(word, name[0]) or irregular else None

    def _of_nameless(self, fit: float, other: float) -> float:
        """The fit of a label that the graph has no word for, where the word fits relationship types and properties as
        well as `other` says: what is like these speaks of them."""
        return min(NAMELESS * fit, LIKE) if fit > other else 0.5 * fit

    @cached_property
    def kinds(self) -> dict[str, Scores]:
        """Of each label the shares of `KINDS` (person, group, place, …): by its name, or its nodes' names."""
        return {label: self._kinds(label) for label in self.labels}

    def _kinds(self, label: str) -> Scores:
        names = next((key.examples for key in self.vocabulary.keys_of(label) if key.unique and key.examples), ())
        if label in self.vocabulary.spoken and names:
            plain = [name.replace("_", " ") for name in names]
            return self.cache.judge.of_names(plain, self.cache.of_graph(plain))
        return self.cache.judge.of_label(self.cache.of_graph([" ".join(name_words(label))])[0])

    @cached_property
    def own_words(self) -> Mapping[str, frozenset[str]]:
        """The words of all names, by their first letters."""
        names = (*self.labels, *self.relations, *(key.key for key in self.keys))
        words = {word for name in names for word in name_words(self.vocabulary.readable(name))}
        return {first: frozenset(word for word in words if word[:1] == first) for first in {word[:1] for word in words}}

    def is_own(self, word: str) -> bool:
        """Whether a word shares its root with one in the name of a label, a relationship type or a property."""
        return any(same_root(word, own) for own in self.own_words.get(word[:1], ()))

    @cached_property
    def flags(self) -> Mapping[Key, str]:
        """The properties that are true or false, with what they are called."""
        return {key: key_name(key) for key in self.keys if key.kind == "truth"}

    @cached_property
    def births(self) -> frozenset[str]:
        """The properties that say when somebody was born."""
        measured = (key.key for key in self.keys if key.kind in MEASURED)
        return frozenset(key for key in measured if not BIRTH.isdisjoint(name_words(key)))

    @cached_property
    def framed(self) -> Mapping[int, Mapping[str, bool]]:
        """The relationship types that say each frame of `kgneo.english.relating`, and whether they lead from its A to
        its B; empty without a thesaurus, which knows what words are forms of."""
        found: dict[int, dict[str, bool]] = {}
        if self.likeness is None:
            return found
        lemmas = self.likeness.thesaurus.lemmas
        for relation in self.relations:
            for frame, forward in frames_of(name_words(self.vocabulary.readable(relation)), lemmas).items():
                found.setdefault(frame, {})[relation] = forward
        return found

    @cached_property
    def people(self) -> dict[str, float]:
        """Of each label how surely its nodes are people: by its name, as the encoder and the thesaurus know it, by a
        property that only people have, or by the nodes' own names."""
        return {label: max(float(shares[PERSON]), PEOPLE * self._are_people(label), self._means_people(label))
                for label, shares in self.kinds.items()}  # fmt: skip

    def are_asked_by_who(self, labels: Collection[str]) -> bool:
        """Whether "who" may ask for nodes of these labels: people or groups of them, or where no label is of people."""
        shares = {label: max(share, float(self.kinds[label][GROUP])) for label, share in self.people.items()}
        likely = {label for label, share in shares.items() if share > LEAST_PEOPLE}
        return not likely or not labels or not likely.isdisjoint(labels)

    def are_asked_by_where(self, labels: Collection[str]) -> bool:
        """Whether "where" may ask for nodes of these labels: places, or where nothing else says where something is,
        whatever is no person."""
        if not labels or not self._places.isdisjoint(labels):
            return True
        return not (self._places or self.whereabouts or self._persons.issuperset(labels))

    def may_be_called(self, noun: str, labels: Collection[str]) -> bool:
        """Whether a noun may be for nodes of these labels: one for people is for no others, and one for other things,
        which no name of the graph has, for no people: no teacher is a "school"."""
        if self.likeness is None or not labels:
            return True
        people, senses = self.likeness.share_of_people(noun), self.likeness.thesaurus.senses(noun)
        if not senses or self.is_own(noun) or any(self.lexicon.names(kind, noun) for kind in ("label", "relation")):
            return True
        if people >= ONLY_PEOPLE:
            return self.are_asked_by_who(labels)
        return people > 0.0 or not self._persons.issuperset(labels)

    @cached_property
    def _persons(self) -> frozenset[str]:
        """The labels of people by more than what they are called: customers may be firms."""
        return frozenset(label for label, share in self.people.items()
                         if share >= PEOPLE and self._are_people(label) > LEAST_PEOPLE)  # fmt: skip

    @cached_property
    def _places(self) -> frozenset[str]:
        """The labels of places."""
        return frozenset(label for label, kinds in self.kinds.items() if float(kinds[PLACE]) > LEAST_PLACE)

    @cached_property
    def whereabouts(self) -> tuple[Key, ...]:
        """The properties that say where something is."""
        return tuple(
            key for key in self.keys if key.kind == "text" and name_words(key.name or key.key)[-1] in WHEREABOUTS
        )

    def says_where(self, key: str) -> bool:
        """Whether a property may say where something is: it is called so, or nothing in the graph is."""
        own = [other for other in self.keys if other.key == key]
        if self._places or self.whereabouts:
            return not own or any(other in self.whereabouts for other in own)
        return all(other.kind not in MEASURED for other in own)

    def _means_people(self, label: str) -> float:
        return self.likeness.thesaurus.share_of(name_words(label)[-1], "person") if self.likeness else 0.0

    def _is_person(self, word: str) -> bool:
        return self.likeness is not None and self.likeness.are_people(word)

    def _are_people(self, label: str) -> float:
        words = {word for key in self.vocabulary.keys_of(label) for word in (*name_words(key.key), key.key.lower())}
        if words & PERSONAL:
            return 1.0
        shown = self.vocabulary.display.get(label, ())
        names = [name for key in self.vocabulary.keys_of(label) if key.key in shown for name in key.examples]
        return float(self.cache.judge.of_names(names, self.cache.of_graph(names))[PERSON])

    def key(self, word: str) -> dict[Key, float]:
        """Properties with the fit of a word to each."""
        if word not in self._of_keys:
            found = dict(zip(self.keys, map(float, self.of(word)[2]), strict=True))
            if singular(word) == NAME and self._naming:
                naming = {key.owner for key in self._naming}
                found = {key: min(fit, BESIDE_NAME) if key.owner in naming else fit for key, fit in found.items()}
                found |= dict.fromkeys(self._naming, 1.0)
            self._of_keys[word] = found
        return self._of_keys[word]

    def names(self, word: str, key: Key) -> bool:
        """Whether a word says that it is a name, and the property is that without being called so."""
        return singular(word) == NAME and key in self._naming

    @cached_property
    def _naming(self) -> list[Key]:
        """The properties that are called as their label is, where none of it is called a name: of an Artist with the
        properties `artist` and `famousTitle`, the name is the first."""
        called = {key.owner for key in self.keys if NAME in name_words(key.key)}
        texts = [key for key in self.keys if key.kind == "text" and key.owner not in called]
        return [key for key in texts if name_words(key.key) == name_words(key.owner)]


NAME = "name"
BESIDE_NAME = 0.8
"""Fit of "name" to a property beside the one that names the nodes, at most."""


def unit_of(key: Key) -> tuple[str, float] | None:
    """What the unit measures in which a number is given, and how large it is; None where its name says none."""
    return UNIT_SIZES.get(before_per(words_with_unit(key))[-1]) if key.kind == "number" else None


def words_with_unit(key: Key) -> tuple[str, ...]:
    """The words of a property's name, with those of its unit where that is known besides."""
    return (*name_words(key.name or key.key), *key.unit.lower().split())


def key_name(key: Key) -> str:
    """A property's name without the words of its owner, and of one that is true or false without those that say that:
    "date" for `call_date` of a PhoneCall, "roof" for `has_roof`; whole where nothing would be left that tells anything
    (`orderedOn` of an Order). The noun of a relationship's stays: the "monthly rent" of RENTS."""
    owner = name_words(key.owner)
    whole = name_words(key.name or key.key)
    noun = len(whole) - 1 if key.of_edge and not _is_participle(whole[-1]) and whole[-1] not in PREPOSITIONS else -1
    words = [SAME_NAMES.get(word, word) for at, word in enumerate(whole)
             if at == noun or not any(same_root(word, own) for own in owner)]  # fmt: skip
    if key.kind == "truth":
        words = [word for word in words if word not in SAID_OF] or words
    return key.name or key.key if PREPOSITIONS.issuperset(words) else " ".join(words)


def _texts(word: str) -> tuple[str, ...]:
    return MEASURES.get(word, (singular(word),))


def _fit(word: str, vector: Scores, names: Sequence[NameVectors]) -> Scores:
    if not names:
        return np.zeros(0)
    similarity = np.array([float((name.vectors @ vector - name.bias).max()) for name in names])
    values = np.clip((similarity - WEIGHTS.floor) / (WEIGHTS.ceiling - WEIGHTS.floor), 0.0, 1.0)
    values = values * np.exp((similarity - similarity.max()) / WEIGHTS.rivalry)
    shares = np.array([_share(word, name.words, same_whole_root) for name in names])
    if not shares.any():  # "surnames" is no name where there are surnames
        shares = np.array([_share(word, name.words, same_root) for name in names])
    exact = np.array([singular(word) in map(singular, name.words) for name in names])
    if exact.any():  # a "brewery" is no brewer
        shares = np.where(exact, shares, NOT_EXACT * shares)
    if shares.any():
        return np.asarray(np.maximum(shares, values * WEIGHTS.root_rivals))
    return np.asarray(values**WEIGHTS.curve * LIKE)


def _share(word: str, name: Sequence[str], same: Callable[[str, str], bool]) -> float:
    """1 where the word is the `same` as the name, less where it is one of several words; the last of them counts most,
    and the last before a unit ("areaKm2"), before "code" ("orderStatusCode") or before a participle ("datePlaced")."""
    if len(name) > 1 and same(word, "".join(name)):
        return 1.0
    hits = [index for index, own in enumerate(name) if same(word, own)]
    if not hits:
        return 0.0
    if len(name) == 1:
        return 1.0
    behind = name[-1] in UNITS_OF_MEASURE or name[-1] == "code" or _is_participle(name[-1])
    heads = {len(name) - 1, len(name) - 1 - behind}
    return 0.9 if heads.intersection(hits) else 0.6


def _is_participle(word: str) -> bool:
    """Whether the last word of a name says what was done; "speed" and "bed" are nouns."""
    return is_past(word) and not word.endswith("eed") and len(word) > len("bed")
