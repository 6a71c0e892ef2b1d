"""Relationships between like things, negations behind a name, and questions to which the graph has nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.server import RunningServer
from tests.conftest import asked_on

MODULES = """
UNWIND [['parser', 'Java', date('2016-04-01')], ['lexer', 'Java', date('2015-02-10')],
        ['printer', 'Rust', date('2018-09-30')], ['linker', 'Rust', date('2019-01-15')],
        ['loader', 'Go', date('2020-06-02')]] AS row
CREATE (:Module {title: row[0], language: row[1], createdOn: row[2]})
WITH count(*) AS done
UNWIND [['parser', 'lexer'], ['parser', 'printer'], ['parser', 'linker'], ['loader', 'parser'], ['linker', 'lexer']]
    AS row
MATCH (one:Module {title: row[0]}), (other:Module {title: row[1]}) CREATE (one)-[:DEPENDS_ON]->(other)
WITH count(*) AS done
UNWIND [['Red', ['parser', 'lexer']], ['Blue', ['printer', 'linker']]] AS row
CREATE (crew:Crew {crewName: row[0]})
WITH crew, row UNWIND row[1] AS title MATCH (module:Module {title: title}) CREATE (crew)-[:OWNS]->(module)
WITH count(*) AS done
UNWIND [['F-1', ['lexer', 'loader']], ['F-2', ['lexer']], ['F-3', ['printer']]] AS row
CREATE (fault:Fault {code: row[0]})
WITH fault, row UNWIND row[1] AS title MATCH (module:Module {title: title}) CREATE (fault)-[:AFFECTED]->(module)
WITH count(*) AS done
UNWIND [['zip', ['parser', 'printer']], ['log', ['parser']], ['math', ['printer', 'linker']]] AS row
CREATE (plugin:Plugin {pluginName: row[0]})
WITH plugin, row UNWIND row[1] AS title MATCH (module:Module {title: title}) CREATE (module)-[:USES]->(plugin)
"""


@pytest.fixture(scope="module")
def modules(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, MODULES) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which modules depend on lexer?", {"parser", "linker"}),
        ("What does parser depend on?", {"lexer", "printer", "linker"}),
        ("Which modules depend on more than 2 modules?", {"parser"}),
        ("Which modules does parser not depend on?", {"parser", "loader"}),
        ("Which plugins does parser use that printer does not use?", {"log"}),
        ("Which plugins does printer use but not parser?", {"math"}),
        ("Which modules are written in Rust?", {"printer", "linker"}),
        ("Which crew has the most faults?", {"Red"}),
    ],
)
def test_the_words_tell_which_way_a_relationship_goes_and_what_is_counted(
    modules: Context, question: str, answers: set[str]
) -> None:
    found = ask(modules, question)
    assert {*found.answers} == answers
    assert (found.confidence or 0.0) >= 0.5


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Which modules does lexer depend on?", "modules that modules with title lexer depend on"),
        ("Which modules that loader depends on were affected by F-3?", "modules with title loader depend on"),
        ("Which modules were created before 2010?", "created on before 2010"),
        ("Which faults affected both parser and linker?", "with title parser"),
    ],
)
def test_where_the_graph_has_nothing_that_is_the_answer_and_no_other_reading(
    modules: Context, question: str, read: str
) -> None:
    found = ask(modules, question)
    assert (found.outcome, found.answers) == ("answer", ())
    assert found.answer == "none"
    assert read in found.steps[0].question
