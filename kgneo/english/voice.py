"""Which end of a step does what a word says: "who taught X", "whom did X teach", "who was taught by X".

Comes in: a question's parts and a word's place in it; a relation's name. Goes out: which end of a step, the one it
leaves (`source`) or the one it reaches (`reached`), is the word's subject, and which end of the relation is. Together
they say whether the step goes forward. Both are "" where English does not tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kgneo.english.names import content_words, is_past, name_words, same_root
from kgneo.english.question import TOPIC, QuestionParts
from kgneo.english.words import ARTICLES, BEING, COMPARATIVES, NUMERALS, PREPOSITIONS, QUESTION_WORDS

StepEnd = Literal["source", "reached", ""]
RelationEnd = Literal["subject", "object", ""]

_UNNAMED = QUESTION_WORDS | {"this", "that", "these", "those"}
_DO = frozenset(["do", "does", "did", "has", "have", "had"])


def doer(name: str) -> RelationEnd:
    """Which end of a relation does it: the object of "taught_by", the subject of "TRAINED", "TEACHES_AT" and
    "knows"."""
    *others, last = name_words(name)
    if last == "by":
        return "object"
    present = not others and last.endswith("s") and not last.endswith("ss")
    return "subject" if present or last in PREPOSITIONS or is_past(last) else ""


def doer_in_question(parts: QuestionParts, start: int, end: int) -> StepEnd:
    """Which end of a step does what the words from `start` to `end` (exclusive) say, if they are a verb."""
    words = parts.words
    following = words[end] if end < len(words) else ""
    if following == "by":
        asked = words[end + 1] if end + 1 < len(words) else ""
        return "reached" if not asked or asked in _UNNAMED else "source"
    if start > parts.topic:
        return _doer_after_topic(parts, start)
    return _doer_before_topic(parts, start)


def _doer_after_topic(parts: QuestionParts, start: int) -> StepEnd:
    words = parts.words
    before = words[parts.topic - 1] if parts.topic else ""
    if before in _DO:
        return "source"
    if start == parts.topic + 1 and is_past(words[start]) and before not in BEING:
        return "source"
    return ""


def _doer_before_topic(parts: QuestionParts, start: int) -> StepEnd:
    words = parts.words
    asked = [index for index in range(start) if words[index] in ("who", "which", "what")]
    if not asked or asked[0] > 1:
        return ""
    between = [index for index in range(asked[0] + 1, start) if index not in parts.head]
    plain = all(words[index] in ("has", "have", "had") for index in between)
    return "reached" if plain and (words[asked[0]] == "who" or parts.head) else ""


def names_reached(parts: QuestionParts, end: int) -> bool:
    """Whether the words before `end` are a noun for what is reached: "the TEACHER of X"."""
    words = parts.words
    return end < min(parts.topic, len(words)) and words[end] == "of" and TOPIC in words[end:]


HAVING = frozenset(("has", "have", "had", "having", "with", "without", "lack", "lacks"))
"""Words behind which stands what somebody has, or has not."""
AMOUNTING = (
    ARTICLES | NUMERALS.keys() | COMPARATIVES.keys() | {"any", "no", "than", "at", "least", "most", "exactly", "only"}
)
"""Words between, which say how much or how many."""


def is_had(words: Sequence[str], noun: int) -> bool:
    """Whether a noun is what somebody has, or has not: "people WITHOUT A BOSS", who are the objects of `boss_of`."""
    before = [word for word in words[:noun] if not (word in AMOUNTING or word.isdigit())]
    return not HAVING.isdisjoint(before[-2:])  # an adjective may stand between: "a STRICT boss"


def said_forward(words: Sequence[str], name: str, source: str, target: str) -> bool | None:
    """Whether a statement's words say a relation of its `source` (the subject of the relation) and its `target`, and
    not the other way round: "S was taught by T" of "taught_by". None where they do not tell. The signs `source` and
    `target` stand among the words."""
    own = [any(same_root(word, part) for part in content_words(name)) for word in words]
    marks = [place for place, word in enumerate(words) if word in (source, target)]
    if True not in own or len(marks) != 2:
        return None
    at = start = own.index(True)
    while at + 1 < len(words) and own[at + 1]:
        at += 1
    following = words[at + 1] if at + 1 < len(words) else ""
    after = next((words[place] for place in marks if place > at), "")
    before = next((words[place] for place in reversed(marks) if place < start), "")
    done = doer(name)
    if start and words[start - 1] == "'s":
        after, following = before, "of"
    if following == "of":  # "the teacher OF after": of a noun the owner, of a verb what is done to
        return (after == target) if done == "subject" else (after == source)
    if following == "by":
        return (after == source) if done == "subject" else (after == target)
    return (before == target) if done == "object" else (before == source)
