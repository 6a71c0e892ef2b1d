"""Service: what a server can be asked for, without HTTP: plain functions from values to what JSON holds.

One context serves all questions; each question gets a copy that says how it is to be answered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, TypeVar, cast

from kgneo.asking.claim import verify
from kgneo.asking.conversation import Conversation
from kgneo.asking.latest import latest
from kgneo.asking.question import DEFAULT_STRATEGY, ask, interpret, nearest
from kgneo.context import Context
from kgneo.english.names import name_words, plural, question_wording
from kgneo.errors import DataError, KgneoError, UsageError
from kgneo.events import Event, StageEvent, Text
from kgneo.feedback.give import Said, give
from kgneo.graph.around import around, properties_of
from kgneo.graph.browser import browser_link, with_query
from kgneo.graph.cache import identity
from kgneo.graph.candidates import count_candidates
from kgneo.graph.catalogue import catalogue
from kgneo.graph.cypher import fill, inline
from kgneo.graph.quality import naming_keys
from kgneo.graph.schema import Label, Relation
from kgneo.llm import LanguageModel
from kgneo.model import Answer, Entity, Step, TopicEntity, evidence_to_dict
from kgneo.query.catalogue import Catalogue
from kgneo.query.check import check
from kgneo.query.compile import parameters_to_show
from kgneo.query.graph import QueryGraph
from kgneo.query.json import from_json, to_json
from kgneo.query.wording import wording
from kgneo.serve.home import Home
from kgneo.stages.interpret import reading
from kgneo.stages.offer_readings import compiled_graph, run_graph
from kgneo.stages.suggest import Suggested, suggest
from kgneo.stages.told_words import told_words
from kgneo.strategies import find_strategy, strategy_names

Record = dict[str, Any]
Turn = tuple[str, str, Mapping[str, Any] | None]
"""A question, its answer, and the query graph that gave it, where one did."""
Quota = Callable[[str], tuple[int | None, float | None]]
"""The tokens and the money that a user may spend on a day; None: any."""
Owner = TypeVar("Owner", Label, Relation)
MOST_PARTS = 40
"""Variables, edges, conditions and selections that a query graph from outside may have together."""
EXAMPLES = 6
CATALOGUE = "serve catalogue"
EXAMPLES_KEY = "serve examples"
"""Where these stand in a context's memory, which is made anew when the graph has changed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with how it is to be answered; `history` holds the turns before it, oldest first, `user`
    is who pays for the language model. What is None is as the server was started."""

    question: str
    strategy: str | None = None
    model: str | None = None
    entities: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    hops: int | None = None
    top_k: int | None = None
    limit: int | None = None
    evidence: int | None = None
    user: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, and the object that is sent of it."""

    answer: Answer
    record: Record


class Service:
    """Questions about one graph."""

    def __init__(
        self,
        context: Context,
        *,
        strategy: str | None = None,
        models: Mapping[str, LanguageModel] | None = None,
        browser_user: str = "neo4j",
        name: str = "",
        quota: Quota | None = None,
    ) -> None:
        self._given = context
        self._quota = quota
        self._name = name
        self._strategy = strategy or DEFAULT_STRATEGY
        own = {context.model.name: context.model} if context.model else {}
        self._models = own if models is None else dict(models)
        self._browser_user = browser_user
        self._known = latest(context)

    @property
    def _context(self) -> Context:
        """The graph as it is now, and how to answer from it."""
        self._known = latest(self._known)
        return self._known

    def _catalogue(self) -> Catalogue:
        """What query graphs are checked against."""
        context = self._context
        if CATALOGUE not in context.memory:
            context.memory[CATALOGUE] = catalogue(context.knowledge.schema, context.shape)
        return cast(Catalogue, context.memory[CATALOGUE])

    def warm(self) -> None:
        """Make what the first question would have to wait for."""
        self._context.encoder.encode(["a question"])
        reading(self._context)
        with suppress(KgneoError):  # an example that cannot be answered is no reason not to begin
            for question in self.examples()[:1]:
                ask(self._context, question, strategy="paths")

    def ready(self) -> None:
        """Raises GraphError where the database does not answer."""
        self._context.graph.read("RETURN 1", timeout=2.0)

    def strategies(self) -> Record:
        """The strategies that can be asked here, and the one that answers where none is named; the language models, the
        one that answers where none is named first, and for each strategy whether it needs one."""
        names = [name for name in strategy_names() if self._usable(name)]
        needing = [name for name in names if _takes_model(name, self._models)]
        return {"default": self._strategy, "strategies": names, "models": list(self._models), "with_model": needing}

    def _usable(self, name: str) -> bool:
        needs = find_strategy(name).needs
        embedded = self._known.knowledge.embedded
        return (embedded or not needs.embeddings) and (bool(self._models) or not needs.model)

    def ask(self, asked: Asked, tell: Callable[[Event], None] | None = None) -> Answered:
        """The answer. `tell` gets what happens on the way. Raises what `kgneo.ask` raises."""
        strategy = asked.strategy or self._strategy
        if not self._usable(find_strategy(strategy).name):
            raise UsageError(
                f"The strategy {strategy!r} cannot answer here: it needs a language model, or embeddings.",
                hint=f"Expected one of: {', '.join(self.strategies()['strategies'])}.",
            )
        context = self._with(asked)
        if tell is not None:
            context = replace(context, on_event=tell)
        turns = [self._turn(*turn) for turn in asked.history]
        answer = Conversation(context, strategy, turns).ask(asked.question, entities=asked.entities)
        return Answered(answer, self._record(answer))

    def _turn(self, question: str, answer: str, graph: Mapping[str, Any] | None) -> Answer:
        if graph is not None:
            self._check(from_json(graph))
        return Answer(question, "", answer, query_graph=graph)

    def _with(self, asked: Asked) -> Context:
        context = self._known  # whoever asks looks whether it is the latest
        given = {name: getattr(asked, name) for name in ("hops", "top_k", "limit", "evidence")}
        options = replace(context.options, **{name: value for name, value in given.items() if value is not None})
        options = replace(options, user=asked.user)
        if self._quota is not None:
            tokens, cost = self._quota(asked.user)
            options = replace(options, day_tokens=tokens, day_cost=cost)
        return replace(context, options=options, model=self._model(asked.model))

    def _model(self, name: str | None) -> LanguageModel | None:
        if name is None:
            return self._given.model
        if name not in self._models:
            known = f"Expected one of: {', '.join(self._models)}." if self._models else "Start it with --llm."
            raise UsageError(f"There is no language model {name!r} here.", hint=known)
        return self._models[name]

    def _record(self, answer: Answer) -> Record:
        """The object that `kgneo ask --json` prints, what the question's words were taken for (`words`), its Cypher to
        paste (`query`), and a link into Neo4j Browser."""
        parameters = parameters_to_show(answer.cypher_parameters)
        shown = _pasted(answer.cypher, parameters)
        drawn = _pasted(answer.picture or answer.cypher, parameters)
        record = replace(answer, cypher_parameters=parameters, choices=()).to_dict()
        record["choices"] = [
            {"text": item.text, "number": item.number, "first": list(item.first), "answer": self._record(item.answer)}
            for item in answer.choices
        ]
        told = told_words(self._context, answer.question, from_json(answer.query_graph)) if answer.query_graph else ()
        return {
            **record,
            "words": [{"text": text, "kind": kind} for text, kind in told],
            "query": shown,
            "browser": with_query(self._browser, drawn) if drawn else None,
        }

    @cached_property
    def _browser(self) -> str:
        """Where Neo4j Browser is; asked once."""
        return browser_link(self._given.graph, username=self._browser_user)

    def retrieve(self, asked: Asked) -> Record:
        """The K triples nearest to a question, and how many candidates there are at each hop."""
        context = latest(self._with(asked))
        linked, found = nearest(context, asked.question, entities=asked.entities)
        return {
            "question": asked.question,
            "entities": [_entity(topic.entity) for topic in linked.topics],
            "candidates_by_hop": list(count_candidates(context.knowledge, found.reach)),
            "triples": [
                {
                    "subject": item.triple.subject,
                    "relation": item.triple.relation,
                    "object": item.triple.object,
                    "detail": item.triple.detail,
                    "hop": item.hop,
                    "score": item.score,
                }
                for item in found.nearest
            ],
            "warnings": list(found.warnings),
        }

    def interpret(self, question: str, entities: Sequence[str] = ()) -> Record:
        """The readings of a question: query graph, wording and Cypher of each, what `paths` answers with first."""
        found = interpret(self._context, question, entities=entities)
        return {
            "question": question,
            "readings": [
                {
                    "wording": item.wording,
                    "score": round(item.score, 3),
                    "ignored": list(item.ignored),
                    **self._compiled(item.graph),
                }
                for item in found
            ],
        }

    def verify(self, claim: str, entities: Sequence[str] = (), *, closed: bool = False) -> Record:
        """The verdict on a claim, as `kgneo verify --json` prints it. Raises EntityNotFound and ModelError."""
        return verify(self._context, claim, entities=entities, closed=closed).to_dict()

    def _compiled(self, graph: QueryGraph) -> Record:
        compiled = compiled_graph(self._known, graph)
        return {
            "graph": to_json(graph),
            "nodes": self._named(graph),
            "cypher": compiled.text,
            "cypher_parameters": parameters_to_show(compiled.parameters),
        }

    def feedback(self, question: str, query_graph: Mapping[str, Any] | None, said: Said) -> Record:
        """Keep what somebody says of an answer until it is reviewed. Raises UsageError and DataError."""
        if query_graph is not None:
            self._check(from_json(query_graph))
        kept = give(self._context, question, query_graph, said)
        return {"key": kept.key, "question": question, "verdict": kept.verdict, "read_as": kept.read_as}

    def run(self, record: object, *, limit: int | None = None) -> Record:
        """What a query graph finds, as an answer. Raises DataError for one that cannot be asked of this graph."""
        graph = from_json(record)
        self._check(graph)
        limit = limit or self._known.options.limit
        ran = run_graph(self._known, graph, limit=limit)
        result, compiled = ran.result, ran.result.compiled
        named = self._named(graph)
        said = wording(graph, nodes=named, names=self._known.shape.names)
        text = ", ".join(result.answers[:20])
        more = len(result.answers) - 20 + result.more
        answer = Answer(
            said,
            "query graph",
            f"{text} and {more} more" if more > 0 else text or "not found",
            answers=result.answers,
            more=result.more,
            entities=tuple(TopicEntity(Entity(name, id=id_), name) for id_, name in named.items()),
            steps=(Step(said, text, result.answers, ran.evidence),),
            evidence=ran.evidence,
            cypher=compiled.text,
            cypher_parameters={"limit": limit, **compiled.parameters},
            grounded=True,
            answer_nodes=result.nodes,
            table=result.table,
        )
        return {**self._record(answer), "graph": to_json(graph), "nodes": named}

    def next(self, record: object, *, several: bool = True) -> Record:
        """Up to three query graphs that go on from one, each with what it found: a part of it that answers. Raises
        DataError for one that cannot be asked of this graph."""
        graph = from_json(record)
        self._check(graph)
        found = suggest(self._known, graph, self._catalogue(), nodes=self._named(graph), several=several)
        return {"next": [_suggested(item) for item in found]}

    def nodes(self, ids: Sequence[str]) -> Record:
        """The properties of nodes, by their ids; ids that no node has are left out."""
        found = properties_of(self._context.knowledge, ids)
        return {"nodes": {id_: {key: list(value) for key, value in each.items()} for id_, each in found.items()}}

    def _check(self, graph: QueryGraph) -> None:
        parts = len(graph.variables) + len(graph.edges) + len(graph.conditions) + len(graph.selections)
        if parts > MOST_PARTS:
            raise DataError(f"The query graph has {parts} parts, expected {MOST_PARTS} at most.")
        problems = check(graph, self._catalogue())
        if problems:
            raise DataError(" ".join(problems), hint="The schema says what there is: /api/v1/schema.")

    def _named(self, graph: QueryGraph) -> dict[str, str]:
        ids = [id_ for variable in graph.variables for id_ in variable.ids][:MOST_PARTS]
        found = ((id_, around(self._known.knowledge, id_, limit=0)) for id_ in ids)
        return {id_: node.node.name for id_, node in found if node is not None}

    def schema(self) -> Record:
        """The graph's schema as `kgneo schema --json` prints it, without what its shape leaves out, by name, too, and
        example questions."""
        schema, shape = self._context.knowledge.schema, self._context.shape
        labels, relations = schema.labels, schema.relations
        shown = replace(
            schema,
            labels=tuple(
                _only(item, {*shape.values.get(item.name, ()), *naming_keys(shape, item.name)}) for item in labels
            ),
            relations=tuple(_only(item, shape.details.get(item.name, ())) for item in relations),
        )
        record = shown.to_dict()
        record["labels"] = [{**item, "plural": self._plural(item["name"])} for item in record["labels"]]
        record = {**record, "shape": asdict(replace(shape, excluded=(), hidden=()))}
        graph = self._context.graph
        named = {"name": self._name or graph.database or "neo4j", "identity": self._identity, "address": graph.address}
        texts = list(self._known.knowledge.texts.shown())
        return {**record, "examples": self.examples(), "texts": texts, **named}

    def values(self, label: str, key: str, limit: int) -> Record:
        """How the values of a property are spread over the nodes of a label. Raises UsageError for what is left out."""
        return self._home().values(label, key, limit)

    def quality(self) -> Record:
        """Nodes of each label without a name, a property or a relationship, and names that several share."""
        return self._home().quality()

    def _home(self) -> Home:
        catalogue = self._catalogue()
        return Home(self._known, catalogue)

    @cached_property
    def _identity(self) -> str:
        """What tells this graph from others; asked once."""
        return identity(self._given.graph)

    def _plural(self, label: str) -> str:
        """What the nodes of a label are called."""
        return plural(" ".join(name_words(self._context.shape.names.get(label, label))))

    def examples(self) -> list[str]:
        """Questions that can be asked of this graph: how many there are of what there is most, and about one node each
        of its largest relationship types."""
        context = self._context
        if EXAMPLES_KEY not in context.memory:
            named = (question for relation in self._largest() if (question := self._example(relation)))
            context.memory[EXAMPLES_KEY] = list(islice(chain(self._counted(), named), EXAMPLES))
        return cast(list[str], context.memory[EXAMPLES_KEY])

    def _counted(self) -> list[str]:
        """A question about the largest label of a graph with labels of its own."""
        context = self._known
        labels = context.knowledge.schema.labels
        if context.shape.loaded or not labels:
            return []
        largest = max(labels, key=lambda item: item.nodes)
        return [f"how many {self._plural(largest.name)} are there?"]

    def _largest(self) -> list[str]:
        relations = self._context.knowledge.schema.relations
        return [item.name for item in sorted(relations, key=lambda item: -item.relationships)[: 2 * EXAMPLES]]

    def _example(self, relation: str) -> str:
        shape = self._context.shape
        rows = self._context.graph.read(
            fill("example_of", relation=shape.stored(relation).relation), **shape.parameters
        )
        name = rows[0]["name"] if rows else ""
        if not name or "[" in name or "]" in name:
            return ""
        return question_wording(shape.names.get(relation, relation), f"[{name}]")

    def entities(self, text: str, limit: int) -> Record:
        """Names that go on as `text` begins, with most relationships first."""
        found = self._context.knowledge.names.beginning(text, limit=limit)
        return {"entities": [{**_entity(item.entity), "degree": item.degree} for item in found]}

    def neighbours(self, *, id_: str = "", name: str = "", limit: int) -> Record | None:
        """A node by its id, else by its name, with what is around it; None where there is none."""
        knowledge = self._context.knowledge
        if not id_:
            named = knowledge.names.by_name([name]).get(name)
            if named is None:
                return None
            id_ = named.entity.id
        found = around(knowledge, id_, limit=limit)
        if found is None:
            return None
        return {
            "node": _entity(found.node),
            "properties": {key: list(values) for key, values in found.properties.items()},
            "degree": found.degree,
            "triples": [
                {
                    "subject": _entity(item.subject),
                    "relation": item.triple.relation,
                    "object": _entity(item.object),
                    "detail": item.triple.detail,
                }
                for item in found.links
            ],
        }


def _suggested(item: Suggested) -> Record:
    """A query graph in words (`further`: what it asks of the answers before) and as JSON, how many answers it has, and
    the first of them."""
    number, first = len(item.result.answers) + item.result.more, list(item.result.answers[:3])
    return {
        "wording": item.wording,
        "further": item.further,
        "graph": to_json(item.graph),
        "number": number,
        "first": first,
    }


def _takes_model(name: str, models: Collection[str]) -> bool:
    """Whether a strategy asks a language model, of those that there are."""
    needs = find_strategy(name).needs
    return needs.model or (needs.model_if_any and bool(models))


def _pasted(cypher: str | None, parameters: Mapping[str, Any]) -> str | None:
    """The Cypher with its values written out."""
    if not cypher:
        return None
    try:
        return inline(cypher, dict(parameters))
    except TypeError:
        return cypher


def event_record(event: Event) -> tuple[str, Record]:
    """An event of a strategy as the name and the data of a server-sent event."""
    if isinstance(event, Text):
        return "text", {"text": event.text}
    record: Record = {name: getattr(event, name) for name in ("stage", "status", "number", "total", "text")}
    if isinstance(event, StageEvent) and event.step is not None:
        step = event.step
        record["answers"] = list(step.answers)
        record["evidence"] = [evidence_to_dict(item) for item in step.evidence]
    return "stage", record


def _only(item: Owner, keys: Collection[str]) -> Owner:
    """A label or a relationship type with those of its properties."""
    return replace(item, properties=tuple(one for one in item.properties if one.key in keys))


def _entity(entity: Entity) -> Record:
    return {"name": entity.name, "labels": list(entity.labels), "id": entity.id}
