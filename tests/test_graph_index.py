"""Embedding and indexing on a real Neo4j, on every version."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from kgneo.encoders.encoder import OnnxEncoder, Similarity, Vectors
from kgneo.errors import EncoderMismatch, GraphEmpty, NotIndexed
from kgneo.graph import Graph
from kgneo.graph import index as index_module
from kgneo.graph.cache import LocalCache
from kgneo.graph.index import Progress, build, index_names
from kgneo.graph.record import check_fingerprint, read_record, require
from kgneo.graph.shape import LOADED
from kgneo.model import Triple
from kgneo.sample import triples_path
from tests.conftest import load_file, wipe


@dataclass(frozen=True)
class CountingEncoder:
    """Random vectors that depend on the text alone, not normalised; counts what it encodes."""

    name: str = "counting"
    fingerprint: str = "counting-1"
    dimensions: int = 16
    similarity: Similarity = "dot"
    at_once: int = 1
    encoded: list[str] | None = None

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        assert not query
        if self.encoded is not None:
            self.encoded.extend(texts)
        seeds = [zlib.crc32(text.encode()) for text in texts]
        return np.stack([np.random.default_rng(seed).normal(size=16) for seed in seeds]).astype(np.float32)


def test_every_triple_gets_the_embedding_of_its_text(emptied: Graph, encoder: OnnxEncoder) -> None:
    load_file(emptied, triples_path())
    report = build(emptied, encoder, shape=LOADED)
    assert report.encoded == report.triples == 327
    row = emptied.read(
        "MATCH (s)-[r]->(o) RETURN s.name AS s, type(r) AS t, o.name AS o, r.kgneo_embedding AS vector LIMIT 1"
    )[0]
    expected = encoder.encode([Triple(row["s"], row["t"], row["o"]).text])[0]
    np.testing.assert_allclose(row["vector"], expected, atol=1e-4)


def test_the_index_covers_every_type(graph: Graph) -> None:
    load_file(graph, triples_path())
    build(graph, CountingEncoder(), shape=LOADED)
    rows = graph.schema("SHOW VECTOR INDEXES YIELD labelsOrTypes, state RETURN labelsOrTypes AS types, state")
    types = {row["t"] for row in graph.read("MATCH ()-[r]->() RETURN DISTINCT type(r) AS t")}
    assert {name for row in rows for name in row["types"]} == types
    assert {row["state"] for row in rows} == {"ONLINE"}
    assert len(rows) == (1 if graph.capabilities.search else len(types))


def test_only_what_is_new_or_changed_is_encoded_again(emptied: Graph) -> None:
    emptied.write("CREATE (:Entity {name: 'a'})-[:r]->(:Entity {name: 'b'}), (:Entity {name: 'c'})-[:r]->(:Entity)")
    texts: list[str] = []
    counting = CountingEncoder(encoded=texts)
    build(emptied, counting, shape=LOADED)
    assert len(texts) == 2
    texts.clear()
    build(emptied, counting, shape=LOADED)
    assert texts == []
    emptied.write("MATCH (n {name: 'a'}) SET n.name = 'renamed'")
    emptied.write("MATCH (n {name: 'c'}), (m {name: 'b'}) CREATE (n)-[:new_type]->(m)")
    build(emptied, counting, shape=LOADED)
    assert sorted(texts) == ["(c, new type, b)", "(renamed, r, b)"]


def test_an_index_of_more_types_takes_the_place_of_the_old_one(graph: Graph) -> None:
    graph.write("CREATE (:Entity {name: 'a'})-[:r]->(:Entity {name: 'b'})")
    build(graph, CountingEncoder(), shape=LOADED)
    graph.write("MATCH (n {name: 'a'}), (m {name: 'b'}) CREATE (n)-[:new_type]->(m)")
    build(graph, CountingEncoder(), shape=LOADED)
    rows = graph.schema("SHOW VECTOR INDEXES YIELD labelsOrTypes RETURN labelsOrTypes AS types")
    assert {name for row in rows for name in row["types"]} == {"r", "new_type"}


class Interrupted(Exception):
    """What stands for Ctrl-C in an indexing."""


def test_an_interruption_loses_at_most_one_batch(emptied: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "BATCH", 10)
    emptied.write("UNWIND range(1, 45) AS i CREATE (:Entity {name: 's' + i})-[:r]->(:Entity {name: 'o' + i})")

    def interrupt(progress: Progress) -> None:
        if progress.stage == "encoding" and progress.done >= 30:
            raise Interrupted

    with pytest.raises(Interrupted):
        build(emptied, CountingEncoder(), shape=LOADED, on_progress=interrupt)
    assert not require(emptied).complete
    texts: list[str] = []
    build(emptied, CountingEncoder(encoded=texts), shape=LOADED)
    assert len(texts) == 15
    assert require(emptied).triples == 45


def test_another_encoder_encodes_everything_anew(emptied: Graph) -> None:
    emptied.write("CREATE (:Entity {name: 'a'})-[:r]->(:Entity {name: 'b'})")
    build(emptied, CountingEncoder(), shape=LOADED)
    texts: list[str] = []
    build(emptied, CountingEncoder(name="other", fingerprint="other", encoded=texts), shape=LOADED)
    assert len(texts) == 1
    record = read_record(emptied)
    assert record is not None
    assert (record.encoder, record.fingerprint) == ("other", "other")


def test_the_record_says_what_the_index_was_made_with(emptied: Graph) -> None:
    emptied.write("CREATE (:Entity {name: 'a'})-[:r]->(:Entity {name: 'b'})")
    build(emptied, CountingEncoder(), shape=LOADED)
    record = require(emptied)
    assert (record.encoder, record.dimensions, record.similarity, record.triples) == ("counting", 16, "dot", 1)
    assert [str(item.hop) for item in record.statistics.hops] == ["r", "^r"]


def test_asking_with_another_encoder_names_both(emptied: Graph) -> None:
    emptied.write("CREATE (:Entity {name: 'a'})-[:r]->(:Entity {name: 'b'})")
    build(emptied, CountingEncoder(), shape=LOADED)
    with pytest.raises(EncoderMismatch, match=r"'counting'.*'mpnet'"):
        require(emptied, encoder="mpnet")


def test_an_encoder_of_the_same_name_and_other_weights_is_refused(emptied: Graph) -> None:
    emptied.write("CREATE (:Entity {name: 'a'})-[:r]->(:Entity {name: 'b'})")
    build(emptied, CountingEncoder(), shape=LOADED)
    with pytest.raises(EncoderMismatch, match=r"counting-1.*changed"):
        check_fingerprint(require(emptied), CountingEncoder(fingerprint="changed"))


def test_an_empty_graph_and_one_without_an_index_have_their_own_words(emptied: Graph) -> None:
    with pytest.raises(GraphEmpty, match="no triples"):
        require(emptied)
    emptied.write("CREATE (:Entity {name: 'a'})-[:r]->(:Entity {name: 'b'})")
    with pytest.raises(NotIndexed, match="no index"):
        require(emptied)


def test_a_graph_that_was_emptied_has_no_mirror(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    load_file(graph, triples_path())
    build(graph, CountingEncoder(), shape=LOADED)
    mirror = LocalCache(graph).mirror()
    assert mirror.renew(graph, 16)
    assert mirror.current() is not None
    wipe(graph)
    assert mirror.renew(graph, 16)
    assert mirror.current() is None


def test_an_empty_graph_cannot_be_indexed(graph: Graph) -> None:
    with pytest.raises(GraphEmpty):
        build(graph, CountingEncoder(), shape=LOADED)
    assert index_names(graph) == ()
