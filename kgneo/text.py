"""Names of entities: how they are folded to be compared, and listed, and the digests by which the graph finds them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

LONGEST_INDEXED = 2_000
"""Characters. Neo4j's range index refuses values of more than about 8,000 bytes; a character has up to four."""

SPACES = re.compile(r"\s+")


def fold(text: str) -> str:
    """`text` without regard to case, accents, kinds of quotes and dashes, runs of white space, and underscores in its
    place ("Mary_Stuart")."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    plain = plain.translate(PUNCTUATION)
    return SPACES.sub(" ", plain.replace("_", " ")).strip() or plain.strip()


def plain_question(text: str) -> str:
    """A question without what may differ where it is the same word for word: capitals, brackets, its last sign."""
    return fold(text.replace("[", "").replace("]", "")).rstrip(" ?.!")


def folded_spellings(text: str) -> tuple[str, str]:
    """`text` folded, as it is kept now and, with underscores, as graphs and caches of before have it."""
    folded = fold(text)
    return folded, folded.replace(" ", "_")


LISTED = 20
"""Names that the text of an answer lists."""


def listed(names: Sequence[str], more: int = 0, *, shown: int = LISTED, between: str = ", ") -> str:
    """Names as a text, the first of many; `more` are not among them. Empty for none."""
    more += max(len(names) - shown, 0)
    last = between.removeprefix(",")
    return between.join(names[:shown]) + (f"{last}and {more} more" if more else "")


def number_of(text: str) -> int | float | None:
    """The number that a text is; None for one that is none."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8. Half of a surrogate pair cannot, nor a byte of a command line that was no
    UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


PUNCTUATION = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-"})


def digest(text: str) -> str:
    """32 hexadecimal digits that stand for a text of any length."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
