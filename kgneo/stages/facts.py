"""Facts: triples as the text that a language model reads.

As a list, one "(subject, relation, object)" a line (KG-RAG section 3.5.2), or grouped by relation, which says the
same in fewer tokens: "directed by: A → X; B, C → Y, Z". As sentences by template, one a triple or one for all triples
that share an end and the relation (KnowledgeNavigator section 3.3, equations 5 and 6): "A was directed by X, Y." Names
are data: each stays on its line, and one that holds a sign of the grouped forms stands in quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from kgneo.english.names import statement_wording
from kgneo.model import Candidate, Triple

Form = Literal["list", "groups", "sentences", "joined-sentences"]
SIGNS = (",", ";", "→", '"')


def one_line(text: str) -> str:
    """`text` without line breaks and control characters, runs of white space as one blank."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def quoted(name: str) -> str:
    """A name in the grouped form: in quotes when it holds one of its signs."""
    line = one_line(name)
    return '"' + line.replace('"', "'") + '"' if any(sign in line for sign in SIGNS) else line


NO_NAMES: Mapping[str, str] = {}


def write_facts(candidates: Sequence[Candidate], form: Form, names: Mapping[str, str] = NO_NAMES) -> str:
    """The triples of `candidates` in that form, in their order. `names` are readable names of relations that are spelt
    as codes."""
    triples = [_readable(candidate.triple, names) for candidate in candidates]
    if form == "list":
        return "\n".join(one_line(triple.text) for triple in triples)
    relations: dict[str, list[Triple]] = {}
    for triple in triples:
        relations.setdefault(f"{triple.relation} {triple.detail}".strip(), []).append(triple)
    if form != "groups":
        return "\n".join(line for name, found in relations.items() for line in _sentences(name, found, form))
    return "\n".join(f"{_words(relation)}: {_grouped(found)}" for relation, found in relations.items())


def _readable(triple: Triple, names: Mapping[str, str]) -> Triple:
    return replace(triple, relation=names[triple.relation]) if triple.relation in names else triple


def _words(relation: str) -> str:
    return one_line(relation.replace("_", " "))


def _sentences(relation: str, triples: Sequence[Triple], form: Form) -> Iterator[str]:
    """The triples of one relation, one a sentence, or those together that share an end."""
    pairs = [(quoted(triple.subject), quoted(triple.object)) for triple in triples]
    groups: list[tuple[list[str], tuple[str, ...]]]
    if form == "sentences":
        groups = [([subject], (object_,)) for subject, object_ in dict.fromkeys(pairs)]
    else:
        groups = min(_sharing(pairs), _sharing_objects(pairs), key=_length)
    for subjects, objects in groups:
        yield sentence(one_line(relation), subjects, objects)


def _sharing_objects(pairs: Sequence[tuple[str, str]]) -> list[tuple[list[str], tuple[str, ...]]]:
    turned = _sharing([(object_, subject) for subject, object_ in pairs])
    return [(list(subjects), tuple(objects)) for objects, subjects in turned]


def _length(groups: Sequence[tuple[Sequence[str], Sequence[str]]]) -> int:
    return sum(len(name) for ends in groups for names in ends for name in names)


def sentence(relation: str, subjects: Sequence[str], objects: Sequence[str]) -> str:
    """One sentence that says the relation of all subjects to all objects."""
    said = statement_wording(relation, _list(subjects), _list(objects))
    if len(subjects) > 1:
        said = said.removeprefix(_list(subjects))
        for one, several in ((" has ", " have "), (" was ", " were ")):
            said = several + said.removeprefix(one) if said.startswith(one) else said
        said = _list(subjects) + said
    return f"{said}."


def _grouped(triples: Sequence[Triple]) -> str:
    """By subjects or by objects, whichever is shorter."""
    pairs = [(quoted(triple.subject), quoted(triple.object)) for triple in triples]
    by_subject = [f"{_list(subjects)} → {_list(objects)}" for subjects, objects in _sharing(pairs)]
    turned = [(object_, subject) for subject, object_ in pairs]
    by_object = [f"{_list(subjects)} → {_list(objects)}" for objects, subjects in _sharing(turned)]
    return min("; ".join(by_subject), "; ".join(by_object), key=len)


def _sharing(pairs: Sequence[tuple[str, str]]) -> list[tuple[list[str], tuple[str, ...]]]:
    """First ends with the second ends of each; first ends that have the same ones together."""
    seconds: dict[str, dict[str, None]] = {}
    for first, second in pairs:
        seconds.setdefault(first, {})[second] = None
    firsts: dict[tuple[str, ...], list[str]] = {}
    for first, found in seconds.items():
        firsts.setdefault(tuple(found), []).append(first)
    return [(names, found) for found, names in firsts.items()]


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def fitting(
    candidates: Sequence[Candidate],
    write: Callable[[Sequence[Candidate]], str],
    *,
    tokens: int,
    count: Callable[[str], int],
) -> Sequence[Candidate]:
    """As many of the first candidates as `tokens` hold when they are written."""
    if count(write(candidates)) <= tokens:
        return candidates
    low, high = 0, len(candidates)
    while low + 1 < high:
        middle = (low + high) // 2
        if count(write(candidates[:middle])) <= tokens:
            low = middle
        else:
            high = middle
    return candidates[:low]
