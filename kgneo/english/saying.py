"""How people ask what a text says: words behind which its subject stands, as data.

No word of a field stands here: what has texts is told by the graph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english.words import ARTICLES, FUNCTION_WORDS, word_set

ABOUT = r"about|regarding|concerning|with regard to|dealing with|to do with|on the (?:subject|topic|theme) of"
SAYING = word_set(
    "complain praise mention discuss describe criticise criticize talk speak report warn write say tell deal treat "
    "address cover explain recommend deplore regret like love hate enjoy"
)
_FORMS = "|".join(
    sorted(rf"{verb[:-1]}(?:e|es|ed|ing)" if verb[-1] == "e" else rf"{verb}(?:s|ed|ing)?" for verb in SAYING)
)
_SAYS = rf"{_FORMS}|wrote|written|said|told|spoke|spoken"
_SAYING = re.compile(_SAYS, re.IGNORECASE)
_LED = r"(?:(?:that|which|who|and)\s+)?(?:(?:is|are|was|were|all)\s+)*"
CUES = (
    re.compile(rf"\b{_LED}(?:{_SAYS})\s+(?:{ABOUT}|of|on|with|that)\b", re.IGNORECASE),
    re.compile(rf"\b{_LED}(?:{ABOUT})\b", re.IGNORECASE),
    re.compile(rf"\b{_LED}(?:{_SAYS})\b(?=\s+\w)", re.IGNORECASE),
)
"""What stands before the subject of a text, with what leads to it: "complain about", "that are about", "mention". A
verb before "about" is one of saying, or one of the graph's own: "guests who wrote about X"."""
WHAT_IS_SAID = re.compile(
    rf"^\s*what (?:do|does|did|is|are)\s+(?P<who>.+?)\s+(?:{_SAYS}|think|thinking)(?:\s+(?:{ABOUT}|of))?\s+"
    r"(?P<what>.+?)[\s?.!]*$",
    re.IGNORECASE,
)
"""A question for what texts say: "What do reviews of X say about Y?"."""
ANYBODY = word_set("people they others everybody everyone anybody anyone users folks customers")
"""Words for whoever wrote a text."""
WRITINGS = word_set("documents texts sources files passages")
"""Words for texts of any kind, where a graph has no kind of thing of that name."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
ENDING = word_set("since until till while whose where when during within made released written published dated")
"""Words before which the subject of a text ends, beside those without a meaning of their own."""
LONGEST = 8
"""Words of a subject, at most."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a text is to say, and the question without the words that ask for it. `before`: the word in front of these;
    `whole`: the phrase ends there."""

    text: str
    rest: str
    before: str
    whole: bool = True

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(_WORD.findall(self.text))


def subjects(question: str) -> list[Subject]:
    """What texts may be asked for, in all lengths: whole phrases, which end before a word such as "of" or "after",
    first."""
    words = list(_WORD.finditer(question))
    found = [
        (cue, place)
        for expression in CUES
        for cue in expression.finditer(question)
        for place in [place for place, word in enumerate(words) if word.start() >= cue.end()][:LONGEST]
    ]
    return sorted((_subject(question, words, *item) for item in found), key=lambda item: not item.whole)


def _ends_phrase(question: str, words: Sequence[re.Match[str]], place: int) -> bool:
    if place + 1 == len(words):
        return True
    between = question[words[place].end() : words[place + 1].start()]
    closed = words[place + 1][0].lower() in FUNCTION_WORDS | ENDING
    return (closed or bool(between.strip())) and words[place][0].lower() not in FUNCTION_WORDS


def _subject(question: str, words: Sequence[re.Match[str]], cue: re.Match[str], place: int) -> Subject:
    behind = [word for word in words if word.start() >= cue.end() and word.start() <= words[place].start()]
    told = next((word for word in behind if word[0].lower() not in ARTICLES), behind[0])
    rest = _cut(question, cue.start(), words[place].end())
    before = [word[0].lower() for word in words if word.end() <= cue.start()]
    return Subject(
        question[told.start() : words[place].end()],
        rest,
        before[-1] if before else "",
        _ends_phrase(question, words, place),
    )


def _cut(question: str, start: int, end: int) -> str:
    """A question without the piece from `start` to `end`."""
    return f"{question[:start].rstrip()} {question[end:].lstrip()}".strip()


def without(question: str, unsaid: tuple[str, ...]) -> Subject | None:
    """The words of a question that a reading leaves out as what a text is to say, where they stand together."""
    words = list(_WORD.finditer(question))
    places = [place for place, word in enumerate(words) if word[0] in unsaid]
    telling = [place for place in places if not _SAYING.fullmatch(words[place][0])]
    if not telling or places[-1] - places[0] >= LONGEST:
        return None
    first, last = words[places[0]], words[places[-1]]
    rest = _cut(question, first.start(), last.end())
    before = words[places[0] - 1][0].lower() if places[0] else ""
    return Subject(question[first.start() : last.end()], rest, before)
