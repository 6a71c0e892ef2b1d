"""Tools: what another program may ask of a graph, as plain records that a model can read.

Comes in: short texts. Goes out: dicts of JSON, each within a budget of tokens; what was left out is counted. All of
them only read. They raise kgneo's errors, whose hints say what to do next.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from kgneo.asking.claim import verify
from kgneo.asking.latest import latest, look_further
from kgneo.asking.question import ask, interpret, nearest
from kgneo.context import Context
from kgneo.defaults import TOOL_TOKENS
from kgneo.errors import EntityNotFound
from kgneo.feedback.give import Said, give
from kgneo.graph.candidates import Reach, all_candidates
from kgneo.graph.catalogue import catalogue
from kgneo.graph.names import NamedEntity
from kgneo.graph.rows import plain, tell
from kgneo.graph.schema_text import CHARACTERS, prompt_text
from kgneo.graph.statement import Guard
from kgneo.model import Answer, Candidate, Evidence, evidence_to_dict
from kgneo.query.compile import parameters_to_show
from kgneo.query.json import to_json
from kgneo.stages.link import link
from kgneo.stages.offer_readings import compiled_graph
from kgneo.text import fold

TOKENS = TOOL_TOKENS
"""Tokens of one result, about."""
SHOWN = 5
"""Interpretations of a question that are shown."""
MOST = 500
"""Neighbours that are read at most."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Tools:
    """The tools over one graph. `tokens` bounds each result."""

    context: Context
    tokens: int = TOKENS

    def _known(self) -> Context:
        """The context with what is known by now; where that is not all, a look at the whole graph begins."""
        context = latest(self.context)
        look_further(context)
        return context

    def ask(
        self,
        question: str,
        strategy: str = "",
        entities: Sequence[str] = (),
        pick: Callable[[Answer], int | None] = lambda _: None,
        *,
        evidence: int = 3,
    ) -> Record:
        """An answer with the triples that it rests on. Where the question may mean several things, `pick` may give the
        number of the reading that is meant. Raises what `kgneo.ask` raises."""
        context = replace(self.context, options=replace(self.context.options, evidence=max(evidence, 0)))
        answer = ask(context, question, strategy=strategy or None, entities=entities)
        number = pick(answer) if answer.choices else None
        answer = answer.picked(number) if number else answer
        record = {
            "outcome": answer.outcome,
            "answer": answer.answer,
            "message": answer.message,
            "answers": list(answer.answers),
            "table": asdict(answer.table) if answer.table else None,
            "choices": [
                {"read_as": item.text, "number": item.number, "answers": list(item.answer.answers)}
                for item in answer.choices
            ],
            "unused_words": list(answer.unused),
            "missing": list(answer.missing),
            "nearest_names": list(answer.nearest),
            "more": answer.more,
            "evidence": [_triple(item) for item in answer.evidence],
            "evidence_left_out": answer.evidence_left_out,
            "read_as": answer.steps[0].question if answer.steps else "",
            "confidence": None if answer.confidence is None else round(answer.confidence, 3),
            "grounded": answer.grounded,
            "cypher": answer.cypher,
            "parameters": parameters_to_show(answer.cypher_parameters),
            "other_readings": [item.text for item in answer.readings[bool(answer.steps) :]],
            "warnings": list(answer.warnings),
        }
        return fitted(record, self.tokens)

    def verify(self, claim: str, entities: Sequence[str] = ()) -> Record:
        """Whether the graph supports or refutes a claim, with the triples that say so. Raises EntityNotFound."""
        return fitted(verify(self._known(), claim, entities=entities).to_dict(), self.tokens)

    def retrieve(self, question: str, entities: Sequence[str] = (), hops: int = 2, top_k: int = 20) -> Record:
        """The triples around the question's entities that are nearest to it, without an answer. Raises EntityNotFound
        and NotIndexed."""
        options = replace(self.context.options, hops=min(max(hops, 1), 6), top_k=min(max(top_k, 1), 200))
        linked, found = nearest(replace(self._known(), options=options), question, entities=entities)
        record: Record = {"entities": list(linked.names), "triples": [_scored(item) for item in found.nearest]}
        record |= {"warnings": list(found.warnings)} if found.warnings else {}
        return fitted(record, self.tokens)

    def interpret(self, question: str) -> Record:
        """How a question is understood: in words, as a query graph and as Cypher, what `paths` answers with first.
        Raises EntityNotFound."""
        context = self._known()
        offered = interpret(context, question)[:SHOWN]
        compiled = [compiled_graph(context, item.graph) for item in offered]
        shown = [
            {
                "read_as": item.wording,
                "score": round(item.score, 3),
                "ignored": list(item.ignored),
                "entities": list(item.entities),
                "query_graph": to_json(item.graph),
                "cypher": query.text,
                "parameters": parameters_to_show(query.parameters),
            }
            for item, query in zip(offered, compiled, strict=True)
        ]
        return fitted({"interpretations": shown}, self.tokens)

    def schema(self) -> str:
        """Labels, relationship types, properties and what connects what, most frequent first, as text."""
        context = self._known()
        shown = prompt_text(context.knowledge.schema, context.shape, tokens=self.tokens)
        keys = ", ".join(context.knowledge.texts.shown())
        return f"{shown}\nWhat these texts say can be asked, too, with all other conditions: {keys}" if keys else shown

    def entities(self, text: str, limit: int = 10) -> Record:
        """The nodes with a name like `text`, best first."""
        names = self._known().knowledge.names
        exact = names.by_folded_name([text], limit=limit).get(fold(text), [])
        found = {item.entity.id: item for item in [*exact, *names.by_words(text, limit=limit)]}
        return fitted({"entities": [_entity(item) for item in list(found.values())[:limit]]}, self.tokens)

    def neighbours(self, name: str, limit: int = 50) -> Record:
        """The triples around the node of that name. Raises EntityNotFound, with the nearest names."""
        knowledge = self._known().knowledge
        linked = link(knowledge, name, entities=[name])
        if not linked.topics:
            raise EntityNotFound(f"There is no node called {name!r}.")
        near = all_candidates(knowledge, Reach(linked.entity_ids[:1], 1))[0]
        shown = near[: min(max(limit, 1), MOST)]
        record = {"name": linked.names[0], "triples": [_scored(item) for item in shown], "more": len(near) - len(shown)}
        return fitted(record, self.tokens)

    def cypher(self, query: str, parameters: Mapping[str, Any] | None = None) -> Record:
        """Rows of a query that only reads, with the triples behind them. Raises StatementInvalid, UnknownName,
        StatementRefused and GraphTimeout."""
        context, given = self._known(), dict(parameters or {})
        known, shape = catalogue(context.knowledge.schema, context.shape), context.shape
        guard = Guard(context.graph, known, limit=context.options.limit, hidden=shape.left_out)
        passed = guard.check(query, given)
        rows = guard.rows(passed.text, given)
        told = tell(context.knowledge, guard, passed.statement, rows, given)
        record = {
            "columns": list(rows.columns),
            "rows": [[plain(value, context.knowledge) for value in row.values()] for row in rows.rows],
            "more": rows.more,
            "evidence": [_triple(item) for item in told.evidence],
            "cypher": passed.shown,
        }
        return fitted(record, self.tokens)

    def feedback(self, question: str, right: bool, means: str = "", answers: Sequence[str] = ()) -> Record:
        """What a user says of the answer to a question, kept until somebody reviews it. Raises UsageError and DataError
        for what cannot be kept."""
        known, said = self._known(), Said(right, means, tuple(answers), by="", through="mcp")
        answered = None if means or answers else ask(known, question).query_graph
        kept = give(known, question, answered, said)
        return {"key": kept.key, "verdict": kept.verdict, "read_as": kept.read_as}


def _triple(item: Evidence) -> Record:
    record = evidence_to_dict(item)
    return {key: value for key, value in record.items() if key not in ("hop", "score")}


def _scored(item: Candidate) -> Record:
    record = _triple(Evidence(item.triple, item.hop))
    return record if item.score is None else {**record, "score": round(item.score, 3)}


def _entity(item: NamedEntity) -> Record:
    return {"name": item.entity.name, "labels": list(item.entity.labels), "relationships": item.degree}


def fitted(record: Record, tokens: int) -> Record:
    """`record` in at most about `tokens` tokens: the longest of its lists are cut from the end, and `left_out` says how
    many of each were; where that does not do, its longest texts."""
    limit = tokens * CHARACTERS
    kept = dict(record)
    left_out: dict[str, int] = {}
    while _size(kept) > limit:
        lists = {key: _size(value) for key, value in kept.items() if isinstance(value, list) and len(value) > 1}
        if not lists:
            break
        longest = max(lists, key=lambda key: lists[key])
        half = len(kept[longest]) // 2
        left_out[longest] = left_out.get(longest, 0) + len(kept[longest]) - half
        kept[longest] = kept[longest][:half]
        kept["left_out"] = left_out
    texts = limit // max(len(kept), 1)
    return kept if _size(kept) <= limit else {key: _cut(value, texts) for key, value in kept.items()}


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str))


def _cut(value: Any, characters: int) -> Any:
    if _size(value) <= characters or isinstance(value, int | float | bool):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text[: max(characters - 3, 0)] + "…"
