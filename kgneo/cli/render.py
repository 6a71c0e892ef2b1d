"""Answers and triples as text for people."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kgneo.graph.cypher import inline
from kgneo.model import Answer, Candidate, Evidence, ModelUse
from kgneo.side_by_side import Attempt

SHOWN_EVIDENCE = 10
SHOWN_ANSWER = 48
"""Characters of an answer in a table."""


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


def render_rest(answer: Answer) -> str:
    """What follows an answer that was printed while it was written: names, evidence, warnings, cost."""
    parts = []
    if answer.answers and "; ".join(answer.answers) != answer.answer:
        more = f" (and {answer.more} more)" if answer.more else ""
        parts.append("In the graph: " + "; ".join(answer.answers) + more)
    if len(answer.steps) == 1 and answer.evidence:
        parts.append(_evidence(answer.evidence))
    parts.extend(f"Warning: {warning}" for warning in answer.warnings)
    if answer.llm:
        parts.append(cost(answer.llm))
    return "\n\n".join(parts)


def render_attempts(attempts: Sequence[Attempt]) -> str:
    """One line a strategy: answer, agreement, evidence, calls, tokens, seconds; then the warnings of each."""
    rows: list[tuple[str, ...]] = [("strategy", "answer", "agrees", "evidence", "calls", "tokens", "seconds")]
    rows += [_attempt_row(attempt) for attempt in attempts]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines[0] = click.style(lines[0], bold=True)
    warnings = [
        f"{attempt.strategy}: {warning}"
        for attempt in attempts
        for warning in (attempt.answer.warnings if attempt.answer else ())
    ]
    return "\n".join([*lines, *([""] if warnings else []), *warnings])


def _attempt_row(attempt: Attempt) -> tuple[str, ...]:
    answer = attempt.answer
    if answer is None:
        return (attempt.strategy, f"({attempt.error})", "", "", "", "", f"{attempt.seconds:.1f}")
    text = " ".join(("; ".join(answer.answers) or answer.answer).split())
    use = answer.llm
    return (
        attempt.strategy,
        text if len(text) <= SHOWN_ANSWER else text[: SHOWN_ANSWER - 1] + "…",
        "" if attempt.agreement is None else f"{attempt.agreement:.0%}",
        str(len(answer.evidence)),
        str(use.calls) if use else "0",
        f"{use.prompt_tokens + use.completion_tokens:,}" if use else "0",
        f"{attempt.seconds:.1f}",
    )


def cost(use: ModelUse) -> str:
    """One line: calls and tokens, and how many of the prompts' tokens did not have to be read again."""
    calls = "1 call" if use.calls == 1 else f"{use.calls} calls"
    again = 0 if use.evaluated_tokens is None else use.prompt_tokens - use.evaluated_tokens
    kept = f" ({again:,} of them kept from before)" if again else ""
    return f"{use.model}: {calls}, {use.prompt_tokens:,} tokens read{kept}, {use.completion_tokens:,} written"


def _evidence(evidence: Sequence[Evidence]) -> str:
    return "Evidence:\n" + "\n".join(evidence_lines(evidence, SHOWN_EVIDENCE))


def evidence_lines(evidence: Sequence[Evidence], shown: int) -> list[str]:
    """One line a triple, at most `shown`, then how many more there are."""
    lines = [f"  {_triple_text(item)}" for item in evidence[:shown]]
    if len(evidence) > shown:
        lines.append(f"  … and {len(evidence) - shown} more (all with --json)")
    return lines


def _triple_text(item: Evidence | Candidate) -> str:
    triple = item.triple
    relation = f"{triple.relation} {triple.detail}" if triple.detail else triple.relation
    return f"({triple.subject}, {relation}, {triple.object})"


def render_candidates(candidates: Sequence[Candidate]) -> str:
    """One line a triple: score, hop, triple."""
    return "\n".join(
        f"  {candidate.score or 0.0:6.3f}  hop {candidate.hop}  {_triple_text(candidate)}" for candidate in candidates
    )
