"""Encoding on a Ray cluster: a real one of two workers on this machine."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import numpy as np
import psutil
import pytest

from kgneo.cli.main import main
from kgneo.encoders import ray
from kgneo.encoders.encoder import Encoder, OnnxEncoder, Vectors
from kgneo.encoders.ray import LOCAL, RayEncoder, on_cluster
from kgneo.errors import EncoderError
from kgneo.graph import Graph
from kgneo.graph import index as index_module
from kgneo.graph.index import build
from kgneo.graph.shape import LOADED
from kgneo.model import Triple
from kgneo.sample import triples_path
from tests.conftest import load_file, on_one_version

pytest.importorskip("ray", reason="Ray is not installed (extra: test)")

TEXTS = [f"({number}, has length, {number * 7} km)" for number in range(600)]


@pytest.fixture(scope="module")
def cluster(encoder: OnnxEncoder) -> Iterator[Encoder]:
    """The default encoder on two workers."""
    with on_cluster(encoder, LOCAL, workers=2) as there:
        yield there


def encoding_workers() -> list[psutil.Process]:
    """The workers of ours that encode just now."""
    every = psutil.Process().children(recursive=True)
    return [process for process in every if process.name().startswith("ray::encode")]


@pytest.mark.usefixtures("sample_graph")
def test_no_cluster_at_an_address_is_an_error_that_says_what_is_expected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "--ray", "nowhere:here"]) == 1
    shown = capsys.readouterr().err
    assert "no Ray cluster at 'nowhere:here'" in shown
    assert "ray start --head" in shown


def test_the_cluster_gives_the_vectors_of_the_encoder_and_a_killed_workers_unit_is_done_again(
    cluster: Encoder, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray, "UNIT", 50)
    found: list[Vectors] = []
    thread = threading.Thread(target=lambda: found.append(cluster.encode(TEXTS)))
    thread.start()
    killed = 0
    ends_at = time.monotonic() + 60
    while thread.is_alive() and not killed and time.monotonic() < ends_at:
        for worker in encoding_workers()[:1]:
            os.kill(worker.pid, signal.SIGKILL)
            killed += 1
        time.sleep(0.01)
    thread.join(timeout=120)
    assert killed
    np.testing.assert_allclose(found[0], encoder.encode(TEXTS), atol=1e-4)


def test_workers_with_other_weights_are_refused(cluster: Encoder) -> None:
    assert isinstance(cluster, RayEncoder)

    class Other:
        name, dimensions, similarity, fingerprint, at_once = cluster.name, 384, "cosine", "other", 1

    with pytest.raises(EncoderError, match="expected other"):
        RayEncoder(Other(), cluster._ray, workers=1).encode(["a"])  # type: ignore[arg-type]


@on_one_version
def test_a_graph_is_indexed_on_the_cluster(graph: Graph, cluster: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "BATCH", 50)
    load_file(graph, triples_path())
    assert build(graph, cluster, shape=LOADED).encoded == 327
    rows = graph.read(
        "MATCH (s)-[r]->(o) RETURN s.name AS s, type(r) AS t, o.name AS o, r.kgneo_embedding AS v LIMIT 20"
    )
    expected = cluster.encode([Triple(row["s"], row["t"], row["o"]).text for row in rows])
    np.testing.assert_allclose([row["v"] for row in rows], expected, atol=1e-4)
