"""An answer in a notebook."""

from __future__ import annotations

from html.parser import HTMLParser

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.model import Answer, Choice, Entity, Evidence, Table, TopicEntity, Triple

HOSTILE = '<script>alert("x")</script>'


class Seen(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_an_answer_shows_its_text_its_picture_and_its_query(sample_context: Context) -> None:
    answer = ask(sample_context, "which seas do the rivers of [Germany] flow into?")
    seen = Seen(answer._repr_html_())
    assert seen.tags.count("circle") == len(
        {name for item in answer.evidence for name in (item.triple.subject, item.triple.object)}
    )
    assert seen.tags.count("line") == len(answer.evidence)
    assert all(name in seen.text for name in answer.answers)
    assert "MATCH" in seen.text


def test_a_table_has_its_columns_and_says_how_much_is_left_out() -> None:
    table = Table(("name", "age"), tuple((f"n{number}", None) for number in range(60)))
    seen = Seen(Answer("q", "paths", "a", ("a",), table=table)._repr_html_())
    assert (seen.tags.count("tr"), "age" in seen.text, "50 of 60" in seen.text) == (51, True, True)


def test_choices_are_listed() -> None:
    choice = Choice("films", Answer("q", "paths", "a", ("a", "b")))
    assert (
        "films (2: a, b)"
        in Seen(Answer("q", "paths", "", outcome="choice", message="Which?", choices=(choice,))._repr_html_()).text
    )


def test_no_text_becomes_markup() -> None:
    topic = TopicEntity(Entity(HOSTILE), HOSTILE)
    evidence = (Evidence(Triple(HOSTILE, HOSTILE, HOSTILE), 1),)
    table = Table((HOSTILE,), ((HOSTILE,),))
    answer = Answer(
        HOSTILE, "paths", HOSTILE, (HOSTILE,), (topic,), (), evidence, HOSTILE, warnings=(HOSTILE,), table=table
    )
    assert "script" not in Seen(answer._repr_html_()).tags
