r"""Tokens of Cypher text that others wrote.

Comes in: any text. Goes out: its tokens, without comments, so that what is looked at is what a server would read. Text
that a server might read in another way than it looks is refused: `\uXXXX` (which some versions replace before they
look for quotes), letters of other alphabets' punctuation (Cypher takes several Unicode dashes and arrows for its own),
characters that are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kgneo.errors import StatementInvalid, StatementRefused

Kind = Literal["name", "quoted", "text", "number", "parameter", "symbol"]
_PARTS: dict[Kind, str] = {
    "name": r"[^\W\d]\w*",
    "quoted": r"`(?:[^`]|``)*`",
    "text": r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"",
    "number": r"0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?",
    "parameter": r"\$(?:\w+|`(?:[^`]|``)*`)",
    "symbol": r"\.\.|/(?!\*)|[!%&()*+,\-.:;<=>?\[\]^{|}~]",
}
_TOKEN = re.compile("|".join(f"(?P<{kind}>{part})" for kind, part in _PARTS.items()), re.DOTALL)
_SKIPPED = re.compile(r"[ \t\r\n\f]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_ESCAPE = re.compile(r"\\[uU]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
CLAUSES = (
    "CALL", "LIMIT", "MATCH", "OFFSET", "OPTIONAL", "ORDER", "RETURN", "SKIP", "UNION", "UNWIND", "WHERE", "WITH",
    "YIELD",
)  # fmt: skip
"""Words with which a new expression begins, where they stand behind a whole one."""
INFIX = (
    "AND", "AS", "BY", "CASE", "CONTAINS", "DISTINCT", "ELSE", "ENDS", "EXISTS", "IN", "IS", "NOT", "OR", "STARTS",
    "THEN", "WHEN", "XOR",
)  # fmt: skip
"""Words behind which an expression goes on."""
QUERY_BRACES = ("EXISTS", "COUNT", "COLLECT", "CALL")
"""Keywords whose curly brackets hold a query; all others hold a map."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of Cypher: `value` without its quotes, `source` as it was written, `place` where it began."""

    kind: Kind
    value: str
    source: str
    place: int

    def word(self, *words: str) -> bool:
        """Whether it is one of these keywords, given in capitals; a quoted name is none."""
        return self.kind == "name" and self.value.upper() in words

    def symbol(self, *symbols: str) -> bool:
        """Whether it is one of these signs."""
        return self.kind == "symbol" and self.value in symbols

    @property
    def named(self) -> bool:
        """Whether it can be a name: of a variable, a label, a type, a key, a function."""
        return self.kind in ("name", "quoted")


def begins_clause(token: Token, before: Token) -> bool:
    """Whether a clause begins with `token`: a word for one, behind a whole expression, where no name can stand."""
    ended = before.kind != "symbol" or before.symbol(")", "]", "}", "*")
    return token.word(*CLAUSES) and ended and not before.word(*INFIX)


def tokens(text: str) -> list[Token]:
    """The tokens of `text`. Raises StatementRefused for what may be read in two ways, StatementInvalid for what cannot
    be read."""
    if _ESCAPE.search(text):
        raise StatementRefused(r"It holds a \u escape.", hint="Write the character itself.")
    if _SURROGATE.search(text):
        raise StatementRefused("It holds half a character (a lone surrogate).", hint="Write the whole character.")
    found: list[Token] = []
    place = 0
    while place < len(text):
        if skipped := _SKIPPED.match(text, place):
            place = skipped.end()
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unreadable(text, place)
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        found.append(Token(kind, _value(kind, match.group()), match.group(), place))
        place = match.end()
    return found


def _value(kind: Kind, source: str) -> str:
    if kind == "quoted":
        return source[1:-1].replace("``", "`")
    if kind == "text":
        return re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), source[1:-1], flags=re.DOTALL)
    return source


def _unreadable(text: str, place: int) -> Exception:
    character = text[place]
    if character in "'\"`" or text.startswith("/*", place):
        return StatementInvalid(f"What begins with {text[place : place + 20]!r} is not closed.")
    if character == "$":
        return StatementRefused("It puts a name together when it runs ($).", hint="Write labels and types as they are.")
    if character.isascii():
        return StatementInvalid(f"The character {character!r} has no meaning here: {text[place : place + 20]!r}.")
    return StatementRefused(
        f"It holds the character U+{ord(character):04X} outside of a text.",
        hint="Use ASCII signs and blanks; letters of all alphabets are welcome in names, anything in quoted texts.",
    )


def written(given: Sequence[Token], text: str) -> str:
    """The tokens as Cypher again, with the line ends and blanks of `text` between them, and no comments."""
    pieces: list[str] = []
    end = 0
    for token in given:
        between = text[end : token.place]
        pieces.append("\n" if "\n" in between and pieces else " " if between and pieces else "")
        pieces.append(token.source)
        end = token.place + len(token.source)
    return "".join(pieces)
