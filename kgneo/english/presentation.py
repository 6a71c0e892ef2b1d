"""Words of a question that only say how its answer is to be shown: constructions as data.

A construction is a pattern with an example, in which the words that it takes are in capitals. Patterns are regular
expressions in which {class} is a word of a closed class, {rest} the rest of the clause, and a space any white space.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["order", "different", "list", "names", "held", "kinds", "whole"]

CLASSES: dict[str, str] = {
    "way": "ascending descending increasing decreasing alphabetical alphabetic lexicographical lexicographic "
    "chronological numerical numeric reverse",
    "in_way": "alphabetically chronologically lexicographically numerically",
    "sorted": "sorted ordered ranked arranged listed sort order rank arrange",
    "them": "them it results result list output",
    "end": "old oldest young youngest low lowest high highest small smallest large largest big biggest least most new "
    "newest early earliest late latest short shortest long longest cheap cheapest first last a z light lightest heavy "
    "heaviest tall tallest fast fastest slow slowest",
    "by": "by of for on",
    "distinct": "distinct different unique",
    "data": "database data dataset records system list graph",
    "whole": "company club organisation organization association firm business society institution fleet collection",
    "held": "available listed recorded registered stored contained included",
}
"""Closed classes of words that constructions have slots for."""
_SLOTS = {name: f"(?:{'|'.join(words.split())})" for name, words in CLASSES.items()} | {"rest": "[^,;?!]+"}


@dataclass(frozen=True)
class Construction:
    """What a pattern takes off a question, with an example. A `certain` one says nothing else; "ordered by" may, where
    something is ordered by somebody."""

    kind: Kind
    pattern: str
    example: str
    certain: bool = True

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The pattern as a regular expression."""
        pattern = re.sub(r"\{(\w+)\}", lambda found: _SLOTS[found[1]], self.pattern)
        spaced = pattern.replace(" ", r"\s+")
        return re.compile(rf"\b{spaced}(?!\w)", re.IGNORECASE)


CONSTRUCTIONS = (
    Construction(
        "order",
        r"by (?:\w+ ){1,4}in (?:(?:the|an|a) )?(?:{way} )+order",
        "List the parks BY SIZE IN DESCENDING ORDER.",
    ),
    Construction(
        "order",
        "(?:and )?(?:{sorted} )?(?:(?:the )?{them} )?in (?:(?:the|an|a) )?(?:{way} )+order(?: {by} {rest})?",
        "List the pilots IN ASCENDING ORDER OF AGE.",
    ),
    Construction(
        "order",
        "(?:and )?(?:{sorted} )?(?:(?:the )?{them} )?in (?:the )?order of {rest}",
        "List the pilots IN THE ORDER OF THEIR DATE OF BIRTH.",
    ),
    Construction(
        "order",
        "(?:and )?(?:{sorted} )?(?:(?:the )?{them} )?{in_way}(?: by {rest})?",
        "What are the names of all parks, ALPHABETICALLY?",
    ),
    Construction(
        "order", "(?:and )?(?:{sorted} )?by (?:{way} )+(?:order )?(?:of )?{rest}", "List the parks BY DESCENDING SIZE."
    ),
    Construction("order", "by [^,;?!]+,? (?:the )?{end} (?:ones? )?first", "List the parks BY SIZE, LARGEST FIRST."),
    Construction("order", r"(?:the )?{end} (?:ones? )?first(?=\W*$)", "List the parks, OLDEST FIRST."),
    Construction(
        "order",
        r"by (?:\w+ ){1,3}from (?:the )?{end} to (?:the )?{end}",
        "List the boats BY AGE FROM OLD TO YOUNG.",
        certain=False,
    ),
    Construction("order", "(?:{sorted} )?from (?:the )?{end} to (?:the )?{end}", "List the boats FROM OLD TO YOUNG."),
    Construction(
        "order",
        "(?:and )?{sorted} (?:(?:the )?{them} )?(?:{way} )?(?:by|according to|based on|in terms of) {rest}",
        "What are the names of the parks, SORTED BY THEIR SIZE?",
        certain=False,
    ),
    Construction(
        "different",
        "{distinct} (?:kinds|types|sorts) of",
        "How many DIFFERENT KINDS OF colours are there?",
        certain=False,
    ),
    Construction(
        "different", "{distinct}(?! (?:from|than|to) )", "How many DIFFERENT colours are there?", certain=False
    ),
    Construction(
        "names",
        r"(?:the )?names? of(?: the| all)*(?= (?P<noun>\w+))",
        "What are THE NAMES OF ALL tickets?",
        certain=False,
    ),
    Construction(
        "held",
        "(?:that |which )?(?:(?:is|are|exist|exists) )?(?:{held} )?in (?:the|this|our|your) {data}",
        "How many parks ARE IN THE DATABASE?",
        certain=False,
    ),
    Construction(
        "held",
        r"(?:that |which )?(?:is |are )?(?:currently )?{held}(?=\W*$)",
        "How many parks ARE LISTED?",
        certain=False,
    ),
    Construction("held", r"(?:that )?(?:exist|exists)(?=\W*$)", "How many parks EXIST?", certain=False),
    Construction(
        "held",
        r"do (?:we|you) (?:have|know) (?:on|in) (?:record|file|total|the books|our books)(?=\W*$)",
        "How many parks DO WE HAVE ON RECORD?",
    ),
    Construction("held", r"do (?:we|you) have(?=\W*$)", "How many parks DO WE HAVE?", certain=False),
    Construction(
        "kinds",
        r"(?:kinds?|sorts?|types?) of(?= (?P<noun>\w+)(?! (?:is|are|was|were)\b(?! there)))",
        "Which KINDS OF tickets are there?",
        certain=False,
    ),
    Construction(
        "whole",
        r"(?:in|at|of|within|across|throughout) (?:the|this|our|your)(?: (?:whole|entire))? {whole}(?=\W*$)",
        "Who is the oldest pilot IN THE COMPANY?",
        certain=False,
    ),
    Construction(
        "list", "(?:the|a) (?:(?:full|complete|entire) )?list of", "What is THE LIST OF parks?", certain=False
    ),
)
"""What may be taken off a question, in the order in which it is looked for: what is inside another one is not."""
