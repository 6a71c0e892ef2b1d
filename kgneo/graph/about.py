"""About: which nodes' texts say something, for the conditions of a query graph that ask for it.

Comes in: a query graph with conditions "about". Goes out: the same with the nodes in their place whose texts say it,
and their passages. All other conditions are met first: only the texts of the nodes that are left are held against the
words, the likeliest first. Likeness is no fact: who shows such an answer says that it was found by meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from threading import Lock

import numpy as np

from kgneo.encoders.encoder import Encoder, load_encoder
from kgneo.errors import NotIndexed
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.marking import Places, marks
from kgneo.graph.passages import Passage, PassageFile, Passages, PassagesRecord, TextKey
from kgneo.graph.shape import PREFIX, Shape
from kgneo.graph.user_indexes import UserTexts
from kgneo.model import Evidence, Triple
from kgneo.query.compile import Named, compile_query
from kgneo.query.graph import Condition, Edge, QueryGraph, Value, aggregates, aggregates_of, values_of

FOUND = 10
"""Nodes that are kept of those whose texts say something, where they are to be listed."""
COUNTED = 1_000
"""The same where they are counted, or something is measured of them."""
LOOKED_AT = 20_000
"""Nodes whose texts are held against the words; of more, those whose texts are likest in the whole graph."""
NO_PROPERTY: Mapping[str, Sequence[str]] = {"": (PREFIX,)}
"""Of nodes that are only counted on: none of their properties is read."""
NO_NODE = ("",)
"""The ids of a variable that nothing can be."""


@dataclass(frozen=True, slots=True)
class Told:
    """A query graph without conditions on texts, the passages that stand for these by the nodes' ids, and what is to be
    said of how they were found."""

    graph: QueryGraph
    passages: Mapping[str, Passage] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Texts:
    """The texts of a graph as they were last indexed on this machine (`kgneo index --texts`); where they were not,
    those that indexes of the graph's own have, which `own` looks for when it is first asked."""

    def __init__(self, graph: Graph, shape: Shape, file: Path, own: Callable[[], UserTexts] | None = None) -> None:
        self._graph, self._shape, self._file = graph, shape, PassageFile(file)
        self._look_for_own = own
        self._lock = Lock()
        self._known: tuple[object, PassagesRecord | None] = (None, None)
        self._loaded: tuple[object, PassagesRecord, Passages] | None = None
        self._encoder: Encoder | None = None

    @property
    def record(self) -> PassagesRecord | None:
        """What was indexed; None where nothing was. The file is opened where it was written since the last look."""
        mark = self._mark()
        if self._known[0] != mark or mark is None:
            self._known = (mark, self._file.read_record())
        return self._known[1]

    def _mark(self) -> tuple[int, int] | None:
        """What changes with the file; None where there is none."""
        try:
            status = self._file.file.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    @cached_property
    def _own(self) -> UserTexts | None:
        """The texts that indexes of the graph's own have, if any."""
        found = self._look_for_own() if self._look_for_own else None
        return found if found and found.keys else None

    @property
    def _keys(self) -> tuple[TextKey, ...]:
        found = self.record
        if found is not None:
            return found.keys
        return self._own.keys if self._own else ()

    @property
    def there(self) -> bool:
        """Whether texts were indexed, by kgneo or by whoever made the graph."""
        return bool(self._keys)

    def labels(self) -> tuple[str, ...]:
        """The labels whose nodes have texts that were indexed."""
        return tuple(dict.fromkeys(item.label for item in self._keys))

    def shown(self) -> tuple[str, ...]:
        """The properties whose texts were indexed and may be shown: "Review.text"."""
        hidden = self._shape.left_out
        return tuple(str(item) for item in self._keys if not hidden.hides(item.key, (item.label,)))

    def use(self, encoder: Encoder) -> None:
        """Take an encoder that is there already, where it is the one that the texts were indexed with."""
        found = self.record
        if found is None and self._own:
            self._own.use(encoder)
        elif found is not None and found.fingerprint == encoder.fingerprint:
            self._encoder = encoder

    def nearest(self, text: str, *, among: Sequence[str] | None = None, key: str = "") -> list[Passage]:
        """As `Passages.nearest`, of the texts that are in the graph still. Raises NotIndexed where none were
        indexed."""
        if self.record is None and self._own:
            return self._own.nearest(text, among=among, key=key)
        passages = self._current()
        vector = np.asarray(self._encoder_of(passages[0]).encode([text], query=True)[0], dtype=np.float32)
        return passages[1].nearest(text, vector, among=among, key=key)

    def first(self, nodes: Sequence[str]) -> list[Passage]:
        """The first passage of each of some nodes that have one, in their order."""
        if self.record is None and self._own:
            return self._own.first(nodes)
        return self._current()[1].first(nodes)

    def cited(self, passages: Sequence[Passage]) -> list[Passage]:
        """Those of some passages that stand in the graph as it is now, and may be shown."""
        rows = self._graph.read(query("nodes_by_ids"), ids=[item.node for item in passages]) if passages else []
        texts = {
            row["id"]: {
                key: " ".join(value.split())
                for key, value in self._shape.visible(row["labels"], dict(row["properties"])).items()
                if isinstance(value, str)
            }
            for row in rows
        }
        return [item for item in passages if item.text in texts.get(item.node, {}).get(item.key, "")]

    def marks(self, passages: Sequence[Passage]) -> list[Places]:
        """Where the words stand in each of some passages that say what was looked for; nowhere, where nothing was."""
        record = self.record
        own = self._own.encoder if record is None and self._own else None
        found: dict[Passage, Places] = {}
        for text in dict.fromkeys(item.sought for item in passages if item.sought):
            there = [item for item in passages if item.sought == text]
            encoder = self._encoder_of(record) if record else own
            found |= zip(there, marks(text, [item.text for item in there], encoder), strict=True)
        return [found.get(item, ()) for item in passages]

    def evidence(
        self, passages: Sequence[Passage], nodes: Mapping[str, tuple[Sequence[str], str]]
    ) -> tuple[Evidence, ...]:
        """Some passages as evidence: who says it, by which property, what is said. `nodes` has the labels and the name
        of each node; one that is called by the text itself goes by its labels."""

        def teller(item: Passage) -> str:
            labels, name = nodes[item.node]
            return " ".join(self._shape.own_labels(labels)) or name if item.text in name else name

        return tuple(
            Evidence(Triple(teller(item), item.key, item.text), 1, item.likeness or None, marked=marked)
            for item, marked in zip(passages, self.marks(passages), strict=True)
        )

    def notes(self) -> tuple[str, ...]:
        """What is to be said of texts that are not those of the graph as it is now."""
        found = self.record
        if found is None:
            return self._own.notes() if self._own else ()
        if not found.complete:
            return ("Not all texts were indexed: kgneo index --texts goes on.",)
        if found.change != self._graph.last_change():
            return (
                "The graph was changed since its texts were indexed, and what was added is not found by meaning: "
                "kgneo index --texts reads it.",
            )
        return ()

    def _current(self) -> tuple[PassagesRecord, Passages]:
        """The passages, loaded again where the file was written meanwhile."""
        with self._lock:
            record = self.record
            if record is None:
                raise NotIndexed(
                    "What the texts of the graph say is asked for, and they are not indexed.",
                    hint="Index them with `kgneo index --texts`.",
                )
            mark = self._mark()
            if self._loaded is None or self._loaded[0] != mark:
                self._loaded = (mark, record, self._file.load())
            return self._loaded[1], self._loaded[2]

    def _encoder_of(self, record: PassagesRecord) -> Encoder:
        with self._lock:
            if self._encoder is None or self._encoder.fingerprint != record.fingerprint:
                self._encoder = load_encoder(record.encoder)
            return self._encoder


def told(
    texts: Texts, connection: Graph, shape: Shape, graph: QueryGraph, *, named: Named, timeout: float | None = None
) -> Told:
    """A query graph with the nodes in the place of its conditions on texts. Raises NotIndexed, GraphTimeout and
    GraphError."""
    passages: dict[str, Passage] = {}
    cut: list[str] = []
    most = FOUND if isinstance(graph.answer, Value) and not aggregates(graph) else COUNTED
    for condition in graph.about:
        left = condition.left
        assert isinstance(left, Value), condition
        text = str(condition.right[0]) if isinstance(condition.right, tuple) else ""
        rest = replace(graph, conditions=tuple(item for item in graph.conditions if item is not condition))
        among = partial(_among, connection, shape, name=left.of, named=named, timeout=timeout)
        likely = _likely(texts, text, left.key, among, rest, left.of)
        found = [replace(item, sought=text) for item in texts.cited(likely[:most])]
        if len(likely) > most:
            cut.append(f"the likeliest {most} of {len(likely)}")
        passages |= {item.node: item for item in found}
        graph = _with_nodes(rest, left.of, tuple(item.node for item in found) or NO_NODE)
    how = f": {', '.join(cut)}" if cut else ""
    return Told(graph, passages, (f"Found by what texts say, which is likeness, not fact{how}.", *texts.notes()))


Among = Callable[[QueryGraph], list[str] | None]


def _likely(texts: Texts, text: str, key: str, among: Among, graph: QueryGraph, name: str) -> list[Passage]:
    """The passages of the nodes that a variable can be, the likeliest first."""
    ids = among(graph)
    if ids is not None:
        return texts.nearest(text, among=ids, key=key)
    likest = texts.nearest(text, key=key)[:COUNTED]
    left = set(among(_with_nodes(graph, name, tuple(item.node for item in likest) or NO_NODE)) or ())
    return [item for item in likest if item.node in left]


def _with_nodes(graph: QueryGraph, name: str, ids: tuple[str, ...]) -> QueryGraph:
    variables = tuple(replace(item, ids=ids) if item.name == name else item for item in graph.variables)
    return replace(graph, variables=variables)


def _among(
    connection: Graph, shape: Shape, graph: QueryGraph, *, name: str, named: Named, timeout: float | None
) -> list[str] | None:
    """The ids of the nodes that a variable can be, by all that is joined to it; None where they are too many."""
    part = _joined_to(graph, name)
    compiled = compile_query(part, keys=NO_PROPERTY, hidden=shape.left_out, named=named, told=shape.told)
    rows = connection.read(compiled.text, limit=LOOKED_AT + 1, timeout=timeout, **compiled.parameters)
    return [row["id"] for row in rows] if len(rows) <= LOOKED_AT else None


def _joined_to(graph: QueryGraph, name: str) -> QueryGraph:
    """What is joined to a variable by edges, with the variable as the answer; without what is measured."""
    names, edges = {name}, list[Edge]()
    while left := [item for item in graph.edges if item not in edges and {item.subject, item.object} & names]:
        edges += left
        names |= {end for item in left for end in (item.subject, item.object)}
    avoided = {item for edge in edges for item in edge.avoiding}
    own = names | {edge.name for edge in edges if edge.name}

    def is_own(item: Condition) -> bool:
        sides = (item.left, item.right)
        spoken = {value.of for side in sides for value in values_of(side)}
        return item.operator != "about" and spoken <= own and not any(aggregates_of(side) for side in sides)

    return QueryGraph(
        tuple(item for item in graph.variables if item.name in names | avoided),
        Value(name),
        tuple(edge for edge in graph.edges if edge in edges),
        tuple(filter(is_own, graph.conditions)),
        alternatives=tuple(
            options for options in graph.alternatives if all(is_own(item) for option in options for item in option)
        ),
        different=tuple(item for item in graph.different if item in names),
    )
