"""What words mean that a schema does not have: the thesaurus, the signs, and the ways to read a question."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kgneo.encoders.encoder import load_encoder
from kgneo.english.thesaurus import NONE, Terms, Thesaurus
from kgneo.errors import KgneoError, ServerError
from kgneo.query.catalogue import Catalogue
from kgneo.query.graph import QueryGraph, Value, Variable
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.heard import Heard
from kgneo.reading.likeness import Likeness, probability, signs
from kgneo.reading.mentions import Found
from kgneo.reading.otherwise import MOST, Otherwise, otherwise
from kgneo.reading.read import Interpretation
from kgneo.reading.vocabulary import Key, Link, Vocabulary, Word
from kgneo.stages.interpret import in_all_words
from kgneo.terms.file import Terms as FileOfTerms
from kgneo.terms.said import with_terms
from kgneo.thesaurus_data import INSIDE, PARTS, build, load_thesaurus, make_thesaurus

SHOP = Vocabulary(
    {"Customer": 9, "Product": 9},
    (Key("Customer", "lastName"), Key("Customer", "city"), Key("Product", "price", kind="number")),
    (Link("Customer", "BOUGHT", "Product"),),
)


@pytest.fixture(scope="module")
def thesaurus() -> Thesaurus:
    return make_thesaurus(lambda _: None)


@pytest.fixture(scope="module")
def shop(thesaurus: Thesaurus) -> Fits:
    cache = RankingCache(load_encoder())
    return Fits(SHOP, cache, likeness=Likeness(SHOP, cache, thesaurus))


def nothing(*_: object, **__: object) -> Sequence[Found]:
    return ()


class Values:
    """A dictionary that knows some values by their text, of no property: enough to be asked whether a word is one."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def lookup(self, pieces: Iterable[str]) -> Mapping[str, Sequence[Found]]:
        return {piece: () for piece in pieces if piece in self.texts}

    similar = phrases = holding = staticmethod(nothing)


def ways(question: str, fits: Fits, *values: str) -> list[str]:
    return [way.text for way in otherwise(question, fits, Values(*values))]


def test_words_of_one_sense_are_near_and_others_are_not(thesaurus: Thesaurus) -> None:
    near = Terms.of(["customer", "mountain"], thesaurus).near("clients", thesaurus)
    assert near["customer"].same > 0.2
    assert near.get("mountain", NONE).same == 0.0


def test_the_side_on_which_a_word_is_broader_is_told(thesaurus: Thesaurus) -> None:
    terms = Terms.of(["aircraft"], thesaurus)
    assert terms.near("airplanes", thesaurus)["aircraft"].narrower > 0.5
    assert terms.near("vehicle", thesaurus)["aircraft"].broader > 0.2


def test_forms_that_follow_no_rule_have_the_senses_of_their_base(thesaurus: Thesaurus) -> None:
    nouns = {sense.above for sense in thesaurus.senses("geese")}
    assert nouns
    assert nouns <= {sense.above for sense in thesaurus.senses("goose")}


def test_a_word_without_senses_has_none(thesaurus: Thesaurus) -> None:
    assert thesaurus.senses("qwertz") == ()


def test_more_signs_make_a_meaning_likelier() -> None:
    nothing = signs(NONE, similar=0.0, most=0.4)
    assert probability(signs(NONE, similar=0.4, most=0.4)) > probability(nothing)
    assert probability(nothing) < 0.01


def test_a_question_is_read_in_the_schemas_words(shop: Fits) -> None:
    assert ways("Show the surnames of all clients.", shop)[0] == "Show the last names of all customers."


def test_the_schemas_own_words_and_closed_classes_stay(shop: Fits) -> None:
    assert ways("Show the price of each product.", shop) == ["Show the price of each product."]


def test_what_is_a_value_of_the_graph_stays(shop: Fits) -> None:
    assert ways("How many clients are there?", shop, "clients") == ["How many clients are there?"]


def test_the_words_of_a_longer_value_stay(shop: Fits) -> None:
    assert ways("Which clients bought merchandise?", shop) != ["Which clients bought merchandise?"]
    question = "Who bought Fresh merchandise?"
    assert all("merchandise" in way for way in ways(question, shop, "fresh merchandise"))
    assert any("merchandise" not in way for way in ways(question, shop))


@dataclass(frozen=True)
class State:
    """A value of several words, as a dictionary has it."""

    owner: str = "Product"
    key: str = "state"
    of_edge: bool = False
    value: str = "Sale complete; no buyer named"
    text: str = "Sale complete; no buyer named"
    times: int = 3


def states(*_: object, **__: object) -> Sequence[Found]:
    return (State(),)


class States(Values):
    phrases = staticmethod(states)


@pytest.mark.parametrize(
    ("question", "denied"),
    [
        ("Which products are marked as sale complete with no buyer named?", ()),
        ("Which products have no buyer?", ("no",)),
    ],
)
def test_a_negation_inside_a_value_denies_nothing(shop: Fits, question: str, denied: tuple[str, ...]) -> None:
    fits = Fits(replace(SHOP, keys=(*SHOP.keys, Key("Product", "state"))), shop.cache)
    heard = Heard(question, fits, States())
    assert tuple(heard.plain[index] for index in heard.form.negations) == denied


def test_a_question_has_few_ways_and_their_probabilities_fall(shop: Fits) -> None:
    found = otherwise("Which towns do clients of merchandise with a high cost live in?", shop, Values())
    probabilities = [way.probability for way in found]
    assert 1 < len(found) <= MOST
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) <= 1.0 + 1e-9


def test_without_a_thesaurus_a_question_is_read_as_it_stands(shop: Fits) -> None:
    assert otherwise("all clients", Fits(SHOP, shop.cache), Values()) == [Otherwise("all clients")]


def test_a_word_fits_the_property_that_it_means_better_with_the_thesaurus(shop: Fits) -> None:
    city = SHOP.keys[1]
    assert shop.key("municipality")[city] > Fits(SHOP, shop.cache).key("municipality")[city]


def test_where_the_thesaurus_cannot_be_had_that_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(coordinate: str, **_: object) -> Path:
        raise ServerError(f"{coordinate} is not there")

    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("kgneo.server.jars.find_jar", fail)
    said: list[str] = []
    assert load_thesaurus.__wrapped__(said.append) is None
    assert load_thesaurus.__wrapped__(said.append) is None
    assert sum("without WordNet" in line for line in said) == 1
    with pytest.raises(KgneoError):
        make_thesaurus(said.append)


def test_files_of_wordnets_form_are_read(tmp_path: Path) -> None:
    jar = tmp_path / "words.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for name in PARTS.values():
            if name != "noun":
                archive.writestr(f"{INSIDE}data.{name}", "")
            archive.writestr(f"{INSIDE}{name}.exc", "")
        archive.writestr(
            f"{INSIDE}data.noun",
            "00000001 03 n 01 vehicle 0 000 | what drives\n"
            "00000002 03 n 02 lorry 0 heavy_goods 0 001 @ 00000001 n 0000 | a large one\n"
            "00000003 03 n 01 tree 0 000 | what grows\n",
        )
        archive.writestr(
            f"{INSIDE}index.sense",
            "vehicle%1:06:00:: 00000001 1 3\nlorry%1:06:00:: 00000002 1 0\nheavy_goods%1:06:00:: 00000002 1 0\n",
        )
    build(jar, tmp_path / "words.sqlite")
    found = Thesaurus(tmp_path / "words.sqlite")
    near = Terms.of(["vehicle", "heavy goods"], found).near("lorries", found)
    assert near["heavy goods"].same == 1.0
    assert near["vehicle"].narrower > 0.0


def test_a_reading_that_other_words_repeat_stands_where_it_is_read_better() -> None:
    graph = QueryGraph((Variable("x", ("Customer",)),), Value("x"))
    in_other_words = {"all clients": [Interpretation(graph, 1.0)], "all customers": [Interpretation(graph, 2.0)]}
    known = (Otherwise("all clients"), Otherwise("all customers"))
    found = in_all_words(known, lambda text, _: in_other_words[text])
    assert [(item.graph, item.score) for item in found] == [(graph, 2.0)]


# What people told -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("what is the email of Ann?", "what is the email address of Ann?"),
        ("what is the email address of Ann?", "what is the email address of Ann?"),
        ("what are the email addresses and emails?", "what are the email addresses and email addresses?"),
    ],
)
def test_a_word_that_people_told_stays_as_a_part_of_a_longer_name(shop: Fits, question: str, read: str) -> None:
    told = {"email": (Word("email address", 1.0),)}
    known = replace(SHOP, keys=(*SHOP.keys, Key("Customer", "emailAddress")), words=told)
    assert ways(question, Fits(known, shop.cache)) == [read]


def test_a_name_that_the_terms_repeat_is_read_as_it_stands(shop: Fits) -> None:
    vocabulary = Vocabulary({"DetentionKind": 3}, (Key("DetentionKind", "detentionKindCode"),), ())
    said = FileOfTerms.model_validate(
        {"labels": {"DetentionKind": {"properties": {"detentionKindCode": {"name": "detention kind code"}}}}}
    )
    known = with_terms(vocabulary, said, Catalogue())
    assert ways("return all detention kind codes", Fits(known, shop.cache)) == ["return all detention kind codes"]
