"""The grammar that holds a model to query graphs which a schema allows."""

from __future__ import annotations

import json
from random import Random

import pytest

from kgneo.english.literals import literals_of
from kgneo.query.catalogue import Catalogue, Key, Label, Relation
from kgneo.query.check import check
from kgneo.query.grammar import LONGEST, Literals, query_grammar
from kgneo.query.json import from_json
from tests.gbnf import allows, drawn, rules_of
from tests.query_graphs import CATALOGUE

BOOKS = Catalogue(
    (
        Label("Author", (Key("name", "STRING"), Key("born", "DATE"), Key("living", "BOOLEAN"))),
        Label("Book", (Key("title", "STRING"), Key("year", "INTEGER"), Key("subjects", "LIST<STRING NOT NULL>"))),
        Label("Publisher", (Key("name", "STRING"),)),
    ),
    (
        Relation("WROTE", (), (("Author", "Book"),)),
        Relation("PUBLISHED_BY", (Key("copies", "INTEGER"),), (("Book", "Publisher"),)),
    ),
)
QUESTION = 'Which 3 books did Ida Brandt\'s brother write after 1990, on 12/08/2017 at 21:07, or in "Lo\\w"?'
LITERALS = literals_of(QUESTION)
KNOWN = literals_of(QUESTION, {("Author", "name"): ("Ida Brandt",)})


def allowed(graph: object, literals: Literals = LITERALS, catalogue: Catalogue = BOOKS) -> bool:
    grammar = query_grammar(catalogue, literals)
    assert grammar is not None
    return allows(rules_of(grammar), json.dumps(graph, ensure_ascii=False))


def of_author(condition: dict[str, object], answer: dict[str, object]) -> dict[str, object]:
    """A query graph about books of an author."""
    return {
        "variables": [{"name": "x0", "labels": ["Book"]}, {"name": "x1", "labels": ["Author"]}],
        "edges": [{"subject": "x1", "relations": ["WROTE"], "object": "x0"}],
        "conditions": [condition],
        "answer": answer,
    }


def named(name: str, operator: str = "=") -> dict[str, object]:
    return {"left": {"of": "x1", "key": "name"}, "operator": operator, "right": [name]}


@pytest.mark.parametrize("catalogue", [BOOKS, CATALOGUE], ids=["books", "odd names"])
@pytest.mark.parametrize("literals", [LITERALS, KNOWN, Literals()], ids=["words", "known values", "none"])
def test_whatever_it_allows_is_a_query_graph_that_passes(catalogue: Catalogue, literals: Literals) -> None:
    grammar = query_grammar(catalogue, literals)
    assert grammar is not None
    rules, random = rules_of(grammar), Random(0)  # noqa: S311 - no secret
    for _ in range(400):
        text = drawn(rules, random)
        assert check(from_json(json.loads(text)), catalogue) == (), text


def test_a_text_is_a_run_of_the_words_of_the_question() -> None:
    assert allowed(of_author(named("Ida Brandt"), {"of": "x0"}))
    assert allowed(of_author(named("21:07"), {"of": "x0"}))
    assert not allowed(of_author(named("Ida write"), {"of": "x0"}))
    assert not allowed(of_author(named("Mira Sand"), {"of": "x0"}))


def test_where_values_of_the_graph_are_known_a_text_is_equal_to_these_alone() -> None:
    assert allowed(of_author(named("Ida Brandt"), {"of": "x0"}), KNOWN)
    assert not allowed(of_author(named("write"), {"of": "x0"}), KNOWN)
    assert allowed(of_author(named("write", "contains"), {"of": "x0"}), KNOWN)


def test_numbers_and_dates_are_those_of_the_question() -> None:
    def after(year: int) -> dict[str, object]:
        return {"left": {"of": "x0", "key": "year"}, "operator": ">", "right": [year]}

    def born(day: str) -> dict[str, object]:
        return {"left": {"of": "x1", "key": "born", "form": "date"}, "operator": "=", "right": [day]}

    assert allowed(of_author(after(1990), {"of": "x0"}))
    assert not allowed(of_author(after(1991), {"of": "x0"}))
    assert allowed(of_author(born("2017-08-12"), {"of": "x0"}))
    assert not allowed(of_author(born("2017-08-13"), {"of": "x0"}))


def test_only_a_question_that_speaks_of_it_asks_whether_a_property_is_there() -> None:
    missing = of_author({"left": {"of": "x1", "key": "born"}, "operator": "missing"}, {"of": "x0"})
    assert allowed(missing, literals_of("books by authors without a date of birth"))
    assert not allowed(missing, LITERALS)


@pytest.mark.parametrize(
    "edge",
    [
        {"subject": "x0", "relations": ["WROTE"], "object": "x1"},
        {"subject": "x1", "relations": ["PUBLISHED_BY"], "object": "x0"},
        {"subject": "x1", "relations": ["WROTE"], "object": "x2"},
    ],
)
def test_an_edge_joins_its_variables_as_the_schema_has_it(edge: dict[str, object]) -> None:
    assert not allowed(of_author(named("Ida"), {"of": "x0"}) | {"edges": [edge]})


@pytest.mark.parametrize(
    "graph",
    [
        of_author(named("Ida"), {"function": "count", "value": {"of": "x0"}}),
        of_author(named("Ida"), {"function": "average", "value": {"of": "x0", "key": "year"}}),
        of_author(named("Ida"), {"function": "count", "value": {"of": "x0"}, "per": {"of": "x1"}}),
        of_author(
            {"left": {"function": "count", "value": {"of": "x1"}, "per": {"of": "x0"}}, "operator": ">=", "right": [3]},
            {"of": "x0", "key": "title"},
        ),
        {
            "variables": [{"name": "x0", "labels": ["Book"]}, {"name": "x1", "labels": ["Publisher"]}],
            "edges": [{"subject": "x0", "relations": ["PUBLISHED_BY"], "object": "x1", "name": "r0"}],
            "conditions": [{"left": {"of": "r0", "key": "copies"}, "operator": ">", "right": [1990]}],
            "selections": [{"variable": "x0", "by": {"of": "x0", "key": "year"}, "descending": True, "limit": 3}],
            "answer": {"of": "x0"},
        },
        {
            "variables": [{"name": "x0", "labels": ["Author"]}, {"name": "x1", "labels": ["Book"]}],
            "edges": [{"subject": "x0", "relations": ["WROTE"], "object": "x1", "absent": True}],
            "answer": {"function": "share", "value": {"of": "x0"}},
        },
        {
            "variables": [
                {"name": f"x{number}", "labels": [label]} for number, label in enumerate(("Book", "Author", "Book"))
            ],
            "edges": [{"subject": "x1", "relations": ["WROTE"], "object": end} for end in ("x0", "x2")],
            "conditions": [{"left": {"of": "x0"}, "operator": "<>", "right": {"of": "x2"}}],
            "answer": {"of": "x0"},
        },
    ],
    ids=["count", "average", "groups", "test of a count", "named edge and order", "absent edge", "another one"],
)  # fmt: skip
def test_what_people_ask_can_be_said(graph: dict[str, object]) -> None:
    assert check(from_json(graph), BOOKS) == ()
    assert allowed(graph)


def test_a_schema_with_many_labels_gets_fewer_variables() -> None:
    labels = tuple(Label(f"L{number}", (Key("name", "STRING"),)) for number in range(60))
    ends = tuple((start.name, end.name) for start in labels for end in labels)
    wide = query_grammar(Catalogue(labels, (Relation("R", (), ends),)), LITERALS)
    assert wide is not None
    assert len(wide) < 2 * LONGEST
    assert '\\"x2\\", \\"labels\\"' not in wide
    narrow = query_grammar(BOOKS, LITERALS)
    assert narrow is not None
    assert '\\"x2\\", \\"labels\\"' in narrow


def test_a_graph_without_labels_has_no_grammar() -> None:
    assert query_grammar(Catalogue(), LITERALS) is None


def test_literals_are_words_numbers_and_dates() -> None:
    assert LITERALS.words[3:7] == ("did", "Ida", "Brandt", "brother")
    assert LITERALS.between[5] == "'s "
    assert LITERALS.numbers == ("3", "1990")
    assert LITERALS.dates == ("1990", "2017-08-12")
