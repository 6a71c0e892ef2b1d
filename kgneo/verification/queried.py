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
from dataclasses import dataclass, replace
from itertools import pairwise

from rapidfuzz.distance import OSA

from kgneo.context import Context
from kgneo.english.names import is_past, name_words, same_root
from kgneo.english.numbers import MULTIPLES, UNIT_SIZES, multiple_of, number_at
from kgneo.english.words import (
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    MEASURES,
    PLAIN_VERBS,
    QUESTION_WORDS,
    RELATIVES,
    UNITS,
)
from kgneo.errors import EntityNotFound, GraphTimeout
from kgneo.graph.run import Result, evidence_of
from kgneo.model import Hop
from kgneo.query.graph import Aggregate, Condition, Operator, QueryGraph, Value
from kgneo.query.wording import wording
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import Meaning, Mention, Span, has_root, words_of
from kgneo.reading.read import Interpretation
from kgneo.stages.interpret import LONGEST, interpret, reading, run_query
from kgneo.stages.unused import hear
from kgneo.text import fold
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
MEASURED = 0.3
"""How surely a word speaks of what is compared, from which it does."""
LIKELY = 0.5
"""How like the name of a property a word must be to speak of it."""
READ, WEAK, LEAST = 0.93, 0.08, 0.5
"""How often a verdict is right where all is said, what each way costs that no word speaks of, and the least of it."""
UNKNOWN = 0.85
"""How often a claim with a name that the graph does not have is open."""
MISSPELT = 2
"""Letters by which a name is another spelling of a value."""
SHOWN = 5
"""Other values that an explanation names."""
JOINING = frozenset(("and", "but", "while", "whereas"))
"""Words that join clauses."""
NEGATING = frozenset(("not", "never", "no", "none", "cannot", "nobody", "nothing"))
"""Words that deny the sentence that they stand in."""
SHORT = frozenset(("isn", "aren", "doesn", "don", "didn", "wasn", "weren", "hasn", "haven", "hadn", "won", "couldn"))
"""What stands before "'t"."""
REPORTING = frozenset(["given", "recorded", "listed", "shown", "noted", "registered", "stored", "entered", "mentioned"])
"""Verbs that say only that the graph has it."""
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
        found, bounds = _number(answer), [_number(value) for value in self.values]
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
    in it are known to be ones that the graph has."""
    heard = hear(context, text)
    if heard is None:
        return ()
    pieces = _apart(heard)
    if len(pieces) > 1 and (parts := _each(context, pieces, names)):
        return parts
    whole = _checked(context, heard, names)
    if whole is not None:
        return (whole,)
    return _each(context, clauses_of(heard), names)


def _each(context: Context, pieces: Sequence[str], names: Sequence[str]) -> tuple[CheckedPart, ...]:
    """The verdicts on several sentences; none where one of them is not read."""
    heard = [hear(context, piece) for piece in pieces]
    parts = [item and _checked(context, item, names) for item in heard]
    return tuple(part for part in parts if part) if all(parts) and len(parts) > 1 else ()


def _checked(context: Context, heard: Heard, names: Sequence[str]) -> CheckedPart | None:
    plain = _affirmed(heard)
    if plain is None:
        return _Claim(context, heard, names).checked()
    other = hear(context, plain)
    part = _Claim(context, other, names).checked() if other else None
    return part and replace(contrary(part), text=heard.text)


def _apart(heard: Heard) -> list[str]:
    """The sentence for each of several things that the same is said of, "X and Y are both in Z"."""
    words, values = heard.words, heard.values
    for first, second in pairwise(values):
        between = heard.plain[first.end : second.start]
        if between == ["and"] and _same_kind(first, second) and "between" not in heard.plain[: first.start]:
            start = words[first.start - (heard.plain[first.start - 1 : first.start] == ["both"])].start
            end = words[second.end - 1].end
            names = [heard.words_of(item) for item in (first, second)]
            return [f"{heard.text[:start]}{name}{heard.text[end:]}".replace(" both ", " ") for name in names]
    return []


def _same_kind(first: Mention, second: Mention) -> bool:
    keys = [{meaning.key for meaning in item.meanings if meaning.kind == "value"} for item in (first, second)]
    return bool(keys[0] & keys[1])


def clauses_of(heard: Heard) -> list[str]:
    """The clauses that a sentence joins, each with the subject of the first where it has none."""
    plain, words = heard.plain, heard.words
    verbs = [index for index, word in enumerate(plain) if _is_verb(word) and index not in heard.taken]
    if not verbs:
        return []
    subject = heard.text[: words[verbs[0]].start]
    at = [
        index for index, word in enumerate(plain) if word in JOINING and index > verbs[0] and index not in heard.taken
    ]
    for index in at:
        if index + 1 == len(plain):
            continue
        left, right = heard.text[: words[index].start].rstrip(" ,;"), heard.text[words[index + 1].start :]
        if _is_verb(plain[index + 1]):
            return [left, f"{subject}{right}"]
        if any(verb > index for verb in verbs):
            return [left, right]
    return []


def _is_verb(word: str) -> bool:
    return word in COPULAS | AUXILIARIES or is_past(word)


def _affirmed(heard: Heard) -> str | None:
    """The sentence without the one word that denies it; None where none does, or several."""
    at = [index for index in heard.form.negations if heard.plain[index] in NEGATING | SHORT]
    if len(at) != 1:
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
        return self._counted() or self._first() or self._valued() or self._whole()

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
                and _number(name) is None
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
        compares = self.heard.form.comparisons or "than" in self.heard.plain
        alone = len(missing) == 1 and not compares
        asked = self._asked_without((start, start + len(missing[0]))) if alone else None
        if asked is not None and self._leads_to_one(asked.graph):
            result = self._run(asked.graph)
            if result is not None and len(result.answers) == 1 and not result.empty:
                told = f"{told} In its place it has {result.answers[0]}."
                return replace(self._part(REFUTED, asked, result, told), unknown=names)
        return CheckedPart(self.text, OPEN, UNKNOWN, told, unknown=names)

    def _asked_without(self, span: tuple[int, int]) -> Asked | None:
        """What the sentence asks for without what stands at `span`."""
        for item in self._readings(_left_out(self.text, span)):
            graph = item.graph
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
                item = self._best(text)
                if item is not None and isinstance(item.graph.answer, Aggregate) and not item.graph.columns:
                    return self._compared(self._of(item, item.graph, wanted))
        return None

    def _numbers(self) -> Iterator[tuple[int, int, Wanted]]:
        """The numbers of the sentence: from which word to which, and what they say."""
        inside = {index for item in self.heard.form.comparisons for index in range(item.start, item.end)}
        for item in self.heard.form.comparisons:
            yield item.start, item.end, Wanted(item.operator, item.values)
        names = {index for item in self.heard.values if item.end - item.start > 1
                 for index in range(item.start, item.end)}  # fmt: skip
        for index in range(len(self.heard.plain)):
            found = None if index in inside | names else number_at(self.heard.plain, index)
            if found is not None and self.heard.plain[index] not in ("the", "a", "an"):
                yield index, found[1], Wanted("=", (found[0],))

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
        verbs = [index for index, word in enumerate(self.heard.plain) if _is_verb(word)]
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
            for variable in sorted(graph.variables, key=lambda variable: variable.name not in selected):
                if meaning.key is not None and meaning.owner in variable.labels:
                    shown = self.heard.fits.vocabulary.display.get(meaning.owner, ())
                    return replace(
                        graph, answer=Value(variable.name, "" if meaning.key.key in shown else meaning.key.key)
                    )
        return None

    # What a property is ------------------------------------------------------------------------------------------

    def _valued(self) -> CheckedPart | None:
        """The verdict on a claim that says what number or date a property is: without it, the sentence asks for it."""
        numbers = [item for item in self._numbers() if item[2].operator == "="]
        if len(numbers) != 1 or self.heard.form.comparisons or self.heard.form.versus:
            return None
        start, end, wanted = numbers[0]
        words = self.heard.words
        span = (words[start].start, words[end - 1].end)
        asked = [_left_out(self.text, span), re.sub(r"\ban? (\w+) of\s*$", r"what \1", self.text[: span[0]])]
        item = next(
            (item for text in dict.fromkeys(asked) if (item := self._best(text)) and self._asks_value(item.graph)), None
        )
        if item is None or not isinstance(item.graph.answer, Value):
            return None
        if not self._is_in_unit(item.graph.answer.key, end):
            return None
        times = multiple_of(self.heard.plain[end : end + 1], name_words(item.graph.answer.key))
        number = _number(wanted.values[0])
        if number is not None and times != 1:
            return self._compared(self._of(item, item.graph, Wanted("=", (f"{number / times:g}",))))
        said = self.text[span[0] : span[1]]
        return self._compared(self._of(item, item.graph, replace(wanted, values=(*wanted.values, said))))

    def _asks_value(self, graph: QueryGraph) -> bool:
        """Whether a query graph asks for a property of something that it names."""
        answer = graph.answer
        asked = isinstance(answer, Value) and bool(answer.key) and bool(graph.conditions)
        return asked and not self._is_named(graph)

    def _is_in_unit(self, key: str, end: int) -> bool:
        """Whether the unit behind a number, if there is one, measures what a property's does, if it has one."""
        said = next((UNIT_SIZES[word] for word in self.heard.plain[end : end + 1] if word in UNIT_SIZES), None)
        held = next((UNIT_SIZES[word] for word in name_words(key) if word in UNIT_SIZES), None)
        return said is None or held is None or said[0] == held[0]

    # All else ----------------------------------------------------------------------------------------------------

    def _whole(self) -> CheckedPart | None:
        """The verdict on a claim that is a query graph as it stands."""
        found = [item for item in self._readings(self.text) if _is_test(item.graph)]
        if not found:
            return None
        near = [item for item in found if item.score >= found[0].score - CLOSE]
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
        others = [] if values else [condition for _, condition in conditions]
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

    def _readings(self, text: str) -> list[Interpretation]:
        """The readings of a text that say all of it, best first."""
        spans = [(at, at + len(name)) for name in self.given if (at := text.find(name)) >= 0]
        heard = hear(self.context, text)
        try:
            found = interpret(self.context, text, spans) if heard else []
        except EntityNotFound:
            return []
        whole = [item for item in found if heard and _says_all(heard, item, spans)]
        return sorted(whole, key=lambda item: -(item.score - NEEDLESS * _is_needless(item)))

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


def _says_all(heard: Heard, item: Interpretation, given: Sequence[Span]) -> bool:
    """Whether a reading leaves nothing of a sentence out: no value or number that it names, no word that tells."""
    graph = item.graph
    held = {str(value) for condition in graph.every_condition() if isinstance(condition.right, tuple)
            for value in condition.right}  # fmt: skip
    named = [item for item in heard.values if not any(heard.stands_at(item, span) for span in given)]
    if any(not any(str(value) in held for meaning in item.meanings for value in meaning.values) for item in named):
        return False
    if (
        item.measured < MEASURED
        or set(map(str.lower, item.unsaid)) - PLAIN_VERBS - REPORTING
        or _unheld_numbers(heard, graph)
    ):
        return False
    if any(word[:1].isupper() for word in item.ignored) or _speaks_of_other(heard, graph):
        return False
    return all(_is_said(heard, graph, value) for value in _unbounded(graph))


def _unbounded(graph: QueryGraph) -> list[Value]:
    """The properties that a query graph asks for, or compares with one another, and so has no value of."""
    found = [graph.answer] if isinstance(graph.answer, Value) and graph.answer.key else []
    found += [item.left for item in graph.conditions if isinstance(item.left, Value) and isinstance(item.right, Value)]
    return [
        value for value in found if not any(item.left == value and item.operator == "=" for item in graph.conditions)
    ]


def _is_said(heard: Heard, graph: QueryGraph, value: Value) -> bool:
    """Whether a word of a sentence speaks of a property."""
    owners = next((item.labels for item in graph.variables if item.name == value.of), None)
    if owners is None:
        owners = next((edge.relations for edge in graph.edges if edge.name == value.of), ())
    keys = [key for key in heard.fits.vocabulary.keys if key.key == value.key and key.owner in owners]
    words = [word for index, word in enumerate(heard.plain)
             if index not in heard.taken and (word not in FUNCTION_WORDS or word in MEASURES)]  # fmt: skip
    return any(max(heard.fits.key(word).get(key, 0.0), heard.fits.measured(word, key)) >= LIKELY
               for key in keys for word in words)  # fmt: skip


def _unheld_numbers(heard: Heard, graph: QueryGraph) -> list[str]:
    """The numbers of a sentence that no condition of a query graph compares with."""
    literals = [str(value) for condition in graph.every_condition() if isinstance(condition.right, tuple)
                for value in condition.right]  # fmt: skip
    named = {index for item in heard.values for index in range(item.start, item.end)}
    found = (number_at(heard.plain, index) for index in range(len(heard.plain))
             if index not in named and heard.plain[index] not in ("the", "a", "an", "year"))  # fmt: skip
    numbers = [item[0] for item in found if item]
    return [number for number in numbers if not any(_is_same(number, literal) for literal in literals)]


def _is_same(number: str, literal: str) -> bool:
    """Whether a number is a literal, which may count thousands or millions."""
    first, second = _number(number), _number(literal)
    times = first / second if first and second else 0
    return same_value(number, literal) or times in MULTIPLES.values()


def _speaks_of_other(heard: Heard, graph: QueryGraph) -> bool:
    """Whether a word is of a name in the schema, and a query graph speaks of nothing that has it in its name."""
    vocabulary = heard.fits.vocabulary
    spoken = {word for variable in graph.variables for label in variable.labels for word in name_words(label)}
    spoken |= {word for edge in graph.edges for relation in edge.relations
               for word in name_words(vocabulary.readable(relation))}  # fmt: skip
    keys = {value.key for value in graph.values()}
    spoken |= {word for key in vocabulary.keys if key.key in keys for word in name_words(key.name or key.key)}
    left = [heard.plain[index] for index in heard.telling if index not in heard.taken | heard.form.used]
    return any(has_root(word, heard.fits) and not any(same_root(word, said) for said in spoken) for word in left)


def _is_test(graph: QueryGraph) -> bool:
    """Whether a query graph can be asked whether it holds."""
    return not graph.columns and not graph.selections and isinstance(graph.answer, Value | Aggregate) and (
        isinstance(graph.answer, Value) or graph.answer.function == "exists"
    )  # fmt: skip


def _is_needless(item: Interpretation) -> bool:
    """Whether a reading begins at a thing of which the claim says nothing but that it is there."""
    root = item.graph.root
    return (
        item.named < SURELY
        and len(item.graph.edges_of(root)) == 1
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
    values = [fold(str(value)) for meaning in meanings for value in (meaning.text, *meaning.values)]
    own = fold(said)
    if any(_holds(_words(value), _words(own)) or own.rstrip("s") == value.rstrip("s") for value in values):
        return False
    return own[:1].isalpha() and any(0 < OSA.distance(own, value) <= MISSPELT for value in values)


def _confidence(item: Interpretation) -> float:
    """How often a verdict by such a reading is right; `python -m benchmarks.claims databases --confidence` tells it."""
    return max(LEAST, READ - WEAK * item.loose - WEAK * item.silent)


def _left_out(text: str, span: tuple[int, int]) -> str:
    """A text without what stands at `span`, and without a verb that then begins it."""
    left = f"{text[: span[0]]} {text[span[1] :]}".strip(" .!,;\"“”'").split()
    while left and left[0].lower() in AUXILIARIES | COPULAS:
        left.pop(0)
    while left and left[-1].lower() == "of":
        left.pop()
    return " ".join(left)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _rounded(said: str, found: str) -> bool:
    """Whether a number is the one that was said, as far as that goes."""
    first, second = _number(said), _number(found)
    if first is None or second is None or math.isinf(second):
        return False
    return round(second, len(said.partition(".")[2])) == first
