"""What `--exclude` leaves out, at every door: neither a value, nor a node, nor a name of it is in any reply.

The graph has a hidden label (on nodes of a label that is shown, too), a hidden property of one label (on nodes that
have another label besides, and a property of the same name that is shown elsewhere), a hidden relationship type and a
hidden property of relationships.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kgneo.asking.claim import verify
from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.doors.tools import Tools
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import KgneoError, StatementError, StatementRefused, UsageError
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.graph.attach import Choices
from kgneo.graph.cache import LocalCache
from kgneo.graph.index import build
from kgneo.graph.lessons import Lesson, remove_lessons, store_lessons, usable_lessons
from kgneo.graph.open import known_shape
from kgneo.graph.schema_text import prompt_text
from kgneo.llm import ScriptedModel
from kgneo.query.json import from_json
from kgneo.server import RunningServer
from kgneo.strategies.cypher import Cypher, CypherOptions
from kgneo.terms.file import Terms, read_terms
from tests.conftest import VERSIONS, connect, load_file, set_address, wipe
from tests.serving import client

STAFF = """
CREATE (ida:Person {name: 'Ida Brandt', born: 1970, salary: 'pay-1001'}),
       (tom:Person:Clerk {name: 'Tom Okello', born: 1965, salary: 'pay-1002', desk: 'north'}),
       (eva:Person:Agent {name: 'Eva Unseen', born: 1980, salary: 'pay-1003', cover: 'gardener'}),
       (ben:Clerk {name: 'Ben Ude', salary: 'open-17', desk: 'south'}),
       (:Agent {name: 'Uri Nowhere', cover: 'baker'}),
       (works:Company {title: 'Harbour Works', salary: 'open-44'}),
       (ida)-[:WORKS_AT {since: 1999, note: 'remark-1'}]->(works), (tom)-[:WORKS_AT {since: 2004}]->(works),
       (eva)-[:WORKS_AT {since: 2011}]->(works), (ben)-[:WORKS_AT {since: 2012}]->(works),
       (ida)-[:WATCHES {why: 'motive-1'}]->(tom), (tom)-[:KNOWS]->(ida), (ida)-[:KNOWS]->(eva)
"""
EXCLUDED = ("Agent", "Person.salary", "WATCHES", "WORKS_AT.note")
VALUES = (
    "pay-1001", "pay-1002", "pay-1003", "Eva Unseen", "Uri Nowhere", "gardener", "baker", "remark-1", "motive-1",
)  # fmt: skip
NAMES = ("Agent", "cover", "WATCHES", "motive", "note")
QUESTIONS = (
    "what is the salary of [Ida Brandt]?",
    "what is the salary of Tom Okello?",
    "what salaries are there?",
    "who works at [Harbour Works]?",
    "who works at Harbour Works?",
    "where does Eva Unseen work?",
    "where does [Eva Unseen] work?",
    "how many agents are there?",
    "what is the cover of each agent?",
    "whom does [Ida Brandt] watch?",
    "why does Ida Brandt watch Tom Okello?",
    "what is the note of Ida Brandt?",
    "whom does [Ida Brandt] know?",
    "which persons have a salary?",
    "which clerks have the highest salary?",
    "when was Gardener born?",
)


@dataclass(frozen=True)
class World:
    """A graph with something left out, and those who ask it."""

    context: Context
    http: TestClient
    tools: Tools
    ids: dict[str, str]


@pytest.fixture(scope="module")
def staff_server(server: RunningServer) -> RunningServer:
    with connect(server) as graph:
        wipe(graph)
        graph.write(STAFF)
    return server


STATES = ("never indexed", "left out, then indexed", "indexed, then left out", "hidden by its terms")
TERMS = """
labels.Agent.hidden = true
labels.Person.properties.salary.hidden = true
relations.WATCHES.hidden = true
relations.WORKS_AT.properties.note.hidden = true
"""
NEWEST = [(VERSIONS[0], state) for state in STATES]


def on(ways: list[tuple[str, str]]) -> pytest.MarkDecorator:
    """The versions of Neo4j and the states in which a test is run."""
    return pytest.mark.parametrize(("server", "world"), ways, indirect=True)


in_one_state = on([(version, STATES[0]) for version in VERSIONS])
"""For Cypher of others, which knows of an index only what the shape says."""
in_each_state = on([*NEWEST, *((older, STATES[0]) for older in VERSIONS[1:])])
"""On the newest version, and on others in one state: what tells the states apart is files of kgneo's own."""
in_each_state_of_the_newest = on(NEWEST)
"""For what stands on queries that other tests run on every version."""
in_one_state_of_the_newest = on(NEWEST[:1])


@pytest.fixture(scope="module")
def world(
    request: pytest.FixtureRequest,
    staff_server: RunningServer,
    encoder: OnnxEncoder,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch, connect(staff_server) as graph:
        _own_cache(patch, tmp_path_factory.mktemp("cache"), staff_server)
        if request.param == "indexed, then left out":
            _index(graph, encoder, Choices())
            Tools(open_context(graph, encoder=encoder)).ask(QUESTIONS[0])  # fills all caches with what is hidden later
        if request.param == "hidden by its terms":
            graph.terms = _terms(patch, tmp_path_factory.mktemp("terms") / "kgneo.terms.toml")
        else:
            known_shape(graph, choices=Choices(exclude=EXCLUDED))
        if request.param == "left out, then indexed":
            _index(graph, encoder, Choices(exclude=EXCLUDED))
        context = open_context(graph, encoder=encoder)
        ids = {
            row["name"]: row["id"] for row in graph.read("MATCH (n:Person) RETURN n.name AS name, elementId(n) AS id")
        }
        with client(context) as http:
            yield World(context, http, Tools(context, tokens=20_000), ids)
        main(["index", "--remove"])


def _terms(patch: pytest.MonkeyPatch, file: Path) -> Terms:
    """Terms that hide the same, which commands find too."""
    file.write_text(TERMS, encoding="utf-8")
    patch.setenv("KGNEO_TERMS", str(file))
    return read_terms(file)


def _own_cache(patch: pytest.MonkeyPatch, folder: Path, server: RunningServer) -> None:
    set_address(patch, server)
    (folder / "encoders").symlink_to(cache_folder() / "encoders")
    patch.setenv("KGNEO_CACHE_DIR", str(folder))


def _index(graph: Graph, encoder: OnnxEncoder, choices: Choices) -> None:
    schema, shape = known_shape(graph, choices=choices)
    build(graph, encoder, shape=shape, schema=schema)


def shows_nothing(reply: Any, asked: Any = "") -> None:
    """No secret is in the reply, but for what the asker said."""
    text, said = json.dumps(reply, default=str), json.dumps(asked)
    for secret in (*VALUES, *NAMES):
        assert secret in said or secret not in text, f"{secret} in {text}"


def told(function: Callable[[], Any]) -> Any:
    """What a tool gives, or what its error says."""
    try:
        return function()
    except KgneoError as error:
        return [error.message, error.hint]


@in_each_state_of_the_newest
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_shows_nothing_that_is_left_out(world: World, question: str) -> None:
    for route, body in (
        ("ask", {"question": question}),
        ("interpret", {"question": question}),
        ("retrieve", {"question": question, "hops": 3}),
    ):
        shows_nothing(world.http.post(f"/api/v1/{route}", json=body).json(), question)
    message = {"model": "kgneo", "messages": [{"role": "user", "content": question}]}
    shows_nothing(world.http.post("/v1/chat/completions", json=message).json(), question)
    for tool in (world.tools.ask, world.tools.interpret, world.tools.retrieve):
        shows_nothing(told(partial(tool, question)), question)


@in_each_state_of_the_newest
@pytest.mark.parametrize(
    "claim",
    [
        "Eva Unseen works at Harbour Works.",
        "[Ida Brandt] watches [Tom Okello].",
        "[Ida Brandt] works at [Harbour Works].",
    ],
)
def test_a_claim_shows_nothing_that_is_left_out(world: World, claim: str) -> None:
    shows_nothing(world.http.post("/api/v1/verify", json={"claim": claim}).json(), claim)
    shows_nothing(told(lambda: world.tools.verify(claim)), claim)


@in_each_state
def test_a_claim_that_rests_on_what_is_left_out_is_not_supported(world: World) -> None:
    assert world.tools.verify("[Ida Brandt] watches [Tom Okello].")["verdict"] != "supported"


def graphs(ids: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Query graphs that ask for what is left out, by what they ask."""
    ida, eva = {"name": "x0", "ids": [ids["Ida Brandt"]]}, {"name": "x0", "ids": [ids["Eva Unseen"]]}
    other, every = {"name": "x1"}, {"name": "x0"}
    clerk, person = {"name": "x0", "labels": ["Clerk"]}, {"name": "x0", "labels": ["Person"]}
    watches = {"subject": "x0", "relations": ["WATCHES"], "object": "x1"}
    works = {"subject": "x0", "relations": ["WORKS_AT"], "object": "x1", "name": "r0"}
    equal = {"left": {"of": "x0", "key": "salary"}, "operator": "=", "right": ["pay-1001"]}
    greatest = {"variable": "x0", "by": {"of": "x0", "key": "salary"}, "descending": True}
    return {
        "a property of a given node": {"variables": [ida], "answer": {"of": "x0", "key": "salary"}},
        "of all nodes": {"variables": [every], "answer": {"of": "x0", "key": "salary"}},
        "of a label besides": {"variables": [clerk], "answer": {"of": "x0", "key": "salary"}},
        "of its label": {"variables": [person], "answer": {"of": "x0", "key": "salary"}},
        "nodes by a property": {"variables": [every], "answer": {"of": "x0"}, "conditions": [equal]},
        "the first by a property": {"variables": [every], "answer": {"of": "x0"}, "selections": [greatest]},
        "a label": {"variables": [{"name": "x0", "labels": ["Agent"]}], "answer": {"of": "x0"}},
        "a given node": {"variables": [eva], "answer": {"of": "x0"}},
        "a name of a given node": {"variables": [eva], "answer": {"of": "x0", "key": "name"}},
        "all nodes": {"variables": [every], "answer": {"of": "x0"}},
        "a type": {"variables": [ida, other], "answer": {"of": "x1"}, "edges": [watches]},
        "what a hidden node does": {"variables": [every, other], "answer": {"of": "x0"}, "edges": [works]},
        "a property of relationships": {
            "variables": [ida, other], "answer": {"of": "r0", "key": "note"}, "edges": [works],
        },
    }  # fmt: skip


@in_each_state
@pytest.mark.parametrize("name", list(graphs({"Ida Brandt": "", "Eva Unseen": ""})))
def test_a_query_graph_shows_nothing_that_is_left_out(world: World, name: str) -> None:
    graph = graphs(world.ids)[name]
    shows_nothing(world.http.post("/api/v1/run", json={"graph": graph}).json(), graph)


@in_each_state
def test_no_node_is_found_by_a_property_that_is_left_out(world: World) -> None:
    graph = graphs(world.ids)["nodes by a property"]
    assert "Ida Brandt" not in json.dumps(world.http.post("/api/v1/run", json={"graph": graph}).json())


@in_each_state
def test_a_query_graph_still_shows_a_property_of_the_same_name(world: World) -> None:
    company = {"variables": [{"name": "x0", "labels": ["Company"]}], "answer": {"of": "x0", "key": "salary"}}
    assert world.http.post("/api/v1/run", json={"graph": company}).json()["answers"] == ["open-44"]
    clerk = {"variables": [{"name": "x0", "labels": ["Clerk"]}], "answer": {"of": "x0", "key": "salary"}}
    assert world.http.post("/api/v1/run", json={"graph": clerk}).json()["answers"] == ["open-17"]


@in_each_state_of_the_newest
@pytest.mark.parametrize("name", ["Ida Brandt", "Tom Okello", "Eva Unseen", "Harbour Works", "Uri Nowhere"])
def test_what_is_around_a_node_shows_nothing_that_is_left_out(world: World, name: str) -> None:
    shows_nothing(world.http.get("/api/v1/neighbours", params={"name": name}).json(), name)
    if name in world.ids:
        shows_nothing(world.http.get("/api/v1/neighbours", params={"id": world.ids[name]}).json(), name)
    shows_nothing(told(lambda: world.tools.neighbours(name)), name)


@in_each_state_of_the_newest
@pytest.mark.parametrize("text", ["E", "Eva", "Eva Unseen", "pay-", "gard", "Uri", "Agent", "Unseen"])
def test_no_name_that_is_left_out_completes_what_was_typed(world: World, text: str) -> None:
    found = world.http.get("/api/v1/entities", params={"text": text}).json()
    shows_nothing(found)
    shows_nothing(told(lambda: world.tools.entities(text)))


@in_each_state
def test_the_schema_shows_nothing_that_is_left_out(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    shows_nothing(world.http.get("/api/v1/schema").json())
    shows_nothing(world.http.get("/api/v1/strategies").json())
    shows_nothing(world.http.get("/api/v1/quality").json())
    shows_nothing(world.tools.schema())
    assert 'salary: STRING NOT NULL "open-44"' in prompt_text(
        world.context.knowledge.schema, world.context.shape, tokens=2_000
    ).replace("salary: STRING ", "salary: STRING NOT NULL ")
    assert main(["schema", "--tokens", "1000"]) == 0
    shows_nothing(capsys.readouterr().out)


@in_each_state
@pytest.mark.parametrize(
    ("label", "key"),
    [("Person", "salary"), ("Agent", "name"), ("Agent", "cover"), ("Person", "cover"), ("WORKS_AT", "note")],
)
def test_values_that_are_left_out_are_as_those_that_there_are_not(world: World, label: str, key: str) -> None:
    response = world.http.get("/api/v1/values", params={"label": label, "key": key})
    assert response.status_code == 422
    shows_nothing(response.json(), [label, key])


@in_each_state
def test_values_are_those_of_nodes_of_which_they_are_shown(world: World) -> None:
    def values(label: str, key: str) -> tuple[dict[str, int], int, int]:
        found = world.http.get("/api/v1/values", params={"label": label, "key": key}).json()
        shows_nothing(found)
        return {item["text"]: item["number"] for item in found["values"]}, found["missing"]["number"], found["nodes"]

    assert values("Clerk", "salary") == ({"open-17": 1}, 0, 1)
    assert values("Person", "name") == ({"Ida Brandt": 1, "Tom Okello": 1}, 0, 2)
    assert values("Person", "born") == ({"1965": 1, "1970": 1}, 0, 2)


@in_each_state
def test_the_quality_is_that_of_what_is_shown(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    found = {item["name"]: item for item in world.http.get("/api/v1/quality").json()["labels"]}
    assert {name: item["nodes"] for name, item in found.items()} == {"Person": 2, "Clerk": 2, "Company": 1}
    assert {item["key"]: item["nodes"] for item in found["Clerk"]["lacking"]} == {"born": 1}
    assert main(["schema", "--quality", "--tokens", "200"]) == 0
    shows_nothing(capsys.readouterr().out)


@in_each_state
@pytest.mark.usefixtures("world")
def test_the_own_table_of_the_schema_names_what_is_left_out_without_its_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for arguments in ([], ["--json"]):
        assert main(["schema", *arguments]) == 0
        shown = capsys.readouterr().out
        assert "Agent" in shown
        assert "Person.salary" in shown
        assert not any(value in shown for value in VALUES)


@in_each_state
def test_no_file_that_questions_are_answered_with_holds_what_is_left_out(world: World) -> None:
    world.tools.ask("how many persons are there?")
    folder = LocalCache(world.context.graph).folder
    files = [file for file in folder.glob("*") if file.name in ("names.sqlite", "values.sqlite", "schema-shown.json")]
    assert len(files) >= 2
    for file in files:
        held = file.read_bytes()
        assert not any(value.encode() in held or value.lower().encode() in held for value in VALUES), file


@in_each_state_of_the_newest
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("question", QUESTIONS[:4])
def test_a_model_is_told_nothing_that_is_left_out(world: World, question: str, free: bool) -> None:
    prompts: list[str] = []

    def reply(messages: Any, *_: Any) -> str:
        prompts.append(json.dumps(messages, default=str))
        return "MATCH (n) RETURN n"

    context = replace(world.context, model=ScriptedModel(reply))
    found = told(lambda: ask(context, question, strategy=Cypher(CypherOptions(free=free))).to_dict())
    shows_nothing({**found, "cypher_parameters": None} if isinstance(found, dict) else found, question)
    assert prompts
    shows_nothing(prompts, question)


@in_one_state_of_the_newest
def test_no_prompt_of_the_default_strategy_or_for_a_claim_holds_what_is_left_out(world: World) -> None:
    prompts: list[str] = []

    def reply(messages: Any, *_: Any) -> str:
        prompts.append(json.dumps([message.content for message in messages]))
        return "none of these"

    context = replace(world.context, model=ScriptedModel(reply))
    for question in QUESTIONS:
        before = len(prompts)
        told(partial(ask, context, question))
        shows_nothing(prompts[before:], question)
    for claim in ("Ida Brandt is on the payroll of Harbour Works.", "The pay of Tom Okello is high."):
        before = len(prompts)
        told(partial(verify, context, claim))
        shows_nothing(prompts[before:], claim)
    assert len(prompts) > 2


AGENTS = from_json({"variables": [{"name": "x0", "labels": ["Agent"]}], "answer": {"of": "x0"}})
CYPHER = (
    "MATCH (n) RETURN n",
    "MATCH (n) RETURN labels(n), n.name",
    "MATCH (n:Person) RETURN n",
    "MATCH (n:Person) RETURN n.name",
    "MATCH (n:Person) RETURN n.salary",
    "MATCH (n:Person) RETURN n.`salary`",
    "MATCH (n:Person) RETURN n['salary']",
    "MATCH (n:Person) WITH n AS m RETURN m['sal' + 'ary']",
    "MATCH (n:Person) UNWIND keys(n) AS key RETURN key",
    "MATCH (n:Person) WITH n AS m RETURN [key IN keys(m) | m[key]]",
    "MATCH (n:Person) RETURN properties(n)",
    "MATCH (n:Person) RETURN n {.*}",
    "MATCH (n:Person) RETURN n {.salary}",
    "MATCH (n:Clerk) RETURN n.salary",
    "MATCH (n:Clerk) RETURN n",
    "MATCH (n) RETURN n.salary",
    "MATCH (n:!Person) RETURN n",
    "MATCH (n:!Person&!Company&!Clerk) RETURN n",
    "MATCH (n:%) RETURN n",
    "MATCH (n IS Person) RETURN n.name",
    "MATCH (n:Agent) RETURN n",
    "MATCH (n) WHERE n:Agent RETURN n",
    "MATCH (n) WHERE 'Agent' IN labels(n) RETURN n.name",
    "MATCH (n) WHERE NOT n:Person RETURN n",
    "MATCH (n) RETURN collect(n)",
    "MATCH (n) RETURN {all: [n]}",
    "MATCH (n)--(m) RETURN n.name, m.name",
    "MATCH (:Company)<-[r]-() RETURN r, endNode(r), startNode(r)",
    "MATCH (:Company)<--(m) RETURN m.name",
    "MATCH ()-[r]->() RETURN r",
    "MATCH ()-[r]->() RETURN type(r)",
    "MATCH ()-[r]->() RETURN r.note",
    "MATCH ()-[r:WORKS_AT]->() RETURN r.note",
    "MATCH ()-[r:WORKS_AT]->() RETURN properties(r)",
    "MATCH ()-[r:!WORKS_AT]->() RETURN r, type(r)",
    "MATCH ()-[r:%]->() RETURN type(r)",
    "MATCH ()-[r:WATCHES]->() RETURN r.why",
    "MATCH ()-[r]->() RETURN r.why",
    "MATCH (a:Person)-->(b) RETURN a.name, b.name",
    "MATCH p = (:Company)--() RETURN p",
    "MATCH p = (:Company)-[*1..2]-() RETURN p",
    "MATCH p = (a:Company)-[*1..2]-(b:Person) RETURN nodes(p), relationships(p)",
    "MATCH p = shortestPath((a:Person {name: 'Ida Brandt'})-[*..3]-(b:Company)) RETURN [n IN nodes(p) | n.name]",
    "MATCH (a:Company) OPTIONAL MATCH (a)<-[:WORKS_AT]-(b) RETURN collect(b.name)",
    "MATCH (a:Company) RETURN [(a)<-[:WORKS_AT]-(b) | b.name] AS names",
    "MATCH (a:Company) RETURN COLLECT { MATCH (a)<-[:WORKS_AT]-(b) RETURN b.name } AS names",
    "MATCH (a:Company WHERE EXISTS { (a)<--(b) WHERE b.name = 'Eva Unseen' }) RETURN a.title",
    "MATCH (a:Company) CALL { WITH a MATCH (a)<--(b) RETURN b } RETURN b",
    "MATCH (n:Person|Agent) RETURN n.name",
    "MATCH (n:Person:Agent) RETURN n.name",
    "MATCH (n:Person) RETURN n.name UNION MATCH (m) RETURN m.name AS `n.name`",
    "MATCH (n:Person {salary: 'pay-1001'}) RETURN n.name",
    "MATCH (n:Person) WHERE n.salary STARTS WITH 'pay' RETURN n.name",
    "MATCH (n:Person) RETURN n.name ORDER BY n.salary",
    "MATCH (n:Person) WITH n {.name, .salary} AS m RETURN m",
    "MATCH (n:Person) RETURN toString(n)",
    "MATCH (n:Person) RETURN n.born + head([n])",
    "CALL db.labels() YIELD label RETURN label",
    "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType",
    "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey",
    "MATCH (n) RETURN *",
    "MATCH (n), (m) WHERE n.name = m.name RETURN n, m",
    "MATCH (salary:Company) RETURN salary.title",
    "MATCH (n:Person RETURN n",
)


@in_one_state
@pytest.mark.parametrize("query", CYPHER)
def test_cypher_shows_nothing_that_is_left_out(world: World, query: str) -> None:
    shows_nothing(told(lambda: world.tools.cypher(query)), query)


@in_one_state
@pytest.mark.parametrize(
    "query", [query for query in CYPHER if "salary" in query and "salary:Company" not in query]
)  # fmt: skip
def test_a_property_that_is_left_out_of_anything_is_refused_in_cypher(world: World, query: str) -> None:
    with pytest.raises(StatementError) as refused:
        world.tools.cypher(query)
    assert "--exclude" in refused.value.message + refused.value.hint or "no property" in refused.value.message


@in_one_state
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("MATCH (n) RETURN count(n)", 4),
        ("MATCH (n:Person) RETURN count(n)", 2),
        ("MATCH (n:Person) RETURN COUNT(n)", 2),
        ("MATCH (n:!Company) RETURN count(*)", 3),
        ("MATCH (n)--(m) RETURN count(DISTINCT n)", 4),
        ("MATCH (:Company)<-[r]-() RETURN count(r)", 3),
        ("MATCH ()-[r]->() RETURN count(r)", 4),
        ("MATCH ()-[r]->() RETURN count(DISTINCT type(r))", 2),
        ("MATCH (a:Company) RETURN COUNT { (a)--() }", 3),
        ("MATCH (a:Company) WHERE (a)--() RETURN count(*)", 1),
        ("MATCH (n:Person) WHERE EXISTS { (n)-[:KNOWS]->(m) } RETURN count(n)", 1),
        ("MATCH (n:Person) RETURN sum((n.born) * 1) - sum((n.born) * 1)", 0),
        ("MATCH (n) WHERE size(labels(n)) > 1 RETURN count(n)", 1),
        ("MATCH (n:Person|Clerk) RETURN count(n)", 3),
        ("MATCH (n:Person:Clerk) RETURN count(n)", 1),
        ("MATCH (n IS Person) RETURN count(n)", 2),
        ("MATCH (n:Person {name: 'Ida Brandt'}) WHERE n.born > 1900 RETURN count(n)", 1),
        ("MATCH (n:Person WHERE n.born > 1900) RETURN count(n)", 2),
    ],
)
def test_cypher_counts_what_is_shown(world: World, query: str, found: int) -> None:
    assert [row[0] for row in world.tools.cypher(query)["rows"]] == [found]


@in_one_state
def test_cypher_is_shown_as_it_was_written(world: World) -> None:
    assert (
        world.tools.cypher("MATCH (n:Person) RETURN n.name LIMIT 3")["cypher"]
        == "MATCH (n:Person) RETURN n.name LIMIT 3"
    )


@in_each_state
def test_a_whole_node_comes_without_the_property_that_is_left_out(world: World) -> None:
    [[node]] = world.tools.cypher("MATCH (n:Person {name: 'Ida Brandt'}) RETURN n")["rows"]
    assert node["properties"] == {"name": "Ida Brandt", "born": 1970}


@in_each_state
def test_the_nodes_that_kgneo_wrote_tell_nothing_of_what_is_left_out(world: World) -> None:
    store_lessons(world.context.graph, [Lesson("a", graph, "who are the agents?", graph) for graph in [AGENTS]])
    try:
        for query in (
            "MATCH (n) RETURN n",
            "MATCH (n) RETURN n.name, labels(n)",
            "MATCH (n) RETURN count(n) AS number",
        ):
            shows_nothing(world.tools.cypher(query))
        assert world.tools.cypher("MATCH (n) RETURN count(n)")["rows"] == [[4]]
        every = {"variables": [{"name": "x0"}], "answer": {"of": "x0"}}
        found = world.http.post("/api/v1/run", json={"graph": every}).json()
        assert sorted(found["answers"]) == ["Ben Ude", "Harbour Works", "Ida Brandt", "Tom Okello"]
    finally:
        remove_lessons(world.context.graph)


@in_one_state
def test_a_walk_of_variable_length_is_refused_where_a_label_is_left_out(world: World) -> None:
    with pytest.raises(StatementRefused, match=r"variable length.*--exclude"):
        world.tools.cypher("MATCH p = (:Company)-[*1..2]-() RETURN p")


@in_each_state
def test_a_learned_question_about_what_is_left_out_is_not_used(world: World) -> None:
    asked = graphs(world.ids)
    lessons = [
        Lesson(name, graph, name, graph)
        for name in ("a type", "a label", "of its label", "all nodes")
        for graph in [from_json(asked[name])]
    ]
    store_lessons(world.context.graph, lessons)
    try:
        assert [lesson.question for lesson in usable_lessons(world.context.knowledge)] == ["all nodes"]
    finally:
        remove_lessons(world.context.graph)


@in_each_state
def test_a_name_cannot_be_shown_and_left_out(world: World) -> None:
    with pytest.raises(UsageError, match=r"Person\.name is to name nodes and to be left out"):
        known_shape(world.context.graph, choices=Choices({"Person": "name"}, exclude=("Person.name",)))


def test_a_name_that_is_left_out_names_no_node(
    staff_server: RunningServer, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _own_cache(monkeypatch, tmp_path, staff_server)
    with connect(staff_server) as graph:
        _index(graph, encoder, Choices())
        try:
            known_shape(graph, choices=Choices(exclude=("Person.name",)))
            tools = Tools(open_context(graph, encoder=encoder))
            replies = [
                tools.entities("Ida Brandt"),
                tools.entities("Tom Okello"),
                tools.cypher("MATCH (n:Person) RETURN n"),
                tools.neighbours("Harbour Works"),
                told(lambda: tools.ask("who works at [Harbour Works]?")),
                told(lambda: tools.retrieve("who works at [Harbour Works]?")),
            ]
            shown = json.dumps(replies)
            assert "Ben Ude" in shown
            assert not any(name in shown for name in ("Ida Brandt", "Tom Okello", "Eva Unseen"))
        finally:
            main(["index", "--remove"])


def test_leaving_out_is_refused_for_triples_that_were_loaded(
    staff_server: RunningServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _own_cache(monkeypatch, tmp_path, staff_server)
    (tmp_path / "facts.tsv").write_text("Oslo\tcapital of\tNorway\n", encoding="utf-8")
    with connect(staff_server) as graph:
        wipe(graph)
        try:
            load_file(graph, tmp_path / "facts.tsv")
            assert main(["schema", "--exclude", "capital of"]) != 0
            assert "--exclude do not apply" in capsys.readouterr().err
        finally:
            wipe(graph)
            graph.write(STAFF)
