"""A schema as text: a table for people, or lines short enough for a prompt.

The prompt form is Cypher patterns with counts, most frequent first. Where it would be longer than allowed, examples
go first, then property types, then properties, then the rarest labels and types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kgneo.graph.connections import Connection
from kgneo.graph.schema import Label, Property, Relation, Schema
from kgneo.graph.shape import Shape
from kgneo.query.quoting import quote

CHARACTERS = 4
"""Characters that a token has on average in such text; few tokenizers need more tokens than this says."""
SHOWN_EXAMPLES = 3


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
        lines.append(f"  {relation.name}{named}  {relation.relationships:,}")
        lines += [f"    {_ends(item)}  {_number(item)}" for item in _connections(relation)]
        used = shape.details.get(relation.name, {})
        lines += [_property_line(item, (), used) for item in relation.properties]
    if left_out:
        lines += ["", "Left out", *(f"  {name}" for name in left_out)]
    return "\n".join(lines)


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


Keep = Callable[[Property], str | None]


def prompt_text(schema: Schema, shape: Shape, *, tokens: int) -> str:
    """The schema in at most about `tokens` tokens."""
    limit = tokens * CHARACTERS
    text = ""
    for keep in (_with_example, _with_type, _key_only, _nothing):
        lines = _lines(schema, shape, keep)
        text = "\n".join(lines)
        if len(text) <= limit:
            return text
    kept: list[str] = []
    room = limit - 40
    for line in text.splitlines():
        if room < len(line) + 1:
            break
        kept.append(line)
        room -= len(line) + 1
    left = len(text.splitlines()) - len(kept)
    return "\n".join([*kept, f"… and {left} more labels and types"])


def _lines(schema: Schema, shape: Shape, keep: Keep) -> list[str]:
    labels = [label for label in schema.labels if label.name not in shape.excluded]
    relations = [relation for relation in schema.relations if shape.uses(relation.name)]
    rows = [(label.nodes, f"{_label_line(label, shape, keep)}  {label.nodes:,}") for label in labels]
    rows += [row for relation in relations for row in _relation_lines(relation, shape, keep)]
    rows.sort(key=lambda row: -row[0])
    return [line for _, line in rows]


def _label_line(label: Label, shape: Shape, keep: Keep) -> str:
    used = {*shape.display.get(label.name, ()), *shape.values.get(label.name, ())}
    properties = _braces([item for item in label.properties if item.key in used], keep)
    return f"(:{_plain(label.name)}{properties})"


def _relation_lines(relation: Relation, shape: Shape, keep: Keep) -> list[tuple[int, str]]:
    """A line for each connection, with its number; details stand with the most frequent one."""
    used = shape.details.get(relation.name, ())
    properties = _braces([item for item in relation.properties if item.key in used], keep)
    named = f"  // {shape.names[relation.name]}" if relation.name in shape.names else ""
    lines = []
    for item in _connections(relation) or [Connection((), (), relation.relationships)]:
        arrow = f"-[:{_plain(relation.name)}{properties}]->"
        lines.append(
            (item.times, f"({_pattern(item.subject)}){arrow}({_pattern(item.object)}){named}  {_number(item)}")
        )
        properties = named = ""
    return lines


def _pattern(labels: Sequence[str]) -> str:
    return "".join(f":{_plain(label)}" for label in labels)


def _plain(name: str) -> str:
    return name if name.isidentifier() else quote(name)


def _braces(properties: Sequence[Property], keep: Keep) -> str:
    parts = [part for item in properties if (part := keep(item))]
    return f" {{{', '.join(parts)}}}" if parts else ""


def _with_example(item: Property) -> str:
    example = f" e.g. {item.examples[0][:30]}" if item.examples else ""
    return f"{_plain(item.key)}: {item.type}{example}"


def _with_type(item: Property) -> str:
    return f"{_plain(item.key)}: {item.type}"


def _key_only(item: Property) -> str:
    return _plain(item.key)


def _nothing(item: Property) -> None:  # noqa: ARG001
    return None
