"""The ways English has to say one relation: the frames, and relationship types under the words of a question."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.english.names import name_words
from kgneo.english.relating import FILE, frames_of, said, sayings_of
from kgneo.english.synonyms import groups_of
from kgneo.english.thesaurus import Thesaurus
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.reading.aliases import Alias, stored
from kgneo.server import RunningServer
from kgneo.thesaurus_data import make_thesaurus
from tests.conftest import asked_on

FILL = """
UNWIND ['Ada', 'Bo', 'Cy', 'Di', 'Ed'] AS name CREATE (:Person {name: name})
WITH count(*) AS done
UNWIND [['Bo', 'Ada'], ['Cy', 'Bo'], ['Di', 'Bo'], ['Ed', 'Di']] AS row
MATCH (a:Person {name: row[0]}), (b:Person {name: row[1]}) CREATE (a)-[:REPORTS_TO]->(b)
WITH count(*) AS done
UNWIND [['Dahlia', 'Ada'], ['Iris', 'Di']] AS row
MATCH (p:Person {name: row[1]}) CREATE (:Vessel {name: row[0], built: 1987})<-[:OWNS]-(p)
WITH count(*) AS done
UNWIND [['Harbour', 'Ed'], ['Pier', 'Cy']] AS row
MATCH (p:Person {name: row[1]}) CREATE (p)-[:WORKS_FOR]->(:Firm {name: row[0]})
"""
QUESTIONS: tuple[tuple[str, set[str]], ...] = (
    ("Who is the boss of Cy?", {"Bo"}),
    ("Who is Ed's manager?", {"Di"}),
    ("subordinates of Bo", {"Cy", "Di"}),
    ("Who supervises Ed?", {"Di"}),
    ("Who is supervised by Bo?", {"Cy", "Di"}),
    ("people without a boss", {"Ada"}),
    ("Which vessel belongs to Di?", {"Iris"}),
    ("Who is the proprietor of Dahlia?", {"Ada"}),
    ("Who is employed by Pier?", {"Cy"}),
    ("Who is Ed's employer?", {"Harbour"}),
)


@pytest.fixture(scope="module")
def thesaurus() -> Thesaurus:
    return make_thesaurus(lambda _: None)


@pytest.fixture(scope="module")
def harbour(server: RunningServer) -> Iterator[Context]:
    with asked_on(server, FILL) as context:
        yield context


@pytest.mark.parametrize(("question", "answers"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_a_relationship_is_found_by_what_people_call_it(harbour: Context, question: str, answers: set[str]) -> None:
    assert set(ask(harbour, question).answers) == answers


@pytest.mark.parametrize(
    ("name", "forward"),
    [("MANAGES", True), ("managedBy", False), ("IS_MANAGED_BY", False), ("HAS_MANAGER", False), ("manager_of", True),
     ("REPORTS_TO", False), ("manager", False), ("LED", True)],
)  # fmt: skip
def test_a_name_says_which_end_does_it(thesaurus: Thesaurus, name: str, forward: bool) -> None:
    managing = {saying.frame for saying in sayings_of(["report", "to"]) if not saying.forward}
    found = {frame: way for frame, way in frames_of(name_words(name), thesaurus.lemmas).items() if frame in managing}
    assert found
    assert set(found.values()) == {forward}


def test_a_saying_is_found_in_any_form_of_its_verb(thesaurus: Thesaurus) -> None:
    for words in ("who reported to her", "who reports to her", "those reporting to her"):
        assert any(item.words == ("report", "to") for item in said(words.split(), thesaurus.lemmas))


def test_a_saying_inside_a_longer_one_is_none(thesaurus: Thesaurus) -> None:
    found = said(["who", "is", "in", "charge", "of", "it"], thesaurus.lemmas)
    assert {(item.start, item.end) for item in found} == {(2, 5)}


def test_each_frame_says_something_of_both_ends_or_in_two_ways() -> None:
    from importlib.resources import files

    lines = files("kgneo.english").joinpath(FILE).read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))
    for line in lines:
        fields = line.split("|")
        assert len(fields) == 4, line
        assert line == line.lower(), line
        assert sum(len(field.split(",")) for field in fields if field.strip()) > 1, line


def test_synonyms_are_in_one_group() -> None:
    assert groups_of("salary") & groups_of("wage")
    assert not groups_of("salary") & groups_of("mountain")
    assert groups_of("no word of any group") == frozenset()


def query(subject: str, relations: tuple[str, ...], other: str, *, directed: bool = True) -> QueryGraph:
    edge = Edge(subject, relations, other, "r0", directed)
    return QueryGraph((Variable("x0"), Variable("x1")), Value("x0"), (edge,))


def test_an_alias_that_leads_the_other_way_turns_its_edge() -> None:
    alias = Alias("REPORTS_TO", "REPORTS_TO/boss_of", forward=False)
    assert stored(query("x0", (alias.name,), "x1"), (alias,)) == query("x1", ("REPORTS_TO",), "x0")


def test_a_reading_without_an_alias_is_none_of_its_own() -> None:
    alias = Alias("REPORTS_TO", "REPORTS_TO/boss_of", forward=False)
    assert stored(query("x0", ("KNOWS",), "x1"), (alias,)) is None


def test_relations_that_lead_different_ways_are_not_one_edge() -> None:
    alias = Alias("REPORTS_TO", "REPORTS_TO/boss_of", forward=False)
    assert stored(query("x0", (alias.name, "KNOWS"), "x1"), (alias,)) is None
    either = query("x0", (alias.name, "KNOWS"), "x1", directed=False)
    assert stored(either, (alias,)) == query("x1", ("REPORTS_TO", "KNOWS"), "x0", directed=False)
