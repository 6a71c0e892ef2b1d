"""Synthesise: the final answer from sub-questions and sub-answers (KG-RAG section 3.5.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from kgneo.errors import BudgetSpent, ContextOverflow
from kgneo.model import Step
from kgneo.stages.generate import LONGEST_LIST, NEXT_TURN, TABLE_2, ModelCalls
from kgneo.stages.ground import Grounded, ground
from kgneo.stages.reached import Reached, names_in
from kgneo.stages.rewrite import LISTED, write_steps

PARAMETERS = replace(TABLE_2, max_tokens=512, stop=NEXT_TURN)
LONG = 600
"""Characters of an answer in sentences after which it is cut to its first paragraph, or to whole sentences."""

_SENTENCE_END = re.compile(r"[.!?](?=\s)")


def synthesise(
    question: str,
    reasoning: str,
    steps: Sequence[Step],
    calls: ModelCalls,
    *,
    listed: int | None = None,
    on_text: Callable[[str], None] | None = None,
) -> str:
    """The final answer in the model's words, cut where it is over-long; the last sub-answer where the steps do not fit
    into the model's context. The model is shown at most `listed` answers of each step, as many as `shown_of` says
    where that is not given."""
    listed = shown_of(steps, calls) if listed is None else listed
    variables = {"question": question, "reasoning": reasoning, "steps": write_steps(steps, listed=listed)}
    parameters = calls.listing(PARAMETERS, (name for step in steps for name in step.answers[:listed]))
    try:
        completion = calls.complete("synthesise", parameters, on_text, **variables)
    except (BudgetSpent, ContextOverflow) as error:
        calls.warn(f"The last sub-answer is the answer: {error.message.rstrip('.')}.")
        return steps[-1].answer
    text = cut_to_answer(completion.text, unfinished=completion.finish_reason == "length")
    if text != completion.text.strip():
        calls.warn("The model's final text was longer than an answer and was cut.")
    return text


def shown_of(steps: Sequence[Step], calls: ModelCalls) -> int:
    """How many answers of each step the model is shown: all that an eighth of its context holds, at least 30."""
    context = calls.model.context_tokens
    room = LONGEST_LIST if context is None else min(LONGEST_LIST, context // 8)
    names = [name for step in steps for name in step.answers]
    each = calls.model.count_tokens("; ".join(names)) / max(len(names), 1)
    return max(LISTED, int(room / max(each * len(steps), 1.0)))


def cut_to_answer(text: str, *, unfinished: bool = False) -> str:
    """The first paragraph of a long text, in whole sentences of at most 600 characters; a list stays whole, without
    its last item where the reply was cut off in it."""
    text = text.strip()
    if ";" in text and not _SENTENCE_END.search(text):
        return text.rsplit(";", 1)[0].rstrip() if unfinished else text
    if len(text) <= LONG and not unfinished:
        return text
    paragraph = re.split(r"\n\s*\n", text)[0].strip()
    if len(paragraph) <= LONG and (len(paragraph) < len(text) or not unfinished):
        return paragraph
    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph[: LONG + 1])]
    return paragraph[: ends[-1]].strip() if ends else paragraph[:LONG].rstrip()


def final_entities(
    text: str, question: str, groups: Sequence[tuple[Reached, ...]], steps: Sequence[Step], *, listed: int = LISTED
) -> Grounded:
    """The entities that the final answer names: answers of the last step if it names any, else of any step.

    Answers of the last step beyond `listed`, which were not shown to the model, follow those it named: it cannot have
    ruled out what it did not see. An entity that the question itself names is no answer beside others.
    """
    last = groups[-1] if groups else ()
    everything = [entity for group in groups for entity in group]
    found = ground(text, everything, asked=question)
    in_last = {entity.id for entity in last}
    named = [entity for entity in found.entities if entity.id in in_last]
    sentence = len(found.entities) > len(named) > 0 and ";" not in text
    entities = named if sentence else list(found.entities)
    if named and len(steps[-1].answers) > listed:
        hidden = set(steps[-1].answers[listed:])
        kept = {entity.id for entity in entities}
        entities += [entity for entity in last if entity.name in hidden and entity.id not in kept]
    asked = {item.name for item in names_in(question, (entity.name for entity in entities))}
    others = [entity for entity in entities if entity.name not in asked]
    return Grounded(tuple(others or entities), found.unmatched)
