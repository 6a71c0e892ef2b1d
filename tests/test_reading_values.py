"""Reading what is only presentation, and values of properties as things, over a small graph of boats."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.english.presentation import CONSTRUCTIONS, Construction
from kgneo.graph.dictionary import Entry
from kgneo.graph.vocabulary import flags_of
from kgneo.query.check import check_structure
from kgneo.query.graph import Aggregate, Condition, QueryGraph, Value
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.form import form_of
from kgneo.reading.mentions import words_of
from kgneo.reading.presentation import presented
from kgneo.reading.read import Interpretation, read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from kgneo.text import fold
from tests.test_reading import Values

VOCABULARY = Vocabulary(
    labels={"Boat": 40, "Pilot": 60, "Review": 90, "Ticket": 20},
    keys=(
        Key("Boat", "name", unique=True, distinct=40),
        Key("Boat", "colour", distinct=4),
        Key("Boat", "country", distinct=3),
        Key("Boat", "length", "number", distinct=30, examples=("12", "30", "44")),
        Key("Boat", "season", "number", distinct=30, examples=("1999", "2007", "2012")),
        Key("Boat", "insured", "truth", distinct=2, flags=("Yes", "No")),
        Key("Pilot", "name", unique=True, distinct=60),
        Key("Pilot", "age", "number", distinct=30),
        Key("Review", "rating", "number", distinct=5, examples=("1", "2", "5")),
        Key("Pilot", "total_points", "number", distinct=40, examples=("12", "90")),
        Key("Pilot", "min_pay", "number", distinct=40, examples=("1200", "9000")),
        Key("Ticket", "code", unique=True, distinct=20),
        Key("STEERED", "licensed", "truth", of_edge=True, distinct=2, flags=("T", "F")),
    ),
    links=(Link("Pilot", "STEERED", "Boat", 120), Link("Review", "HAS_BOAT", "Boat", 90)),
    display={"Boat": ("name",), "Pilot": ("name",), "Ticket": ("code",)},
)
VALUES = (
    ("Boat", "name", "Sorted by Colour"),
    ("Boat", "name", "Sea Lion"),
    ("Boat", "colour", "red"),
    ("Boat", "colour", "blue"),
    ("Boat", "country", "Chad"),
)
DICTIONARY = Values({fold(text): [Entry(owner, key, False, text, text, 1)] for owner, key, text in VALUES})


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(VOCABULARY, RankingCache(encoder))


def best(question: str, fits: Fits) -> Interpretation:
    return read(question, fits, DICTIONARY)[0]


def properties_of(graph: QueryGraph) -> set[tuple[str, str, object]]:
    """The tests of properties against literals: property, operator, value."""
    return {
        (item.left.key, item.operator, item.right[0])
        for item in graph.conditions
        if isinstance(item.left, Value) and isinstance(item.right, tuple)
    }


def same_value(graph: QueryGraph, key: str) -> bool:
    """Whether a second node has the value that is asked for."""
    return Condition(Value("x0", key), "=", Value("x1", key)) in graph.conditions


@pytest.mark.parametrize("item", CONSTRUCTIONS, ids=lambda item: item.example)
def test_a_construction_takes_the_words_in_capitals(item: Construction, fits: Fits) -> None:
    shown = presented(item.example, fits)
    assert shown is not None
    assert re.findall(r"\w+", shown.text) == re.findall(r"\w*[a-z]\w*", item.example)


def test_what_asks_for_an_order_is_no_part_of_what_is_asked_for(fits: Fits) -> None:
    found = best("List the names of pilots in descending order of age.", fits)
    assert (found.graph.answer, found.graph.selections) == (Value("x0", "name"), ())
    assert (found.complete, found.order) == (True, "in descending order of age")


def test_the_first_of_an_order_are_no_mere_presentation(fits: Fits) -> None:
    assert presented("Which are the top 3 boats sorted by length?", fits) is None


def test_a_name_may_hold_words_of_presentation(fits: Fits) -> None:
    graph = best("Who steered Sorted by Colour?", fits).graph
    assert ("name", "=", "Sorted by Colour") in properties_of(graph)


@pytest.mark.parametrize(
    "question", ["Do two boats have different colours?", "Which pilots steered in different boats?"]
)
def test_different_things_of_two_are_no_mere_presentation(question: str, fits: Fits) -> None:
    assert presented(question, fits) is None


def test_nodes_without_a_name_are_asked_for_themselves(fits: Fits) -> None:
    graph = best("What are the names of all tickets?", fits).graph
    assert (graph.answer, graph.variable("x0").labels) == (Value("x0"), ("Ticket",))


def test_different_values_are_counted_once(fits: Fits) -> None:
    answer = best("Count the number of different colours of boats.", fits).graph.answer
    assert answer == Aggregate("count", Value("x0", "colour"))


def test_the_number_of_what_is_counted_is_no_property(fits: Fits) -> None:
    assert best("Count the number of tickets.", fits).graph.answer == Aggregate("count", Value("x0"))


def test_those_that_have_a_value_are_counted(fits: Fits) -> None:
    graph = best("Show the countries that have at least two boats.", fits).graph
    assert graph.answer == Value("x0", "country")
    assert same_value(graph, "country")
    assert Condition(Aggregate("count", Value("x1"), Value("x0")), ">=", (2,)) in graph.conditions


def test_two_nodes_with_a_value_have_what_none_can_have_alone(fits: Fits) -> None:
    graph = best(
        "Show the countries that have boats with length more than 30 and boats with length less than 12.", fits
    )
    assert same_value(graph.graph, "country")
    assert properties_of(graph.graph) == {("length", ">", 30), ("length", "<", 12)}


def test_two_nodes_with_a_value_have_one_value_each(fits: Fits) -> None:
    graph = best("Which countries have both boats of colour red and boats of colour blue?", fits).graph
    assert same_value(graph, "country")
    assert properties_of(graph) == {("colour", "=", "red"), ("colour", "=", "blue")}


def test_a_superlative_measures_the_mean_of_what_others_have(fits: Fits) -> None:
    [selection] = best("What is the name of the boat with the lowest average rating?", fits).graph.selections
    assert (selection.variable, selection.by) == ("x0", Aggregate("average", Value("x1", "rating")))


def test_a_value_is_asked_for_by_the_mean_of_its_nodes(fits: Fits) -> None:
    answer = best("Which country has the highest average length of boats?", fits).graph.answer
    assert answer == Aggregate("average", Value("x0", "length"), Value("x0", "country"), top=1)


def test_a_negation_reaches_a_value_behind_the_noun_for_it(fits: Fits) -> None:
    graph = best("What are the names of boats that are not from the country of Chad?", fits).graph
    assert properties_of(graph) == {("country", "<>", "Chad")}


def test_a_bound_may_have_the_noun_before_its_number(fits: Fits) -> None:
    assert properties_of(best("Which boats were built after season 2007?", fits).graph) == {("season", ">", 2007)}


def test_an_or_between_two_bounds_is_not_read(fits: Fits) -> None:
    found = best("Which boats have a length above 40 or a season before 2000?", fits)
    assert not found.complete


def test_a_word_is_looked_for_in_the_name_of_what_contains_it(fits: Fits) -> None:
    graph = best('Which boats that contain the word "Sea" are there?', fits).graph
    assert properties_of(graph) == {("name", "contains", "Sea")}


def test_a_flag_in_texts_is_compared_with_its_text(fits: Fits) -> None:
    assert properties_of(best("Which boats are not insured?", fits).graph) == {("insured", "=", "No")}


def test_a_flag_of_a_relationship_joins_it(fits: Fits) -> None:
    graph = best("What are the ages of licensed pilots?", fits).graph
    assert properties_of(graph) == {("licensed", "=", "T")}


@pytest.mark.parametrize(
    ("texts", "flags"),
    [
        (("no", "yes"), ("yes", "no")),
        (("Yes",), ("Yes", "No")),
        (("T", "F"), ("T", "F")),
        (("F",), None),
        (("a",), None),
    ],
)
def test_texts_for_true_and_false_are_flags(texts: tuple[str, ...], flags: tuple[str, str] | None) -> None:
    assert flags_of(texts) == flags


def test_relationships_with_properties_are_rows_that_are_counted(fits: Fits) -> None:
    links = (*VOCABULARY.links, Link("Pilot", "BOAT_TRANSFERS", "Ticket", 30))
    keys = (*VOCABULARY.keys, Key("BOAT_TRANSFERS", "amount", "number", of_edge=True, distinct=9))
    other = Fits(replace(VOCABULARY, keys=keys, links=links, _ways={}), fits.cache)
    assert best("How many transfers are there?", other).graph.answer == Aggregate("count", Value("r0"))


def test_every_label_with_an_id_can_be_asked_for_it(fits: Fits) -> None:
    labels = {f"Item{letter}": 9 for letter in "ABCDEFG"} | {"Crate": 9}
    keys = tuple(Key(label, "itemId", "number", unique=True, distinct=9) for label in labels)
    other = Fits(Vocabulary(labels=labels, keys=keys, links=(Link("Crate", "HAS_A", "ItemA"),)), fits.cache)
    graph = best("What are the ids of all crates?", other).graph
    assert (graph.answer, graph.variable("x0").labels) == (Value("x0", "itemId"), ("Crate",))


def test_the_words_of_a_property_may_stand_the_other_way_round(fits: Fits) -> None:
    keys = (*VOCABULARY.keys, Key("Boat", "sponsorName", distinct=9))
    other = Fits(replace(VOCABULARY, keys=keys, _ways={}), fits.cache)
    assert best("What are the names of the sponsors of boats?", other).graph.answer == Value("x0", "sponsorName")


def test_a_noun_for_a_kind_stands_for_its_code(fits: Fits) -> None:
    keys = (*VOCABULARY.keys, Key("Boat", "hullTypeCode", distinct=4))
    other = Fits(replace(VOCABULARY, keys=keys, _ways={}), fits.cache)
    assert best("How many hull types are there?", other).graph.answer == Aggregate("count", Value("x0", "hullTypeCode"))


# Words that serve the form, or stand in a name ----------------------------------------------------------------------


def test_total_that_begins_the_name_of_a_property_adds_nothing_up(fits: Fits) -> None:
    assert best("What are the total points of pilots?", fits).graph.answer == Value("x0", "total_points")


def test_a_superlative_in_the_name_of_a_property_selects_nothing(fits: Fits) -> None:
    graph = best("pilots whose minimum pay is more than 3000", fits).graph
    assert not graph.selections
    assert properties_of(graph) == {("min_pay", ">", 3000)}


def test_the_most_number_of_things_is_counted(fits: Fits) -> None:
    counted = best("Show the colour with the most number of boats.", fits).graph.answer
    assert counted == Aggregate("count", Value("x0"), Value("x0", "colour"), top=1)


def test_a_popular_value_is_one_that_many_have(fits: Fits) -> None:
    counted = best("What is the most popular colour of boats?", fits).graph.answer
    assert counted == Aggregate("count", Value("x0"), Value("x0", "colour"), top=1)


def test_one_of_several_years_is_enough(fits: Fits) -> None:
    graph = best("Show the boats in 2007 or 2012.", fits).graph
    assert graph.conditions == (Condition(Value("x0", "season"), "=", (2007, 2012)),)


def test_the_greatest_proportion_is_the_greatest_value() -> None:
    assert form_of(words_of("the greatest proportion of women")).kind == "things"
    assert form_of(words_of("what proportion of boats is insured?")).kind == "share"


def test_a_letter_in_quotation_marks_is_looked_for_in_the_text_of_what_stands_before_it(fits: Fits) -> None:
    graph = best("How many reviews are there of boats whose country has the letter 'a' in it?", fits).graph
    assert properties_of(graph) == {("country", "contains", "a")}


def test_what_cannot_be_asked_is_no_reading(fits: Fits) -> None:
    asked = "Which three licensed pilots steered the most boats by season?"
    assert all(not check_structure(item.graph) for item in read(asked, fits, DICTIONARY))
