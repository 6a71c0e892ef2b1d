"""A LangChain retriever over a graph (the extra `langchain`).

from kgneo import Graph, open_context
from kgneo.doors.langchain import KgneoRetriever

with Graph.connect("bolt://localhost:7687", password="…") as graph:
    retriever = KgneoRetriever(context=open_context(graph))
    documents = retriever.invoke("what is the capital of [Ethiopia]?")
"""

from __future__ import annotations

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import SkipValidation

from kgneo.context import Context
from kgneo.doors.passages import MOST, passages


class KgneoRetriever(BaseRetriever):
    """The answer to a question as the first document, the triples that it rests on as the next; none where nothing is
    found. `strategy` is a name (else the default), `most` bounds the triples."""

    context: SkipValidation[Context]
    strategy: str | None = None
    most: int = MOST

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:  # noqa: ARG002 - LangChain's signature
        found = passages(self.context, query, strategy=self.strategy, most=self.most)
        return [Document(page_content=item.text, metadata=item.metadata) for item in found]
