"""Pieces of answers as text, which a pipe and a terminal show alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kgneo.cli.hints import way

if TYPE_CHECKING:
    from kgneo.asking.side_by_side import Attempt

ROLES = {"": "", "instead": "  (in its place)", "next": "  (the next)"}
"""What is said of a triple by what it is there for."""
SHOWN_ANSWER = 48
"""Characters of an answer in a table."""


def unused(record: Mapping[str, Any]) -> list[str]:
    """Which words of the question the answer does not use, and how a choice is made."""
    told = any(warning.startswith("Ignored") for warning in record["warnings"])
    lines = [f"Ignored: {', '.join(map(repr, record['unused']))}."] if record.get("unused") and not told else []
    return [*lines, *([way("pick")] if record.get("outcome") == "choice" else [])]


def shown_cell(cell: str | float | bool | None) -> str:
    """A cell of an answer's table as text."""
    if cell is None:
        return "–"
    return ("yes" if cell else "no") if isinstance(cell, bool) else " ".join(str(cell).split())


def attempt_rows(attempts: Sequence[Attempt]) -> list[tuple[str, ...]]:
    """The heading of a comparison of strategies, then a row for each."""
    heading = ("strategy", "answer", "agrees", "evidence", "calls", "tokens", "seconds")
    return [heading, *map(_attempt_row, attempts)]


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


def cost(use: Mapping[str, Any]) -> str:
    """One line: calls and tokens of a `ModelUse`, and how many of the prompts' tokens did not have to be read again."""
    calls = "1 call" if use["calls"] == 1 else f"{use['calls']} calls"
    again = 0 if use["evaluated_tokens"] is None else use["prompt_tokens"] - use["evaluated_tokens"]
    kept = f" ({again:,} of them kept from before)" if again else ""
    paid = "" if use.get("cost") is None else f", {use['cost']:.4f} paid"
    written = f"{use['completion_tokens']:,} written"
    return f"{use['model']}: {calls}, {use['prompt_tokens']:,} tokens read{kept}, {written}{paid}"
