"""Chat as OpenAI's API has it: `/v1/chat/completions` and `/v1/models`, for programs that speak it already.

A model is a strategy: `kgneo` the server's default, `kgneo/paths`, `kgneo/kg-rag` and so on; with several language
models `kgneo/kg-rag@MODEL`, too. The last message is the question, those before it the history. An answer is text
with its evidence below it, numbered; the whole answer is in the field `kgneo` beside OpenAI's. What a language model
writes on the way comes as `reasoning_content`, since only the answer at the end was checked against the graph.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from kgneo.asking.question import check_text
from kgneo.errors import EntityNotFound, KgneoError
from kgneo.events import Event, Text
from kgneo.model import Answer, Evidence
from kgneo.serve.api import Routes, client_of, event_stream
from kgneo.serve.failures import JsonResponse, Refusal, record_of
from kgneo.serve.service import Answered, Asked, Record, Service, Turn
from kgneo.serve.threads import Threads

PREFIX = "kgneo"
AT = "@"
CITED = 20
"""Triples that are listed below an answer; all are in the field `kgneo`."""
HEADING = "\n\nEvidence:\n"
_MARKUP = re.compile(r"([\\`*_{}\[\]<>!|~#])")


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """A message of a chat."""

    role: str
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """All its text."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """Options of a stream."""

    include_usage: bool = False


class ChatBody(BaseModel):
    """A request for a completion; fields of OpenAI's that say how a model is to write are not used."""

    model_config = ConfigDict(extra="ignore")
    model: str = Field(PREFIX, max_length=200)
    messages: list[ChatMessage] = Field(min_length=1, max_length=200)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None


class ChatRoutes:
    """The handlers of /v1 around one service."""

    def __init__(self, service: Service, threads: Threads, routes: Routes) -> None:
        self._service = service
        self._threads = threads
        self._routes = routes
        self._started = int(time.time())

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1", tags=["chat"])
        router.get("/models")(self.models)
        router.get("/models/{name:path}")(self.model)
        router.post("/chat/completions")(self.complete)
        return router

    async def models(self) -> Record:
        """The strategies that can be asked, as models."""
        return {"object": "list", "data": [self._model(name) for name in self._names()]}

    async def model(self, name: str) -> Record:
        """One of the models."""
        self._strategy(name)
        return self._model(name)

    async def complete(self, body: ChatBody, request: Request) -> Response:
        """Answer the last message."""
        asked = replace(self._asked(body), user=client_of(request))
        head = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": body.model}
        if body.stream:
            usage = body.stream_options is not None and body.stream_options.include_usage
            return event_stream(self._chunks(asked, head, with_usage=usage))
        answered: Answered = await self._routes.work(request, partial(self._answer, asked))
        answer = answered.answer
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": content(answer), "refusal": None},
            "finish_reason": "stop",
            "logprobs": None,
        }
        record = {**head, "object": "chat.completion", "choices": [choice], "usage": _usage(answer)}
        return JsonResponse({**record, "kgneo": answered.record})

    def _names(self) -> list[str]:
        """The default, each strategy, and those that need a language model with each model, where there are several."""
        known = self._service.strategies()
        further = known["models"] if len(known["models"]) > 1 else []
        chosen = [f"{name}{AT}{model}" for name in known["with_model"] for model in further]
        return [PREFIX, *(f"{PREFIX}/{name}" for name in (*known["strategies"], *chosen))]

    def _model(self, name: str) -> Record:
        return {"id": name, "object": "model", "created": self._started, "owned_by": "kgneo"}

    def _strategy(self, model: str) -> tuple[str | None, str | None]:
        """The strategy and the language model that the name of a model means."""
        names = self._names()
        if model not in names:
            raise Refusal(
                404, "model_not_found", f"There is no model {model!r}.", f"Expected one of: {', '.join(names)}."
            )
        strategy, _, chosen = model.removeprefix(PREFIX).removeprefix("/").partition(AT)
        return strategy or None, chosen or None

    def _asked(self, body: ChatBody) -> Asked:
        strategy, model = self._strategy(body.model)
        spoken = [message for message in body.messages if message.role in ("user", "assistant")]
        if not spoken or spoken[-1].role != "user" or not spoken[-1].text.strip():
            raise Refusal(422, "NoQuestion", "The last message is no question of a user.")
        question = spoken[-1].text.strip()
        self._routes.check_length(question)
        history = tuple(_turns(spoken[:-1]))
        if not history:
            check_text(question)
        return Asked(question, strategy, model, history=history)

    def _answer(self, asked: Asked, tell: Callable[[Event], None] | None = None) -> Answered:
        """The answer. That a name is not in the graph is one, too: at an error chat programs end, or show JSON, and
        whoever asked only has to spell it otherwise. Raises what `Service.ask` raises else."""
        try:
            return self._service.ask(asked, tell)
        except EntityNotFound as error:
            text = " ".join(filter(None, (error.message, error.hint)))
            return Answered(Answer(asked.question, asked.strategy or "", text), record_of(error))

    async def _chunks(self, asked: Asked, head: Record, *, with_usage: bool) -> AsyncIterator[bytes]:
        def chunk(delta: Record, finish: str | None = None, **more: Any) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
            return _data({**head, "object": "chat.completion.chunk", "choices": [choice], **more})

        yield chunk({"role": "assistant", "content": ""})
        try:
            async for item in self._threads.stream(partial(self._answer, asked)):
                if isinstance(item, Answered):
                    yield chunk({"content": content(item.answer)})
                    yield chunk({}, "stop", kgneo=item.record)
                    if with_usage:
                        used = {"choices": [], "usage": _usage(item.answer)}
                        yield _data({**head, "object": "chat.completion.chunk", **used})
                elif text := _said(item):
                    yield chunk({"reasoning_content": text})
        except KgneoError as error:
            yield _data(record_of(error))
        except Refusal as refusal:
            yield _data(json.loads(bytes(refusal.response().body)))
        yield b"data: [DONE]\n\n"


def content(answer: Answer) -> str:
    """An answer as a message: its text, what is to be known of it, and the triples that it rests on, numbered.

    Markup in the text of the graph or the model is shown as it is written."""
    lines = [plain(answer.answer if answer.outcome == "answer" else answer.message)]
    lines += ["Which of these do you mean?"] if answer.outcome == "choice" else []
    lines += [f"({plain(warning)})" for warning in answer.warnings]
    text = "\n".join(lines)
    if not answer.evidence:
        return text
    shown = [f"{number}. {_cited(item)}" for number, item in enumerate(answer.evidence[:CITED], start=1)]
    if len(answer.evidence) > CITED:
        shown.append(f"… and {len(answer.evidence) - CITED} more")
    return text + HEADING + "\n".join(shown)


def plain(text: str) -> str:
    """Text that means the same to a program that shows Markdown."""
    return _MARKUP.sub(r"\\\1", text)


def _cited(item: Evidence) -> str:
    triple = item.triple
    relation = " ".join(filter(None, (triple.relation.replace("_", " "), triple.detail)))
    return f"({plain(triple.subject)}, {plain(relation)}, {plain(triple.object)})"


def _turns(messages: list[ChatMessage]) -> list[Turn]:
    """Questions with the answers that followed them, without their evidence."""
    turns: list[Turn] = []
    for before, after in pairwise(messages):
        if (before.role, after.role) == ("user", "assistant"):
            turns.append((before.text, after.text.partition(HEADING)[0], None))
    return turns


def _said(event: Event) -> str:
    """What is told on the way: the stages as lines, the model's text as it comes."""
    if isinstance(event, Text):
        return plain(event.text)
    if event.status == "begun" and event.text:
        return f"\n{plain(event.text)}\n"
    return ""


def _usage(answer: Answer) -> Record:
    use = answer.llm
    prompt, written = (use.prompt_tokens, use.completion_tokens) if use else (0, 0)
    return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}


def _data(record: Record) -> bytes:
    return f"data: {json.dumps(record, default=str)}\n\n".encode()
