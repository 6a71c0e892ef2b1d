"""A schema as text for a model: values in full, forms, names, directions, and what is left out of a long one."""

from __future__ import annotations

from itertools import pairwise

from kgneo.graph import Graph
from kgneo.graph.attach import derive_shape
from kgneo.graph.connections import Connection
from kgneo.graph.open import known_shape
from kgneo.graph.schema import Label, Property, Relation, Schema
from kgneo.graph.schema_text import CHARACTERS, prompt_text


def text(key: str, *examples: str, times: int = 100, different: int = 0, length: float = 8.0) -> Property:
    """A property of texts."""
    return Property(key, "STRING", 1.0, times, length, 80, different or len(examples), examples)


NOTE = "A note that is far too long to be written as it stands"
PARTS = Schema(
    100, 0,
    (
        Label("Part", 100, (
            text("name", "Cog", "Axle", different=100),
            text("state", "new", "under repair"),
            text("made", "9/08/2017", "12/28/2017", different=90),
            text("price", "1,200", "900", different=90),
            text("note", NOTE, different=90, length=54.0),
            Property("size", "INTEGER", 1.0, 100, 0.0, 0, 3, ("1", "2", "4")),
        )),
    ),
)  # fmt: skip


def shown(schema: Schema, *, tokens: int = 2_000, spoken: tuple[str, ...] = ()) -> str:
    return prompt_text(schema, derive_shape(schema), tokens=tokens, spoken=spoken)


def test_a_property_is_told_by_its_few_values_or_by_an_example_that_is_whole_and_by_its_form() -> None:
    assert shown(PARTS) == (
        '(:Part {name: STRING e.g. "Cog", state: STRING "new" | "under repair", '
        'made: STRING (form month first) e.g. "9/08/2017", price: STRING (form number) e.g. "1,200", '
        "note: STRING of about 54 characters, size: INTEGER 1 | 2 | 4})  100, named by name"
    )


def test_more_values_are_listed_where_there_is_room_for_them() -> None:
    kinds = tuple(f"kind {number}" for number in range(20))
    properties = (text("name", "Cog", different=100), text("kind", *kinds, different=20), text("state", "new", "old"))
    schema = Schema(100, 0, (Label("Part", 100, properties),))
    assert '"kind 18" | "kind 19"' in shown(schema)
    less = shown(schema, tokens=80)
    assert 'kind: STRING e.g. "kind 0"' in less
    assert 'state: STRING "new" | "old"' in less


def test_whether_a_type_is_stored_both_ways_is_told_from_the_data(graph: Graph) -> None:
    graph.write(
        "UNWIND range(1, 9) AS n CREATE (:Person {name: 'P' + n})\n"
        "WITH count(*) AS done MATCH (a:Person), (b:Person) WHERE a.name < b.name\n"
        "CREATE (a)-[:KNOWS]->(b), (a)-[:PAID]->(b), (a)-[:WROTE_TO]->(b), (b)-[:WROTE_TO]->(a)"
    )
    told = prompt_text(*known_shape(graph), tokens=2_000)
    assert "(:Person)-[:KNOWS]->(:Person)  36, means the same both ways" in told
    assert "(:Person)-[:PAID]->(:Person)  36, one way" in told
    assert "(:Person)-[:WROTE_TO]->(:Person)  72, stored both ways" in told


def test_a_type_that_is_a_code_is_explained_by_what_both_its_ends_share(graph: Graph) -> None:
    graph.write(
        "UNWIND range(1, 8) AS n CREATE (home:Address {street: 'S' + n}), (:Town {name: 'T'})<-[:IN_TOWN]-(home)\n"
        "CREATE (a:Person {name: 'A' + n})-[:LIVES_AT]->(home), (b:Person {name: 'B' + n})-[:LIVES_AT]->(home)\n"
        "CREATE (a)-[:KNOWS_LW]->(b), (a)-[:BORN_IN]->(:Town {name: 'U' + n})"
    )
    told = prompt_text(*known_shape(graph), tokens=2_000)
    assert "[:KNOWS_LW]->(:Person)  8, means the same both ways, both have LIVES_AT to the same Address" in told


def wide(labels: int) -> Schema:
    """A schema of many labels, each joined with the next one."""
    names = [f"Kind{number}" for number in range(labels)]
    return Schema(
        labels, labels,
        tuple(Label(name, 1_000 - place, (text("name", "a", "b", different=100), text("code", "x", different=100)))
              for place, name in enumerate(names)),
        tuple(Relation(f"JOINS{place}", 10, (), (Connection((one,), (other,), 10),))
              for place, (one, other) in enumerate(pairwise(names))),
    )  # fmt: skip


def test_of_a_schema_of_400_labels_what_is_spoken_of_comes_first_then_its_surroundings() -> None:
    schema = wide(400)
    told = shown(schema, tokens=600, spoken=("Kind300",))
    lines = told.splitlines()
    assert lines[0].startswith("(:Kind300 {name: STRING")
    assert {"JOINS299", "JOINS300"} <= {part for line in lines[:5] for part in ("JOINS299", "JOINS300") if part in line}
    assert any(line.startswith("(:Kind301 {") for line in lines[:6])
    assert lines[-1].startswith("Left out: ")
    assert lines[-1].endswith(" more")
    assert len(told) <= 600 * CHARACTERS


def test_a_schema_that_fits_is_the_same_whatever_is_asked() -> None:
    assert shown(wide(5), spoken=("Kind3",)) == shown(wide(5), spoken=("Kind1",)) == shown(wide(5))
