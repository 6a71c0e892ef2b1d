"""Restating: a question in the order of words that the reader knows, where English has another one for the same.

Comes in: a question. Goes out: the same in other words: "for whom is Ann the deputy?" asks "who is Ann the deputy
for?", "boats per harbour" asks how many there are. Each construction has an example, which is its test.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_COUNTED = r"(?:how|what|which|who|average|mean|median|total|number|count|sum)"
_MOVED = r"(?:for|with|to|by|from|under|of|against|about)"


@dataclass(frozen=True, slots=True)
class Restating:
    """A construction: what of a question it is, what is said instead, and an example with what becomes of it."""

    pattern: str
    instead: str
    example: str
    becomes: str


CONSTRUCTIONS = (
    Restating(rf"^(?P<at>{_MOVED}) whom (?P<rest>[^?]*?)(?P<end>\W*)$", r"who \g<rest> \g<at>\g<end>",
              "For whom is Ann the deputy?", "who is Ann the deputy For?"),
    Restating(rf"^(?:the )?(?P<what>(?!{_COUNTED}\b)[a-z]+(?: [a-z]+)?) per (?P<by>[a-z]+(?: [a-z]+)?)(?P<end>\W*)$",
              r"how many \g<what> per \g<by>\g<end>",
              "boats per harbour", "how many boats per harbour"),
    Restating(r"\s*\(?\bor both\b\)?(?=\W*$)", "", "Who sails the Petrel or the Tern (or both)?",
              "Who sails the Petrel or the Tern?"),
    Restating(r"\bsquare (?P<of>met(?:er|re)s?|kilomet(?:er|re)s?|feet)\b", r"sq\g<of>",
              "rooms of 40 square metres", "rooms of 40 sqmetres"),
    Restating(r"\bthe (?P<role>[a-z]+) of (?P<whose>[A-Z][^,?]*?['’]s) (?P=role)\b", r"\g<whose> \g<role>'s \g<role>",
              "Who is the mate of Ann Lee's mate?", "Who is Ann Lee's mate's mate?"),
    Restating(r"^(?:on )?(?:what|which) date\s+(?=(?:was|were|did|is|are|does|do|has|have)\b)", "When ",
              "On what date was the Tern built?", "When was the Tern built?"),
    Restating(r"\bwho's(?= )", "who is", "Who's the oldest sailor?", "who is the oldest sailor?"),
)  # fmt: skip


def restated(question: str, constructions: Iterable[Restating] = CONSTRUCTIONS) -> str:
    """The question by each construction that it is; as it is where it is none."""
    for item in constructions:
        question = re.sub(item.pattern, item.instead, question, count=1, flags=re.IGNORECASE)
    return question
