"""Steps: what the words of a statement can mean in the graph.

Comes in: a statement about two things, of which at least one is named. Goes out: the steps (relations with a direction,
properties) that can lead from its source to its target, best first. The words are ranked against all steps that things
of this kind have in the graph, whether these two have them or not: what is said is decided before it is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.english.claims import SOURCE, TARGET
from kgneo.english.question import MaskedQuestion
from kgneo.english.voice import said_forward
from kgneo.english.words import FUNCTION_WORDS, LIGHT_VERBS
from kgneo.graph.statistics import HopStatistics, fan_outs
from kgneo.model import Hop, RelationPath
from kgneo.ranking.rank import RankedPath, rank_paths
from kgneo.ranking.value_steps import corrections
from kgneo.stages.ranking import ranking
from kgneo.verification.named import Named

KEY = "verification"
FITTING = 0.5
"""Points of score that it is worth that a step fits the kinds of things at both its ends."""
WRONG_WAY = 1.0
"""Points of score that a step costs that goes against what the words say, where its ends could be exchanged."""
FUNCTIONAL = 1.25
"""Things that a step leads to on average, up to which it is taken to lead to one."""
SEVERAL = 2.0
"""The same from which on it is taken to lead to several by what it says."""
LONGER = 3.0
"""How many times as long as the list of the way back a list may be that is taken to be whole."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A step that a statement's words can mean, from its source to its target: its score, the probability that it is
    meant, and whether it fits the kinds of things at both ends."""

    hop: Hop
    score: float
    confidence: float
    fits: bool


class Steps:
    """The steps that a graph has, by the kind of thing that they leave."""

    def __init__(self, context: Context) -> None:
        self._knowledge = context.knowledge
        self._fan_outs: dict[str, tuple[float, float]] = {}
        self.hops = {str(item.hop): item for item in context.record.statistics.hops}
        self._possible: dict[frozenset[str], frozenset[str]] = {}

    @classmethod
    def of(cls, context: Context) -> Steps:
        """Those of a context, made once."""
        kept = context.memory.get(KEY)
        if not isinstance(kept, Steps):
            kept = cls(context)
            context.memory[KEY] = kept
        return kept

    def possible(self, named: Named) -> frozenset[str]:
        """The steps that leave things of the same kind: those that can follow a step onto a thing that has the steps
        of this one."""
        if named.hops not in self._possible:
            found = set(named.hops)
            for name in named.hops:
                back = self.hops.get(reversed_name(name))
                if back is not None and not back.value:
                    found.update(back.onward)
            self._possible[named.hops] = frozenset(found & self.hops.keys())
        return self._possible[named.hops]

    def leads_to(self, hop: Hop, named: Named) -> bool:
        """Whether a step leads to things of the kind of `named`."""
        if hop.value or named.value:
            return hop.value and named.value
        return reversed_name(str(hop)) in self.possible(named)

    def back(self, hop: Hop) -> HopStatistics | None:
        """The step that leads back."""
        return self.hops.get(reversed_name(str(hop)))

    def fan_out(self, hop: Hop) -> float:
        """How many things a step leads to on average. An estimate from the schema alone does not tell, so that a graph
        without an index is looked at."""
        knowledge, known = self._knowledge, self.hops[str(hop)]
        if hop.value or knowledge.embedded or knowledge.shape.loaded:
            return known.fan_out
        if hop.relation not in self._fan_outs:
            self._fan_outs[hop.relation] = fan_outs(knowledge.graph, hop.relation, knowledge.shape)
        return self._fan_outs[hop.relation][not hop.forward]

    def functional(self, hop: Hop) -> bool:
        """Whether a step leads to one thing, and the step back to more: from a film to its director. Where both lead to
        one, it is the step that goes with the relation: from a country to its capital."""
        back = self.back(hop)
        if hop.value or back is None or str(hop) not in self.hops:
            return hop.value
        return self.single(hop) and (self.fan_out(hop), not hop.forward) < (self.fan_out(back.hop), hop.forward)

    def surely(self, hop: Hop) -> bool:
        """Whether a step leads to one thing by what the relation says, not by chance: it goes with the relation, or
        leads to no more than one from anything, and the other way to several."""
        back = self.back(hop)
        always = back is not None and self.fan_out(hop) <= 1 and self.fan_out(back.hop) >= SEVERAL
        return self.functional(hop) and (hop.forward or always)

    def single(self, hop: Hop) -> bool:
        """Whether a step leads to one thing, whatever the way back does."""
        return str(hop) in self.hops and self.fan_out(hop) <= FUNCTIONAL

    def whole(self, hop: Hop) -> bool:
        """Whether what a step leads to can be taken for a whole list: not where the way back leads to one thing, or
        this list is much longer than that, as the works of a kind are."""
        back = self.back(hop)
        if hop.value or str(hop) not in self.hops or back is None or self.functional(back.hop):
            return False
        return self.fan_out(hop) <= LONGER * self.fan_out(back.hop)

    def fits(self, hop: Hop, source: Named | None, target: Named | None) -> bool:
        """Whether a step can leave things of the source's kind and lead to such of the target's, where these are
        known."""
        leaves = source is None or source.value or str(hop) in self.possible(source)
        return leaves and (target is None or self.leads_to(hop, target))


def reversed_name(name: str) -> str:
    """The name of the step that leads back: "^directed_by" for "directed_by"."""
    return name.removeprefix("^") if name.startswith("^") else f"^{name}"


def meanings(
    context: Context, words: Sequence[str], source: Named | None, target: Named | None, *, noun: str = ""
) -> list[Meaning]:
    """The steps that `words`, with `SOURCE` and `TARGET` in them, can mean, best first. Of an unnamed end (None) `noun`
    says what it is called; a name that the graph does not have tells as little."""
    steps = Steps.of(context)
    source, target = (None if end is not None and end.missing else end for end in (source, target))
    candidates = _candidates(steps, source, target)
    sides: list[dict[str, RankedPath]] = []
    if source is not None and not source.value:
        sides.append(_ranked(context, words, SOURCE, source, candidates, noun if target is None else ""))
    if target is not None and not target.value:
        back = [hop for name in candidates if (hop := _reverse(steps, name)) is not None]
        ranked = _ranked(context, words, TARGET, target, [str(hop) for hop in back], noun if source is None else "")
        sides.append({reversed_name(name): item for name, item in ranked.items()})
    found = [_meaning(steps, name, sides, source, target) for name in candidates]
    kept = {str(item.hop): item for item in found if item is not None}
    names = context.record.statistics.readable_names
    turned = [_turned(item, kept.get(reversed_name(name)), words, names) for name, item in kept.items()]
    return sorted(turned, key=lambda item: -item.score)


def _turned(item: Meaning, back: Meaning | None, words: Sequence[str], names: Mapping[str, str]) -> Meaning:
    """The meaning, with what it costs where the words say the relation the other way round."""
    if back is None or not (item.fits and back.fits):
        return item
    forward = said_forward(words, names.get(item.hop.relation, item.hop.relation), SOURCE, TARGET)
    return item if forward in (None, item.hop.forward) else replace(item, score=item.score - WRONG_WAY)


def _candidates(steps: Steps, source: Named | None, target: Named | None) -> list[str]:
    """Steps from the source to the target, of those that either end can have."""
    found: list[str] = []
    if source is not None and not source.value:
        found += sorted(steps.possible(source))
    if target is not None and not target.value:
        found += sorted(reversed_name(name) for name in steps.possible(target))
    known = [name for name in dict.fromkeys(found) if name in steps.hops]
    if target is not None:
        known = [name for name in known if steps.hops[name].value == target.value]
    return known


def _reverse(steps: Steps, name: str) -> Hop | None:
    found = steps.hops.get(reversed_name(name))
    return found.hop if found is not None and not found.value else None


def _ranked(
    context: Context, words: Sequence[str], mark: str, topic: Named, names: Sequence[str], noun: str
) -> dict[str, RankedPath]:
    """The steps that leave `topic`, ranked against a statement's words as a question about what they lead to."""
    steps = Steps.of(context)
    paths = [RelationPath((steps.hops[name].hop,)) for name in names if name in steps.hops]
    question = as_question(words, mark, topic.labels, noun)
    cache, statistics = ranking(context)
    correction = corrections(question, context.record.statistics, ())
    ranked = rank_paths(
        question, paths, encoder=context.encoder, statistics=statistics, cache=cache, correction=correction
    )
    return {str(item.path.hops[0]): item for item in ranked}


def as_question(words: Sequence[str], mark: str, labels: Sequence[str], noun: str) -> MaskedQuestion:
    """A statement as a question about what is at its other end: "which film", where that is called one."""
    other = TARGET if mark == SOURCE else SOURCE
    kept = [word for word in words if word != other]
    if noun:
        kept = ["which", noun, *kept]
    text = ""
    spans: list[tuple[int, int]] = []
    for word in kept:
        text += " " if text else ""
        if word == mark:
            spans.append((len(text), len(text) + 1))
        text += "X" if word == mark else word
    return MaskedQuestion(text, tuple(spans), tuple(labels))


def _meaning(
    steps: Steps, name: str, sides: Sequence[dict[str, RankedPath]], source: Named | None, target: Named | None
) -> Meaning | None:
    ranked = [side[name] for side in sides if name in side]
    if not ranked:
        return None
    score = sum(item.score for item in ranked) / len(ranked)
    hop = steps.hops[name].hop
    fits = steps.fits(hop, source, target)
    return Meaning(hop, score + FITTING * fits, max(item.confidence for item in ranked), fits)


def says_nothing(words: Iterable[str]) -> bool:
    """Whether the words of a statement name no relation, so that only the kinds of its things tell one: "X is of Y"."""
    return all(word in FUNCTION_WORDS | LIGHT_VERBS or word in (SOURCE, TARGET, "'s") for word in words)
