"""Summarise: what passages say, in a language model's words, with the passages that each sentence rests on.

Comes in: a question and the passages that were found. Goes out: the sentences that cite passages which say something of
the kind; the others are left out, and said to be. A sentence counts where a passage that it cites shares a telling word
with it, or is like it for the encoder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.encoders.encoder import Encoder
from kgneo.graph.passages import telling_words
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.run_readings import likeness

PARAMETERS = replace(TABLE_2, max_tokens=400)
MOST = 20
"""Passages that the model is shown."""
LIKE = 0.4
"""How like (a cosine) a sentence is to a passage that it rests on, at least, where they share no telling word."""
NOTHING = "not in the texts"
_SENTENCE = re.compile(r"[^\[\]]+(?:\[\s*\d+(?:\s*,\s*\d+)*\s*\]\s*)+[.!?]?")
_NUMBERS = re.compile(r"\[([\d\s,]+)\]")


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence with the places (from 0) of the passages that it rests on."""

    text: str
    places: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.text} {''.join(f'[{place + 1}]' for place in self.places)}"


@dataclass(frozen=True, slots=True)
class Summary:
    """The sentences that rest on passages, and what else the model wrote."""

    sentences: tuple[Cited, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentences, each with its numbers."""
        return " ".join(map(str, self.sentences))


def summarise(question: str, passages: Sequence[str], calls: ModelCalls, encoder: Encoder) -> Summary:
    """What `passages` say about a question. Raises ModelError, ContextOverflow and BudgetSpent among them."""
    shown = passages[:MOST]
    lines = "\n".join(f"[{number}] {one_line(text)}" for number, text in enumerate(shown, start=1))
    said = calls.complete("summarise", PARAMETERS, passages=lines, question=one_line(question)).text
    return checked(said, shown, encoder)


def checked(said: str, passages: Sequence[str], encoder: Encoder) -> Summary:
    """A model's text in sentences that rest on the passages that they cite, and the rest of it."""
    if said.strip().strip(".").lower() == NOTHING:
        return Summary()
    kept, left = [], _SENTENCE.sub("", said).strip(" .\n")
    left_out = [left] if left else []
    for match in _SENTENCE.finditer(said):
        numbers = [int(number) for group in _NUMBERS.findall(match[0]) for number in re.findall(r"\d+", group)]
        text = " ".join(_NUMBERS.sub("", match[0]).split()).strip(" .") + "."
        places = tuple(
            number - 1
            for number in dict.fromkeys(numbers)
            if 1 <= number <= len(passages) and _rests_on(text, passages[number - 1], encoder)
        )
        if places:
            kept.append(Cited(text, places))
        else:
            left_out.append(text)
    return Summary(tuple(kept), tuple(left_out))


def _rests_on(sentence: str, passage: str, encoder: Encoder) -> bool:
    if {*telling_words(sentence)} & {*telling_words(passage)}:
        return True
    return likeness(encoder, sentence, passage) >= LIKE
