"""Align: whether an answer fits what the question was understood to want (Mindful-RAG step 7)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.errors import ContextOverflow
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls

PARAMETERS = replace(TABLE_2, temperature=0.0, max_tokens=64)
SHOWN = 20
"""Answers that the model is shown."""
LONGEST = 200

_VERDICT = re.compile(r"^\W*(?:fits\W*)?(yes|no)\b[\s:,.;-]*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Alignment:
    """Whether the answer fits, and why not, in the model's words."""

    fits: bool = True
    reason: str = ""


def align(question: str, notes: str, answers: Sequence[str], path: str, calls: ModelCalls) -> Alignment:
    """Ask the model whether `answers`, found along `path`, are what `question` wants; a reply that is neither yes nor
    no lets them stand. Raises ModelError."""
    listed = "; ".join(map(one_line, answers[:SHOWN])) + ("; …" if len(answers) > SHOWN else "")
    try:
        reply = calls.complete(
            "align", PARAMETERS, question=one_line(question), notes=notes, answers=listed, path=one_line(path)
        ).text
    except ContextOverflow:
        return Alignment()
    match = _VERDICT.match(reply)
    if match is None or match[1].lower() == "yes":
        return Alignment()
    return Alignment(False, one_line(match[2])[:LONGEST])
