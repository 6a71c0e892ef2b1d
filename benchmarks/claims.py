"""Claims of FactKG's five kinds made from graphs, and how many of the verdicts without a model are right.

    [KGNEO_METAQA=…] [KGNEO_SPIDER=…] python -m benchmarks.claims [SET …] [--number N] [--seed S] [--write FILE]
        [--no-entities] [--graph NAME …] [--quiet] [--confidence]

The sets: `metaqa` (KGNEO_METAQA names the folder of `kb.txt`), `hand-made`, all graphs of tests/graphs and
benchmarks/graphs, and `written`, claims written by hand about some of the latter (`claims.jsonl` in a graph's folder),
with names, numbers and kinds among them that the graph does not have (`unknown`); how many claims with one of these
are supported is told besides. `databases` are the claims of database_claims.jsonl, written from graphs of KGNEO_SPIDER
alone, before anything was made that reads them; `--graph` names those that are measured, and `--quiet` tells no single
claim, for graphs that nothing may be mended on. `--confidence` tells how often verdicts of some confidence are right.
Of the first two, a claim is one-hop, a conjunction, an existence, multi-hop or a negation, written or colloquial, and
supported, refuted or open; which of these is drawn by the seed, what the graph holds tells the label:

- supported: the triples are there;
- refuted: in one of them the end of the longer list is another thing of that relation, which the other end does not
  have, though it has some ("film directed by the director of other films");
- open ("not enough evidence"): the end with the shorter list has nothing by that relation, or the graph has no such
  relation at all.

An existence is supported or open, since no graph says that something is missing. `--write` keeps the claims in a file
for `kgneo eval claims`. What went wrong is written to standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from benchmarks.common import empty, metaqa_folder, report, scratch_graph, table
from benchmarks.databases import VARIABLE as DATABASES
from benchmarks.databases import fill as fill_database
from benchmarks.hand_made import GRAPHS
from benchmarks.hand_made import fill as fill_hand_made
from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.encoders.encoder import load_encoder
from kgneo.english.names import is_past, name_words
from kgneo.english.words import LIGHT_WORDS, PREPOSITIONS
from kgneo.evaluation.claims import HEADER, Claim, Judged, judge, read_claims, rows_of
from kgneo.graph import Graph
from kgneo.graph.cypher import shown_name
from kgneo.graph.load import load
from kgneo.graph.names import LoadedNames
from kgneo.graph.open import Knowledge
from kgneo.graph.record import count_triples, new_record
from kgneo.graph.shape import LOADED
from kgneo.graph.statistics import read_statistics
from kgneo.loader import open_source, read_triples
from kgneo.settings import Settings, open_graph
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED, Verdict

KINDS = ("one-hop", "conjunction", "existence", "multi-hop", "negation")
LABELS: tuple[Verdict, ...] = (SUPPORTED, SUPPORTED, REFUTED, REFUTED, OPEN)
PHRASES = Path(__file__).with_name("claims.json")
WRITTEN = "claims.jsonl"
DATABASE_CLAIMS = Path(__file__).with_name("database_claims.jsonl")
TRIES = 400
FUNCTIONAL = 1.25
FOREIGN = (
    "was inspired by {o}",
    "insulted {o}",
    "is allergic to {o}",
    "is named after {o}",
    "donated money to {o}",
    "was sued by {o}",
    "is afraid of {o}",
)
"""What no graph here says of anything."""
OPENINGS = (
    "Yeah, I know that {}",
    "Did you know that {}?",
    "I have heard that {}.",
    "Well, {}!",
    "Really? I thought {}.",
    "I'm pretty sure that {}.",
    "Oh wow, {}, right?",
    "As far as I remember, {}.",
    "You know, {}.",
    "My friend told me that {}.",
)


@dataclass(frozen=True)
class Phrases:
    """How a relation is said: verb phrases of its subject (`{o}` is the object) and of its object (`{s}`), nouns for
    what stands at its ends without a name, and phrases that say that the subject has it."""

    of_subject: tuple[str, ...]
    of_object: tuple[str, ...] = ()
    subject: str = "something"
    object: str = "something"
    exists: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fact:
    """A triple by names."""

    subject: str
    relation: str
    object: str


@dataclass
class World:
    """The triples of a graph that claims are made of, `facts`, and `every` triple, by which labels are told: names that
    several nodes share are in no claim. `subjects` and `objects` of each relation, and what each end has by it."""

    facts: list[Fact]
    every: list[Fact]
    phrases: dict[str, Phrases]
    of: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    to: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    relations_of: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    relations_to: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    lengths: dict[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for fact in self.every:
            self.of[fact.subject, fact.relation].add(fact.object)
            self.to[fact.object, fact.relation].add(fact.subject)
            self.relations_of[fact.subject].add(fact.relation)
            self.relations_to[fact.object].add(fact.relation)
        self.subjects: dict[str, list[str]] = defaultdict(list)
        self.objects: dict[str, list[str]] = defaultdict(list)
        for fact in self.facts:
            self.subjects[fact.relation].append(fact.subject)
            self.objects[fact.relation].append(fact.object)
        for ends in (self.subjects, self.objects):
            for relation, names in ends.items():
                ends[relation] = list(dict.fromkeys(names))
        self.drawn = {name for fact in self.facts for name in (fact.subject, fact.object)}

    def subject_closed(self, relation: str) -> bool:
        """Whether it is the subject that speaks against a claim by what it has by a relation, not the object: its list
        is not the longer one, or neither is of one thing alone."""
        if relation not in self.lengths:
            pairs = {(fact.subject, fact.object) for fact in self.every if fact.relation == relation}
            self.lengths[relation] = (
                len(pairs) / len({subject for subject, _ in pairs}),
                len(pairs) / len({object_ for _, object_ in pairs}),
            )
        there, back = self.lengths[relation]
        return there <= back or back > FUNCTIONAL

    def others(self, fact: Fact, draw: random.Random) -> Fact | None:
        """The fact with another thing at the end of the longer list, which makes it false."""
        closed = self.subject_closed(fact.relation)
        pool = self.objects[fact.relation] if closed else self.subjects[fact.relation]
        known = self.of[fact.subject, fact.relation] if closed else self.to[fact.object, fact.relation]
        own = {fact.subject, fact.object}
        for _ in range(20):
            name = draw.choice(pool)
            if name not in known and name not in own:
                return Fact(fact.subject, fact.relation, name) if closed else Fact(name, fact.relation, fact.object)
        return None

    def lacking(self, fact: Fact, draw: random.Random) -> Fact | None:
        """The fact with a thing at the end of the shorter list that has nothing by that relation, but another relation
        that things there have."""
        closed = self.subject_closed(fact.relation)
        end = fact.subject if closed else fact.object
        has = self.relations_of if closed else self.relations_to
        shared = sorted(has[end] - {fact.relation})
        for _ in range(60 if shared else 0):
            relation = draw.choice(shared)
            pool = (self.subjects if closed else self.objects)[relation]
            name = draw.choice(pool) if pool else ""
            if name and fact.relation not in has[name] and name not in (fact.subject, fact.object):
                return Fact(name, fact.relation, fact.object) if closed else Fact(fact.subject, fact.relation, name)
        return None

    def leaving(self, subject: str, relation: str) -> list[str]:
        """What a subject has by a relation, of the things that claims name."""
        return sorted(self.of[subject, relation] & self.drawn)

    def reaching(self, object: str, relation: str) -> list[str]:  # noqa: A002
        """The same for an object."""
        return sorted(self.to[object, relation] & self.drawn)


@dataclass
class Maker:
    """Makes claims of a graph's world."""

    world: World
    draw: random.Random

    def make(self, kind: str, label: Verdict) -> Claim | None:
        """A claim of this kind and label, None where the draw led nowhere."""
        makers: dict[str, Callable[[Verdict], tuple[str, list[str]] | None]] = {
            "one-hop": self._one_hop,
            "conjunction": self._conjunction,
            "existence": self._existence,
            "multi-hop": self._multi_hop,
            "negation": self._negation,
        }
        made = makers[kind](label)
        if made is None:
            return None
        text, names = made
        style = self.draw.choice(("written", "colloquial"))
        return Claim(self._styled(text, style), label, kind, tuple(dict.fromkeys(names)), style)

    def _styled(self, text: str, style: str) -> str:
        if style == "written":
            return f"{text[0].upper()}{text[1:]}."
        return self.draw.choice(OPENINGS).format(text)

    def _fact(self) -> Fact:
        relation = self.draw.choice(sorted(self.world.phrases))
        subject = self.draw.choice(self.world.subjects[relation])
        return Fact(subject, relation, self.draw.choice(self.world.leaving(subject, relation)))

    def _labelled(self, label: Verdict) -> Fact | None:
        """A fact that is true, false, or left open for want of the relation."""
        fact = self._fact()
        if label == SUPPORTED:
            return fact
        return self.world.others(fact, self.draw) if label == REFUTED else self.world.lacking(fact, self.draw)

    def _said(self, fact: Fact, *, subject: str = "", object: str = "") -> str:  # noqa: A002
        """A fact as a sentence; `subject` and `object` stand in the place of its names."""
        phrases = self.world.phrases[fact.relation]
        first, second = subject or fact.subject, object or fact.object
        ways = [f"{first} {way.format(o=second)}" for way in phrases.of_subject]
        ways += [f"{second} {way.format(s=first)}" for way in phrases.of_object]
        return self.draw.choice(ways)

    def _verb(self, fact: Fact, of: str) -> str | None:
        """What is said of the end `of` of a fact."""
        phrases = self.world.phrases[fact.relation]
        if of == fact.subject:
            return self.draw.choice(phrases.of_subject).format(o=fact.object)
        return self.draw.choice(phrases.of_object).format(s=fact.subject) if phrases.of_object else None

    def _one_hop(self, label: Verdict) -> tuple[str, list[str]] | None:
        if label == OPEN and self.draw.random() < 0.4:
            first, second = self._fact(), self._fact()
            said = self.draw.choice(FOREIGN).format(o=second.object)
            return f"{first.subject} {said}", [first.subject, second.object]
        fact = self._labelled(label)
        return (self._said(fact), [fact.subject, fact.object]) if fact else None

    def _negation(self, label: Verdict) -> tuple[str, list[str]] | None:
        fact = self._labelled({SUPPORTED: REFUTED, REFUTED: SUPPORTED, OPEN: OPEN}[label])
        if fact is None:
            return None
        of = self.draw.choice((fact.subject, fact.object))
        verb = self._verb(fact, of) or self._verb(fact, of := fact.subject)
        assert verb is not None
        return f"{of} {_negated(verb, self.draw)}", [fact.subject, fact.object]

    def _existence(self, label: Verdict) -> tuple[str, list[str]] | None:
        if label == REFUTED:
            return None
        fact = self._labelled(label)
        if fact is None:
            return None
        phrases = self.world.phrases[fact.relation]
        closed = self.world.subject_closed(fact.relation)
        ways = [(f"{fact.subject} {way}", fact.subject) for way in phrases.exists if closed]
        if closed and "{o}" in "".join(phrases.of_subject):
            ways += [
                (f"{fact.subject} {way.format(o=_some(phrases.object))}", fact.subject) for way in phrases.of_subject
            ]
        if not closed or label == SUPPORTED:
            ways += [
                (f"{fact.object} {way.format(s=_some(phrases.subject))}", fact.object) for way in phrases.of_object
            ]
        if not ways:
            return None
        text, name = self.draw.choice(ways)
        return text, [name]

    def _conjunction(self, label: Verdict) -> tuple[str, list[str]] | None:
        first = self._fact()
        second = self._beside(first, label)
        if second is None or second == first:
            return None
        names = [first.subject, first.object, second.subject, second.object]
        shared = next((name for name in (first.subject, first.object) if name in (second.subject, second.object)), None)
        if shared is None:
            return None
        one, two = self._verb(first, shared), self._verb(second, shared)
        if one is None or two is None:
            return None
        if shared == first.subject or self.draw.random() < 0.4:
            forms = (f"{shared} {one} and {two}", f"{shared}, which {one}, {two}", f"{shared} {one} and it {two}")
            return self.draw.choice(forms), names
        before = self._verb(first, first.subject)
        who = "who" if _is_person(self.world.phrases[first.relation].object) else "which"
        return f"{first.subject} {before}, {who} {two}", names

    def _beside(self, first: Fact, label: Verdict) -> Fact | None:
        """Another fact about one of the ends of a true one, by another relation."""
        ends = [
            (name, relation, forward)
            for name in (first.subject, first.object)
            for relations, forward in ((self.world.relations_of[name], True), (self.world.relations_to[name], False))
            for relation in sorted(relations)
            if relation in self.world.phrases and relation != first.relation
        ]
        if not ends:
            return None
        name, relation, forward = self.draw.choice(ends)
        fact = self._of_end(name, relation, forward)
        if label == SUPPORTED or fact is None:
            return fact
        if label == REFUTED:
            other = self.world.others(fact, self.draw)
            return other if other is not None and name in (other.subject, other.object) else None
        return self._lacking_here(first)

    def _of_end(self, name: str, relation: str, forward: bool) -> Fact | None:
        far = self.world.leaving(name, relation) if forward else self.world.reaching(name, relation)
        if not far:
            return None
        other = self.draw.choice(far)
        return Fact(name, relation, other) if forward else Fact(other, relation, name)

    def _lacking_here(self, first: Fact) -> Fact | None:
        """Something of the first fact's subject by a relation that it does not have, but that its like do."""
        near = [self.draw.choice(self.world.subjects[first.relation]) for _ in range(30)]
        lacking = sorted({r for name in near for r in self.world.relations_of[name]} & self.world.phrases.keys())
        lacking = [
            r for r in lacking if r not in self.world.relations_of[first.subject] and self.world.subject_closed(r)
        ]
        if not lacking:
            return None
        relation = self.draw.choice(lacking)
        return Fact(first.subject, relation, self.draw.choice(self.world.objects[relation]))

    def _multi_hop(self, label: Verdict) -> tuple[str, list[str]] | None:
        first = self._fact()
        by_object = self.draw.random() < 0.6
        middle = first.object if by_object else first.subject
        known = first.subject if by_object else first.object
        second = self._from_middle(first, middle, label)
        if second is None or known in (second.subject, second.object):
            return None
        far = second.object if second.subject == middle else second.subject
        noun = self._noun(first, second, middle)
        verb = self._verb(second, middle)
        if verb is None:
            return None
        who = "who" if _is_person(noun) else "that"
        some = f"{_some(noun)} {who} {verb}"
        if not by_object and self.draw.random() < 0.5:
            of_middle = self._verb(first, middle)
            return f"{_some(noun)} {who} {of_middle} {verb}", [known, far]
        sentence = self._verb(first, known)
        return (f"{known} {sentence.replace(middle, some)}", [known, far]) if sentence else None

    def _noun(self, first: Fact, second: Fact, middle: str) -> str:
        said = [(self.world.phrases[fact.relation], fact.object == middle) for fact in (first, second)]
        nouns = [phrases.object if at_end else phrases.subject for phrases, at_end in said]
        return next((noun for noun in nouns if noun != "something"), "something")

    def _from_middle(self, first: Fact, middle: str, label: Verdict) -> Fact | None:
        """A fact that goes on from the middle one; where the claim is to be false, nothing that takes the place of the
        middle has it."""
        ways = [(r, True) for r in sorted(self.world.relations_of[middle]) if r in self.world.phrases]
        ways += [(r, False) for r in sorted(self.world.relations_to[middle]) if r in self.world.phrases]
        ways = [way for way in ways if way[0] != first.relation or self.draw.random() < 0.3]
        if not ways:
            return None
        relation, forward = self.draw.choice(ways)
        fact = self._of_end(middle, relation, forward)
        if fact is None or fact == first:
            return None
        if label == SUPPORTED:
            return fact
        if label == OPEN:
            return self._none_lead(first, middle)
        far = self.draw.choice((self.world.objects if forward else self.world.subjects)[relation])
        other = Fact(middle, relation, far) if forward else Fact(far, relation, middle)
        middles = (
            self.world.of[first.subject, first.relation]
            if middle == first.object
            else self.world.to[first.object, first.relation]
        )
        reached = self.world.to[far, relation] if forward else self.world.of[far, relation]
        if middles & reached:
            return None
        if forward and middle == first.subject and not self._both_known(middles, relation, reached, first.relation):
            return None
        return other

    def _both_known(self, some: set[str], relation: str, others: set[str], back: str) -> bool:
        """Whether things of both lists have what is said of the other list's."""
        known = self.world.relations_of
        return any(relation in known[name] for name in some) and any(back in known[name] for name in others)

    def _none_lead(self, first: Fact, middle: str) -> Fact | None:
        """A relation that none of what may stand in the middle has, though its like do."""
        own = middle == first.object
        middles = self.world.of[first.subject, first.relation] if own else self.world.to[first.object, first.relation]
        pool = (self.world.objects if own else self.world.subjects)[first.relation]
        near = {self.draw.choice(pool) for _ in range(30)}
        likely = sorted({r for name in near for r in self.world.relations_of[name]} & self.world.phrases.keys())
        held = {r for name in middles for r in self.world.relations_of[name]}
        lacking = [r for r in likely if r not in held and self.world.subject_closed(r)]
        if not lacking:
            return None
        relation = self.draw.choice(lacking)
        return Fact(middle, relation, self.draw.choice(self.world.objects[relation]))


def _is_person(noun: str) -> bool:
    return noun == "somebody"


def _some(noun: str) -> str:
    if noun in ("somebody", "something"):
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _negated(verb: str, draw: random.Random) -> str:
    """A verb phrase with "not" or "never" in it."""
    first, _, rest = verb.partition(" ")
    if first in ("is", "was", "are", "were"):
        return draw.choice((f"{first} not {rest}", f"{first}n't {rest}"))
    return draw.choice((f"never {verb}", f"did not {_base(first)} {rest}", f"didn't {_base(first)} {rest}"))


def _base(verb: str) -> str:
    """A verb after "did", as far as its ending tells."""
    irregular = {"has": "have", "had": "have", "wrote": "write", "made": "make", "came": "come", "led": "lead"}
    irregular |= {"won": "win", "sold": "sell", "ran": "run", "taught": "teach", "built": "build", "went": "go"}
    if verb in irregular:
        return irregular[verb]
    if verb.endswith("rred"):
        return verb[:-3]
    if verb.endswith(("ted", "led", "ned", "sed", "red", "ced", "ved", "ged", "ued")) and verb != "directed":
        return verb[:-1] if verb[-3] in "cvsgu" else verb[:-2]
    if verb.endswith("ed"):
        return verb[:-2]
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


# Graphs ----------------------------------------------------------------------------------------------------------


def phrases_of(subject: str, object: str, readable: str) -> Phrases:  # noqa: A002
    """How a relation that has no phrases of its own is said, by its readable name and the nouns for its ends."""
    words = name_words(readable)
    if len(words) > 1 and words[0] in LIGHT_WORDS:
        words = words[1:]
    text, last = " ".join(words), words[-1]
    if last == "by" and len(words) > 1:
        active = (f"{' '.join(words[:-1])} {{s}}",) if is_past(words[0]) else ()
        return Phrases((f"was {text} {{o}}",), active, subject, object)
    if last == "of" and not is_past(words[0]) and not words[0].endswith("s"):
        return Phrases((f"is the {text} {{o}}", f"is {_some(text)} {{o}}"), (), subject, object)
    if is_past(words[0]) or (words[0].endswith("s") and not words[0].endswith("ss")):
        return Phrases((f"{text} {{o}}",), (), subject, object)
    if last in PREPOSITIONS:
        return Phrases((f"is {text} {{o}}",), (), subject, object)
    return Phrases((f"has the {text} {{o}}",), (f"is the {text} of {{s}}",), subject, object, (f"has {_some(text)}",))


def world_of(context: Context) -> World:
    """The triples of a graph whose names are those of one node each."""
    shape = context.shape
    rows = context.graph.read(
        "MATCH (subject)-[r]->(object) WHERE NOT type(r) STARTS WITH 'kgneo'\n"
        f"RETURN {shown_name('subject')} AS s, elementId(subject) AS a, labels(subject) AS la, type(r) AS r,\n"
        f"       {shown_name('object')} AS o, elementId(object) AS b, labels(object) AS lb\n"
        "ORDER BY s, r, o",
        timeout=300,
        **shape.parameters,
    )
    rows = [row for row in rows if shape.uses(row["r"]) and row["s"] and row["o"] and row["s"] != row["o"]]
    ids: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        ids[row["s"]].add(row["a"])
        ids[row["o"]].add(row["b"])
    facts = [
        Fact(row["s"], row["r"], row["o"])
        for row in rows
        if all(
            len(ids[row[end]]) == 1 and _is_name(row[end]) and len(LOADED.own_labels(row[labels])) < 2
            for end, labels in (("s", "la"), ("o", "lb"))
        )
    ]
    ends: dict[str, tuple[Counter[str], Counter[str]]] = defaultdict(lambda: (Counter(), Counter()))
    for row in rows:
        for side, labels in enumerate((LOADED.own_labels(row["la"]), LOADED.own_labels(row["lb"]))):
            ends[row["r"]][side].update(labels[:1])
    own: dict[str, dict[str, object]] = json.loads(PHRASES.read_text(encoding="utf-8"))
    names = context.record.statistics.readable_names
    phrases = {
        relation: _read(own[relation]) if relation in own else phrases_of(
            _label(ends[relation][0]), _label(ends[relation][1]), names.get(relation, relation)
        )
        for relation in sorted({fact.relation for fact in facts})
    }  # fmt: skip
    return World(facts, [Fact(row["s"], row["r"], row["o"]) for row in rows], phrases)


def _read(record: dict[str, object]) -> Phrases:
    lists = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    return Phrases(**lists)  # type: ignore[arg-type]


def _label(labels: Counter[str]) -> str:
    """The noun for what has these labels."""
    if not labels:
        return "something"
    noun = " ".join(name_words(labels.most_common(1)[0][0]))
    return "somebody" if noun == "person" else noun


def _is_name(text: str) -> bool:
    return any(character.isalnum() for character in text) and not set(text) & set("[]{}")


def claims_of(context: Context, number: int, *, seed: int) -> list[Claim]:
    """`number` claims about a graph, as many of each kind, no text twice."""
    draw = random.Random(seed)  # noqa: S311 - what is drawn must be the same each time
    maker = Maker(world_of(context), draw)
    made: dict[str, Claim] = {}
    for place in range(number):
        kind = KINDS[place % len(KINDS)]
        for _ in range(TRIES):
            claim = maker.make(kind, draw.choice(LABELS))
            if claim is not None and claim.text not in made:
                made[claim.text] = claim
                break
    return list(made.values())


def contexts(name: str) -> Iterator[tuple[Context, int]]:
    """The graphs of a set, each with what part of all claims is made from it."""
    if name == "metaqa":
        with open_graph(Settings(store="benchmark-claims-metaqa", timeout=3600), report=report, create=True) as graph:
            if not count_triples(graph):
                load(graph, read_triples(open_source(metaqa_folder() / "kb.txt")), name="metaqa")
            yield unindexed(graph), 1
        return
    folders = sorted(path for graphs in GRAPHS for path in graphs.iterdir() if path.is_dir())
    with scratch_graph("claims") as graph:
        for folder in folders:
            empty(graph)
            fill_hand_made(graph, folder)
            yield open_context(graph), len(folders)


@dataclass(frozen=True)
class Written:
    """A claim that was written about a graph; `unknown`: the graph does not have something that it names."""

    claim: Claim
    unknown: bool


def written() -> Iterator[tuple[str, Callable[[Graph], None], list[Written]]]:
    """The claims written by hand, by graph, with what fills it."""
    for file in sorted(path / WRITTEN for path in GRAPHS[1].iterdir() if (path / WRITTEN).exists()):
        records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        claims = [Written(claim, record["unknown"]) for claim, record in zip(read_claims(file), records, strict=True)]
        yield file.parent.name, partial(fill_hand_made, folder=file.parent), claims


def of_databases() -> Iterator[tuple[str, Callable[[Graph], None], list[Written]]]:
    """The claims about databases, by graph, with what fills it."""
    if DATABASES not in os.environ:
        sys.exit(f"Set {DATABASES} to the folder of the databases.")
    records = [json.loads(line) for line in DATABASE_CLAIMS.read_text(encoding="utf-8").splitlines()]
    claims = [
        Written(claim, bool(record["unknown"]))
        for claim, record in zip(read_claims(DATABASE_CLAIMS), records, strict=True)
    ]
    for name in sorted({record["graph"] for record in records}):
        folder = Path(os.environ[DATABASES]) / name
        of_graph = [claim for claim, record in zip(claims, records, strict=True) if record["graph"] == name]
        yield name, partial(fill_database, folder=folder), of_graph


def judged_by_graph(
    found: Iterator[tuple[str, Callable[[Graph], None], list[Written]]], names: Sequence[str]
) -> dict[str, list[Judged]]:
    """Claims about several graphs (those of `names`, or all), judged as they are; what is supported in spite of an
    unknown name is reported."""
    by_graph: dict[str, list[Judged]] = {}
    with scratch_graph("claims") as graph:
        for name, fill, claims in found:
            if names and name not in names:
                continue
            empty(graph)
            fill(graph)
            context = open_context(graph)
            by_graph[name] = [judge(context, item.claim, given=False) for item in claims]
            pairs = zip(by_graph[name], claims, strict=True)
            unknown = [judged for judged, item in pairs if item.unknown]
            supported = sum(item.verdict == SUPPORTED for item in unknown)
            report(f"{name}: supported of {len(unknown)} claims with what the graph does not have: {supported}.")
    return by_graph


WRITERS = {"written": written, "databases": of_databases}


def unindexed(graph: Graph) -> Context:
    """Loaded triples, to be asked without their embeddings: verifying needs none, and encoding MetaQA takes minutes."""
    encoder = load_encoder(report=report)
    statistics = read_statistics(graph, shape=LOADED, schema=None)
    record = new_record(encoder, LOADED, count_triples(graph), complete=False, statistics=statistics)
    record = replace(record, fingerprint="")  # nothing is embedded
    return Context(Knowledge(graph, record, LoadedNames(graph)), encoder)


def measure(name: str, number: int, *, seed: int, given: bool) -> tuple[list[Claim], list[Judged]]:
    """Make the claims of a set and judge them."""
    claims: list[Claim] = []
    judged: list[Judged] = []
    for context, share in contexts(name):
        made = claims_of(context, -(-number // share), seed=seed)[: number - len(claims)]
        claims += made
        judged += [judge(context, claim, given=given) for claim in made]
    return claims, judged


def tell_wrong(name: str, judged: Sequence[Judged]) -> None:
    """Say what went wrong."""
    for item in judged:
        if not item.right:
            print(
                f"{name} {item.claim.kind}: {item.claim.text}\n  {item.claim.label}; got {item.verdict} "
                f"({item.confidence:.2f}): {item.explanation}",
                file=sys.stderr,
            )


def by_confidence(name: str, judged: Sequence[Judged]) -> Iterator[Sequence[object]]:
    """How often verdicts of about the same confidence are right."""
    found: dict[tuple[float, str], list[bool]] = defaultdict(list)
    for item in judged:
        found[round(item.confidence * 10) / 10, item.verdict].append(item.right)
    for (confidence, verdict), rights in sorted(found.items()):
        yield name, confidence, verdict, len(rights), sum(rights) / len(rights)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Claims made from graphs, without a language model.")
    parser.add_argument(
        "sets", nargs="*", metavar="SET", help="metaqa, hand-made, written, databases; else the first 3"
    )
    parser.add_argument("--number", type=int, default=300, help="claims of each set")
    parser.add_argument("--seed", type=int, default=0, help="draws the claims")
    parser.add_argument("--write", type=Path, help="keep the claims in this file")
    parser.add_argument("--no-entities", action="store_true", help="let the names be found in the text")
    parser.add_argument("--graph", action="append", default=[], metavar="NAME", help="of written and databases")
    parser.add_argument("--quiet", action="store_true", help="do not tell single claims")
    parser.add_argument("--confidence", action="store_true", help="tell how sure verdicts are, and how often right")
    options = parser.parse_args()
    rows: list[Sequence[object]] = []
    every: list[Claim] = []
    for name in options.sets or ("metaqa", "hand-made", "written"):
        if name in WRITERS:
            by_graph = judged_by_graph(WRITERS[name](), options.graph)
            judged = [item for found in by_graph.values() for item in found]
            claims = [item.claim for item in judged]
            rows += [(graph, *rows_of(found)[-1]) for graph, found in by_graph.items()]
        else:
            claims, judged = measure(name, options.number, seed=options.seed, given=not options.no_entities)
        every += claims
        rows += [(name, *row) for row in rows_of(judged)]
        if not options.quiet:
            tell_wrong(name, judged)
        if options.confidence:
            table(("set", "confidence", "verdict", "n", "right"), list(by_confidence(name, judged)))
    if options.write:
        lines = (json.dumps(claim.to_dict(), ensure_ascii=False) for claim in every)
        options.write.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    table(("set", *HEADER), rows)


if __name__ == "__main__":
    main()
