"""All said: whether a reading of a sentence leaves nothing of it out.

Comes in: what was heard of a sentence that claims something, and an interpretation of it. Goes out: whether each value,
number, unit and telling word is in its query graph. A question may be answered though a word of it is not read; a claim
of which a word is not read says something else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kgneo.english.names import is_past, name_words, same_root
from kgneo.english.numbers import MULTIPLES, UNIT_SIZES, number_at
from kgneo.english.words import AUXILIARIES, COPULAS, FUNCTION_WORDS, MEASURES, PLAIN_VERBS, UNITS
from kgneo.query.graph import Aggregate, QueryGraph, Value
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.mentions import Mention, Span, has_root
from kgneo.reading.read import Interpretation
from kgneo.stages.unused import likeness
from kgneo.verification.named import same_value

MEASURED = 0.3
"""How surely a word speaks of what is compared, from which it does."""
LIKELY = 0.5
"""How like the name of a property a word must be to speak of it."""
REPORTING = frozenset(["given", "recorded", "listed", "shown", "noted", "registered", "stored", "entered", "mentioned"])
"""Verbs that say only that the graph has it."""
_IDS = frozenset(("id", "ids", "identifier"))
"""Words for what only tells one thing from another."""


def says_all(heard: Heard, item: Interpretation, given: Sequence[Span], numbers: Collection[str] = ()) -> bool:
    """Whether a reading leaves nothing of a sentence out: no value or number that it names but for `numbers`, no word
    that tells."""
    graph = item.graph
    named = [item for item in heard.values if not any(heard.stands_at(item, span) for span in given)]
    named = [item for item in named if heard.words_of(item) not in numbers]
    if not _is_measured(heard, item) or not all(_is_held(graph, value) for value in named):
        return False
    if not set(_unheld_numbers(heard, graph)) <= {*numbers} or _in_other_units(heard, graph):
        return False
    said = said_words(heard, graph) | {*numbers}
    if any(word.lower() not in said for word in item.unsaid) or any(word[:1].isupper() for word in item.ignored):
        return False
    if _speaks_of_other(heard, graph) or _takes_for_id(heard, graph, numbers) or _says_more_of_kind(heard, graph):
        return False
    if _names_no_kind(heard):
        return False
    return all(_is_said(heard, graph, value) for value in _unbounded(graph))


def _is_measured(heard: Heard, item: Interpretation) -> bool:
    """Whether words speak of what is compared: beside it, or as what the sentence is about, "the BUDGET of X is below
    7"."""
    asked = item.graph.answer
    if item.measured >= MEASURED or not isinstance(asked, Value):
        return item.measured >= MEASURED
    return any(asked == each.left for each in item.graph.conditions) and _is_named(heard, asked.key)


def _takes_for_id(heard: Heard, graph: QueryGraph, numbers: Collection[str]) -> bool:
    """Whether a number is compared with an identifier, of which the sentence has no word."""
    keys = [key for _, _, number in numbers_of(heard) for key in _compared_with(graph, number)]
    if numbers and isinstance(graph.answer, Value):
        keys.append(graph.answer.key)
    values = {heard.words_of(item) for item in heard.values}
    held = [number for _, _, number in numbers_of(heard) if number in values]
    return not held and not _IDS & {*heard.plain} and any(_IDS & {*name_words(key)} for key in keys)


def _is_held(graph: QueryGraph, named: Mention) -> bool:
    """Whether a query graph compares with a value that a sentence names."""
    held = {str(value) for condition in graph.every_condition() if isinstance(condition.right, tuple)
            for value in condition.right}  # fmt: skip
    return any(str(value) in held for meaning in named.meanings for value in meaning.values)


def said_words(heard: Heard, graph: QueryGraph) -> frozenset[str]:
    """Words that a reading need not say: those that say little, units behind numbers, and the verb before a property
    that the query graph speaks of: what does not say which property it is says only that something has it."""
    behind = {heard.plain[end] for _, end, _ in numbers_of(heard) if end < len(heard.plain)}
    units = {word for word in behind if word in UNIT_SIZES.keys() | UNITS or word.rstrip("s") in UNITS}
    whoever = {word for word in heard.plain if word.endswith("ever")}
    return PLAIN_VERBS | REPORTING | units | whoever | _having(heard, graph)


def _having(heard: Heard, graph: QueryGraph) -> set[str]:
    """The verbs of a sentence that have a property of the query graph as their object."""
    keys = {value.key for value in graph.values()}
    named = [item.start for item in heard.key_mentions for meaning in item.meanings
             if meaning.key and meaning.key.key in keys and meaning.score >= NAMED]  # fmt: skip
    named += [start for start, _, key in heard.whole_keys if key.key in keys]
    ends = {item.end for item in heard.values}
    verbs = [index for index in ends | {0, 1} if index < len(heard.plain) and _may_be_verb(heard.plain[index])]
    return {heard.plain[index] for index in verbs if any(index < at for at in named)}


def _may_be_verb(word: str) -> bool:
    """Whether a word behind a name is a verb by its ending."""
    return is_past(word) or (word.endswith("s") and word not in FUNCTION_WORDS | COPULAS | AUXILIARIES)


def _in_other_units(heard: Heard, graph: QueryGraph) -> bool:
    """Whether a number has a unit that measures something else than the property which it is compared with."""
    for _, end, number in numbers_of(heard):
        said = UNIT_SIZES.get(heard.plain[end]) if end < len(heard.plain) else None
        keys = _compared_with(graph, number)
        if said and keys and not any(is_in_unit(said[0], key) for key in keys):
            return True
    return False


def _compared_with(graph: QueryGraph, number: str) -> list[str]:
    """The properties that a query graph compares with a number."""
    return [item.left.key for item in graph.every_condition()
            if isinstance(item.left, Value) and isinstance(item.right, tuple)
            and any(_is_same(number, str(value)) for value in item.right)]  # fmt: skip


def is_in_unit(measured: str, key: str) -> bool:
    """Whether a property's name has a unit of what is `measured`, or none at all."""
    held = next((UNIT_SIZES[word] for word in name_words(key) if word in UNIT_SIZES), None)
    return held is None or held[0] == measured


def _unbounded(graph: QueryGraph) -> list[Value]:
    """The properties that a query graph asks for, or compares with one another, and so has no value of."""
    asked = graph.answer.value if isinstance(graph.answer, Aggregate) else graph.answer
    found = [asked] if isinstance(asked, Value) and asked.key else []
    found += [item.left for item in graph.conditions if isinstance(item.left, Value) and isinstance(item.right, Value)]
    return [
        value for value in found if not any(item.left == value and item.operator == "=" for item in graph.conditions)
    ]


def names_what_is_there(heard: Heard, graph: QueryGraph) -> bool:
    """Whether a query graph that asks whether a property is there, or how many values it has, asks for one that the
    sentence surely names, and says no number that may be its."""
    asked = graph.answer.value if isinstance(graph.answer, Aggregate) else graph.answer
    if not isinstance(asked, Value) or not asked.key or any(item.left == asked for item in graph.conditions):
        return True
    if any(key.key == asked.key and key.kind == "truth" for key in heard.fits.vocabulary.keys):
        return False  # "the stage is COVERED" says which of the two it is
    compared = {index for item in heard.form.comparisons for index in range(item.start, item.end)}
    numbers = [start for start, _, _ in numbers_of(heard) if start not in compared]
    return not (numbers and isinstance(graph.answer, Value)) and _is_named(heard, asked.key)


def _is_named(heard: Heard, key: str) -> bool:
    """Whether a property is spoken of by its own name, and not by a word that may be one of its values: "a PINK grape"
    says nothing of whether grapes have a colour."""
    names = {key, *(item.name for item in heard.fits.vocabulary.keys if item.key == key and item.name)}
    words = [word for at, word in enumerate(heard.plain) if at not in heard.taken and word not in FUNCTION_WORDS]
    return any(same_root(word, part) for name in names for part in name_words(name) for word in words)


def _is_said(heard: Heard, graph: QueryGraph, value: Value) -> bool:
    """Whether a word of a sentence speaks of a property."""
    owners = next((item.labels for item in graph.variables if item.name == value.of), None)
    if owners is None:
        owners = next((edge.relations for edge in graph.edges if edge.name == value.of), ())
    keys = [key for key in heard.fits.vocabulary.keys if key.key == value.key and key.owner in owners]
    words = [word for index, word in enumerate(heard.plain)
             if index not in heard.taken and (word not in FUNCTION_WORDS or word in MEASURES)]  # fmt: skip
    return any(max(heard.fits.key(word).get(key, 0.0), heard.fits.measured(word, key)) >= LIKELY
               for key in keys for word in words)  # fmt: skip


def _unheld_numbers(heard: Heard, graph: QueryGraph) -> list[str]:
    """The numbers of a sentence that no condition of a query graph compares with."""
    literals = [str(value) for condition in graph.every_condition() if isinstance(condition.right, tuple)
                for value in condition.right]  # fmt: skip
    named = {index for item in heard.values for index in range(item.start, item.end)}
    numbers = [number for start, _, number in numbers_of(heard) if start not in named]
    return [number for number in numbers if not any(_is_same(number, literal) for literal in literals)]


def numbers_of(heard: Heard) -> Iterator[tuple[int, int, str]]:
    """The numbers and dates of a sentence, from which word to which; "a large ONE" is none."""
    index = 0
    while index < len(heard.plain):
        word, behind = heard.plain[index], heard.plain[index + 1 : index + 2]
        stands = index > 0 and (not behind or behind[0] in FUNCTION_WORDS - {"of"})
        found = (
            None if word in ("the", "a", "an", "year") or (word == "one" and stands) else number_at(heard.plain, index)
        )
        if found:
            yield index, found[1], found[0]
        index = max(index + 1, found[1] if found else 0)


def _is_same(number: str, literal: str) -> bool:
    """Whether a number is a literal, which may count thousands or millions."""
    first, second = as_number(number), as_number(literal)
    times = first / second if first and second else 0
    return same_value(number, literal) or times in MULTIPLES.values()


def _speaks_of_other(heard: Heard, graph: QueryGraph) -> bool:
    """Whether a word is of a name in the schema, and a query graph speaks of nothing that has it in its name."""
    spoken = _spoken(heard, graph)
    return any(has_root(word, heard.fits) and not any(same_root(word, said) for said in spoken)
               for word in map(heard.plain.__getitem__, _left(heard)))  # fmt: skip


def _names_no_kind(heard: Heard) -> bool:
    """Whether a noun at the end says what something is, and names nothing of the schema: "works as a TEACHER"."""
    at = len(heard.plain) - 1
    ends = at > 0 and heard.plain[at - 1] in ("a", "an") and at in _left(heard)
    return ends and likeness(heard, at) < NAMED


def _says_more_of_kind(heard: Heard, graph: QueryGraph) -> bool:
    """Whether a word before the noun for a kind of things says what they are like, and is no name that a query graph
    speaks of: "a TURQUOISE grape"."""
    numbers = {index for start, end, _ in numbers_of(heard) for index in range(start, end)}
    before = [heard.plain[index] for index in _left(heard) if index not in numbers and heard.is_label(index + 1)]
    spoken = _spoken(heard, graph)
    return not all(word in MEASURES or any(same_root(word, said) for said in spoken) for word in before)


def _spoken(heard: Heard, graph: QueryGraph) -> set[str]:
    """The words of all names of the schema that a query graph speaks of."""
    vocabulary = heard.fits.vocabulary
    spoken = {word for variable in graph.variables for label in variable.labels for word in name_words(label)}
    spoken |= {word for edge in graph.edges for relation in edge.relations
               for word in name_words(vocabulary.readable(relation))}  # fmt: skip
    keys = {value.key for value in graph.values()}
    return spoken | {word for key in vocabulary.keys if key.key in keys for word in name_words(key.name or key.key)}


def _left(heard: Heard) -> list[int]:
    """The telling words that are no values, no units, and not of the sentence's form."""
    units = {end for _, end, _ in numbers_of(heard)}
    return [index for index in heard.telling if index not in heard.taken | heard.form.used | units]


def as_number(text: str) -> float | None:
    """A text as the number that it is; None for another."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
