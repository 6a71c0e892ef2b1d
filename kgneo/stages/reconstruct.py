"""Reconstruct: triples into text that a language model reads more easily (RefKG section 3.3).

The model writes the text. It may lose nothing: where a name is missing from what it wrote, and where there are more
triples than a reply holds, the sentences made by template stand in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgneo.errors import ContextOverflow
from kgneo.model import Candidate
from kgneo.stages.facts import fitting, one_line
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.select import Selection
from kgneo.text import fold

PARAMETERS = replace(TABLE_2, temperature=0.0)
REWRITTEN_TOKENS = 120
"""Tokens of sentences up to which the model is asked to write them anew: about half of a reply."""


def reconstruct(
    question: str, selection: Selection, calls: ModelCalls, *, by_model: bool, tokens: int
) -> tuple[str, Sequence[Candidate]]:
    """The triples that were found for `question` as text of at most `tokens`, and those that it holds. Raises
    ModelError."""
    shown = fitting(selection.candidates, selection.write, tokens=tokens, count=calls.model.count_tokens)
    text = selection.write(shown)
    if len(shown) < len(selection.candidates):
        calls.warn(f"{len(selection.candidates) - len(shown)} triples were left out: they did not fit into the prompt.")
    if not by_model or not shown or calls.model.count_tokens(text) > REWRITTEN_TOKENS:
        return text, shown
    try:
        reply = calls.complete("reconstruct", PARAMETERS, facts=text, question=one_line(question)).text
    except ContextOverflow:
        return text, shown
    written = "\n".join(line.strip() for line in reply.splitlines() if line.strip(" ="))
    said = fold(written)
    names = {fold(one_line(name)) for item in shown for name in (item.triple.subject, item.triple.object)}
    return (written, shown) if all(name in said for name in names) else (text, shown)
