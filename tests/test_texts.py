"""What long texts say: cut into passages, found by words and by meaning, asked together with other conditions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cli.index import index_texts
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.doors.tools import Tools
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.english.saying import WHAT_IS_SAID, subjects
from kgneo.errors import NotIndexed, UsageError
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.graph.catalogue import catalogue
from kgneo.graph.marking import marks
from kgneo.graph.passages import PASSAGE, PassageFile, TextKey, passages_of, text_keys
from kgneo.llm.scripted import ScriptedModel
from kgneo.model import Evidence, evidence_from_dict, evidence_to_dict
from kgneo.query.check import check
from kgneo.query.graph import Condition, Edge, QueryGraph, Value, Variable
from kgneo.query.json import from_json, to_json
from kgneo.query.wording import wording
from kgneo.sample import notes_path, triples_path
from kgneo.server import RunningServer
from kgneo.stages.interpret import run_query
from kgneo.stages.summarise import checked
from tests.conftest import connect, load_file, wipe
from tests.serving import listening

FILL = """
CREATE (iris:Director {name: 'Iris Vance', country: 'Norway'})
CREATE (omar:Director {name: 'Omar Reyes', country: 'Chile'})
CREATE (:Film {title: 'Low Clouds', year: 1998, plot: $plots[0]})-[:DIRECTED_BY]->(iris)
CREATE (:Film {title: 'The Blue Oven', year: 2011, plot: $plots[1]})-[:DIRECTED_BY]->(omar)
CREATE (tomorrow:Film {title: 'Tomorrow Again', year: 2016, plot: $plots[2]})-[:DIRECTED_BY]->(omar)
CREATE (:Film {title: 'Older Than Me', year: 1985, plot: $plots[3]})-[:DIRECTED_BY]->(iris)
CREATE (:Review {text: $reviews[0], stars: 2})-[:OF]->(tomorrow)
CREATE (:Review {text: $reviews[1], stars: 5})-[:OF]->(tomorrow)
"""
PLOTS = [
    "A pilot loses his licence and teaches the children of a mountain village to build gliders out of old tents.",
    "Two sisters inherit a bakery and a debt. Bread rises, customers return, and a recipe is found in the wall.",
    "With a machine made of clocks a girl travels through time to warn her grandmother of the flood.",
    "A traveller through time meets himself as an old man, and neither of them will give way to the other.",
]
REVIEWS = [
    "The music is far too loud, and I left with a headache after an hour of drums and trumpets.",
    "A wonderful ending: my whole family cried, and we talked about it all the way back home.",
]
TIME = Condition(Value("x"), "about", ("time travel",))


@pytest.fixture(scope="module")
def server(newest_server: RunningServer) -> RunningServer:
    """The newest alone: `test_older_version.py` asks the others the same kinds of things."""
    return newest_server


@pytest.fixture
def films(graph: Graph, encoder: OnnxEncoder) -> Iterator[Graph]:
    graph.write(FILL, plots=PLOTS, reviews=REVIEWS)
    index(graph, encoder)
    yield graph
    shutil.rmtree(LocalCache(graph).folder, ignore_errors=True)


def index(graph: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(graph)
    file = PassageFile(LocalCache(graph).passages())
    file.bring_up_to_date(graph, encoder, text_keys(context.knowledge.schema, context.shape))


def asking(*conditions: Condition) -> QueryGraph:
    return QueryGraph((Variable("x", ("Film",)),), Value("x"), conditions=conditions)


@pytest.fixture(scope="module")
def shared(server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """The films for tests that only read, of which none that makes another graph may stand between."""
    with connect(server) as graph:
        wipe(graph)
        graph.write(FILL, plots=PLOTS, reviews=REVIEWS)
        index(graph, encoder)
        yield open_context(graph)
        shutil.rmtree(LocalCache(graph).folder, ignore_errors=True)


# Passages ------------------------------------------------------------------------------------------------------------


def test_a_text_is_cut_between_sentences() -> None:
    sentence = "A sentence of some length that says one thing and stops."
    found = passages_of(" ".join([sentence] * 20))
    assert all(len(text) <= PASSAGE and text.endswith("stops.") for text in found)
    assert " ".join(found) == " ".join([sentence] * 20)


def test_a_sentence_that_is_too_long_is_cut_between_words() -> None:
    words = "word " * 300
    found = passages_of(words)
    assert max(map(len, found)) <= PASSAGE
    assert " ".join(found).split() == words.split()


def test_a_text_without_blanks_is_cut_as_well() -> None:
    assert "".join(passages_of("x" * 1000)) == "x" * 1000


def test_blank_texts_have_no_passages() -> None:
    assert passages_of(" \n ") == []


def test_long_texts_are_found(films: Graph) -> None:
    context = open_context(films)
    assert set(map(str, text_keys(context.knowledge.schema, context.shape))) == {"Film.plot", "Review.text"}


def test_named_properties_are_texts_whatever_their_length(films: Graph) -> None:
    context = open_context(films)
    assert text_keys(context.knowledge.schema, context.shape, ["Film.title"]) == (TextKey("Film", "title"),)


def test_a_named_property_that_is_no_text_is_refused_with_those_that_are(films: Graph) -> None:
    context = open_context(films)
    with pytest.raises(UsageError, match=r"no text|No label has the text property 'Film.year'") as error:
        text_keys(context.knowledge.schema, context.shape, ["Film.year"])
    assert "Film.plot" in str(error.value.hint)


def test_only_what_changed_is_encoded_again(films: Graph, encoder: OnnxEncoder) -> None:
    file = PassageFile(LocalCache(films).passages())
    keys = (TextKey("Film", "plot"), TextKey("Review", "text"))
    assert file.bring_up_to_date(films, encoder, keys).encoded == 0
    films.write("MATCH (film:Film {title: 'Low Clouds'}) SET film.plot = 'Nobody flies in this one, they only walk.'")
    assert file.bring_up_to_date(films, encoder, keys).encoded == 1


def test_texts_that_are_gone_are_forgotten(films: Graph, encoder: OnnxEncoder) -> None:
    film = films.read("MATCH (film:Film {title: 'Low Clouds'}) RETURN elementId(film) AS id")[0]["id"]
    films.write("MATCH (film:Film {title: 'Low Clouds'}) DETACH DELETE film")
    index(films, encoder)
    passages = PassageFile(LocalCache(films).passages()).load()
    assert passages.first([film]) == []
    assert len(passages) == 5


def test_an_interrupted_indexing_says_so_and_goes_on(films: Graph, encoder: OnnxEncoder) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int) -> None:
        if done == 3:
            raise Stopped

    file = PassageFile(LocalCache(films).passages())
    keys = (TextKey("Film", "plot"),)
    with pytest.raises(Stopped):
        file.bring_up_to_date(films, encoder, keys, stop)
    assert "Not all texts were indexed" in run_query(open_context(films), asking(TIME)).notes[1]
    file.bring_up_to_date(films, encoder, keys)
    assert len(run_query(open_context(films), asking(TIME)).notes) == 1


def test_a_file_that_is_damaged_counts_as_none(films: Graph) -> None:
    LocalCache(films).passages().write_bytes(b"not a database")
    assert not open_context(films).knowledge.texts.there


def test_removing_what_kgneo_keeps_removes_the_passages(films: Graph) -> None:
    LocalCache(films).remove()
    assert not open_context(films).knowledge.texts.there


def test_a_text_that_was_changed_is_not_cited(films: Graph) -> None:
    films.write("MATCH (film:Film {title: 'Tomorrow Again'}) SET film.plot = 'Nothing happens.'")
    result = run_query(open_context(films), asking(TIME))
    assert "Tomorrow Again" not in result.answers
    assert any("was changed since its texts were indexed" in note for note in result.notes)


def test_a_graph_without_indexed_texts_says_how_to_index_them(graph: Graph) -> None:
    graph.write(FILL, plots=PLOTS, reviews=REVIEWS)
    with pytest.raises(NotIndexed) as error:
        run_query(open_context(graph), asking(TIME))
    assert "kgneo index --texts" in str(error.value.hint)


# Conditions ----------------------------------------------------------------------------------------------------------


def test_nodes_are_found_by_what_their_texts_say(shared: Context) -> None:
    result = run_query(shared, asking(TIME))
    assert set(result.answers[:2]) == {"Tomorrow Again", "Older Than Me"}


def test_other_conditions_are_met_first(shared: Context) -> None:
    late = Condition(Value("x", "year"), ">", (2000,))
    assert run_query(shared, asking(late, TIME)).answers[0] == "Tomorrow Again"
    assert "Older Than Me" not in run_query(shared, asking(late, TIME)).answers


def test_conditions_on_what_is_joined_are_met(shared: Context) -> None:
    graph = QueryGraph(
        (Variable("x", ("Film",)), Variable("y", ("Director",))),
        Value("x"),
        (Edge("x", ("DIRECTED_BY",), "y"),),
        (TIME, Condition(Value("y", "country"), "=", ("Norway",))),
    )
    assert run_query(shared, graph).answers[0] == "Older Than Me"


def test_an_order_chooses_among_what_was_found(shared: Context) -> None:
    answer = ask(shared, "the oldest film about time travel")
    assert answer.answers == ("Older Than Me",)


def test_the_passages_are_evidence_with_how_like_they_are(shared: Context) -> None:
    answer = ask(shared, "films about time travel after 2000")
    first = answer.evidence[0]
    assert (first.triple.subject, first.triple.relation) == ("Tomorrow Again", "plot")
    assert first.triple.object.startswith("With a machine made of clocks")
    assert 0 < (first.score or 0.0) < 1


def words_marked(evidence: Evidence) -> set[str]:
    return {evidence.triple.object[start:end].lower() for start, end in evidence.marked}


def test_the_words_of_a_passage_that_say_what_was_asked_are_marked(shared: Context) -> None:
    answer = ask(shared, "films about time travel after 2000")
    assert {"time", "travels"} <= words_marked(answer.evidence[0]) <= {"time", "travels", "clocks"}
    assert evidence_from_dict(evidence_to_dict(answer.evidence[0])) == answer.evidence[0]


def test_words_that_mean_what_was_asked_are_marked(encoder: OnnxEncoder) -> None:
    passage = "There was nowhere to leave the car, and the garage next door was full."
    [by_meaning], [by_roots] = marks("parking", [passage], encoder), marks("parking", [passage], None)
    assert {passage[start:end] for start, end in by_meaning} == {"car", "garage"}
    assert not by_roots


def test_an_answer_says_that_it_was_found_by_likeness_and_is_not_sure(shared: Context) -> None:
    answer = ask(shared, "films about time travel")
    assert any("likeness, not fact" in warning for warning in answer.warnings)
    assert (answer.confidence or 0.0) <= 0.7


def test_a_hidden_text_says_nothing(shared: Context) -> None:
    shape = replace(shared.shape, hidden=("Film.plot",))
    knowledge = replace(shared.knowledge, record=replace(shared.knowledge.record, shape=shape))
    assert run_query(replace(shared, knowledge=knowledge), asking(TIME)).answers == ()


def test_a_condition_on_a_text_goes_through_json_and_has_words() -> None:
    graph = asking(TIME)
    assert from_json(to_json(graph)) == graph
    assert wording(graph) == "films about time travel"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (asking(Condition(Value("x", "year"), "about", ("time",))), "is asked of a text"),
        (asking(Condition(Value("x"), "about", ("time", "space"))), "needs one text"),
        (asking(Condition(Value("x"), "about", (" ",))), "needs one text"),
        (replace(asking(), alternatives=(((TIME,), (TIME,)),)), "One of the alternatives asks what a text is about"),
        (
            QueryGraph(
                (Variable("d", ("Director",)), Variable("x", ("Film",))),
                Value("d"),
                (Edge("x", ("DIRECTED_BY",), "d", absent=True),),
                (TIME,),
            ),
            "behind an absent edge",
        ),
    ],
)
def test_what_cannot_be_asked_of_texts_is_told(shared: Context, asked: QueryGraph, told: str) -> None:
    assert told in " ".join(check(asked, catalogue(shared.knowledge.schema, shared.shape)))


# Questions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "text", "rest"),
    [
        ("films about time travel after 2000", "time travel", "films after 2000"),
        ("Which films by X are about the sea?", "sea", "Which films by X ?"),
        ("reviews of hotels that complain about slow service", "slow service", "reviews of hotels"),
        ("How many films about war did X make?", "war", "How many films did X make?"),
        ("Which reviews mention breakfast?", "breakfast", "Which reviews ?"),
    ],
)
def test_the_subject_of_a_text_is_heard(question: str, text: str, rest: str) -> None:
    first = subjects(question)[0]
    assert (first.text, first.rest) == (text, rest)


def test_a_question_for_what_is_said_is_heard() -> None:
    found = WHAT_IS_SAID.match("What do the reviews of X say about the music?")
    assert found is not None
    assert (found["who"], found["what"]) == ("the reviews of X", "the music")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who directed films about a bakery?", {"Omar Reyes"}),
        ("Which films have reviews about loud music?", {"Tomorrow Again"}),
        ("films dealing with time travel by directors from Norway", {"Older Than Me"}),
    ],
)
def test_questions_about_texts_are_answered(shared: Context, question: str, answers: set[str]) -> None:
    assert set(ask(shared, question).answers) == answers


def test_words_that_nothing_in_the_graph_takes_are_looked_for_in_texts(shared: Context) -> None:
    assert ask(shared, "Which films by Omar Reyes have a bakery?").answers == ("The Blue Oven",)


def test_a_question_in_the_words_of_the_graph_is_not_asked_of_texts(shared: Context) -> None:
    answer = ask(shared, "films by Omar Reyes after 2012")
    assert answer.answers == ("Tomorrow Again",)
    assert not any("likeness" in warning for warning in answer.warnings)


def test_what_people_say_is_told_in_their_words(shared: Context) -> None:
    answer = ask(shared, "What do people say about Tomorrow Again?")
    assert len(answer.answers) == 2
    assert answer.answer.startswith("“")
    assert {item.triple.relation for item in answer.evidence} == {"text"}


def test_what_is_said_of_one_matter_is_told(shared: Context) -> None:
    answer = ask(shared, "What do reviews of Tomorrow Again say about the music?")
    assert answer.answers == (
        "The music is far too loud, and I left with a headache after an hour of drums and trumpets.",
    )


# Texts in triples ----------------------------------------------------------------------------------------------------


@pytest.fixture
def noted(graph: Graph) -> Iterator[Context]:
    """The sample with the travellers' notes, loaded as triples; embeddings are made of the notes alone."""
    load_file(graph, triples_path())
    load_file(graph, notes_path())
    index_texts(graph)
    yield open_context(graph)
    shutil.rmtree(LocalCache(graph).folder, ignore_errors=True)


def test_what_people_say_is_told_of_a_graph_of_triples(noted: Context) -> None:
    for question in ("What do people say about the Danube?", "What do notes say about the Danube?"):
        answer = ask(noted, question)
        assert {text.split()[0] for text in answer.answers} == {"A", "The"}
        assert any("pelicans" in item.triple.object for item in answer.evidence)
        assert {item.triple.subject for item in answer.evidence} == {"Note"}
        assert "Danube" in answer.readings[0].text


def test_notes_of_triples_are_asked_where_a_question_needs_them(noted: Context) -> None:
    assert ask(noted, "Which cities have notes about hot baths?").answers[0] == "Budapest"
    answer = ask(noted, "into which sea does the Danube flow?")
    assert answer.answers == ("Black Sea",)
    assert not any("likeness" in warning for warning in answer.warnings)


def test_an_assistant_and_the_page_are_told_what_people_say(noted: Context) -> None:
    question = "What do people say about the Matterhorn?"
    told = Tools(noted).ask(question)
    with listening(noted) as address:
        shown = httpx.post(f"{address}/api/v1/ask", json={"question": question}, timeout=60).json()
    assert any("loose rock" in text.lower() for text in told["answers"])
    assert shown["answers"] == told["answers"]


def test_triples_without_labels_say_what_texts_need(graph: Graph, tmp_path: Path) -> None:
    file = tmp_path / "triples.tsv"
    file.write_text(f"subject\trelation\tobject\nA\tabstract\t{PLOTS[0]}\n", encoding="utf-8")
    load_file(graph, file)
    with pytest.raises(UsageError, match="no property with long texts") as told:
        index_texts(graph)
    assert "object_label" in (told.value.hint or "")


# With a language model -----------------------------------------------------------------------------------------------


def with_model(graph: Graph, *replies: str) -> Context:
    return replace(open_context(graph), model=ScriptedModel(list(replies)))


def test_a_model_sums_up_what_is_said_with_its_passages(films: Graph) -> None:
    said = "The ending moved a family [1]. Some find the music too loud [2]. It won nine prizes [1][2]."
    answer = ask(with_model(films, said), "What do people say about Tomorrow Again?")
    assert answer.answer == "The ending moved a family. [1] Some find the music too loud. [2]"
    assert any("It won nine prizes" in line for line in answer.how)


def test_a_sentence_without_a_passage_is_left_out(encoder: OnnxEncoder) -> None:
    found = checked("The staff is kind [1]. It is cheap. Rooms are cold [7].", ["The staff was kind."], encoder)
    assert [str(item) for item in found.sentences] == ["The staff is kind. [1]"]
    assert "cheap" in " ".join(found.left_out)


def test_a_model_is_told_how_to_ask_what_texts_say(films: Graph) -> None:
    graph = {
        "variables": [{"name": "x0", "labels": ["Film"]}],
        "conditions": [{"left": {"of": "x0"}, "operator": "about", "right": ["baking bread"]}],
        "answer": {"of": "x0"},
    }
    context = with_model(films, json.dumps(graph))
    answer = ask(context, "a picture where somebody bakes", strategy="cypher")
    assert answer.answers[0] == "The Blue Oven"
    assert any("likeness" in warning for warning in answer.warnings)
    prompt = context.model.calls[0][0][-1].content  # type: ignore[union-attr]
    assert "Film.plot" in prompt
    assert '"operator": "about"' in prompt


def test_an_assistant_is_told_which_texts_can_be_asked(films: Graph) -> None:
    assert "Film.plot, Review.text" in Tools(open_context(films)).schema()


# The command ---------------------------------------------------------------------------------------------------------


def test_the_command_indexes_texts_and_says_which(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    graph.write(FILL, plots=PLOTS, reviews=REVIEWS)
    assert main(["index", "--texts", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["texts"], record["keys"]) == (6, ["Film.plot", "Review.text"])


def test_the_command_refuses_a_graph_without_long_texts(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    graph.write("CREATE (:Person {name: 'Ann'})-[:KNOWS]->(:Person {name: 'Bo'})")
    assert main(["index", "--texts"]) != 0
    assert "no property with long texts" in capsys.readouterr().err


def test_indexing_the_graph_brings_its_texts_up_to_date(films: Graph) -> None:
    plot = "A crew drifts on an ice floe to the south, and one by one they learn to sing."
    films.write("CREATE (:Film {title: 'Ice', year: 2020, plot: $plot})", plot=plot)
    assert main(["index"]) == 0
    assert ask(open_context(films), "films about singing on an ice floe").answers[0] == "Ice"


@pytest.mark.parametrize("option", [["--dry-run"], ["--exclude", "Film.plot"]])
def test_options_that_say_nothing_of_texts_are_refused(
    films: Graph, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    before = PassageFile(LocalCache(films).passages()).read_record()
    assert main(["index", "--texts", *option]) == 2
    assert "would do nothing" in capsys.readouterr().err
    assert PassageFile(LocalCache(films).passages()).read_record() == before
