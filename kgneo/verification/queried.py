"""Queried: a claim held against the graph as a query graph, read as questions are.

Comes in: a sentence that claims one thing. Goes out: the verdict on it, or None where the sentence as a whole is not
read. A claim is a question with its answer: what it claims is left open, and compared with what the graph has there.
In this order: a name that the graph does not have; a number that is counted; what stands first or last; and all else,
where the sentence itself is a query graph, which holds where it finds anything. Where it finds nothing, each of its
conditions is left out in turn: what the graph has in its place refutes the claim.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from rapidfuzz.distance import OSA

from kgneo.context import Context
from kgneo.english.names import name_words
from kgneo.english.numbers import MULTIPLES, UNIT_SIZES, is_of_time, multiple_of
from kgneo.english.words import (
    AUXILIARIES,
    COMPARATIVES,
    COPULAS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVES,
    UNITS,
)
from kgneo.errors import EntityNotFound, GraphTimeout
from kgneo.graph.run import Result, evidence_of
from kgneo.graph.vocabulary import kind_of_texts
from kgneo.model import Hop
from kgneo.query.graph import Aggregate, Condition, Edge, Operator, QueryGraph, Value
from kgneo.query.wording import wording
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import Meaning, Mention, has_root, words_of
from kgneo.reading.read import Interpretation
from kgneo.stages.interpret import LONGEST, interpret, reading, run_query
from kgneo.stages.unused import hear
from kgneo.text import fold
from kgneo.verification.all_said import LIKELY, as_number, is_in_unit, names_what_is_there, numbers_of, says_all
from kgneo.verification.cut import cuts, is_verb, subject_of
from kgneo.verification.named import same_value
from kgneo.verification.steps import Steps
from kgneo.verification.unplaced import unplaced
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED, CheckedPart, Verdict, contrary

CLOSE = 0.4
"""Points of score by which a reading may be behind the best one and still be what is said."""
NEEDLESS = 1.0
"""Points of score that it costs to speak of a thing that the claim does not need."""
SURELY = 0.9
"""How surely the kind of what is asked for is named, from which on the claim speaks of it."""
READ, WEAK, LEAST = 0.93, 0.08, 0.5
"""How often a verdict is right where all is said, what each way costs that no word speaks of, and the least of it."""
UNKNOWN = 0.85
"""How often a claim with a name that the graph does not have is open."""
MISSPELT = 2
"""Letters by which a name is another spelling of a value."""
SHOWN = 5
"""Other values that an explanation names."""
NEGATING = frozenset(("not", "never", "no", "none", "cannot", "nobody", "nothing"))
"""Words that deny the sentence that they stand in."""
SHORT = frozenset(("isn", "aren", "doesn", "don", "didn", "wasn", "weren", "hasn", "haven", "hadn", "won", "couldn"))
"""What stands before "'t"."""
SOME = frozenset(("some", "somebody", "someone", "something", "a", "an", "at"))
"""Words for some things, "at least one", of which others may be what these are not."""
POSITIVE = {"no": "", "not": "", "never": "", "cannot": "can", "nobody": "somebody", "nothing": "something", "none": ""}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the answers of a query graph are compared with."""

    operator: Operator
    values: tuple[str, ...]

    def holds(self, answers: Sequence[str]) -> bool:
        """Whether one of the answers is what is wanted."""
        return any(self._fits(answer) for answer in answers)

    def _fits(self, answer: str) -> bool:
        if self.operator == "=":
            return any(same_value(value, answer) or _rounded(value, answer) for value in self.values)
        found, bounds = as_number(answer), [as_number(value) for value in self.values]
        if found is None or None in bounds:
            return False
        numbers = [bound for bound in bounds if bound is not None]
        return bool(_COMPARED[self.operator](found, numbers))


_COMPARED = {
    "<": lambda found, bounds: found < bounds[0],
    "<=": lambda found, bounds: found <= bounds[0],
    ">": lambda found, bounds: found > bounds[0],
    ">=": lambda found, bounds: found >= bounds[0],
    "<>": lambda found, bounds: found != bounds[0],
    "between": lambda found, bounds: bounds[0] <= found <= bounds[-1],
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A query graph that asks for what a claim says, its words, what is `wanted` of its answers (None: that there are
    any), and how sure it is."""

    graph: QueryGraph
    wording: str
    confidence: float
    wanted: Wanted | None = None


def checked_as_query(context: Context, text: str, names: Sequence[str] = ()) -> tuple[CheckedPart, ...]:
    """The verdicts on what a sentence claims, which together are the verdict on it; none where it is not read. `names`
    in it are known to be ones that the graph has. A sentence that can be cut into two that are read says these two."""
    return _Sentences(context).checked(text, tuple(names))


@dataclass
class _Sentences:
    """The sentences that one claim may be cut into. Many cuts have pieces in common: each is checked once."""

    context: Context
    known: dict[tuple[str, tuple[str, ...]], tuple[CheckedPart, ...]] = field(default_factory=dict)

    def checked(self, text: str, names: tuple[str, ...]) -> tuple[CheckedPart, ...]:
        if (text, names) not in self.known:
            self.known[text, names] = self._checked(text, names)
        return self.known[text, names]

    def _checked(self, text: str, names: tuple[str, ...]) -> tuple[CheckedPart, ...]:
        heard = hear(self.context, text)
        if heard is None:
            return ()
        names = (*names, *_named_as_a_word(self.context, heard))
        for first, second in cuts(heard):
            if (one := self.checked(first, names)) and (other := self.checked(second, names)):
                return (*one, *other)
        whole = _checked(self.context, heard, names)
        return (whole,) if whole else ()


def _named_as_a_word(context: Context, heard: Heard) -> list[str]:
    """The subject of a sentence, where it is the whole name of something and is heard as a word of the schema."""
    known, subject = reading(context), subject_of(heard)
    if known is None or not subject or any(item.start == 0 for item in heard.values):
        return []
    shown = heard.fits.vocabulary.display
    found = known.dictionary.lookup([fold(subject)]).get(fold(subject), [])
    return [subject] if any(item.key in shown.get(item.owner, ()) for item in found) else []


def _checked(context: Context, heard: Heard, names: Sequence[str]) -> CheckedPart | None:
    plain = _affirmed(heard)
    if plain is None:
        return _Claim(context, heard, names).checked()
    other = hear(context, plain)
    part = _Claim(context, other, names).checked() if other else None
    return part and replace(contrary(part), text=heard.text)


def _affirmed(heard: Heard) -> str | None:
    """The sentence without the one word that denies it; None where none does, or several."""
    at = [index for index in heard.form.negations if heard.plain[index] in NEGATING | SHORT]
    if len(at) != 1 or (heard.plain[0] in SOME and at[0] > 0):
        return None
    word = heard.words[at[0]]
    end = word.end + 2 if word.plain in SHORT else word.end
    if word.plain == "not" and heard.plain[at[0] + 1 : at[0] + 2] == ["one"]:
        return f"{heard.text[: word.start]}a{heard.text[heard.words[at[0] + 1].end :]}"
    put = word.text[:-1] if word.plain in SHORT else POSITIVE.get(word.plain, "")
    behind = heard.text[end:]
    if word.plain == "none":
        behind = re.sub(r"^\s+of\b", "", behind)
    plain = re.sub(r"\ba single\b", "a", f"{heard.text[: word.start]}{put}{behind}")
    return " ".join(plain.split())


class _Claim:
    """A sentence that claims something, of which `heard` is known; `given` are names in it that the graph has."""

    def __init__(self, context: Context, heard: Heard, names: Sequence[str] = ()) -> None:
        self.context = context
        self.text = heard.text
        self.heard = heard
        self.given = [name for name in names if name in heard.text]

    def checked(self) -> CheckedPart | None:
        """The verdict; None where the sentence is not read."""
        missing = []
        for start, end in sorted(self._missing(), reverse=True):
            known = self._in_part(self.text[start:end])
            if known:
                self.text = f"{self.text[:start]}{known}{self.text[end:]}"
                self.given.append(known)
            else:
                missing.append(self.text[start:end])
        if self.given:
            self.heard = hear(self.context, self.text) or self.heard
        if missing:
            return self._without(missing)
        found = self._counted() or self._first() or self._more()
        if found is not None:
            return found
        whole = self._whole()
        return whole if whole and whole.verdict == SUPPORTED else self._valued() or whole

    # Names that the graph does not have --------------------------------------------------------------------------

    def _missing(self) -> list[tuple[int, int]]:
        """Where names stand that the graph does not have."""
        words = self.heard.words
        places = [(words[item.start].start, words[item.end - 1].end, number)
                  for number, item in enumerate(self.heard.values)]  # fmt: skip
        spelt = [item for item in self.heard.values if _is_misspelt(self.heard.words_of(item), item.meanings)]
        form = [(words[index].start, words[index].end, -1) for index in sorted(self.heard.form.used)]
        given = [(at, at + len(name), -1) for name in self.given if (at := self.text.find(name)) >= 0]
        found = unplaced(self.text, [*places, *form, *given], self._is_said)
        spans = [(words[item.start].start, words[item.end - 1].end) for item in spelt]
        found += [span for span in spans if all(span[1] <= first or last <= span[0] for first, last in found)]
        for name in (*self.heard.unknown, *self.heard.alike_names):
            start = self.text.find(name)
            if (
                start >= 0
                and as_number(name) is None
                and all(start + len(name) <= first or last <= start for first, last in found)
            ):
                found.append((start, start + len(name)))
        return found

    def _is_said(self, word: str) -> bool:
        return word in RELATIVES | QUESTION_WORDS or word.endswith("ever") or has_root(word, self.heard.fits)

    def _in_part(self, name: str) -> str:
        """The one value that has a name among its words, as the graph has it; empty where there is none, or several."""
        known = reading(self.context)
        own = _words(name)
        if known is None or not own:
            return ""
        shown = self.heard.fits.vocabulary.display
        held = {item.text for item in known.dictionary.similar(name)
                if _is_part(own, item.text, of_name=item.key in shown.get(item.owner, ()))}  # fmt: skip
        return held.pop() if len(held) == 1 else ""

    def _without(self, missing: Sequence[str]) -> CheckedPart:
        """The claim with names that the graph does not have: refuted where the one thing that it has in the place of
        a single one is another, open otherwise."""
        names = tuple(name.strip("\"“”'") for name in missing)
        told = f"The graph has no entity named {' or '.join(map(repr, names))}."
        start = self.text.find(missing[0])
        compares = self.heard.form.comparisons or {"than", "before", "after"} & {*self.heard.plain}
        alone = len(missing) == 1 and not compares
        asked = self._asked_without((start, start + len(missing[0]))) if alone else None
        if asked is not None and self._leads_to_one(asked.graph):
            result = self._run(asked.graph)
            if result is not None and _is_one_for(names[0], result):
                told = f"{told} In its place it has {result.answers[0]}."
                return replace(self._part(REFUTED, asked, result, told), unknown=names)
        return CheckedPart(self.text, OPEN, UNKNOWN, told, unknown=names)

    def _asked_without(self, span: tuple[int, int]) -> Asked | None:
        """What the sentence asks for without what stands at `span`."""
        for item in self._readings(_left_out(self.text, span)):
            graph = item.graph
            if not span[0] and item.named < SURELY:  # the subject of the sentence, of what kind is not said
                continue
            if isinstance(graph.answer, Value) and not self._is_named(graph):
                return self._of(item, graph)
            if isinstance(graph.answer, Value) and (other := self._at_the_end(graph)):
                return self._of(item, replace(graph, answer=Value(other)))
        return None

    def _is_named(self, graph: QueryGraph) -> bool:
        """Whether what a query graph asks for is what it names itself."""
        asked = graph.answer
        assert isinstance(asked, Value)
        return any(
            item.operator == "=" and (not asked.key or item.left == asked) for item in graph.conditions_of(asked.of)
        )

    def _at_the_end(self, graph: QueryGraph) -> str:
        """The one thing of which a query graph says only that it is there; empty where there is none."""
        ends = [item.name for item in graph.variables
                if len(graph.edges_of(item.name)) == 1 and not graph.conditions_of(item.name)]  # fmt: skip
        return ends[0] if len(ends) == 1 else ""

    def _leads_to_one(self, graph: QueryGraph) -> bool:
        """Whether there is one answer to what a query graph asks for by what it means: of one thing, a property, or
        what relationships to one thing lead to."""
        steps = Steps.of(self.context)
        if graph.selections or any(condition.operator != "=" for condition in graph.conditions):
            return False
        near, left = {graph.root}, list(graph.edges)
        while left:
            edge = next((item for item in left if {item.subject, item.object} & near), None)
            if edge is None:
                return False
            left.remove(edge)
            forward = edge.object in near  # the way from what is known to what is asked for
            near |= {edge.subject, edge.object}
            if len(edge.relations) != 1 or not steps.single(Hop(edge.relations[0], forward)):
                return False
        return bool(graph.conditions)

    # Numbers that are counted ------------------------------------------------------------------------------------

    def _counted(self) -> CheckedPart | None:
        """The verdict on a claim that says how many there are, or what a number over several is."""
        for start, end, wanted in self._numbers():
            for text in self._open_numbers(start, end):
                found = [item for item in self._near(text) if _is_number(item.graph)]
                found = [item for item in found if names_what_is_there(self.heard, item.graph)]
                if found:
                    return self._any_compared([self._of(item, item.graph, wanted) for item in found])
        return None

    def _numbers(self) -> Iterator[tuple[int, int, Wanted]]:
        """The numbers of the sentence: from which word to which, and what they say."""
        inside = {index for item in self.heard.form.comparisons for index in range(item.start, item.end)}
        for item in self.heard.form.comparisons:
            yield item.start, item.end, Wanted(item.operator, item.values)
        names = {index for item in self.heard.values if item.end - item.start > 1
                 for index in range(item.start, item.end)}  # fmt: skip
        for start, end, number in numbers_of(self.heard):
            if start not in inside | names:
                yield start, end, Wanted("=", (number,))

    def _open_numbers(self, start: int, end: int) -> Iterator[str]:
        """The sentence with a number left open: "how many" things, or at its end nothing."""
        words = self.heard.words
        before, behind = self.text[: words[start].start], self.text[words[end - 1].end :]
        following = self.heard.plain[end : end + 1]
        noun = bool(following) and following[0] not in (FUNCTION_WORDS | UNITS | UNIT_SIZES.keys()) - {"of"}
        if noun:
            yield f"{before}how many{behind}"
        elif self.heard.form.whole or self.heard.form.kind in ("sum", "average", "count", "share"):
            yield _left_out(self.text, (words[start].start, len(self.text)))

    def _compared(self, asked: Asked) -> CheckedPart | None:
        """The verdict by what a query graph finds, where what is wanted is among it or is not."""
        result = self._run(asked.graph)
        if result is None or not result.answers or asked.wanted is None:
            return None
        told = f"The graph has {_listed(result)}."
        texts = [*result.answers, *(name for node in result.nodes for name in node.names)]
        if not any(map(_has_digit, asked.wanted.values)) and all(as_number(text) is not None for text in texts):
            return None  # words are no numbers
        return self._part(SUPPORTED if asked.wanted.holds(texts) else REFUTED, asked, result, told)

    # What stands first or last -----------------------------------------------------------------------------------

    def _first(self) -> CheckedPart | None:
        """The verdict on a claim that says what is the first or the last by some order."""
        extremes = self.heard.form.extremes
        if not extremes or self.heard.form.comparisons:
            return None
        for run in self._beyond_copula(extremes[0].at):
            words = self.heard.words
            span = (words[min([run[0].start, *run[0].also])].start, words[run[-1].end - 1].end)
            for text in (_left_out(self.text, span), f"{self.text[: span[0]]}who{self.text[span[1] :]}"):
                found = self._best(text)
                graph = self._asking(found.graph, run[0]) if found else None
                if found is not None and graph is not None and self._is_first(graph):
                    values = [str(value) for meaning in run[0].meanings[:1] for value in meaning.values]
                    wanted = Wanted("=", (self.text[span[0] : span[1]], *(values if len(run) == 1 else ())))
                    return self._compared(self._of(found, graph, wanted))
        return None

    def _is_first(self, graph: QueryGraph) -> bool:
        """Whether a query graph asks for what stands first or last, or for the greatest number."""
        answer = graph.answer
        return isinstance(answer, Aggregate) or any(
            isinstance(answer, Value) and item.variable == answer.of for item in graph.selections
        )

    def _beyond_copula(self, at: int) -> list[list[Mention]]:
        """The values on the other side of the verb from word `at`, those side by side together; all, where there is no
        verb between."""
        verbs = [index for index, word in enumerate(self.heard.plain) if is_verb(word)]
        runs: list[list[Mention]] = []
        for item in self.heard.values:
            words = self.heard.words
            beside = bool(runs) and runs[-1][-1].end == item.start
            if beside and not self.text[words[item.start - 1].end : words[item.start].start].strip():
                runs[-1].append(item)
            else:
                runs.append([item])
        beyond = [run for run in runs if any(min(at, run[0].start) < verb < max(at, run[0].start) for verb in verbs)]
        return beyond or runs

    def _asking(self, graph: QueryGraph, item: Mention) -> QueryGraph | None:
        """A query graph that asks for what a mention is a value of: the node, where that is its name."""
        if isinstance(graph.answer, Aggregate):
            return graph
        selected = [selection.variable for selection in graph.selections]
        for meaning in item.meanings:
            key = meaning.key.key if meaning.key else ""
            edge = next((edge for edge in graph.edges if edge.name and meaning.owner in edge.relations), None)
            if key and edge:
                return replace(graph, answer=Value(edge.name, key))
            shown = self.heard.fits.vocabulary.display.get(meaning.owner, ())
            for variable in sorted(graph.variables, key=lambda variable: variable.name not in selected):
                if key and meaning.owner in variable.labels:
                    return replace(graph, answer=Value(variable.name, "" if key in shown else key))
        return None

    # Comparisons with something else -----------------------------------------------------------------------------

    def _more(self) -> CheckedPart | None:
        """The verdict on a claim that one thing has more of something than another, or is earlier: what each of the two
        has is asked for by itself."""
        for less, texts in self._sides():
            asked = [self._one_value(text) for text in texts]
            found = [self._run(item.graph) if item else None for item in asked]
            answers = [item.answers[0] for item in found if item and len(item.answers) == 1]
            if len(answers) == len(texts) and asked[0] and found[0]:
                first, second = (as_number(answer) or answer for answer in answers)
                told = f"The graph has {answers[0]} and {answers[1]}."
                holds = type(first) is type(second) and (first < second if less else first > second)  # type: ignore[operator]
                return self._part(SUPPORTED if holds else REFUTED, asked[0], found[0], told)
        return None

    def _sides(self) -> Iterator[tuple[bool, tuple[str, str]]]:
        """What is compared with "than", and with "before" and "after" a name: whether it is less, and the two texts
        that ask for it."""
        words, plain, text = self.heard.words, self.heard.plain, self.text
        if not self.heard.values:
            return
        end = self._end_of_name(self.heard.values[0])
        name = text[words[self.heard.values[0].start].start : words[end - 1].end]
        for at in range(end, len(plain) - 1):
            first, second = text[: words[at].start].strip(), text[words[at].end :].strip(" .!")
            if plain[at] in ("before", "after") and {at + 1, at + 1 + (plain[at + 1] == "the")} & self.heard.taken:
                yield plain[at] == "before", (f"When {first}", f"When {first.replace(name, second, 1)}")
            noun = next((index for index in range(end, at) if plain[index] in COMPARATIVES), at)
            if plain[at] == "than" and noun + 1 < at:
                noun_said = text[words[noun + 1].start : words[at].start].strip()
                yield not COMPARATIVES[plain[noun]], (f"the {noun_said} of {name}", f"the {noun_said} of {second}")

    def _end_of_name(self, first: Mention) -> int:
        """Where the values side by side that begin with one end: a first name and a last name."""
        end = first.end
        for item in self.heard.values:
            end = item.end if item.start == end else end
        return end

    def _one_value(self, text: str) -> Asked | None:
        """What a text asks for, if that is a number or a property of something that it names."""
        item = self._best(text, named=True)
        if item is None or not (_is_number(item.graph) or self._asks_value(item.graph)):
            return None
        return self._of(item, item.graph)

    # What a property is ------------------------------------------------------------------------------------------

    def _valued(self) -> CheckedPart | None:
        """The verdict on a claim that says what number or date a property is: without it, the sentence asks for it."""
        numbers = [item for item in self._numbers() if item[2].operator == "="]
        places = [item[:2] for item in numbers]
        others = [item for item in self.heard.form.comparisons if (item.start, item.end) not in places]
        if len(numbers) != 1 or others or self.heard.form.versus:
            return None
        start, end, wanted = numbers[0]
        words = self.heard.words
        span = (words[start].start, words[end - 1].end)
        said = self.text[span[0] : span[1]]
        behind = {*self.heard.plain[end:]} - FUNCTION_WORDS - UNITS - UNIT_SIZES.keys() - MULTIPLES.keys()
        what = re.sub(r"\ban? (\w+) of\s*$", r"what \1", self.text[: span[0]])
        texts = [_left_out(self.text, span), self.text, *([] if behind else [what])]
        for text in dict.fromkeys(texts):
            found = [item for item in self._near(text, (said, *wanted.values)) if self._asks_value(item.graph)]
            asked = [self._of(item, item.graph, self._in_its_unit(item.graph, start, end, wanted)) for item in found
                     if self._is_in_unit(item.graph, end) and self._is_alike(item.graph, wanted)]  # fmt: skip
            if asked:
                return self._any_compared(asked)
        return None

    def _in_its_unit(self, graph: QueryGraph, start: int, end: int, wanted: Wanted) -> Wanted:
        """What is wanted of a property, by the unit or the multiple of the number from word `start` to `end`."""
        assert isinstance(graph.answer, Value)
        times = multiple_of(self.heard.plain[start : end + 1], name_words(graph.answer.key))
        number = as_number(wanted.values[0])
        if number is not None and times != 1:
            return Wanted("=", (f"{number / times:g}",))
        words = self.heard.words
        return replace(wanted, values=(*wanted.values, self.text[words[start].start : words[end - 1].end]))

    def _asks_value(self, graph: QueryGraph) -> bool:
        """Whether a query graph asks for a property of something that it names."""
        answer = graph.answer
        asked = isinstance(answer, Value) and bool(answer.key) and bool(graph.conditions)
        return asked and not self._is_named(graph)

    def _is_alike(self, graph: QueryGraph, wanted: Wanted) -> bool:
        """Whether what a query graph asks for may be what a number says: no date is 2."""
        assert isinstance(graph.answer, Value)
        dates = any(key.key == graph.answer.key and key.kind == "date" for key in self.heard.fits.vocabulary.keys)
        return not dates or all(map(is_of_time, wanted.values))

    def _is_in_unit(self, graph: QueryGraph, end: int) -> bool:
        """Whether the unit behind a number, if there is one, measures what the property asked for does."""
        said = next((UNIT_SIZES[word] for word in self.heard.plain[end : end + 1] if word in UNIT_SIZES), None)
        assert isinstance(graph.answer, Value)
        return said is None or is_in_unit(said[0], graph.answer.key)

    # All else ----------------------------------------------------------------------------------------------------

    def _whole(self) -> CheckedPart | None:
        """The verdict on a claim that is a query graph as it stands."""
        found = [_simpler(item) for item in self._readings(self.text)
                 if _is_test(item.graph) and names_what_is_there(self.heard, item.graph)]  # fmt: skip
        if not found:
            return None
        near = _as_good(found)
        for item in near:
            asked = self._of(item, _existing(item.graph))
            result = self._run(asked.graph)
            if result is not None and not result.empty:
                return self._part(SUPPORTED, asked, result, "The graph holds it.")
        parts = [self._against(item) for item in near]
        return next((part for part in parts if part.verdict != OPEN), parts[0])

    def _against(self, item: Interpretation) -> CheckedPart:
        """The verdict on a claim that the graph does not hold: what it has in the place of something in it refutes it;
        of things without a name, that there is none."""
        conditions = [(self._names_a_node(item.graph, condition), condition) for condition in _tests(item.graph)]
        values = [condition for identity, condition in conditions if not identity]
        for condition in values:
            asked = self._of(item, _open_condition(item.graph, condition))
            result = self._run(asked.graph)
            if result is not None and not result.empty:
                return self._part(REFUTED, asked, result, _instead(condition, result))
        nodes = {variable.name for variable in item.graph.variables}
        alone = any(isinstance(condition.left, Value) and condition.left.of in nodes for condition in values)
        others = [condition for identity, condition in conditions if identity]
        others = [] if alone and len(others) < 2 else others  # one thing with a value that it does not have
        found = [self._in_place(item, condition) for condition in others]
        sure = next((part for part, one in found if part and one), None)
        if sure is None and found and all(part for part, _ in found):
            sure = found[-1][0]
        return sure or self._none(item)

    def _in_place(self, item: Interpretation, condition: Condition) -> tuple[CheckedPart | None, bool]:
        """The claim refuted by other things in the place of a named one, if there are any; and whether there can be
        one alone."""
        asked = self._of(item, _open_condition(item.graph, condition))
        result = self._run(asked.graph)
        if result is None or result.empty:
            return None, False
        return self._part(REFUTED, asked, result, _instead(condition, result)), self._leads_to_one(asked.graph)

    def _none(self, item: Interpretation) -> CheckedPart:
        """A claim that the graph holds nothing for, nor anything in its place: refuted where it says that there is
        some thing without a name, which the graph would have."""
        asked = self._of(item, _existing(item.graph))
        named = {condition.left.of for condition in item.graph.conditions
                 if isinstance(condition.left, Value) and self._names_a_node(item.graph, condition)}  # fmt: skip
        unnamed = any(variable.name not in named for variable in item.graph.variables)
        if unnamed and item.kind:
            told = f"The graph has none. Read as: {asked.wording}."
            return replace(CheckedPart(self.text, REFUTED, asked.confidence, told), query_graph=asked.graph)
        told = f"The graph holds neither this nor anything in its place. Read as: {asked.wording}."
        return replace(CheckedPart(self.text, OPEN, asked.confidence / 2, told), query_graph=asked.graph)

    def _names_a_node(self, graph: QueryGraph, condition: Condition) -> bool:
        """Whether a condition says which node is meant, and not what it has."""
        left = condition.left
        if not isinstance(left, Value) or not any(variable.name == left.of for variable in graph.variables):
            return False
        shown = self.heard.fits.vocabulary.display
        return any(left.key in shown.get(label, ()) for label in graph.variable(left.of).labels)

    # Reading and running -----------------------------------------------------------------------------------------

    def _readings(self, text: str, numbers: Sequence[str] = ()) -> list[Interpretation]:
        """The readings of a text that say all of it but for `numbers`, best first."""
        spans = [(at, at + len(name)) for name in self.given if (at := text.find(name)) >= 0]
        heard = hear(self.context, text)
        try:
            found = interpret(self.context, text, spans) if heard else []
        except EntityNotFound:
            return []
        whole = [item for item in found if heard and says_all(heard, item, spans, numbers)]
        return sorted(whole, key=lambda item: -(item.score - NEEDLESS * _is_needless(item)))

    def _near(self, text: str, numbers: Sequence[str] = ()) -> list[Interpretation]:
        """The readings of a text that are as good as the best one; `numbers` of it need not be read."""
        return _as_good(self._readings(text, numbers))

    def _any_compared(self, asked: Sequence[Asked]) -> CheckedPart | None:
        """The verdict by what is found in one of several ways: the first that holds, or else the first."""
        parts = [part for item in asked if (part := self._compared(item))]
        return next((part for part in parts if part.verdict == SUPPORTED), parts[0] if parts else None)

    def _best(self, text: str, *, named: bool = False) -> Interpretation | None:
        """The best reading of a text that asks for something; `named`: of something that is not named itself."""
        found = [item for item in self._readings(text) if not (named and item.vacuous)]
        return found[0] if found else None

    def _of(self, item: Interpretation, graph: QueryGraph, wanted: Wanted | None = None) -> Asked:
        words = wording(graph, names=item.names)
        return Asked(graph, words, _confidence(item), wanted)

    def _run(self, graph: QueryGraph) -> Result | None:
        try:
            return run_query(self.context, graph, timeout=LONGEST, whole=False)
        except GraphTimeout:
            return None

    def _part(self, verdict: Verdict, asked: Asked, result: Result, told: str) -> CheckedPart:
        evidence = evidence_of(self.context.knowledge, asked.graph, result)
        return CheckedPart(
            self.text, verdict, asked.confidence, f"{told} Read as: {asked.wording}.", evidence, asked.graph,
            result.compiled.text,
        )  # fmt: skip


def _as_good(found: Sequence[Interpretation]) -> list[Interpretation]:
    """The readings as good as the first, but for those that tell of one thing as of several: a wine with that name, and
    one with that score."""
    return [item for item in found if item.score >= found[0].score - CLOSE
            and len(item.graph.edges) <= len(found[0].graph.edges)]  # fmt: skip


def _is_number(graph: QueryGraph) -> bool:
    """Whether a query graph asks for one number."""
    return isinstance(graph.answer, Aggregate) and not graph.columns


def _simpler(item: Interpretation) -> Interpretation:
    """A reading without a thing of which it says only what another one is: "the artist of X is Y" speaks of one."""
    graph = item.graph
    for edge, other in permutations(graph.edges if isinstance(graph.answer, Value) else (), 2):
        bare, same = _twins(edge, other)
        if bare and _says_nothing(graph, bare, edge):
            asked = graph.answer
            assert isinstance(asked, Value)
            kept = replace(
                graph,
                variables=tuple(variable for variable in graph.variables if variable.name != bare),
                edges=tuple(left for left in graph.edges if left is not edge),
                answer=replace(asked, of=same) if asked.of == bare else asked,
            )
            return replace(item, graph=kept)
    return item


def _says_nothing(graph: QueryGraph, name: str, edge: Edge) -> bool:
    """Whether a query graph says nothing of a thing but that an edge leads to it."""
    if graph.selections or graph.alternatives or graph.different or graph.conditions_of(name):
        return False
    return len(graph.edges_of(name)) == 1 and not any(edge.name and value.of == edge.name for value in graph.values())


def _twins(edge: Edge, other: Edge) -> tuple[str, str]:
    """The two things that relationships of the same type lead to from one; empty where they do not."""
    if edge.relations != other.relations or edge.absent or other.absent:
        return "", ""
    if edge.subject == other.subject:
        return edge.object, other.object
    return (edge.subject, other.subject) if edge.object == other.object else ("", "")


def _is_test(graph: QueryGraph) -> bool:
    """Whether a query graph can be asked whether it holds."""
    return not graph.columns and not graph.selections and isinstance(graph.answer, Value | Aggregate) and (
        isinstance(graph.answer, Value) or graph.answer.function == "exists"
    )  # fmt: skip


def _is_needless(item: Interpretation) -> bool:
    """Whether a reading begins at a thing of which the claim says nothing but what it is joined to by one type."""
    root = item.graph.root
    return (
        item.named < SURELY
        and len({(edge.relations, edge.subject == root) for edge in item.graph.edges_of(root)}) == 1
        and not item.graph.conditions_of(root)
        and not any(selection.variable == root for selection in item.graph.selections)
    )


def _existing(graph: QueryGraph) -> QueryGraph:
    """Whether there is anything that a query graph asks for."""
    answer = graph.answer
    if isinstance(answer, Aggregate):
        return graph
    assert isinstance(answer, Value)
    present = (Condition(answer, "present"),) if answer.key else ()
    return replace(graph, answer=Aggregate("exists", Value(graph.root)), conditions=(*graph.conditions, *present))


def _tests(graph: QueryGraph) -> list[Condition]:
    """The conditions that say what a property is."""
    known = [item for item in graph.conditions if isinstance(item.left, Value)]
    return [item for item in known if item.operator not in ("present", "missing")]


def _open_condition(graph: QueryGraph, condition: Condition) -> QueryGraph:
    """A query graph that asks for what one of its conditions compares."""
    assert isinstance(condition.left, Value)
    left = tuple(item for item in graph.conditions if item is not condition)
    return replace(graph, conditions=left, answer=Value(condition.left.of, condition.left.key))


def _instead(condition: Condition, result: Result) -> str:
    right = condition.right if isinstance(condition.right, tuple) else ()
    return f"In the place of {', '.join(map(str, right)) or 'that'} the graph has {_listed(result)}."


def _is_one_for(name: str, result: Result) -> bool:
    """Whether a result is one thing in the place of which a name may stand: a name is no number and no date."""
    alone = len(result.answers) == 1 and not result.empty
    return alone and (_has_digit(name) or kind_of_texts(result.answers)[0] == "text")


def _has_digit(text: object) -> bool:
    return any(map(str.isdigit, str(text)))


def _listed(result: Result) -> str:
    more = len(result.answers) + result.more - SHOWN
    return ", ".join(result.answers[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _words(text: str) -> list[str]:
    return [word.plain for word in words_of(fold(text))]


def _holds(words: Sequence[str], piece: Sequence[str]) -> bool:
    """Whether words hold others side by side."""
    return any(list(words[at : at + len(piece)]) == list(piece) for at in range(len(words) - len(piece) + 1))


def _is_part(own: Sequence[str], text: str, *, of_name: bool) -> bool:
    """Whether words are a part by which people call something: its beginning, what stands between commas, and of a name
    its end."""
    whole = _words(text)
    at_an_end = whole[: len(own)] == list(own) or (of_name and whole[-len(own) :] == list(own))
    return at_an_end or list(own) in [_words(piece) for piece in text.split(",")]


def _is_misspelt(said: str, meanings: Sequence[Meaning]) -> bool:
    """Whether what is said is a value but for its spelling: another name may be spelt so."""
    values = [_telling(str(value)) for meaning in meanings for value in (meaning.text, *meaning.values)]
    own = _telling(said)
    if any(_holds(_words(value), _words(own)) or own.rstrip("s") == value.rstrip("s") for value in values):
        return False
    return own[:1].isalpha() and any(0 < OSA.distance(own, value) <= MISSPELT for value in values)


def _telling(text: str) -> str:
    """The words of a name without those that only join them."""
    return " ".join(word for word in _words(text) if word not in PREPOSITIONS | {"the", "and"})


def _confidence(item: Interpretation) -> float:
    """How often a verdict by such a reading is right; `python -m benchmarks.claims databases --confidence` tells it."""
    doubtful = item.means < LIKELY  # a word of the claim is none of the schema's
    return max(LEAST, READ - WEAK * item.loose - WEAK * item.silent - WEAK * doubtful)


def _left_out(text: str, span: tuple[int, int]) -> str:
    """A text without what stands at `span`, and without a verb that then begins it."""
    left = f"{text[: span[0]]} {text[span[1] :]}".strip(" .!,;\"“”'").split()
    while left and left[0].lower() in AUXILIARIES | COPULAS:
        left.pop(0)
    while left and left[-1].lower() == "of":
        left.pop()
    return " ".join(left)


def _rounded(said: str, found: str) -> bool:
    """Whether a number is the one that was said, as far as that goes."""
    first, second = as_number(said), as_number(found)
    if first is None or second is None or math.isinf(second):
        return False
    return round(second, len(said.partition(".")[2])) == first
