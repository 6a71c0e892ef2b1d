"""Filter: which of the entities that were reached answer the question, or that one must go on (IR-LLM section 3.1,
"entity filtering skill").

What the model names is checked against what was reached; names that are not there go back to it, a bounded number of
times. Where not all names fit into the prompt, those most like the question by the encoder are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgneo.encoders.encoder import Encoder
from kgneo.errors import ContextOverflow
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.ground import EDGES, ground
from kgneo.stages.name_grammar import listed_grammar
from kgneo.stages.reached import Reached
from kgneo.stages.relations import similarities

PARAMETERS = replace(TABLE_2, temperature=0.0)
LISTED_TOKENS = 1_500
"""Tokens of names in one prompt at most."""
COMPARED = 1_000
"""Names that are compared with the question where not all fit."""
ALL, NONE = "all", "none"


@dataclass(frozen=True, slots=True)
class Filtered:
    """The entities that answer; none: the search goes on. `unknown` are names that were not there."""

    entities: tuple[Reached, ...] = ()
    unknown: tuple[str, ...] = ()


def filter_entities(
    question: str, reached: Sequence[Reached], calls: ModelCalls, encoder: Encoder, *, notes: str = "", retries: int = 2
) -> Filtered:
    """Ask the model which of `reached` answer `question`. Raises ModelError."""
    shown = _fitting(question, reached, calls, encoder)
    feedback = ""
    unknown: tuple[str, ...] = ()
    for _ in range(retries + 1):
        variables = {
            "question": one_line(question),
            "entities": "\n".join(dict.fromkeys(f"- {one_line(entity.name)}" for entity in shown)),
            "notes": "".join(f"{note}\n" for note in (notes, feedback) if note),
        }
        try:
            listing = calls.listing(PARAMETERS, (item.name for item in shown))
            parameters = replace(listing, grammar=listed_grammar((one_line(item.name) for item in shown), ALL, NONE))
            reply = calls.complete("entities", parameters, None, **variables).text
        except ContextOverflow as error:
            calls.warn(f"The model was not asked which entities answer: {error.message}.")
            return Filtered(unknown=unknown)
        word = reply.strip().strip(EDGES).lower()
        if word == ALL:
            return Filtered(tuple(reached), unknown)
        found = ground(reply, shown, asked="")
        if found.entities or word in ("", NONE) or not found.unmatched:
            return Filtered(found.entities, unknown)
        unknown += found.unmatched
        listed = "; ".join(name[:80] for name in found.unmatched[:3])
        feedback = f"These are not in the list: {listed}. Write names of the list, {ALL}, or {NONE}."
    calls.warn(f"The model named entities that were not reached: {'; '.join(dict.fromkeys(unknown[:5]))}.")
    return Filtered(unknown=unknown)


def _fitting(question: str, reached: Sequence[Reached], calls: ModelCalls, encoder: Encoder) -> Sequence[Reached]:
    """All, or those most like the question where not all fit into the prompt."""
    room = calls.room("entities", PARAMETERS, question=question)
    tokens = LISTED_TOKENS if room is None else min(room, LISTED_TOKENS)
    if _cost(reached, calls) <= tokens:
        return reached
    compared = reached[:COMPARED]
    order = np.argsort(-similarities(question, [one_line(entity.name) for entity in compared], encoder), kind="stable")
    shown = [compared[int(index)] for index in order]
    while len(shown) > 1 and _cost(shown, calls) > tokens:
        shown = shown[: len(shown) * 3 // 4]
    calls.warn(f"{len(reached) - len(shown)} of {len(reached)} entities were not shown: they do not fit the prompt.")
    return shown


def _cost(entities: Sequence[Reached], calls: ModelCalls) -> int:
    return calls.model.count_tokens("\n".join(entity.name for entity in entities))
