"""Countries that a graph has as codes: "DE" is found where a question says "Germany".

Comes in: the properties of a graph, and its dictionary. Goes out: the names of those countries whose ISO 3166 codes of
two letters a property has as its values. Their names are those of the time zone database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kgneo.english.names import name_words, singular
from kgneo.reading.mentions import Lookup
from kgneo.reading.vocabulary import Key, Said, Vocabulary
from kgneo.text import fold

NAMED = frozenset({"country", "nation", "nationality"})
"""Words that the name of such a property, or of what has it, has."""
OTHERWISE = {
    "GB": ("United Kingdom", "Great Britain", "UK"),
    "US": ("USA", "U.S.", "United States of America", "US"),
    "AE": ("UAE",),
    "CZ": ("Czechia",),
    "TR": ("Türkiye",),
    "CI": ("Ivory Coast",),
    "NL": ("Holland",),
}
"""Names that people say besides."""
_BRACKETS = re.compile(r"(?P<name>.+) \((?P<more>.+)\)")


def said_of_countries(vocabulary: Vocabulary, dictionary: Lookup) -> list[Said]:
    """The names of countries for the codes that the graph has; none where none of its properties has such."""
    keys = [key for key in vocabulary.keys if _may_hold_codes(key)]
    if not keys:
        return []
    from pytz import country_names  # and with it a list that no other graph must wait for

    names: Mapping[str, str] = country_names
    held = [key for key in keys if all(text.upper() in names for text in key.examples)]
    owners = {(key.owner, key.key): key for key in held}
    found = dictionary.lookup([fold(code) for code in names]) if held else {}
    return [
        Said(fold(name), owners[entry.owner, entry.key], entry.value, entry.text)
        for entries in found.values()
        for entry in entries
        if (entry.owner, entry.key) in owners
        for name in _names(entry.text.upper(), names[entry.text.upper()])
    ]


def _may_hold_codes(key: Key) -> bool:
    """Whether the values of a property are of two letters, and its name is for a country."""
    words = {singular(word) for word in (*name_words(key.owner), *name_words(key.key))}
    codes = bool(key.examples) and all(len(text) == 2 and text.isalpha() for text in key.examples)
    return codes and key.kind == "text" and not key.listed and not NAMED.isdisjoint(words)


def _names(code: str, name: str) -> Iterator[str]:
    """What people call a country: "Korea (South)" is South Korea, or Korea."""
    match = _BRACKETS.fullmatch(name)
    plain = match["name"] if match else name
    yield plain
    if match:
        yield f"{match['more']} {plain}"
    if " & " in plain:
        yield plain.replace(" & ", " and ")
    yield from OTHERWISE.get(code, ())
