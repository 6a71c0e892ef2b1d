"""Answer: one (sub-)question from the triples selected for it, or from nothing but the model (KG-RAG section 3.5.3).

A model that keeps to a grammar is held to the names in these triples. Triples that do not fit into the model's context
are left out from the end, with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.errors import ContextOverflow
from kgneo.model import Candidate
from kgneo.stages.facts import fitting
from kgneo.stages.generate import NEXT_TURN, TABLE_2, ModelCalls
from kgneo.stages.ground import NOT_FOUND
from kgneo.stages.name_grammar import name_grammar
from kgneo.stages.select import Selection

PARAMETERS = replace(TABLE_2, repeat_penalty=1.1, stop=NEXT_TURN)
FACTS_TOKENS = 6_000
"""Tokens of facts in one prompt at most, whatever the model's context."""
NO_FACTS = "(there are none)"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote, the triples that it was shown, and whether the reply was cut off at its bound."""

    text: str
    shown: tuple[Candidate, ...] = ()
    cut: bool = False


def answer_from_facts(
    question: str, selection: Selection, calls: ModelCalls, *, on_text: Callable[[str], None] | None = None
) -> Reply:
    """The answer to `question` from the selected triples alone; without any triple the model is not asked.

    Raises ModelError, and ContextOverflow when not even the question fits.
    """
    if not selection.candidates:
        return Reply(NOT_FOUND)
    room = calls.room("answer", PARAMETERS, question=question)
    tokens = FACTS_TOKENS if room is None else min(room, FACTS_TOKENS)
    shown: Sequence[Candidate] = selection.candidates
    if selection.form != "list" or room is not None:
        shown = fitting(shown, selection.write, tokens=tokens, count=calls.model.count_tokens)
    while True:
        facts = selection.write(shown) or NO_FACTS
        grammar = name_grammar(shown, selection.likely, selection.topic) if calls.model.supports_grammar else None
        try:
            listing = calls.listing(PARAMETERS, _ends(shown))
            parameters = replace(listing, grammar=grammar)
            completion = calls.complete("answer", parameters, on_text, question=question, facts=facts)
        except ContextOverflow as error:
            if not shown:
                raise
            shown = shown[: int(len(shown) * min(0.7, 0.9 * error.limit / max(error.tokens, 1)))]
            continue
        _warn_of_cut(len(selection.candidates), len(shown), calls)
        return Reply(completion.text, tuple(shown), completion.finish_reason == "length")


def _ends(shown: Sequence[Candidate]) -> Iterator[str]:
    """The names at one end of the triples, as many as an answer can be expected to list: the end with more of them."""
    subjects = dict.fromkeys(item.triple.subject for item in shown)
    objects = dict.fromkeys(item.triple.object for item in shown)
    yield from max(subjects, objects, key=len)


def _warn_of_cut(selected: int, shown: int, calls: ModelCalls) -> None:
    if shown < selected:
        calls.warn(
            f"{selected - shown} of {selected} triples were left out: they did not fit into the prompt. "
            "A model with a longer context (--llm-context), fewer hops or a narrower question helps."
        )


def answer_alone(question: str, calls: ModelCalls, *, on_text: Callable[[str], None] | None = None) -> str:
    """The model's answer to `question` without any facts, for the baselines without a graph. Raises ModelError."""
    return calls.complete("answer_alone", PARAMETERS, on_text, question=question).text
