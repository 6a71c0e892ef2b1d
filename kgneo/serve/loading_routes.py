"""Loading by HTTP: files that are sent, a preview of what they make, and a new store with its graph from them.

`/api/v1/loading` says whether this server loads at all, and what it has loaded. Files are sent one by one into a draft
and previewed as often as one likes; nothing is written into any graph before a new store is asked for, whose making is
told as server-sent events.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from starlette.requests import ClientDisconnect

from kgneo.errors import KgneoError
from kgneo.loader import LoadOptions, loaders
from kgneo.preview import Preview, preview
from kgneo.serve.api import NAME, Closed, event, event_stream, refused
from kgneo.serve.drafts import Draft, Drafts
from kgneo.serve.failures import JsonResponse, Refusal, record_of, status_of
from kgneo.serve.loading import BELOW, Event, Loading
from kgneo.serve.new_store import Reading
from kgneo.serve.settings import Limits

Short = Annotated[str, Field(max_length=NAME)]


class ReadingBody(Closed):
    """How files are read: the options of `kgneo load` of the same names. What is null is found from the files."""

    format: Short | None = None
    columns: tuple[Short, Short, Short] | None = Field(None, strict=False, description="Of subject, relation, object.")
    separator: Short | None = None
    header: Literal["auto", "yes", "no"] = "auto"
    no_quotes: bool = Field(False, description="Quotes are plain characters.")
    names: Literal["local", "iri"] = "local"
    language: Short | None = None

    def reading(self) -> Reading:
        """The same for the loaders."""
        quote = None if self.no_quotes else '"'
        options = LoadOptions(
            separator=self.separator,
            columns=self.columns,
            header=self.header,
            quote=quote,
            names=self.names,
            language=self.language,
        )
        return Reading(self.format, options)


class StoreBody(ReadingBody):
    """A new store from the files of a draft."""

    name: Annotated[str, Field(min_length=1, max_length=100, description="One that no store of this machine has.")]
    skip_bad_lines: bool = Field(False, description="Leave out lines that cannot be used; else nothing is loaded.")


@dataclass(frozen=True, slots=True)
class LoadingRoutes:
    """The handlers; without `loading`, they refuse."""

    loading: Loading | None
    limits: Limits

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/api/v1/loading", tags=["loading"])
        stream: Any = {200: {"content": {"text/event-stream": {}}}}
        file: Any = {"requestBody": {"required": True, "content": {"application/octet-stream": {}}}}
        router.get("")(self.about)
        router.post("")(self.begin)
        router.post("/{key}/files", openapi_extra=file)(self.take)
        router.post("/{key}/preview")(self.preview)
        router.post("/{key}/store", responses=stream)(self.store)
        router.delete("/{key}")(self.leave)
        return router

    async def about(self) -> JsonResponse:
        """Whether files can be loaded here, how many bytes, in which formats, and the graphs that were loaded."""
        if self.loading is None:
            return JsonResponse({"allowed": False})
        formats = [{"name": item.name, "aliases": list(item.aliases)} for item in loaders()]
        graphs = [{"name": name, "path": f"{BELOW}{name}/"} for name in self.loading.names]
        return JsonResponse({"allowed": True, "bytes": self.limits.files, "formats": formats, "graphs": graphs})

    async def begin(self) -> JsonResponse:
        """Begin a draft, which files can be sent into. The last three are kept."""
        return JsonResponse({"key": self._drafts.begin().key})

    async def take(
        self, key: str, request: Request, name: Annotated[str, Query(max_length=NAME, description="The file's name.")]
    ) -> JsonResponse:
        """Take a file, which is the whole body of the request."""
        drafts = self._drafts
        draft = drafts.find(key)
        declared = request.headers.get("content-length", "0")
        drafts.check_size(draft, int(declared[:20]) if declared.isdecimal() else 0)
        return JsonResponse({"name": name, "bytes": await drafts.take(draft, name, self._pieces(request))})

    async def _pieces(self, request: Request) -> AsyncIterator[bytes]:
        """The body as it arrives. Raises Refusal where it does not."""
        stream = request.stream()
        try:
            while True:
                yield await asyncio.wait_for(anext(stream), self.limits.body_seconds)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Refusal(408, "SlowBody", "The file did not arrive in time.") from None
        except ClientDisconnect:
            raise Refusal(400, "Gone", "The file ended early.") from None

    def preview(self, key: str, body: ReadingBody) -> JsonResponse:
        """What the files of a draft would make: kinds and numbers, the first of each, and what is left out, and why."""
        draft, reading = self._filled(key), body.reading()
        until = time.monotonic() + self.limits.look_seconds

        def on_progress(_: int) -> None:
            if time.monotonic() > until:
                message = f"The files could not be read through within {self.limits.look_seconds:g} s."
                raise Refusal(504, "PreviewTooLong", message, "Load them in the shell, with `kgneo load`.")

        look = partial(preview, draft.paths, format=reading.format, options=reading.options, on_progress=on_progress)
        try:
            return JsonResponse(_record(look(), draft))
        except KgneoError as error:
            raise told(error, draft) from None

    async def store(self, key: str, body: StoreBody) -> Response:
        """Load the files of a draft into a new store. Events: `progress`, `loaded` when it can be asked, `indexed` when
        its triples have embeddings; or `error`. Whoever leaves before `loaded` ends it, and nothing is kept."""
        draft = self._filled(key)
        reading = replace(body.reading(), skip_bad_lines=body.skip_bad_lines)
        return event_stream(_as_bytes(self._loading.begin(body.name, draft, reading), draft))

    async def leave(self, key: str) -> JsonResponse:
        """End the load of a draft, where it is under way; delete its files otherwise."""
        draft = self._drafts.find(key)
        if not self._loading.cancel(draft):
            self._drafts.forget(key)
        return JsonResponse({"removed": True})

    def _filled(self, key: str) -> Draft:
        """A draft that has files."""
        draft = self._drafts.find(key)
        if not draft.sizes:
            raise Refusal(409, "NoFiles", "No file was sent yet.", "Send one to /api/v1/loading/KEY/files?name=NAME.")
        return draft

    @property
    def _loading(self) -> Loading:
        if self.loading is None:
            message, hint = (
                "This server loads no files.",
                "Load in the shell, with `kgneo load`, or start it with --loading.",
            )
            raise Refusal(403, "LoadingOff", message, hint)
        return self.loading

    @property
    def _drafts(self) -> Drafts:
        return self._loading.drafts


async def _as_bytes(events: AsyncGenerator[Event], draft: Draft) -> AsyncIterator[bytes]:
    """The events of a load as they are sent, an error as the last one."""
    yield b": begun\n\n"
    try:
        async with aclosing(events):
            async for name, data in events:
                yield event(name, data)
    except KgneoError as error:
        yield refused(told(error, draft))
    except Refusal as refusal:
        yield refused(refusal)


def told(error: KgneoError, draft: Draft) -> Refusal:
    """One of kgneo's errors about the files of a draft, without where they are."""
    record = record_of(error)["error"]
    return Refusal(status_of(error), record["type"], draft.told(error.message), draft.told(error.hint))


def _record(found: Preview, draft: Draft) -> dict[str, Any]:
    """A preview as JSON, whose files are called as they were sent."""
    record = asdict(found)
    record["files"] = [{**file, "name": draft.told(file["name"])} for file in record["files"]]
    record["left_out"]["first"] = [[draft.told(file), *rest] for file, *rest in record["left_out"]["first"]]
    record["passed_over"] = [draft.told(file) for file in record["passed_over"]]
    return record
