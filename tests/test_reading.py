"""Reading a question about a small property graph: which query graph comes first."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.english.names import made_of
from kgneo.english.words import FUNCTION_WORDS
from kgneo.errors import EntityNotFound
from kgneo.graph.dictionary import Entry
from kgneo.query.graph import Aggregate, Arithmetic, Operator, QueryGraph, Scalar, Selection, Value
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.read import Interpretation, read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from kgneo.text import fold

VOCABULARY = Vocabulary(
    labels={"Film": 40, "Person": 60, "Studio": 5},
    keys=(
        Key("Film", "title", unique=True, distinct=40),
        Key("Film", "genre", distinct=5),
        Key("Film", "length", "number", distinct=30),
        Key("Film", "released", "date", "day first", distinct=40),
        Key("Film", "restored", "truth", distinct=2),
        Key("Film", "manner", distinct=3),
        Key("Person", "name", unique=True, distinct=60),
        Key("Person", "born", "number", distinct=40),
        Key("Studio", "name", unique=True, distinct=5),
        Key("Studio", "country", distinct=3),
    ),
    links=(
        Link("Person", "ACTED_IN", "Film", 120),
        Link("Person", "DIRECTED", "Film", 40),
        Link("Studio", "PRODUCED", "Film", 40),
    ),
    display={"Film": ("title",), "Person": ("name",), "Studio": ("name",)},
)
VALUES = (
    ("Film", "title", "The Long Harbour"),
    ("Film", "title", "Film Night"),
    ("Film", "genre", "comedy"),
    ("Film", "genre", "western"),
    ("Film", "released", "9/08/2017"),
    ("Person", "name", "Ada Brook"),
    ("Person", "name", "Ben Marsh"),
    ("Studio", "name", "Quill Pictures"),
    ("Studio", "country", "Germany"),
    ("Studio", "name", "Harbour Studio"),
    ("Studio", "name", "Redwater Pictures"),
    ("Film", "title", "Redwater Rising"),
    ("Film", "manner", "Filmed in the open; no set made"),
)
Tested = tuple[str, str, Operator, tuple[Scalar, ...]]


class Values(dict[str, list[Entry]]):
    """The values of a graph by their folded texts."""

    def lookup(self, pieces: Iterable[str]) -> dict[str, list[Entry]]:
        return {piece: self[piece] for piece in pieces if piece in self}

    def similar(self, text: str, *, limit: int = 40) -> list[Entry]:
        shared = {piece: sum(part in piece for part in _threes(fold(text))) for piece in self}
        order = sorted((piece for piece in self if shared[piece]), key=lambda piece: -shared[piece])
        return [entry for piece in order for entry in self[piece]][:limit]

    def holding(self, text: str, keys: Collection[tuple[str, str]], *, limit: int) -> list[Entry]:
        there = [entry for piece, entries in self.items() if text in piece for entry in entries]
        return [entry for entry in there if (entry.owner, entry.key) in keys][:limit]

    def phrases(self) -> list[Entry]:
        return [entry for entries in self.values() for entry in entries if entry.key == "manner"]


def _threes(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}


DICTIONARY = Values({fold(text): [Entry(owner, key, False, text, text, 1)] for owner, key, text in VALUES})


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(VOCABULARY, RankingCache(encoder))


def more(fits: Fits, key: Key, links: tuple[Link, ...] = VOCABULARY.links) -> Fits:
    """The same with one property more."""
    return Fits(replace(VOCABULARY, keys=(*VOCABULARY.keys, key), links=links, _ways={}), fits.cache)


def best(question: str, fits: Fits) -> Interpretation:
    return read(question, fits, DICTIONARY)[0]


def conditions_of(graph: QueryGraph) -> set[Tested]:
    """The conditions on properties, by the label that has them."""
    found = set()
    for condition in graph.conditions:
        assert isinstance(condition.right, tuple)
        if isinstance(condition.left, Value):
            label = graph.variable(condition.left.of).labels[0]
            found.add((label, condition.left.key, condition.operator, condition.right))
    return found


def asked(graph: QueryGraph) -> str:
    """The label of what is asked for."""
    return graph.variable(graph.root).labels[0]


def relations(graph: QueryGraph) -> list[str]:
    return sorted(relation for edge in graph.edges for relation in edge.relations)


def test_a_value_is_a_condition(fits: Fits) -> None:
    graph = best("Which studios are in Germany?", fits).graph
    assert (asked(graph), conditions_of(graph)) == ("Studio", {("Studio", "country", "=", ("Germany",))})


def test_a_date_in_words_is_a_text_that_is_stored_day_first(fits: Fits) -> None:
    graph = best("Which films were released on August 9, 2017?", fits).graph
    assert (asked(graph), conditions_of(graph)) == ("Film", {("Film", "released", "=", ("9/08/2017",))})


def test_the_plural_of_a_value_is_the_value(fits: Fits) -> None:
    graph = best("Which films are comedies?", fits).graph
    assert (asked(graph), conditions_of(graph)) == ("Film", {("Film", "genre", "=", ("comedy",))})


def test_a_value_alone_can_name_what_is_asked_for(fits: Fits) -> None:
    graph = best("Which comedies did Ada Brook direct?", fits).graph
    assert asked(graph) == "Film"
    assert ("Film", "genre", "=", ("comedy",)) in conditions_of(graph)


def test_a_class_word_is_not_taken_for_a_name_that_holds_it(fits: Fits) -> None:
    graph = best("Which film did Ben Marsh direct?", fits).graph
    assert (asked(graph), conditions_of(graph)) == ("Film", {("Person", "name", "=", ("Ben Marsh",))})


def test_a_name_that_holds_a_class_word_is_a_name(fits: Fits) -> None:
    assert ("Film", "title", "=", ("Film Night",)) in conditions_of(best("What genre is Film Night?", fits).graph)


def test_a_superlative_is_about_the_noun_behind_it(fits: Fits) -> None:
    graph = best("What is the longest film of Ada Brook?", fits).graph
    [selection] = graph.selections
    assert graph.variable(selection.variable).labels == ("Film",)
    assert isinstance(selection.by, Value)
    assert (selection.by.key, selection.descending, selection.limit) == ("length", True, 1)


def test_a_number_before_a_superlative_says_how_many_are_kept(fits: Fits) -> None:
    [selection] = best("What are the three longest films?", fits).graph.selections
    assert selection.limit == 3


def test_the_most_of_a_class_are_counted_for_what_is_asked_for(fits: Fits) -> None:
    graph = best("Which person directed the most films?", fits).graph
    [selection] = graph.selections
    assert (asked(graph), relations(graph)) == ("Person", ["DIRECTED"])
    assert isinstance(selection.by, Aggregate)
    assert (selection.variable, selection.by.function, selection.descending) == (graph.root, "count", True)
    assert graph.variable(selection.by.value.of).labels == ("Film",)


def test_a_comparison_with_a_number_of_things_counts_them(fits: Fits) -> None:
    graph = best("Which studios produced more than 3 films?", fits).graph
    [condition] = graph.conditions
    assert isinstance(condition.left, Aggregate)
    assert graph.variable(condition.left.value.of).labels == ("Film",)
    assert (asked(graph), condition.operator, condition.right) == ("Studio", ">", (3,))


def test_a_comparison_is_with_the_property_that_its_words_name(fits: Fits) -> None:
    graph = best("Which films are longer than 120?", fits).graph
    assert conditions_of(graph) == {("Film", "length", ">", (120,))}


def test_a_comparison_with_a_year_is_with_a_date(fits: Fits) -> None:
    graph = best("Which films were released after 2015?", fits).graph
    assert conditions_of(graph) == {("Film", "released", ">", ("2015",))}


def test_a_number_with_a_fraction_is_compared_whole(fits: Fits) -> None:
    graph = best("Which films are longer than 97.5?", fits).graph
    assert conditions_of(graph) == {("Film", "length", ">", (97.5,))}


def test_a_month_bounds_a_date_and_no_number(fits: Fits) -> None:
    graph = best("Which films came before August 2015?", fits).graph
    assert conditions_of(graph) == {("Film", "released", "<", ("2015-08",))}


def test_there_are_not_more_of_a_class_than_its_nodes(fits: Fits) -> None:
    graph = best("Which films have more than 2000 studios?", fits).graph
    assert not any(isinstance(condition.left, Aggregate) for condition in graph.conditions)


def test_a_measure_that_no_word_speaks_of_is_told(fits: Fits) -> None:
    said, other = (best(f"Which film has the highest {noun}?", fits).measured for noun in ("length", "salary"))
    assert said > 0.8 > 0.3 > other


@pytest.mark.parametrize("date", ["2015-03-20", "March 20, 2015", "20th of March 2015", "20/03/2015"])
def test_a_comparison_with_a_whole_date_keeps_its_day(fits: Fits, date: str) -> None:
    graph = best(f"Which films were released after {date}?", fits).graph
    assert conditions_of(graph) == {("Film", "released", ">", ("2015-03-20",))}


def test_not_takes_out_what_the_relationship_leads_to(fits: Fits) -> None:
    graph = best("Which people did not act in The Long Harbour?", fits).graph
    assert asked(graph) == "Person"
    assert [(edge.relations, edge.absent) for edge in graph.edges] == [(("ACTED_IN",), True)]


def test_who_asks_for_people(fits: Fits) -> None:
    graph = best("Who acted in the western films?", fits).graph
    assert (asked(graph), relations(graph)) == ("Person", ["ACTED_IN"])
    assert conditions_of(graph) == {("Film", "genre", "=", ("western",))}


def test_two_conditions_are_both_kept(fits: Fits) -> None:
    graph = best("Which comedies were produced by studios in Germany?", fits).graph
    assert conditions_of(graph) == {("Film", "genre", "=", ("comedy",)), ("Studio", "country", "=", ("Germany",))}
    assert relations(graph) == ["PRODUCED"]


def test_two_names_with_a_verb_each_have_the_relationship_of_their_verb(fits: Fits) -> None:
    graph = best("Which films did Ada Brook act in and Ben Marsh direct?", fits).graph
    person = {
        condition.left.of: condition.right
        for condition in graph.conditions
        if isinstance(condition.left, Value) and condition.left.key == "name"
    }
    assert {(edge.relations, person[edge.other(graph.root)]) for edge in graph.edges} == {
        (("ACTED_IN",), ("Ada Brook",)),
        (("DIRECTED",), ("Ben Marsh",)),
    }


def test_how_many_is_a_count_of_the_noun_behind_it(fits: Fits) -> None:
    graph = best("How many films did Ada Brook direct?", fits).graph
    assert graph.answer == Aggregate("count", Value(graph.root))
    assert (asked(graph), relations(graph)) == ("Film", ["DIRECTED"])


def test_an_average_is_of_the_property_behind_it(fits: Fits) -> None:
    graph = best("What is the average length of comedies?", fits).graph
    assert graph.answer == Aggregate("average", Value(graph.root, "length"))
    assert conditions_of(graph) == {("Film", "genre", "=", ("comedy",))}


def test_an_auxiliary_in_front_asks_whether_there_is_one(fits: Fits) -> None:
    graph = best("Did Ada Brook direct The Long Harbour?", fits).graph
    assert isinstance(graph.answer, Aggregate)
    assert (graph.answer.function, relations(graph)) == ("exists", ["DIRECTED"])


def test_a_property_that_is_asked_for_is_the_answer(fits: Fits) -> None:
    graph = best("What genre is The Long Harbour?", fits).graph
    assert graph.answer == Value(graph.root, "genre")
    assert conditions_of(graph) == {("Film", "title", "=", ("The Long Harbour",))}


def test_the_word_for_the_property_that_is_asked_for_is_not_silent(fits: Fits) -> None:
    assert best("What genre is The Long Harbour?", fits).silent == 0.0


def test_a_name_that_an_interpretation_leaves_out_is_told(fits: Fits) -> None:
    found = read("Which studios are in Germany?", fits, DICTIONARY)
    assert {item.ignored for item in found if not item.graph.conditions} == {("Germany",)}


def test_another_thing_that_it_is_compared_with_is_a_variable_of_its_own(fits: Fits) -> None:
    graph = best("Which films are longer than Film Night?", fits).graph
    [compared] = [condition for condition in graph.conditions if isinstance(condition.right, Value)]
    assert (asked(graph), compared.left, compared.operator) == ("Film", Value(graph.root, "length"), ">")
    [named] = [condition for condition in graph.conditions if condition.right == ("Film Night",)]
    assert isinstance(named.left, Value)
    assert named.left.of == compared.right.of  # type: ignore[union-attr]


@pytest.mark.parametrize("verb", ["came out", "was released"])
def test_an_age_at_a_date_is_the_years_between(fits: Fits, verb: str) -> None:
    graph = best(f"How old was Ada Brook when The Long Harbour {verb}?", fits).graph
    assert isinstance(graph.answer, Arithmetic)
    assert isinstance(graph.answer.left, Value)
    assert (graph.answer.operator, graph.answer.left.key) == ("years", "released")
    assert graph.answer.right == Value(graph.variables[0].name, "born")
    named = {("Person", "name", "=", ("Ada Brook",)), ("Film", "title", "=", ("The Long Harbour",))}
    assert conditions_of(graph) == named


@pytest.mark.parametrize("words", ["percentage of all", "per cent of the", "share of"])
def test_a_share_is_that_of_a_kind_which_meets_the_conditions(fits: Fits, words: str) -> None:
    graph = best(f"What {words} films are westerns?", fits).graph
    assert graph.answer == Aggregate("share", Value(graph.root))
    assert (asked(graph), conditions_of(graph)) == ("Film", {("Film", "genre", "=", ("western",))})


@pytest.mark.parametrize("sign", ["²", "①", "٣", "½"])
def test_a_sign_that_is_some_digit_is_no_number_to_fail_at(fits: Fits, sign: str) -> None:
    assert read(f"Which {sign} films are longer than {sign}?", fits, DICTIONARY)


def test_who_is_older_was_born_before(fits: Fits) -> None:
    graph = best("Is Ada Brook older than Ben Marsh?", fits).graph
    [compared] = [condition for condition in graph.conditions if isinstance(condition.right, Value)]
    assert (compared.left, compared.operator) == (Value(graph.root, "born"), "<")


def test_a_difference_is_a_calculation(fits: Fits) -> None:
    graph = best("What is the difference in length between The Long Harbour and Film Night?", fits).graph
    assert isinstance(graph.answer, Arithmetic)
    assert isinstance(graph.answer.left, Value)
    assert isinstance(graph.answer.right, Value)
    assert (graph.answer.operator, graph.answer.left.key, graph.answer.right.key) == ("difference", "length", "length")


def test_two_names_with_or_are_one_condition(fits: Fits) -> None:
    graph = best("Which people acted in The Long Harbour or in Film Night?", fits).graph
    assert conditions_of(graph) == {("Film", "title", "=", ("The Long Harbour", "Film Night"))}


@pytest.mark.parametrize("joined", ["and", "and in", "but not in"])
def test_two_names_side_by_side_hang_on_ways_of_their_own(fits: Fits, joined: str) -> None:
    graph = best(f"Which studios produced films with Ada Brook {joined} Ben Marsh?", fits).graph
    people = [edge for edge in graph.edges if edge.relations != ("PRODUCED",)]
    assert len(people) == 2
    assert len({edge.relations for edge in people}) == 1


def test_who_asks_for_people_and_for_nothing_of_theirs(fits: Fits) -> None:
    assert {asked(item.graph) for item in read("Who acted in Film Night?", fits, DICTIONARY)} == {"Person"}


def test_a_word_that_no_part_of_an_interpretation_is_like_is_told(fits: Fits) -> None:
    assert best("Which films with Ada Brook are photosynthesised?", fits).unsaid == ("photosynthesised",)


def test_a_question_of_which_every_word_is_said_is_read_completely(fits: Fits) -> None:
    assert best("Which people directed The Long Harbour?", fits).complete
    assert not best("Which people photosynthesised The Long Harbour?", fits).complete


def test_what_two_share_joins_them(fits: Fits) -> None:
    graph = best("Which films share a studio with Film Night?", fits).graph
    assert (asked(graph), relations(graph)) == ("Film", ["PRODUCED", "PRODUCED"])
    assert all(condition.left != Value(graph.root, "title") for condition in graph.conditions)


def test_others_are_not_the_one_that_is_named(fits: Fits) -> None:
    graph = best("Which other films come from the studio of Film Night?", fits).graph
    assert (asked(graph), relations(graph)) == ("Film", ["PRODUCED", "PRODUCED"])
    assert all(condition.left != Value(graph.root, "title") for condition in graph.conditions)


@pytest.mark.parametrize(("word", "said"), [("restored", True), ("unrestored", False), ("not restored", False)])
def test_a_property_that_is_true_or_false_is_a_condition(fits: Fits, word: str, said: bool) -> None:
    graph = best(f"Which films are {word}?", fits).graph
    assert graph.answer == Value(graph.root)
    assert conditions_of(graph) == {("Film", "restored", "=", (said,))}


def test_what_is_combined_is_a_sum(fits: Fits) -> None:
    graph = best("What is the combined length of the comedies?", fits).graph
    assert graph.answer == Aggregate("sum", Value(graph.root, "length"))


@pytest.mark.parametrize("said", ["filmed in the open with no set built", "filmed in the open; no set"])
def test_a_long_value_may_be_said_in_part_or_in_other_words(fits: Fits, said: str) -> None:
    graph = best(f"Which films were {said}?", fits).graph
    assert ("Film", "manner", "=", ("Filmed in the open; no set made",)) in conditions_of(graph)


def test_a_name_behind_the_is_one_with_a_noun(fits: Fits) -> None:
    assert conditions_of(best("Which films did the Harbour produce?", fits).graph) == {
        ("Studio", "name", "=", ("Harbour Studio",))
    }


def test_the_count_of_a_noun_is_a_number(fits: Fits) -> None:
    answer = best("What is the film count for Ada Brook?", fits).graph.answer
    assert isinstance(answer, Aggregate)
    assert answer.function == "count"


@pytest.mark.parametrize(
    "question",
    [
        "Which people directed a film that they acted in?",
        "Which people directed films in which they also acted themselves?",
        "Who acted in a film that he directed himself?",
    ],
)
def test_two_relationships_to_the_same_thing_are_two_edges(fits: Fits, question: str) -> None:
    graph = best(question, fits).graph
    assert (asked(graph), relations(graph), len(graph.variables)) == ("Person", ["ACTED_IN", "DIRECTED"], 2)


TOWNS = Vocabulary(
    labels={"Town": 80, "Province": 6, "Lake": 20},
    keys=(
        Key("Town", "name", unique=True, distinct=80),
        Key("Town", "inhabitants", "number", distinct=80),
        Key("Town", "type", distinct=4),
        Key("Province", "name", unique=True, distinct=6),
        Key("Province", "area", "number", distinct=6),
        Key("Province", "deepest_place", distinct=6),
        Key("Province", "deepest_level", "number", distinct=6),
        Key("Lake", "name", unique=True, distinct=20),
        Key("Lake", "depth", "number", distinct=20),
        Key("FLOWS_INTO", "flow_type", distinct=3, of_edge=True),
    ),
    links=(
        Link("Province", "capital", "Town", 6),
        Link("Province", "highest_point", "Town", 6),
        Link("Town", "LIES_IN", "Province", 80),
        Link("Lake", "FLOWS_INTO", "Lake", 12),
        Link("Town", "LIES_ON", "Lake", 40),
    ),
    display={"Town": ("name",), "Province": ("name",), "Lake": ("name",)},
)
NAMES = Values(
    {
        fold(name): [Entry(label, "name", False, name, name, 1) for label in labels]
        for name, *labels in (
            ("Ostmark", "Province"),
            ("Ferrin", "Town"),
            ("High Point", "Town"),
            ("Merle", "Province", "Lake"),
        )
    }
)


@pytest.fixture(scope="module")
def towns(encoder: OnnxEncoder) -> Fits:
    return Fits(TOWNS, RankingCache(encoder))


def of_towns(question: str, fits: Fits) -> QueryGraph:
    return read(question, fits, NAMES)[0].graph


def test_what_the_noun_of_a_relationship_names_stands_in_it(towns: Fits) -> None:
    graph = of_towns("Which capital has the most inhabitants?", towns)
    assert (asked(graph), relations(graph)) == ("Town", ["capital"])
    assert [item.by for item in graph.selections] == [Value(graph.root, "inhabitants")]


def test_a_relationships_noun_may_stand_behind_the_noun_for_its_other_end(towns: Fits) -> None:
    graph = of_towns("List the province capitals.", towns)
    assert (asked(graph), relations(graph)) == ("Town", ["capital"])


def test_a_superlative_before_a_compound_is_said_of_its_last_noun(towns: Fits) -> None:
    graph = of_towns("What is the largest province capital?", towns)
    assert [(graph.variable(item.variable).labels, item.by) for item in graph.selections] == [
        (("Town",), Value(graph.root, "inhabitants"))
    ]


def test_how_large_asks_for_a_number_of_what_the_question_is_about(towns: Fits) -> None:
    graph = of_towns("How large is the largest town in Ostmark?", towns)
    assert graph.answer == Value(graph.root, "inhabitants")
    assert asked(graph) == "Town"


def test_a_superlative_before_a_preposition_is_not_said_of_the_noun_behind_it(towns: Fits) -> None:
    graph = of_towns("Which town is largest on a lake?", towns)
    assert [graph.variable(item.variable).labels for item in graph.selections] == [("Town",)]


def test_what_cannot_be_ordered_does_not_say_by_what_to_order(towns: Fits) -> None:
    graph = of_towns("Which province has the deepest place?", towns)
    assert [item.by for item in graph.selections] == [Value(graph.root, "deepest_level")]


def test_a_property_is_one_of_the_noun_behind_of(towns: Fits) -> None:
    graph = of_towns("What is the type of the largest town?", towns)
    assert (graph.answer, asked(graph)) == (Value(graph.root, "type"), "Town")


def test_lower_case_words_of_a_relationship_are_no_name(towns: Fits) -> None:
    graph = of_towns("What are the high points of Ostmark?", towns)
    assert conditions_of(graph) == {("Province", "name", "=", ("Ostmark",))}
    assert relations(graph) == ["highest_point"]


CONTACTS = Vocabulary(
    labels={"Person": 40, "Phone": 40, "Email": 30},
    keys=(
        Key("Person", "name", unique=True, distinct=40),
        Key("Person", "surname", distinct=30),
        Key("Phone", "phone_no", unique=True, distinct=40),
        Key("Email", "address", unique=True, distinct=30),
    ),
    links=(
        Link("Person", "HAS_PHONE", "Phone", 40),
        Link("Person", "KNOWS_PHONE", "Person", 40),
        Link("Person", "HAS_EMAIL", "Email", 30),
    ),
    display={"Person": ("name",), "Phone": ("phone_no",), "Email": ("address",)},
)


def test_a_word_that_names_a_relationship_is_not_ignored(encoder: OnnxEncoder) -> None:
    numbers = Values({"3-246-177": [Entry("Phone", "phone_no", False, "3-246-177", "3-246-177", 1)]})
    question = "Can you provide the email for the individual whose phone number is 3-246-177?"
    found = read(question, Fits(CONTACTS, RankingCache(encoder)), numbers)[0]
    assert relations(found.graph) == ["HAS_EMAIL", "HAS_PHONE"]
    assert found.ignored == ()


def test_two_that_and_stands_between_are_two(encoder: OnnxEncoder) -> None:
    pairs = (("name", "Ada"), ("surname", "Marsh"))
    people = Values({fold(text): [Entry("Person", key, False, text, text, 1)] for key, text in pairs})
    question = "Which people know the phone of someone named Ada and someone with surname Marsh?"
    graph = read(question, Fits(CONTACTS, RankingCache(encoder)), people)[0].graph
    assert conditions_of(graph) == {("Person", "name", "=", ("Ada",)), ("Person", "surname", "=", ("Marsh",))}
    assert len({item.left.of for item in graph.conditions if isinstance(item.left, Value)}) == 2


@pytest.mark.parametrize(
    "words",
    ["average length of films per studio", "average length of the films for every studio",
     "For each studio, what is the average length of its films?", "What is the average length of films by studio?"],
)  # fmt: skip
def test_an_average_is_asked_for_each_of_a_class(words: str, fits: Fits) -> None:
    graph = best(words, fits).graph
    assert isinstance(graph.answer, Aggregate)
    assert graph.answer.per is not None
    assert (graph.answer.function, graph.answer.value.key) == ("average", "length")
    assert graph.variable(graph.answer.per.of).labels == ("Studio",)
    assert not graph.answer.per.key


@pytest.mark.parametrize("words", ["average length per genre", "average length of films for every film genre"])
def test_an_average_is_asked_for_each_value_of_a_property(words: str, fits: Fits) -> None:
    assert best(words, fits).graph.answer == Aggregate("average", Value("x0", "length"), Value("x0", "genre"))


def test_the_property_that_groups_are_made_by_may_be_that_of_another_class(fits: Fits) -> None:
    graph = best("How many films per country?", fits).graph
    assert isinstance(graph.answer, Aggregate)
    assert graph.answer.per is not None
    assert (asked(graph), graph.variable(graph.answer.per.of).labels) == ("Film", ("Studio",))


@pytest.mark.parametrize(
    "question",
    ["comedies and westerns that Ada Brook directed", "What is the average length of the comedies and westerns?"],
)
def test_two_kinds_of_what_is_asked_for_are_either(question: str, fits: Fits) -> None:
    tested = conditions_of(best(question, fits).graph)
    assert ("Film", "genre", "=", ("comedy", "western")) in tested


def test_a_value_of_a_relationship_and_the_name_behind_it_belong_to_one_edge(encoder: OnnxEncoder) -> None:
    keys = (Key("Metal", "name", unique=True, distinct=9), Key("REACTS_WITH", "strength", of_edge=True, distinct=3))
    metals = Vocabulary({"Metal": 9}, keys, (Link("Metal", "REACTS_WITH", "Metal", 20),), display={"Metal": ("name",)})
    texts = (("Metal", "name", False, "Zinc"), ("REACTS_WITH", "strength", True, "violent"))
    known = Values({fold(text): [Entry(owner, key, edge, text, text, 1)] for owner, key, edge, text in texts})
    graph = read("Which metals have a violent reaction with Zinc?", Fits(metals, RankingCache(encoder)), known)[0].graph
    assert [(edge.relations, edge.directed) for edge in graph.edges] == [(("REACTS_WITH",), False)]
    assert {condition.right for condition in graph.conditions} == {("violent",), ("Zinc",)}


def test_what_is_done_by_things_of_the_same_kind_is_asked_for_behind_them(encoder: OnnxEncoder) -> None:
    remakes = replace(VOCABULARY, links=(*VOCABULARY.links, Link("Film", "CITES", "Film", 9)), _ways={})
    known = Fits(remakes, RankingCache(encoder))
    graph = best("films cited by films that Ada Brook directed", known).graph
    cites, directed = sorted(graph.edges, key=lambda edge: edge.relations)
    assert (cites.object, cites.subject) == (graph.root, directed.object)


@pytest.mark.parametrize(
    ("word", "name"),
    [("bavarian", "bavaria"), ("japanese", "japan"), ("german", "germany"), ("swedish", "sweden"), ("polish", "poland"),
     ("moroccan", "morocco"), ("belgian", "belgium"), ("argentine", "argentina"), ("thai", "thailand")],
)  # fmt: skip
def test_words_are_made_of_names_by_their_endings(word: str, name: str) -> None:
    assert name in made_of(word)


def test_a_word_that_is_made_of_a_name_says_it(fits: Fits) -> None:
    graph = best("Which German studios produced westerns?", fits).graph
    assert ("Studio", "country", "=", ("Germany",)) in conditions_of(graph)


def test_before_a_noun_a_word_is_rather_made_of_a_name_than_a_value_of_other_things(encoder: OnnxEncoder) -> None:
    known = replace(VOCABULARY, keys=(*VOCABULARY.keys, Key("Person", "languages", listed=True, distinct=4)))
    values = Values({**DICTIONARY, "german": [Entry("Person", "languages", False, "German", "German", 9)]})
    graph = read("How many German films are comedies?", Fits(known, RankingCache(encoder)), values)[0].graph
    assert ("Studio", "country", "=", ("Germany",)) in conditions_of(graph)


def test_a_past_verb_ends_what_is_asked_for(encoder: OnnxEncoder) -> None:
    labels = {**VOCABULARY.labels, "Order": 20}
    links = (*VOCABULARY.links, Link("Studio", "PLACED", "Order", 20), Link("Order", "OF", "Film", 20))
    shop = Fits(replace(VOCABULARY, labels=labels, links=links, _ways={}), RankingCache(encoder))
    assert asked(best("Which studios ordered The Long Harbour?", shop).graph) == "Studio"


def test_who_did_something_is_no_group(fits: Fits) -> None:
    graph = best("How many films were produced by studios?", fits).graph
    assert isinstance(graph.answer, Aggregate)
    assert graph.answer.per is None


def test_a_per_within_a_property_s_name_makes_no_groups(fits: Fits) -> None:
    stays = more(fits, Key("Film", "pricePerStudio", "number", distinct=9))
    graph = read("What is the average price per studio of westerns?", stays, DICTIONARY)[0]
    assert graph.graph.answer == Aggregate("average", Value("x0", "pricePerStudio"))


def test_a_text_has_no_average(fits: Fits) -> None:
    answer = best("What is the average manner of films?", fits).graph.answer
    assert not (isinstance(answer, Aggregate) and answer.value.key == "manner")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which films did Brook direct?", ("Person", "name", "=", ("Ada Brook",))),
        ("Which films did Quill produce?", ("Studio", "name", "=", ("Quill Pictures",))),
        ("Which films did Dr Brook direct?", ("Person", "name", "=", ("Ada Brook",))),
        ("Who directed Film's Night?", ("Film", "title", "=", ("Film Night",))),
        ("who acted in long harbour", ("Film", "title", "=", ("The Long Harbour",))),
    ],
)
def test_a_part_of_a_name_names_what_has_it(fits: Fits, question: str, name: Tested) -> None:
    assert conditions_of(best(question, fits).graph) == {name}


def test_a_plural_noun_does_not_speak_of_the_one_thing_that_has_a_name(fits: Fits) -> None:
    keys = tuple(replace(key, unique=False) if key.key == "title" else key for key in VOCABULARY.keys)
    shared = Fits(replace(VOCABULARY, keys=keys), fits.cache)
    graph = best("What is the total length of the films in Redwater?", shared).graph
    assert (asked(graph), conditions_of(graph)) == ("Film", {("Studio", "name", "=", ("Redwater Pictures",))})


def test_words_that_end_many_names_are_no_name_without_the_words_before(fits: Fits) -> None:
    with pytest.raises(EntityNotFound):
        read("Which films did Marble Pictures produce?", fits, DICTIONARY)


RATED = Vocabulary(
    labels={"Client": 30, "Card": 30},
    keys=(
        Key("Client", "name", unique=True, distinct=30),
        Key("Client", "creditScore", "number", distinct=30, examples=("640", "710", "820")),
        Key("Client", "visits", "number", distinct=30, examples=("1", "4", "9")),
        Key("Client", "riskRating", distinct=4),
        Key("Card", "kind", distinct=2),
    ),
    links=(Link("Client", "HOLDS", "Card", 30),),
    display={"Client": ("name",)},
)
RATINGS = Values(
    {
        "credit": [Entry("Card", "kind", False, "credit", "credit", 12)],
        "d": [Entry("Client", "riskRating", False, "D", "D", 5)],
    }
)


@pytest.fixture(scope="module")
def rated(encoder: OnnxEncoder) -> Fits:
    return Fits(RATED, RankingCache(encoder))


def test_a_part_of_a_propertys_name_is_no_value(rated: Fits) -> None:
    graph = read("Which clients have a credit score above 700?", rated, RATINGS)[0].graph
    assert conditions_of(graph) == {("Client", "creditScore", ">", (700,))}


def test_a_single_capital_letter_is_a_value_behind_its_propertys_name(rated: Fits) -> None:
    graph = read("Which clients have risk rating D?", rated, RATINGS)[0].graph
    assert conditions_of(graph) == {("Client", "riskRating", "=", ("D",))}


def test_a_number_is_compared_with_what_is_of_its_order_of_magnitude(rated: Fits) -> None:
    graph = read("Which clients have more than 600 points?", rated, RATINGS)[0].graph
    assert conditions_of(graph) == {("Client", "creditScore", ">", (600,))}


@pytest.mark.parametrize("words", ["top 3 films by length", "the top three films by length", "top 3 longest films"])
def test_a_top_is_by_the_measure_that_is_said_and_its_numeral_is_no_value(words: str, fits: Fits) -> None:
    graph = best(words, fits).graph
    assert graph.selections == (Selection("x0", Value("x0", "length"), descending=True, limit=3),)
    assert not graph.conditions


def test_a_top_may_be_by_a_number_of_things(fits: Fits) -> None:
    [selection] = best("top 2 studios by number of films", fits).graph.selections
    assert (selection.variable, selection.by, selection.limit) == ("x0", Aggregate("count", Value("x1")), 2)


def test_the_lowest_number_of_something_is_the_lowest_value_of_the_property(fits: Fits) -> None:
    prints = more(fits, Key("Film", "prints", "number", distinct=9))
    graph = read("What is the lowest number of prints of the westerns?", prints, DICTIONARY)[0].graph
    assert (graph.answer, graph.selections[0].by) == (Value("x0", "prints"), Value("x0", "prints"))


def test_a_superlative_is_said_of_the_relationship_that_a_noun_names(fits: Fits) -> None:
    score = Key("SUPPORTED", "score", "number", of_edge=True, distinct=9)
    backed = more(fits, score, links=(*VOCABULARY.links, Link("Studio", "SUPPORTED", "Person", 30)))
    graph = read("Which studio has the strongest support for Ada Brook?", backed, DICTIONARY)[0].graph
    assert graph.selections == (Selection("x0", Value("r0", "score"), descending=True),)


def test_relationships_are_counted_where_the_noun_is_no_class(fits: Fits) -> None:
    graph = best("Who acted the most parts?", fits).graph
    assert (asked(graph), relations(graph)) == ("Person", ["ACTED_IN"])
    assert graph.selections == (Selection("x0", Aggregate("count", Value("r0")), descending=True),)


def test_the_least_of_a_property_of_relationships_is_an_aggregate(fits: Fits) -> None:
    paid = more(fits, Key("ACTED_IN", "fee", "number", of_edge=True, distinct=9))
    graph = read("What is the lowest fee of Ada Brook?", paid, DICTIONARY)[0].graph
    assert (graph.answer, graph.selections) == (Aggregate("minimum", Value("r0", "fee")), ())


def test_the_longest_serving_have_the_earliest_date(fits: Fits) -> None:
    staff = more(fits, Key("Person", "hired", "date", distinct=9))
    question = "Who is our longest-serving person by hired date?"
    [selection] = read(question, staff, DICTIONARY)[0].graph.selections
    assert (selection.by, selection.descending) == (Value("x0", "hired"), False)


def test_a_value_inside_the_name_of_a_property_is_no_condition(fits: Fits) -> None:
    scored = more(fits, Key("Studio", "comedyScore", "number", distinct=9))
    assert not read("top 3 studios by comedy score", scored, DICTIONARY)[0].graph.conditions


@pytest.mark.parametrize(
    ("words", "function"),
    [
        ("How many prints do the films by Quill Pictures have in total?", "sum"),
        ("How many prints do the films by Quill Pictures have altogether?", "sum"),
        ("How many prints do the films by Quill Pictures have on average?", "average"),
    ],
)
def test_a_count_of_what_a_property_counts_may_be_of_all_together(words: str, function: str, fits: Fits) -> None:
    prints = more(fits, Key("Film", "prints", "number", distinct=9, examples=("3", "8")))
    answer = read(words, prints, DICTIONARY)[0].graph.answer
    assert isinstance(answer, Aggregate)
    assert (answer.function, answer.value) == (function, Value("x0", "prints"))


def test_in_total_a_count_of_things_is_a_count(fits: Fits) -> None:
    assert best("How many films are there in total?", fits).graph.answer == Aggregate("count", Value("x0"))


def test_the_amount_of_what_has_an_amount_is_no_count(fits: Fits) -> None:
    paid = more(fits, Key("Film", "amount", "number", distinct=9))
    answer = read("What is the total amount of all films?", paid, DICTIONARY)[0].graph.answer
    assert answer == Aggregate("sum", Value("x0", "amount"))


def test_how_much_money_is_the_amount_of_what_adds_up(fits: Fits) -> None:
    paid = more(fits, Key("Film", "amount", "number", distinct=9))
    graph = read("How much money do the films of Ada Brook add up to?", paid, DICTIONARY)[0].graph
    assert graph.answer == Aggregate("sum", Value("x0", "amount"))


def test_the_last_noun_of_two_for_properties_is_asked_for(fits: Fits) -> None:
    sized = more(fits, Key("Film", "budgetEur", "number", distinct=9))
    answer = read("What is the total length budget of the films?", sized, DICTIONARY)[0].graph.answer
    assert answer == Aggregate("sum", Value("x0", "budgetEur"))


TRANSFERS = Vocabulary(
    labels={"Account": 40},
    keys=(
        Key("Account", "code", unique=True, distinct=40),
        Key("TRANSFERRED_TO", "channel", of_edge=True, distinct=3),
    ),
    links=(Link("Account", "TRANSFERRED_TO", "Account", 90),),
    display={"Account": ("code",)},
)


@pytest.mark.parametrize(("words", "per"), [("were made", None), ("are there per channel", Value("r0", "channel"))])
def test_relationships_are_counted_by_the_noun_for_what_is_done(words: str, per: Value | None, fits: Fits) -> None:
    graph = read(f"How many transfers {words}?", Fits(TRANSFERS, fits.cache), Values())[0].graph
    assert graph.answer == Aggregate("count", Value("r0"), per)


PIECES = ("number", "amount", "films", "?", ":", "()", "\U0001f600", "7")


@settings(max_examples=400, deadline=None)
@example([])
@example([":"])
@example(["how", "many"])
@example(["number", "of"])
@example(["how", "many", "films"])
@given(st.lists(st.sampled_from([*sorted(FUNCTION_WORDS), *PIECES]) | st.text(max_size=3), max_size=6))
def test_no_words_break_the_reader(fits: Fits, words: list[str]) -> None:
    with suppress(EntityNotFound):
        for item in read(" ".join(words), fits, DICTIONARY):
            assert item.wording
