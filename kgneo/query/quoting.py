"""Names in Cypher text: quoted where they need it."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_WORDS = frozenset(("AND", "FALSE", "IN", "IS", "NOT", "NULL", "OR", "TRUE", "WHERE", "XOR"))
"""Words that have a meaning of their own where names stand."""


def quote(identifier: str) -> str:
    r"""`identifier` as a back-quoted Cypher name, whatever characters it holds.

    A back quote is doubled. Cypher reads `\uXXXX` everywhere in a query, also inside a quoted name, unless another
    backslash escapes it; so a backslash that would start such a sequence is written as one itself. Raises
    ValueError for an empty name, which Cypher does not have.
    """
    if not identifier:
        raise ValueError("Cypher has no empty names.")
    escaped = re.sub(r"(\\+)(?=u)", _plain_backslashes, identifier)
    return "`" + escaped.replace("`", "``") + "`"


def _plain_backslashes(match: re.Match[str]) -> str:
    run = match.group(1)
    return run if len(run) % 2 == 0 else run[:-1] + "\\u005C"


def plain(identifier: str) -> str:
    """`identifier` as people write it, quoted only where Cypher needs that."""
    return identifier if _PLAIN.fullmatch(identifier) and identifier.upper() not in _WORDS else quote(identifier)
