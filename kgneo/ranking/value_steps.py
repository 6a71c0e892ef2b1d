"""Which steps onto values a question can mean, beyond what its words say of their keys.

Comes in: a question. Goes out: a correction to the score of each path. A date answers a question about time, a number
one about an amount, unless the question names the key; "how big" asks for a number and "who" for no value; and a
question about two things that a relationship joins is, more often than not, about a property of that relationship.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Protocol

from kgneo.english.names import is_past, same_root, telling_words
from kgneo.english.question import TOPIC, MaskedQuestion, question_parts
from kgneo.english.words import word_set
from kgneo.model import Hop, RelationPath, split_value_relation


class ValueStep(Protocol):
    """What is known of a step: its relation, whether it leads onto a value, and some names of what it leads to."""

    @property
    def relation(self) -> str: ...
    @property
    def value(self) -> bool: ...
    @property
    def names(self) -> Sequence[str]: ...


class Steps(Protocol):
    """The steps that a graph has."""

    @property
    def hops(self) -> Sequence[ValueStep]: ...


TIME_WORDS = word_set(
    "when date dates day days year years month time times since until long old age birthday anniversary hour recently"
)
NUMBER_WORDS = word_set(
    "many much number amount count total size long old age tall high far big large heavy wide deep fast often year "
    "years when since cost costs worth"
)
AMOUNTS = word_set("many much old tall big large long far high heavy wide deep fast often")
NO_NUMBER = 1.0
"""What a path costs that ends at no number where the question asks how many or how big."""
UNASKED = 0.6
"""What a value costs whose kind the question does not ask for."""
NOT_WHO = 0.5
"""What any value costs where the question asks who."""
NAMED = 0.4
"""What it is worth that the question names the key."""
TRUTH = 0.8
"""What a yes or no costs where the question does not name the key."""
BETWEEN = 1.5
"""What it is worth that the relationship joins two of the topic entities."""
_DATE = re.compile(r"-?\d{4}-\d\d(-\d\d)?(T.*)?")
_NUMBER = re.compile(r"[-+]?\d[\d.,]*%?")


def corrections(
    question: MaskedQuestion, statistics: Steps, joined: Iterable[tuple[str, bool]]
) -> Callable[[RelationPath], float]:
    """What to add to the score of a path. `joined` are relations, with direction, between topic entities."""
    if not any(hop.value for hop in statistics.hops):
        return lambda _: 0.0
    cost = _costs(question, statistics)
    between = set(joined)
    return lambda path: _bonus(path, between) - cost(path)


def _bonus(path: RelationPath, between: set[tuple[str, bool]]) -> float:
    hop = path.hops[0]
    relation, _ = split_value_relation(hop.relation) if hop.value else ("", "")
    return BETWEEN if (relation, hop.forward) in between else 0.0


def _costs(question: MaskedQuestion, statistics: Steps) -> Callable[[RelationPath], float]:
    parts = question_parts(question)
    words = [word for word in parts.words if word != TOPIC]
    kinds = {item.relation: kind_of(item.names) for item in statistics.hops if item.value}
    found: dict[str, float] = {}
    amount = _asks_amount(words)

    def cost(path: RelationPath) -> float:
        last = path.hops[-1]
        if not last.value:
            return NO_NUMBER if amount else 0.0
        if last.relation not in found:
            found[last.relation] = _cost(last, kinds.get(last.relation, ""), words, parts.asked, amount=amount)
        return found[last.relation]

    return cost


def _asks_amount(words: Sequence[str]) -> bool:
    """Whether the question asks how much of something there is, in words that only a number answers."""
    return any(first == "how" and second in AMOUNTS for first, second in pairwise(words))


def _cost(hop: Hop, kind: str, words: Sequence[str], asked: str, *, amount: bool) -> float:
    if amount and kind not in ("number", "time"):
        return NO_NUMBER
    _, key = split_value_relation(hop.relation)
    named = any(_names(word, key) for word in words)
    if asked == "who":
        return NOT_WHO
    timely = kind == "time" and not TIME_WORDS.intersection(words)
    if named and not (timely and asked == "what" and all(is_past(word) for word in words if _names(word, key))):
        return -NAMED
    if kind == "time":
        return UNASKED if timely else 0.0
    if kind == "number":
        return 0.0 if NUMBER_WORDS.intersection(words) else UNASKED / 2
    return TRUTH if kind == "truth" else 0.0


def _names(word: str, key: str) -> bool:
    return any(same_root(word, part) for part in telling_words(key))


def kind_of(samples: Sequence[str]) -> str:
    """ "time", "number", "truth" or "" for what most of the values are."""
    half = len(samples) / 2
    if not samples:
        return ""
    if sum(bool(_DATE.fullmatch(text)) for text in samples) > half:
        return "time"
    if sum(bool(_NUMBER.fullmatch(text)) for text in samples) > half:
        return "number"
    return "truth" if set(samples) <= {"true", "false"} else ""
