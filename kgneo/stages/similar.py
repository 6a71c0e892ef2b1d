"""Similar: other wordings of a question with the same meaning, from the model (KnowledgeNavigator section 3.1)."""

from __future__ import annotations

import re
from dataclasses import replace

from kgneo.errors import ContextOverflow
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.text import fold

PARAMETERS = TABLE_2
LONGEST = 500
"""Characters of a wording; a longer one is no question."""

_MARKS = re.compile(r"^\s*(?:[-*•]\s+|\(?\d{1,2}[.):]\s+)")


def similar_questions(question: str, names: tuple[str, ...], number: int, calls: ModelCalls) -> tuple[str, ...]:
    """Up to `number` other wordings of `question`, each naming the same entities; none where the model gives none.

    Raises ModelError. A wording that leaves out one of `names` is not used: it asks about something else.
    """
    if not number:
        return ()
    parameters = replace(PARAMETERS, max_tokens=min(64 * number, 256))
    try:
        reply = calls.complete("similar", parameters, question=question, count=str(number)).text
    except ContextOverflow as error:
        calls.warn(f"The question was not put into other words: {error.message}.")
        return ()
    named = [fold(name) for name in names if fold(name) in fold(question)]
    found: dict[str, str] = {}
    for line in reply.splitlines():
        text = _MARKS.sub("", line).strip().strip('"“”').strip()
        usable = 0 < len(text) <= LONGEST and all(name in fold(text) for name in named)
        if usable and fold(text) != fold(question):
            found.setdefault(fold(text), text)
    if not found:
        calls.warn("The question was not put into other words: no line of the reply names its entities.")
    return tuple(found.values())[:number]
