"""Questions in German and Spanish, by words for how something is asked, and words of a graph in its file of terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.languages.language import languages, others
from kgneo.languages.tell import ENGLISH, language_of
from kgneo.languages.translate import in_english
from kgneo.llm import ScriptedModel
from kgneo.server import RunningServer
from kgneo.terms.file import terms_of
from tests.conftest import connect, wipe
from tests.test_feedback import SHOP

TERMS = {
    "labels": {
        "Customer": {
            "words": ["Kunde", "Kunden", "cliente", "clientes"],
            "properties": {
                "age": {"words": ["Alter", "edad"]},
                "city": {"words": ["Stadt", "ciudad"]},
                "name": {"words": ["Namen", "nombre"]},
            },
        },
        "Order": {
            "words": ["Bestellung", "Bestellungen", "pedido", "pedidos"],
            "properties": {"amount": {"words": ["Betrag", "Beträge", "importe"]}},
        },
        "Product": {"words": ["Ware", "Waren", "producto", "productos"]},
    },
    "relations": {"PLACED": {"words": ["aufgegeben", "hecho"]}, "CONTAINS": {"words": ["enthält", "contiene"]}},
}


@pytest.fixture(scope="module")
def context(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    with connect(newest_server) as graph:
        wipe(graph)
        graph.write(SHOP)
        graph.terms = terms_of(TERMS)
        yield open_context(graph, encoder=encoder)


ANSWERS: dict[str, set[str]] = {
    "Wie viele Kunden gibt es?": {"4"},
    "Wie viele Kunden gibt es in Kiel?": {"2"},
    "Welche Kunden sind aus Kiel?": {"Bob", "Cyrus"},
    "Was ist das Alter von Ada?": {"34"},
    "Wer ist der älteste Kunde?": {"Bob"},
    "Welche Kunden haben keine Bestellungen?": {"Dido"},
    "Welcher Kunde hat die meisten Bestellungen?": {"Cyrus"},
    "Was ist die Summe der Beträge aller Bestellungen?": {"1340"},
    "Welche Kunden sind älter als 40?": {"Bob", "Dido"},
    "Wie hoch ist der durchschnittliche Betrag der Bestellungen?": {"223.333333333"},
    "Anzahl der Kunden pro Stadt": {"Bonn: 1", "Kiel: 2", "Ulm: 1"},
    "¿Cuántos clientes hay?": {"4"},
    "¿Cuántos clientes hay en Kiel?": {"2"},
    "¿Qué clientes son de Kiel?": {"Bob", "Cyrus"},
    "¿Cuál es la edad de Ada?": {"34"},
    "¿Quién es el cliente más viejo?": {"Bob"},
    "¿Qué clientes no tienen pedidos?": {"Dido"},
    "¿Qué cliente tiene más pedidos?": {"Cyrus"},
    "¿Qué clientes son mayores de 40?": {"Bob", "Dido"},
    "¿Cuál es el importe medio de los pedidos?": {"223.333333333"},
}


def rounded(answers: tuple[str, ...]) -> set[str]:
    return {text[:13] if "." in text else text for text in answers}


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_in_another_language_is_answered_by_terms(context: Context, question: str) -> None:
    assert rounded(ask(context, question).answers) == ANSWERS[question]


def test_the_answer_keeps_the_question_and_tells_how_it_was_put_into_english(context: Context) -> None:
    answer = ask(context, "Wie viele Kunden gibt es in Kiel?")
    assert answer.question == "Wie viele Kunden gibt es in Kiel?"
    assert "The question is in German; with English words: how many Kunden are there in Kiel?" in answer.how


@pytest.mark.parametrize(
    ("question", "english"),
    [
        (
            "Welche Kunden, die in Kiel wohnen, haben keine Bestellungen?",
            "which Kunden that live in Kiel have no Bestellungen?",
        ),
        ("Welche Filme mit [Der Pate] gibt es?", "which Filme with [Der Pate] are there?"),
        ('Wer hat "Die Welle" gedreht und wann?', 'who has "Die Welle" gedreht and when?'),
        ("Welche Städte liegen in El Salvador?", "which Städte lie in El Salvador?"),
        ("¿Quién escribió [La casa de los espíritus]?", "who escribió [La casa de los espíritus]?"),
        ("¿Cuál es la ciudad más grande de Perú?", "what is the largest ciudad of Perú?"),
    ],
)
def test_words_of_the_question_are_put_into_english_and_names_stay(question: str, english: str) -> None:
    assert in_english(question).replace(" ,", ",").replace(", have", " have") == english


@pytest.mark.parametrize(
    "question",
    [
        "what is the capital of El Salvador?",
        "who painted Die Brücke and der Blaue Reiter?",
        "What did Van der Waals discover in Den Haag?",
        "how many films has Los Lobos made in La Paz?",
        "[Das Boot]",
        "Ada",
        "who directed Le fabuleux destin?",
    ],
)
def test_a_question_in_english_stays_as_it_is(question: str) -> None:
    assert (language_of(question), in_english(question)) == (ENGLISH, question)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wer wohnt in Kiel?", "German"),
        ("¿Quién vive en Kiel?", "Spanish"),
        ("Combien de clients sont à Kiel?", "French"),
        ("Quanti clienti sono a Kiel?", "Italian"),
        ("Quantos clientes não têm pedidos?", "Portuguese"),
        ("Hoeveel klanten wonen in Kiel?", "Dutch"),
        ("Ile jest zamówień?", "Polish"),
        ("Сколько клиентов в Киле?", "a language in Cyrillic letters"),
        ("有多少客户?", "a language in Cjk letters"),
    ],
)
def test_the_language_of_a_question_is_told(question: str, language: str) -> None:
    assert language_of(question) == language


def test_a_language_that_is_not_read_is_said(context: Context) -> None:
    answer = ask(context, "Combien de clients vivent à Kiel et quels sont les plus grands?")
    assert answer.outcome != "answer"
    assert answer.message.startswith("The question seems to be in French. Questions are read in English")


def test_words_that_no_terms_tell_are_said_to_be_missing_there(context: Context) -> None:
    answer = ask(context, "Welche Lieferanten gibt es und wer sind sie?")
    assert "kgneo.terms.toml" in answer.message


def test_a_model_puts_a_question_into_english_first(context: Context) -> None:
    asked: list[str] = []

    def reply(_: Any, parameters: Any) -> str:
        asked.append(parameters.stage)
        return "How many customers are in Kiel?" if parameters.stage == "translate" else "1"

    answer = ask(replace(context, model=ScriptedModel(reply)), "Combien de clients sont à Kiel?")
    assert (asked, answer.answers, answer.question) == (["translate"], ("2",), "Combien de clients sont à Kiel?")
    assert any("into English: How many customers are in Kiel?" in told for told in answer.how)


def test_the_call_that_puts_a_question_into_english_is_counted_beside_the_others(context: Context) -> None:
    def reply(_: Any, parameters: Any) -> str:
        return "Who are the best lamp people?" if parameters.stage == "translate" else "1"

    answer = ask(replace(context, model=ScriptedModel(reply)), "Quels sont les meilleurs clients de lampes?")
    assert answer.llm is not None
    assert answer.llm.calls > 1


def test_a_model_is_not_asked_where_the_reader_is_sure(context: Context) -> None:
    def reply(*_: Any) -> str:
        raise AssertionError("The model was asked.")

    answer = ask(replace(context, model=ScriptedModel(reply)), "Wie viele Kunden gibt es in Kiel?")
    assert answer.answers == ("2",)


def test_no_phrase_of_a_language_is_written_with_capitals_or_blanks_around_it() -> None:
    for item in languages():
        for table in (item.words, item.after_noun, item.after_comma, item.behind):
            assert all(phrase == phrase.strip().lower() for phrase in table)
    assert all(word == word.lower() for words in others().values() for word in words)
