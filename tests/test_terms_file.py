"""The file of terms: what it may say, how a command edits it, what drafts and files of others put into it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgneo.english.names import called, content_words, name_words
from kgneo.english.short import long_name
from kgneo.errors import DataError
from kgneo.graph.connections import Connection
from kgneo.graph.schema import Label, Property, Relation, Schema
from kgneo.graph.schema_text import prompt_text
from kgneo.graph.shape import Shape
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import QueryGraph
from kgneo.query.wording import wording
from kgneo.terms.draft import drafts, write_draft
from kgneo.terms.edit import add_question, add_words, opened, saved, table
from kgneo.terms.file import PropertyTerms, Terms, json_schema, read_terms, terms_of
from kgneo.terms.importing import drafts_of, told_by
from kgneo.terms.meaning import expanded
from kgneo.terms.said import called_schema, owner_of
from kgneo.terms.written import written

SCHEMA = Schema(
    130,
    90,
    labels=(
        Label("T0042", 40, (Property("CUST_NM", "STRING", 1.0, 40, examples=("Ada", "Bob")),
                            Property("CUST_STAT_CD", "STRING", 1.0, 40, different=2, examples=("A", "I")))),
        Label("ORD_HDR", 90, (Property("AMT", "INTEGER", 1.0, 90, examples=("120", "700")),)),
    ),
    relations=(Relation("R17", 90, connections=(Connection(("T0042",), ("ORD_HDR",), 90),)),),
)  # fmt: skip


def terms(text: str, folder: Path) -> Terms:
    file = folder / "kgneo.terms.toml"
    file.write_text(text, encoding="utf-8")
    return read_terms(file)


# What it may say -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("[labels.A]\nword = ['b']", "labels.A.word: there is no such field", "Did you mean 'words'?"),
        ("[labels.A]\nwords = [3]", "labels.A.words.0: input should be a valid string", "See docs/terms.md."),
        ("[labels.A]\nhidden = 'perhaps'", "labels.A.hidden: input should be a valid boolean", "See docs/terms.md."),
        ("[labels.A.properties.k]\nformat = '.2q'", "labels.A.properties.k.format:", "See docs/terms.md."),
        ("[relations.R]\nhierarchy = 'sideways'", "relations.R.hierarchy: input should be 'up', 'down'", ""),
        ("[terms.VIP]\nwords = ['x']", "terms.VIP: expected either cypher or query_graph", "See docs/terms.md."),
        ("[terms.VIP]\ncypher = 'MATCH'", "terms.VIP:", "See docs/terms.md."),
        ("[terms.VIP]\nquery_graph = '[3'", "terms.VIP:", "See docs/terms.md."),
        (
            "[[questions]]\ncypher = 'MATCH (c:A) RETURN c'",
            "questions.0.question: field required",
            "See docs/terms.md.",
        ),
        ("labels = 3\nrelations = 4", "labels: input should be a valid dictionary (1 more like this)", ""),
        ("[labels", "this is not TOML", "See docs/terms.md."),
    ],
)
def test_a_file_that_says_what_none_can_is_refused_with_its_place(
    text: str, told: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError) as found:
        terms(text, tmp_path)
    assert told in found.value.message
    assert "kgneo.terms.toml" in str(found.value)
    assert hint in (found.value.hint or "")


def test_the_file_in_the_documentation_can_be_used(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "terms.md").read_text(encoding="utf-8")
    known = terms(page.split("```toml\n")[1].split("```")[0], tmp_path)
    assert {*known.labels} == {"T0042", "T0050"}
    assert known.questions[0].by == "ann"


def test_one_word_stands_for_a_list_of_one(tmp_path: Path) -> None:
    assert terms("[labels.A]\nwords = 'client'", tmp_path).labels["A"].words == ("client",)


def test_hidden_are_labels_types_and_their_properties(tmp_path: Path) -> None:
    text = "[labels.A]\nhidden = true\n[labels.B.properties.ssn]\nhidden = true\n[relations.R]\nhidden = true"
    assert terms(text, tmp_path).hidden == ("A", "R", "B.ssn")


def test_a_verified_question_is_found_by_its_words_whatever_its_capitals_and_mark(tmp_path: Path) -> None:
    known = terms("[[questions]]\nquestion = 'How is  business?'\ncypher = 'MATCH (c:A) RETURN c'", tmp_path)
    assert [item.plain for item in known.questions] == ["how is business"]


def test_the_json_schema_names_every_field_with_what_it_is() -> None:
    schema = json_schema()
    assert {*schema["properties"]} == {"labels", "relations", "terms", "questions"}
    for part in schema["$defs"].values():
        assert all(field.get("description") for field in part["properties"].values()), part["title"]


# What names are called -----------------------------------------------------------------------------------------------


def test_a_called_name_is_the_graphs_own_and_reads_as_people_say_it() -> None:
    schema = called_schema(SCHEMA, terms_of({"labels": {"T0042": {"name": "customer"}}}))
    name = schema.labels[0].name
    assert (name, called(name), name_words(name), content_words(name)) == (
        "T0042", "customer", ("customer",), ("customer",)
    )  # fmt: skip
    assert called(schema.relations[0].connections[0].subject[0]) == "customer"


def test_what_terms_say_stands_in_the_schema_that_models_see() -> None:
    status = {"name": "status", "values": {"A": "active"}}
    customer = {"name": "customer", "description": "Who buys from us.", "properties": {"CUST_STAT_CD": status}}
    record = {"labels": {"T0042": customer, "ORD_HDR": {"properties": {"AMT": {"unit": "EUR"}}}}}
    shape = Shape(loaded=False, values={"T0042": {"CUST_STAT_CD": 1.0}, "ORD_HDR": {"AMT": 1.0}})
    text = prompt_text(called_schema(SCHEMA, terms_of(record)), shape, tokens=2000)
    assert "// customer: Who buys from us." in text
    assert "CUST_STAT_CD: status (A = active)" in text
    assert "AMT: in EUR" in text


# Terms with a meaning ------------------------------------------------------------------------------------------------


VIP = from_cypher("MATCH (c:Customer)-[:PLACED]->(o:Order) WHERE o.amount > 500 RETURN c")
ADULT = from_cypher("MATCH (c:Customer) WHERE c.age >= 18 RETURN c")
REVENUE = from_cypher("MATCH (c:Customer)-[:PLACED]->(o:Order) RETURN sum(o.amount)")
SALES = from_cypher("MATCH (o:Order) RETURN sum(o.amount)")
MEANINGS = {("Customer", "vip"): VIP, ("Customer", "adult"): ADULT, ("Order", "sales"): SALES}


def meant(cypher: str) -> QueryGraph | None:
    return expanded(from_cypher(cypher), MEANINGS)


def same(one: QueryGraph | None, cypher: str) -> bool:
    """Whether two query graphs say the same, whatever their names."""
    return one is not None and wording(one) == wording(from_cypher(cypher))


def test_a_term_that_is_said_of_a_node_becomes_what_it_stands_for() -> None:
    assert same(
        meant("MATCH (c:Customer) WHERE c.vip = true AND c.city = 'Bonn' RETURN c"),
        "MATCH (c:Customer)-[:PLACED]->(o:Order) WHERE c.city = 'Bonn' AND o.amount > 500 RETURN c",
    )


def test_a_denied_test_of_a_property_becomes_its_contrary() -> None:
    assert same(
        meant("MATCH (c:Customer) WHERE c.adult = false RETURN c"), "MATCH (c:Customer) WHERE c.age < 18 RETURN c"
    )


def test_a_denied_thing_that_there_is_becomes_one_that_there_is_not() -> None:
    found = meant("MATCH (c:Customer) WHERE c.vip = false RETURN c")
    assert found is not None
    assert [edge.absent for edge in found.edges] == [True]
    assert [(test.left, test.operator) for test in found.conditions] == [
        (test.left, test.operator) for test in found.conditions_of(found.variables[1].name)
    ]


def test_a_measure_becomes_what_it_measures_and_a_sum_of_sums_the_sum() -> None:
    assert same(
        meant("MATCH (c:Customer)-[:PLACED]->(o:Order) RETURN sum(o.sales)"),
        "MATCH (c:Customer)-[:PLACED]->(o:Order) RETURN sum(o.amount)",
    )


def test_a_number_of_measures_cannot_be_said() -> None:
    assert meant("MATCH (o:Order) RETURN count(o.sales)") is None


def test_a_query_graph_without_terms_is_as_it_was() -> None:
    graph = from_cypher("MATCH (c:Customer) RETURN c")
    assert expanded(graph, MEANINGS) is graph


@pytest.mark.parametrize(
    ("cypher", "owner"),
    [
        ("MATCH (c:Customer) RETURN c", "Customer"),
        ("MATCH (c:Customer)-[:PLACED]->(o:Order) RETURN sum(o.amount)", "Order"),
        ("MATCH (c:Customer) RETURN c.name", ""),
        ("MATCH (c) RETURN c", ""),
    ],
)
def test_a_term_is_of_the_label_that_its_query_graph_asks_for(cypher: str, owner: str) -> None:
    assert owner_of(from_cypher(cypher)) == owner


# As people write values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "said", "told"),
    [
        ("1234.5", {"format": ",.2f", "unit": "EUR"}, "1,234.50 EUR"),
        ("0.25", {"format": ".0%"}, "25%"),
        ("2024-05-01", {"format": "%d %B %Y", "unit": "x"}, "01 May 2024"),
        ("2024-05-01T10:00:00Z", {"format": "%d.%m."}, "01.05."),
        ("12", {"unit": "km"}, "12 km"),
        ("unknown", {"format": ",.2f", "unit": "km"}, "unknown"),
        ("A", {"values": {"A": ["active", "current"]}}, "A (active)"),
        ("B", {"values": {"A": ["active"]}}, "B"),
        ("2024", {"format": "%d.%m.%Y"}, "2024"),
        ("2024", {"format": "%B %y"}, "2024"),
        ("20240501", {"format": ",.0f"}, "20,240,501"),
    ],
)
def test_a_value_is_written_as_people_do(value: str, said: dict[str, Any], told: str) -> None:
    assert written(value, PropertyTerms.model_validate(said)) == told


# Editing -------------------------------------------------------------------------------------------------------------


def test_comments_and_order_are_kept_when_a_command_edits_the_file(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    text = "# ours\n[labels.B]\nwords = ['x']  # from sales\n\n[labels.A]\nname = 'a'\n"
    file.write_text(text, encoding="utf-8")
    document = opened(file)
    assert add_words(table(document, "labels", "A"), "words", ["client", "client"]) == ["client"]
    saved(document, file)
    kept = file.read_text(encoding="utf-8")
    assert kept.startswith("# ours\n[labels.B]\nwords = ['x']  # from sales\n")
    assert read_terms(file).labels["A"].words == ("client",)


def test_an_edit_that_would_make_the_file_unusable_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    file.write_text("[labels.A]\nname = 'a'\n", encoding="utf-8")
    document = opened(file)
    table(document, "labels", "A")["colour"] = "red"
    with pytest.raises(DataError, match="there is no such field"):
        saved(document, file)
    assert file.read_text(encoding="utf-8") == "[labels.A]\nname = 'a'\n"


def test_a_table_where_the_file_has_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    file.write_text("labels = 3\n", encoding="utf-8")
    with pytest.raises(DataError, match="labels is no table"):
        table(opened(file), "labels", "A")


def test_a_question_that_is_verified_again_is_there_once(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    document = opened(file)
    for key in ("A", "B"):
        add_question(document, {"question": "How many?", "cypher": f"MATCH (x:{key}) RETURN count(x)"})
    assert [item.cypher for item in saved(document, file).questions] == ["MATCH (x:B) RETURN count(x)"]


# Drafts --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "long"),
    [("CUST_STAT_CD", "customer status code"), ("ORD_DT", "order date"), ("customerName", ""), ("T0042", "")],
)
def test_short_forms_in_names_are_written_out(name: str, long: str) -> None:
    assert long_name(name) == long


def drafted(file: Path) -> tuple[int, Terms]:
    document = opened(file)
    known = terms_of(document.unwrap())
    new = sum(write_draft(document, item, known) for item in drafts(SCHEMA, Shape()))
    return new, saved(document, file)


def test_a_draft_without_a_model_names_short_forms_and_lists_codes_each_as_a_guess(tmp_path: Path) -> None:
    new, known = drafted(tmp_path / "terms.toml")
    status = known.labels["T0042"].properties["CUST_STAT_CD"]
    assert (status.name, status.guess, {*status.values}) == ("customer status code", True, {"A", "I"})
    assert known.labels["ORD_HDR"].guess
    assert not known.labels["T0042"].guess, "nothing was said of it"
    assert new > 0


def test_a_second_draft_adds_nothing_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    drafted(file)
    text = file.read_text(encoding="utf-8").replace('"customer status code"', '"state"')
    file.write_text(text, encoding="utf-8")
    assert drafted(file)[0] == 0
    assert file.read_text(encoding="utf-8") == text


# Files of others -----------------------------------------------------------------------------------------------------


def imported(tmp_path: Path, name: str, record: Any) -> dict[str, Any]:
    file = tmp_path / name
    file.write_text(record if isinstance(record, str) else json.dumps(record), encoding="utf-8")
    return {item.name: item.record for item in drafts_of(told_by(file), SCHEMA)}


def test_a_manifest_of_wrenai_is_read(tmp_path: Path) -> None:
    columns = [{"name": "amt", "type": "int", "properties": {"displayName": "amount", "description": "In euros."}}]
    record = {"models": [{"name": "ord_hdr", "properties": {"description": "An order."}, "columns": columns}]}
    assert imported(tmp_path, "mdl.json", record) == {
        "ORD_HDR": {"description": "An order.", "properties": {"AMT": {"name": "amount", "description": "In euros."}}}
    }


def test_a_schema_file_of_dbt_is_read(tmp_path: Path) -> None:
    text = """
    models:
      - name: ord_hdr
        description: An order.
        columns: [{name: amt, description: What it costs.}, {name: other, description: Elsewhere.}]
    """
    assert imported(tmp_path, "schema.yml", text) == {
        "ORD_HDR": {"description": "An order.", "properties": {"AMT": {"description": "What it costs."}}}
    }


def test_a_graph_schema_of_graphrag_is_read(tmp_path: Path) -> None:
    record = {
        "node_types": ["Nobody", {"label": "T0042", "description": "Who buys.", "properties": []}],
        "relationship_types": [{"label": "R17", "description": "Placed an order."}],
    }
    assert imported(tmp_path, "schema.json", record) == {
        "T0042": {"description": "Who buys."}, "R17": {"description": "Placed an order."}
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "this is no manifest"),
        ("{", "this is not JSON"),
        ("a: [", "neither JSON nor YAML"),
        ("- 3", "no manifest"),
    ],
)
def test_a_file_of_no_such_kind_is_refused(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=told):
        imported(tmp_path, "file.json", text)
