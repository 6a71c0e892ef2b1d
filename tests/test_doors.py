"""The doors of frameworks, opened with the frameworks themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import neo4j
import pytest

from kgneo.asking.question import open_context
from kgneo.context import Context, Options
from kgneo.doors.tools import Tools
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.server import RunningServer
from tests.conftest import connect, wipe
from tests.test_attached import FILMS

QUESTION = "which movies did [Ida Brandt] act in?"


@pytest.fixture(scope="module")
def films_server(newest_server: RunningServer) -> RunningServer:
    server = newest_server
    with connect(server) as graph:
        wipe(graph)
        graph.write(FILMS)
    return server


@pytest.fixture(scope="module")
def driver(films_server: RunningServer) -> Iterator[neo4j.Driver]:
    login = neo4j.basic_auth(films_server.username, films_server.password)
    with neo4j.GraphDatabase.driver(films_server.uri, auth=login) as found:
        yield found


@pytest.fixture(scope="module")
def films(driver: neo4j.Driver, encoder: OnnxEncoder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    """What questions about the films are answered with, over a driver of the framework's user."""
    assert encoder.folder.is_dir()
    cache = tmp_path_factory.mktemp("cache")
    (cache / "encoders").symlink_to(cache_folder() / "encoders")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGNEO_CACHE_DIR", str(cache))
        yield open_context(Graph(driver), encoder=encoder)


@pytest.fixture
def langchain(films: Context) -> Any:
    pytest.importorskip("langchain_core", reason="the extra kgneo[langchain] is not installed")
    from kgneo.doors.langchain import KgneoRetriever

    return KgneoRetriever(context=films)


@pytest.fixture
def graphrag(films: Context, driver: neo4j.Driver) -> Any:
    pytest.importorskip("neo4j_graphrag", reason="the extra kgneo[graphrag] is not installed")
    from kgneo.doors.graphrag import KgneoRetriever

    return KgneoRetriever(driver, films)


def test_langchain_gets_the_answer_and_its_triples(langchain: Any) -> None:
    answer, *triples = langchain.invoke(QUESTION)
    assert set(answer.metadata["answers"]) == {"Harvest Moon", "North Pier"}
    assert {document.metadata["object"] for document in triples} == {"Harvest Moon", "North Pier"}
    assert triples[0].page_content.startswith("(Ida Brandt, ACTED IN")


def test_langchain_gets_the_same_from_a_chain_that_does_not_wait(langchain: Any) -> None:
    from langchain_core.runnables import RunnableLambda

    chain = langchain | RunnableLambda(lambda documents: documents[0].metadata["answers"])
    assert set(asyncio.run(chain.ainvoke(QUESTION))) == {"Harvest Moon", "North Pier"}


def test_langchain_gets_no_documents_for_a_name_that_is_not_there(langchain: Any) -> None:
    assert langchain.invoke("which movies did [Nobody Atall] act in?") == []


def test_graphrag_gets_the_answer_and_its_triples(graphrag: Any) -> None:
    found = graphrag.search(query_text=QUESTION, top_k=1)
    assert [item.metadata["kind"] for item in found.items] == ["answer", "triple"]
    assert set(found.items[0].metadata["answers"]) == {"Harvest Moon", "North Pier"}
    assert "MATCH" in found.metadata["cypher"]


def test_graphrag_answers_with_a_model_from_what_it_gets(graphrag: Any) -> None:
    from neo4j_graphrag.generation import GraphRAG
    from neo4j_graphrag.llm import LLMResponse
    from neo4j_graphrag.llm.base import LLMInterfaceV2

    class Echo(LLMInterfaceV2):
        """A model that says what it was asked."""

        def __init__(self) -> None:
            super().__init__(model_name="echo")

        def invoke(self, input: Any, *_: Any, **__: Any) -> LLMResponse:  # noqa: A002
            return LLMResponse(content=str(input))

        async def ainvoke(self, input: Any, *_: Any, **__: Any) -> LLMResponse:  # noqa: A002
            return self.invoke(input)

    found = GraphRAG(retriever=graphrag, llm=Echo()).search(QUESTION, return_context=False)
    assert "(Ida Brandt, ACTED IN as Ana, Harvest Moon)" in found.answer


def test_graphrag_may_use_it_as_a_tool(graphrag: Any) -> None:
    tool = graphrag.convert_to_tool(name="films", description="What is known of films.")
    assert tool.get_parameters()["required"] == ["query_text"]


def test_an_assistant_is_given_no_answer_below_the_least_confidence(sample_context: Context) -> None:
    strict = Tools(replace(sample_context, options=Options(min_confidence=1.0)))
    found = strict.ask("what is the capital of [Ethiopia]?")
    assert (found["answer"], found["answers"], found["evidence"]) == ("not found", [], [])
    assert found["other_readings"][0] == "capital of Ethiopia"
