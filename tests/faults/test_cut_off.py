"""A connection that is cut, held or truncated at any byte: the right answer or one clear error, never another answer,
never a wait without an end."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context, Options
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import KgneoError, ModelError
from kgneo.graph import Graph
from kgneo.graph.load import load
from kgneo.llm.openai_compatible import OpenAICompatibleModel
from kgneo.loader import open_source, read_triples
from kgneo.server import RunningServer
from tests.conftest import on_one_version, wipe
from tests.faults import ALL, SEED
from tests.faults.dump import dump
from tests.faults.proxy import Fault, Proxy, proxied
from tests.test_llm_openai import Faulty, streams

ASKED = 250 if ALL else 12
REPLIED = 200 if ALL else 12
LOADED = 60 if ALL else 3
LONGEST = 120.0
"""Seconds after which somebody would think that nothing happens any more."""
FAULTS: tuple[Fault, ...] = ("cut", "hold", "lose")
QUESTION = "which seas do the rivers of [Germany] flow into?"


@contextmanager
def behind(server: RunningServer, fault: Fault, at: int) -> Iterator[tuple[Proxy, Callable[[], Graph]]]:
    """A proxy before a server, and how one connects through it."""
    parts = urlsplit(server.uri)
    with proxied(parts.hostname or "", parts.port or 0, fault, at) as (proxy, port):
        yield (
            proxy,
            lambda: Graph.connect(
                f"bolt://127.0.0.1:{port}", username=server.username, password=server.password, timeout=5.0, retry=2.0
            ),
        )


def asked(connecting: Callable[[], Graph], encoder: OnnxEncoder) -> set[str]:
    with connecting() as graph:
        return set(ask(open_context(graph, encoder=encoder), QUESTION).answers)


def test_a_question_is_answered_rightly_or_ends_with_an_error(
    sample_server: RunningServer, encoder: OnnxEncoder
) -> None:
    with behind(sample_server, "none", 0) as (proxy, connecting):
        right = asked(connecting, encoder)
        bytes_ = proxy.passed
    chosen = random.Random(SEED)  # noqa: S311
    ends = {"answer": 0, "error": 0}
    for number in range(ASKED):
        fault, at = FAULTS[number % len(FAULTS)], chosen.randrange(bytes_)
        started = time.monotonic()
        with behind(sample_server, fault, at) as (_, connecting):
            try:
                assert asked(connecting, encoder) == right, f"{fault} at byte {at} (seed {SEED})"
                ends["answer"] += 1
            except KgneoError:
                ends["error"] += 1
        assert time.monotonic() - started < LONGEST, f"{fault} at byte {at} (seed {SEED})"
    print(f"\n{ASKED} questions over a faulty connection: {ends}")
    assert ends["answer"] > ASKED // 3


@on_one_version
def test_a_load_that_was_cut_off_is_whole_after_it_is_run_again(
    server: RunningServer, graph: Graph, tmp_path: Path
) -> None:
    file = tmp_path / "people.tsv"
    file.write_text("\n".join(f"person {n}\tknows\tperson {n * 7 % 400}" for n in range(400)), encoding="utf-8")

    def loaded(into: Graph) -> None:
        load(into, read_triples(open_source(file)), name="people")

    with behind(server, "none", 0) as (proxy, connecting):
        with connecting() as through:
            loaded(through)
        right, bytes_ = dump(graph), proxy.passed
    chosen = random.Random(SEED)  # noqa: S311
    for number in range(LOADED):
        wipe(graph)
        fault, at = FAULTS[number % len(FAULTS)], chosen.randrange(bytes_)
        started = time.monotonic()
        with behind(server, fault, at) as (_, connecting):
            try:
                with connecting() as through:
                    loaded(through)
            except KgneoError:
                loaded(graph)
        assert dump(graph) == right, f"{fault} at byte {at} (seed {SEED})"
        assert time.monotonic() - started < LONGEST, f"{fault} at byte {at} (seed {SEED})"


def test_a_server_that_answers_nothing_is_told_in_time(sample_server: RunningServer) -> None:
    with behind(sample_server, "hold", 1) as (proxy, connecting):
        proxy.hold_seconds = 3600.0
        started = time.monotonic()
        with pytest.raises(KgneoError):
            connecting()
    assert time.monotonic() - started < LONGEST


def test_a_reply_of_a_model_is_whole_or_an_error(sample_context: Context) -> None:
    server = Faulty()
    server.answers = [streams("Addis ", "Ab", "aba", usage={"prompt_tokens": 90, "completion_tokens": 4})]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    context = replace(sample_context, options=Options(llm_timeout=5))

    def replied(fault: Fault, at: int) -> int:
        """How many bytes went through until the right answer was there. Raises KgneoError."""
        with proxied("127.0.0.1", server.server_address[1], fault, at) as (proxy, port):
            model = OpenAICompatibleModel("m", url=f"http://127.0.0.1:{port}/v1", key="key", retries=1)
            with closing(model):
                answer = ask(replace(context, model=model), "what is the capital of [Ethiopia]?", strategy="kaping")
            assert answer.answers == ("Addis Ababa",), f"{fault} at byte {at} (seed {SEED})"
            return proxy.passed

    bytes_ = replied("none", 0)
    chosen = random.Random(SEED)  # noqa: S311
    ends = {"answer": 0, "error": 0}
    for number in range(REPLIED):
        started = time.monotonic()
        try:
            replied(FAULTS[number % len(FAULTS)], chosen.randrange(bytes_))
            ends["answer"] += 1
        except ModelError:
            ends["error"] += 1
        assert time.monotonic() - started < LONGEST
    server.shutdown()
    server.server_close()
    print(f"\n{REPLIED} replies over a faulty connection: {ends}")
    assert ends["answer"] > REPLIED // 3
