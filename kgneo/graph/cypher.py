"""Query text: read from `cypher/`, identifiers filled in through one quoting helper, values left as parameters.

A file holds one query; its first comment is its documentation. An identifier that is only known at run time
(a relationship type, a label, a property key) stands in the file as `` `{name}` ``, so that the file is valid
Cypher and pastes into Neo4j Browser as it is; `fill` puts the quoted identifier there. Two more things are no
values in Cypher: the bounds of a walk stand as `/*{hops}*/3`, the end of an arrow that may have no head as
`-/*{arrow}*/`; both are valid as they stand, too.

What several queries share stands in a file of its own. A line that begins with `/*{candidates_walk}*/` is replaced by
what that file has before its RETURN, `/*{node_name}*/subject.name` by what that file returns, for `subject`
(`shown_name`: or, where that is nothing, by what describes it); what stands behind the placeholder is a simpler way to
the same columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from kgneo.query.quoting import quote

SEPARATORS = {"labels": ":", "keys": ", node."}
"""What stands between several names of one placeholder, where it is not `|`."""
PLACEHOLDER = re.compile(r"`\{(\w+)\}`|/\*\{(\w+)\}\*/(\d*)")
SHARED_LINES = re.compile(r"^/\*\{(\w+)\}\*/.*$", re.MULTILINE)
SHOWN_NAME = re.compile(r"/\*\{shown_name\}\*/(\w+)\.name\b")
SHARED_NAME = re.compile(r"/\*\{node_name\}\*/(\w+)\.name\b")


def literal(value: Any) -> str:
    """A value as Cypher text, for queries that a person pastes; kgneo itself sends parameters."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return '"' + "".join(_escape(character) for character in value) + '"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    raise TypeError(f"A {type(value).__name__} has no Cypher literal here.")


def _escape(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else "".join(f"\\u{unit:04X}" for unit in _utf16(character))


def _utf16(character: str) -> list[int]:
    raw = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(raw[index : index + 2], "big") for index in range(0, len(raw), 2)]


def inline(query: str, parameters: dict[str, Any]) -> str:
    """`query` with its `$parameters` written out, ready to paste."""
    names = sorted(parameters, key=len, reverse=True)
    if not names:
        return query
    pattern = re.compile(r"\$(" + "|".join(map(re.escape, names)) + r")\b")
    return pattern.sub(lambda match: literal(parameters[match.group(1)]), query)


@cache
def query(name: str, /) -> str:
    """The text of `cypher/NAME.cypher` with what it shares with others, its comment included, so that a server's log
    says what ran."""
    text = SHARED_LINES.sub(lambda match: _parts(match[1])[0].strip(), _text(name))
    text = SHOWN_NAME.sub(lambda match: shown_name(match[1]), text)
    return SHARED_NAME.sub(lambda match: node_name(match[1]), text)


def node_name(variable: str) -> str:
    """The expression for the name of the node `variable`; null for a node that has none. Needs `$display` and
    `$hidden`."""
    name, _, _ = _parts("node_name")[1].rpartition(" AS ")
    return re.sub(r"\bnode\b", variable, name.strip())


def shown_name(variable: str) -> str:
    """The same, with some properties that describe a node without a name, and its id where it has none."""
    shown = f"$hidden IS NULL OR NOT key IN $hidden AND {not_hidden(variable, 'key')}"
    short = f"size(toStringOrNull({variable}[key])) < 60"
    keys = f"[key IN keys({variable}) WHERE NOT key STARTS WITH 'kgneo' AND ({shown}) AND {short}]"
    described = f"reduce(text = '', key IN {keys}[..4] | text + ', ' + key + ' ' + toStringOrNull({variable}[key]))"
    return f"coalesce({node_name(variable)}, nullIf(substring({described}, 2), ''), elementId({variable}))"


def not_hidden(variable: str, key: str) -> str:
    """The test that no label of the node `variable` hides the property that the expression `key` names. Needs `$hidden`
    to be a list."""
    return f"none(owner IN labels({variable}) WHERE owner + '.' + {key} IN $hidden)"


def _text(name: str) -> str:
    return files("kgneo.cypher").joinpath(f"{name}.cypher").read_text(encoding="utf-8")


def _parts(name: str) -> tuple[str, str]:
    """What a file has before its RETURN, without its comment, and behind it."""
    text = "\n".join(line for line in _text(name).splitlines() if not line.startswith("//"))
    before, _, behind = text.partition("RETURN")
    return before, behind


def fill(name: str, /, **values: str | int | bool | Iterable[str]) -> str:
    """`cypher/NAME.cypher` with every placeholder replaced: identifiers quoted, numbers checked to be numbers,
    an arrow's head set (True) or left out.

    Several types stand as an alternative (`` `a`|`b` ``), several labels all hold (`` `a`:`b` ``), several
    keys are those of `node`. Raises KeyError, naming the file, when a placeholder is not given.
    """

    def replacement(match: re.Match[str]) -> str:
        key = match.group(1) or match.group(2)
        if key not in values:
            raise KeyError(f"cypher/{name}.cypher needs {key!r}")
        value = values[key]
        if match.group(2):
            return (">" if value else "") if key == "arrow" else str(int(value))  # type: ignore[arg-type]
        if isinstance(value, int):
            raise TypeError(f"cypher/{name}.cypher needs a name for {key!r}")
        names = [value] if isinstance(value, str) else value
        return SEPARATORS.get(key, "|").join(map(quote, names))

    return PLACEHOLDER.sub(replacement, query(name))
