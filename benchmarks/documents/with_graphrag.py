"""The world by neo4j-graphrag's pipeline (extra: graphrag). Needs APOC on the server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import neo4j
from neo4j_graphrag.embeddings.base import Embedder
from neo4j_graphrag.experimental.pipeline.kg_builder import SimpleKGPipeline
from neo4j_graphrag.llm import LLMInterface, LLMResponse

from benchmarks.documents.world import DOCUMENTS, said, text_of, vector_of


class Words(Embedder):
    """Embeddings by words."""

    def embed_query(self, text: str, **_: Any) -> list[float]:
        """A vector for a text."""
        return vector_of(text)


class Scripted(LLMInterface):
    """Replies with what a text says of the world."""

    def __init__(self) -> None:
        super().__init__(model_name="scripted")

    def invoke(self, input: Any, *_: Any, **__: Any) -> LLMResponse:  # noqa: A002
        """The nodes and relationships of the text in a prompt."""
        things, facts = said(str(input))
        ids = {thing.name: str(number) for number, thing in enumerate(things)}
        nodes = [
            {
                "id": ids[thing.name],
                "label": thing.kind,
                "properties": {"name": thing.name, "description": thing.description},
            }
            for thing in things
        ]
        relationships = [
            {
                "type": fact.relation,
                "start_node_id": ids[fact.subject],
                "end_node_id": ids[fact.object],
                "properties": {},
            }
            for fact in facts
        ]
        return LLMResponse(content=json.dumps({"nodes": nodes, "relationships": relationships}))

    async def ainvoke(self, *given: Any, **named: Any) -> LLMResponse:
        """The same, awaited."""
        return self.invoke(*given, **named)


def build(uri: str, user: str, password: str) -> None:
    """Build the world in an empty database."""
    with neo4j.GraphDatabase.driver(uri, auth=(user, password)) as driver:
        pipeline = SimpleKGPipeline(
            llm=Scripted(), driver=driver, embedder=Words(), from_file=False, on_error="RAISE", schema="FREE"
        )
        for name in DOCUMENTS:
            asyncio.run(pipeline.run_async(text=text_of(name), document_metadata={"source": name}))
