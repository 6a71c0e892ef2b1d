"""A grammar of names: what holds a model's reply to the names that the triples it was shown have.

Comes in: triples, and the names of what a relation path leads to that surely reads the question. Goes out: GBNF, in
which a reply is one or several of these names, or of all names where no path does, with "; " between, or the words for
"not in the graph". So a reply invents no name and has no other form, where the model keeps to a grammar. Names share
their beginnings in it: a model's next token is tried against few of them, however many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from os.path import commonprefix

from kgneo.model import Candidate
from kgneo.stages.facts import one_line, quoted

DEEPEST = 40
"""Beginnings within beginnings at most."""
ROOT = 'root ::= [Nn] "ot in the graph" "."? | name ("; " name)*\nname ::= '


def name_grammar(shown: Sequence[Candidate], likely: Collection[str] = ()) -> str | None:
    """The grammar of the names in `shown`, of the `likely` alone where any of them is there; None for no name."""
    names = sorted(set(_names(shown, likely)) or set(_names(shown, ())))
    return f"{ROOT}{_alternatives(names, 0)}\n" if names else None


def _names(shown: Iterable[Candidate], likely: Collection[str]) -> Iterator[str]:
    """The ends of triples, as they are and as they are shown, in quotes."""
    for candidate in shown:
        for name in (candidate.triple.subject, candidate.triple.object):
            if likely and name not in likely:
                continue
            written = {quoted(name)} if ";" in name else {one_line(name), quoted(name)}
            yield from (text for text in written if text)


def _alternatives(names: Sequence[str], depth: int) -> str:
    """Sorted names, their common beginnings once."""
    if depth > DEEPEST:
        return " | ".join(map(_literal, names))
    return " | ".join(_group(list(group), depth) for _, group in groupby(names, key=lambda name: name[:1]))


def _group(names: Sequence[str], depth: int) -> str:
    """Names with one beginning."""
    if len(names) == 1:
        return _literal(names[0])
    start = commonprefix(list(names))  # noqa: RUF071 - of texts, not of paths
    rests = [name[len(start) :] for name in names]
    more = _alternatives([rest for rest in rests if rest], depth + 1)
    return f"{_literal(start)} ({more}){'?' if '' in rests else ''}"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
