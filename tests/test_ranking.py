"""Relation paths ranked against questions, on graphs of several naming habits."""

from __future__ import annotations

from functools import cache

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.encoders.onnx import load_exported
from kgneo.english.question import MaskedQuestion
from kgneo.model import Hop, RelationPath
from kgneo.ranking.rank import RankedPath, rank_paths
from kgneo.ranking.vectors import RankingCache, RelationStatistics
from kgneo.ranking.weights import Weights
from tests.path_questions import FILES, MemoryGraph, load_graph, load_questions, masked


@cache
def encoder() -> OnnxEncoder:
    return load_exported("minilm")


@cache
def graph(name: str) -> tuple[MemoryGraph, RelationStatistics, RankingCache]:
    loaded = load_graph(name)
    return loaded, loaded.statistics(), RankingCache(encoder())


def ranked(name: str, text: str, entity: str, *, labelled: bool = True) -> list[RankedPath]:
    loaded, statistics, memory = graph(name)
    paths = [loaded.relation_path(keys, labelled=labelled) for keys in loaded.walk(entity)]
    return rank_paths(masked(text), paths, encoder=encoder(), statistics=statistics, cache=memory)


def best(name: str, text: str, entity: str) -> str:
    return str(ranked(name, text, entity)[0].path)


def test_one_step_is_found_by_its_verb() -> None:
    assert best("music", "Who wrote [Bohemian Rhapsody]?", "Bohemian Rhapsody") == "WRITTEN_BY"


def test_two_steps_are_read_outward_from_the_entity() -> None:
    assert best("music", "who produced the albums of [Nirvana]?", "Nirvana") == "RECORDED/PRODUCED_BY"


def test_three_steps_are_found() -> None:
    question = "who produced the albums of the bands [Thom Yorke] plays in?"
    assert best("music", question, "Thom Yorke") == "PLAYED_IN/RECORDED/PRODUCED_BY"


def test_where_asks_for_a_place() -> None:
    assert best("music", "where was [Freddie Mercury] born?", "Freddie Mercury") == "BORN_IN"


def test_the_same_asks_for_a_step_back_over_the_relation() -> None:
    question = "Which other buildings were designed by the architect of [Casa Milà]?"
    assert best("codes", question, "Casa Milà") == "P84/^P84"


def test_the_shortest_path_that_explains_the_question_wins() -> None:
    paths = ranked("music", "What albums did [Pink Floyd] record?", "Pink Floyd")
    assert str(paths[0].path) == "RECORDED"


def test_the_order_of_the_paths_given_does_not_matter() -> None:
    loaded, statistics, memory = graph("music")
    paths = [loaded.relation_path(keys) for keys in loaded.walk("Nirvana")]
    question = masked("who produced the albums of [Nirvana]?")
    first = rank_paths(question, paths, encoder=encoder(), statistics=statistics, cache=memory)[0]
    last = rank_paths(question, paths[::-1], encoder=encoder(), statistics=statistics, cache=memory)[0]
    assert first.path == last.path
    assert first.score == pytest.approx(last.score)


def test_confidences_are_probabilities() -> None:
    paths = ranked("music", "who produced the albums of [Nirvana]?", "Nirvana")
    assert all(0.0 <= path.confidence <= 1.0 for path in paths)
    assert sum(path.confidence for path in paths) <= 1.0 + 1e-6


def test_a_question_that_the_graph_cannot_answer_gets_little_confidence() -> None:
    sure = ranked("music", "who produced the albums of [Nirvana]?", "Nirvana")[0].confidence
    unsure = ranked("music", "what is the shoe size of [Nirvana]?", "Nirvana")[0].confidence
    assert sure > 0.8
    assert unsure < 0.3


def test_the_words_that_speak_of_each_step_are_told() -> None:
    parts = ranked("music", "who produced the albums of [Nirvana]?", "Nirvana")[0].parts
    assert [(part.hop, part.words) for part in parts] == [(1, ("albums",)), (2, ("produced",))]


def step(relation: str, label: str, *, forward: bool = True) -> Hop:
    return Hop(relation, forward, labels=(label,))


def test_a_path_that_no_word_names_is_heard_as_a_sentence() -> None:
    supplier = RelationPath((step("SUPPLIES", "Supplier", forward=False),))
    shipper = RelationPath((step("CONTAINS", "Order", forward=False), step("SHIPPED_BY", "Shipper")))
    question = MaskedQuestion("Who delivers [Darjeeling] to us?", ((13, 25),), ("Product",))

    def first(weights: Weights) -> str:
        return str(rank_paths(question, [shipper, supplier], encoder=encoder(), weights=weights)[0].path)

    assert first(Weights()) == "^SUPPLIES"
    assert first(Weights(sentence=0.0)) == "^CONTAINS/SHIPPED_BY"


def test_the_noun_of_a_relation_with_of_names_its_subject() -> None:
    members = step("member_of", "Engineer", forward=False)
    paths = (
        RelationPath((members,)),
        RelationPath((step("leads", "Engineer", forward=False), step("member_of", "Team"))),
    )
    question = MaskedQuestion("Name the members of [Atlas].", ((20, 27),), ("Team",))
    statistics = RelationStatistics(objects={"member_of": ("team",), "leads": ("team",)})
    assert str(rank_paths(question, paths, encoder=encoder(), statistics=statistics)[0].path) == "^member_of"


def test_no_paths_give_no_ranking() -> None:
    assert rank_paths(masked("who is [X]?"), [], encoder=encoder()) == []


def test_a_question_of_function_words_alone_is_ranked_too() -> None:
    paths = [RelationPath((Hop("mother"),)), RelationPath((Hop("mother"), Hop("mother")))]
    assert str(rank_paths(masked("who is [Ann]?"), paths, encoder=encoder())[0].path) == "mother"


@pytest.mark.parametrize("name", sorted(FILES))
def test_most_questions_of_the_hand_made_graphs_get_a_right_first_answer(name: str) -> None:
    loaded, _, _ = graph(name)
    right = []
    for item in load_questions(name):
        _, statistics, memory = graph(name)
        reached = loaded.walk(item.entity)
        paths = {loaded.relation_path(keys): keys for keys in reached}
        top = rank_paths(item.question, list(paths), encoder=encoder(), statistics=statistics, cache=memory)[0]
        right.append(min(reached[paths[top.path]]) in item.answers)
    assert sum(right) / len(right) >= 0.85
