"""The HTTP API, version 1: what `service` can do, as JSON; answers as server-sent events, too.

An event stream has events `stage` and `text` while a strategy works, and ends with one `answer` (the object that
`kgneo ask --json` prints) or one `error`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from kgneo.asking.question import check_text
from kgneo.errors import KgneoError
from kgneo.feedback.give import Said
from kgneo.serve.failures import JsonResponse, Refusal, record_of
from kgneo.serve.metrics import CONTENT_TYPE, Metrics
from kgneo.serve.service import Answered, Asked, Record, Service, event_record
from kgneo.serve.settings import USER, Limits
from kgneo.serve.threads import Threads
from kgneo.version import __version__

NAME = 500
"""Characters of an entity's name or id."""
LISTED = 100
"""Names and neighbours that one request may list."""
Name = Annotated[str, Field(max_length=NAME)]


class Closed(BaseModel):
    """An object without further fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TurnBody(Closed):
    """A question before this one, and its answer."""

    question: str = Field(max_length=10_000)
    answer: str = Field(max_length=10_000)
    query_graph: dict[str, Any] | None = Field(None, description="What gave the answer, as the answer has it.")


class QuestionBody(Closed):
    """A question. Topic entities stand in [brackets], are given as `entities`, or are found in the text."""

    question: str = Field(min_length=1, examples=["what is the capital of [Ethiopia]?"])
    strategy: Name | None = Field(None, description="One of /api/v1/strategies; without it the server's default.")
    model: Name | None = Field(None, description="One of the models of /api/v1/strategies; without it the first.")
    entities: list[Name] = Field(default_factory=list, max_length=20)
    history: list[TurnBody] = Field(default_factory=list, max_length=20, description="Earlier turns, oldest first.")
    hops: int | None = Field(None, ge=1, description="How far to reach.")
    top_k: int | None = Field(None, ge=1, le=1000, description="Triples to keep.")
    limit: int | None = Field(None, ge=1, description="Answers to list at most.")
    evidence: int | None = Field(None, ge=0, description="Matches to keep as evidence of each answer; 0: all.")
    stream: bool = Field(False, description="Answer with server-sent events.")


class InterpretBody(Closed):
    """A question to be read, not answered."""

    question: str = Field(min_length=1)
    entities: list[Name] = Field(default_factory=list, max_length=20)


class ClaimBody(Closed):
    """A claim to be verified: a sentence that the graph supports, refutes, or says too little about."""

    claim: str = Field(min_length=1, examples=["The capital of [Ethiopia] is [Addis Ababa]."])
    entities: list[Name] = Field(default_factory=list, max_length=20)
    closed: bool = Field(False, description="Whether what the graph does not hold is false.")


class FeedbackBody(Closed):
    """What somebody says of the answer to a question: that it is right, that it is wrong (neither `means` nor `answers`
    is given then), what it means, or which answers are right."""

    question: str = Field(min_length=1)
    right: bool = Field(False, description="Whether the answer that `query_graph` gave is right.")
    query_graph: dict[str, Any] | None = Field(None, description="What gave the answer, as the answer has it.")
    means: str = Field("", max_length=10_000, description="Other words, Cypher, or a query graph in JSON.")
    answers: list[Name] = Field(default_factory=list, max_length=LISTED, description="The right answers.")
    by: str = Field("", max_length=100, description="Who says it; without it, where the request comes from.")


class RunBody(Closed):
    """A query graph, as `interpret` gives it, to be run as it is or changed."""

    graph: dict[str, Any] = Field(description="variables, edges, conditions, selections, answer")
    limit: int | None = Field(None, ge=1)


class NextBody(Closed):
    """A query graph, as an answer has it, and whether it has several answers."""

    graph: dict[str, Any] = Field(description="variables, edges, conditions, selections, answer")
    several: bool = Field(True, description="Whether groups and the first by an order are suggested, too.")


class NodesBody(Closed):
    """Nodes by their ids, as answers have them."""

    ids: list[Name] = Field(max_length=1_000)


class Routes:
    """The handlers of /api/v1 around one service."""

    def __init__(self, service: Service, threads: Threads, metrics: Metrics, limits: Limits) -> None:
        self._service = service
        self._threads = threads
        self._metrics = metrics
        self._limits = limits

    def router(self) -> APIRouter:
        """The routes, by which the OpenAPI document is made, too."""
        router = APIRouter(prefix="/api/v1")
        stream: Any = {200: {"content": {"text/event-stream": {}}}}
        router.post("/ask", tags=["questions"], responses=stream)(self.ask)
        router.post("/retrieve", tags=["questions"])(self.retrieve)
        router.post("/interpret", tags=["questions"])(self.interpret)
        router.post("/verify", tags=["questions"])(self.verify)
        router.post("/run", tags=["questions"])(self.run)
        router.post("/next", tags=["questions"])(self.next)
        router.post("/feedback", tags=["questions"])(self.feedback)
        router.get("/schema", tags=["graph"])(self.schema)
        router.get("/values", tags=["graph"])(self.values)
        router.get("/quality", tags=["graph"])(self.quality)
        router.get("/entities", tags=["graph"])(self.entities)
        router.get("/neighbours", tags=["graph"])(self.neighbours)
        router.post("/nodes", tags=["graph"])(self.nodes)
        router.get("/strategies", tags=["questions"])(self.strategies)
        router.get("/health", tags=["server"])(health)
        router.get("/ready", tags=["server"])(self.ready)
        router.get("/metrics", tags=["server"], response_class=Response)(self.figures)
        return router

    async def ask(self, body: QuestionBody, request: Request) -> Response:
        """Answer a question, with the triples that the answer rests on."""
        asked = replace(self.asked(body), user=client_of(request))
        if body.stream:
            return event_stream(self._events(asked))
        answered: Answered = await self.work(request, partial(self._service.ask, asked))
        return JsonResponse(answered.record)

    async def retrieve(self, body: QuestionBody, request: Request) -> JsonResponse:
        """The triples nearest to a question, without an answer."""
        return JsonResponse(await self.work(request, partial(self._service.retrieve, self.asked(body))))

    async def interpret(self, body: InterpretBody, request: Request) -> JsonResponse:
        """The readings of a question as query graphs, with their Cypher; nothing is run."""
        self.check_length(body.question)
        work = partial(self._service.interpret, body.question, tuple(body.entities))
        return JsonResponse(await self.work(request, work))

    async def verify(self, body: ClaimBody, request: Request) -> JsonResponse:
        """Whether the graph supports a claim or refutes it, with the evidence."""
        self.check_length(body.claim)
        work = partial(self._service.verify, body.claim, tuple(body.entities), closed=body.closed)
        return JsonResponse(await self.work(request, work))

    async def run(self, body: RunBody, request: Request) -> JsonResponse:
        """Run a query graph. It is checked against the schema first, and can only read."""
        limit = min(body.limit or self._limits.answers, self._limits.answers)
        return JsonResponse(await self.work(request, partial(self._service.run, body.graph, limit=limit)))

    async def next(self, body: NextBody, request: Request) -> JsonResponse:
        """What may be asked after a query graph: up to three others that go on from it, and were run."""
        return JsonResponse(await self.work(request, partial(self._service.next, body.graph, several=body.several)))

    async def feedback(self, body: FeedbackBody, request: Request) -> JsonResponse:
        """Keep what is said of an answer. It changes no answer until somebody has reviewed it on the server."""
        self.check_length(body.question)
        by = request.scope.get(USER) or body.by or client_of(request)
        said = Said(body.right, body.means, tuple(body.answers), by, "http")
        work = partial(self._service.feedback, body.question, body.query_graph, said)
        return JsonResponse(await self.work(request, work))

    async def schema(self, request: Request) -> JsonResponse:
        """Labels, relationship types, properties, what connects what, and example questions."""
        return JsonResponse(await self.work(request, self._service.schema))

    async def values(
        self,
        request: Request,
        label: Annotated[str, Query(max_length=NAME)],
        key: Annotated[str, Query(max_length=NAME)],
        limit: Annotated[int, Query(ge=1, le=LISTED)] = 10,
    ) -> JsonResponse:
        """The most frequent values of a property of a label's nodes, how far they reach, and how many have none."""
        return JsonResponse(await self.work(request, partial(self._service.values, label, key, limit)))

    async def quality(self, request: Request) -> JsonResponse:
        """Nodes of each label without a name, a property or a relationship, and names that several share."""
        return JsonResponse(await self.work(request, self._service.quality))

    async def entities(
        self,
        request: Request,
        text: Annotated[str, Query(max_length=200)],
        limit: Annotated[int, Query(ge=1, le=LISTED)] = 10,
    ) -> JsonResponse:
        """Names of nodes that go on as `text` begins."""
        return JsonResponse(await self.work(request, partial(self._service.entities, text, limit)))

    async def neighbours(
        self,
        request: Request,
        id: Annotated[str, Query(max_length=NAME)] = "",  # noqa: A002 - the name of the parameter
        name: Annotated[str, Query(max_length=NAME)] = "",
        limit: Annotated[int, Query(ge=1, le=LISTED)] = 50,
    ) -> JsonResponse:
        """A node, by id or by name, with its properties and the triples at it."""
        found = await self.work(request, partial(self._service.neighbours, id_=id, name=name, limit=limit))
        if found is None:
            raise Refusal(404, "NoNode", "There is no such node.", "Names and ids are those of /api/v1/entities.")
        return JsonResponse(found)

    async def nodes(self, body: NodesBody, request: Request) -> JsonResponse:
        """The properties of many nodes, by their ids."""
        return JsonResponse(await self.work(request, partial(self._service.nodes, body.ids)))

    async def strategies(self) -> Record:
        """How questions can be answered here."""
        return self._service.strategies()

    async def ready(self, request: Request) -> Record:
        """Whether the database answers."""
        await self.work(request, self._service.ready)
        return {"status": "ready"}

    async def figures(self) -> Response:
        """Figures of the server, in Prometheus' text format."""
        return Response(self._metrics.text(), media_type=CONTENT_TYPE)

    def asked(self, body: QuestionBody) -> Asked:
        """A body as what the service takes. Raises Refusal for what is beyond the limits, and QuestionError for what
        has no words and is no follow-up either: here, since a stream that has begun has no status."""
        self.check_length(body.question)
        if not body.history:
            check_text(body.question, body.entities)
        if body.hops is not None and body.hops > self._limits.hops:
            raise Refusal(422, "TooFar", f"{body.hops} hops were asked for, expected {self._limits.hops} at most.")
        return Asked(
            body.question,
            body.strategy,
            body.model,
            tuple(body.entities),
            tuple((turn.question, turn.answer, turn.query_graph) for turn in body.history),
            body.hops,
            body.top_k,
            min(body.limit, self._limits.answers) if body.limit else None,
            body.evidence,
        )

    def check_length(self, question: str) -> None:
        """Raises Refusal for a question that is too long."""
        if len(question) > self._limits.question:
            message = f"The question has {len(question):,} characters, expected {self._limits.question:,} at most."
            raise Refusal(422, "QuestionTooLong", message)

    async def work(self, request: Request, function: Callable[[], Any]) -> Any:
        """The result of a function of the service, which ends when the client goes."""
        return await self._threads.run(function, gone(request))

    async def _events(self, asked: Asked) -> AsyncIterator[bytes]:
        yield b": begun\n\n"
        try:
            async for item in self._threads.stream(partial(self._service.ask, asked)):
                if isinstance(item, Answered):
                    yield event("answer", item.record)
                else:
                    yield event(*event_record(item))
        except KgneoError as error:
            yield event("error", record_of(error))
        except Refusal as refusal:
            yield refused(refusal)


async def health() -> Record:
    """Whether the server runs."""
    return {"status": "ok", "version": __version__}


def client_of(request: Request) -> str:
    """Who sent a request, by whom is counted what the language model costs; where that is not known, the address that
    it came from."""
    return request.scope.get(USER) or (request.client.host if request.client else "")


def gone(request: Request) -> Callable[[], Awaitable[None]]:
    """What returns when the client of a request, whose body was read, has gone."""

    async def wait() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return wait


def event_stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    """A response of server-sent events."""
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def refused(refusal: Refusal) -> bytes:
    """A refusal as the last event of a stream."""
    return event("error", json.loads(bytes(refusal.response().body)))


def event(name: str, data: Record) -> bytes:
    """One server-sent event. JSON has no line breaks of its own, so that no text can begin another event."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    text = text.replace("\r", "\\r").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"event: {name}\ndata: {text}\n\n".encode("utf-8", "replace")
