"""Full-text and vector indexes that a graph has of its own: what texts say, and what is alike, at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.graph.attach import Choices
from kgneo.graph.cache import LocalCache
from kgneo.graph.user_indexes import user_indexes
from tests.conftest import on_one_version
from tests.test_texts import FILL, PLOTS, REVIEWS

TIME = {"Tomorrow Again", "Older Than Me"}
WORDS = "CREATE FULLTEXT INDEX plots FOR (film:Film) ON EACH [film.plot]"
MEANINGS = """
CREATE VECTOR INDEX meanings FOR (film:Film) ON film.embedding
OPTIONS {indexConfig: {`vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine'}}
"""
GIVE = "MATCH (film:Film) WHERE film.plot = $plot SET film.embedding = $embedding"


@pytest.fixture
def films(graph: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Graph:
    """Films with plots, of which nothing is known on this machine."""
    encoders = cache_folder() / "encoders"
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    (tmp_path / "encoders").symlink_to(encoders)
    graph.write(FILL, plots=PLOTS, reviews=REVIEWS)
    return graph


def give(graph: Graph, embeddings: Sequence[Sequence[float]]) -> None:
    """Give the films embeddings of these, and a vector index."""
    for plot, embedding in zip(PLOTS, embeddings, strict=True):
        graph.write(GIVE, plot=plot, embedding=list(embedding))
    graph.schema(MEANINGS, dimensions=len(embeddings[0]))
    graph.read("CALL db.awaitIndexes(60)")


@pytest.fixture
def worded(films: Graph, encoder: OnnxEncoder) -> Context:
    """With a full-text index alone."""
    films.schema(WORDS)
    films.read("CALL db.awaitIndexes(60)")
    return open_context(films, encoder=encoder)


@pytest.fixture
def embedded(films: Graph, encoder: OnnxEncoder) -> Context:
    """With a vector index alone, of this encoder's embeddings."""
    give(films, encoder.encode(PLOTS).tolist())
    return open_context(films, encoder=encoder)


def test_indexes_of_the_graph_s_own_are_found_and_kgneo_s_are_not(embedded: Context) -> None:
    embedded.graph.schema("CREATE FULLTEXT INDEX kgneo_mine FOR (film:Film) ON EACH [film.title]")
    embedded.graph.schema(WORDS)
    embedded.graph.read("CALL db.awaitIndexes(60)")
    found = {item.name: (item.labels, item.keys, item.dimensions) for item in user_indexes(embedded.graph)}
    assert found == {"plots": (("Film",), ("plot",), 0), "meanings": (("Film",), ("embedding",), 384)}


def test_a_vector_index_of_the_same_encoder_finds_what_texts_say(embedded: Context) -> None:
    answer = ask(embedded, "films about time travel")
    assert set(answer.answers) == TIME
    assert any("meanings" in warning for warning in answer.warnings)


def test_a_full_text_index_finds_what_texts_say_by_its_words(worded: Context) -> None:
    answer = ask(worded, "films about a bakery")
    assert answer.answers == ("The Blue Oven",)
    assert answer.evidence[0].triple.object.startswith("Two sisters inherit a bakery")
    assert any("plots" in warning for warning in answer.warnings)


@on_one_version
def test_other_conditions_of_the_question_are_met(embedded: Context) -> None:
    assert ask(embedded, "films about time travel after 2000").answers == ("Tomorrow Again",)


@on_one_version
def test_embeddings_that_another_encoder_made_are_not_compared_with_this_one_s(
    films: Graph, encoder: OnnxEncoder
) -> None:
    made = encoder.encode(PLOTS)
    give(films, made[:, ::-1].tolist())
    films.schema(WORDS)
    films.read("CALL db.awaitIndexes(60)")
    answer = ask(open_context(films, encoder=encoder), "films about a bakery")
    assert answer.answers == ("The Blue Oven",)
    assert not any("meanings" in warning for warning in answer.warnings)


@on_one_version
def test_a_graph_without_indexes_is_asked_as_before(films: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(films, encoder=encoder)
    assert not context.knowledge.texts.there


@on_one_version
def test_texts_that_are_left_out_are_not_found(films: Graph, encoder: OnnxEncoder) -> None:
    films.schema(WORDS)
    films.read("CALL db.awaitIndexes(60)")
    LocalCache(films).choices(Choices(exclude=("Film.plot",)))
    context = open_context(films, encoder=encoder)
    assert not context.knowledge.texts.there


def test_what_is_alike_is_found_by_embeddings_whatever_made_them(films: Graph, encoder: OnnxEncoder) -> None:
    near = [[1.0, 0.0, 0.1], [0.0, 1.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]]
    give(films, near)
    answer = ask(open_context(films, encoder=encoder), "films like Low Clouds")
    assert set(answer.answers) == TIME
    assert answer.table is not None
    assert answer.table.columns == ("name", "likeness", "shares", "embedding")
    by_name = {row[0]: row[1:] for row in answer.table.rows}
    assert by_name["Tomorrow Again"] == (None, "", 0.99)
    assert by_name["Older Than Me"][1] == "Iris Vance"
