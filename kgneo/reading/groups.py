"""Groups: what a number is asked for each of, however a question says "each".

Comes in: the words of a question, with the mentions of labels and properties among them. Goes out: where the noun
stands that the groups are made by: "average price PER SUPPLIER", "for every account TYPE", "orders by COUNTRY".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from kgneo.english.names import is_past
from kgneo.english.words import ARTICLES, ASKING, DOING, FUNCTION_WORDS, GROUPING, PARTING, QUESTION_WORDS
from kgneo.reading.mentions import Word

_ASKS = "|".join(sorted(QUESTION_WORDS | ASKING))
_BEFORE = r"(?:for|in|at|of|on|from|with|among|across)"
_FRONTED = re.compile(
    rf"(?P<group>(?:{_BEFORE}\s+)?(?:per|each|every)\s[^,:;?]+?|by\s[^,:;?]+?)"
    rf"(?:\s*[,:]\s*|\s+(?=(?:{_ASKS})\b))(?P<rest>\S.*?)(?P<end>[\s?.!]*)",
    re.IGNORECASE | re.DOTALL,
)


def with_group_last(question: str) -> str:
    """The question with what it begins with behind it, where that only says what its number is asked for each of: "for
    every firm, how many …" asks "how many … for every firm". All else stays as it is."""
    found = _FRONTED.fullmatch(question.strip())
    if found is None:
        return question
    group = found["group"][0].lower() + found["group"][1:]
    return f"{found['rest']} {group}{found['end']}"


def group_words(words: Sequence[Word]) -> list[int]:
    """The words that say that a number is asked for each of what follows, in the order of the question."""
    plain = [word.plain for word in words]
    return [index for index, word in enumerate(plain[:-1]) if word in GROUPING or _is_by(plain, index)]


def _is_by(plain: Sequence[str], index: int) -> bool:
    """Whether a "by" groups what is before it: "orders BY country", "grouped BY year", but not "made by firms"."""
    if plain[index] != "by" or not index:
        return False
    before = plain[index - 1]
    return before in PARTING | {"there"} or not (is_past(before) or before in FUNCTION_WORDS)


def group_noun(
    text: str, words: Sequence[Word], at: int, is_label: Callable[[int], bool], is_key: Callable[[int], bool]
) -> int:
    """The noun that names what groups are made by behind the group word `at`; -1 where none does."""
    last, label = -1, False
    nouns = list(phrase(text, words, at))
    does = _does(words, at)
    for index in nouns:
        if is_key(index) and not (label and does):
            last, label = index, False
        elif is_label(index) and not (label and does and index == nouns[-1]):  # what each vet does: TREAT
            last, label = index, True
    return last


def phrase(text: str, words: Sequence[Word], at: int) -> Iterable[int]:
    """The words of the noun phrase behind a group word: "each of the national TEAMS that"."""
    for index in range(first_behind(words, at), len(words)):
        if words[index].plain in FUNCTION_WORDS or words[index].plain in GROUPING:
            return
        yield index
        behind = text[words[index].end : words[index + 1].start] if index + 1 < len(words) else ""
        if behind.strip() or words[index].text.endswith(("'s", "’s")):
            return


def first_behind(words: Sequence[Word], at: int) -> int:
    """Where the noun phrase behind a group word begins, articles left out."""
    start = at + 1
    while start < len(words) and words[start].plain in ARTICLES | {"one", "the", "of"}:
        start += 1
    return start


def _does(words: Sequence[Word], at: int) -> bool:
    """Whether what is behind the group word does something: "how many goals DID each player score"."""
    return any(word.plain in DOING for word in words[max(at - 2, 0) : at])
