"""Decompose: a question into sub-questions that one fact each answers (KG-RAG section 3.5.1).

The model says whether to split, writes its reasoning, then the sub-questions. Where the backend holds replies to a
grammar the form is certain; elsewhere the reply is read tolerantly. What cannot be read, or was cut off before the
first sub-question, leaves the question whole, with a warning.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from kgneo.errors import BudgetSpent, ContextOverflow
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.text import fold

LIMIT = 8
"""Sub-questions that are kept."""
GRAMMAR = r"""
root ::= whole | split
whole ::= "Split: no\nReasoning: " line "<END>"
split ::= "Split: yes\nReasoning: " line item item? item? item? item? "<END>"
item ::= [1-9] ". " line
line ::= [^\n<]+ "\n"
"""
PARAMETERS = replace(TABLE_2, stop=("<END>",), grammar=GRAMMAR)

_ITEM = re.compile(
    r"^\s*(?:[-*•]\s*)?(?:sub-?\s*question\s*)?(?:\(?\d{1,2}\s*[.):]|[-*•])\s*(?P<text>\S.*)$", re.IGNORECASE
)
_REASONING = re.compile(r"^\s*(?:reasoning|thoughts?|chain of thought|cot)\s*:\s*", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?:split\s*:.*|sub-?\s*questions?\s*:?\s*)$", re.IGNORECASE)
_WHOLE = re.compile(r"^\s*split\s*:\s*no\b", re.IGNORECASE | re.MULTILINE)
_NONE = re.compile(r"sub-?\s*questions?\s*:?\s*none\b|no (?:split|decomposition) (?:is )?needed", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The reasoning, and the sub-questions in order; none where the question stays whole."""

    reasoning: str = ""
    sub_questions: tuple[str, ...] = ()


def decompose(question: str, calls: ModelCalls) -> Decomposition:
    """Ask the model to split `question`. Raises ModelError; a prompt that does not fit leaves the question whole."""
    try:
        completion = calls.complete("decompose", PARAMETERS, question=question)
    except (BudgetSpent, ContextOverflow) as error:
        calls.warn(f"The question was not split: {error.message.rstrip('.')}.")
        return Decomposition()
    found = read_decomposition(completion.text, question)
    if found is None:
        calls.warn("The question was not split: the model's reply could not be read as sub-questions.")
        return Decomposition()
    return found


def read_decomposition(reply: str, question: str) -> Decomposition | None:
    """What a reply says, in the prompt's form, as a list of any kind, or as JSON; None when it says nothing."""
    from_json = _from_json(reply)
    if from_json is not None:
        return _kept(from_json.reasoning, list(from_json.sub_questions), question)
    reasoning: list[str] = []
    items: list[str] = []
    for line in reply.splitlines():
        item = _ITEM.match(line)
        if item:
            items.append(item["text"])
        elif not items and line.strip() and not _LABEL.match(line):
            reasoning.append(_REASONING.sub("", line).strip())
    text = " ".join(reasoning)
    if _WHOLE.search(reply) or (_NONE.search(reply) and not items):
        return Decomposition(text)
    return _kept(text, items, question) if items else None


def _kept(reasoning: str, items: list[str], question: str) -> Decomposition:
    texts = (" ".join(item.split()).strip("\"'“”* ") for item in items)
    distinct: dict[str, str] = {}
    for text in texts:
        if any(character.isalnum() for character in text):
            distinct.setdefault(fold(text), text)
    kept = tuple(distinct.values())[:LIMIT]
    whole = len(kept) == 1 and fold(kept[0]).strip("?. ") == fold(question).strip("?. ")
    return Decomposition(reasoning, () if whole else kept)


def _from_json(reply: str) -> Decomposition | None:
    start, end = reply.find("{"), reply.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        record = json.loads(reply[start : end + 1])
    except ValueError:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("sub_questions"), list):
        return None
    return Decomposition(str(record.get("reasoning", "")), tuple(map(str, record["sub_questions"])))
