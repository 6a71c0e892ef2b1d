"""About: questions for what texts say, read without a language model.

Comes in: a question about a graph whose texts were indexed. Goes out: interpretations in which what the texts are to
say is a condition "about", none where the question asks for nothing of the kind, or says all in the graph's own words.
The words behind "about", "complain of" and their like, or those of which nothing in the graph takes notice, are cut
out; what is left is read as ever, and the nodes whose texts are asked for are those among what was read that have some,
or that are one step away from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.english.names import is_noun, name_words
from kgneo.english.saying import ANYBODY, WHAT_IS_SAID, WRITINGS, Subject, subjects, without
from kgneo.english.words import ARTICLES, FUNCTION_WORDS
from kgneo.errors import EntityNotFound
from kgneo.graph.catalogue import catalogue
from kgneo.graph.run import Result
from kgneo.model import Evidence
from kgneo.query.graph import Condition, Edge, QueryGraph, Value, Variable
from kgneo.query.tree import tree_of
from kgneo.reading.read import Interpretation
from kgneo.stages.connect import Named, Placed, label_of, names_in
from kgneo.stages.interpret import interpret
from kgneo.stages.link import unbracket

TRIES = 24
"""Pieces of a question that are tried as what texts are to say."""
LONGER = 0.4
"""What a further word of a subject costs, in words of the rest that are read as nothing."""
CUT = 0.5
"""The same of a phrase that is cut in two."""
TOLD = 0.8
"""How surely a question for what is said is one, where what it is said of is known."""
READINGS = 3
"""Readings of what is left of the question, at most."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A subject with the readings of the rest of the question."""

    subject: Subject
    readings: tuple[Interpretation, ...]

    @property
    def open_words(self) -> int:
        """How many words of the rest are read as nothing."""
        return _open_words(self.readings[0])

    @property
    def cost(self) -> tuple[float, int]:
        """What is left open, and how much the subject takes from the rest, which is read as exactly as may be."""
        longer = LONGER * (self.subject.words - 1)
        return self.open_words + longer + (not self.subject.whole) * CUT, -len(self.subject.rest)


def about(context: Context, question: str) -> list[Interpretation]:
    """The readings of a question in which texts say something, best first."""
    known = _readings(context, question)
    if known and known[0].complete:
        return []
    best = min(_read(context, question, known), key=lambda item: item.cost, default=None)
    if best is None or (known and _says_more(known[0], best)):
        return []
    found = [_with_subject(context, item, best.subject) for item in best.readings]
    return [item for item in found if item is not None]


def _says_more(known: Interpretation, best: _Read) -> bool:
    """Whether a reading in the graph's own words leaves no more open than the one by a text. One that finds what the
    question names, or another kind of thing than the rest of it asks for, does not: a film whose name is "Bees" answers
    no question for films about bees."""
    if not best.open_words and (known.vacuous or _kind(known) != _kind(best.readings[0])):
        return False
    return best.open_words >= _open_words(known)


def _kind(item: Interpretation) -> tuple[str, ...]:
    graph = item.meant or item.graph
    return graph.variable(graph.root).labels


def _readings(context: Context, question: str) -> list[Interpretation]:
    try:
        return interpret(context, question)
    except EntityNotFound:
        return []


def _open_words(item: Interpretation) -> int:
    return len({*item.unsaid, *item.ignored})


def _read(context: Context, question: str, known: Sequence[Interpretation]) -> list[_Read]:
    """What texts may be asked for, with the readings of the rest of the question."""
    found = subjects(question)[:TRIES]
    if not found and known and (left := without(question, (*known[0].unsaid, *known[0].ignored))):
        found = [left]
    every = {item: tuple(_readings(context, item.rest)[:READINGS]) for item in found}
    return [_Read(item, items) for item, items in every.items() if items]


def _with_subject(context: Context, item: Interpretation, subject: Subject) -> Interpretation | None:
    """An interpretation of the rest with the subject as a condition on what texts say; None where nothing of it has
    texts."""
    graph = item.meant or item.graph
    name = _told_by(context, graph, subject)
    if name is None:
        graph, name = _beside(context, graph)
    if name is None:
        return None
    graph = replace(graph, conditions=(*graph.conditions, Condition(Value(name), "about", (subject.text,))))
    return replace(item, graph=graph, meant=None, plain_chain=False, bare=False, vacuous=False)


def _told_by(context: Context, graph: QueryGraph, subject: Subject) -> str | None:
    """The variable whose texts are asked for: the one of whose kind the word before speaks, else the first with
    texts."""
    labels, hidden = context.knowledge.texts.labels(), tree_of(graph).hidden
    there = [item for item in graph.variables if {*item.labels} & {*labels} and item.name not in hidden]

    def is_named(item: Variable) -> bool:
        return any(is_noun(subject.before, name_words(label)[-1]) for label in item.labels)

    ranked = sorted(there, key=lambda item: (not is_named(item), item.name != graph.root))
    return ranked[0].name if ranked else None


def _beside(context: Context, graph: QueryGraph) -> tuple[QueryGraph, str | None]:
    """The query graph with nodes that have texts beside the first variable that some are joined to, and these."""
    shown, texts = catalogue(context.knowledge.schema, context.shape), context.knowledge.texts.labels()
    hidden = tree_of(graph).hidden
    for item in sorted(graph.variables, key=lambda item: item.name != graph.root):
        for relation in shown.relations if item.name not in hidden else ():
            for start, end in relation.ends:
                name = _new_name(graph)
                if start in item.labels and end in texts:
                    edge = Edge(item.name, (relation.name,), name)
                    return _joined(graph, edge, Variable(name, (end,))), name
                if end in item.labels and start in texts:
                    edge = Edge(name, (relation.name,), item.name)
                    return _joined(graph, edge, Variable(name, (start,))), name
    return graph, None


def _joined(graph: QueryGraph, edge: Edge, variable: Variable) -> QueryGraph:
    return replace(graph, variables=(*graph.variables, variable), edges=(*graph.edges, edge))


def _new_name(graph: QueryGraph) -> str:
    names = {variable.name for variable in graph.variables} | {edge.name for edge in graph.edges}
    return next(name for number in range(len(names) + 1) if (name := f"t{number}") not in names)


# What is said --------------------------------------------------------------------------------------------------------


def what_is_said(context: Context, question: str) -> Interpretation | None:
    """The reading of a question for what texts say of something, "What do reviews of X say about Y?": the nodes with
    these texts; None where it is none, or the graph has no such texts."""
    asked = WHAT_IS_SAID.match(unbracket(question)[0])
    if asked is None:
        return None
    names = [item for item, _, _ in _names(context, question)]
    who, topic = asked["who"], _without_names(asked["what"], [item.text for item in names])
    inside, told_by_id = [item for item in names if item.text in who], _names_by_id(names)
    rest = " ".join([who, *(f"of {item.text}" for item in names if item not in inside)])
    read = [] if _is_anybody(context, who) else _readings(context, rest)
    if read and read[0].complete:
        found = read[0]
        name = _told_by(context, found.meant or found.graph, Subject(topic, rest, ""))
        graph, name = (found.meant or found.graph, name) if name else _beside(context, found.meant or found.graph)
    else:
        graph, name = _beside_named(context, names)
        found = Interpretation(graph, 0.0, names=context.shape.names)
    if name is None:
        return None
    told = (Condition(Value(name), "about", (topic,)),) if topic else ()
    graph = replace(graph, answer=Value(name), columns=(), conditions=(*graph.conditions, *told))
    return Interpretation(graph, found.score, likely=TOLD, names=found.names, nodes=told_by_id)


def _names_by_id(names: Sequence[Named]) -> dict[str, str]:
    """What a question calls the nodes that it names, by their ids."""
    return {id_: item.text for item in names for id_ in item.ids}


def _is_anybody(context: Context, who: str) -> bool:
    """Whether words say no more than that somebody has written it."""
    words = [word for word in who.lower().split() if word not in ARTICLES]
    if len(words) != 1:
        return False
    return words[0] in ANYBODY or (words[0] in WRITINGS and not label_of(context, words[0]))


def _names(context: Context, question: str) -> list[Placed]:
    try:
        return names_in(context, question)
    except EntityNotFound:
        return []


def _without_names(text: str, names: Sequence[str]) -> str:
    """A phrase without some names, and the words at its ends that say nothing then: "parking at X" as "parking"."""
    for name in names:
        text = text.replace(name, " ")
    words = text.split()
    while words and words[0].lower() in FUNCTION_WORDS:
        del words[0]
    while words and words[-1].lower() in FUNCTION_WORDS:
        del words[-1]
    return " ".join(words)


def _beside_named(context: Context, names: Sequence[Named]) -> tuple[QueryGraph, str | None]:
    """The nodes with texts that are joined to what is named."""
    if len(names) != 1:
        return QueryGraph((Variable("x"),), Value("x")), None
    entity = names[0].entities[0]
    labels = entity.labels[:1]
    keys = context.shape.display.get(labels[0], ()) if labels else ()
    if len(names[0].entities) == 1 and len(keys) == 1:  # told by its name, it reads as what it is
        named = (Condition(Value("x", keys[0]), "=", (entity.name,)),)
        return _beside(context, QueryGraph((Variable("x", labels),), Value("x"), conditions=named))
    return _beside(context, QueryGraph((Variable("x", labels, names[0].ids),), Value("x")))


def cited(context: Context, found: Result) -> tuple[Evidence, ...]:
    """The passages of the nodes that were found, in their order: those that say what was asked, else their first."""
    texts, nodes = context.knowledge.texts, {node.id: node for node in found.nodes}
    passages = [found.passages[id_] for id_ in nodes if id_ in found.passages] or texts.cited(texts.first(list(nodes)))
    return texts.evidence(passages, {id_: (node.labels, node.names[0]) for id_, node in nodes.items()})
