"""The same questions, awaited: for programs that do many things in one thread.

    async with await AsyncGraph.connect("bolt://localhost:7687", password="…") as graph:
        answer = await graph.ask("what is the capital of [Ethiopia]?")

Each question is answered in a thread. One that is cancelled is ended on the database, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self, TypeVar

from kgneo.asking.claim import verify
from kgneo.asking.question import ask, open_context
from kgneo.context import Context, Options
from kgneo.errors import KgneoError
from kgneo.graph import Graph
from kgneo.graph.work import Work
from kgneo.llm import LanguageModel
from kgneo.model import Answer
from kgneo.strategies import Strategy
from kgneo.verification.verdict import Verification

SECONDS = 60.0
T = TypeVar("T")


class AsyncGraph:
    """A graph that is asked without waiting. `seconds` is how long one question may take."""

    def __init__(self, context: Context, *, seconds: float = SECONDS, owned: bool = False) -> None:
        self._context = context
        self._seconds = seconds
        self._owned = owned

    @classmethod
    async def connect(
        cls,
        uri: str,
        *,
        model: LanguageModel | str | None = None,
        options: Options | None = None,
        seconds: float = SECONDS,
        **login: Any,
    ) -> Self:
        """Open a graph and read what there is to know of it; `login` is as `Graph.connect` takes it.

        Raises what `Graph.connect` and `open_context` raise.
        """

        def opened() -> Context:
            graph = Graph.connect(uri, **login)
            try:
                return open_context(graph, model=model, options=options)
            except BaseException:
                graph.close()
                raise

        return cls(await asyncio.to_thread(opened), seconds=seconds, owned=True)

    async def ask(
        self, question: str, *, strategy: str | Strategy | None = None, entities: Sequence[str] = ()
    ) -> Answer:
        """What `kgneo.ask` gives. Raises what it raises, and GraphTimeout after `seconds`."""
        return await self._worked(lambda: ask(self._context, question, strategy=strategy, entities=entities))

    async def verify(self, claim: str, *, entities: Sequence[str] = (), closed: bool = False) -> Verification:
        """What `kgneo.verify` gives. Raises what it raises, and GraphTimeout after `seconds`."""
        return await self._worked(lambda: verify(self._context, claim, entities=entities, closed=closed))

    async def close(self) -> None:
        """Close the connection, where `connect` opened it."""
        if self._owned:
            await asyncio.to_thread(self._context.graph.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _worked(self, function: Callable[[], T]) -> T:
        work = Work(self._seconds)

        def done() -> T:
            with work.begun():
                return function()

        try:
            return await asyncio.to_thread(done)
        except asyncio.CancelledError:
            work.end()
            with suppress(KgneoError):
                await asyncio.shield(asyncio.to_thread(self._context.graph.end, work))
            raise
