"""Schema, shape and values of attached graphs, as far as no database is needed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration

from kgneo.errors import UsageError
from kgneo.graph.attach import Choices, derive_shape, display_of
from kgneo.graph.connections import Connection
from kgneo.graph.schema import Label, Property, Relation, Schema
from kgneo.graph.schema_text import CHARACTERS, prompt_text, table
from kgneo.graph.shape import Shape
from kgneo.graph.statistics import Statistics, estimate_statistics
from kgneo.graph.values import LONGEST_TEXT, detail, texts
from kgneo.graph.vocabulary import vocabulary
from kgneo.model import Triple, split_value_relation, value_relation


def text(key: str, *, unique: bool = True, length: float = 10.0, share: float = 1.0) -> Property:
    return Property(key, "STRING", share, 100, length, int(length), 100 if unique else 3, ("a", "b"))


FILMS = Schema(
    nodes=30,
    relationships=40,
    labels=(
        Label("Movie", 10, (text("title"), text("tagline", unique=False), Property("released", "INTEGER", 1.0, 10))),
        Label("Person", 20, (text("name"), Property("vector", "LIST<FLOAT>", 1.0, 10, 384.0, 384))),
    ),
    relations=(
        Relation("ACTED_IN", 30, (text("role", unique=False),), (Connection(("Person",), ("Movie",), 30),)),
        Relation("P57", 10, (Property("label", "STRING", 1.0, 10, 8.0, 8, 1, ("director",)),)),
    ),
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (12.0, ("12",)),
        (9.9, ("9.9",)),
        (1e20, ("1e+20",)),
        (True, ("true",)),
        (Date(2016, 8, 27), ("2016-08-27",)),
        (DateTime(2020, 1, 2, 3, 4, 5, 0), ("2020-01-02T03:04:05",)),
        (DateTime(2020, 1, 2, 3, 4, 5, 500_000_000), ("2020-01-02T03:04:05.5",)),
        (Duration(days=2), ("P2D",)),
        (["a", 2.0], ("a", "2")),
        (WGS84Point((13.4, 52.5)), ("longitude 13.4, latitude 52.5",)),
        (CartesianPoint((1.0, 2.0)), ("(1, 2)",)),
        (b"bytes", ()),
        ("x" * (LONGEST_TEXT + 1), ()),
        (None, ()),
    ],
)
def test_values_read_well(value: object, expected: tuple[str, ...]) -> None:
    assert texts(value) == expected


def test_a_relationships_properties_are_words() -> None:
    words = detail({"since": 2012, "role": "chemist", "grade": 3.0}, ("since", "role", "grade"))
    assert (
        Triple("Ada", "WORKED_AT", "Amber Labs", words).text
        == "(Ada, WORKED AT as chemist, grade 3, since 2012, Amber Labs)"
    )


@given(
    st.text(min_size=1).filter(lambda key: not key.startswith("@")),
    st.text().filter(lambda name: not name.endswith("@")),
)
def test_the_relation_of_a_value_gives_back_type_and_key(key: str, relation: str) -> None:
    assert split_value_relation(value_relation(key, relation)) == (relation, key)


def test_a_key_that_is_a_type_as_well_is_told_from_it() -> None:
    assert split_value_relation(value_relation("country", clash=True)) == ("", "country")


def test_a_name_of_a_part_of_the_label_goes_before_another_things_name() -> None:
    keys = (text("festivalName"), text("chairName"))
    assert display_of(Label("FestivalDetail", 100, keys)) == ("festivalName",)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([text("title"), text("name")], "name"),
        ([text("fullName"), text("email")], "fullName"),
        ([text("city"), text("companyName"), text("country", unique=False)], "companyName"),
        ([text("heading"), text("body", length=900)], "heading"),
        ([text("kind", unique=False)], ""),
        ([text("name", share=0.1), text("heading")], "heading"),
        ([text("lastName", unique=False), text("first_name", unique=False), text("email")], "first_name+lastName"),
        ([text("LAST", unique=False), text("FIRST", unique=False)], "FIRST+LAST"),
        (
            [text("firstName", unique=False), text("lastName", unique=False), text("title", unique=False)],
            "firstName+lastName",
        ),
        ([text("firstName"), text("lastName"), text("fullName")], "fullName"),
        ([text("shipName", unique=False), text("orderID")], "orderID"),
        ([text("thingName", unique=False), text("orderID")], "thingName"),
        ([text("thing", unique=False), text("famousTitle")], "thing"),
    ],
)
def test_a_label_is_named_by_the_properties_most_like_a_name(keys: list[Property], expected: str) -> None:
    assert "+".join(display_of(Label("Thing", 100, tuple(keys)))) == expected


def test_several_properties_can_be_chosen_as_a_name() -> None:
    shape = derive_shape(FILMS, Choices({"Movie": "title+tagline"}))
    assert shape.display["Movie"] == ("title", "tagline")
    assert shape.values == {"Movie": {"tagline": 1.0, "title": 1.0, "released": 1.0}}
    with pytest.raises(UsageError, match="no property of Movie 'heading'"):
        derive_shape(FILMS, Choices({"Movie": "title+heading"}))


def test_vectors_and_display_properties_are_no_values() -> None:
    shape = derive_shape(FILMS)
    assert shape.values == {"Movie": {"tagline": 1.0, "released": 1.0}}


def test_a_code_is_read_by_the_label_that_all_its_relationships_have() -> None:
    shape = derive_shape(FILMS)
    assert shape.names == {"P57": "director"}
    assert "P57" not in shape.details


def test_choices_bound_what_is_used() -> None:
    shape = derive_shape(FILMS, Choices({"Movie": "tagline"}, exclude=("P57", "ACTED_IN.role", "Movie.released")))
    assert shape.display["Movie"] == ("tagline",)
    assert shape.relations == ("ACTED_IN",)
    assert shape.values == {"Movie": {"title": 1.0}}
    assert not shape.details


def test_excluding_a_label_leaves_its_nodes_out() -> None:
    assert derive_shape(FILMS, Choices(exclude=("Person",))).excluded == ("Person",)


def test_questions_cannot_speak_of_a_property_that_is_excluded() -> None:
    def keys(*exclude: str) -> set[str]:
        return {key.key for key in vocabulary(FILMS, derive_shape(FILMS, Choices(exclude=exclude))).keys}

    assert keys() == {"title", "tagline", "released", "name", "role"}
    assert keys("Movie.released", "ACTED_IN.role") == {"title", "tagline", "name"}


def test_a_choice_that_names_nothing_says_what_is_near() -> None:
    with pytest.raises(UsageError, match="no label 'Movies'") as caught:
        derive_shape(FILMS, Choices({"Movies": "title"}))
    assert "Movie" in caught.value.hint


def test_shape_schema_and_statistics_survive_being_kept() -> None:
    shape = derive_shape(FILMS, Choices(exclude=("P57",)))
    assert Shape.from_json(shape.to_json()) == shape
    assert Schema.from_json(FILMS.to_json()) == FILMS
    statistics = estimate_statistics(FILMS, shape)
    assert Statistics.from_json(statistics.to_json()) == statistics


def test_statistics_from_a_schema_lead_from_types_to_values() -> None:
    hops = {str(item.hop): item for item in estimate_statistics(FILMS, derive_shape(FILMS)).hops}
    assert hops["ACTED_IN"].labels == ("Movie",)
    assert "released" in hops["ACTED_IN"].onward
    assert hops["^ACTED_IN@role"].value


@given(st.integers(min_value=20, max_value=400))
def test_the_text_for_a_prompt_is_as_short_as_was_asked(tokens: int) -> None:
    assert len(prompt_text(FILMS, derive_shape(FILMS), tokens=tokens)) <= max(tokens, 45) * CHARACTERS


def test_the_table_marks_names_and_what_is_left_out() -> None:
    lines = table(FILMS, derive_shape(FILMS)).splitlines()
    assert any(line.startswith("   * title") for line in lines)
    assert any(line.startswith("   - vector") for line in lines)


@pytest.mark.parametrize(
    ("value", "text"),
    [(20.0, "20"), (22.5 - 18.2, "4.3"), (0.1 + 0.2, "0.3"), (41 / 12, repr(41 / 12)), (52.520008, "52.520008")],
)
def test_a_number_has_no_digits_that_only_a_calculation_makes(value: float, text: str) -> None:
    assert texts(value) == (text,)
