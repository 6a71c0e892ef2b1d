"""Attaching to a graph that was there before kgneo: its shape, derived from its schema.

For each label the property that names its nodes is found: one called name, title or label, a given and a family name
together, one whose name ends so (`fullName`), or a text that no two nodes share; `Choices.display` sets it.
Relationships and short property values become triples; long texts, bytes and vectors do not.
`Choices.include` and `Choices.exclude` take labels, relationship types and properties (`key`, or `Owner.key` for those
of one label or type).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kgneo.english.names import called, name_words
from kgneo.english.words import IDENTIFYING
from kgneo.errors import UsageError
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.layouts import Layout, layout_of, named_by, umbrellas_of
from kgneo.graph.periods import period_of
from kgneo.graph.schema import LONGEST_LIST, Label, Property, Relation, Schema
from kgneo.graph.shape import LOADED, LOADED_LABEL, Shape
from kgneo.graph.spelt_out import spelt_out
from kgneo.graph.told import told_types
from kgneo.graph.values import LONGEST_TEXT

_OPAQUE = re.compile(r"(?=.*\d)[0-9a-f-]{16,}", re.IGNORECASE)
Owner = TypeVar("Owner", Label, Relation)
LONGEST_NAME = 100
"""Mean characters above which a text is a description, not a name."""
RARE = 0.5
"""Share of a label's nodes that must have a property for it to be their name."""
MOSTLY_DIFFERENT = 0.7
"""Share of different values above which a property like `shipName` may be its node's own name, not another thing's."""
NAMES = ("name", "title", "label")
GIVEN = ("firstname", "givenname", "forename")
FAMILY = ("lastname", "familyname", "surname")
SHORT_PARTS = {"first": GIVEN, "fname": GIVEN, "last": FAMILY, "lname": FAMILY}
"""Short spellings of the two parts of a person's name, which count as a whole key only."""
TOGETHER = 5.6
"""Rate of given and family name together: over a title (which may be that of a job), under a name."""
TYPES = ("STRING", "INTEGER", "FLOAT", "BOOLEAN", "DATE", "LOCAL", "ZONED", "DURATION", "POINT")


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user said about a graph: names of labels' display properties (several joined by "+"), what to use and
    what to leave out."""

    display: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.display or self.include or self.exclude)


def is_loaded(graph: Graph) -> bool:
    """Whether kgneo loaded this graph: entities are found by the constraint that loading makes."""
    return bool(graph.read(query("load_check")))


def derive_shape(schema: Schema, choices: Choices | None = None) -> Shape:
    """The shape that follows from `schema` and the user's `choices`.

    Raises UsageError for a choice that names nothing in the graph.
    """
    chosen = choices or Choices()
    check(schema, chosen)
    used = _Used(schema, chosen)
    labels = [label for label in schema.labels if used.label(label.name)]
    relations = [relation for relation in schema.relations if used.relation(relation)]
    layout = layout_of(schema)
    display = _display(layout, [used.visible(label) for label in labels], chosen.display)
    codes = {relation.name: name for relation in relations if (name := _readable(used.visible(relation)))}
    names = codes | dict(layout.names if layout else {}) | names_called(schema)
    return Shape(
        display=display,
        values={
            label.name: keys for label in labels if (keys := used.keys(label.name, label.properties, display=display))
        },
        details={
            relation.name: keys
            for relation in relations
            if (keys := used.keys(relation.name, relation.properties, display={}, constant=relation.name in codes))
        },
        relations=tuple(relation.name for relation in relations) if len(relations) < len(schema.relations) else None,
        excluded=tuple(label.name for label in schema.labels if not used.label(label.name)),
        hidden=_hidden_keys(schema, chosen.exclude),
        names=names,
        clashes=_clashes(labels, relations),
        umbrellas=umbrellas_of(layout.umbrellas if layout else (LOADED_LABEL,), schema),
        told=told_types(schema),
        facts=dict(layout.facts) if layout else {},
        periods={relation.name: pair for relation in relations if (pair := period_of(used.visible(relation)))},
        supersedes=layout.supersedes if layout else False,
        kind_key=layout.kind_key if layout else "",
        loaded=False,
    )


def _display(layout: Layout | None, labels: Sequence[Label], chosen: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The properties that name the nodes of each label: the chosen ones, those of the layout, else what looks like a
    name."""
    found: dict[str, tuple[str, ...]] = {}
    for label in labels:
        named = layout and label.name not in chosen and named_by(layout, label)
        keys = (named,) if named else display_of(label, chosen)
        found |= {label.name: keys} if keys else {}
    return found


def renewed(shape: Shape, schema: Schema) -> Shape:
    """`shape` with what follows from the schema alone, of which an index that was made before may know less."""
    now = derive_shape(schema)
    fields = ("umbrellas", "told", "facts", "periods", "supersedes", "kind_key")
    return replace(shape, **{name: getattr(now, name) for name in fields})


def narrowed(shape: Shape, schema: Schema, exclude: Iterable[str]) -> Shape:
    """`shape` without what is to be left out, too: for what was chosen after a graph was indexed."""
    names = frozenset(exclude)
    keys = tuple(sorted({*shape.hidden, *_hidden_keys(schema, names)}))
    hidden = replace(shape, hidden=keys).left_out
    types = [relation.name for relation in schema.relations if shape.uses(relation.name)]
    relations = tuple(name for name in types if name not in names)

    def kept(owned: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
        return {
            owner: {key: share for key, share in each.items() if not hidden.hides(key, (owner,))}
            for owner, each in owned.items()
            if owner not in names
        }

    return replace(
        shape,
        display={
            label: left
            for label, each in shape.display.items()
            if label not in names and (left := tuple(key for key in each if not hidden.hides(key, (label,))))
        },
        values=kept(shape.values),
        details=kept(shape.details),
        relations=relations if len(relations) < len(types) else shape.relations,
        excluded=tuple(sorted({*shape.excluded, *(label.name for label in schema.labels if label.name in names)})),
        hidden=keys,
    )


def only_shown(shape: Shape, shown: Schema) -> Shape:
    """`shape` with no more properties than `shown` has, the schema without what the shape leaves out: others are those
    of hidden nodes, which may have labels besides that are shown."""
    every: list[Label | Relation] = [*shown.labels, *shown.relations]
    known = {owner.name: {item.key for item in owner.properties} for owner in every}

    def kept(owned: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
        return {
            owner: {key: share for key, share in each.items() if key in known[owner]}
            for owner, each in owned.items()
            if owner in known
        }

    display = {label: each for label, each in shape.display.items() if known.get(label, set()) >= {*each}}
    return replace(shape, display=display, values=kept(shape.values), details=kept(shape.details))


def _hidden_keys(schema: Schema, exclude: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that are, or may come to be, properties: a label or a type may be called as one, too."""
    every: list[Label | Relation] = [*schema.labels, *schema.relations]
    owners = {owner.name for owner in every}
    keys = {item.key for owner in every for item in owner.properties}
    return tuple(sorted(name for name in exclude if name in keys or name not in owners))


def _clashes(labels: Iterable[Label], relations: Iterable[Relation]) -> tuple[str, ...]:
    types = {relation.name for relation in relations}
    return tuple(sorted({item.key for label in labels for item in label.properties} & types))


def loaded_shape(relations: Iterable[Relation]) -> Shape:
    """The shape of a graph that kgneo loaded: `LOADED`, with readable names where relations are spelt as codes."""
    every = tuple(relations)
    names = {relation.name: name for relation in every if (name := _readable(relation))}
    names |= names_called(spelt_out(Schema(0, 0, relations=every)))
    return Shape(names=names) if names else LOADED


def names_called(schema: Schema) -> dict[str, str]:
    """What people call labels, relationship types and properties, where terms say that; of properties of the same name
    that are called otherwise, nothing."""
    found: dict[str, str] = {}
    unlike: set[str] = set()
    every: list[Label | Relation] = [*schema.labels, *schema.relations]
    for owner in every:
        for item in owner.properties:
            if found.setdefault(item.key, called(item.key)) != called(item.key):
                unlike.add(item.key)
    found = {key: said for key, said in found.items() if key not in unlike}
    found |= {owner.name: called(owner.name) for owner in every}
    return {str(name): said for name, said in found.items() if said != name}


class _Used:
    """What the choices leave of a schema."""

    def __init__(self, schema: Schema, choices: Choices) -> None:
        labels = {label.name for label in schema.labels}
        relations = {relation.name for relation in schema.relations}
        self._exclude = set(choices.exclude)
        layout = layout_of(schema)
        self._plumbing = set(layout.plumbing) - set(choices.include) if layout else set[str]()
        self._telling = {item.stands_in for item in schema.relations}
        self._labels = labels & set(choices.include) or labels
        self._relations = relations & set(choices.include) or relations
        self._properties = set(choices.include) - labels - relations

    def label(self, name: str) -> bool:
        return name in self._labels and name not in self._exclude

    def relation(self, relation: Relation) -> bool:
        """Whether a type is used: one that is told, where the one that tells it is."""
        name = relation.stands_in[0] if relation.stands_in else relation.name
        return name in self._relations and name not in self._exclude

    def visible(self, owner: Owner) -> Owner:
        """A label or a relationship type without the properties that are left out."""
        shown = (item for item in owner.properties if not self._is_excluded(owner.name, item))
        return replace(owner, properties=tuple(shown))

    def _is_excluded(self, owner: str, item: Property) -> bool:
        return bool({item.key, f"{owner}.{item.key}"} & self._exclude)

    def keys(
        self,
        owner: str,
        properties: Iterable[Property],
        *,
        display: Mapping[str, tuple[str, ...]],
        constant: bool = False,
    ) -> dict[str, float]:
        """The keys of `owner` whose values are triples, with the share of nodes or relationships that have them."""
        return {
            item.key: item.share
            for item in properties
            if self._key(owner, item) and display.get(owner) != (item.key,) and not (constant and _is_constant(item))
        }

    def _key(self, owner: str, item: Property) -> bool:
        if self._is_excluded(owner, item):
            return False
        if self._properties:
            return bool({item.key, f"{owner}.{item.key}"} & self._properties)
        return is_value(item) and item.key not in self._plumbing and (owner, item.key) not in self._telling


def is_value(item: Property) -> bool:
    """Whether a property's values are short enough, and of a type, to be the answer to a question."""
    inner = item.type.removeprefix("LIST<").removesuffix(">")
    if item.type.startswith("LIST") and item.longest > LONGEST_LIST:
        return False
    if item.type == "STRING" and item.length > LONGEST_TEXT:
        return False
    return inner.startswith(TYPES)


def display_of(label: Label, chosen: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The properties that name the nodes of `label`: the chosen ones, else those most like a name; none, where
    nothing is."""
    if chosen and label.name in chosen:
        return _parts(chosen[label.name], {item.key for item in label.properties})
    rated: list[tuple[float, tuple[str, ...]]]
    rated = [(rate, (item.key,)) for item in label.properties if (rate := _rate(item, label.name))]
    if together := _given_and_family(label):
        rated.append((TOGETHER + 1.0 + min(item.share for item in together), tuple(item.key for item in together)))
    return min(rated, key=lambda row: (-row[0], len(row[1][0]), row[1]))[1] if rated else ()


def _parts(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """The keys of "firstName+lastName"; a key that itself has a "+" is one."""
    return (text,) if text in known else tuple(text.split("+"))


def _given_and_family(label: Label) -> tuple[Property, ...]:
    """The two properties that hold a person's name, given name first; nothing, where there are not both."""
    found: dict[tuple[str, ...], Property] = {}
    for item in label.properties:
        key = _plain(item.key)
        for ends in (GIVEN, FAMILY):
            if item.type == "STRING" and item.share >= RARE and (key.endswith(ends) or SHORT_PARTS.get(key) == ends):
                found.setdefault(ends, item)
    return (found[GIVEN], found[FAMILY]) if len(found) == 2 else ()


def is_name(key: str) -> bool:
    """Whether a property is a name, or a part of one, by its key."""
    return _plain(key).endswith((*NAMES, *GIVEN, *FAMILY)) or _plain(key) in SHORT_PARTS


def _plain(key: str) -> str:
    return called(key).lower().replace("_", "").replace(" ", "")


def _rate(item: Property, label: str) -> float:
    """How much a property looks like its nodes' name; 0 for one that cannot be."""
    key = _plain(item.key)
    if _is_opaque(item):
        return 0.0
    if item.type == "STRING" and item.length <= LONGEST_NAME and item.share >= RARE:
        rate = 1.0 if item.unique else item.different / max(item.times, 1)
        if key in NAMES:
            rate += 6.0 - 0.5 * NAMES.index(key)
        elif key.endswith(NAMES) and key.startswith(("full", "display", _plain(label))):
            rate += 6.0 if key.startswith("full") else 4.5
        elif key == _plain(label):
            rate += 5.0
        elif key.endswith(NAMES) and rate >= MOSTLY_DIFFERENT:
            rate += 4.5 if _is_of_label(item.key, label) else 4.0
        elif not item.unique:
            return 0.0
        elif _identifies(key, _plain(label)):
            rate += 0.5
        elif key.endswith(("id", "uri", "url", "key", "hash", "email", "phone")):
            rate -= 0.5
        return rate + item.share
    number = item.type == "INTEGER" and item.unique and item.share >= RARE
    return 0.2 if number and key.endswith(("id", "number", "no", "code", "key")) else 0.0


def _identifies(key: str, label: str) -> bool:
    """Whether a text is one by which people tell nodes of a label apart, before others that are there once: the
    `orderID` of an order, a `code`."""
    own = key.startswith(label) and key.removeprefix(label) in IDENTIFYING
    return own or key in IDENTIFYING - {"id", "identifier", "key"}


def _is_of_label(key: str, label: str) -> bool:
    """Whether a key such as `festivalName` has nothing but words of its label, FestivalDetail, before its last one."""
    before = name_words(key)[:-1]
    return bool(before) and {*before} <= {*name_words(label)}


def _is_opaque(item: Property) -> bool:
    """Whether the values are keys that only a machine reads: long runs of hexadecimal digits, as of a digest or a
    UUID."""
    return bool(item.examples) and all(_OPAQUE.fullmatch(text) for text in item.examples)


def _readable(relation: Relation) -> str | None:
    """A readable name for a relationship type that is a code, where every relationship says the same one."""
    for key in ("label", "name", "title"):
        for item in relation.properties:
            if item.key == key and _is_constant(item) and item.examples:
                return item.examples[0]
    return None


def _is_constant(item: Property) -> bool:
    return item.type == "STRING" and item.different == 1 and item.share == 1.0 and item.key in NAMES


def check(schema: Schema, choices: Choices) -> None:
    """Raises UsageError for a label, type or property that the graph does not have, with the nearest names."""
    labels = {label.name: {item.key for item in label.properties} for label in schema.labels}
    relations = {item.name: {each.key for each in item.properties} for item in schema.relations if not item.stands_in}
    for label, key in choices.display.items():
        if label not in labels:
            _unknown("label", label, labels)
        for part in _parts(key, labels[label]):
            if part not in labels[label]:
                _unknown(f"property of {label}", part, labels[label])
            if {part, f"{label}.{part}"} & set(choices.exclude):
                raise UsageError(
                    f"{label}.{part} is to name nodes and to be left out.",
                    hint=f"Name another property by --display {label}=…, or leave {part} in.",
                )
    owners = {**labels, **relations}
    known = set(owners) | {key for keys in owners.values() for key in keys}
    known |= {f"{owner}.{key}" for owner, keys in owners.items() for key in keys}
    for name in (*choices.include, *choices.exclude):
        if name not in known:
            _unknown("label, relationship type or property", name, known)


def _unknown(what: str, name: str, known: Iterable[str]) -> None:
    near: Sequence[str] = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`kgneo schema` shows what there is."
    raise UsageError(f"The graph has no {what} {name!r}.", hint=hint)
