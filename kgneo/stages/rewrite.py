"""Rewrite: a later sub-question made whole with the answers of earlier ones (KG-RAG section 3.5.3), and a
follow-up made whole with the conversation before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kgneo.english.words import AUXILIARIES, FUNCTION_WORDS, POINTERS, PREPOSITIONS, PRONOUNS
from kgneo.errors import BudgetSpent, ContextOverflow
from kgneo.model import Step
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.ground import NOT_FOUND
from kgneo.text import listed as in_words

STOP = "?"
PARAMETERS = replace(TABLE_2, stop=(STOP,))
ANSWER = "Answer:"
LISTED = 30
"""Answers of a step that are written out in a prompt that asks for a question: the triples that it is answered from
begin with all of them."""
PUT_IN = 5
"""Answers of a step that a rule puts into a question: the triples that it is answered from begin with all of them."""
LONGEST = 2_000
"""Characters of a rewritten question; a longer one is no question."""
TURNS = 6
"""Questions of a conversation that a follow-up is read with."""

_POINTING = re.compile(
    rf"(?P<before>\w+\s+)?\b(?P<phrase>(?P<pointer>{'|'.join(sorted(POINTERS))})\s+(?P<noun>\w+))", re.IGNORECASE
)
_LABEL = re.compile(r"^\s*(?:rewritten )?question\s*:\s*", re.IGNORECASE)


def rewrite(question: str, steps: Sequence[Step], calls: ModelCalls) -> str:
    """`question` with its references to `steps` replaced by their answers; as it is where that fails."""
    earlier = write_steps(steps)
    return _rewritten("rewrite", question, calls, earlier=earlier)


def put_in(question: str, step: Step) -> str | None:
    """`question` with its "those films" or "that film" replaced by the answers of `step`, without a model; None where
    it refers to them in another way or more than once, and where there are none."""
    found = [match for match in _POINTING.finditer(question) if _points(match)]
    words = {word.lower() for word in re.findall(r"\w+", question)}
    if len(found) != 1 or not step.answers or words & (PRONOUNS - POINTERS):
        return None
    names = [one_line(name) for name in step.answers[:PUT_IN]]
    more = len(step.answers) - PUT_IN
    last = f"{more} more" if more > 0 else names.pop()
    listed = f"{', '.join(names)} and {last}" if names else last
    return question[: found[0].start("phrase")] + listed + question[found[0].end("phrase") :]


def _points(match: re.Match[str]) -> bool:
    """Whether words such as "that film" point back: "that" begins a clause, too, but not behind a preposition."""
    before, singular = (match["before"] or "").strip().lower(), match["pointer"].lower() in ("that", "this")
    return match["noun"].lower() not in FUNCTION_WORDS and (not singular or before in PREPOSITIONS | AUXILIARIES)


def whole_question(question: str, turns: Sequence[tuple[str, str]], calls: ModelCalls) -> str:
    """A follow-up with what it refers to; `turns` are the questions and answers before it, oldest first."""
    lines = [f"Question: {one_line(asked)}\n{ANSWER} {one_line(answer)}" for asked, answer in turns[-TURNS:]]
    history = "\n".join(lines)
    return _rewritten("follow_up", question, calls, history=history)


def _rewritten(prompt: str, question: str, calls: ModelCalls, **variables: str) -> str:
    # A name that holds a question mark would end the reply in its middle.
    lines = [line.strip() for text in (question, *variables.values()) for line in text.splitlines()]
    inside = any(STOP in (line if line.startswith(ANSWER) else line.removesuffix(STOP)) for line in lines)
    parameters = replace(PARAMETERS, stop=("\n",)) if inside else PARAMETERS
    try:
        text = calls.complete(prompt, parameters, None, question=question, **variables).text
    except (BudgetSpent, ContextOverflow) as error:
        calls.warn(f"A question was not rewritten: {error.message.rstrip('.')}.")
        return question
    first = next((line for line in text.splitlines() if any(char.isalnum() for char in line)), "")
    rewritten = _LABEL.sub("", first).strip().strip('"“”').strip()
    if not rewritten or len(rewritten) > LONGEST:
        calls.warn("A question was not rewritten: the model's reply was no question.")
        return question
    return rewritten.rstrip(STOP + " ") + STOP


def write_steps(steps: Sequence[Step], *, listed: int = LISTED) -> str:
    """Questions and answers as the prompts hold them, lists of more than `listed` answers shortened."""
    return "\n".join(
        f"{number}. {one_line(step.question)}\n   {ANSWER} {write_answers(step, listed=listed)}"
        for number, step in enumerate(steps, start=1)
    )


def write_answers(step: Step, *, listed: int = LISTED) -> str:
    """The answers of a step: names where there are any, at most `listed` of them, else its text."""
    if not step.answers:
        return one_line(step.answer)[:LONGEST] or NOT_FOUND
    return in_words(list(map(one_line, step.answers)), shown=listed, between="; ")
