"""How the values of a property are spread over the nodes of a label, for a person who looks at the graph.

Comes in: a graph, its shape, a label and a key. Goes out: the most frequent values with how many nodes have each, the
least and the greatest number or day, how many nodes lie in which of at most ten equal parts between them, and how many
have no value. Of a large label the first nodes are looked at, and `Spread.partial` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any, TypeVar

import neo4j.time

from kgneo.errors import GraphTimeout
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill
from kgneo.graph.schema import LONGEST_LIST
from kgneo.graph.shape import Shape
from kgneo.graph.values import LONGEST_TEXT, texts

Found = TypeVar("Found")
MOST_LOOKED_AT, FEWER_LOOKED_AT = 100_000, 10_000
"""Nodes of a label that are looked at, and where that takes too long."""
SECONDS = 10.0
"""How long one look may take."""
SHOWN = 10
"""Values that are listed where nothing else is said."""
BINS, LEAST_BINS = 10, 3
"""Parts at most, and the years or months between two dates from which on they are parted by these."""
LAST_YEAR = 9_000
NICE = (1, 2, 5)
"""How wide parts between numbers are, times a power of ten."""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value (of a date its text), what it reads as, and how many nodes have it."""

    value: str | int | float | bool | None
    text: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Bin:
    """The nodes with a value from `low` on and below `high`, numbers or days in ISO form; `text` says both in short."""

    low: int | float | str
    high: int | float | str
    text: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Spread:
    """Of `looked_at` nodes, `missing` have no value. There may be `more` values than are listed. `partial`: the label
    has more nodes than were looked at."""

    looked_at: int
    missing: int
    values: tuple[ValueCount, ...]
    more: bool
    least: str = ""
    greatest: str = ""
    bins: tuple[Bin, ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class _Edges:
    """Where parts begin, the last one where they end: as the database compares them, and as they are told."""

    stored: tuple[Any, ...]
    told: tuple[int | float | str, ...]
    texts: tuple[str, ...]


def spread(graph: Graph, shape: Shape, label: str, key: str, *, shown: int = SHOWN) -> Spread:
    """How the values of a property of the nodes of a label are spread, without those nodes that the shape leaves out,
    or of which it leaves out the property. Raises GraphTimeout where even few nodes take too long."""
    hidden = [*shape.excluded, *shape.left_out.owners(key)]

    def look(most: int) -> Spread:
        def read(file: str, **more: Any) -> list[dict[str, Any]]:
            given = {"key": key, "hidden": hidden, "most": most, **more}
            return graph.read(fill(file, label=label), timeout=SECONDS, **given)

        [extent] = read("property_extent")
        bounds = {"longest_list": LONGEST_LIST, "longest_text": LONGEST_TEXT}
        rows = read("property_values", shown=shown + 1, **bounds)
        edges = edges_between(extent["least"], extent["greatest"]) or days_between(extent["first"], extent["last"])
        found = read("property_bins", edges=list(edges.stored)) if edges else []
        ends = (
            [extent["least"], extent["greatest"]] if extent["least"] is not None else [extent["first"], extent["last"]]
        )
        least, greatest = ("".join(texts(end)) for end in ends)
        return Spread(
            extent["looked"],
            extent["looked"] - extent["having"],
            tuple(_counted(rows[:shown])),
            len(rows) > shown,
            least,
            greatest,
            _bins(edges, {row["bin"]: row["found"] for row in found}) if edges else (),
            extent["looked"] >= most,
        )

    return bounded(look)


def bounded(look: Callable[[int], Found]) -> Found:
    """What a look at so many nodes finds; at fewer, where the first takes too long. Raises GraphTimeout."""
    try:
        return look(MOST_LOOKED_AT)
    except GraphTimeout:
        return look(FEWER_LOOKED_AT)


def _counted(rows: Sequence[dict[str, Any]]) -> Iterator[ValueCount]:
    for row in rows:
        value, text = row["value"], ", ".join(texts(row["value"]))
        if text:
            plain = isinstance(value, str | int | float)
            day = isinstance(value, neo4j.time.Date)
            yield ValueCount(value if plain else text if day else None, text, row["found"])


def _bins(edges: _Edges, found: dict[int, int]) -> tuple[Bin, ...]:
    pairs = zip(pairwise(edges.told), edges.texts, strict=True)
    return tuple(Bin(*pair, text, found.get(at, 0)) for at, (pair, text) in enumerate(pairs))


def edges_between(least: float | None, greatest: float | None) -> _Edges | None:
    """Round numbers that part what is between two numbers; None where there is nothing between them."""
    if least is None or greatest is None or not _can_be_parted(least, greatest):
        return None
    low, high = Decimal(str(least)), Decimal(str(greatest))
    whole = isinstance(least, int) and isinstance(greatest, int)
    step = next(size for size in _steps(high - low) if _parts(low, high, size) <= BINS and (size >= 1 or not whole))
    start = (low / step).to_integral_value("ROUND_FLOOR") * step
    edges = [start + number * step for number in range(_parts(low, high, step) + 1)]
    numbers = tuple(int(edge) if edge == edge.to_integral_value() else float(edge) for edge in edges)
    return _Edges(numbers, numbers, tuple(_told(*pair, whole=whole) for pair in pairwise(numbers)))


def _can_be_parted(least: float, greatest: float) -> bool:
    return least < greatest and all(abs(value) < 2**53 for value in (least, greatest))


def _steps(width: Decimal) -> Iterator[Decimal]:
    """Round widths, the narrowest first, from about a hundredth of a width on."""
    power = width.adjusted() - 2
    while True:
        yield from (Decimal(size).scaleb(power) for size in NICE)
        power += 1


def _parts(low: Decimal, high: Decimal, step: Decimal) -> int:
    """How many parts of a width hold all from `low` to `high`, both included."""
    first, last = (int((end / step).to_integral_value("ROUND_FLOOR")) for end in (low, high))
    return last - first + 1


def _told(low: float, high: float, *, whole: bool) -> str:
    """What a part is called: of whole numbers by the last one that is in it."""
    last = high - 1 if whole else high
    return _text(low) if whole and last == low else f"{_text(low)} – {_text(last)}"


def _text(number: float) -> str:
    return "".join(texts(number))


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit of the calendar: which one a day is in, the day on which one begins, and how much of its ISO form says
    it."""

    of: Callable[[date], int]
    begin: Callable[[int], date]
    length: int


_UNITS = (
    _Unit(lambda day: day.year, lambda year: date(year, 1, 1), 4),
    _Unit(lambda day: day.year * 12 + day.month - 1, lambda month: date(month // 12, month % 12 + 1, 1), 7),
    _Unit(date.toordinal, date.fromordinal, 10),
)


def days_between(first: neo4j.time.Date | None, last: neo4j.time.Date | None) -> _Edges | None:
    """Days that part what is between two days into as many years, months or days each; None where there is nothing
    between them, and for years with another number of digits than four."""
    if first is None or last is None or first == last or not 1 <= first.year <= last.year <= LAST_YEAR:
        return None
    ends = (first.to_native(), last.to_native())
    spans = [(unit, unit.of(ends[0]), unit.of(ends[1])) for unit in _UNITS]
    unit, low, high = next((span for span in spans if span[2] - span[1] >= LEAST_BINS), spans[-1])
    step = (high - low) // BINS + 1
    days = [unit.begin(low + number * step) for number in range((high - low) // step + 2)]
    return _Edges(
        tuple(neo4j.time.Date.from_native(day) for day in days),
        tuple(day.isoformat() for day in days),
        tuple(_between(day, after, unit.length) for day, after in pairwise(days)),
    )


def _between(first: date, after: date, length: int) -> str:
    """A part of the calendar by its first and last year, month or day."""
    low, high = first.isoformat()[:length], (after - timedelta(days=1)).isoformat()[:length]
    return low if low == high else f"{low} – {high}"
