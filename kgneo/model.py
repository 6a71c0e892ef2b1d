"""The words of kgneo as frozen dataclasses, from a triple to an answer.

Nothing here talks to a database or a model. Ratios and other derived figures are properties.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from kgneo.errors import UsageError

Outcome = Literal["answer", "choice", "not_in_graph", "not_understood"]
"""What came of a question: an answer; several readings that mean different things, of which the user is to choose; that
the graph holds nothing of the kind; that nothing was read that is likely enough."""

HopKeys = tuple[tuple[str, bool, bool], ...]
_SINGLE = re.compile(r"(?<!@)(?:@@)*@(?!@)")


@dataclass(frozen=True, slots=True)
class Triple:
    """Subject, relation and object, each as the graph spells it.

    `detail` holds the relationship's own properties in words ("as Neo"), empty where there are none.
    """

    subject: str
    relation: str
    object: str
    detail: str = ""

    @property
    def text(self) -> str:
        """The text that is encoded: "(subject, relation, object)", underscores of the relation as blanks.

        KG-RAG section 3.5.2.
        """
        relation = f"{self.relation} {self.detail}" if self.detail else self.relation
        return f"({self.subject}, {relation}, {self.object})".replace("_", " ")


@dataclass(frozen=True, slots=True)
class Entity:
    """A node: its name, its labels (without kgneo's own) and the database's id for it."""

    name: str
    labels: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class TopicEntity:
    """An entity that a question is about: `matched` is the piece of the question, `score` (0..1) how well."""

    entity: Entity
    matched: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A triple within reach of the topic entities. `hop` (1-based) is where it was first reached; `id` the
    database's id of its relationship (or of the node, for a property value)."""

    triple: Triple
    hop: int
    id: str = ""
    subject_id: str = ""
    object_id: str = ""
    score: float | None = None


def value_relation(key: str, relation: str = "", *, clash: bool = False) -> str:
    """The relation of a step onto a property: of a node, or of the relationship type `relation`. `clash` says
    that a relationship type has the same name."""
    doubled = key.replace("@", "@@")
    if relation:
        return f"{relation.replace('@', '@@')}@{doubled}"
    return f"@{doubled}" if clash else doubled


def split_value_relation(text: str) -> tuple[str, str]:
    """The inverse: relationship type (empty for a node's property) and key."""
    match = _SINGLE.search(text)
    if not match:
        return "", text.replace("@@", "@")
    at = match.end() - 1
    return text[:at].replace("@@", "@"), text[at + 1 :].replace("@@", "@")


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a relation path: along `relation`, from subject to object (`forward`) or back.

    `labels` are those of the nodes that the step reaches, most frequent first, without kgneo's own.
    `value` marks a step onto a property value: `relation` is then the property's key, `born`; for a property of a
    relationship the type stands before it, `WORKED_AT@role`; for a key that is a relationship type's name as well,
    `@country`. A "@" that is part of a name is doubled.
    """

    relation: str
    forward: bool = True
    labels: tuple[str, ...] = ()
    value: bool = False

    def __str__(self) -> str:
        return self.relation if self.forward else f"^{self.relation}"


@dataclass(frozen=True, slots=True)
class RelationPath:
    """A sequence of hops that leaves a topic entity; `str()` gives "^directed_by/in_language"."""

    hops: tuple[Hop, ...]
    _hash: int = field(init=False, repr=False, compare=False)
    """Paths are looked up by the hundred for each question."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.hops))

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return "/".join(map(str, self.hops))

    def __len__(self) -> int:
        return len(self.hops)


def path_keys(path: RelationPath) -> HopKeys:
    """What makes two paths the same: relations and directions, not the labels on the way."""
    return tuple((hop.relation, hop.forward, hop.value) for hop in path.hops)


Role = Literal["", "instead", "next"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A triple that an answer rests on, checked to be in the graph."""

    triple: Triple
    hop: int
    score: float | None = None
    role: Role = ""
    """What it is there for: "" for what the answer rests on, "instead" for what the graph has where nothing was found,
    "next" for what comes right behind the first or the last."""
    left_out: int = 0
    """How many more matches of the same answer there are than were kept as evidence."""
    marked: tuple[tuple[int, int], ...] = ()
    """Of a passage of a text, which is the triple's object: where the words stand that say what was asked, each from a
    character to the one behind it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One sub-question with its answer: text, entity names and the triples that it rests on."""

    question: str
    answer: str
    answers: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What an answer cost: calls to the language model and tokens in both directions.

    `evaluated_tokens` are those of the prompts that the model read anew instead of keeping them from earlier prompts
    that began alike; None where the model does not say. `cost` is money, where a price is set.
    """

    model: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    evaluated_tokens: int | None = None
    cost: float | None = None

    def __add__(self, other: ModelUse) -> ModelUse:
        """Both together, under the other's name."""
        known = self.evaluated_tokens is not None and other.evaluated_tokens is not None
        return ModelUse(
            other.model,
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            (self.evaluated_tokens or 0) + (other.evaluated_tokens or 0) if known else None,
            None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0),
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a question, with its score: "films starring X → their languages"."""

    text: str
    path: str
    score: float
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerNode:
    """A node that is an answer: the database's id for it, its labels, and all its names.

    The first of `names` is the one that stands in `Answer.answers`; it is the only one where no other is known. A node
    without a name is `described`: by a few properties in the first, and the texts of all of its properties after it.
    """

    id: str
    labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    described: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the readings that a question may mean: its words, and the answer that it gives, which was found."""

    text: str
    answer: Answer

    @property
    def number(self) -> int:
        """How many answers it has."""
        return len(self.answer.answers) + self.answer.more

    @property
    def first(self) -> tuple[str, ...]:
        """The first few of them."""
        return self.answer.answers[:3]

    def to_dict(self) -> dict[str, Any]:
        """For JSON: its words, how many answers it has, the first of them, and its answer."""
        return {"text": self.text, "number": self.number, "first": list(self.first), "answer": self.answer.to_dict()}


@dataclass(frozen=True, slots=True)
class Table:
    """An answer of several columns: what each column holds, and rows of texts, numbers, true or false, or nothing."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What `ask` returns. `to_dict` gives the object that `kgneo ask --json` prints."""

    question: str
    strategy: str
    answer: str
    answers: tuple[str, ...] = ()
    entities: tuple[TopicEntity, ...] = ()
    steps: tuple[Step, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    cypher: str | None = None
    cypher_parameters: Mapping[str, Any] = field(default_factory=dict)
    picture: str | None = None
    """A query with the same parameters for the nodes and relationships behind the answer, for Neo4j Browser to draw."""
    confidence: float | None = None
    grounded: bool = False
    llm: ModelUse | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    more: int = 0
    """How many further answers the graph holds beyond `answers`."""
    reasoning: str = ""
    """Why the question was split as it was, in the language model's words."""
    answer_nodes: tuple[AnswerNode, ...] = ()
    """The nodes among `answers`; values and what a model alone says have none, and a name may have several."""
    table: Table | None = None
    """The same answers with what stands beside each, where several columns were asked for."""
    outcome: Outcome = "answer"
    """What came of the question; other than for "answer", `answers` is empty, and `message` says it in words."""
    message: str = ""
    unused: tuple[str, ...] = ()
    """The words of the question that the answer does not use."""
    choices: tuple[Choice, ...] = ()
    """For "choice": the readings, the likeliest first."""
    missing: tuple[str, ...] = ()
    """For "not_in_graph": the names and words of the question that the graph has nothing for."""
    nearest: tuple[str, ...] = ()
    """The names in the graph that are most like those that are missing."""
    counted: tuple[AnswerNode, ...] = ()
    """The first nodes that were counted, where the answer is how many there are."""
    how: tuple[str, ...] = ()
    """What the strategy `auto` did, in its order."""
    query_graph: Mapping[str, Any] | None = None
    """The query graph that gave the answers, as JSON holds it (`kgneo.query.json`); None where none did."""

    @property
    def evidence_left_out(self) -> int:
        """How many more matches the answers rest on than `evidence` has."""
        return sum(item.left_out for item in self.evidence)

    def picked(self, number: int) -> Answer:
        """The answer of the choice with that number, from 1. Raises UsageError where there is none."""
        if not 1 <= number <= len(self.choices):
            there = f"choices 1 to {len(self.choices)}" if self.choices else "no choices"
            raise UsageError(f"There is no choice {number}: the answer has {there}.")
        return self.choices[number - 1].answer

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        from kgneo.notebook import html_of  # here, as only a notebook calls this

        return html_of(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists and scalars, ready for `json.dumps`."""
        return {
            "question": self.question,
            "strategy": self.strategy,
            "answer": self.answer,
            "reasoning": self.reasoning,
            "answers": list(self.answers),
            "answer_nodes": [asdict(node) for node in self.answer_nodes],
            "counted": [asdict(node) for node in self.counted],
            "table": asdict(self.table) if self.table else None,
            "more": self.more,
            "entities": [
                {
                    "name": topic.entity.name,
                    "labels": list(topic.entity.labels),
                    "id": topic.entity.id,
                    "matched": topic.matched,
                    "score": topic.score,
                }
                for topic in self.entities
            ],
            "steps": [
                {
                    "question": step.question,
                    "answer": step.answer,
                    "answers": list(step.answers),
                    "evidence": [evidence_to_dict(item) for item in step.evidence],
                }
                for step in self.steps
            ],
            "evidence": [evidence_to_dict(item) for item in self.evidence],
            "evidence_left_out": self.evidence_left_out,
            "cypher": self.cypher,
            "cypher_parameters": dict(self.cypher_parameters),
            "query_graph": None if self.query_graph is None else dict(self.query_graph),
            "picture": self.picture,
            "confidence": self.confidence,
            "grounded": self.grounded,
            "llm": asdict(self.llm) if self.llm else None,
            "readings": [asdict(reading) for reading in self.readings],
            "timings_ms": {stage: round(value, 2) for stage, value in self.timings_ms.items()},
            "warnings": list(self.warnings),
            "outcome": self.outcome,
            "message": self.message,
            "unused": list(self.unused),
            "choices": [choice.to_dict() for choice in self.choices],
            "missing": list(self.missing),
            "nearest": list(self.nearest),
            "how": list(self.how),
        }


def evidence_to_dict(item: Evidence) -> dict[str, Any]:
    """One evidence triple as `--json` prints it."""
    record: dict[str, Any] = {
        "subject": item.triple.subject,
        "relation": item.triple.relation,
        "object": item.triple.object,
        "hop": item.hop,
        "score": item.score,
    }
    if item.triple.detail:
        record["detail"] = item.triple.detail
    if item.role:
        record["role"] = item.role
    if item.left_out:
        record["left_out"] = item.left_out
    if item.marked:
        record["marked"] = [list(place) for place in item.marked]
    return record


def evidence_from_dict(record: Mapping[str, Any]) -> Evidence:
    """The evidence triple that `evidence_to_dict` gave."""
    triple = Triple(record["subject"], record["relation"], record["object"], record.get("detail", ""))
    return Evidence(
        triple,
        record["hop"],
        record["score"],
        record.get("role", ""),
        record.get("left_out", 0),
        tuple((start, end) for start, end in record.get("marked", ())),
    )
