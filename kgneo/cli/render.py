"""Answers and triples as text for people."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kgneo.graph.cypher import inline
from kgneo.model import Answer, Candidate, Evidence

SHOWN_EVIDENCE = 10


def render_answer(answer: Answer) -> str:
    """The answer, how the question was read, the evidence, and a query for Neo4j Browser."""
    parts = [click.style(answer.answer, bold=True)]
    if answer.steps:
        confidence = "" if answer.confidence is None else f"  (confidence {answer.confidence:.2f})"
        parts.append("Read as: " + answer.steps[0].question + confidence)
    elif answer.readings:
        rows = "\n".join(f"  {reading.score:6.2f}  {reading.text}" for reading in answer.readings)
        parts.append("No reading of the question is likely enough. The best:\n" + rows)
    if answer.evidence:
        parts.append(_evidence(answer.evidence))
    if answer.cypher:
        query = inline(answer.cypher, dict(answer.cypher_parameters))
        parts.append("See it in Neo4j Browser:\n" + "\n".join("  " + line for line in query.splitlines()))
    parts.extend(f"Warning: {warning}" for warning in answer.warnings)
    return "\n\n".join(parts)


def _evidence(evidence: Sequence[Evidence]) -> str:
    lines = [f"  {_triple_text(item)}" for item in evidence[:SHOWN_EVIDENCE]]
    if len(evidence) > SHOWN_EVIDENCE:
        lines.append(f"  … and {len(evidence) - SHOWN_EVIDENCE} more (all with --json)")
    return "Evidence:\n" + "\n".join(lines)


def _triple_text(item: Evidence | Candidate) -> str:
    triple = item.triple
    return f"({triple.subject}, {triple.relation}, {triple.object})"


def render_candidates(candidates: Sequence[Candidate]) -> str:
    """One line a triple: score, hop, triple."""
    return "\n".join(
        f"  {candidate.score or 0.0:6.3f}  hop {candidate.hop}  {_triple_text(candidate)}" for candidate in candidates
    )
