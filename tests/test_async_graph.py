"""The same questions, awaited."""

from __future__ import annotations

import asyncio
import time

import pytest

from kgneo.asking.async_graph import AsyncGraph
from kgneo.context import Context
from kgneo.errors import EntityNotFound, GraphTimeout, GraphUnavailable

CAPITAL = "what is the capital of [Ethiopia]?"
LONG = "UNWIND range(1, 100000000) AS n RETURN count(sin(n) + cos(n))"


def test_many_questions_are_awaited_together(sample_context: Context) -> None:
    async def asked() -> list[tuple[str, ...]]:
        async with AsyncGraph(sample_context) as graph:
            found = await asyncio.gather(*(graph.ask(CAPITAL) for _ in range(8)))
        return [answer.answers for answer in found]

    assert asyncio.run(asked()) == [("Addis Ababa",)] * 8


def test_a_claim_is_awaited(sample_context: Context) -> None:
    verified = asyncio.run(AsyncGraph(sample_context).verify("The capital of [Ethiopia] is [Addis Ababa]."))
    assert verified.verdict == "supported"


def test_what_asking_raises_is_raised(sample_context: Context) -> None:
    with pytest.raises(EntityNotFound):
        asyncio.run(AsyncGraph(sample_context).ask("what is the capital of [Ethopia]?"))


def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(GraphUnavailable):
        asyncio.run(AsyncGraph.connect("bolt://127.0.0.1:1", retry=0.1))


def test_a_question_that_takes_too_long_ends(sample_context: Context) -> None:
    with pytest.raises(GraphTimeout):
        asyncio.run(AsyncGraph(sample_context, seconds=0.0).ask(CAPITAL))


def test_a_question_that_is_cancelled_is_ended_on_the_database(sample_context: Context) -> None:
    graph = sample_context.graph

    def running(text: str) -> int:
        shown = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS $text RETURN currentQuery"
        return len(graph.read(shown, text=text))

    async def cancelled() -> None:
        awaited = AsyncGraph(sample_context)._worked(lambda: graph.read(LONG, timeout=60.0))
        asking = asyncio.ensure_future(awaited)
        while not await asyncio.to_thread(running, "range(1, 100000000)"):
            await asyncio.sleep(0.02)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(cancelled())
    ended = time.monotonic() + 20
    while running("range(1, 100000000)"):
        assert time.monotonic() < ended
        time.sleep(0.05)
