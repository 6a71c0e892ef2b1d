"""Follow-ups without a language model, through the query graph of the question before.

    "and Kenya?"             the question before with another name in it, where that leaves the query graph the same
    "how many?"              the number of what was asked for
    "only those in Europe"   of what was asked for, what "which countries are in Europe?" asks for, too

What does not fit is no follow-up here: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kgneo.asking.question import ask, interpret
from kgneo.context import Context
from kgneo.english.names import name_words, plural
from kgneo.errors import KgneoError, QuestionError
from kgneo.model import Answer, Step
from kgneo.query.graph import Aggregate, Condition, QueryGraph, Value, Variable, with_names
from kgneo.query.json import from_json, to_json
from kgneo.query.wording import wording
from kgneo.stages.offer_readings import run_graph
from kgneo.strategies import Strategy
from kgneo.text import listed

FOLLOW_UP = "follow-up"
"""The strategy of an answer that a query graph gave which no question was read as."""
_ANOTHER = re.compile(
    r"(?:and what about|and how about|what about|how about|and for|and|or)\s+(?P<name>.+?)[\s?.!]*", re.IGNORECASE
)
_NUMBER = re.compile(r"(?:and |so )?how many(?: (?:are|is|were) (?:there|they|those|that|it))?[\s?.!]*", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:what|who|whom|whose|which|how|when|where|why)\b", re.IGNORECASE)
_ONLY = re.compile(r"(?:and |but )?(?:only|just) (?:those|the ones|them)\s+(?P<rest>.+?)[\s?.!]*", re.IGNORECASE)


def follow_up(context: Context, question: str, before: Answer, strategy: str | Strategy | None = None) -> Answer | None:
    """The answer to a follow-up on the answer `before`; None for a question that is none of the three kinds.

    Raises QuestionError for one that is, and that does not fit the question before, and what `kgneo.ask` raises.
    """
    if found := _ANOTHER.fullmatch(question.strip()):
        name = found["name"].strip(" []")
        return None if _ASKING.search(name) else _with_another(context, name, before, strategy)
    if _NUMBER.fullmatch(question.strip()):
        graph = _counted(_graph_of(context, question, before))
    elif found := _ONLY.fullmatch(question.strip()):
        graph = _narrowed(context, question, found["rest"], before)
    else:
        return None
    return _answered(context, graph)


def _refusal(question: str, reason: str) -> QuestionError:
    return QuestionError(
        f"{question!r} was not understood as a follow-up: {reason}.",
        hint="Ask it as a whole question; with a language model (--llm), other follow-ups are understood, too.",
    )


def _graph_before(context: Context, before: Answer) -> QueryGraph | None:
    """The query graph that gave the answer before; where that is not told, the first reading of its question: without a
    model, it is what answered."""
    if before.outcome != "answer":
        return None
    if before.query_graph is not None:
        return from_json(before.query_graph)
    try:
        offered = interpret(context, before.question)
    except KgneoError:
        return None
    return offered[0].graph if offered else None


def _graph_of(context: Context, question: str, before: Answer) -> QueryGraph:
    graph = _graph_before(context, before)
    if graph is None:
        raise _refusal(question, "the question before it was not answered by a query graph")
    return graph


def _with_another(context: Context, name: str, before: Answer, strategy: str | Strategy | None) -> Answer:
    """The question before with `name` in the place of the one of its names that makes the same query graph."""
    graph = _graph_before(context, before)
    fitting: dict[str, str] = {}
    if graph is not None:
        for piece, whole in _exchanged(context, before, graph, name):
            if _same_form(context, whole, graph):
                fitting[piece] = whole
    if len(fitting) != 1:
        places = " and ".join(map(repr, fitting))
        nowhere = "with it in the place of a name, the question before would not ask the same"
        raise _refusal(name, f"it may stand for {places}" if places else nowhere)
    return ask(context, next(iter(fitting.values())), strategy=strategy)


def _as_written(context: Context, name: str) -> str:
    """A name with "the" before it only where the graph has it so."""
    bare = re.sub(r"^the\s+", "", name, flags=re.IGNORECASE)
    return name if bare == name or context.knowledge.names.by_folded_name([name]) else bare


def _exchanged(context: Context, before: Answer, graph: QueryGraph, name: str) -> Iterator[tuple[str, str]]:
    """A name or value in the question before, and that question with `name` in its place, in brackets if that was."""
    name = _as_written(context, name)
    values = [text for item in graph.every_condition() for text in _literals(item)]
    for piece in dict.fromkeys([*(topic.matched for topic in before.entities), *values]):
        place = re.compile(rf"\[\s*{re.escape(piece)}\s*\]|(?<!\w){re.escape(piece)}(?!\w)", re.IGNORECASE)
        found = list(place.finditer(before.question)) if piece else []
        if len(found) == 1:
            put = f"[{name}]" if found[0][0].startswith("[") else name
            yield piece, before.question[: found[0].start()] + put + before.question[found[0].end() :]


def _literals(condition: Condition) -> tuple[str, ...]:
    right = condition.right if isinstance(condition.right, tuple) else ()
    return tuple(value for value in right if isinstance(value, str))


def _same_form(context: Context, question: str, graph: QueryGraph) -> bool:
    """Whether the question is read as that query graph, but for which nodes and values it names."""
    try:
        offered = interpret(context, question)
    except KgneoError:
        return False
    return bool(offered) and not offered[0].ignored and _form(offered[0].graph) == _form(graph)


def _form(graph: QueryGraph) -> QueryGraph:
    """A query graph without the nodes and texts that it names."""
    plain = graph.renamed()
    return replace(
        plain,
        variables=tuple(replace(item, ids=("",) if item.ids else ()) for item in plain.variables),
        conditions=tuple(replace(item, right=("",)) if _literals(item) else item for item in plain.conditions),
    )


def _counted(graph: QueryGraph) -> QueryGraph:
    if not isinstance(graph.answer, Value):
        raise _refusal("how many?", "the question before it asked for a number already")
    return replace(graph, answer=Aggregate("count", graph.answer), columns=())


def _narrowed(context: Context, question: str, rest: str, before: Answer) -> QueryGraph:
    """Of the nodes that were asked for those that "which … are {rest}?" asks for, too."""
    graph = _graph_of(context, question, before)
    asked = _variable(graph)
    labels = asked.labels or _common_labels(before) if asked else ()
    if asked is None or not labels or graph.selections:
        raise _refusal(question, "the question before it asked for no nodes of one kind")
    noun = plural(" ".join(name_words(labels[0])))
    also = _read_alone(context, f"which {noun} are {rest}?")
    same = _variable(also) if also else None
    if also is None or same is None or not set(same.labels) <= set(labels):
        raise _refusal(question, f"{rest!r} says nothing of {noun} that could be read alone")
    return _both(graph, asked, also, same)


def _common_labels(before: Answer) -> tuple[str, ...]:
    """The labels that all nodes among the answers have."""
    first, *others = before.answer_nodes or [None]
    shared = first.labels if first else ()
    return tuple(label for label in shared if all(other and label in other.labels for other in others))


def _read_alone(context: Context, question: str) -> QueryGraph | None:
    """The reading of a question that says all of its words, and holds nothing but nodes and conditions."""
    try:
        offered = interpret(context, question)
    except KgneoError:
        return None
    graph = offered[0].graph if offered and not offered[0].ignored else None
    return graph if graph is not None and not graph.selections and not graph.columns else None


def _both(graph: QueryGraph, asked: Variable, also: QueryGraph, same: Variable) -> QueryGraph:
    """What must hold for `graph` and, with its variable `same` for `asked`, for `also`."""
    names = {item.name: f"also_{item.name}" for item in also.variables} | {same.name: asked.name}
    names |= {edge.name: f"also_{edge.name}" for edge in also.edges if edge.name}
    other = with_names(also, names)
    labelled = replace(asked, labels=tuple(dict.fromkeys([*asked.labels, *same.labels])))
    return replace(
        graph,
        variables=(
            *(labelled if item.name == asked.name else item for item in graph.variables),
            *(item for item in other.variables if item.name != asked.name),
        ),
        edges=(*graph.edges, *other.edges),
        conditions=(*graph.conditions, *other.conditions),
        alternatives=(*graph.alternatives, *other.alternatives),
    ).renamed()


def _variable(graph: QueryGraph) -> Variable | None:
    """The variable whose nodes are asked for."""
    asked = graph.answer
    return graph.variable(asked.of) if isinstance(asked, Value) and not asked.key else None


def _answered(context: Context, graph: QueryGraph) -> Answer:
    limit = context.options.limit
    ran = run_graph(context, graph, limit=limit)
    result, compiled = ran.result, ran.result.compiled
    ids = {id_ for variable in graph.variables for id_ in variable.ids}
    said = wording(graph, nodes=_names(context, ids), names=context.shape.names)
    text = listed(result.answers, result.more) or "not found"
    return Answer(
        said,
        FOLLOW_UP,
        text,
        answers=result.answers,
        more=result.more,
        steps=(Step(said, text, result.answers, ran.evidence),),
        evidence=ran.evidence,
        cypher=compiled.text,
        cypher_parameters={"limit": limit, **compiled.parameters},
        query_graph=to_json(graph),
        grounded=True,
        answer_nodes=result.nodes,
        table=result.table,
    )


def _names(context: Context, ids: set[str]) -> dict[str, str]:
    from kgneo.graph.around import around

    found = ((id_, around(context.knowledge, id_, limit=0)) for id_ in ids)
    return {id_: node.node.name for id_, node in found if node is not None}
