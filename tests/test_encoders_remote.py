"""Encoders behind an address: a small real server that embeds, and misbehaves."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.encoders.encoder import OnnxEncoder, Vectors, load_encoder
from kgneo.errors import EncoderError, EncoderMismatch, UsageError
from kgneo.graph import Graph
from kgneo.graph.record import require
from kgneo.sample import triples_path
from kgneo.stages.link import link
from kgneo.stages.retrieve import retrieve
from tests.test_llm_openai import KEY, Faulty, FaultyHandler, faulty, refuses, says

pytest.importorskip("openai", reason="the openai library is not installed (extra: test)")

from kgneo.encoders.remote import HOSTED, TEXTS, RemoteEncoder
from tests.conftest import on_one_version

__all__ = ["faulty"]

DIMENSIONS = 8
Answer = Callable[[FaultyHandler], None]


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    return [float(number) for number in np.random.default_rng(zlib.crc32(text.encode())).normal(size=dimensions)]


def unit(texts: Sequence[str]) -> Vectors:
    vectors = np.array([vector_of(text) for text in texts], dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def embeds(*, at_most: int = 10_000, dimensions: int = DIMENSIONS) -> Answer:
    """Vectors of a request's texts, in an order of the server's own; more than `at_most` are refused."""

    def answer(handler: FaultyHandler) -> None:
        texts = handler.body["input"]
        if len(texts) > at_most:
            refuses(422, f"batch size {len(texts)} > maximum allowed batch size {at_most}")(handler)
            return
        data = [{"index": row, "embedding": vector_of(text, dimensions)} for row, text in enumerate(texts)]
        data.reverse()
        handler.begin(200, "application/json")
        handler.wfile.write(json.dumps({"object": "list", "model": "m", "data": data}).encode())

    return answer


def sends(*vectors: object) -> Answer:
    data = [{"index": row, "embedding": vector} for row, vector in enumerate(vectors)]
    return says("application/json", json.dumps({"data": data}).encode())


@pytest.fixture
def encoder_of_server(faulty: Faulty) -> RemoteEncoder:
    return RemoteEncoder("m", url=faulty.url, key=KEY, retries=1)


def test_every_text_gets_its_own_vector_at_length_1(faulty: Faulty, encoder_of_server: RemoteEncoder) -> None:
    faulty.answers = [embeds()]
    texts = [f"(Danube, flows through, Town {number})" for number in range(2 * TEXTS + 5)]
    np.testing.assert_allclose(encoder_of_server.encode(texts), unit(texts), atol=1e-6)
    assert sorted(len(body["input"]) for body in faulty.bodies) == [5, TEXTS, TEXTS]
    assert {(body["model"], body["encoding_format"]) for body in faulty.bodies} == {("m", "float")}
    assert set(faulty.keys) == {f"Bearer {KEY}"}


def test_the_number_of_dimensions_is_learned_from_the_server(faulty: Faulty, encoder_of_server: RemoteEncoder) -> None:
    faulty.answers = [embeds(dimensions=24)]
    assert not faulty.bodies
    assert encoder_of_server.dimensions == 24
    assert encoder_of_server.encode([]).shape == (0, 24)
    assert len(faulty.bodies) == 1


def test_a_server_that_takes_fewer_texts_gets_fewer_from_then_on(
    faulty: Faulty, encoder_of_server: RemoteEncoder
) -> None:
    faulty.answers = [embeds(at_most=40)]
    texts = [str(number) for number in range(TEXTS)]
    np.testing.assert_allclose(encoder_of_server.encode(texts), unit(texts), atol=1e-6)
    faulty.bodies.clear()
    encoder_of_server.encode(texts)
    assert max(len(body["input"]) for body in faulty.bodies) <= 40


def test_a_fault_that_passes_is_not_seen(faulty: Faulty, encoder_of_server: RemoteEncoder) -> None:
    faulty.answers = [refuses(503, "busy", Retry_After="0.01"), embeds()]
    np.testing.assert_allclose(encoder_of_server.encode(["a"]), unit(["a"]), atol=1e-6)


@pytest.mark.parametrize(("status", "hint"), [(401, "KGNEO_ENCODER_KEY"), (404, "ends in /v1"), (500, "goes on")])
def test_a_refusal_says_what_to_do_and_never_the_key(
    faulty: Faulty, encoder_of_server: RemoteEncoder, status: int, hint: str
) -> None:
    faulty.answers = [refuses(status, f"no luck with {KEY}", Retry_After="0.01")]
    with pytest.raises(EncoderError, match=str(status)) as caught:
        encoder_of_server.encode(["a"])
    assert hint in caught.value.hint
    assert KEY not in f"{caught.value!r} {caught.value} {caught.value.hint} {encoder_of_server!r}"


@pytest.mark.parametrize(
    "reply",
    [
        sends([1.0, 2.0]),
        sends([1.0, 2.0], [0.0, 0.0]),
        sends([1.0, 2.0], [1.0]),
        sends([1.0, 2.0], [float("nan"), 1.0]),
        sends([1.0, 2.0], [1.0, 2.0], [3.0, 4.0]),
        says("application/json", b'{"choices": []}'),
        says("application/json", b'{"data": [{"index": 1e400, "embedding": [1]}]}'),
        says("text/html", b"<html>"),
    ],
    ids=["one too few", "zeros", "two lengths", "no number", "one too many", "another protocol", "no row", "a page"],
)
def test_a_reply_without_a_vector_for_each_text_is_an_error(
    faulty: Faulty, encoder_of_server: RemoteEncoder, reply: Answer
) -> None:
    faulty.answers = [reply]
    with pytest.raises(EncoderError, match=r"one vector for each of 2 texts|no JSON"):
        encoder_of_server.encode(["a", "b"])


def test_texts_do_not_follow_to_another_address(faulty: Faulty, encoder_of_server: RemoteEncoder) -> None:
    def sends_on(handler: FaultyHandler) -> None:
        handler.begin(307, "text/plain", Location="http://elsewhere.invalid/v1/embeddings")

    faulty.answers = [sends_on]
    with pytest.raises(EncoderError, match=r"elsewhere\.invalid") as caught:
        encoder_of_server.encode(["a"])
    assert faulty.url in caught.value.message
    assert "KGNEO_ENCODER_URL" in caught.value.hint
    assert len(faulty.bodies) == 1


def test_vectors_without_an_end_are_left_at_the_bytes_that_a_reply_may_have(
    faulty: Faulty, encoder_of_server: RemoteEncoder
) -> None:
    def floods(handler: FaultyHandler) -> None:
        handler.begin(200, "application/json")
        while not handler.server.released.is_set():
            handler.wfile.write(b'{"data": [' + b"1, " * 2**15)
            handler.server.sent_pieces += 1

    faulty.answers = [floods]
    with pytest.raises(EncoderError, match="sent more than the 1,572,864 bytes"):
        encoder_of_server.encode(["a"])
    assert faulty.sent_pieces * 2**15 * 3 < 32 * 2**20


def test_no_server_is_an_error_that_names_the_variable(faulty: Faulty) -> None:
    encoder = RemoteEncoder("m", url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(EncoderError, match="no connection") as caught:
        encoder.encode(["a"])
    assert "KGNEO_ENCODER_URL" in caught.value.hint
    assert not faulty.bodies


def test_the_address_and_the_key_come_from_the_environment(faulty: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KGNEO_ENCODER_URL", "OPENAI_BASE_URL", "KGNEO_ENCODER_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EncoderError, match=HOSTED):
        load_encoder("openai:m")
    monkeypatch.setenv("KGNEO_ENCODER_URL", "http://me:secret@127.0.0.1/v1")
    with pytest.raises(UsageError, match=r"of the encoder at 127\.0\.0\.1 holds") as caught:
        load_encoder("openai:m")
    assert "secret" not in str(caught.value)
    monkeypatch.setenv("KGNEO_ENCODER_URL", faulty.url)
    monkeypatch.setenv("KGNEO_ENCODER_KEY", KEY)
    faulty.answers = [embeds()]
    load_encoder("openai:m").encode(["a"])
    assert faulty.keys == [f"Bearer {KEY}"]


@on_one_version
def test_a_graph_is_embedded_by_the_server_and_questions_are_read_here(
    graph: Graph, faulty: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNEO_ENCODER_URL", faulty.url)
    faulty.answers = [embeds()]
    assert main(["load", str(triples_path()), "--encoder", "openai:m"]) == 0
    assert (require(graph).encoder, require(graph).dimensions) == ("openai:m", DIMENSIONS)
    faulty.bodies.clear()
    context = open_context(graph)
    assert ask(context, "what is the capital of [Ethiopia]?").answers == ("Addis Ababa",)
    assert isinstance(context.encoder, OnnxEncoder)
    assert not faulty.bodies
    linked = link(context.knowledge, "what is the capital of [Ethiopia]?")
    found = retrieve(linked.text, linked.entity_ids, context).nearest
    assert [body["input"] for body in faulty.bodies] == [["what is the capital of Ethiopia?"]]
    scores = unit([str(item.triple.text) for item in found]) @ unit(["what is the capital of Ethiopia?"])[0]
    np.testing.assert_allclose([item.score or 0.0 for item in found], scores, atol=1e-4)
    faulty.answers = [embeds(dimensions=5)]
    with pytest.raises(EncoderMismatch, match="8 numbers; now it has 5"):
        retrieve("another question", linked.entity_ids, context)
