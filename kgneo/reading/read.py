"""Read: a question as query graphs, best first.

Comes in: a question and the vocabulary of a graph. Goes out: interpretations. In this order: the form of the answer is
told by closed classes of words, mentions are found, trees are grown from what is asked for, and superlatives,
comparisons and aggregates are put on what they speak of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from kgneo.english.intent import plain_question
from kgneo.english.names import denies, is_deed, is_noun, is_past, name_words, same_root
from kgneo.english.question import MaskedQuestion
from kgneo.english.words import (
    ARTICLES,
    AUXILIARIES,
    COMPARATIVES,
    EXTREMES,
    FUNCTION_WORDS,
    MEASURES,
    NAMING,
    NEGATIONS,
    PEOPLE,
    PREPOSITIONS,
)
from kgneo.errors import EntityNotFound
from kgneo.model import Hop, RelationPath, split_value_relation
from kgneo.query.graph import Aggregate, Arithmetic, Condition, Edge, QueryGraph, Scalar, Selection, Value, Variable
from kgneo.query.graph import Form as ValueForm
from kgneo.query.wording import wording
from kgneo.ranking.kinds import KINDS
from kgneo.ranking.rank import RankedPath
from kgneo.reading.fits import Fits
from kgneo.reading.form import Comparison, Extreme, Form, form_of
from kgneo.reading.grow import Grower, Join, Thing, Tree
from kgneo.reading.mentions import (
    PERSON,
    SURE,
    Lookup,
    Meaning,
    Mention,
    Span,
    Word,
    key_mentions,
    label_mentions,
    misspelt,
    open_names,
    people,
    value_mentions,
    with_choices,
    with_keys,
    words_of,
)
from kgneo.reading.phrases import phrase_mentions
from kgneo.reading.vocabulary import Key, reciprocal

ROOTS = 8
NEAREST = 5
AGE = ("oldest", "eldest", "youngest", "older", "younger")
PLACE = KINDS.index("place")
TIMELY = ("after", "before", "since", "until", "between", "from", "in", "during")
MEASURED = ("number", "date", "time")
LIKE_ANY = 0.25
"""Likeness to what an interpretation says below which a word is not said."""
WEAK = 0.6
"""Score of a property up to which a word is only like it."""
REACH = 5
"""Words from "than" to the name behind it, at most."""
NAMED = 0.7
"""Score from which what is asked for is surely named."""


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
    named: float = 1.0
    """How surely what is asked for is named."""
    loose: int = 0
    """How many of its ways through the graph no word speaks of."""
    plain_chain: bool = False
    """Whether the question names nodes, and asks for nothing but what chains of relations lead to from them."""

    bare: bool = False
    """Whether the question names nothing of the graph, and asks for no number, extreme or test."""

    kind: bool = False
    """Whether a word of the question surely names what kind of thing is asked for."""

    meant: QueryGraph | None = None
    """The query graph in the question's terms, where `graph` has others, which the graph knows."""

    bracketed: str = ""
    """The question with the names of nodes in brackets, where these are as the graph has them."""

    vacuous: bool = False
    """Whether it asks for, or counts, the very thing that the question names."""

    mentions: tuple[Mention, ...] = ()
    """The values that the question names, whichever of them the query graph has."""

    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Readable names of relationship types that are codes."""

    likely: float | None = None
    """The probability that it is right, by what was learned; None where nothing was."""

    @property
    def complete(self) -> bool:
        """Whether it says all of the question, and each of its parts is said there."""
        return not (self.ignored or self.unsaid or self.loose or self.vacuous) and self.named >= NAMED

    @property
    def wording(self) -> str:
        """The query graph in English."""
        return wording(self.meant or self.graph, names=self.names)


Chains = Callable[[MaskedQuestion, Meaning], Sequence[RankedPath]]
"""The relation paths that leave the nodes of a meaning, ranked against a question in which it is masked."""


def read(
    question: str, fits: Fits, dictionary: Lookup, chains: Chains | None = None, given: Sequence[Span] = ()
) -> list[Interpretation]:
    """The ways to understand a question, best first; none where a name that the user marked (`given`, by its place) is
    no value of the dictionary. `chains` are asked for where a single thing is named.

    Raises EntityNotFound for a name that the graph does not have.
    """
    reader = _Reader(question, fits, dictionary, chains, given)
    if reader.unknown:
        name = reader.unknown[0]
        nearest = tuple(dict.fromkeys(entry.text for entry in dictionary.similar(name)))[:NEAREST]
        hint = f"Nearest names: {', '.join(nearest)}." if nearest else "No name in the graph is like it."
        raise EntityNotFound(f"The graph has no entity named {name!r}.", nearest=nearest, hint=hint)
    return reader.read()


class _Reader:
    def __init__(
        self,
        question: str,
        fits: Fits,
        dictionary: Lookup,
        chains: Chains | None = None,
        given: Sequence[Span] = (),
    ) -> None:
        self.text = question
        self.chains = chains
        self.fits = fits
        self.words = words_of(question)
        self.plain = [word.plain for word in self.words]
        self.whole_keys = self._whole_keys()
        self.form: Form = self._without_names(form_of(self.words))
        fits.prepare([word for word in self.plain if word not in FUNCTION_WORDS or word in MEASURES])
        values = value_mentions(question, self.words, dictionary, fits, given)
        self.unread = len(given) > sum(_stands_at(item, self.words, span) for span in given for item in values)
        values = [item for item in values if not self._in_comparison(item) and item.start not in self.form.used]
        taken = {index for item in values for index in range(item.start, item.end)} | self.form.used
        spare = [index for index in range(len(self.words)) if index not in taken]
        values = phrase_mentions(self.words, values, spare, dictionary, fits)
        values, self.unknown = self._with_misspelt(values, dictionary)
        values = with_choices(self.words, with_keys(self.words, values, fits))
        self.taken = taken = {index for item in values for index in (*range(item.start, item.end), *item.also)}
        free = [index for index in range(len(self.words)) if index not in taken and index not in self.form.used]
        self.key_mentions = key_mentions(self.words, free, fits)
        named = {index for start, end, _ in self.whole_keys for index in range(start, end)}
        unnamed = [index for index in free if index not in named]
        head = self._head(unnamed)
        asked = self.form.at if self.form.word in ("who", "whom") else -1
        labels = label_mentions(self.words, unnamed, fits, asked=asked, head=head)
        mentions = sorted([*values, *labels], key=lambda item: item.start)
        self.compared = _behind(self.form.versus, mentions)
        end = max((item.end for item in self.compared), default=-1)
        first = self.form.versus[1] if self.form.versus else 0
        self.mentions: list[Mention] = [item for item in mentions if not first <= item.start < end]
        self.form = replace(self.form, used=self.form.used | set(range(first, end)))

    def _whole_keys(self) -> list[tuple[int, int, Key]]:
        """Where the words of a property's name stand side by side, if it has several."""
        found = []
        for key in self.fits.keys:
            own = name_words(key.name or key.key)
            for at in range(len(self.plain) - len(own) + 1 if len(own) > 1 else 0):
                if _stand(self.plain[at : at + len(own)], own):
                    found.append((at, at + len(own), key))
        return found

    def _without_names(self, form: Form) -> Form:
        """The form without superlatives that are the name of what is asked for: "the highest point of"."""
        asked = {
            item.at for item in form.extremes
            if 0 <= item.at - form.at <= 3 and set(self.plain[form.at : item.at]) <= FUNCTION_WORDS
            and (self._is_thing(item.at) if form.word == "where" else form.word not in ("how", "when", "who")
                 and (self._is_thing(item.at) or any(start == item.at for start, _, _ in self.whole_keys)))
        }  # fmt: skip
        left = tuple(item for item in form.extremes if item.at not in asked)
        return replace(form, extremes=left, used=form.used - asked)

    def _is_thing(self, at: int) -> bool:
        """Whether the name of a label or of a relationship type, of several words, stands at a word."""
        vocabulary = self.fits.vocabulary
        names = map(name_words, (*self.fits.labels, *map(vocabulary.readable, self.fits.relations)))
        return any(len(own) > 1 and _stand(self.plain[at : at + len(own)], own) for own in names)

    def _with_misspelt(self, values: list[Mention], dictionary: Lookup) -> tuple[list[Mention], tuple[str, ...]]:
        """The mentions with those of misspelt names, and the names that are not in the graph."""
        taken = {index for item in values for index in range(item.start, item.end)}
        taken |= self.form.used | {index for start, end, _ in self.whole_keys for index in range(start, end)}
        unknown = []
        for start, end in open_names(self.words, taken, self.fits):
            found = misspelt(self.text, self.words, start, end, dictionary, self.fits)
            if found is None:
                unknown.append(self.text[self.words[start].start : self.words[end - 1].end])
            else:
                values.append(found)
        return sorted(values, key=lambda item: item.start), tuple(unknown)

    def _in_comparison(self, item: Mention) -> bool:
        return any(bound.start <= item.start < bound.end for bound in self.form.comparisons)

    def read(self) -> list[Interpretation]:
        if self.unread:
            return []
        named = [number for number, item in enumerate(self.mentions) if item.meanings[0].kind == "value"]
        chained = self._chained(named[0]) if self.chains and len(named) == 1 and not self.form.negations else []
        roots, order = self._roots()
        grower = Grower(self.words, self.mentions, self.fits, self.form.negations)
        trees = grower.grow(roots, order)
        found = [self._interpretation(tree) for tree in trees]
        found.sort(key=lambda item: -item.score)
        return [*found, *chained]

    # A chain from one named thing --------------------------------------------------------------------------------

    def _chained(self, number: int) -> list[Interpretation]:
        """What the ranking of relation paths makes of a question that names one thing."""
        assert self.chains is not None
        mention = self.mentions[number]
        best = mention.meanings[0].score
        found = []
        for meaning in mention.meanings[:3]:
            if meaning.score < best - 0.35 or meaning.key is None or meaning.key.of_edge:
                continue
            for ranked in self.chains(self._masked(mention, meaning), meaning)[:12]:
                tree = self._tree_of(ranked.path, number, meaning)
                if self.form.word == "when" and (tree.asked is None or tree.asked.kind not in ("date", "time")):
                    continue
                score = ranked.score + 2.0 * (meaning.score - best)
                item = self._interpretation(replace(tree, score=score))
                found.append(replace(item, score=score - 0.5 * self._unread(item)))
        return sorted(found, key=lambda item: -item.score)

    def _unread(self, item: Interpretation) -> int:
        asked = len(self.form.extremes) + len(self.form.comparisons)
        compared = sum(condition.operator not in ("=", "<>") or isinstance(condition.left, Aggregate)
                       for condition in item.graph.conditions)  # fmt: skip
        return max(asked - len(item.graph.selections) - compared, 0)

    def _masked(self, mention: Mention, meaning: Meaning) -> MaskedQuestion:
        """The question with the named thing, and the words for its kind and its property, as one place."""
        first, last = mention.start, mention.end
        for index in range(mention.start - 1, max(mention.start - 7, -1), -1):
            if index in mention.also or self._is_kind(index, meaning.owner):
                first = index
            elif self.plain[index] not in FUNCTION_WORDS | NAMING:
                break
        while last < len(self.words) and self._is_kind(last, meaning.owner):
            last += 1
        start, end = self.words[first].start, self.words[last - 1].end
        masked = MaskedQuestion(self.text, ((start, end),), (meaning.owner,))
        return plain_question(masked)

    def _is_kind(self, index: int, label: str) -> bool:
        own = name_words(label)
        if is_noun(self.plain[index], own[-1]) or self.plain[index] in own:
            return True
        return self.plain[index] in PEOPLE - {"who"} and index > 0 and self._is_person(label)

    def _is_person(self, label: str) -> bool:
        return float(self.fits.kinds[label][PERSON]) > 0.3

    def _tree_of(self, path: RelationPath, number: int, meaning: Meaning) -> Tree:
        """A relation path as a tree: what it leads to first, what is named last."""
        hops = list(path.hops)
        asked = hops.pop() if hops[-1].value else None
        relation, key_text = split_value_relation(asked.relation) if asked else ("", "")
        if relation and asked:
            hops.append(Hop(relation, asked.forward, asked.labels))
        labels = [meaning.owner, *((hop.labels[0] if hop.labels else "") for hop in hops)]
        many = [False, *(len(hop.labels) != 1 for hop in hops)]
        size = len(labels)
        places = {label: item for item, there in enumerate(self.mentions) for label in
                  [there.meanings[0].owner] if there.meanings[0].kind == "label"}  # fmt: skip
        assert meaning.key is not None
        things = [
            Thing("" if many[at] and not labels[at] else labels[at], number if not at else places.get(labels[at], -1),
                  labels[at] in places, ((meaning.key, meaning.values),) if not at else (), loose=many[at])
            for at in reversed(range(size))
        ]  # fmt: skip
        joins = tuple(
            _join(size - 2 - at, hop, size - 1 - at, both=labels[at] == labels[at + 1] and self._holds_both_ways(hop))
            for at, hop in enumerate(hops)
        )
        owner = relation or labels[-1]
        key = next((key for key in self.fits.keys if key.owner == owner and key.key == key_text), None)
        if asked and key is None:
            key = Key(owner, key_text, of_edge=bool(relation))
        used = frozenset(range(self.mentions[number].start, self.mentions[number].end))
        return Tree(tuple(things), joins, 0.0, key, ((number, size - 1),), used)

    def _holds_both_ways(self, hop: Hop) -> bool:
        return reciprocal(self.fits.vocabulary.readable(hop.relation))

    # What is asked for -------------------------------------------------------------------------------------------

    def _roots(self) -> tuple[list[tuple[int, Meaning]], list[int]]:
        """What the answer may be, and the order in which the other mentions are taken."""
        at = self.form.at
        run = self._run(at)
        roots: list[tuple[int, Meaning]] = []
        asked = self.form.word
        if asked in ("when",) or (asked == "how" and at < len(self.words)):
            roots += self._measures(self.plain[at] if asked == "how" else "when", asked)
        if asked == "where":
            roots += self._places()
        for number in run:
            last = number == run[-1]
            roots += [
                (number, self._shifted(meaning, last)) for meaning in self.mentions[number].meanings[:4]
                if meaning.kind != "value" or meaning.key is None or not meaning.key.of_edge
            ]  # fmt: skip
        if run and self.plain[0] == "who" and self.mentions[run[0]].meanings[0].kind == "value":
            roots += [(-1, Meaning("label", label, share)) for label, share in people(self.fits) if share > 0.3]
        keys = self._keys(at, run)
        keys += [
            (-1, Meaning("key", key.owner, 1.1, key)) for start, end, key in self.whole_keys
            if 0 <= start - at <= 3 and start not in self.form.used | self.taken
            and not any(bound.start <= end and start < bound.end for bound in self.form.comparisons)
        ]  # fmt: skip
        sure = max((meaning.score for _, meaning in roots if meaning.kind == "label"), default=0.0)
        roots += [(number, meaning) for number, meaning in keys if meaning.score >= sure - 0.15]
        roots += self._relation_nouns(at)
        if self.form.kind == "count":
            roots += self._amounts(run)
        if not roots:
            everything = sorted(self.fits.vocabulary.labels.items(), key=lambda item: -item[1])[:ROOTS]
            roots = [(-1, Meaning("label", label, 0.1)) for label, _ in everything]
        if asked == "when" and any(meaning.kind == "key" for _, meaning in roots):
            roots = [pair for pair in roots if pair[1].kind == "key"]
        if asked in ("who", "whom"):
            roots = [pair for pair in roots if run and pair[0] == run[0] and pair[1].kind == "label"] or roots
        roots.sort(key=lambda pair: -pair[1].score)
        first = run[0] if run else -1
        rest = [number for number in range(len(self.mentions)) if number not in run and number > first]
        fronted = [number for number in range(len(self.mentions)) if number not in run and number < first]
        return roots[: 2 * ROOTS], [*reversed(run), *self._possessed(rest), *fronted]

    def _possessed(self, numbers: list[int]) -> list[int]:
        """Mentions in an order in which what belongs to someone comes before whom it belongs to: "Amanda's friends"."""
        order = list(numbers)
        for place, number in enumerate(numbers[:-1]):
            item, after = self.mentions[number], self.mentions[numbers[place + 1]]
            owns = self.words[item.end - 1].text.endswith(("'s", "’s"))
            if owns and after.start == item.end and after.meanings[0].kind == "label":
                order[place], order[place + 1] = order[place + 1], order[place]
        return order

    def _shifted(self, meaning: Meaning, last: bool) -> Meaning:
        return meaning if last else replace(meaning, score=meaning.score - 0.3)

    def _run(self, at: int) -> list[int]:
        """The mentions side by side that name what is asked for: "which Probe vehicles"."""
        start = at
        skipped = ARTICLES | AUXILIARIES | EXTREMES.keys() | {"different", "distinct", "there", "of", "in", "number"}
        begins = {item.start: number for number, item in enumerate(self.mentions)}
        while (
            start < len(self.words)
            and start not in begins
            and (self.plain[start] in skipped or start in self.form.used or self.plain[start] in FUNCTION_WORDS)
        ):
            start += 1
        if start not in begins:
            if start + 1 not in begins or any(item.start == start for item in self.key_mentions):
                return []
            named = self.mentions[begins[start + 1]].meanings[0].owner
            part = any(same_root(self.plain[start], own) for own in name_words(named))
            if self.plain[start] in PREPOSITIONS:
                return []
            if not part and max(self.fits.label(self.plain[start]).values(), default=0) > 0.25:
                return []
            start += 1
        run = [begins[start]]
        while self.mentions[run[-1]].end in begins:
            run.append(begins[self.mentions[run[-1]].end])
        return run

    def _keys(self, at: int, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """Properties that may be asked for: those named where the answer is."""
        limit = self.mentions[run[-1]].end if run else at
        near = [
            item for item in self.key_mentions
            if at <= item.start <= limit + (1 if run else 3)
            and (self.plain[item.start] not in MEASURES or self._is_measured(item.start))
        ]  # fmt: skip
        found: list[tuple[int, Meaning]] = []
        for item in near[:3]:
            between = self.plain[limit : item.start] if run else self.plain[at : item.start]
            if run and (item.start > limit or is_past(self.plain[item.start])):
                continue
            if any(0 <= bound.start - item.end <= 1 for bound in self.form.comparisons):
                continue
            if not run and any(word not in FUNCTION_WORDS and index + at not in self.form.used
                               for index, word in enumerate(between)):  # fmt: skip
                break
            said = {meaning.key for number in run for meaning in self.mentions[number].meanings[:1]}
            asked = [meaning for meaning in item.meanings if self._may_ask(item, meaning)]
            found += [(-1, meaning) for meaning in asked if meaning.key not in said]
            if len(run) and item.start == limit:
                label = {meaning.owner for number in run for meaning in self.mentions[number].meanings}
                found = [(number, replace(m, score=m.score + 0.4)) if m.owner in label else (number, m)
                         for number, m in found]  # fmt: skip
        return found

    def _is_measured(self, index: int) -> bool:
        """Whether a word for a measure is a noun: "the size of"."""
        return self.plain[index - 1 : index] != [] and self.plain[index - 1] in ARTICLES and (
            self.plain[index + 1 : index + 2] == [] or self.plain[index + 1] in PREPOSITIONS
        )  # fmt: skip

    def _may_ask(self, item: Mention, meaning: Meaning) -> bool:
        """Whether a word that is like a property's name can ask for it: by its very name, unless it is a noun for a
        kind of things, or is counted."""
        counted = (
            self.form.kind == "count"
            and meaning.key is not None
            and (meaning.key.kind not in MEASURED or not _is_amount(meaning.key))
        )
        if self.form.comparisons and meaning.score < WEAK and meaning.key is not None and meaning.key.kind in MEASURED:
            return False  # what is like it is compared
        there = self._mention_at(item.start)
        if there >= 0 and self.mentions[there].end - self.mentions[there].start > 1:
            return False  # a part of a longer name: "power plants"
        return meaning.score >= NAMED or not (counted or self._is_label(item.start))

    def _measures(self, word: str, asked: str) -> list[tuple[int, Meaning]]:
        found = []
        for key, score in self.fits.key(word).items():
            if asked == "when" and key.kind not in ("date", "time"):
                continue
            if asked == "how" and key.kind not in MEASURED:
                continue
            base = 0.6 if asked == "when" and key.kind == "date" else 0.3
            found.append((-1, Meaning("key", key.owner, base + 0.5 * score, key)))
        return sorted(found, key=lambda pair: -pair[1].score)[:ROOTS]

    def _places(self) -> list[tuple[int, Meaning]]:
        shares = [(label, float(kinds[PLACE])) for label, kinds in self.fits.kinds.items()]
        return [(-1, Meaning("label", label, 0.8 * share)) for label, share in shares if share > 0.3]

    def _head(self, free: Sequence[int]) -> int:
        """The noun for what is asked for, where the question begins with it; -1 for none."""
        if self.form.word in ("who", "whom", "when", "where", "how", ""):
            return -1
        for index in range(self.form.at, min(self.form.at + 6, len(self.words))):
            if index in free and self.plain[index] not in FUNCTION_WORDS and not self.plain[index].isdigit():
                return -1 if self.plain[index].endswith(("ing", "ed")) else index
            if index not in free and index not in self.form.used:
                return -1
        return -1

    def _amounts(self, run: Sequence[int]) -> list[tuple[int, Meaning]]:
        """Numbers that a noun may be the measure of: "how many people live in"."""
        for index in range(self.form.at, min(self.form.at + 3, len(self.words))):
            word = self.plain[index]
            if word in FUNCTION_WORDS and word not in PEOPLE:
                continue
            least = max([0.3, *(meaning.score for number in run[:1] for meaning in self.mentions[number].meanings)])
            return [
                (run[0] if run else -1, Meaning("key", key.owner, 0.3 + 0.5 * score, key))
                for key, score in self.fits.key(word).items()
                if key.kind == "number" and score > least and _is_amount(key)
            ]
        return []

    def _mention_at(self, index: int) -> int:
        """The mention that a word belongs to, or -1."""
        return next((number for number, item in enumerate(self.mentions) if item.start <= index < item.end), -1)

    def _relation_nouns(self, at: int) -> list[tuple[int, Meaning]]:
        """Labels that a relationship's noun names: the "capital" of a state."""
        found: list[tuple[int, Meaning]] = []
        for index in range(at, min(at + 4, len(self.words))):
            word = self.plain[index]
            if word in FUNCTION_WORDS or index in self.form.used:
                continue
            if self.fits.does(word):
                break
            for number, relation in enumerate(self.fits.relations):
                if self.fits.named(word, number):
                    name = name_words(self.fits.vocabulary.readable(relation))
                    of_subject = name[-1] in PREPOSITIONS or (is_deed(word) and is_past(name[0]))
                    for link in self.fits.vocabulary.links:
                        if link.relation == relation:
                            end = link.subject if of_subject else link.object
                            found.append((self._mention_at(index), Meaning("label", end, 0.7)))
            break
        return found

    # From a tree to a query graph --------------------------------------------------------------------------------

    def _interpretation(self, tree: Tree) -> Interpretation:
        tree = self._with_truth(tree)
        variables = tuple(
            Variable(f"x{number}", (thing.label,) if thing.label and not thing.loose else ())
            for number, thing in enumerate(tree.things)
        )
        edges, conditions = [], []
        for number, join in enumerate(tree.joins):
            subject, target = (join.source, join.target) if join.forward else (join.target, join.source)
            edges.append(Edge(f"x{subject}", (join.relation,), f"x{target}", f"r{number}", join.directed, join.absent))
            conditions += [_equal(f"r{number}", key, values) for key, values in join.values]
        for number, thing in enumerate(tree.things):
            conditions += [_equal(f"x{number}", key, values) for key, values in thing.values]
        conditions += self._truths(tree)
        selections, unread = [], 0
        for extreme in self.form.extremes:
            selection = self._selection(extreme, tree)
            if selection is not None:
                selections.append(selection)
            else:
                unread += 1
        for comparison in self.form.comparisons:
            condition = self._compared(comparison, tree)
            if condition is not None:
                conditions.append(condition)
            else:
                unread += 1
        answer = self._answer(tree)
        if self.compared:
            other = self._other(tree)
            if other is None:
                unread += 1
            else:
                variables = (*variables, other[0])
                conditions += other[1]
                answer = other[2] or answer
        graph = QueryGraph(variables, answer, tuple(edges), tuple(conditions), tuple(selections))
        ignored = tuple(
            self.text[self.words[self.mentions[number].start].start : self.words[self.mentions[number].end - 1].end]
            for number in tree.ignored
        )
        silent = self._silent(tree, {value.key for value in graph.values()})
        telling = [word for word in self.plain if word not in FUNCTION_WORDS]
        share = sum(1.0 - like for _, like in silent) / max(len(telling), 1)
        unsaid = tuple(self.words[index].text for index, like in silent if like < LIKE_ANY)
        score = tree.score - 0.5 * unread - 0.12 * len(silent)
        bare = not any(item.meanings[0].kind == "value" for item in self.mentions) and self._is_plain
        loose = tree.unsaid + unread
        return Interpretation(
            graph,
            score,
            ignored,
            share,
            unsaid,
            tree.named,
            loose,
            plain_chain=self._is_plain_chain,
            bare=bare,
            kind=self._is_sure(tree),
            bracketed=self._bracketed(tree),
            vacuous=self._is_vacuous(tree, graph),
            mentions=self._values,
            names=self.fits.vocabulary.names,
        )

    def _with_truth(self, tree: Tree) -> Tree:
        """A tree that asks for those of which a property is true, where it asked for a property of several that is
        true or false: "which tools are discontinued"."""
        asked = tree.asked
        one = any(key.unique for key, _ in tree.things[0].values)
        if asked is None or asked.kind != "truth" or asked.of_edge or one or self.form.kind == "exists":
            return tree
        word = next((item.start for item in self.key_mentions if any(m.key == asked for m in item.meanings)), -1)
        thing = tree.things[0]
        known = (*thing.values, (asked, (self._is_true(word, asked),)))
        things = (replace(thing, values=known), *tree.things[1:])
        return replace(tree, things=things, asked=None, used=tree.used | {word})

    def _is_true(self, word: int, key: Key) -> bool:
        """Whether a word that names a property that is true or false says that it is true."""
        denied = any(denies(self.plain[word], part) for part in name_words(key.key)[-1:])
        return denied == any(other in NEGATIONS for other in self.plain[max(word - 3, 0) : word])

    def _silent(self, tree: Tree, keys: set[str]) -> list[tuple[int, float]]:
        """The telling words that a tree and the properties that it speaks of leave out, with how much they are like
        what it speaks of."""
        said = tree.used | self.form.used | {
            item.start
            for item in self.key_mentions
            if any(meaning.key and meaning.key.key in keys for meaning in item.meanings)
        }  # fmt: skip
        silent = [index for index, word in enumerate(self.plain) if index not in said and word not in FUNCTION_WORDS]
        labels = {thing.label for thing in tree.things}
        owners = labels | {join.relation for join in tree.joins}
        known = self.fits.relations  # of plain triples, chains also walk relations that are properties here
        relations = [known.index(join.relation) for join in tree.joins if join.relation in known]
        found = []
        for index in silent:
            word = self.plain[index]
            likes = [fit for label, fit in self.fits.label(word).items() if label in labels]
            likes += [fit for key, fit in self.fits.key(word).items() if key.key in keys and key.owner in owners]
            likes += [float(self.fits.similarity(word)[number]) for number in relations]
            found.append((index, max(likes, default=0.0)))
        return found

    @cached_property
    def _values(self) -> tuple[Mention, ...]:
        return tuple(item for item in self.mentions if item.meanings[0].kind == "value")

    def _bracketed(self, tree: Tree) -> str:
        """The question with the names that a tree reads in it, as the graph has them, in brackets in place of its own
        and of the noun for what they name: "rivers in the state of Texas". The question itself where one is no name."""
        text = self.text
        places = dict(tree.places)
        for number in reversed(range(len(self.mentions))):
            item = self.mentions[number]
            if item.meanings[0].kind != "value":
                continue
            known = tree.things[places[number]].values if number in places else ()
            key, values = next((pair for pair in known if any(m.values == pair[1] for m in item.meanings)), (None, ()))
            names = self.fits.vocabulary.display.get(key.owner) if key else None
            if key is None or names != (key.key,) or len(values) != 1:
                return self.text
            first = self._noun_of(number, places)
            text = f"{text[: self.words[first].start]}[{values[0]}]{text[self.words[item.end - 1].end :]}"
        return text

    def _noun_of(self, number: int, places: Mapping[int, int]) -> int:
        """Where a name begins, with the noun for what it names and the article before that: "the state of Texas"."""
        start = self.mentions[number].start
        if not number or places.get(number - 1) != places[number]:
            return start
        noun = self.mentions[number - 1]
        if noun.meanings[0].kind == "value" or not set(self.plain[noun.end : start]) <= {"of"}:
            return start
        return noun.start - (noun.start > 0 and self.plain[noun.start - 1] in ARTICLES)

    def _is_vacuous(self, tree: Tree, graph: QueryGraph) -> bool:
        asked = graph.answer.value if isinstance(graph.answer, Aggregate) else graph.answer
        plain = asked == Value("x0") and self.form.kind != "exists" and not graph.selections
        shown = self.fits.vocabulary.display.get(tree.things[0].label, ())
        return plain and any(key.unique and key.key in shown for key, _ in tree.things[0].values)

    def _is_sure(self, tree: Tree) -> bool:
        """Whether a word surely names the kind of what is asked for."""
        there = [self.mentions[number] for number, place in tree.places if number >= 0 and place == 0]
        return any(
            meaning.kind == "label" and meaning.owner == tree.things[0].label and meaning.score >= SURE
            for item in there
            for meaning in item.meanings
        )

    @cached_property
    def _is_plain(self) -> bool:
        form = self.form
        return form.kind == "things" and not (form.extremes or form.comparisons or form.negations or self.compared)

    def _answer(self, tree: Tree) -> Value | Aggregate | Arithmetic:
        """What of a tree is asked for."""
        root, asked, kind = Value("x0"), tree.asked, self.form.kind
        grouped = self._per(tree)
        if kind == "count" and grouped is not None:
            return Aggregate("count", root, grouped)
        if kind == "exists" or (kind == "count" and asked is None):
            return Aggregate("exists" if kind == "exists" else "count", root)
        if asked is None and kind == "sum":
            return self._whole_amount(tree.things[0].label)
        if asked is None:
            return root
        if kind == "count" and asked.kind not in MEASURED and not asked.of_edge:
            return Aggregate("count", Value("x0", asked.key))
        owner = "x0"
        if asked.of_edge:  # of the relationship that is asked for, or that a chain ends with
            owner = f"r{tree.asked_join if tree.asked_join >= 0 else len(tree.joins) - 1}"
        if kind == "average":
            return Aggregate("average", Value(owner, asked.key, asked.form))
        if kind == "sum" or (kind == "count" and "total" in self.plain[: self.form.at]):
            return Aggregate("sum", Value(owner, asked.key, asked.form))
        return Value(owner, asked.key)

    def _whole_amount(self, label: str) -> Value | Aggregate:
        """The sum of the number that is most like a total: what invoices add up to. What is counted has none."""
        fits = self.fits.key("total")
        numbers = [key for key in self.fits.vocabulary.keys_of(label) if key.kind == "number" and not key.unique]
        best = max(numbers, key=lambda key: fits[key], default=None)
        return Aggregate("sum", Value("x0", best.key, best.form)) if best and fits[best] > LIKE_ANY else Value("x0")

    @cached_property
    def _is_plain_chain(self) -> bool:
        form = self.form
        named = [number for number, item in enumerate(self.mentions) if item.meanings[0].kind == "value"]
        if form.extremes or form.comparisons or form.negations or not named or form.per >= 0 or self.compared:
            return False
        if self._says_truth:
            return False
        if form.kind not in ("things", "exists") and (form.kind != "count" or len(named) < 2):
            return False
        beside = any(self.mentions[one].end == self.mentions[other].start for one, other in pairwise(named))
        return not beside and all(self._names_a_node(number) for number in named)

    @cached_property
    def _says_truth(self) -> bool:
        """Whether a word names a property that is true or false."""
        return any(
            meaning.key is not None and meaning.key.kind == "truth" and meaning.score >= NAMED
            for item in self.key_mentions
            for meaning in item.meanings
        )

    def _names_a_node(self, number: int) -> bool:
        """Whether a mention is the name of one node, and not a value that several have."""
        best = self.mentions[number].meanings[0]
        shown = self.fits.vocabulary.display.get(best.owner, ())
        return best.key is not None and best.key.key in shown and best.times <= 1 and len(best.values) == 1

    def _truths(self, tree: Tree) -> list[Condition]:
        """Properties that are true or false and that the question names: "products that are discontinued"."""
        found: dict[tuple[str, str], Condition] = {}
        for item in self.key_mentions:
            if item.start in tree.used or item.start in self.form.used:
                continue
            for meaning in item.meanings:
                key = meaning.key
                if key is None or key.kind != "truth" or key.of_edge or meaning.score < 0.55 or tree.asked == key:
                    continue
                owner = next((number for number, thing in enumerate(tree.things) if thing.label == key.owner), None)
                if owner is not None:
                    true = self._is_true(item.start, key)
                    found[f"x{owner}", key.key] = Condition(Value(f"x{owner}", key.key), "=", (true,))
                    break
        return list(found.values())

    def _per(self, tree: Tree) -> Value | None:
        """What a number is asked for each of: "how many orders per country"."""
        at = self.form.per
        if at < 0:
            return None
        for number, place in tree.places:
            if number >= 0 and self.mentions[number].start == at and place:
                return Value(f"x{place}")
        for item in self.key_mentions:
            for meaning in item.meanings if item.start == at else ():
                for number, thing in enumerate(tree.things):
                    if meaning.key and thing.label == meaning.owner:
                        return Value(f"x{number}", meaning.key.key)
        return None

    def _selection(self, extreme: Extreme, tree: Tree) -> Selection | None:
        word = self.plain[extreme.at]
        following = self.plain[extreme.at + 1] if extreme.at + 1 < len(self.plain) else ""
        counted = self._counted(extreme, tree)
        if counted is not None:
            return counted
        named = [
            item for item in self.key_mentions
            if extreme.at < item.start <= extreme.at + 4 and self._only_function(extreme.at + 1, item.start)
            and not self._is_label(item.start)
        ]  # fmt: skip
        best: tuple[float, int, Key] | None = None
        for number, thing in enumerate(tree.things):
            for key in self.fits.vocabulary.keys_of(thing.label):
                if key.kind not in MEASURED:
                    continue
                score = self._measure(word, following, key, named) + self._whole(extreme, key)
                score += self._modifies(extreme, tree, number, bool(named)) + (0.05 if key.kind == "date" else 0.0)
                if best is None or score > best[0]:
                    best = (score, number, key)
        if best is None:
            return None
        for number, join in enumerate(tree.joins):
            for key in self.fits.vocabulary.keys_of(join.relation):
                if key.kind in MEASURED:
                    score = self._measure(word, following, key, named) + (0.5 if named else 0.1)
                    if score > best[0]:
                        best = (score, -1 - number, key)
        _, number, key = best
        descending = extreme.descending
        if _is_age(word, key):
            descending = not descending
        owner = f"x{number}" if number >= 0 else f"r{-1 - number}"
        variable = f"x{max(number, 0)}"
        return Selection(variable, Value(owner, key.key, key.form), descending, extreme.limit, extreme.offset)

    def _measure(self, word: str, following: str, key: Key, named: Sequence[Mention]) -> float:
        if named:
            return max(
                (meaning.score for item in named for meaning in item.meanings if meaning.key == key), default=0.0
            )
        if word in ("most", "least", "more", "less") and following:
            return self.fits.key(following)[key]
        score = self.fits.key(word)[key]
        timely = MEASURES.get(word, ())[:1] == ("date",)
        if timely:
            score = max(score, 0.5) if key.kind == "date" else score * (0.9 if key.kind == "number" else 0.5)
        return score

    def _whole(self, extreme: Extreme, key: Key) -> float:
        """What it is worth that all words of a property's name stand at a superlative, or behind it."""
        within = range(extreme.at, extreme.at + 5)
        return max((0.3 * (end - start) for start, end, other in self.whole_keys
                    if other == key and start in within), default=0.0)  # fmt: skip

    def _modifies(self, extreme: Extreme, tree: Tree, number: int, named: bool) -> float:
        """Which thing a superlative is said of: the noun behind it, or, where a measure is, the one before it."""
        thing = tree.things[number]
        if any(key.unique for key, _ in thing.values):
            return -1.0
        if thing.named < 0:
            return 0.15
        mention = self.mentions[thing.named]
        if named:
            return 0.8 if mention.end <= extreme.at and extreme.at - mention.end <= 4 else 0.1
        if mention.start > extreme.at:
            return (2.0 if mention.start <= extreme.at + 2 else 0.8) - 0.1 * min(mention.start - extreme.at, 6)
        return 0.3 if extreme.at - mention.end <= 2 else 0.1

    def _is_label(self, index: int) -> bool:
        """Whether a word surely names a label."""
        there = self._mention_at(index)
        return (
            there >= 0
            and self.mentions[there].meanings[0].kind == "label"
            and (self.mentions[there].meanings[0].score >= 0.9)
        )

    def _only_function(self, start: int, end: int) -> bool:
        return all(self.plain[index] in FUNCTION_WORDS for index in range(start, end))

    def _counted(self, extreme: Extreme, tree: Tree) -> Selection | None:
        """ "the most films": the thing that is counted hangs on the one that is chosen."""
        word = self.plain[extreme.at]
        at = extreme.at + 1
        if word not in ("most", "fewest", "least"):
            if self.plain[at : at + 2] not in (["number", "of"], ["amount", "of"], ["count", "of"]):
                return None
            at += 2
        for number, place in tree.places:
            if number >= 0 and place and self.mentions[number].start == at:
                parent = next((join.source for join in tree.joins if join.target == place), 0)
                by = Aggregate("count", Value(f"x{place}"))
                return Selection(f"x{parent}", by, extreme.descending, extreme.limit, extreme.offset)
        return None

    def _compared(self, item: Comparison, tree: Tree) -> Condition | None:
        counted = self._counted_by(item, tree)
        if counted is not None:
            return counted
        options = list(self._comparable(item, tree))
        if not options:
            return None
        best = max(options, key=lambda option: option[0])
        _, number, key = best
        owner = f"x{number}" if number >= 0 else f"r{-1 - number}"
        if key.kind == "date" and key.form:
            right: tuple[Scalar, ...] = item.values
        else:
            right = tuple(_number(value) for value in item.values)
        operator = item.operator
        if _is_age(self.plain[item.start], key):
            operator = {"<": ">", ">": "<"}.get(operator, operator)  # type: ignore[assignment]
        return Condition(Value(owner, key.key, key.form), operator, right)

    def _other(self, tree: Tree) -> tuple[Variable, list[Condition], Arithmetic | None] | None:
        """What something is compared with: its variable, what is known of it and the comparison, or the difference
        where that is asked for; None where they have nothing to compare."""
        assert self.form.versus is not None
        at, than = self.form.versus
        words = [word for word in self.plain[max(at - 3, 0) : than] if word not in FUNCTION_WORDS or word in MEASURES]
        best: tuple[float, int, Key] | None = None
        for number, thing in enumerate(tree.things):
            if all(meaning.owner != thing.label for meaning in self.compared[0].meanings):
                continue
            for key in self.fits.vocabulary.keys_of(thing.label):
                score = max((self.fits.key(word)[key] for word in words), default=0.0) + 0.5 * (tree.asked == key)
                if key.kind in MEASURED and (best is None or score - 0.1 * number > best[0]):
                    best = (score - 0.1 * number, number, key)
        if best is None:
            return None
        _, number, key = best
        other = f"x{len(tree.things)}"
        label = tree.things[number].label
        known = [
            _equal(other, meaning.key, meaning.values)
            for item in self.compared
            for meaning in [next((one for one in item.meanings if one.owner == label), None)]
            if meaning and meaning.key
        ]
        left, right = Value(f"x{number}", key.key, key.form), Value(other, key.key, key.form)
        if self.form.kind == "count" or self.plain[at].startswith("differ"):
            return Variable(other, (label,)), known, Arithmetic("-", left, right)
        more = COMPARATIVES[self.plain[at]] != _is_age(self.plain[at], key)
        return Variable(other, (label,)), [*known, Condition(left, ">" if more else "<", right)], None

    def _comparable(self, item: Comparison, tree: Tree) -> Iterator[tuple[float, int, Key]]:
        """Numbers and dates of things, and of joins (-1 for the first), with how well a comparison fits each."""
        year = all(len(value) == 4 for value in item.values)
        for number, thing in enumerate(tree.things):
            near = 0.0
            if thing.named >= 0 and self.mentions[thing.named].start <= item.start:
                near = 0.2 - 0.02 * min(item.start - self.mentions[thing.named].end, 8)
            for key in self.fits.vocabulary.keys_of(thing.label):
                if key.kind in ("number", "date"):
                    yield self._compares(item, key, year=year) + near, number, key
        for number, join in enumerate(tree.joins):
            for key in self.fits.vocabulary.keys_of(join.relation):
                if key.kind in ("number", "date"):
                    yield self._compares(item, key, year=year) + 0.15, -1 - number, key

    def _compares(self, item: Comparison, key: Key, *, year: bool) -> float:
        near = [*range(max(item.start - 5, 0), item.start), *range(item.end, min(item.end + 3, len(self.plain)))]
        words = [self.plain[index] for index in near if self.plain[index] not in FUNCTION_WORDS]
        words += [self.plain[item.start]] if self.plain[item.start] in MEASURES else []
        score = max((self.fits.key(word)[key] for word in words), default=0.0)
        timely = year and self.plain[item.start] in TIMELY
        if timely:
            score += 0.6 if key.kind == "date" or "year" in name_words(key.key) else -0.3
        return score

    def _counted_by(self, item: Comparison, tree: Tree) -> Condition | None:
        """ "more than 3 films": a test of how many things hang on another."""
        for number, place in tree.places:
            if number < 0 or not place or self.mentions[number].start != item.end:
                continue
            if any(meaning.kind == "label" for meaning in self.mentions[number].meanings):
                parent = next((join.source for join in tree.joins if join.target == place), 0)
                values = tuple(_number(value) for value in item.values)
                return Condition(Aggregate("count", Value(f"x{place}"), Value(f"x{parent}")), item.operator, values)
        return None


def _is_amount(key: Key) -> bool:
    """Whether the values of a number can be how many there are: whole ones, none below zero."""
    return all(text.removesuffix(".0").isdigit() for text in key.examples)


def _stand(words: Sequence[str], name: Sequence[str]) -> bool:
    """Whether words are those of a name, but for their endings."""
    return len(words) == len(name) and all(map(same_root, words, name))


def _stands_at(item: Mention, words: Sequence[Word], span: Span) -> bool:
    return words[item.start].start < span[1] and span[0] < words[item.end - 1].end


def _is_age(word: str, key: Key) -> bool:
    """Whether a word that speaks of dates of birth is used of an age."""
    return word in AGE and key.kind == "number" and "age" in name_words(key.key)


def _behind(versus: tuple[int, int] | None, mentions: Sequence[Mention]) -> list[Mention]:
    """The values that name what something is compared with: the first behind "than", and those beside it."""
    found: list[Mention] = []
    for item in mentions:
        if versus is None or item.start < versus[1] or item.meanings[0].kind != "value":
            continue
        if (not found and item.start - versus[1] <= REACH) or (found and found[-1].end == item.start):
            found.append(item)
    return found


def _join(source: int, hop: Hop, target: int, *, both: bool) -> Join:
    """A hop of a chain, as a tree is joined: the other way round, without a direction where it holds both ways."""
    return Join(source, hop.relation, both or not hop.forward, target, not both)


def _equal(name: str, key: Key, values: tuple[Scalar, ...]) -> Condition:
    form: ValueForm
    form = "list" if key.listed else "date" if key.form == "date" else ""
    return Condition(Value(name, key.key, form), "=", values)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
