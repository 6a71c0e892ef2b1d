"""Which steps onto values a question can mean, beyond what its words say of their keys.

Comes in: paths with their scores. Goes out: the same with a correction for those that end at a value. A date answers
a question about time, a number one about an amount, unless the question names the key; "who" asks for no value; and
a question about two things that a relationship joins is, more often than not, about a property of that relationship.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from kgneo.graph.shape import split_value_relation
from kgneo.graph.statistics import Statistics
from kgneo.model import Hop, RelationPath
from kgneo.stages.question_parts import TOPIC, MaskedQuestion, question_parts
from kgneo.stages.rank_paths import RankedPath
from kgneo.stages.wording import content_words, same_root


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TIME_WORDS = _words(
    "when date dates day days year years month time times since until long old age birthday anniversary hour recently"
)
NUMBER_WORDS = _words(
    "many much number amount count total size long old age tall high far big large heavy wide deep fast often year "
    "years when since cost costs worth"
)
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


def correct(
    ranked: Sequence[RankedPath], question: MaskedQuestion, statistics: Statistics, joined: Iterable[tuple[str, bool]]
) -> list[RankedPath]:
    """`ranked` with corrected scores, best first. `joined` are relations, with direction, between topic entities."""
    if not any(hop.value for hop in statistics.hops):
        return list(ranked)
    cost = _costs(question, statistics)
    between = set(joined)
    corrected = [replace(item, score=item.score - cost(item.path) + _bonus(item.path, between)) for item in ranked]
    return sorted(corrected, key=lambda item: -item.score)


def _bonus(path: RelationPath, between: set[tuple[str, bool]]) -> float:
    hop = path.hops[0]
    relation, _ = split_value_relation(hop.relation) if hop.value else ("", "")
    return BETWEEN if (relation, hop.forward) in between else 0.0


def _costs(question: MaskedQuestion, statistics: Statistics) -> Callable[[RelationPath], float]:
    parts = question_parts(question)
    words = [word for word in parts.words if word != TOPIC]
    kinds = {item.relation: kind_of(item.names) for item in statistics.hops if item.value}
    found: dict[str, float] = {}

    def cost(path: RelationPath) -> float:
        last = path.hops[-1]
        if not last.value:
            return 0.0
        if last.relation not in found:
            found[last.relation] = _cost(last, kinds.get(last.relation, ""), words, parts.asked)
        return found[last.relation]

    return cost


def _cost(hop: Hop, kind: str, words: Sequence[str], asked: str) -> float:
    _, key = split_value_relation(hop.relation)
    named = any(same_root(word, part) for part in content_words(key) for word in words)
    if asked == "who":
        return NOT_WHO
    if named:
        return -NAMED
    if kind == "time":
        return 0.0 if TIME_WORDS.intersection(words) else UNASKED
    if kind == "number":
        return 0.0 if NUMBER_WORDS.intersection(words) else UNASKED / 2
    return TRUTH if kind == "truth" else 0.0


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
