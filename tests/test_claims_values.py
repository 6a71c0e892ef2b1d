"""Claims about relationships with properties, and about values that the graph does not have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo import verify
from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.server import RunningServer
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED
from tests.conftest import connect, wipe

CELLAR = """
CREATE (ruby:Grape {name: 'Ruby Queen', color: 'Red'}), (pale:Grape {name: 'Pale Prince', color: 'White'}),
       (hill:Region {name: 'Hill Country', zone: 'North'}), (bay:Region {name: 'Bay Shore', zone: 'South'}),
       (ruby)-[:WINE {label: 'Nightfall', winery: 'Orsini', score: 91}]->(hill),
       (ruby)-[:WINE {label: 'Daybreak', winery: 'Kettner', score: 96}]->(hill),
       (ruby)-[:WINE {label: 'Nightfall', winery: 'Kettner', score: 88}]->(bay),
       (pale)-[:WINE {label: 'Foghorn', winery: 'Orsini', score: 84}]->(bay)
"""


@pytest.fixture(scope="module")
def cellar(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    with connect(newest_server) as graph:
        wipe(graph)
        graph.write(CELLAR)
        yield open_context(graph, encoder=encoder)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Orsini's Nightfall got a score of 91.", SUPPORTED),
        ("Orsini's Nightfall got a score of 96.", REFUTED),
        ("Orsini's Nightfall got a score of 88.", REFUTED),
    ],
)
def test_what_is_said_of_one_relationship_is_held_against_one(cellar: Context, claim: str, verdict: str) -> None:
    assert verify(cellar, claim).verdict == verdict


@pytest.mark.parametrize("claim", ["Ruby Queen is a pink grape.", "Pale Prince is a turquoise grape."])
def test_a_word_for_a_value_that_the_graph_does_not_have_supports_nothing(cellar: Context, claim: str) -> None:
    assert verify(cellar, claim).verdict != SUPPORTED


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [("There are fifteen grapes.", REFUTED), ("There are two grapes.", SUPPORTED), ("There are fine grapes.", OPEN)],
)
def test_a_number_in_words_is_counted(cellar: Context, claim: str, verdict: str) -> None:
    assert verify(cellar, claim).verdict == verdict
