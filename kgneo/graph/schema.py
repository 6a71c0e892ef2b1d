"""What is in a graph: labels, relationship types, their properties with types and examples, what connects what.

Properties come from a thousand nodes of each label and relationships of each type, which are spread over all of them.
What there is to look at is found in one of two ways:

- In a graph of up to `WHOLE_UP_TO` nodes and relationships two queries go through all of them (`_Whole`). They are the
  same for every graph, and planning a query for each label takes longer than this. What is read is some of each group
  with the same labels and keys, so that no key is missed and shares are exact: there is nothing left to find out.
- In a larger one sizes come from Neo4j's own counters, nodes and relationships from queries for each label and type,
  connections as `kgneo.graph.connections` says (`_Sampled`), so that a graph of any size takes seconds.

`Schema.sampled` says whether there was more. `scan` then looks at everything there is: which keys and which connections
there are, and how many of each. Needs no APOC and no GDS. What kgneo itself wrote into the graph is left out.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from statistics import median
from typing import Any

from kgneo.english.names import is_code
from kgneo.errors import GraphTimeout
from kgneo.graph.connection import Graph
from kgneo.graph.connections import WALKED, Connection, Ends, Pair, counted_whole, counts, kept, own_labels
from kgneo.graph.cypher import fill, query
from kgneo.graph.shape import Shape, is_own
from kgneo.graph.values import texts

SAMPLE = 1_000
WHOLE_UP_TO = 300_000
"""Nodes and relationships together up to which all are gone through."""
LEAST_OF_GROUP = 10
"""Nodes with the same labels, or relationships between such, that are looked at however few of all they are."""
READ_AT_ONCE = 10_000
"""Ids that are read with one query."""
OF_LABEL = ("schema_label_few", "schema_label_ids", "schema_label_spread")
OF_RELATION = ("schema_relation_few", "schema_relation_ids", "schema_relation_spread")
"""The queries that find the ids of all where there are few, of the first and the last else, and read what has an id."""
TRIES = 4
"""Ids that are tried for each node or relationship that is wanted between the first and the last."""
GOLDEN = 0.6180339887498949
EXAMPLES = 40
LONGEST_LIST = 16
"""Elements of a list from which on it is taken for a vector or a document, not a value."""
DEADLINE = 60.0
"""Seconds after which what is left is listed without properties."""
BACK_SECONDS = 5.0
"""How long it may take to look whether relationships of a type are stored both ways."""
PAIRS, FEW_PAIRS, NEIGHBOURS = 40, 5, 50
"""Pairs of ends that are looked at to explain a type whose name is a code, and how many it needs at least; neighbours
of each."""
NEARLY_ALL, BY_CHANCE = 0.9, 0.2
"""Share of the pairs that must have something in common for it to explain the type, and of other pairs that may."""
SCAN_SECONDS = 3_600.0
"""How long looking at all nodes, or at all relationships of one type, may take."""


WHOLE = Shape(loaded=False)
"""Of a graph of which nothing is left out."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property key: its `type` in Cypher's words, the `share` (0..1) of the sample that has it, the usual `length` of
    texts and lists (their median: one long text among names changes nothing) and that of the longest, `different` texts
    or integers among `times`, and examples as text; what people say for values (`said`) and the unit that its numbers
    are given in, where terms tell."""

    key: str
    type: str
    share: float
    times: int
    length: float = 0.0
    longest: int = 0
    different: int = 0
    examples: tuple[str, ...] = ()
    said: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unit: str = ""

    @property
    def unique(self) -> bool:
        """Whether no two nodes of the sample share a value."""
        return self.times > 1 and self.different == self.times


@dataclass(frozen=True, slots=True)
class Label:
    """A label with the number of its nodes and their properties."""

    name: str
    nodes: int
    properties: tuple[Property, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A relationship type with the number of its relationships, their properties and what they connect. `back`: of
    those between two nodes of one kind the share (0..1), among some, beside which there is one back; None for a type
    that has none such. `shared` says what explains a type that is a code: what both its ends lead to, in words.
    `stands_in`: the type and its property that tell this one, where it is not stored as a type (`kgneo.query.told`)."""

    name: str
    relationships: int
    properties: tuple[Property, ...] = ()
    connections: tuple[Connection, ...] = ()
    back: float | None = None
    shared: str = ""
    stands_in: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """A graph's schema. `sampled`: there was more than the sample of some label or type. `scanned`: everything was
    looked at besides, so that no key and no connection is missing; examples and lengths are those of the sample."""

    nodes: int
    relationships: int
    labels: tuple[Label, ...] = ()
    relations: tuple[Relation, ...] = ()
    sampled: bool = False
    complete: bool = field(default=True)
    """False when the deadline came before every label and type was looked at."""
    scanned: bool = False

    @property
    def whole(self) -> bool:
        """Whether there is nothing more to find out."""
        return self.scanned or not self.sampled

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, as `kgneo schema --json` prints them."""
        return asdict(self)

    def to_json(self) -> str:
        """As text, for the cache."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """The inverse of `to_json`."""
        record = json.loads(text)
        labels = tuple(
            Label(item["name"], item["nodes"], _properties_from(item["properties"])) for item in record.pop("labels")
        )
        relations = tuple(
            Relation(
                item["name"],
                item["relationships"],
                _properties_from(item["properties"]),
                tuple(
                    Connection(tuple(end["subject"]), tuple(end["object"]), end["times"], end["exact"])
                    for end in item["connections"]
                ),
                item["back"],
                item.get("shared", ""),
                tuple(item["stands_in"]) if item.get("stands_in") else None,
            )
            for item in record.pop("relations")
        )
        return cls(labels=labels, relations=relations, **record)


def _properties_from(records: Iterable[dict[str, Any]]) -> tuple[Property, ...]:
    return tuple(Property(**{**record, "examples": tuple(record["examples"]), "said": ()}) for record in records)


def read_signature(graph: Graph) -> tuple[tuple[str, ...], tuple[str, ...], int, int]:
    """Labels, relationship types, number of nodes and of relationships: what a change of the schema shows in."""
    row = graph.read(query("schema_counts"))[0]
    labels = tuple(sorted(label for label in row["labels"] if not is_own(label)))
    return labels, tuple(sorted(row["relations"])), int(row["nodes"]), int(row["relationships"])


def read_schema(
    graph: Graph,
    *,
    before: Schema | None = None,
    sample: int = SAMPLE,
    deadline: float = DEADLINE,
    shape: Shape = WHOLE,
    report: Callable[[str], None] = lambda _: None,
) -> Schema:
    """The schema of `graph`, from about `sample` nodes of each label and relationships of each type at most; without
    what `shape` leaves out, neither by name nor in an example. Of what was known `before`, the keys and connections
    that these lack are taken to be there still."""
    label_names, relation_names, nodes, relationships = read_signature(graph)
    relation_names = tuple(name for name in relation_names if shape.uses(name))
    if len(label_names) + len(relation_names) > 50:
        report(f"Reading {len(label_names)} labels and {len(relation_names)} relationship types …")
    ends_at = time.monotonic() + deadline
    labels, relations, exact = _looked_at(
        graph, sample, ends_at, shape, label_names, relation_names, nodes + relationships
    )
    sizes = [item.nodes for item in labels] + [item.relationships for item in relations]
    found = Schema(
        nodes=nodes,
        relationships=relationships,
        labels=tuple(labels),
        relations=tuple(relations),
        sampled=any(size > sample for size in sizes),
        complete=time.monotonic() < ends_at,
        scanned=exact,
    )
    return found if found.whole or not before else _with_earlier(found, before)


def _looked_at(
    graph: Graph,
    sample: int,
    ends_at: float,
    shape: Shape,
    label_names: Sequence[str],
    relation_names: Sequence[str],
    size: int,
) -> tuple[list[Label], list[Relation], bool]:
    """The labels and the types of a graph of `size` nodes and relationships: all of it, where that is not too much or
    takes too long, else a part; and whether no key and no connection can be missing."""
    if size <= WHOLE_UP_TO:
        try:
            whole = _Whole(graph, sample, ends_at, shape)
            return whole.labels(label_names), whole.relations(relation_names), whole.exact
        except GraphTimeout:
            pass  # a server that has much else to do
    look = _Sampled(graph, sample, ends_at, shape)
    return look.labels(label_names), look.relations(relation_names, Ends(graph, look.nodes, ends_at)), False


def read_relations(graph: Graph, *, sample: int = SAMPLE) -> tuple[Relation, ...]:
    """Only the relationship types of `graph` and their properties, from about `sample` relationships each."""
    look = _Sampled(graph, sample, time.monotonic() + DEADLINE, WHOLE)
    return tuple(look.relations(read_signature(graph)[1], None))


Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Group:
    """Nodes with the same labels and keys, or relationships of a type with the same keys between nodes with the same
    labels: the names (labels, or the type) that they are looked at for, the keys, how many there are, and the ids of
    some, which are spread over all."""

    names: tuple[str, ...]
    keys: frozenset[str]
    found: int
    ids: Sequence[str]
    ends: Pair = ((), ())

    @property
    def of_one_kind(self) -> bool:
        """Whether both ends of relationships have a label in common."""
        return bool({*self.ends[0]} & {*self.ends[1]})

    def some(self, sample: int, sizes: Mapping[str, int], groups: Mapping[str, int]) -> _Group:
        """With so few ids that all groups of one name have `sample` together, and a few at least."""
        most = max(sample * self.found / sizes[name] for name in self.names)
        least = max(min(LEAST_OF_GROUP, *(sample // groups[name] for name in self.names)), 1)
        number = min(max(math.ceil(most), least), len(self.ids))
        return replace(self, ids=[self.ids[place * len(self.ids) // number] for place in range(number)])


def _keys(row: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(key for key in row["keys"] if not is_own(key))


def _grouped(groups: Iterable[_Group]) -> list[_Group]:
    """One group for all that have the same names, ends and keys; the server tells keys in other orders apart."""
    found: dict[Hashable, _Group] = {}
    for group in groups:
        what = group.names, group.ends, group.keys
        other = found.get(what)
        found[what] = replace(group, found=group.found + other.found, ids=[*other.ids, *group.ids]) if other else group
    return list(found.values())


def _fewer(groups: Iterable[_Group], most: int) -> list[_Group]:
    """The `most` largest groups of each names and ends, and of the others those with a key that no larger one has. What
    is left out is counted to the largest."""
    seen: dict[Hashable, set[str]] = defaultdict(set)
    taken: dict[Hashable, list[_Group]] = defaultdict(list)
    for group in sorted(groups, key=lambda item: -item.found):
        what = group.names, group.ends
        if len(taken[what]) < most or not group.keys <= seen[what]:
            taken[what].append(group)
            seen[what] |= group.keys
        else:
            taken[what][0] = replace(taken[what][0], found=taken[what][0].found + group.found)
    return [group for some in taken.values() for group in some]


@dataclass
class _Whole:
    """A look at all nodes and all relationships by two queries that are the same for every graph, and at the properties
    of some of each group. What `shape` leaves out is not seen. Raises GraphTimeout after `ends_at`."""

    graph: Graph
    sample: int
    ends_at: float
    shape: Shape
    exact: bool = True
    """Whether all groups of labels and keys were looked at so far."""

    def labels(self, names: Sequence[str]) -> list[Label]:
        """The labels of these names that nodes have."""
        groups = [
            _Group(
                tuple(sorted(label for label in row["labels"] if label in names)),
                _keys(row),
                row["found"],
                row["ids"],
            )
            for row in self._read(query("schema_nodes_whole"), sample=self.sample)
            if not _is_hidden(row["labels"], self.shape)
        ]
        sizes, groups = self._some([group for group in groups if group.names])
        rows = self._rows(OF_LABEL[-1], groups)
        return [Label(name, sizes[name], _properties(_shown(rows[name], self.shape))) for name in names if sizes[name]]

    def relations(self, names: Sequence[str]) -> list[Relation]:
        """The types of these names, with what they connect."""
        sizes, groups = self._some(
            [
                _Group(
                    (row["relation"],),
                    _keys(row),
                    row["found"],
                    row["ids"],
                    (own_labels(subject), own_labels(target)),
                )
                for row in self._read(query("schema_relations_whole"), sample=self.sample)
                if row["relation"] in names
                and not _is_hidden((*(subject := row["subject"]), *(target := row["object"])), self.shape)
            ]
        )
        rows, back = self._rows(OF_RELATION[-1], groups), self._back(groups)
        pairs: dict[str, Counter[Pair]] = defaultdict(Counter)
        for group in groups:
            pairs[group.names[0]][group.ends] += group.found
        connections = {name: kept(pairs[name], exact=True) for name in names if sizes[name]}
        return [
            Relation(
                name,
                sizes[name],
                _properties(_shown(rows[name], self.shape, relation=name)),
                found,
                back.get(name),
                _both_lead_to(self.graph, self.shape, name, found),
            )
            for name, found in connections.items()
        ]

    def _some(self, groups: Sequence[_Group]) -> tuple[Counter[str], list[_Group]]:
        """How many there are of each name, and the groups with the ids that are looked at."""
        sizes: Counter[str] = Counter()
        number: Counter[str] = Counter()
        for group in groups:
            sizes.update(dict.fromkeys(group.names, group.found))
        few = _fewer(every := _grouped(groups), self.sample)
        self.exact = self.exact and len(few) == len(every)
        for group in few:
            number.update(group.names)
        return sizes, [group.some(self.sample, sizes, number) for group in few]

    def _rows(self, file: str, groups: Sequence[_Group]) -> dict[str, list[dict[str, Any]]]:
        """What has the ids of the groups, by name, each with how many it stands for."""
        ids = [id_ for group in groups for id_ in group.ids]
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(ids), READ_AT_ONCE):
            part = ids[start : start + READ_AT_ONCE]
            rows = self._read(query(file), ids=part, name=None, sample=len(part), longest_list=LONGEST_LIST)
            found |= {row["id"]: row for row in rows}
        of: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for group in groups:
            weight = group.found / len(group.ids)
            for name in group.names:
                of[name] += [{**found[id_], "weight": weight} for id_ in group.ids if id_ in found]
        return of

    def _back(self, groups: Sequence[_Group]) -> dict[str, float]:
        """Of the relationships of each type between nodes of one kind the share beside which there is one back."""
        ids = [id_ for group in groups if group.of_one_kind for id_ in group.ids]
        try:
            rows = self._read(query("schema_back_of"), ids=ids, longest=BACK_SECONDS) if ids else []
        except GraphTimeout:
            return {}
        return {row["relation"]: _rounded(row["back"] / row["looked"]) for row in rows}

    def _read(self, text: str, *, longest: float = DEADLINE, **parameters: Any) -> Rows:
        left = max(self.ends_at - time.monotonic(), 0.1)
        return self.graph.read(text, timeout=min(left, longest), **parameters)


@dataclass
class _Sampled:
    """A look at the nodes of each label and the relationships of each type, until `ends_at`, of which what `shape`
    leaves out is not seen. `nodes` has the number of nodes of every label, once the labels were looked at."""

    graph: Graph
    sample: int
    ends_at: float
    shape: Shape
    nodes: dict[str, int] = field(default_factory=dict)

    def labels(self, names: Sequence[str]) -> list[Label]:
        self.nodes = self._sizes("schema_label_count", "label", names)
        sizes = {name: size for name, size in self.nodes.items() if name not in self.shape.excluded}
        rows = {name: self._rows(OF_LABEL, size, label=name) for name, size in sizes.items()}
        found = [
            Label(name, self._number(size, rows[name]), _properties(rows[name], self._shared(name, sizes, rows)))
            for name, size in sizes.items()
        ]
        return [label for label in found if label.nodes]

    def relations(self, names: Sequence[str], ends: Ends | None) -> list[Relation]:
        """The types; with what they connect where `ends` are given."""
        sizes = self._sizes("schema_relation_count", "relation", names)
        found = [self._relation(name, size, ends) for name, size in sizes.items()]
        return [relation for relation in found if relation.relationships]

    def _relation(self, name: str, size: int, ends: Ends | None) -> Relation:
        rows = self._rows(OF_RELATION, size, relation=name)
        pairs = [(own_labels(row["subject"]), own_labels(row["object"])) for row in rows]
        number = self._number(size, rows)
        connections = ends.connections(name, number, pairs) if ends and rows else ()
        shown = [item for item in connections if not _is_hidden((*item.subject, *item.object), self.shape)]
        back = self._back(name, shown)
        shared = _both_lead_to(self.graph, self.shape, name, shown) if self._in_time else ""
        return Relation(name, number, _properties(rows), tuple(shown), back, shared)

    def _back(self, name: str, connections: Iterable[Connection]) -> float | None:
        """Of the relationships of a type between nodes of one kind the share beside which there is one back."""
        if not self._in_time or not any({*item.subject} & {*item.object} for item in connections):
            return None
        try:
            [found] = self.graph.read(
                fill("schema_back", relation=name), sample=self.sample, walked=WALKED, timeout=BACK_SECONDS
            )
        except GraphTimeout:
            return None
        return _rounded(found["back"] / found["looked"]) if found["looked"] else None

    def _number(self, size: int, rows: Rows) -> int:
        """How many there are: where all were looked at, those that are seen."""
        return len(rows) if size <= self.sample and self._in_time else size

    @property
    def _in_time(self) -> bool:
        return time.monotonic() < self.ends_at

    def _sizes(self, file: str, what: str, names: Sequence[str]) -> dict[str, int]:
        found = counts(self.graph, [(file, {what: name}) for name in names])
        return {name: number for name, number in zip(names, found, strict=True) if number}

    def _rows(self, files: tuple[str, str, str], size: int, **name: str) -> Rows:
        if not self._in_time:
            return []
        few, ends_of, spread = files
        if size <= self.sample:
            [found] = self.graph.read(fill(few, **name), sample=self.sample)
            return self._of(spread, found["ids"], name)
        # Each of the first and of the last stands for itself, one of those between for many.
        [ends] = self.graph.read(fill(ends_of, **name), part=max(self.sample // 3, 1))
        ids = _spread(ends["first"], ends["last"])
        rows = self._of(spread, ids, name)
        own = {*ends["first"], *ends["last"]}
        between = sum(row["id"] not in own for row in rows)
        each = (size - len(own)) / between if between else 1.0
        return [{**row, "weight": 1.0 if row["id"] in own else each} for row in rows]

    def _of(self, file: str, ids: Sequence[str], name: dict[str, str]) -> list[dict[str, Any]]:
        """What is there of these ids. The query is without the name, so that it is planned once for all names, which
        takes longer than running it."""
        [value] = name.values()
        rows = self.graph.read(query(file), ids=ids, name=value, sample=self.sample, longest_list=LONGEST_LIST)
        return _shown(rows, self.shape, **name)

    def _shared(self, name: str, sizes: dict[str, int], rows: dict[str, Rows]) -> Iterator[_Shared]:
        """Nodes of a label that were looked at for another one, which they have besides, each with how many nodes of
        the label it stands for, as a share."""
        if sizes[name] <= self.sample:
            return
        for other in rows:
            for row in rows[other]:
                if other != name and name in row["labels"]:
                    yield row["id"], row.get("weight", 1.0) / sizes[name], row["properties"]


def _both_lead_to(graph: Graph, shape: Shape, name: str, connections: Sequence[Connection]) -> str:
    """Of a type whose name is a code, between nodes of one kind: what nearly all pairs of its ends share, and other
    pairs do not, such as "CURRENT_ADDRESS to the same Location" for KNOWS_LW."""
    if not is_code(name) or not any({*item.subject} & {*item.object} for item in connections):
        return ""
    bounds = {"sample": PAIRS, "walked": WALKED, "neighbours": NEIGHBOURS}
    try:
        rows = graph.read(fill("schema_shared", relation=name), **bounds, timeout=BACK_SECONDS)
    except GraphTimeout:
        return ""
    found = [
        (row["together"] - row["apart"], row["type"], row["forward"], labels)
        for row in rows
        if (labels := own_labels(row["labels"]))
        and shape.uses(row["type"])
        and not _is_hidden(labels, shape)
        and row["looked"] >= FEW_PAIRS
        and row["together"] >= NEARLY_ALL * row["looked"]
        and row["apart"] <= BY_CHANCE * row["looked"]
    ]
    if not found:
        return ""
    _, relation, forward, labels = max(found)
    return f"{relation} {'to' if forward else 'from'} the same {':'.join(labels)}"


def _shown(rows: Rows, shape: Shape, *, relation: str = "", label: str = "") -> list[dict[str, Any]]:  # noqa: ARG001
    """The rows of nodes, or of relationships of a type, that `shape` does not leave out, without the properties that it
    hides."""
    if not shape.left_out:
        return list(rows)
    found = []
    for row in rows:
        labels = row["labels"] if "labels" in row else [*row["subject"], *row["object"]]
        owners = [relation] if relation else labels
        if not _is_hidden(labels, shape):
            seen = [item for item in row["properties"] if not shape.left_out.hides(item[0], owners)]
            found.append({**row, "properties": seen})
    return found


def _is_hidden(labels: Iterable[str], shape: Shape) -> bool:
    return any(label in shape.excluded for label in labels)


def _spread(first: Sequence[str], last: Sequence[str]) -> list[str]:
    """The ids of the first and of the last, and some between them that may be there: a multiple of the golden ratio
    falls evenly on a range, and into step with nothing that repeats itself there."""
    begin, _, low = first[0].rpartition(":")
    size = int(last[0].rpartition(":")[2]) - int(low)
    between = (int(low) + int(number * GOLDEN % 1.0 * size) for number in range(1, TRIES * len(first) + 1))
    return list(dict.fromkeys([*first, *last, *(f"{begin}:{number}" for number in between)]))


_Entry = tuple[str, int, Any]
_Shared = tuple[str, float, Sequence[Sequence[Any]]]


def _properties(sampled: Rows, shared: Iterable[_Shared] = ()) -> tuple[Property, ...]:
    """One property a key; of several types the most frequent counts. Nodes that are `shared` tell of keys that those
    that were `sampled` lack."""
    found: dict[str, list[_Entry]] = defaultdict(list)
    weights: dict[str, float] = defaultdict(float)
    for row in sampled:
        for key, entry in _entries(row["properties"]):
            found[key].append(entry)
            weights[key] += row.get("weight", 1.0)
    size = sum(row.get("weight", 1.0) for row in sampled)
    shares = {key: 1.0 if len(found[key]) == len(sampled) else weights[key] / size for key in found}
    more: dict[str, list[_Entry]] = defaultdict(list)
    for _, share, properties in {item[0]: item for item in shared}.values():
        for key, entry in _entries(properties):
            if key not in found:
                more[key].append(entry)
                shares[key] = min(shares.get(key, 0.0) + share, 1.0)
    found |= more
    return tuple(_property(key, found[key], shares[key]) for key in sorted(found))


def _entries(properties: Sequence[Sequence[Any]]) -> Iterator[tuple[str, _Entry]]:
    return ((key, (type_, length or 0, value)) for key, type_, length, value in properties if not is_own(key))


def _property(key: str, entries: Sequence[_Entry], share: float) -> Property:
    type_ = Counter(entry[0] for entry in entries).most_common(1)[0][0]
    values = [entry[2] for entry in entries if entry[0] == type_]
    lengths = [entry[1] for entry in entries if entry[0] == type_]
    shown = dict.fromkeys(text[:80] for value in values for text in texts(value))
    return Property(
        key=key,
        type=_type(type_, values),
        share=_rounded(share),
        times=len(values),
        length=round(median(lengths), 1),
        longest=max(lengths),
        different=len({value for value in values if isinstance(value, str | int)}),
        examples=tuple(shown)[:EXAMPLES],
    )


def _rounded(share: float) -> float:
    """In three digits that count, of which none says "all" or "none" where there are others."""
    return min(float(f"{share:.3g}"), 1.0 if share >= 1 else 0.999)


def _type(name: str, examples: Sequence[Any]) -> str:
    if any(isinstance(value, bytes | bytearray) for value in examples):
        return "BYTES"
    return name.replace(" NOT NULL", "")


def _with_earlier(found: Schema, before: Schema) -> Schema:
    """`found` with the keys and connections that were known before and that its samples may have missed."""
    labels = {item.name: item for item in before.labels}
    relations = {item.name: item for item in before.relations}
    there = {label.name for label in found.labels}
    return replace(
        found,
        labels=tuple(
            replace(item, properties=_with_keys(item.properties, labels[item.name].properties))
            if item.nodes > SAMPLE and item.name in labels
            else item
            for item in found.labels
        ),
        relations=tuple(
            _with_connections(item, relations[item.name], there)
            if item.relationships > SAMPLE and item.name in relations and not item.stands_in
            else item
            for item in found.relations
        ),
    )


def _with_keys(found: Sequence[Property], earlier: Sequence[Property]) -> tuple[Property, ...]:
    properties = {item.key: item for item in (*earlier, *found)}
    return tuple(properties[key] for key in sorted(properties))


def _with_connections(found: Relation, earlier: Relation, labels: set[str]) -> Relation:
    relation = replace(found, properties=_with_keys(found.properties, earlier.properties))
    if all(item.exact for item in relation.connections):
        return relation
    known = {(item.subject, item.object) for item in relation.connections}
    more = [
        replace(item, exact=False)
        for item in earlier.connections
        if (item.subject, item.object) not in known and labels.issuperset((*item.subject, *item.object))
    ]
    return replace(relation, connections=(*relation.connections, *more))


OnScan = Callable[[int, int], None]


def scan(graph: Graph, schema: Schema, *, shape: Shape = WHOLE, on_progress: OnScan = lambda *_: None) -> Schema:
    """`schema`, which is without what `shape` leaves out, after a look at everything else: all keys and connections,
    and how many nodes and relationships have them.
    `on_progress` gets the nodes and relationships that were looked at, and how many there are. A type for which the
    time was not enough stays as it was."""
    done, total = 0, schema.nodes + schema.relationships
    on_progress(done, total)
    rows = graph.read(query("schema_nodes_all"), timeout=SCAN_SECONDS)
    rows = [row for row in rows if not _is_hidden(row["labels"], shape)]
    labels = tuple(_scanned_label(graph, label, rows, shape) for label in schema.labels)
    relations, missed = [], False
    done += schema.nodes
    for relation in schema.relations:
        on_progress(done, total)
        try:
            relations.append(_scanned_relation(graph, relation, shape))
        except GraphTimeout:
            relations.append(relation)
            missed = True
        done += 0 if relation.stands_in else relation.relationships
    on_progress(total, total)
    return replace(schema, labels=labels, relations=tuple(relations), scanned=not missed)


def _scanned_label(graph: Graph, label: Label, rows: Iterable[dict[str, Any]], shape: Shape) -> Label:
    keys: Counter[str | None] = Counter()
    for row in rows:
        if label.name in row["labels"] and not shape.left_out.hides(row["key"] or "", row["labels"]):
            keys[row["key"]] += row["found"]
    nodes = keys.pop(None, 0)
    read = partial(_with_key, graph, "schema_label", shape, label=label.name)
    return replace(label, nodes=nodes, properties=_scanned(read, label.properties, keys, nodes))


def _scanned_relation(graph: Graph, relation: Relation, shape: Shape) -> Relation:
    if relation.relationships <= SAMPLE or relation.stands_in:
        return relation
    pairs, keys = counted_whole(graph, relation.name, excluded=shape.excluded, timeout=SCAN_SECONDS)
    keys = Counter({key: times for key, times in keys.items() if not shape.left_out.hides(key, [relation.name])})
    number = sum(pairs.values())
    read = partial(_with_key, graph, "schema_relation", shape, relation=relation.name)
    properties = _scanned(read, relation.properties, keys, number)
    return replace(relation, relationships=number, properties=properties, connections=kept(pairs, exact=True))


def _with_key(graph: Graph, file: str, shape: Shape, key: str, **name: str) -> list[dict[str, Any]]:
    """Some rows that have a property."""
    rows = graph.read(fill(file, **name), key=key, sample=SAMPLE, longest_list=LONGEST_LIST, timeout=SCAN_SECONDS)
    return _shown(rows, shape, **name)


def _scanned(
    read: Callable[[str], Rows], known: Iterable[Property], keys: Mapping[Any, int], number: int
) -> tuple[Property, ...]:
    """The properties of all keys there are, with exact shares; of those that were not known, some values are read."""
    properties = {item.key: item for item in known if item.key in keys}
    for key in keys:
        if key not in properties and not is_own(key):
            found = _properties(read(key))
            properties |= {item.key: item for item in found if item.key == key}
    return tuple(replace(item, share=_rounded(keys[key] / number)) for key, item in sorted(properties.items()))
