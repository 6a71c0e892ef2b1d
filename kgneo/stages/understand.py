"""Understand: what a question is about, what it wants, and in what context (Mindful-RAG steps 1 to 3).

One call instead of the paper's three: the model writes a line for each of entities, other telling words, intent,
context and constraints. Lines that are missing are empty; nothing here is an answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kgneo.errors import ContextOverflow
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls

PARAMETERS = replace(TABLE_2, temperature=0.0)
NONE = ("", "none", "no", "n/a", "-")
LONGEST = 300
"""Characters of a line that are kept."""

_LINE = re.compile(r"^\W*(entities|words|intent|context|constraints)\W*:\s*(.*?)\s*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Understanding:
    """`entities` and `words` of the question, its `intent` and `context` in a few words each, its `constraints` (time,
    place, number, "first", "current") as the question says them."""

    entities: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    intent: str = ""
    context: str = ""
    constraints: tuple[str, ...] = ()

    @property
    def notes(self) -> str:
        """As later prompts are told of it; empty where nothing was understood."""
        lines = {"Intent": self.intent, "Context": self.context, "Telling words": "; ".join(self.words)}
        return "\n".join(f"{name}: {text}" for name, text in lines.items() if text)


def understand(question: str, calls: ModelCalls) -> Understanding:
    """Ask the model what `question` means. Raises ModelError."""
    try:
        reply = calls.complete("understand", PARAMETERS, question=one_line(question)).text
    except ContextOverflow as error:
        calls.warn(f"The question's intent was not asked for: {error.message}.")
        return Understanding()
    return read_understanding(reply)


def read_understanding(reply: str) -> Understanding:
    """What a reply says, line by line; what is not there is empty."""
    lines = {name.lower(): text[:LONGEST] for name, text in _LINE.findall(reply)}

    def listed(name: str) -> tuple[str, ...]:
        pieces = (piece.strip(" .\"'") for piece in lines.get(name, "").split(";"))
        return tuple(piece for piece in pieces if piece.lower() not in NONE)

    def said(name: str) -> str:
        text = lines.get(name, "")
        return "" if text.lower().strip(".") in NONE else text

    return Understanding(listed("entities"), listed("words"), said("intent"), said("context"), listed("constraints"))
