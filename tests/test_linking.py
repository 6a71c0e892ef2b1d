"""Topic entities without brackets: names in the text, misspelt, inside each other, of common words; and the choice
among them made together with the path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import EntityNotFound
from kgneo.graph.index import build
from kgneo.graph.shape import LOADED
from kgneo.model import Answer
from kgneo.server import RunningServer
from kgneo.stages.link import link, readings, unbracket
from kgneo.stages.similar_names import best_alignments
from tests.conftest import connect, load_file, wipe
from tests.path_questions import FILES


@pytest.fixture(scope="module")
def music(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """The hand-made graph about music, whose names are common words, inside each other, and foreign."""
    with connect(newest_server) as graph:
        wipe(graph)
        load_file(graph, FILES["music"][0])
        build(graph, encoder, shape=LOADED)
        yield open_context(graph, encoder=encoder)


def unbracketed(file: Path) -> list[tuple[str, set[str]]]:
    """The questions of a file without brackets, with their entities."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    questions = [(record["question"], set(record["entities"])) for record in records if not record.get("kind")]
    return [(unbracket(question)[0], entities) for question, entities in questions]


def names(answer: Answer) -> set[str]:
    """What an answer is about: its topic entities, or the values that its query graph was given."""
    parameters = answer.cypher_parameters.items()
    values = {value for name, value in parameters if name.startswith("p") and isinstance(value, str)}
    return {topic.entity.name for topic in answer.entities} or values


def share_right(context: Context, questions: list[tuple[str, set[str]]]) -> float:
    wrong = []
    for question, entities in questions:
        try:
            found = names(ask(context, question))
        except EntityNotFound:
            found = set()
        if found != entities:
            wrong.append((question, entities, found))
    print(wrong)
    return 1 - len(wrong) / len(questions)


def test_misspelt_lower_case_and_partial_names_are_found(music: Context) -> None:
    assert share_right(music, unbracketed(FILES["music"][1].with_name("questions-unbracketed.jsonl"))) >= 0.95


def test_names_are_found_when_the_brackets_are_taken_away(music: Context) -> None:
    assert share_right(music, unbracketed(FILES["music"][1])) >= 0.98


def test_a_name_inside_a_longer_one_is_not_a_topic(music: Context) -> None:
    linked = link(music.knowledge, "When was Led Zeppelin IV released?")
    assert linked.names == ("Led Zeppelin IV",)


def test_a_common_word_is_a_name_when_nothing_else_is(music: Context) -> None:
    assert names(ask(music, "who wrote something")) == {"Something"}


def test_a_common_word_is_no_name_beside_a_real_one(music: Context) -> None:
    assert names(ask(music, "so which albums did Björk record?")) == {"Björk"}


def test_a_name_with_two_letters_exchanged_is_found(music: Context) -> None:
    assert link(music.knowledge, "which albums did Fleetwodo Mac record?").names == ("Fleetwood Mac",)


def test_several_names_in_one_question_are_topics_together(music: Context) -> None:
    linked = link(music.knowledge, "Which albums did David Bowie record that Tony Visconti produced?")
    assert linked.names == ("David Bowie", "Tony Visconti")


def test_the_year_after_before_is_not_a_topic(music: Context) -> None:
    linked = link(music.knowledge, "Which albums did Led Zeppelin record before 1971?")
    assert linked.names == ("Led Zeppelin",)


def test_other_readings_are_shown_with_the_best_one_first(music: Context) -> None:
    found = readings(music.knowledge, "who was in queen")
    assert found[0].names == ("Queen",)
    assert [reading.score for reading in found] == sorted((reading.score for reading in found), reverse=True)


def test_mentions_say_where_the_names_stand(music: Context) -> None:
    text = "which bands were formed in birmingham"
    mention = link(music.knowledge, text).mentions[0]
    assert mention is not None
    assert text[mention.start : mention.end] == "birmingham"


def test_a_question_about_nothing_in_the_graph_names_similar_words(music: Context) -> None:
    with pytest.raises(EntityNotFound, match=r"No entity .* was found"):
        link(music.knowledge, "why?")


def test_brackets_say_what_the_topic_is(music: Context) -> None:
    assert link(music.knowledge, "who wrote [Something]?").names == ("Something",)


def test_the_cypher_of_an_answer_starts_at_the_chosen_entity(music: Context) -> None:
    answer = ask(music, "Which albums did Led Zepelin make?")
    assert "Led Zeppelin" in answer.cypher_parameters.values()


@given(st.text(alphabet="abcdefgh", min_size=5, max_size=20), st.data())
def test_a_name_with_a_letter_left_out_is_like_the_name(name: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(name) - 1))
    wrong = name[:place] + name[place + 1 :]
    alignments = best_alignments(["something else", wrong], [name])
    assert [alignment.span for alignment in alignments] == [1]


@given(st.text(max_size=12), st.text(max_size=12))
def test_similarities_are_shares(span: str, name: str) -> None:
    assert all(0 < alignment.similarity <= 1 for alignment in best_alignments([span], [name]))


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("what is the capital of Atlantis?", "Atlantis"),
        ("what is the capital of Kingdom of Wakanda?", "Wakanda"),
        ("does the Danube flow through Mordor?", "Mordor"),
        ('who first climbed "Mount Doom"?', "Doom"),
    ],
)
def test_a_name_that_the_graph_does_not_have_is_said_and_not_replaced(
    sample_context: Context, question: str, unknown: str
) -> None:
    with pytest.raises(EntityNotFound, match=f"The graph has no entity named .*'{unknown}'"):
        ask(sample_context, question, strategy="paths")


def test_the_names_nearest_to_one_that_is_not_there_are_told(sample_context: Context) -> None:
    with pytest.raises(EntityNotFound) as error:
        ask(sample_context, "what is the capital of Atlantis?", strategy="paths")
    assert "Atlantic Ocean" in error.value.nearest


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which mountains did Hillary climb?", {"Mount Everest"}),
        ("who climbed Everest first?", {"Edmund Hillary", "Tenzing Norgay"}),
        ("what is the capital of Ethopia?", {"Addis Ababa"}),
        ("which mountains did Edmund Hilary climb?", {"Mount Everest"}),
        ("which rivers flow into the Atlantic?", {"Amazon", "Douro", "Loire", "Tagus"}),
    ],
)
def test_a_name_in_part_or_with_a_typing_error_is_found(
    sample_context: Context, question: str, answers: set[str]
) -> None:
    assert set(ask(sample_context, question, strategy="paths").answers) == answers


def test_the_half_of_a_name_is_not_like_what_has_another_letter() -> None:
    assert best_alignments(["Atlantis"], ["Atlantic Ocean"]) == []
    assert best_alignments(["Atlantic"], ["Atlantic Ocean"])
    assert best_alignments(["Led Zepelin"], ["Led Zeppelin IV"])


def test_a_surname_is_like_the_whole_name_but_less_than_the_whole_name() -> None:
    part, whole = best_alignments(["einstein", "albert einstein"], ["Einstein", "Albert Einstein"])
    assert (part.span, part.name, part.similarity) == (0, 0, 1.0)
    assert (whole.span, whole.name, whole.similarity) == (1, 1, 1.0)
    (surname,) = best_alignments(["einstein"], ["Albert Einstein"])
    assert 0.7 < surname.similarity < 1.0


def test_different_names_are_not_alike() -> None:
    assert best_alignments(["bohr"], ["Born"]) == []
