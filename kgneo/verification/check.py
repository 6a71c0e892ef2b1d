"""Check: whether the graph holds what a part of a claim says, holds something else in its place, or says nothing of it.

Comes in: a part. Goes out: its verdict. Each statement of the part has a few meanings; the first combination of them
that is in the graph, as one query graph, supports the part. Where none is, the best combination is looked at once more
with one of its ends left open. Other values there refute the part if the list that they stand in is the shorter one of
the relation (a film's directors, not a director's films) and the thing that was claimed is of the kind that the
relation leads to. Without such values the graph gives no evidence, unless it is taken to be `closed`: then what it
does not hold is false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from kgneo.context import Context
from kgneo.english.claims import NOBODY, SOURCE, TARGET, Statement, Thing
from kgneo.english.dates import date_texts
from kgneo.english.names import content_words, is_noun, name_words, same_root
from kgneo.english.words import APPROXIMATE, BOUNDS, COPULAS, FUNCTION_WORDS
from kgneo.errors import GraphTimeout
from kgneo.graph.run import Result, evidence_of, run
from kgneo.model import Evidence, split_value_relation
from kgneo.query.graph import Aggregate, Condition, Edge, QueryGraph, Scalar, Value, Variable
from kgneo.stages.similar_names import best_alignments
from kgneo.verification.claimed import claimed_words, is_kind_alone, kind_said, tells_the_only, with_thing
from kgneo.verification.named import Named, found_as, same_value
from kgneo.verification.parts import Part
from kgneo.verification.steps import Meaning, Steps, meanings, reversed_name, says_nothing
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED, CheckedPart, Verdict, contrary

CLOSE = 0.4
"""Points of score by which a meaning may be behind the best one and still be what is said."""
MEANT = 0.45
"""Probability from which on one of its meanings is taken to be what a statement says."""
LIKELY = 0.2
"""The same where the graph holds what it would mean."""
LEAST = 0.03
"""The same where the graph is taken to be complete, so that a verdict is due."""
MOST = 4
"""Meanings of a statement that are looked at."""
MOST_SILENT = 8
"""The same where its words name no relation."""
MOST_COMBINED = 256
"""Combinations of the meanings of a part's statements that are looked at."""
MOST_STATEMENTS = 8
"""Statements that one part of a claim may be made of; each has two meanings at least, which are combined."""
COMBINATIONS = 24
"""Combinations of the meanings of a part's statements that are run."""
LONGEST = 5.0
"""Seconds that one of them may take."""
SHOWN = 5
"""Other values that an explanation names."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A statement with the thing that is its source and one of its meanings; `sure`: its words mean something that
    the graph could hold, whether it does or not."""

    statement: Statement
    source: int
    meaning: Meaning
    sure: bool


Combination = tuple[Choice, ...]


def check_part(context: Context, part: Part, *, closed: bool = False) -> CheckedPart:
    """The verdict on a part. Raises GraphError."""
    found = _Check(context, part, LEAST if closed else LIKELY).checked()
    if closed and found.verdict == OPEN:
        found = replace(found, verdict=REFUTED, explanation=f"{found.explanation} The graph is taken to be complete.")
    return contrary(found) if part.negated else found


class _Check:
    def __init__(self, context: Context, part: Part, likely: float) -> None:
        self.context = context
        self.part = part
        self.likely = likely
        self.stopped = False
        self.steps = Steps.of(context)

    def checked(self) -> CheckedPart:
        alone = self.part.statements[0]
        if alone.target == NOBODY and len(self.part.statements) == 1:
            known = self._of_kind(alone) or self._with_claimed(alone)
            if known is not None:
                return known
        if any(self._bounded(statement) for statement in self.part.statements):
            return self._said(OPEN, "Whether a number or a date is more, less or about this is not read.", 0.0)
        if len(self.part.statements) > MOST_STATEMENTS:
            return self._open("It says too much at once; say it in several sentences.", 0.0)
        choices = [self._choices(statement) for statement in self.part.statements]
        for statement, found in zip(self.part.statements, choices, strict=True):
            if not found:
                return self._unread(statement)
        combinations = list(islice(filter(_is_tree, _combinations(choices)), COMBINATIONS))
        if not combinations:
            return self._unread(alone)
        held = next((part for item in combinations if (part := self._held(item)) is not None), None)
        if held is not None:
            return held
        if self.stopped:
            return self._open(f"Checking it took more than {LONGEST:.0f} seconds.", 0.0)
        unsure = next((choice for choice in combinations[0] if not choice.sure), None)
        return self._unread(unsure.statement) if unsure else self._against(combinations[0])

    # Meanings --------------------------------------------------------------------------------------------------------

    def _choices(self, statement: Statement) -> list[Choice]:
        """The meanings of a statement that are close to the best one; those with another source come last."""
        found: list[Choice] = []
        for source, words in ((statement.source, statement.words), *statement.others):
            said = self._meant(source, statement.target, words)
            sure = self._sure(words, said)
            plain = None if sure else _without_kind(words)
            known = plain is not None and self._is_kind(source, kind_said(words))
            if plain and known and (more := self._meant(source, statement.target, plain)):
                said, sure = more, self._sure(plain, more)
            found += [Choice(statement, source, item, sure) for item in said]
        return found

    def _sure(self, words: Sequence[str], said: Sequence[Meaning]) -> bool:
        """Whether words mean something that the graph could hold, whether it does or not. The kinds of things tell
        nothing of a name that the graph does not have."""
        silent = self._silent(words) and not self._missing()
        return silent or max((item.confidence for item in said), default=0.0) >= MEANT

    def _meant(self, source: int, target: int, words: Sequence[str]) -> list[Meaning]:
        """Of the meanings of words those that are close to the best one and fit the things; none where the words are
        like nothing in the graph."""
        said = self._meanings(source, target, words)
        if self._silent(words):
            return [item for item in said if item.fits][:MOST_SILENT]
        if not said or max(item.confidence for item in said[:MOST]) < self.likely:
            return []
        least = self.likely / 2
        close = [item for item in said[:MOST] if item.score >= said[0].score - CLOSE]
        return [item for item in close if item.fits and item.confidence >= least]

    def _silent(self, words: Sequence[str]) -> bool:
        """Whether only the kinds of things tell what the words of a statement mean; that something is there at all is
        no kind."""
        alone = len(self.part.statements) == 1
        named = all(thing.named for thing in self._things(self.part.statements[0]))
        return says_nothing(words) and (named or not alone)

    def _is_kind(self, thing: int, noun: str) -> bool:
        """Whether a thing is of the kind that a noun says, as far as the graph knows: by its labels, or by what it has
        or is to others ("a painting" of what was painted)."""
        named = self.part.end(thing)
        if named is None:
            return True
        names = self.context.record.statistics.readable_names
        hops = [self.steps.hops[name].relation for name in self.steps.possible(named)]
        has = any(same_root(noun, word) for hop in hops for word in content_words(names.get(hop, hop)))
        return has or any(_is_called(label, noun) for label in named.labels)

    def _missing(self) -> list[Named]:
        """The names of the part's statements that the graph does not have."""
        things = dict.fromkeys(thing for item in self.part.statements for thing in (item.source, item.target))
        ends = [self.part.end(thing) for thing in things]
        return [end for end in ends if end is not None and end.missing]

    def _bounded(self, statement: Statement) -> bool:
        """Whether a statement's target is a number or a date that is said to be more, less or about something."""
        target = self.part.end(statement.target)
        if target is None or not target.text[:1].isdecimal() or TARGET not in statement.words:
            return False
        before = statement.words[: statement.words.index(TARGET)]
        text = f" {' '.join(before)}"
        bounds = any(text.endswith(f" {words}") for words, operator in BOUNDS if operator not in ("=", ">="))
        return bounds or before[-2:] == ("at", "least") or bool(set(before[-1:]) & (APPROXIMATE | {"than"}))

    def _things(self, statement: Statement) -> list[Thing]:
        return [self.part.things[thing] for thing in (statement.source, statement.target) if thing != NOBODY]

    def _unread(self, statement: Statement) -> CheckedPart:
        """The part, of which a statement means nothing that the graph could hold."""
        said = self._meanings(statement.source, statement.target, statement.words)
        sure = 1.0 - max((item.confidence for item in said), default=0.0)
        return self._open(f"The graph has no relation like {_quoted(statement)} between such things.", sure)

    def _meanings(self, source: int, target: int, words: Sequence[str]) -> list[Meaning]:
        noun = self.part.noun(source, target)
        return meanings(self.context, words, self.part.end(source), self.part.end(target), noun=noun)

    # What is in the graph --------------------------------------------------------------------------------------------

    def _held(self, combination: Combination) -> CheckedPart | None:
        """The part, if the graph holds it by this combination of meanings. It holds nothing of a name that it does not
        have, and of a property that is true or false what it is."""
        if any(self._lacks(choice) for choice in combination):
            return None
        alone = combination[0] if len(combination) == 1 else None
        compared = alone.statement.target if alone and self._compares(alone) else NOBODY
        graph = self._graph(combination, free=compared)
        result = self._run(graph)
        if result is None or result.empty:
            return None
        evidence = evidence_of(self.context.knowledge, graph, result)
        confidence = 0.5 + 0.5 * _confidence(combination)
        if alone and alone.statement.target == NOBODY and result.answers == ("no",):
            return self._part(REFUTED, confidence, "The graph says no.", evidence, graph, result)
        if compared != NOBODY:
            same = [text for text in result.answers if self._is_value(compared, text)]
            if not same:
                return None
            evidence = tuple(item for item in evidence if item.triple.object in same) or evidence
        return self._part(SUPPORTED, confidence, "The graph holds it.", evidence, graph, result)

    def _lacks(self, choice: Choice) -> bool:
        """Whether the graph cannot hold a statement because it does not have a name in it. A name may also be the value
        of a property."""
        source, target = (self.part.end(thing) for thing in (choice.source, choice.statement.target))
        missing = source is not None and bool(source.missing)
        return missing or (target is not None and bool(target.missing) and not choice.meaning.hop.value)

    def _compares(self, choice: Choice) -> bool:
        """Whether a statement says what value a property of something named has."""
        source, target = (self.part.end(thing) for thing in (choice.source, choice.statement.target))
        known = source is not None and bool(source.ids)
        return choice.meaning.hop.value and known and target is not None and not choice.statement.negated

    def _is_value(self, thing: int, text: str) -> bool:
        named = self.part.end(thing)
        return named is not None and same_value(named.text, text)

    def _against(self, combination: Combination) -> CheckedPart:
        """The part, which no combination holds: refuted by other values in the place of something named, or open."""
        confidence = _confidence(combination)
        missing = self._missing()
        alone = len(combination) == 1 or not missing
        tails = [(choice, tail) for choice in combination for tail in self._tails(choice)] if alone else []
        others = [(choice, tail, self._run(self._graph(combination, free=tail))) for choice, tail in tails]
        if self.stopped:
            return self._open(f"Checking it took more than {LONGEST:.0f} seconds.", 0.0)
        against = [(choice, tail, result) for choice, tail, result in others if result is not None and not result.empty]
        if against and (len(against) == len(others) or len(combination) == 1):
            choice, tail, result = against[0]
            if not self._undecided(choice, tail, result):
                return self._refuted(self._graph(combination, free=tail), result, choice, tail, confidence)
        disjoint = None if missing else self._disjoint(combination)
        if disjoint is not None:
            return disjoint
        part = self._open("The graph holds neither this nor anything in its place.", confidence)
        return replace(part, query_graph=self._graph(combination))

    def _undecided(self, choice: Choice, tail: int, result: Result) -> bool:
        """Whether other values do not speak against a claim: there are several of a property, or one of them is the
        claimed name but for its spelling."""
        named = self.part.end(tail)
        misspelt = named is not None and bool(named.missing) and bool(best_alignments([named.text], result.answers))
        return misspelt or (choice.meaning.hop.value and len(result.answers) > 1)

    def _refuted(self, graph: QueryGraph, result: Result, choice: Choice, tail: int, confidence: float) -> CheckedPart:
        evidence = evidence_of(self.context.knowledge, graph, result)
        forward = choice.meaning.hop.forward == (tail == choice.statement.target)
        relation = choice.meaning.hop.relation
        names = [
            item.triple.object if forward else item.triple.subject
            for item in evidence
            if item.triple.relation == relation
        ] or list(result.answers)
        names = list(dict.fromkeys(names))
        more = len(result.answers) + result.more - SHOWN
        others = ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
        wanted = self.part.end(tail)
        explanation = f"In the place of {wanted.text if wanted else 'that'} the graph has {others}."
        if wanted is not None and wanted.missing and not choice.meaning.hop.value:
            explanation = f"{wanted.missing} In its place it has {others}."
            refuted = self._part(REFUTED, confidence, explanation, evidence, graph, result)
            return replace(refuted, unknown=(wanted.text,))
        return self._part(REFUTED, confidence, explanation, evidence, graph, result)

    def _tails(self, choice: Choice) -> list[int]:
        """The ends of a statement in whose place other values speak against it. Where a step leads to one thing, that
        is this thing, if it is of a kind that the step leads to; else an end that has others by the same step."""
        if choice.statement.negated:
            return []
        hop = choice.meaning.hop
        back = self.steps.back(hop)
        source, target = (self.part.end(thing) for thing in (choice.source, choice.statement.target))
        if self._missing():
            return self._only(choice, source, target)
        if self.steps.functional(hop):
            return [choice.statement.target] if target is not None else []
        if back is not None and self.steps.functional(back.hop):
            return [choice.source] if source is not None else []
        found = [choice.statement.target] if target is not None and reversed_name(str(hop)) in target.hops else []
        return found + ([choice.source] if source is not None and str(hop) in source.hops else [])

    def _only(self, choice: Choice, source: Named | None, target: Named | None) -> list[int]:
        """The end of a statement that is missing in the graph, if the other one, which is there, has one thing in its
        place: by a step that leads to one thing, where the words may give the name of one, or speak of the only one."""
        words, hop = choice.statement.words, choice.meaning.hop
        ways = [(hop, target, source, choice.statement.target, SOURCE)]
        if (back := self.steps.back(hop)) is not None:
            ways.append((back.hop, source, target, choice.source, TARGET))
        return [
            thing
            for step, lacking, known, thing, mark in ways
            if lacking is not None and lacking.missing and known is not None and known.ids
            if (self.steps.surely(step) and _is_written_as_name(lacking.text))
            or (self.steps.single(step) and tells_the_only(words, mark))
        ]

    def _disjoint(self, combination: Combination) -> CheckedPart | None:
        """The part, refuted where each of its statements leads from something named to lists of which none has anything
        in common: the directors of one film and the writers of another."""
        if len(combination) < 2 or not all(self._lists(choice) for choice in combination):
            return None
        evidence: list[Evidence] = []
        for choice in combination:
            graph = self._graph((choice,))
            result = self._run(graph)
            if result is None or result.empty:
                return None
            evidence += evidence_of(self.context.knowledge, graph, result)
        graph = self._graph(combination)
        result = self._run(graph)
        if result is None:
            return None
        explanation = "What the graph has by each of these has nothing in common."
        return self._part(REFUTED, _confidence(combination), explanation, tuple(evidence), graph, result)

    def _lists(self, choice: Choice) -> bool:
        """Whether a statement leads from something named to the whole list of what is unnamed in it."""
        if choice.statement.negated or choice.meaning.hop.value:
            return False
        source, target = (self.part.end(thing) for thing in (choice.source, choice.statement.target))
        hop = choice.meaning.hop
        hop = hop if source is not None else replace(hop, forward=not hop.forward)
        return (source is None) != (target is None) and self.steps.whole(hop)

    def _graph(self, combination: Combination, *, free: int = NOBODY) -> QueryGraph:
        return _Graph(self.context, self.part, free).of(combination)

    def _run(self, graph: QueryGraph) -> Result | None:
        shape = self.context.shape
        try:
            return run(
                self.context.knowledge,
                graph,
                keys=shape.display,
                naming={},
                limit=self.context.options.limit,
                timeout=LONGEST,
            )
        except GraphTimeout:
            self.stopped = True
            return None

    # A statement about one thing -------------------------------------------------------------------------------------

    def _of_kind(self, statement: Statement) -> CheckedPart | None:
        """Whether a named thing is of the kind that a statement says, if it names a kind at all."""
        named = self.part.end(statement.source)
        if named is None or named.value:
            return None
        if named.missing:
            return self._open("", 0.0)
        if statement.words[-1] == "exists":
            return self._said(SUPPORTED, "The graph has it.", 0.9)
        labels = {label for item in self.steps.hops.values() for label in item.labels}
        noun = kind_said(statement.words)
        said = [label for label in sorted(labels) if noun and _is_called(label, noun)]
        if set(said) & set(named.labels):
            return self._said(SUPPORTED, f"{named.text} is a node with the label {said[0]}.", 0.9)
        if said and named.labels:
            return self._said(REFUTED, f"{named.text} has the labels {', '.join(named.labels)}, not {said[0]}.", 0.7)
        if is_kind_alone(statement.words) and not self._is_kind(statement.source, noun):
            known = f" It has {named.text} as {', '.join(named.labels)}." if named.labels else ""
            return self._open(f"The graph has no kind {noun!r}.{known}", 0.0)
        return None

    def _with_claimed(self, statement: Statement) -> CheckedPart | None:
        """The part with what its words claim as a thing of its own, checked; None where they claim only that there is
        something."""
        names = self.context.record.statistics.readable_names
        for meaning in self._meanings(statement.source, NOBODY, statement.words)[:MOST]:
            hop = meaning.hop
            where = claimed_words(statement.words, names.get(hop.relation, hop.relation), value=hop.value)
            if where is not None:
                (named,) = found_as(self.context, [" ".join(statement.words[where[0] : where[1]])])
                return _Check(self.context, with_thing(self.part, statement, where, named), self.likely).checked()
        return None

    def _open(self, explanation: str, confidence: float) -> CheckedPart:
        """The part, left open, with the names that the graph does not have. What a graph does not say may be so or not:
        however sure its reading is, an open verdict is worth half of that."""
        missing = [f"{named.missing} {named.nearest}".strip() for named in self._missing()]
        found = self._said(OPEN, " ".join(missing) or explanation, confidence / 2)
        return replace(found, unknown=tuple(named.text for named in self._missing()))

    def _said(self, verdict: Verdict, explanation: str, confidence: float) -> CheckedPart:
        return CheckedPart(self.part.text, verdict, round(confidence, 4), explanation)

    def _part(
        self,
        verdict: Verdict,
        confidence: float,
        explanation: str,
        evidence: tuple[Evidence, ...],
        graph: QueryGraph,
        result: Result,
    ) -> CheckedPart:
        text = self.part.text
        return CheckedPart(text, verdict, round(confidence, 4), explanation, evidence, graph, result.compiled.text)


def _is_written_as_name(text: str) -> bool:
    return text != text.lower() or text[:1].isdecimal()


def _is_called(label: str, word: str) -> bool:
    return is_noun(word, name_words(label)[-1])


def _without_kind(words: Sequence[str]) -> tuple[str, ...] | None:
    """The words without the noun that says what something is: "is by" for "is a film by". None where there is none."""
    for at in range(len(words) - 3):
        if words[at] in COPULAS and words[at + 1] in ("a", "an") and words[at + 2] not in FUNCTION_WORDS:
            return (*words[: at + 1], *words[at + 3 :])
    return None


def _quoted(statement: Statement) -> str:
    return repr(" ".join(word for word in statement.words if word.isalnum()))


def _confidence(combination: Combination) -> float:
    return min(choice.meaning.confidence for choice in combination)


def _combinations(choices: Sequence[Sequence[Choice]]) -> Iterator[Combination]:
    """Combinations of meanings, the best first; those with the sources that come first before all others."""

    def order(combination: Combination) -> tuple[int, float]:
        moved = sum(item.source != item.statement.source for item in combination)
        return moved, -sum(item.meaning.score for item in combination)

    most = max(2, int(MOST_COMBINED ** (1 / len(choices))))
    return iter(sorted(product(*(found[:most] for found in choices)), key=order))


def _is_tree(combination: Combination) -> bool:
    """Whether the statements of a combination join its things without a gap and without a circle, as a query graph
    has to."""
    group = {combination[0].source}
    left = [(choice.source, choice.statement.target) for choice in combination]
    while joined := [pair for pair in left if group & set(pair)]:
        if any(pair[1] in group and pair[0] in group for pair in joined):
            return False
        group |= {thing for thing in joined[0] if thing != NOBODY}
        left.remove(joined[0])
    return not left


@dataclass
class _Graph:
    """Makes the query graph of a combination; the thing `free` may be anything there, and is asked for."""

    context: Context
    part: Part
    free: int

    def of(self, combination: Combination) -> QueryGraph:
        things: list[int] = []
        edges: list[Edge] = []
        conditions: list[Condition] = []
        answer: Value | Aggregate | None = None
        extra: list[Variable] = []
        for number, choice in enumerate(combination):
            hop, target = choice.meaning.hop, choice.statement.target
            things.append(choice.source)
            source = f"x{choice.source}"
            if not hop.value:
                end = f"x{target}" if target != NOBODY else f"y{number}"
                things += [target] if target != NOBODY else []
                extra += [Variable(end)] if target == NOBODY else []
                first, second = (source, end) if hop.forward else (end, source)
                edges.append(Edge(first, (hop.relation,), second, f"r{number}", absent=choice.statement.negated))
                continue
            relation, key = split_value_relation(hop.relation)
            of = source
            if relation:
                end, of = f"y{number}", f"r{number}"
                extra.append(Variable(end))
                first, second = (source, end) if hop.forward else (end, source)
                edges.append(Edge(first, (relation,), second, of))
            named = self.part.end(target)
            if named is None or target == self.free:
                conditions.append(Condition(Value(of, key), "present"))
            if target == self.free:
                answer = Value(of, key)
            elif named is not None:
                conditions.append(Condition(Value(of, key), "=", _literals(named.text)))
        variables = [Variable(f"x{thing}", ids=self._ids(thing)) for thing in dict.fromkeys(things)]
        if answer is None:
            node = Value(f"x{self.free}" if self.free != NOBODY else variables[0].name)
            answer = node if self.free != NOBODY else Aggregate("exists", node)
        return QueryGraph((*variables, *extra), answer, tuple(edges), tuple(conditions))

    def _ids(self, thing: int) -> tuple[str, ...]:
        named: Named | None = self.part.end(thing)
        return named.ids if named is not None and thing != self.free else ()


def _literals(text: str) -> tuple[Scalar, ...]:
    """How a value may stand in the graph: as it is written, as a number, as a date."""
    found: list[Scalar] = [text]
    plain = text.replace(",", "")
    if re.fullmatch(r"-?\d+", plain):
        found.append(int(plain))
    elif re.fullmatch(r"-?\d*\.\d+", plain):
        found.append(float(plain))
    found += [written for _, written in date_texts(text)]
    return tuple(dict.fromkeys(found))
