"""The world by graphiti (extra: documents), with entity types or without."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
os.environ["EMBEDDING_DIM"] = "64"

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.llm_client.config import LLMConfig
from graphiti_core.nodes import EpisodeType
from pydantic import BaseModel, create_model

from benchmarks.documents.world import DOCUMENTS, FACTS, THINGS, Fact, said, text_of, vector_of

TOLD = datetime(2024, 1, 1, tzinfo=UTC)
"""When the documents were told."""
_CURRENT = re.compile(r"<(CURRENT[ _]MESSAGE|TEXT)>(.*?)</\1>", re.DOTALL)
_TYPE = re.compile(r"""['"]entity_type_id['"]: (\d+), ['"]entity_type_name['"]: ['"](\w+)""")


class Words(EmbedderClient):
    """Embeddings by words."""

    async def create(self, input_data: Any) -> list[float]:
        """A vector for a text."""
        return vector_of(input_data if isinstance(input_data, str) else " ".join(map(str, input_data)))

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """A vector for each text."""
        return [vector_of(text) for text in input_data_list]


class InOrder(CrossEncoderClient):
    """Ranks passages as they come."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:  # noqa: ARG002
        """Each passage with its score."""
        return [(text, 1.0 / (1 + place)) for place, text in enumerate(passages)]


class Scripted(LLMClient):
    """Replies with what a text says of the world."""

    def __init__(self) -> None:
        super().__init__(LLMConfig(api_key="none", model="scripted"))

    async def _generate_response(
        self, messages: Any, response_model: type[BaseModel] | None = None, *_: Any, **__: Any
    ) -> dict[str, Any]:
        prompt = messages[-1].content
        return REPLIES[response_model.__name__ if response_model else ""](prompt)


def _dates(fact: Fact) -> dict[str, str | None]:
    return {
        "valid_at": f"{fact.since}T00:00:00Z" if fact.since else None,
        "invalid_at": f"{fact.until}T00:00:00Z" if fact.until else None,
    }


def _current(prompt: str) -> str:
    found = _CURRENT.search(prompt)
    return found[2] if found else prompt


def _entities(prompt: str) -> dict[str, Any]:
    types = {name: int(number) for number, name in _TYPE.findall(prompt)}
    things = said(_current(prompt))[0]
    return {"extracted_entities": [{"name": item.name, "entity_type_id": types.get(item.kind, 0)} for item in things]}


def _edges(prompt: str) -> dict[str, Any]:
    return {
        "edges": [
            {
                "source_entity_name": fact.subject,
                "target_entity_name": fact.object,
                "relation_type": fact.relation,
                "fact": fact.sentence,
                **_dates(fact),
            }
            for fact in said(_current(prompt))[1]
        ]
    }


def _summaries(prompt: str) -> dict[str, Any]:
    return {"summaries": [{"name": item.name, "summary": item.description} for item in THINGS if item.name in prompt]}


REPLIES: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "ExtractedEntities": _entities,
    "ExtractedEdges": _edges,
    "EdgeTimestamps": lambda prompt: _dates(next(fact for fact in FACTS if fact.sentence in prompt)),
    "NodeResolutions": lambda _: {"entity_resolutions": []},
    "EdgeDuplicate": lambda _: {"duplicate_facts": [], "contradicted_facts": []},
    "SummarizedEntities": _summaries,
    **dict.fromkeys(["Person", "Organization", "Location", "Product", ""], lambda _: {}),
}


async def _build(uri: str, user: str, password: str, *, typed: bool) -> None:
    graphiti = Graphiti(uri, user, password, llm_client=Scripted(), embedder=Words(), cross_encoder=InOrder())
    kinds: dict[str, type[BaseModel]] = {
        kind: create_model(kind, __doc__=kind) for kind in dict.fromkeys(item.kind for item in THINGS)
    }
    await graphiti.build_indices_and_constraints()
    for name in DOCUMENTS:
        await graphiti.add_episode(
            name=name,
            episode_body=text_of(name),
            source_description="a document",
            source=EpisodeType.text,
            reference_time=TOLD,
            entity_types=kinds if typed else None,
        )
    await graphiti.close()  # type: ignore[no-untyped-call]


def build(uri: str, user: str, password: str, *, typed: bool = False) -> None:
    """Build the world in an empty database."""
    asyncio.run(_build(uri, user, password, typed=typed))
