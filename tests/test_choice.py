"""The choice among readings: signs, probabilities, what is run and taken, and how `benchmarks.choice` learns it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.choice import refused, sure
from benchmarks.choice_fit import EMPTIED, Chosen, Gathered, Judged, emptied, fit, folds_of, left_out
from benchmarks.choice_fit import gathered as read_back
from benchmarks.choice_gather import Part, ablated, fill_without, record_of, swapped
from kgneo.asking.question import ask, open_context
from kgneo.graph import Graph
from kgneo.query.graph import Aggregate, Condition, Edge, QueryGraph, Selection, Value, Variable
from kgneo.questions import Question
from kgneo.reading.choice import TRIES, Likely, choose, likely, tried
from kgneo.reading.confidence import Weights, weights
from kgneo.reading.read import Interpretation
from kgneo.reading.signs import Found, Signs, signs_of, signs_of_found

PAINTERS = QueryGraph((Variable("x0", ("Painter",)),), Value("x0"))
IN_PORTO = replace(PAINTERS, conditions=(Condition(Value("x0", "city"), "=", ("Porto",)),))
OLDEST = replace(PAINTERS, selections=(Selection("x0", Value("x0", "born")),))
WITHOUT = replace(
    PAINTERS,
    variables=(*PAINTERS.variables, Variable("x1")),
    edges=(Edge("x0", ("PAINTED",), "x1", absent=True),),
)
SOME = Found(("Ines",), 1, empty=False)
OTHER = Found(("Rui",), 1, empty=False)
NONE = Found((), 0, empty=True)
QUESTION = "which painters live in Porto?"
ASKED = [Interpretation(IN_PORTO, 1.0), Interpretation(PAINTERS, 0.6, silent=0.5, unsaid=("Porto",))]


def whole_signs(found: Found, other: Found | None = None) -> list[Signs]:
    ran = [found, other]
    return [signs_of(QUESTION, ASKED, place) | signs_of_found(QUESTION, ASKED, ran, place) for place in range(2)]


def taken(own: dict[str, float], found: Sequence[Found | None]) -> Likely:
    """What is taken of the two readings."""
    answer = likely(Weights(own), tried(QUESTION, ASKED, lambda place: found[place]))
    assert answer is not None
    return answer


# Signs and probabilities ---------------------------------------------------------------------------------------------


def test_probabilities_leave_room_for_none_being_right() -> None:
    shares = Weights({"whole": 2.0}).probabilities(whole_signs(SOME))
    assert all(0.0 < share < 1.0 for share in shares)
    assert sum(shares) < 1.0
    assert Weights({}).probabilities([]) == []


@pytest.mark.parametrize(
    ("question", "graph", "sign"),
    [
        ("who painted nothing?", PAINTERS, "negation unsaid"),
        ("who is the oldest painter?", PAINTERS, "extreme unsaid"),
        ("which painters are there?", OLDEST, "extreme unasked"),
        ("which painters are there?", WITHOUT, "negation unasked"),
        ("painters born after 1900", PAINTERS, "test unsaid"),
        ("painters of Porto or Lisbon", IN_PORTO, "or unsaid"),
    ],
)
def test_signs_tell_what_a_reading_does_not_say(question: str, graph: QueryGraph, sign: str) -> None:
    assert signs_of(question, [Interpretation(graph, 1.0)], 0)[sign] == 1.0
    said = {"negation unsaid": WITHOUT, "extreme unsaid": OLDEST}.get(sign)
    assert said is None or signs_of(question, [Interpretation(said, 1.0)], 0)[sign] == 0.0


def test_words_of_a_value_say_nothing_of_the_form() -> None:
    state = replace(PAINTERS, conditions=(Condition(Value("x0", "state"), "=", ("Unknown, no heirs",)),))
    signs = signs_of("painters with no heirs, unknown", [Interpretation(state, 1.0)], 0)
    assert signs["negation unsaid"] == 0.0


def test_one_of_two_that_are_named_says_either() -> None:
    graph = QueryGraph(
        (Variable("x0", ids=("1", "2")),), Value("x0"), selections=(Selection("x0", Value("x0", "born")),)
    )
    assert signs_of("who is older, Ines or Rui?", [Interpretation(graph, 1.0)], 0)["or unsaid"] == 0.0


def test_a_property_of_a_relationship_is_no_node_that_is_named() -> None:
    graph = replace(WITHOUT, answer=Value("r0", "year"), edges=(Edge("x0", ("PAINTED",), "x1", name="r0"),))
    assert signs_of("when, by Ines or Rui?", [Interpretation(graph, 1.0)], 0)["or unsaid"] == 1.0


@pytest.mark.parametrize(("question", "empty"), [("Is Ines a painter of Porto?", 0.0), ("painters of Porto", 1.0)])
def test_no_is_an_answer_to_a_question_of_truth(question: str, empty: float) -> None:
    asked = Aggregate("exists", Value("x0")) if question.startswith("Is") else Value("x0")
    readings = [Interpretation(replace(IN_PORTO, answer=asked), 1.0)]
    no = Found(("no",), 1, empty=True)
    assert signs_of_found(question, readings, [no], 0)["empty"] == empty
    assert signs_of(question, readings, 0)["reckons"] == 0.0


def test_a_name_where_a_number_is_asked_for_is_odd() -> None:
    signs = [signs_of_found(text, ASKED, [SOME], 0)["odd"] for text in ("how many painters?", QUESTION)]
    assert signs == [1.0, 0.0]


# What is run and taken -----------------------------------------------------------------------------------------------


def test_where_the_first_answer_is_doubtful_the_likeliest_of_all_is_taken() -> None:
    found = [OTHER, SOME]
    doubted = Weights({"first": -4.0, "unsaid": 1.0})
    answer = choose(doubted, QUESTION, ASKED, lambda place: found[place])
    assert answer is not None
    assert answer.place == 1
    surer = choose(Weights({"first": 4.0}), QUESTION, ASKED, lambda place: found[place])
    assert surer is not None
    assert surer.place == 0


def test_a_reading_that_finds_nothing_is_taken_where_it_is_likelier_than_what_finds_something() -> None:
    assert taken({"nothing": -1.0}, [NONE, SOME]).place == 1
    assert taken({"first": 1.0}, [NONE, SOME]).place == 0


def test_a_reading_that_leaves_words_out_and_finds_nothing_is_never_taken() -> None:
    readings = [replace(ASKED[0], ignored=("Lisbon",)), ASKED[1]]
    found = [NONE, SOME]
    answer = likely(Weights({"first": 9.0}), tried(QUESTION, readings, lambda place: found[place]))
    assert answer is not None
    assert answer.place == 1


def test_no_reading_is_run_behind_one_that_finds_something() -> None:
    assert tried(QUESTION, ASKED, lambda place: (SOME, OTHER)[place]).run == 1


def test_no_more_readings_are_run_than_the_bound() -> None:
    many = [Interpretation(IN_PORTO, 1.0 - place, silent=place / 10) for place in range(9)]
    assert tried(QUESTION, many, lambda _: NONE).run == TRIES


def test_nothing_is_taken_where_none_has_an_answer() -> None:
    assert likely(weights(), tried(QUESTION, ASKED, lambda _: None)) is None


def test_by_the_weights_that_are_shipped_what_says_all_is_likelier_even_where_it_finds_nothing() -> None:
    first, second = (taken(dict(weights().by_name), found) for found in ([SOME, OTHER], [NONE, OTHER]))
    assert (first.place, second.place) == (0, 0)
    assert second.probability < first.probability


def test_a_question_that_is_read_right_is_learned_from_as_if_there_were_nothing_too() -> None:
    questions = [replace(gathered("a", (True, False)), text=f"{number} painters of Porto") for number in range(40)]
    found = list(emptied(questions))
    assert 0 < len(found) < len(questions)
    assert {item.kind for item in found} == {EMPTIED}
    assert [item.found for item in found[0].readings] == [replace(NONE, likeness=0.0), SOME]
    assert list(emptied([gathered("a", (False, True))])) == []  # what is right there names nothing


def test_an_answer_has_the_probability_of_its_reading(painters: Graph) -> None:
    context = open_context(painters)
    right = ask(context, "Which painters live in Lisbon?", strategy="paths")
    other = ask(context, "Which painters live in Lisbon with a parrot?", strategy="paths")
    assert right.answers == ("Ines",)
    assert (other.confidence or 0.0) < (right.confidence or 0.0) <= 1.0


# Gathering and fitting -----------------------------------------------------------------------------------------------


@pytest.fixture
def painters(graph: Graph) -> Graph:
    graph.write("CREATE (:Painter {name: 'Ines', city: 'Lisbon'}), (:Painter {name: 'Zoe', city: 'Porto'})")
    return graph


def test_what_is_gathered_of_a_question_is_read_back(painters: Graph, tmp_path: Path) -> None:
    question = Question("1", "Which painters live in Lisbon?", ("Ines",))
    file = tmp_path / "painters.jsonl"
    record = record_of(open_context(painters), question, "asked")
    file.write_text(json.dumps(record, default=float) + "\n", encoding="utf-8")
    [found] = read_back(file)
    assert (found.name, found.exact, found.answerable, found.right[0]) == ("painters", True, True, True)
    first = found.readings[0].found
    assert first is not None
    assert (first.answers, first.number, first.empty) == (("Ines",), 1, False)


def database(at: Path, label: str, question: str, sql: str) -> Path:
    (at / "graph").mkdir(parents=True)
    (at / "graph" / f"{label}.csv").write_text(":ID(x),name,age:long\n1,Ines,40\n", encoding="utf-8")
    (at / "graph" / "Town.csv").write_text(":ID(y),name\n1,Ulm\n", encoding="utf-8")
    record = {"question": question, "answers": ["1"], "sql": sql}
    (at / "questions.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return at


def test_questions_without_an_answer_are_made_of_others(tmp_path: Path) -> None:
    one = database(tmp_path / "one", "Painter", "How old is Ines?", "SELECT age FROM painters WHERE name = 'Ines'")
    other = database(tmp_path / "other", "Ship", "Who built Aurora?", "SELECT x FROM ships WHERE name = 'Aurora'")
    [named] = swapped(one, other, each=3, seed=0)
    assert (named.text, named.gold) == ("How old is Aurora?", ())
    for kind, part in (("label", Part("Painter")), ("property", Part("Painter", "age"))):
        left_out_part, [without] = ablated(one, kind, each=3, seed=0)
        assert (left_out_part, without.text, without.gold) == (part, "How old is Ines?", ())


def test_a_database_is_filled_without_what_is_left_out(graph: Graph, tmp_path: Path) -> None:
    at = database(tmp_path / "one", "Painter", "How old is Ines?", "SELECT age FROM painters")
    fill_without(graph, at, Part("Painter", "age"))
    names = graph.read("MATCH (p) WHERE p.name IN ['Ines', 'Ulm'] RETURN p.name AS name, p.age AS age ORDER BY name")
    assert names == [{"name": "Ines", "age": None}, {"name": "Ulm", "age": None}]


def gathered(name: str, right: tuple[bool, bool], *, answerable: bool = True) -> Gathered:
    readings = (Judged(ASKED[0], NONE, right[0]), Judged(ASKED[1], SOME, right[1]))
    return Gathered(name, QUESTION, "asked", readings, exact=right[0], confidence=0.5, answerable=answerable)


def test_weights_are_fitted_to_what_is_right_and_to_how_often_nothing_is() -> None:
    signs = [{"whole": 1.0}, {"whole": 0.0}]
    weights = fit([(signs, [True, False])] * 60 + [(signs, [False, False])] * 40, ridge=0.01)
    assert weights.probabilities(signs)[0] == pytest.approx(0.6, abs=0.05)


def test_the_choice_for_a_graph_is_learned_from_others() -> None:
    questions = [gathered(name, (False, True)) for name in ("a", "b", "c", "d")]
    assert all(item.right and item.confidence > 0.4 for item in left_out(questions, folds=4, ridge=0.1))


def test_two_sets_about_one_graph_are_left_out_together() -> None:
    fold = folds_of(["geoquery", "geoquery-triples", "company"], 2)
    assert fold["geoquery"] == fold["geoquery-triples"] != fold["company"]


def test_sure_answers_are_told_with_what_they_cover() -> None:
    assert sure([(True, 0.9), (False, 0.8), (True, 0.7)], 0.8) == "0.50 of 2, 0.50"
    assert sure([(True, 0.7)], 0.8) == "–"


def test_what_a_bound_refuses_is_told_beside_what_it_loses() -> None:
    pairs = [
        (gathered("a", (False, True)), Chosen(True, 0.17)),
        (gathered("a", (False, False), answerable=False), Chosen(False, 0.05)),
    ]
    head, first, second, *_ = refused(pairs)
    assert head == ("bound", "right lost", "asked")
    assert [first[1:], second[1:]] == [("0.000 of 1", "1.000 of 1"), ("1.000 of 1", "1.000 of 1")]
