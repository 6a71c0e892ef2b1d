"""Guilds and their painters: a graph in which no word tells which of two relationship types is meant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.questions import Question
from kgneo.server import RunningServer
from tests.conftest import connect, set_address, wipe

GUILDS = ("Heron", "Lantern", "Anvil", "Thistle", "Barrow", "Quarry", "Saddle")
GRAPH = """
UNWIND range(0, size($guilds) - 1) AS number
CREATE (guild:Guild {name: $guilds[number]})
WITH guild, number
UNWIND range(0, 5) AS place
CREATE (painter:Painter {name: $names[number * 6 + place], age: 30 + number * 7 + place})
FOREACH (_ IN CASE WHEN place < 2 THEN [1] ELSE [] END | CREATE (painter)-[:REL_A]->(guild))
FOREACH (_ IN CASE WHEN place > 1 THEN [1] ELSE [] END | CREATE (painter)-[:REL_B]->(guild))
"""
"""Two painters of each guild are REL_A, four are REL_B; no word tells which of the two is meant."""
NAMES = [f"{first}{last}" for first in ("Adelor", "Bertim", "Cosval", "Dromet", "Elwin", "Fastur", "Gorvan")
         for last in ("a", "en", "is", "o", "ut", "yk")]  # fmt: skip


def members(guild: str, *, first: int = 0, last: int = 2) -> tuple[str, ...]:
    """The painters of a guild."""
    start = 6 * GUILDS.index(guild)
    return tuple(NAMES[start + first : start + last])


LESSONS = [
    *(Question(f"a{guild}", f"Which painters swore to the {guild} guild?", members(guild)) for guild in GUILDS[:6]),
    *(
        Question(f"b{guild}", f"Which painters broke with the {guild} guild?", members(guild, first=2, last=6))
        for guild in GUILDS[:6]
    ),
]


@contextmanager
def guilds_on(server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """The graph on a server that lessons may be written to."""
    with connect(server) as graph, pytest.MonkeyPatch.context() as patch:
        set_address(patch, server)
        wipe(graph)
        graph.write(GRAPH, guilds=list(GUILDS), names=NAMES)
        yield open_context(graph, encoder=encoder)
        wipe(graph)


def without_lessons(context: Context) -> Context:
    """The same without lessons. Their constraint stays: without it, Neo4j would plan all queries anew."""
    context.graph.write("MATCH (n:KgneoLesson|KgneoLearned) DELETE n")
    context.memory.clear()
    return context
