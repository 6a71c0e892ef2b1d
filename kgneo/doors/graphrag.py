"""A retriever for neo4j-graphrag over a graph (the extra `graphrag`).

from neo4j_graphrag.generation import GraphRAG
from kgneo import Graph, open_context
from kgneo.doors.graphrag import KgneoRetriever

context = open_context(Graph(driver))
GraphRAG(retriever=KgneoRetriever(driver, context), llm=llm).search("what is the capital of [Ethiopia]?")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import neo4j
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

from kgneo.context import Context
from kgneo.doors.passages import MOST, Passage, passages


class KgneoRetriever(Retriever):
    """The answer to a question as the first item, the triples that it rests on as the next; none where nothing is
    found. `driver` is what the framework keeps; the questions go through `context`."""

    VERIFY_NEO4J_VERSION = False  # no vector index is needed

    def __init__(self, driver: neo4j.Driver, context: Context, *, strategy: str | None = None) -> None:
        super().__init__(driver, context.graph.database)
        self.context = context
        self.strategy = strategy

    def get_search_results(
        self, query_text: str, top_k: int = MOST, entities: Sequence[str] | None = None
    ) -> RawSearchResult:
        """Answer `query_text`, with at most `top_k` triples. `entities` names what it is about."""
        found = passages(self.context, query_text, strategy=self.strategy, entities=entities or (), most=top_k)
        records = [_record(item) for item in found]
        metadata: dict[str, Any] = {"cypher": found[0].metadata["cypher"]} if found else {}
        return RawSearchResult(records=records, metadata=metadata)

    def default_record_formatter(self, record: neo4j.Record) -> RetrieverResultItem:
        """The text as content, what it is made of as metadata."""
        return RetrieverResultItem(content=record["content"], metadata=record["metadata"])


def _record(item: Passage) -> neo4j.Record:
    return neo4j.Record({"content": item.text, "metadata": item.metadata})  # type: ignore[no-untyped-call]
