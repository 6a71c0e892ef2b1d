"""Restating: a question in the order of words that the reader knows, where English has another one for the same.

Comes in: a question. Goes out: the same in other words: "for whom is Ann the deputy?" asks "who is Ann the deputy
for?", "boats per harbour" asks how many there are. Each construction has an example, which is its test.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kgneo.english.words import EXTREMES

_COUNTED = r"(?:how|what|which|who|average|mean|median|total|number|count|sum)"
_EXTREME = rf"(?:{'|'.join(word for word in EXTREMES if word not in ('first', 'last'))})"
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
    Restating(rf"(?P<most>\b{_EXTREME}\b.*?),\s*(?:the )?(?:(?:most|least) )?[a-z]+(?: ones?)? first(?P<end>\W*)$",
              r"\g<most>\g<end>",
              "Which are the three dearest boats, most expensive first?", "Which are the three dearest boats?"),
    Restating(r"^(?P<do>do|does|did) (?P<both>.+? and .+?) share (?:an?|the same) (?P<what>.+)$",
              r"\g<do> \g<both> have the same \g<what>",
              "Do Ann and Bob share a boat?", "Do Ann and Bob have the same boat?"),
    Restating(r"^(?:is|are|was|were) there (?:any |some )?(?P<what>[^?]+)\?\s*(?:and )?(?:if (?:so|yes),? )?"
              r"(?:which|what|who)(?: ones?)?(?: (?:is|are) (?:it|they|these|those))?(?P<end>\W*)$",
              r"Which \g<what>\g<end>",
              "Are there any boats with a motor? Which ones?", "Which boats with a motor?"),
    Restating(r"\b(?P<be>was|were) (?:already )?(?:around|in existence|in business)(?= (?:before|by|in)\b)",
              r"\g<be> founded",
              "Which clubs were already around before 1950?", "Which clubs were founded before 1950?"),
    Restating(r"\b(?:after|from) the (?:start|beginning) of (?=\d{4}\b)", "since ",
              "Which clubs opened after the start of 2019?", "Which clubs opened since 2019?"),
    Restating(r"\bafter the end of (?=\d{4}\b)", "after ",
              "Which clubs opened after the end of 2019?", "Which clubs opened after 2019?"),
    Restating(r"\bbefore the (?:start|beginning) of (?=\d{4}\b)", "before ",
              "Which clubs opened before the start of 2019?", "Which clubs opened before 2019?"),
    Restating(r"\bbefore the end of (?=\d{4}\b)", "until ",
              "Which clubs opened before the end of 2019?", "Which clubs opened until 2019?"),
    Restating(r"(?: of all)?,? (?:going|judging|measured) by (?=\w+\W*$)", " by ",
              "What is the largest boat of all, going by length?", "What is the largest boat by length?"),
    Restating(r"\b(?:still )?(?:waiting|yet|left) to be (?=(?:[a-z]+ed|sold|built|paid|sent|found)\b)", "not yet ",
              "How many boats are still waiting to be sold?", "How many boats are not yet sold?"),
    Restating(r"\b(?P<run>runs?|ran|running) out(?= (?:in|during|on|by|before|after|this|next)\b)", "end",
              "Whose leases run out during 2026?", "Whose leases end during 2026?"),
    Restating(r"^whom? does (?P<what>.+?) belong to(?P<end>\W*)$", r"who owns \g<what>\g<end>",
              "Whom does the Petrel belong to?", "who owns the Petrel?"),
    Restating(r"^(?P<who>who(?: else)?) shares (?:an?|the|the same) (?P<what>[a-z ]+?) with (?P<other>.+)$",
              r"\g<who> has the same \g<what> as \g<other>",
              "Who shares a boat with Ann?", "Who has the same boat as Ann?"),
    Restating(r"\s+at all(?=\W*$)", "", "Which harbour has no boats at all?", "Which harbour has no boats?"),
    Restating(r"\s+listed here\b", "", "Which harbour listed here is new?", "Which harbour is new?"),
    Restating(r"\bwho's(?= )", "who is", "Who's the oldest sailor?", "who is the oldest sailor?"),
)  # fmt: skip


def restated(question: str, constructions: Iterable[Restating] = CONSTRUCTIONS) -> str:
    """The question by each construction that it is; as it is where it is none."""
    for item in constructions:
        question = re.sub(item.pattern, item.instead, question, count=1, flags=re.IGNORECASE)
    return question
