"""The files of Cypher: each is valid as it stands, on every version, and what they share is put into them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from kgneo.errors import GraphError
from kgneo.graph import Graph
from kgneo.graph.cypher import node_name, query


def test_every_file_is_valid_cypher_as_it_stands(graph: Graph) -> None:
    refused = {}
    for file in files("kgneo.cypher").iterdir():
        text = file.read_text(encoding="utf-8") if file.name.endswith(".cypher") else ""
        newer = "CYPHER 25\n" in text
        if not text or (newer and not graph.capabilities.search):
            continue
        try:
            graph.schema(("EXPLAIN CYPHER 25 " if newer else "EXPLAIN ") + text.replace("CYPHER 25\n", ""))
        except GraphError as error:  # what is missing, an index or a parameter, is missed after the syntax
            if "SyntaxError" in error.message:
                refused[file.name] = error.message
    assert refused == {}


def test_what_queries_share_is_put_into_each(graph: Graph) -> None:
    graph.write("CREATE (:Person {first: 'Ida', last: 'Brandt'})-[:KNOWS]->(:Person)")
    shape: dict[str, Any] = {"display": {"Person": ["first", "last"]}, "hidden": None}
    text = f"MATCH (a)-->(b) RETURN {node_name('a')} AS a, {node_name('b')} AS b"
    assert graph.read(text, **shape) == [{"a": "Ida Brandt", "b": None}]
    assert graph.read(text, **{**shape, "hidden": ["Person.last"]}) == [{"a": "Ida", "b": None}]
    assert "/*{candidates_near}*/" not in query("candidates_ids")
