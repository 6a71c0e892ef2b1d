"""Examples for tuning a language model from invented graphs, for a model that is to serve any graph.

A graph is made of one of the worlds of `worlds.toml`: names that nobody bears, relations under one of several names and
in one of several habits of spelling, and questions of one to three hops in the words of people. The prompts are those
of `kg-rag`; triples are chosen as `by_relations` does, the best relation whole and a few others beside it, without a
database and an encoder. So the same seed gives the same examples everywhere.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise
from random import Random
from typing import Any

from kgneo.english.names import plural
from kgneo.english.question import MaskedQuestion
from kgneo.model import Candidate, Hop, RelationPath, Step, Triple
from kgneo.prompts import Prompts
from kgneo.ranking.rank import as_sentences
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.facts import write_facts
from kgneo.stages.ground import NOT_FOUND
from kgneo.stages.rewrite import write_steps
from kgneo.text import fold
from kgneo.tuning.data import Example, Split, unsplit
from kgneo.tuning.names import make_name
from kgneo.tuning.pairs import WRONG, Pair

__all__ = ["invented_examples", "invented_pairs", "invented_split"]

DEV = 65
"""One question for dev to so many for training."""
QUESTIONS_A_GRAPH = 40
LABELLED = 0.5
"""Share of questions whose graph has a label for each kind of node."""
NODES = (6, 36)
"""Nodes of a kind in one graph, fewest and most."""
LINKS = (0.8, 0.15, 0.05)
"""How often a node has one, two or more of what a relation gives."""
MOST = 32
"""Answers after a hop from which on a chain is left out."""
UNSPLIT = 0.8
"""How often a question of several hops is answered whole, too: a small model splits it about every other time."""
SHOWN = 4
"""Answers up to which a rewritten question names all; of more it names the first ones "and others"."""
HABITS: tuple[Callable[[str], str], ...] = (
    str,
    str,
    lambda name: name.upper(),
    lambda name: re.sub(r"_(\w)", lambda found: found[1].upper(), name),
    lambda name: name.replace("_", " "),
)


@dataclass(frozen=True, slots=True)
class _Form:
    """A way to ask: about one thing, about several, and as a phrase within another question."""

    one: str
    many: str
    phrase: str

    @classmethod
    def of(cls, text: str) -> _Form:
        parts = [part.strip() for part in text.split("|")]
        return cls(parts[0], parts[-2], parts[-1])


@dataclass(frozen=True, slots=True)
class _Relation:
    """A relation of one graph: its name there, the kinds at its ends, and both ways of asking. `turned`: its triples
    stand the other way round."""

    name: str
    turned: bool
    ends: tuple[str, str]
    role: str
    forms: tuple[tuple[_Form, ...], tuple[_Form, ...]]


@dataclass(frozen=True, slots=True)
class _Hop:
    """A relation that is followed, from its first kind to its second where `forward`."""

    relation: _Relation
    forward: bool
    form: _Form

    @property
    def start(self) -> str:
        return self.relation.ends[not self.forward]

    @property
    def end(self) -> str:
        return self.relation.ends[self.forward]

    def hop(self, labels: Mapping[str, str]) -> Hop:
        """As a hop of the graph, with the label of the kind that it leads to."""
        label = labels.get(self.end)
        return Hop(self.relation.name, self.forward != self.relation.turned, (label,) if label else ())


@dataclass(frozen=True, slots=True)
class _World:
    """One invented graph: nouns of its kinds (singular, plural), and the pairs of names of each relation."""

    nouns: Mapping[str, tuple[str, str]]
    pairs: Mapping[_Relation, tuple[tuple[str, str], ...]]

    def words(self, template: str, relation: _Relation) -> str:
        """A form with the nouns of the relation's ends."""
        (one, several), (one_there, several_there) = (self.nouns[kind] for kind in relation.ends)
        for sign, noun in (("<s>", several), ("<s1>", one), ("<o>", several_there), ("<o1>", one_there)):
            template = template.replace(sign, noun)
        return template

    @property
    def ways(self) -> tuple[tuple[_Relation, bool], ...]:
        """Each relation in both directions."""
        return tuple((relation, forward) for relation in self.pairs for forward in (True, False))

    def triples(self, names: Sequence[str], hop: _Hop, used: set[Triple]) -> list[tuple[Triple, str]]:
        """The triples that the hop follows from the names, with what each leads to."""
        found = []
        for first, second in self.pairs[hop.relation]:
            start, end = (first, second) if hop.forward else (second, first)
            triple = Triple(
                *((second, hop.relation.name, first) if hop.relation.turned else (first, hop.relation.name, second))
            )
            if start in names and triple not in used:
                found.append((triple, end))
        return found


def invented_split(
    questions: int, seed: int, *, whole: bool = False, advance: Callable[[], object] = lambda: None
) -> tuple[Split[Example], Split[Pair]]:
    """Examples, and pairs, for training, in an order without rule, and of other graphs for dev. With `whole`, no
    question is split."""
    examples = list(invented_examples(questions, f"{seed}", whole=whole, advance=advance))
    Random(seed).shuffle(examples)  # noqa: S311 - examples are no secret
    dev = -(-questions // DEV)
    pairs = list(invented_pairs(questions, f"{seed}")), list(invented_pairs(dev, f"{seed} dev"))
    return (examples, list(invented_examples(dev, f"{seed} dev", whole=whole))), pairs


def invented_examples(
    questions: int, seed: str, *, whole: bool = False, advance: Callable[[], object] = lambda: None
) -> Iterator[Example]:
    """The examples of so many questions, over as many graphs as they need; `advance` is called after each question."""
    prompts = Prompts()
    for world, asked, random in _questions(questions, seed):
        if asked is not None:
            lesson = _Lesson(world, asked, prompts, random)
            yield from lesson.unsplit() if whole else lesson.examples()
        advance()


def invented_pairs(questions: int, seed: str) -> Iterator[Pair]:
    """The pairs of so many questions (`kgneo.tuning.pairs`), over as many graphs as they need."""
    for world, asked, random in _questions(questions, f"{seed} pairs"):
        if asked is not None:
            yield from _Texts(world, asked, labelled=random.random() < LABELLED).pairs(random)


def _questions(questions: int, seed: str) -> Iterator[tuple[_World, _Asked | None, Random]]:
    """Questions, each with its graph and with what chance is drawn from; None where one has no answers."""
    random = Random(f"kgneo invented {seed}")  # noqa: S311 - examples are no secret
    world = _world(random)
    for number in range(questions):
        if number and number % QUESTIONS_A_GRAPH == 0:
            world = _world(random)
        yield world, _asked(world, random), random


@cache
def _worlds() -> dict[str, Any]:
    return tomllib.loads(files("kgneo.tuning").joinpath("worlds.toml").read_text(encoding="utf-8"))


def _world(random: Random) -> _World:
    """A graph of one of the worlds."""
    known = _worlds()
    world = known[random.choice(sorted(known))]
    nouns, names = {}, {}
    for kind, described in world["kinds"].items():
        noun = random.choice(described["nouns"])
        nouns[kind] = (noun, described.get("plural", plural(noun)))
        count = random.randint(*NODES)
        given = described["names"]
        made = random.sample(given, min(len(given), count)) if isinstance(given, list) else []
        while not made or (isinstance(given, str) and len(made) < count):
            made.append(make_name(given, random))
        names[kind] = sorted(set(made))
    habit = random.choice(HABITS)
    pairs: dict[_Relation, tuple[tuple[str, str], ...]] = {}
    for described in world["relations"]:
        turned = random.random() < 0.25 and bool(described["turned"])
        relation = _Relation(
            habit(random.choice(described["turned" if turned else "names"])),
            turned,
            (described["ends"][0], described["ends"][1]),
            described["role"],
            (tuple(map(_Form.of, described["from"])), tuple(map(_Form.of, described["to"]))),
        )
        if relation.name not in {other.name for other in pairs}:
            pairs[relation] = _pairs(names[relation.ends[0]], names[relation.ends[1]], random)
    return _World(nouns, pairs)


def _pairs(first: Sequence[str], second: Sequence[str], random: Random) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    several = random.random() < 0.4
    # A few are much linked, as in any graph.
    weights = [1 / (1 + random.randrange(len(second))) for _ in second]
    for name in first:
        count = random.randint(1, 5) if several else random.choices((1, 2, 3), LINKS)[0]
        for other in random.choices(second, weights, k=count):
            if other != name:
                found[name, other] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question: its topic, its text, its hops, one part a hop (later ones with a reference to the answers before),
    the references, and the answers after each hop, in the order of their triples."""

    topic: str
    text: str
    hops: tuple[_Hop, ...]
    parts: tuple[str, ...]
    references: tuple[str, ...]
    triples: tuple[tuple[Triple, ...], ...]
    answers: tuple[tuple[str, ...], ...]


def _asked(world: _World, random: Random) -> _Asked | None:
    """A question about the world; None where the one that was tried has no answers or too many."""
    hops = _hops(world, random)
    start = sorted({pair[not hops[0].forward] for pair in world.pairs[hops[0].relation]})
    topic = random.choice(start)
    names: tuple[str, ...] = (topic,)
    used: set[Triple] = set()
    triples, answers = [], []
    for hop in hops:
        found = world.triples(names, hop, used)
        used |= {triple for triple, _ in found}
        names = tuple(dict.fromkeys(end for _, end in found if end != topic))
        if not names or len(names) > MOST:
            return None
        triples.append(tuple(triple for triple, _ in found))
        answers.append(names)
    parts, references = _parts(world, topic, hops, random)
    text = _spoken(_whole(world, topic, hops, random), random)
    return _Asked(topic, text, hops, parts, references, tuple(triples), tuple(answers))


def _hops(world: _World, random: Random) -> tuple[_Hop, ...]:
    """One to three hops, each from where the one before ends; there and back along one relation is as likely as on."""
    number = random.choices((1, 2, 3), (0.3, 0.4, 0.3))[0]
    relation = random.choice(list(world.pairs))
    hops = [_hop(relation, random.random() < 0.55, random)]
    while len(hops) < number:
        last = hops[-1]
        back = _hop(last.relation, not last.forward, random)
        if random.random() < 0.45 and (len(hops) == 1 or hops[-2].relation is not last.relation):
            hops.append(back)
            continue
        onward = [
            (other, forward)
            for other in world.pairs
            for forward in (True, False)
            if other.ends[not forward] == last.end and other is not last.relation
        ]
        if not onward:
            return tuple(hops)
        hops.append(_hop(*random.choice(onward), random))
    return tuple(hops)


def _hop(relation: _Relation, forward: bool, random: Random) -> _Hop:
    return _Hop(relation, forward, random.choice(relation.forms[forward]))


def _parts(world: _World, topic: str, hops: Sequence[_Hop], random: Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One question a hop, and what each refers to."""
    references, parts = [topic], [_sentence(world.words(hops[0].form.one, hops[0].relation).replace("{}", topic))]
    for before, hop in pairwise(hops):
        reference = f"those {_noun(world, before)}"
        references.append(reference)
        text = world.words(hop.form.many, hop.relation)
        if _returns(before, hop) and random.random() < 0.5:
            noun = world.nouns[hop.end][1]
            text = text.replace(noun, f"other {noun}", 1)
        parts.append(_sentence(text.replace("{}", reference)))
    return tuple(parts), tuple(references)


def _noun(world: _World, hop: _Hop) -> str:
    """What the answers of a hop are called: by their part in the relation, or by their kind."""
    return plural(hop.relation.role) if hop.forward else world.nouns[hop.end][1]


def _whole(world: _World, topic: str, hops: Sequence[_Hop], random: Random) -> str:
    """The question in one sentence."""
    phrase, number = topic, 0
    if len(hops) == 1:
        return world.words(hops[0].form.one, hops[0].relation).replace("{}", topic)
    while number < len(hops) - 1:
        hop = hops[number]
        if number + 2 < len(hops) and _returns(hop, hops[number + 1]) and random.random() < 0.7:
            phrase = random.choice(SHARING).format(phrase, **_nouns(world, hop))
            number += 2
            continue
        phrase = world.words(hop.form.phrase, hop.relation).replace("{}", phrase)
        number += 1
    last = hops[-1]
    if len(hops) > 1 and _returns(hops[-2], last) and random.random() < 0.7:
        inner = topic
        if len(hops) == 3:
            inner = world.words(hops[0].form.phrase, hops[0].relation).replace("{}", topic)
        return random.choice(SHARED).format(inner, **_nouns(world, hops[-2]))
    return world.words(last.form.many, last.relation).replace("{}", phrase)


SHARING = (
    "the {kinds} that share {roles} with {}",
    "the {kinds} that share a {role} with {}",
    "the {kinds} with the same {role} as {}",
    "the {kinds} that have the same {role} as {}",
    "the {kinds} whose {roles} are also {roles} of {}",
    "the other {kinds} of the {roles} of {}",
    "the {kinds} that have a {role} in common with {}",
)
"""Phrases for there and back along one relation."""
SHARED = (
    "which {kinds} share the {role} with {}",
    "what {kinds} share {roles} with {}",
    "which {kinds} have the same {role} as {}",
    "what other {kinds} have the {role} of {}",
    "which {kinds} have a {role} in common with {}",
    "the {role} of {} is also the {role} of which {kinds}",
    "name the {kinds} with the same {role} as {}",
)


def _nouns(world: _World, hop: _Hop) -> dict[str, str]:
    """For a way there and back: the nouns of what stands at its end, and of what is shared."""
    if hop.forward:
        role = hop.relation.role
        return {"kinds": world.nouns[hop.start][1], "role": role, "roles": plural(role)}
    one, several = world.nouns[hop.end]
    return {"kinds": plural(hop.relation.role), "role": one, "roles": several}


def _returns(before: _Hop, hop: _Hop) -> bool:
    return before.relation is hop.relation and before.forward != hop.forward


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "?"


def _spoken(text: str, random: Random) -> str:
    """A question as people type it: often without its sign and capital."""
    if random.random() < 0.4:
        text = text[0].upper() + text[1:]
    return text + random.choice(("", "?", "?"))


@dataclass
class _Lesson:
    """The prompts of one question with the right replies."""

    world: _World
    asked: _Asked
    prompts: Prompts
    random: Random
    steps: list[Step] = field(default_factory=list)

    def examples(self) -> Iterator[Example]:
        """Those of `kg-rag`, in its order."""
        asked = self.asked
        yield self._example("decompose", self._plan(), question=asked.text)
        if len(asked.hops) > 1 and self.random.random() < UNSPLIT:
            yield self._unsplit()
        for number in range(len(asked.hops)):
            part = asked.parts[number] if len(asked.hops) > 1 else asked.text
            if number:
                whole = part.replace(asked.references[number], _some(asked.answers[number - 1]))
                yield self._example("rewrite", whole, question=part, earlier=write_steps(self.steps))
                part = whole
            yield self._answer(number, part)
            answers = asked.answers[number]
            self.steps.append(Step(part, "; ".join(answers), answers))
        if len(asked.hops) > 1:
            yield self._example(
                "synthesise",
                "; ".join(asked.answers[-1]),
                question=asked.text,
                steps=write_steps(self.steps),
                reasoning=_reasoning(self.world, asked),
            )

    def unsplit(self) -> Iterator[Example]:
        """Those of a model that leaves every question whole."""
        yield self._example("decompose", unsplit(self.asked.topic, len(self.asked.hops)), question=self.asked.text)
        yield self._unsplit() if len(self.asked.hops) > 1 else self._answer(0, self.asked.text)

    def _example(self, task: str, reply: str, **variables: str) -> Example:
        names = frozenset({self.asked.topic}.union(*self.asked.answers))
        messages = tuple(self.prompts.messages(task, **variables))
        return Example(task, messages, reply, frozenset({self.asked.topic}), names)

    def _plan(self) -> str:
        asked = self.asked
        if len(asked.hops) == 1:
            return unsplit(asked.topic, 1)
        listed = [f"{number}. {part}" for number, part in enumerate(asked.parts, start=1)]
        return "\n".join(["Split: yes", f"Reasoning: {_reasoning(self.world, asked)}", *listed, "<END>"])

    def _answer(self, number: int, part: str) -> Example:
        """From the triples of the right relation among those of others; now and then the right one is missing."""
        asked, hop = self.asked, self.asked.hops[number]
        names = asked.answers[number - 1] if number else (asked.topic,)
        used = {triple for before in asked.triples[:number] for triple in before}
        groups = self._others(names, hop, used)
        if groups and self.random.random() < 0.12:
            shown = {name for triples in groups for triple in triples for name in (triple.subject, triple.object)}
            if not shown & set(asked.answers[number]):
                return self._example("answer", NOT_FOUND, question=part, facts=self._facts(groups))
        # Ranking puts the right relation first nearly always.
        place = 0 if self.random.random() < 0.8 else self.random.randint(0, len(groups))
        groups.insert(place, asked.triples[number])
        facts = self._facts(groups)
        return self._example("answer", "; ".join(_in_order(asked.answers[number], facts)), question=part, facts=facts)

    def _unsplit(self) -> Example:
        """The whole question beside the triples of all its hops, and now and then others of what it names."""
        asked = self.asked
        used = {triple for triples in asked.triples for triple in triples}
        facts = self._facts([*asked.triples, *self._others((asked.topic,), asked.hops[0], used)])
        reply = "; ".join(_in_order(asked.answers[-1], self._facts(asked.triples[-1:])))
        return self._example("answer", reply, question=asked.text, facts=facts)

    def _others(self, names: Sequence[str], hop: _Hop, used: set[Triple]) -> list[tuple[Triple, ...]]:
        """Triples of a few other relations of the same nodes, as many as `by_relations` would show."""
        kind = hop.start
        ways = [
            _Hop(relation, forward, hop.form)
            for relation, forward in self.world.ways
            if relation.ends[not forward] == kind and (relation, forward) != (hop.relation, hop.forward)
        ]
        found = []
        for way in self.random.sample(ways, min(len(ways), self.random.choices(range(4), (0.3, 0.3, 0.2, 0.2))[0])):
            triples = tuple(triple for triple, _ in self.world.triples(names, way, used))
            if 0 < len(triples) <= MOST and way.relation is not hop.relation:
                found.append(triples)
        return found

    def _facts(self, groups: Sequence[Sequence[Triple]]) -> str:
        return write_facts([Candidate(triple, 1) for triples in groups for triple in triples], "groups")


@dataclass(frozen=True, slots=True)
class _Texts:
    """What an encoder compares with one question, over a graph with or without labels."""

    world: _World
    asked: _Asked
    labelled: bool

    def pairs(self, random: Random) -> Iterator[Pair]:
        """Those of the path, of each hop's relation, and of the triples."""
        asked = self.asked
        names = frozenset({asked.topic}.union(*asked.answers))
        right, wrong = self._sentences(asked.text, asked.topic, asked.hops, len(asked.hops))
        found = [("path", right, wrong)]
        if len(asked.hops) > 1:
            for part, reference, hop in zip(asked.parts, asked.references, asked.hops, strict=True):
                found.append(("relation", *self._sentences(part, reference, (hop,), 1)))
        found.append(("triples", *self._triples()))
        for task, (question, *texts), others in found:
            if others:
                drawn = random.sample(others, WRONG) if len(others) > WRONG else others
                yield Pair(task, question, tuple(texts), tuple(drawn), frozenset({asked.topic}), names)

    def _sentences(self, text: str, topic: str, hops: Sequence[_Hop], longest: int) -> tuple[list[str], list[str]]:
        """The question without its topic and the wording of its path; the wordings of others that leave the topic."""
        start = text.find(topic)
        spans = ((start, start + len(topic)),) if start >= 0 else ()
        labels = {kind: noun for kind, (noun, _) in self.world.nouns.items()} if self.labelled else {}
        label = labels.get(hops[0].start)
        question = MaskedQuestion(text, spans, (label,) if label else ())
        paths = [RelationPath(tuple(hop.hop(labels) for hop in hops))]
        paths += [RelationPath(tuple(hop.hop(labels) for hop in way)) for way in self._ways(hops[0].start, longest)]
        asked, right, *others = as_sentences(question, paths, {})
        return [asked, right], sorted(set(others) - {right})

    def _ways(self, kind: str, longest: int) -> list[tuple[_Hop, ...]]:
        """All ways of up to so many hops, and one more, that leave a kind."""
        form = self.asked.hops[0].form
        each = [_Hop(relation, forward, form) for relation, forward in self.world.ways]
        frontier: list[tuple[_Hop, ...]] = [(hop,) for hop in each if hop.start == kind]
        found = list(frontier)
        for _ in range(min(longest, MAX_HOPS - 1)):
            frontier = [(*way, hop) for way in frontier for hop in each if hop.start == way[-1].end]
            found += frontier
        return found

    def _triples(self) -> tuple[list[str], list[str]]:
        """The question and the triples along its path; other triples of the entities on the way."""
        asked = self.asked
        right = list(dict.fromkeys(triple.text for triples in asked.triples for triple in triples))
        at_hand = [(asked.topic,), *asked.answers[:-1]]
        wrong = {
            triple.text
            for names, hop in zip(at_hand, asked.hops, strict=True)
            for relation, forward in self.world.ways
            if relation.ends[not forward] == hop.start
            for triple, _ in self.world.triples(names, _Hop(relation, forward, hop.form), set())
        }
        return [asked.text, *right], sorted(wrong - set(right))


def _reasoning(world: _World, asked: _Asked) -> str:
    nouns = [_noun(world, hop) for hop in asked.hops]
    return f"First the {nouns[0]} of {asked.topic}, then {', then '.join(f'their {noun}' for noun in nouns[1:])}."


def _some(names: Sequence[str]) -> str:
    """The names in a sentence; of many the first ones."""
    if len(names) > SHOWN:
        return f"{', '.join(names[: SHOWN - 1])} and others"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _in_order(names: Sequence[str], facts: str) -> list[str]:
    """The names as they come in the facts."""
    text = fold(facts)
    return sorted(names, key=lambda name: text.find(fold(name)))
