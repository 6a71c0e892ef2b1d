"""Names that several nodes have: which of them a question means shows in what it says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.server import RunningServer
from tests.conftest import connect, wipe

LIBRARY = """
CREATE (dune:Book {title: 'Salt Road'}), (tide:Book {title: 'Low Tide'}),
       (:Author {name: 'Nils Berg'})-[:WROTE]->(dune), (:Member {name: 'Nils Berg'})-[:BORROWED]->(tide),
       (:Member {name: 'Ida Holm'})-[:BORROWED]->(dune), (:Author {name: 'Ida Holm'})-[:WROTE]->(tide)
"""
"""One name is first an author's, the other first a member's."""


@pytest.fixture(scope="module")
def library(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    with connect(newest_server) as graph:
        wipe(graph)
        graph.write(LIBRARY)
        yield open_context(graph, encoder=encoder)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was [Salt Road] written by [Nils Berg]?", "yes"),
        ("Was [Low Tide] written by [Ida Holm]?", "yes"),
        ("Was [Low Tide] borrowed by [Nils Berg]?", "yes"),
        ("Was [Salt Road] borrowed by [Ida Holm]?", "yes"),
        ("Was [Low Tide] written by [Nils Berg]?", "no"),
        ("Was [Salt Road] borrowed by [Nils Berg]?", "no"),
    ],
)
def test_what_is_said_of_a_name_tells_whose_it_is(library: Context, question: str, answer: str) -> None:
    assert ask(library, question).answers == (answer,)
