"""What is said of a claim: the verdict on each of its parts and on the whole, with the triples behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from kgneo.model import Evidence, ModelUse, evidence_to_dict
from kgneo.query.graph import QueryGraph
from kgneo.query.json import to_json

Verdict = Literal["supported", "refuted", "not enough evidence"]
SUPPORTED: Verdict = "supported"
REFUTED: Verdict = "refuted"
OPEN: Verdict = "not enough evidence"
VERDICTS: tuple[Verdict, ...] = (SUPPORTED, REFUTED, OPEN)


@dataclass(frozen=True, slots=True)
class CheckedPart:
    """A part of a claim: its words, the verdict on it, how sure that is (0..1), why, and the query graph that was run
    (None where the words could not be read as one). `unknown` are the names in it that the graph does not have."""

    text: str
    verdict: Verdict
    confidence: float
    explanation: str
    evidence: tuple[Evidence, ...] = ()
    query_graph: QueryGraph | None = None
    cypher: str | None = None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` returns. `to_dict` gives the object that `kgneo verify --json` prints."""

    claim: str
    verdict: Verdict
    confidence: float
    explanation: str
    evidence: tuple[Evidence, ...] = ()
    parts: tuple[CheckedPart, ...] = ()
    entities: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    llm: ModelUse | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def query_graphs(self) -> tuple[QueryGraph, ...]:
        """The query graphs of its parts."""
        return tuple(part.query_graph for part in self.parts if part.query_graph is not None)

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists and scalars, ready for `json.dumps`."""
        return {
            "claim": self.claim,
            "verdict": self.verdict,
            "confidence": self.confidence,
            "evidence": [evidence_to_dict(item) for item in self.evidence],
            "explanation": self.explanation,
            "query_graphs": [to_json(graph) for graph in self.query_graphs],
            "parts": [
                {
                    "text": part.text,
                    "verdict": part.verdict,
                    "confidence": part.confidence,
                    "cypher": part.cypher,
                    "unknown": list(part.unknown),
                }
                for part in self.parts
            ],
            "entities": list(self.entities),
            "llm": asdict(self.llm) if self.llm else None,
            "timings_ms": {stage: round(value, 2) for stage, value in self.timings_ms.items()},
            "warnings": list(self.warnings),
        }


def denied(verdict: Verdict) -> Verdict:
    """The verdict on the contrary."""
    if verdict == OPEN:
        return OPEN
    return REFUTED if verdict == SUPPORTED else SUPPORTED


def contrary(part: CheckedPart) -> CheckedPart:
    """The part, where what it says is denied. An unknown name supports nothing: it may be another one for what the
    graph has in its place."""
    verdict = denied(part.verdict)
    if verdict == SUPPORTED and part.unknown:
        return replace(part, verdict=OPEN, confidence=round(part.confidence / 2, 4))
    return replace(part, verdict=verdict)


def together(parts: Sequence[CheckedPart]) -> tuple[Verdict, float]:
    """The verdict on parts that are all claimed, and its confidence: one that is refuted refutes the whole, which is
    supported only where every part is."""
    if not parts:
        return OPEN, 0.0
    refuted = [part.confidence for part in parts if part.verdict == REFUTED]
    if refuted:
        return REFUTED, max(refuted)
    left_open = [part.confidence for part in parts if part.verdict == OPEN]
    if left_open:
        return OPEN, max(left_open)
    return SUPPORTED, min(part.confidence for part in parts)
