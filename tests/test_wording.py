"""Relation names as English words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.english.names import content_words, name_words, path_wording, question_wording, same_root, telling_words
from kgneo.model import Hop, RelationPath


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("composed_by", ("composed", "by")),
        ("PLAYED_IN", ("played", "in")),
        ("placeOfBirth", ("place", "of", "birth")),
        ("/people/person/place_of_birth", ("place", "of", "birth")),
        ("http://example.org/terms#hasPart", ("has", "part")),
        ("HTTPServer", ("http", "server")),
        ("date of death", ("date", "of", "death")),
    ],
)
def test_a_relation_name_is_cut_into_its_words_however_it_is_spelt(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


def test_light_words_of_a_name_are_left_out() -> None:
    assert content_words("has_capital") == ("capital",)
    assert content_words("composed_by") == ("composed",)


def test_a_name_of_light_words_alone_keeps_them() -> None:
    assert content_words("is_in") == ("is", "in")


def test_the_unit_of_a_value_does_not_tell_what_it_is() -> None:
    assert telling_words("dateOfBirth") == ("birth",)
    assert telling_words("publication_year") == ("publication",)
    assert telling_words("year") == ("year",)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("teacher", "teaches"),
        ("founded", "founder"),
        ("cities", "city"),
        ("advisor", "advisors"),
        ("swimming", "swimmer"),
        ("schoolteacher", "teaches"),
        ("discovery", "discovered"),
    ],
)
def test_words_that_differ_by_suffixes_share_a_root(first: str, second: str) -> None:
    assert same_root(first, second)


@pytest.mark.parametrize(
    ("first", "second"), [("born", "bones"), ("play", "plaza"), ("star", "start"), ("plan", "planet")]
)
def test_words_that_merely_begin_alike_share_no_root(first: str, second: str) -> None:
    assert not same_root(first, second)


@given(st.text(max_size=40))
def test_any_text_has_words(name: str) -> None:
    assert name_words(name)
    assert content_words(name)


@pytest.mark.parametrize(
    ("hops", "wording"),
    [
        ((Hop("has_capital"), Hop("mayor")), "capital of X → their mayor"),
        ((Hop("in_region"),), "region of X"),
        ((Hop("composed_by", labels=("Person",)),), "person that X was composed by"),
        ((Hop("composed_by", forward=False, labels=("Song",)),), "song composed by X"),
        ((Hop("composed_by", forward=False),), "what was composed by X"),
        ((Hop("PLAYED_IN", labels=("Band",)), Hop("FORMED_IN")), "band that X played in → what they formed in"),
        ((Hop("PLAYED_IN", forward=False, labels=("Musician",)),), "musician that played in X"),
        ((Hop("RECORDED", labels=("Album",)), Hop("publisher")), "album that X recorded → their publisher"),
        ((Hop("topic", forward=False, labels=("Book",)),), "book with topic X"),
        ((Hop("topic", forward=False),), "what has topic X"),
        ((Hop("MEMBER_OF", forward=False, labels=("Person",)),), "person that is member of X"),
        ((Hop("MEMBER_OF", labels=("Club",)),), "club that X is member of"),
        ((Hop("MEMBER_OF_CLUB", labels=("Club",)),), "club that X is member of"),
        ((Hop("topic"), Hop("topic", forward=False, labels=("Book",))), "topic of X → book with that topic"),
    ],
)
def test_a_path_reads_as_a_plain_sentence(hops: tuple[Hop, ...], wording: str) -> None:
    assert path_wording(RelationPath(hops)) == wording


def test_the_topic_entity_is_named() -> None:
    assert path_wording(RelationPath((Hop("capital"),)), topic="Norway") == "capital of Norway"


def test_a_code_is_read_by_its_name() -> None:
    path = RelationPath((Hop("P36"),))
    assert path_wording(path, names={"P36": "capital"}) == "capital of X"


@pytest.mark.parametrize(
    ("hops", "wording"),
    [
        ((Hop("SUPPLIES", forward=False, labels=("Supplier",)),), "supplier that supplies X"),
        ((Hop("LED"), Hop("SUPPLIES", labels=("Product",))), "what X led → product that they supply"),
        ((Hop("TEACHES_AT", labels=("School",)), Hop("WATCHES")), "school that X teaches at → what they watch"),
        ((Hop("genres", forward=False),), "what has genres X"),
    ],
)
def test_verbs_are_put_into_words_as_verbs(hops: tuple[Hop, ...], wording: str) -> None:
    assert path_wording(RelationPath(hops)) == wording


@pytest.mark.parametrize(
    ("relation", "question"),
    [
        ("has_capital", "what is the capital of Ethiopia?"),
        ("flows_through", "what does Ethiopia flow through?"),
        ("lies_on", "what does Ethiopia lie on?"),
        ("PLAYED_IN", "what has Ethiopia played in?"),
        ("directed_by", "what was Ethiopia directed by?"),
        ("uses_currency", ""),
    ],
)
def test_a_relation_is_asked_for(relation: str, question: str) -> None:
    assert question_wording(relation, "Ethiopia") == question
