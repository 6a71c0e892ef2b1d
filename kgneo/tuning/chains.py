"""Questions with their sub-questions and answers, made from query graphs over a graph's schema.

A chain leaves a node of the graph along one to three relationships of the schema. Its question, and one sub-question a
hop, are written in varied wordings; its answers after each hop are those of the query graph, as the graph gives them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from kgneo.english.names import hop_wording, name_words, plural
from kgneo.graph.catalogue import catalogue
from kgneo.graph.open import Knowledge
from kgneo.graph.run import run
from kgneo.graph.shape import LOADED_LABEL
from kgneo.model import Hop
from kgneo.query.catalogue import Catalogue
from kgneo.query.graph import Condition, Edge, QueryGraph, Value, Variable
from kgneo.questions import Question
from kgneo.text import fold

__all__ = ["Chain", "chain_of", "chains", "nameable", "query_of", "reworded"]

HOPS = 3
MOST = 20
"""Answers after a hop from which on a chain is left out: a small model cannot learn to list so many."""
STARTS = 300
"""Nodes that are looked at as beginnings of chains along one relationship type."""
TRIES = 12
"""Chains that are tried for one that is new, and relationships for one that leads on."""
NAMED = ("what is the {}?", "which is the {}?", "can you name the {}?", "tell me the {}?", "name the {}?")
WHAT = ("{}?", "do you know {}?", "can you tell me {}?", "I would like to know {}?")


@dataclass(frozen=True, slots=True)
class Chain:
    """A question about `topic`, one part and the names of its answers for each hop.

    The first part names the topic; each further one refers to the answers before it by `references`, its own.
    """

    topic: str
    question: str
    parts: tuple[str, ...]
    references: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]
    hops: tuple[Hop, ...]

    @property
    def names(self) -> frozenset[str]:
        """The topic and all answers."""
        return frozenset({self.topic}.union(*self.answers))


def chains(knowledge: Knowledge, count: int, random: Random) -> Iterator[Chain]:
    """At most `count` different chains, one after another, the same ones for the same state of `random`.

    Fewer where the graph has no more. Raises GraphError.
    """
    steps = _steps(catalogue(knowledge.schema, knowledge.shape))
    starts: dict[Hop, Sequence[tuple[str, str]]] = {}
    seen: set[tuple[str, tuple[Hop, ...]]] = set()
    misses = 0
    while steps and len(seen) < count and misses < TRIES * count:
        first = random.choice(steps)
        if first not in starts:
            starts[first] = _starts(knowledge, first)
        if not starts[first]:
            steps.remove(first)
            continue
        identity, topic = random.choice(starts[first])
        hops, answers = _walked(knowledge, identity, first, steps, random)
        if not answers or (topic, hops) in seen:
            misses += 1
            continue
        seen.add((topic, hops))
        yield _worded(topic, hops, answers, random)


def chain_of(
    knowledge: Knowledge, question: str, topic: tuple[str, str], hops: tuple[Hop, ...], random: Random
) -> Chain | None:
    """A question of one's own that leaves `topic` (element id, name) along `hops`; its parts are made here.

    None where it cannot be an example: a prompt cannot hold its names or their number, the question does not spell the
    topic as the graph does, or a hop leads onto a value. Raises GraphError.
    """
    identity, name = topic
    if not nameable(name) or name not in question or any(hop.value for hop in hops):
        return None
    answers = tuple(_answers(knowledge, identity, hops[:number]) for number in range(1, len(hops) + 1))
    if not all(answers):
        return None
    worded = _worded(name, hops, answers, random)
    return replace(worded, question=question, parts=(question,) if len(hops) == 1 else worded.parts)


def query_of(chain: Chain, labels: tuple[str, ...], key: str) -> Question:
    """A chain's question with its query graph, where its topic has one of `labels` and its name in the property
    `key`."""
    last = len(chain.hops)
    ends = [hop.labels if len(hop.labels) == 1 else () for hop in chain.hops]
    variables = (Variable("x0", labels), *(Variable(f"x{number}", own) for number, own in enumerate(ends, start=1)))
    graph = QueryGraph(
        variables, Value(f"x{last}"), _edges(chain.hops), (Condition(Value("x0", key), "=", (chain.topic,)),)
    )
    return Question(chain.question, chain.question, chain.answers[-1], entities=(chain.topic,), query_graph=graph)


def _steps(known: Catalogue) -> list[Hop]:
    """One hop for each relationship type and direction, with the labels that it reaches, in a fixed order."""
    found = []
    for relation in sorted(known.relations, key=lambda item: item.name):
        for forward in (True, False):
            ends = {(object_ if forward else subject) for subject, object_ in relation.ends}
            found.append(Hop(relation.name, forward, tuple(sorted(ends - {LOADED_LABEL}))))
    return found


def _walked(
    knowledge: Knowledge, start: str, first: Hop, steps: Sequence[Hop], random: Random
) -> tuple[tuple[Hop, ...], tuple[tuple[str, ...], ...]]:
    """One to three hops from a node, and the answers after each; none where the first has none, or too many."""
    wanted = 1 + random.randrange(HOPS)
    hops: tuple[Hop, ...] = ()
    answers: tuple[tuple[str, ...], ...] = ()
    for number in range(wanted):
        onward = [hop for hop in steps if hop.relation != hops[-1].relation] if number else [first]
        for hop in random.sample(onward, min(len(onward), TRIES)):
            names = _answers(knowledge, start, (*hops, hop))
            if names:
                hops, answers = (*hops, hop), (*answers, names)
                break
        if len(hops) <= number:
            break
    return hops, answers


def _starts(knowledge: Knowledge, hop: Hop) -> list[tuple[str, str]]:
    """Element ids and names of nodes that the hop leaves, by name."""
    graph = QueryGraph((Variable("x"), Variable("y")), Value("x"), (_edge("x", hop, "y"),))
    nodes = run(knowledge, graph, keys={}, naming={}, limit=STARTS).nodes
    return sorted({(node.id, node.names[0]) for node in nodes if nameable(node.names[0])}, key=lambda pair: pair[::-1])


def _answers(knowledge: Knowledge, start: str, hops: Sequence[Hop]) -> tuple[str, ...]:
    """The answers after the last hop; none where they are too many, or not to be written in a prompt."""
    variables = (Variable("x0", (), (start,)), *(Variable(f"x{number}") for number in range(1, len(hops) + 1)))
    result = run(knowledge, QueryGraph(variables, Value(f"x{len(hops)}"), _edges(hops)), keys={}, naming={}, limit=MOST)
    names = tuple(sorted({node.names[0] for node in result.nodes}))
    return names if names and not result.more and all(map(nameable, names)) else ()


def _edges(hops: Sequence[Hop]) -> tuple[Edge, ...]:
    """The hops from variable x0 on."""
    return tuple(_edge(f"x{number}", hop, f"x{number + 1}") for number, hop in enumerate(hops))


def _edge(start: str, hop: Hop, end: str) -> Edge:
    """The hop as an edge from one variable to another."""
    return Edge(start, (hop.relation,), end) if hop.forward else Edge(end, (hop.relation,), start)


def nameable(name: str) -> bool:
    """Whether a prompt can hold the name as it is: its line ends nowhere, and it ends no question."""
    return name.isprintable() and 0 < len(name) <= 80 and not set("?;[]") & set(name)


def _worded(topic: str, hops: tuple[Hop, ...], answers: tuple[tuple[str, ...], ...], random: Random) -> Chain:
    phrase, parts, references = topic, [], []
    for number, hop in enumerate(hops):
        reference = topic if number == 0 else f"those {_noun(hops[number - 1])}"
        phrase = hop_wording(hop, _definite(phrase) if number else topic)
        parts.append(_asked(hop_wording(hop, reference), random))
        references.append(reference)
    question = parts[0] if len(hops) == 1 else _asked(phrase, random)
    return Chain(topic, question, tuple(parts), tuple(references), answers, hops)


def reworded(chain: Chain, count: int, random: Random) -> tuple[str, ...]:
    """At most `count` other wordings of a chain's question."""
    tried = [_worded(chain.topic, chain.hops, chain.answers, random).question for _ in range(TRIES)]
    other = {fold(text): text for text in tried if fold(text) != fold(chain.question)}
    return tuple(other.values())[:count]


def _asked(phrase: str, random: Random) -> str:
    """The phrase as a question, in one of several wordings."""
    text = random.choice(WHAT if phrase.startswith("what ") else NAMED).format(phrase)
    return text[0].upper() + text[1:] if random.random() < 0.5 else text


def _definite(phrase: str) -> str:
    return phrase if phrase.startswith("what ") else f"the {phrase}"


def _noun(hop: Hop) -> str:
    """What the hop reaches, as a plural."""
    return plural(" ".join(name_words(hop.labels[0]))) if hop.labels else "answers"
