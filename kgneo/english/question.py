"""A question's text, cut into the pieces that ranking paths needs; no graph and no model in here.

Comes in: a question and where in it the topic entity is named. Goes out: its words in order, which of them
carry meaning, what the question asks for ("who", "when", the noun after "which") and whether it speaks of
sharing ("the same", "also", "together"). All of it rests on English function words alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english.words import ARTICLES, AUXILIARIES, FUNCTION_WORDS, REQUESTS, SHARING

TOPIC = "\N{BULLET}"
"""Stands for the topic entity among the words."""
_MATE = re.compile(r"\b([^\W_]{3,})mates?\b")
"""A teammate is a fellow in a team."""
_MARKED = re.compile(r"\[\s*[^\s\[\]]")
_TOKEN = re.compile(rf"{TOPIC}|[^\W_]+")


def says_something(text: str, *, named: bool = False) -> bool:
    """Whether a text has a word with a meaning of its own, or one that is written as a name: signs, "what?" and "how
    many are there" say nothing. Where it is marked what this is about, in brackets or beside the text (`named`), any
    word will do."""
    words = re.findall(r"[^\W_]+", text)
    if named or _MARKED.search(text):
        return bool(words)
    names = [] if text.isupper() else [word for word in words[1:] if word[0].isupper()]
    return bool(names) or any(word.lower() not in FUNCTION_WORDS for word in words)


@dataclass(frozen=True, slots=True)
class MaskedQuestion:
    """A question with the character spans `(start, end)` at which the topic entity stands, and its labels."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def masked(self) -> str:
        """The text with one neutral sign in place of every mention."""
        text = self.text
        for start, end in sorted(self.spans, reverse=True):
            text = f"{text[:start]} {TOPIC} {text[end:]}"
        return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """`words` in order, lower case, the topic entity as `TOPIC`; the other fields point into them.

    `content`: indices of words with meaning. `topic`: index of the topic entity (the end where there is
    none). `asked`: "who", "when", "where", "what" or "" for none. `head`: indices of the noun that
    names what is asked for; `role` those of the noun that says who is asked for.
    """

    words: tuple[str, ...]
    content: tuple[int, ...]
    topic: int
    asked: str
    head: tuple[int, ...]
    role: tuple[int, ...]
    sharing: bool


def question_parts(question: MaskedQuestion) -> QuestionParts:
    """Cut a question into its parts."""
    words = tuple(_MATE.sub(r"fellow \1", " ".join(_TOKEN.findall(question.masked.lower()))).split())
    topic = words.index(TOPIC) if TOPIC in words else len(words)
    content = tuple(index for index, word in enumerate(words) if word != TOPIC and word not in FUNCTION_WORDS)
    asked, head = _asked(words, frozenset(content))
    sharing = any(word in SHARING for word in words)
    return QuestionParts(words, content, topic, asked, head, _role(words, frozenset(content)), sharing)


def _asked(words: Sequence[str], content: frozenset[int]) -> tuple[str, tuple[int, ...]]:
    """What is asked for: the question word at either end of the question (else the first), and its noun."""
    last = len(words) - 1
    edges = [index for index in range(len(words)) if index <= 1 or index >= last - 2]
    for index in [*edges, *range(2, last - 2)]:
        word = words[index]
        if word in REQUESTS and index <= 2:
            return "what", _head(words, content, index, request=True)
        if word in ("what", "which"):
            return "what", _head(words, content, index, request=False)
        if word in ("who", "whom", "whose"):
            return "who", ()
        if word in ("when", "where"):
            return word, ()
    return "", ()


def _role(words: Sequence[str], content: frozenset[int]) -> tuple[int, ...]:
    """Indices of the noun in "who is the RIVAL of X"."""
    index = next((index for index, word in enumerate(words[:2]) if word == "who"), len(words)) + 1
    if index + 1 >= len(words) or words[index] not in ("is", "are", "was", "were") or words[index + 1] not in ARTICLES:
        return ()
    end = index + 2
    while end in content:
        end += 1
    following = words[end] if end < len(words) else ""
    return (end - 1,) if end > index + 2 and following == "of" else ()


def _head(words: Sequence[str], content: frozenset[int], start: int, *, request: bool) -> tuple[int, ...]:
    """Indices of the noun after a question word: "which SONGS did", "what is the tax RATE of".

    Where a participle may follow it ("the students seen in"), both are given.
    """
    index = start + 1
    linked = request
    while index < len(words) and (words[index] in ARTICLES or words[index] in ("is", "are", "was", "were")):
        linked = linked or words[index] not in ARTICLES
        index += 1
    if linked and not request and words[index - 1] not in ARTICLES:
        return ()
    end = index
    while end in content:
        end += 1
    after = words[end] if end < len(words) else ""
    if not linked and after not in AUXILIARIES:
        end = min(end, index + 1)
    elif end - index > 1 and (after == "by" or (after == TOPIC and words[end - 1].endswith("ing"))):
        end -= 1
    elif not linked or after in ("of", "", TOPIC) or after in AUXILIARIES:
        index = max(index, end - 1)
    return tuple(range(index, end))
