"""What the benchmarks make of what they measured: lines of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import index_size, tokens, writers
from benchmarks.index_size import Size
from benchmarks.selection import HOPS
from benchmarks.tokens import Spent
from kgneo.graph.embeddings import Pending
from kgneo.graph.vectors import LocalEmbeddings


def test_tokens_and_calls_are_means_over_the_numbers_of_hops() -> None:
    found = {
        (way, hops): Spent([calls * hops], [100 * calls * hops], [way != tokens.PAPER])
        for way, calls in zip(tokens.WAYS, (2, 1, 4), strict=True)
        for hops in HOPS
    }
    found[tokens.PAPER, 1].exact[0] = True
    lines = {line.what: line for line in tokens.compared(found)}
    assert lines["prompt tokens, `kg-rag`"].ratio == pytest.approx(0.5)
    assert lines["model calls, `kg-rag, brief`"].ratio == pytest.approx(0.25)
    assert lines["share answered exactly, `kg-rag`"].ratio == pytest.approx(3)
    assert [line.reached for line in lines.values()] == [True, False, True, True, True, True]


def test_writers_are_compared_by_triples_a_second() -> None:
    one, two = writers.PACKAGES
    rounds = [
        {"kgneo": 2.0, one: 12.0, two: 8.0},
        {"kgneo": 2.0, one: 10.0, two: 6.0},
        {"kgneo": 4.0, one: 20.0, two: 9.0},
    ]
    first, second = writers.compared(rounds, 1_000)
    assert (first.ours, first.ratio, first.reached) == (500, 5.0, True)
    assert (second.ratio, second.reached) == (3.0, False)


def test_bytes_a_triple_are_those_of_store_and_index() -> None:
    assert Size(10, 1_000, 500).together == 150


def test_files_of_a_graph_that_is_only_read_hold_little_more_than_the_vectors(tmp_path: Path) -> None:
    triples, numbers, embeddings = 2_000, index_size.DIMENSIONS, LocalEmbeddings(tmp_path)
    ids = [f"5:00000000-0000-0000-0000-000000000000:{number}" for number in range(triples)]
    batch = [Pending(id_, "", "", number << 32) for number, id_ in enumerate(ids)]
    embeddings.write(batch, index_size.vectors_of(triples, numbers))
    size = sum(file.stat().st_size for file in tmp_path.iterdir()) / triples
    assert 4 * numbers < size < 4.5 * numbers
