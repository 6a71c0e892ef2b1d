"""A schema as text: a table for people, or lines short enough for a prompt.

The prompt form is Cypher patterns with counts, most frequent first. It says what a model has to know to write a query:
the values of a property that has few different ones in full, else an example; which form dates and numbers have that
are stored as texts; which property names a node; of a relationship type between nodes of one kind, whether it is stored
one way, both ways, or means the same both ways.

Where all of that would be longer than allowed, and a question is asked, what it speaks of and what is around that comes
first, and the rest is left out by name. Without a question values go first, then examples, then property types, then
properties, then the rarest labels and types.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kgneo.english.names import Called
from kgneo.graph.connections import Connection
from kgneo.graph.schema import EXAMPLES, Label, Property, Relation, Schema
from kgneo.graph.shape import Shape
from kgneo.graph.vocabulary import kind_of
from kgneo.query.quoting import quote
from kgneo.reading.vocabulary import reciprocal

CHARACTERS = 4
"""Characters that a token has on average in such text; few tokenizers need more tokens than this says."""
SHOWN_EXAMPLES = 3
FEW = 12
"""Different values up to which a property's values are listed in full."""
TINY = 5
"""Nodes of a label up to which this is so although no two of them share a value."""
FEW_NUMBERS = 5
"""The same of numbers, of which a model needs no list to write one."""
REPEATED = 1.5
"""Nodes for each different value, on average, from which values are those of kinds or states."""
LONGEST_VALUES = 160
"""Characters of the values of a property together that are listed in full."""
MORE, LONGEST_MORE = 24, 500
"""The same two bounds where there is room for more."""
LONGEST_EXAMPLE = 40
"""Characters of an example, which is never cut: a model would write what is left."""
CUT_EXAMPLE = 80
"""Characters at which the schema itself cuts examples."""
ALWAYS, NEVER = 0.95, 0.05
"""Share of relationships with one back from which on a type is stored both ways, and up to which it is not."""
DETAILED, NAMED = 0.7, 0.9
"""Share of a text up to which labels and types that a question speaks of are told with properties, and further ones
without; behind that, what is left out is named."""


def table(schema: Schema, shape: Shape, left_out: Sequence[str] = ()) -> str:
    """Labels and relationship types with counts, properties, types and examples; `*` marks what names a node. Of what
    is `left_out` there are the names alone."""
    lines = [f"{schema.nodes:,} nodes, {schema.relationships:,} relationships"]
    if not schema.whole:
        lines.append("Properties are those of a sample, which may lack rare ones; so may connections with “about”.")
    if not schema.complete:
        lines.append("Not every label and type could be looked at in time; the rest has counts only.")
    lines += ["", "Labels"]
    for label in sorted(schema.labels, key=lambda item: (-item.nodes, item.name)):
        lines.append(f"  {label.name}  {label.nodes:,}")
        used = shape.values.get(label.name, {})
        lines += [_property_line(item, shape.display.get(label.name, ()), used) for item in label.properties]
    lines += ["", "Relationship types"]
    for relation in sorted(schema.relations, key=lambda item: (-item.relationships, item.name)):
        named = f"  “{shape.names[relation.name]}”" if relation.name in shape.names else ""
        lines.append(f"  {relation.name}{named}  {relation.relationships:,}{_stored_as(relation)}")
        lines += [f"    {_ends(item)}  {_number(item)}" for item in _connections(relation)]
        used = shape.details.get(relation.name, {})
        lines += [_property_line(item, (), used) for item in relation.properties if not relation.stands_in]
    if left_out:
        lines += ["", "Left out", *(f"  {name}" for name in left_out)]
    return "\n".join(lines)


def _stored_as(relation: Relation) -> str:
    """Where a type stands that is not stored as such; empty for others."""
    return "  told by {}.{}".format(*relation.stands_in) if relation.stands_in else ""


def names_left_out(schema: Schema, shape: Shape) -> tuple[str, ...]:
    """What of the whole `schema` the shape leaves out, by name: labels, relationship types, properties."""
    types = (relation.name for relation in schema.relations if not shape.uses(relation.name))
    return tuple(dict.fromkeys([*shape.excluded, *types, *shape.hidden]))


def _property_line(item: Property, display: Sequence[str], used: Iterable[str]) -> str:
    mark = "*" if item.key in display else " " if item.key in used else "-"
    share = "" if item.share >= 1 else f"  {item.share:.0%}"
    examples = "; ".join(text[:40] for text in item.examples[:SHOWN_EXAMPLES])
    return f"   {mark} {item.key}  {item.type}{share}" + (f"  {examples}" if examples else "")


def _connections(relation: Relation) -> list[Connection]:
    """What a type connects, most frequent first."""
    return sorted(relation.connections, key=lambda item: -item.times)


def _ends(item: Connection) -> str:
    return f"({_labels(item.subject)})→({_labels(item.object)})"


def _number(item: Connection) -> str:
    return f"{item.times:,}" if item.exact else f"about {item.times:,}"


def _labels(labels: Sequence[str]) -> str:
    return "".join(f":{label}" for label in labels)


Keep = Callable[[Property, int], str | None]
"""Writes a property of so many nodes or relationships, or leaves it out."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A line: a label, or a connection of a relationship type; `names` are the label, or the type and its two ends'
    labels."""

    number: int
    names: tuple[str, ...]
    write: Callable[[Keep], str]
    pattern: str


def prompt_text(schema: Schema, shape: Shape, *, tokens: int, spoken: Sequence[str] = ()) -> str:
    """The schema in at most about `tokens` tokens; `spoken` are the labels and relationship types that a question
    speaks of, the likeliest first. It is the same for all questions where the whole schema fits."""
    limit = tokens * CHARACTERS
    rows = sorted(_rows(schema, shape), key=lambda row: -row.number)
    for keep in (_with_more_values, _with_values, _with_example) if spoken else DETAILS:
        text = "\n".join(row.write(keep) for row in rows)
        if len(text) <= limit:
            return text
    if spoken:
        return _cut(_ranked(rows, spoken), DETAILS, limit)
    return _cut(rows, (_nothing,), limit)


def _cut(rows: Sequence[_Row], details: Sequence[Keep], limit: int) -> str:
    """As many rows as there is room for, each with as many details, and what is left out by name."""
    kept: list[str] = []
    left: list[_Row] = []
    used = 0
    for row in rows:
        line = next((line for line, room in _lines_of(row, details, limit) if used + len(line) < room), None)
        if line is None:
            left.append(row)
        else:
            kept.append(line)
            used += len(line) + 1
    return "\n".join([*kept, *_left_out(left, limit - used)])


def _lines_of(row: _Row, details: Sequence[Keep], limit: int) -> Iterator[tuple[str, float]]:
    """A row in one detail after another, each with the characters that all may have then."""
    for keep in details:
        share = NAMED if keep is _nothing else DETAILED
        yield row.write(keep), min(share * limit, limit - len("Left out: … and 1,000 more."))


def _left_out(rows: Sequence[_Row], room: int) -> list[str]:
    if not rows:
        return []
    patterns = list(dict.fromkeys(row.pattern for row in rows))
    named: list[str] = []
    room -= len("Left out:  and 1,000,000 more.")
    for pattern in patterns:
        room -= len(pattern) + 2
        if room < 0:
            break
        named.append(pattern)
    more = len(patterns) - len(named)
    if not more:
        return [f"Left out: {', '.join(named)}"]
    return [f"Left out: {', '.join(named)} and {more:,} more" if named else f"… and {more:,} more labels and types"]


def _ranked(rows: Sequence[_Row], spoken: Sequence[str]) -> list[_Row]:
    """The rows by how near they are to what is spoken of: this, then what joins it, then its surroundings."""
    order = {name: place for place, name in enumerate(spoken)}
    far = len(order)
    near: dict[str, int] = {}
    for row in rows:
        best = min((order[name] for name in row.names if name in order), default=far)
        for name in row.names[1:]:
            near[name] = min(near.get(name, far), best)

    def rank(row: _Row) -> tuple[int, int, int]:
        if len(row.names) == 1:
            name = row.names[0]
            return (0, order[name], -row.number) if name in order else (1, near.get(name, far), -row.number)
        relation, *ends = row.names
        known = [order[name] for name in ends if name in order]
        if relation in order or (known and len(known) == len(ends)):
            return 0, order.get(relation, max(known, default=far)), -row.number
        return (1 if known else 2), min(known, default=far), -row.number

    return sorted(rows, key=rank)


def _rows(schema: Schema, shape: Shape) -> Iterator[_Row]:
    for label in schema.labels:
        if label.name not in shape.excluded:
            yield _label_row(label, shape)
    for relation in schema.relations:
        if shape.uses(relation.name):
            yield from _relation_rows(relation, shape)


def _called(name: str) -> str:
    """What people call a name, and what it is, as a comment; nothing where nobody said."""
    if not isinstance(name, Called):
        return ""
    said = [] if name.said == name else [name.said]
    return f"  // {': '.join([*said, *([name.description] if name.description else [])])}"


def _label_row(label: Label, shape: Shape) -> _Row:
    display = shape.display.get(label.name, ())
    used = {*display, *shape.values.get(label.name, ())}
    properties = sorted(
        (item for item in label.properties if item.key in used), key=lambda item: item.key not in display
    )
    pattern = f"(:{_plain(label.name)}"
    named = f", named by {' + '.join(map(_plain, display))}" if display else ""

    def write(keep: Keep) -> str:
        told = _called(label.name) + _of_properties(properties, keep)
        return f"{pattern}{_braces(properties, label.nodes, keep)})  {label.nodes:,}{named}{told}"

    return _Row(label.nodes, (label.name,), write, f"{pattern})")


def _relation_rows(relation: Relation, shape: Shape) -> Iterator[_Row]:
    """A row for each connection, with its number; details stand with the most frequent one."""
    used = shape.details.get(relation.name, ())
    properties = [item for item in relation.properties if item.key in used]
    told = _stored_as(relation)
    connections = _connections(relation) or [Connection((), (), relation.relationships)]
    for place, item in enumerate(connections):
        shown = properties if place == 0 else []
        named = _called(relation.name)
        if place == 0 and relation.name in shape.names and not named:
            named = f"  // {shape.names[relation.name]}"
        write = _connection_writer(
            relation, item, shown, f"{named}  {_number(item)}{_back(relation, item, shape)}{told}"
        )
        yield _Row(item.times, (relation.name, *item.subject, *item.object), write, f"[:{_plain(relation.name)}]")


def _connection_writer(
    relation: Relation, item: Connection, properties: Sequence[Property], told: str
) -> Callable[[Keep], str]:
    def write(keep: Keep) -> str:
        arrow = f"-[:{_plain(relation.name)}{_braces(properties, relation.relationships, keep)}]->"
        said = _of_properties(properties, keep)
        return f"({_pattern(item.subject)}){arrow}({_pattern(item.object)}){told}{said}"

    return write


def _back(relation: Relation, item: Connection, shape: Shape) -> str:
    """Whether relationships between nodes of one kind are stored one way, both ways, or mean the same both ways; of a
    code what both ends share."""
    if relation.back is None or not {*item.subject} & {*item.object}:
        return ""
    shared = f", both have {relation.shared}" if relation.shared else ""
    return _ways(relation, shape) + shared


def _ways(relation: Relation, shape: Shape) -> str:
    if relation.back is None:
        return ""
    if relation.back >= ALWAYS:
        return ", stored both ways"
    if reciprocal(shape.names.get(relation.name, relation.name)):
        return ", means the same both ways"
    return ", one way" if relation.back <= NEVER else f", {relation.back:.0%} have one back"


def _pattern(labels: Sequence[str]) -> str:
    return "".join(f":{_plain(label)}" for label in labels)


def _plain(name: str) -> str:
    return name if name.isidentifier() else quote(name)


def _braces(properties: Sequence[Property], size: int, keep: Keep) -> str:
    parts = [part for item in properties if (part := keep(item, size))]
    return f" {{{', '.join(parts)}}}" if parts else ""


def few_values(item: Property, *, most: int = FEW, longest: int = LONGEST_VALUES) -> tuple[str, ...]:
    """All values of a property, where they are at most `most` and have `longest` characters together; nothing else. Of
    a large graph they are those of a sample."""
    values = item.examples
    if not 0 < len(values) <= min(most, EXAMPLES - 1) or len(values) < item.different or "LIST" in item.type:
        return ()
    texts = "STRING" in item.type
    kinds = item.times >= REPEATED * len(values) or (item.times <= TINY and texts)
    if not texts and len(values) > FEW_NUMBERS:
        return ()
    short = sum(map(len, values)) <= longest and max(map(len, values)) < CUT_EXAMPLE
    return values if kinds and short and item.type != "BOOLEAN" else ()


def _with_more_values(item: Property, size: int) -> str:
    return _with_values(item, size, most=MORE, longest=LONGEST_MORE)


def _with_values(item: Property, size: int, *, most: int = FEW, longest: int = LONGEST_VALUES) -> str:
    values = few_values(item, most=most, longest=longest)
    if not values:
        return _with_example(item, size)
    more = ["…"] if item.share * size > item.times + 1 else []
    return f"{_plain(item.key)}: {_typed(item)} {' | '.join([*(_written(item, value) for value in values), *more])}"


def _with_example(item: Property, _: int = 0) -> str:
    example = next((text for text in item.examples if len(text) <= LONGEST_EXAMPLE), None)
    if example is None:
        told = f" of about {item.length:.0f} characters" if item.examples and item.type == "STRING" else ""
    else:
        told = f" e.g. {_written(item, example)}" if item.type != "BOOLEAN" else ""
    return f"{_plain(item.key)}: {_typed(item)}{told}"


def _written(item: Property, text: str) -> str:
    """A value as it is written in a query: texts in quotes."""
    return json.dumps(text, ensure_ascii=False) if "STRING" in item.type else text


def _typed(item: Property) -> str:
    """The type of a property, and the form in which its texts are dates or numbers."""
    form = kind_of(item)[1] if item.type == "STRING" else ""
    return f"{item.type} (form {form})" if form else item.type


def _with_type(item: Property, _: int) -> str:
    return f"{_plain(item.key)}: {_typed(item)}"


def _key_only(item: Property, _: int) -> str:
    return _plain(item.key)


def _of_properties(properties: Sequence[Property], keep: Keep) -> str:
    """What people call properties and their values, and what these are, as a comment behind the row."""
    if keep is _nothing:
        return ""
    told = [text for item in properties if (text := _said_of(item))]
    return f"  // {'; '.join(told)}" if told else ""


def _said_of(item: Property) -> str:
    name = item.key
    words = [name.said] if isinstance(name, Called) and name.said != name else []
    words += [f"in {item.unit}"] if item.unit else []
    words += [name.description] if isinstance(name, Called) and name.description else []
    values = [f"{value} = {' or '.join(said)}" for value, said in item.said if said]
    words += [f"({', '.join(values)})"] if values else []
    return f"{_plain(name)}: {' '.join(words)}" if words else ""


def _nothing(item: Property, _: int) -> None:  # noqa: ARG001
    return None


DETAILS: tuple[Keep, ...] = (_with_more_values, _with_values, _with_example, _with_type, _key_only, _nothing)
