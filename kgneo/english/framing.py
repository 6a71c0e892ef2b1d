"""Framing: what of a message is said around a question: greetings, thanks, and that somebody would like to know.

Comes in: a message, and whether a word of it names anything of the graph. Goes out: the question in it: "Hi, I'm new
here. Could someone tell me which boats are red? Thanks!" asks which boats are red.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgneo.english.words import ASKING, FUNCTION_WORDS, QUESTION_WORDS, word_set

_SENTENCES = re.compile(r"(?<=[a-z0-9]{2}[.!?])\s+(?=[A-Z])")  # not behind "St." or "J."
_WORD = re.compile(r"[\w'’-]+")
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day))\b[^,.!:?]*[,.!:]\s*", re.IGNORECASE
)
_ENDS = (".", "!")
_COURTESY = frozenset(("thanks", "please", "cheers", "hello", "hi"))
ASKING_FOR = word_set(
    "me us know out wonder wondering see check say tell ask asking learn remember sure understand question is remind "
    "explain determine confirm"
)
"""Words right behind which a question is told in a sentence: "I would like to KNOW which", "tell ME who"."""

Names = Callable[[str], bool]
"""Whether a word names anything of the graph."""


def unframed(message: str, names: Names) -> str:
    """The question in a message; the message where it is not told apart. What names something of the graph, or is a
    name or a number, is never left out."""
    message = _without_greeting(message)
    sentences = _SENTENCES.split(message.strip())
    telling = [item for item in sentences if _tells(item, names)]
    question = telling[0] if len(sentences) > 1 and len(telling) == 1 and _asks(telling[0]) else message
    return _behind_asking(question, names)


def _without_greeting(message: str) -> str:
    """A message without a greeting; not where a name begins with one: "Hello, Dolly! is a film"."""
    rest = _GREETING.sub("", message, count=1)
    first = _WORD.match(rest)
    said = first[0].partition("'")[0] if first else ""
    return rest if said and (said.islower() or said.lower() in FUNCTION_WORDS | QUESTION_WORDS | ASKING) else message


def _tells(sentence: str, names: Names) -> bool:
    """Whether a sentence asks or names something; a single word does, but for one of courtesy."""
    words = _WORD.findall(sentence)
    single = len(words) == 1 and words[0].lower() not in _COURTESY
    return single or _asks(sentence) or _names_something(words, names)


def _asks(sentence: str) -> bool:
    """Whether a sentence asks for something: it has a word that asks, or does not end in a full stop."""
    words = {word.lower() for word in _WORD.findall(sentence)}
    return not sentence.endswith(_ENDS) or not words.isdisjoint(QUESTION_WORDS)


def _names_something(words: Sequence[str], names: Names) -> bool:
    """Whether one of the words is a name, a number, or names something; the first has a capital anyway."""
    capitals = (word[:1].isupper() and word.partition("'")[0] not in ("I", "Hi") for word in words[1:])
    return any(capitals) or any(word[:1].isdigit() or names(word.lower()) for word in words)


def _behind_asking(sentence: str, names: Names) -> str:
    """A sentence from the question on that is told in it, where what is before that names nothing."""
    words = list(_WORD.finditer(sentence))
    for place in range(2, len(words)):
        if words[place][0].lower() in QUESTION_WORDS and words[place - 1][0].lower() in ASKING_FOR:
            before = [word[0] for word in words[:place]]
            return sentence if _names_something(before, names) else sentence[words[place].start() :]
    return sentence
