"""A grammar of names: what holds a model's reply to the names that the triples it was shown have.

Comes in: triples, and the names of what a relation path leads to that surely reads the question. Goes out: GBNF, in
which a reply is one or several of these names, with "; " between. Where no path surely reads the question, it is of all
names, or the words for "not in the graph". So a reply invents no name and has no other form, where the model keeps to a
grammar. Names share their beginnings in it: a model's next token is tried against few of them, however many these are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from os.path import commonprefix

from kgneo.model import Candidate
from kgneo.stages.facts import one_line, quoted

DEEPEST = 40
"""Beginnings within beginnings at most."""
NAMES = 'name ("; " name)*\nname ::= '
OR_NONE = '[Nn] "ot in the graph" "."? | '


def name_grammar(shown: Sequence[Candidate], likely: Collection[str] = (), topic: str = "") -> str | None:
    """The grammar of the names in `shown`, of the `likely` alone where any of them is there, and of the `topic` where
    there is no other; None for no name."""
    sure = set(_names(shown, likely)) if likely else set()
    either = sure or set(_names(shown, ()))
    names = sorted(either - {one_line(topic), quoted(topic)} or either)
    return f"root ::= {'' if sure else OR_NONE}{NAMES}{_alternatives(names, 0)}\n" if names else None


def listed_grammar(names: Iterable[str], *words: str) -> str:
    """The grammar of one or several of these names with "; " between, or of one of the words."""
    either = " | ".join(map(_literal, words))
    written = sorted(set(names) - {""})
    return f"root ::= {either} | {NAMES}{_alternatives(written, 0)}\n" if written else f"root ::= {either}\n"


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
