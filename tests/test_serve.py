"""The HTTP API: what it answers, and that it answers as the command line does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kgneo.asking.question import ask, open_context
from kgneo.context import Context, Options
from kgneo.doors.tools import Tools
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import StatementRefused
from kgneo.graph import Graph
from kgneo.llm.scripted import ScriptedModel
from kgneo.sample import questions_path
from kgneo.serve.failures import respond
from kgneo.server import RunningServer
from tests.conftest import connect, load_orders, on_one_version
from tests.serving import client

CAPITAL = "what is the capital of [Ethiopia]?"
FORMS = (
    "how many countries does the [Danube] flow through?",
    "does the [Danube] flow through [Austria]?",
    "which countries do both the [Danube] and the [Rhine] flow through?",
)
SEAS = "which seas do the rivers of [Germany] flow into?"


def post(http: TestClient, route: str, **body: Any) -> Any:
    response = http.post(f"/api/v1/{route}", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def events(http: TestClient, **body: Any) -> list[tuple[str, Any]]:
    """The server-sent events of a question."""
    text = http.post("/api/v1/ask", json={**body, "stream": True}).text
    blocks = [block.split("\n") for block in text.split("\n\n") if block.startswith("event: ")]
    return [(block[0].removeprefix("event: "), json.loads(block[1].removeprefix("data: "))) for block in blocks]


def test_an_answer_is_the_object_that_the_command_line_prints(http: TestClient, sample_context: Context) -> None:
    found = post(http, "ask", question=CAPITAL)
    wanted = json.loads(json.dumps(ask(sample_context, CAPITAL).to_dict()))
    del found["timings_ms"], wanted["timings_ms"]
    assert found.pop("browser").startswith("http")
    assert found.pop("query").startswith("MATCH ")
    assert found.pop("words") == [{"text": "capital", "kind": "relation"}, {"text": "Ethiopia", "kind": "name"}]
    assert found == wanted
    assert found["answers"] == ["Addis Ababa"]


def test_an_answer_below_the_least_confidence_is_not_given(sample_context: Context) -> None:
    with client(replace(sample_context, options=Options(min_confidence=1.0))) as strict:
        found = post(strict, "ask", question=SEAS)
        told = events(strict, question=SEAS)
    assert (found["answer"], found["answers"], found["evidence"]) == ("not found", [], [])
    assert found["readings"]
    assert told[-1][1]["answer"] == "not found"


def test_a_stream_tells_of_each_stage_and_ends_with_the_answer(http: TestClient) -> None:
    told = events(http, question=CAPITAL)
    assert [name for name, _ in told] == ["stage"] * (len(told) - 1) + ["answer"]
    stages = [data["stage"] for _, data in told[:-1]]
    assert (stages[:2], stages[-1]) == (["connect", "link"], "answer")
    assert told[-1][1]["answers"] == ["Addis Ababa"]


def test_a_stream_of_a_question_that_fails_ends_with_the_error(http: TestClient) -> None:
    name, data = events(http, question="what is the capital of [Ethopia]?")[-1]
    assert (name, data["error"]["type"]) == ("error", "EntityNotFound")
    assert "Ethiopia" in data["error"]["nearest"]


def test_line_breaks_in_a_question_begin_no_event_of_their_own(http: TestClient) -> None:
    text = http.post("/api/v1/ask", json={"question": "[a\r\n\r\nevent: x\u2028]?", "stream": True}).text
    named = [line for line in text.splitlines() if line.startswith("event: ")]
    assert (set(named[:-1]), named[-1]) == ({"event: stage"}, "event: error")


def test_entities_of_a_question_may_be_given(http: TestClient) -> None:
    assert post(http, "ask", question="what is the capital?", entities=["Ethiopia"])["answers"] == ["Addis Ababa"]


def test_a_name_that_the_graph_does_not_have_is_refused_with_the_nearest(http: TestClient) -> None:
    response = http.post("/api/v1/ask", json={"question": "what is the capital of [Ethopia]?"})
    assert response.status_code == 422
    assert "Ethiopia" in response.json()["error"]["nearest"]


def test_retrieve_gives_the_nearest_triples(http: TestClient) -> None:
    found = post(http, "retrieve", question=CAPITAL, hops=2, top_k=3)
    assert len(found["triples"]) == 3
    assert found["triples"][0]["object"] == "Addis Ababa"
    assert found["entities"][0]["name"] == "Ethiopia"


def test_a_claim_is_verified_with_its_evidence(http: TestClient) -> None:
    found = post(http, "verify", claim="The capital of [Ethiopia] is [Addis Ababa].")
    assert found["verdict"] == "supported"
    assert ("Ethiopia", "Addis Ababa") in [(item["subject"], item["object"]) for item in found["evidence"]]


def test_a_reading_that_is_run_gives_what_asking_gave(http: TestClient) -> None:
    best = post(http, "interpret", question=SEAS)["readings"][0]
    assert best["wording"] == post(http, "ask", question=SEAS)["steps"][0]["question"]
    ran = post(http, "run", graph=best["graph"])
    assert set(ran["answers"]) == set(post(http, "ask", question=SEAS)["answers"])
    assert ran["evidence"]
    assert ran["cypher"] == best["cypher"]


def test_of_every_question_the_first_reading_gives_what_asking_gives(http: TestClient, sample_context: Context) -> None:
    bracketed = [json.loads(line)["question"] for line in questions_path().read_text(encoding="utf-8").splitlines()]
    tools = Tools(sample_context, tokens=20_000)
    for question in [*bracketed, *(text.replace("[", "").replace("]", "") for text in bracketed), *FORMS]:
        answers = ask(sample_context, question, strategy="paths").answers
        first = post(http, "interpret", question=question)["readings"][0]
        assert set(post(http, "run", graph=first["graph"])["answers"]) == set(answers), question
        told = tools.interpret(question)["interpretations"][0]
        assert (told["query_graph"], told["read_as"]) == (first["graph"], first["wording"]), question
        assert first["wording"] == tools.ask(question, strategy="paths")["read_as"], question


def test_a_reading_can_be_changed_and_run_again(http: TestClient) -> None:
    graph = post(http, "interpret", question=SEAS)["readings"][0]["graph"]
    rivers = {"edges": graph["edges"][:1], "variables": graph["variables"][1:], "answer": {"of": "x1"}}
    found = post(http, "run", graph=rivers)
    assert "Rhine" in found["answers"]
    assert found["question"] == "what flows through Germany"


def test_a_query_graph_with_an_unknown_relation_is_refused_before_it_runs(http: TestClient) -> None:
    graph = post(http, "interpret", question=CAPITAL)["readings"][0]["graph"]
    graph["edges"][0]["relations"] = ["has_capitol"]
    response = http.post("/api/v1/run", json={"graph": graph})
    assert response.status_code == 422
    assert "has_capital" in response.json()["error"]["message"]


def test_what_may_be_asked_next_finds_what_it_says(http: TestClient) -> None:
    asked = post(http, "ask", question="which rivers flow through [Germany]?")
    found = post(http, "next", graph=asked["query_graph"])["next"]
    assert len(found) == 3
    for item in found:
        ran = post(http, "run", graph=item["graph"])
        assert (len(ran["answers"]), ran["answers"][:3]) == (item["number"], item["first"])
    assert "these rivers" in found[0]["further"]


def test_of_one_thing_no_group_and_no_first_one_is_suggested(http: TestClient) -> None:
    asked = post(http, "ask", question=CAPITAL)
    found = post(http, "next", graph=asked["query_graph"], several=False)["next"]
    assert not [item for item in found if item["graph"].get("selections") or "function" in item["graph"]["answer"]]


def test_nothing_is_suggested_after_an_answer_that_is_no_node(http: TestClient) -> None:
    asked = {"function": "exists", "value": {"of": "x0"}}
    graph = {"variables": [{"name": "x0", "labels": ["River"]}], "answer": asked}
    assert post(http, "next", graph=graph)["next"] == []


def test_a_follow_up_is_made_of_the_query_graph_that_answered(http: TestClient) -> None:
    graph = {"variables": [{"name": "x0", "labels": ["Sea"]}], "answer": {"of": "x0"}}
    before = {"question": "something else", "answer": "", "query_graph": graph}
    seas = post(http, "run", graph=graph)["answers"]
    assert post(http, "ask", question="how many?", history=[before])["answer"] == str(len(seas))


def test_the_query_graph_of_a_turn_is_checked(http: TestClient) -> None:
    graph = {"variables": [{"name": "x0", "labels": ["Nothing"]}], "answer": {"of": "x0"}}
    before = {"question": "what?", "answer": "", "query_graph": graph}
    response = http.post("/api/v1/ask", json={"question": "how many?", "history": [before]})
    assert (response.status_code, "Nothing" in response.text) == (422, True)


def test_the_properties_of_many_nodes_are_told_at_once(http: TestClient) -> None:
    nodes = post(http, "ask", question=SEAS)["answer_nodes"]
    found = post(http, "nodes", ids=[*(node["id"] for node in nodes), "4:nothing:1"])["nodes"]
    assert {id_: each["name"] for id_, each in found.items()} == {node["id"]: [node["names"][0]] for node in nodes}


def test_the_schema_tells_the_graph_by_its_own_name_and_id(http: TestClient) -> None:
    schema = http.get("/api/v1/schema").json()
    assert (schema["name"], len(schema["identity"])) == ("neo4j", 24)
    assert {"countries", "rivers"} <= {label["plural"] for label in schema["labels"]}


def test_a_query_graph_of_too_many_parts_is_refused(http: TestClient) -> None:
    graph = {"variables": [{"name": f"x{number}"} for number in range(41)], "answer": {"of": "x0"}}
    response = http.post("/api/v1/run", json={"graph": graph})
    assert (response.status_code, "41 parts" in response.text) == (422, True)


def test_names_are_completed_from_their_beginning_and_from_their_words(http: TestClient) -> None:
    def complete(text: str) -> list[str]:
        found = http.get("/api/v1/entities", params={"text": text}).json()["entities"]
        return [item["name"] for item in found]

    assert complete("addis a") == ["Addis Ababa"]
    assert complete("aba") == ["Addis Ababa"]
    assert complete("ger")[0] == "Germany"
    assert complete(" ") == []


def test_a_node_comes_with_its_neighbours(http: TestClient) -> None:
    found = http.get("/api/v1/neighbours", params={"name": "Addis Ababa"}).json()
    assert found["node"]["labels"] == ["City"]
    assert found["properties"] == {"name": ["Addis Ababa"]}
    assert [(item["subject"]["name"], item["relation"]) for item in found["triples"]] == [("Ethiopia", "has_capital")]
    again = http.get("/api/v1/neighbours", params={"id": found["node"]["id"]}).json()
    assert again == found


@pytest.mark.parametrize("asked", [{"name": "Atlantis"}, {"id": "4:no:1"}, {}])
def test_a_node_that_there_is_not_is_not_found(http: TestClient, asked: dict[str, str]) -> None:
    assert http.get("/api/v1/neighbours", params=asked).status_code == 404


def test_the_examples_of_the_schema_can_be_answered(http: TestClient) -> None:
    examples = http.get("/api/v1/schema").json()["examples"]
    assert len(examples) == 6
    answered = [bool(post(http, "ask", question=example)["answers"]) for example in examples[:3]]
    assert answered == [True] * 3


def test_strategies_that_need_what_there_is_not_are_not_offered(http: TestClient) -> None:
    assert http.get("/api/v1/strategies").json() == {
        "default": "auto",
        "strategies": ["auto", "paths"],
        "models": [],
        "with_model": [],
    }
    response = http.post("/api/v1/ask", json={"question": CAPITAL, "strategy": "kg-rag"})
    assert (response.status_code, response.json()["error"]["type"]) == (422, "UsageError")


def test_a_language_model_is_chosen_by_its_name(sample_context: Context) -> None:
    models = {name: ScriptedModel(lambda *_, said=name: said, name=name) for name in ("one", "two")}
    with client(replace(sample_context, model=models["one"]), models=models) as talking:
        assert talking.get("/api/v1/strategies").json()["models"] == ["one", "two"]

        def said(**chosen: str) -> str:
            return str(post(talking, "ask", question="who directed it?", strategy="llm", **chosen)["answer"])

        assert (said(), said(model="two")) == ("one", "two")
        response = talking.post("/api/v1/ask", json={"question": "who directed it?", "model": "three"})
        assert (response.status_code, "one, two" in response.json()["error"]["hint"]) == (422, True)
        names = [item["id"] for item in talking.get("/v1/models").json()["data"]]
        assert {"kgneo/llm", "kgneo/llm@one", "kgneo/llm@two", "kgneo/paths"} <= set(names)
        body = {"model": "kgneo/llm@two", "messages": [{"role": "user", "content": "who directed it?"}]}
        assert talking.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"] == "two"


def test_what_may_not_be_run_is_refused_as_the_request_s_fault_with_its_reason() -> None:
    response = respond(StatementRefused("It would write: CREATE.", hint="Ask for what is there."))
    assert (response.status_code, b"It would write: CREATE." in response.body) == (422, True)


@on_one_version
def test_what_is_written_while_the_server_runs_can_be_asked(
    graph: Graph, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgneo.asking.latest.SHARE", 0.0)
    graph.write("CREATE (:Ship {name: 'Aurora', length: 60})-[:OWNED_BY]->(:Company {name: 'Blue Line'})")
    with client(open_context(graph, encoder=encoder)) as talking:
        assert post(talking, "ask", question="who owns [Aurora]?")["answers"] == ["Blue Line"]
        graph.write("MATCH (s:Ship) CREATE (s)-[:MOORED_AT]->(:Harbour {name: 'Port Said'})")
        names = [item["name"] for item in talking.get("/api/v1/schema").json()["labels"]]
        assert "Harbour" in names
        assert post(talking, "ask", question="which harbour is [Aurora] moored at?")["answers"] == ["Port Said"]


@on_one_version
def test_a_file_of_terms_is_read_again_when_it_was_changed(
    graph: Graph,
    encoder: OnnxEncoder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("kgneo.asking.latest.SHARE", 0.0)
    graph.write("CREATE (:T1 {name: 'Aurora'}), (:T1 {name: 'Boreas'})")
    graph.terms_file = tmp_path / "kgneo.terms.toml"
    with client(open_context(graph, encoder=encoder)) as talking:
        graph.terms_file.write_text('[labels.T1]\nname = "ship"\nwords = "vessel"\n', encoding="utf-8")
        assert post(talking, "ask", question="how many vessels are there?")["answers"] == ["2"]
        assert talking.get("/api/v1/schema").json()["shape"]["names"] == {"T1": "ship"}
        graph.terms_file.write_text("[labels.T1", encoding="utf-8")
        assert post(talking, "ask", question="how many ships are there?")["answers"] == ["2"]
        assert "this is not TOML" in caplog.text
        graph.terms_file.unlink()
        assert talking.get("/api/v1/schema").json()["shape"]["names"] == {}


def test_the_openapi_document_lists_the_routes(http: TestClient) -> None:
    routes = http.get("/api/v1/openapi.json").json()["paths"]
    names = [
        "ask",
        "retrieve",
        "interpret",
        "verify",
        "run",
        "schema",
        "values",
        "quality",
        "entities",
        "neighbours",
        "strategies",
        "health",
        "ready",
    ]
    assert {"/api/v1/metrics", *(f"/api/v1/{name}" for name in names)} <= set(routes)
    assert {"/v1/models", "/v1/chat/completions"} <= set(routes)


def test_health_readiness_and_figures_are_told(http: TestClient) -> None:
    assert http.get("/api/v1/health").json()["status"] == "ok"
    assert http.get("/api/v1/ready").json() == {"status": "ready"}
    figures = http.get("/api/v1/metrics").text
    assert 'kgneo_requests_total{method="GET",route="/api/v1/ready",status="200"}' in figures
    assert "kgneo_questions_running 0.0" in figures


def test_a_server_whose_database_is_gone_is_healthy_and_not_ready(
    sample_server: RunningServer, sample_context: Context
) -> None:
    with connect(sample_server) as graph:
        lost = replace(sample_context, knowledge=replace(sample_context.knowledge, graph=graph))
        with client(lost) as talking:
            graph.close()
            assert talking.get("/api/v1/health").status_code == 200
            assert talking.get("/api/v1/ready").status_code >= 502


@on_one_version
def test_a_question_over_labels_is_read_changed_and_run(graph: Graph, encoder: OnnxEncoder) -> None:
    load_orders(graph)
    with client(open_context(graph, encoder=encoder)) as talking:
        best = post(talking, "interpret", question="which customers are in Austria?")["readings"][0]
        assert best["graph"]["conditions"][0]["right"] == ["Austria"]
        found = post(talking, "run", graph=best["graph"])["answers"]
        assert sorted(found) == ["Alpine Kitchen", "Bäckerei Sonne"]
        best["graph"]["conditions"][0]["right"] = ["Denmark"]
        found = post(talking, "run", graph=best["graph"])
        assert found["answers"] == ["Den Gyldne Kop"]
        named = talking.get("/api/v1/entities", params={"text": "café"}).json()["entities"]
        assert [item["name"] for item in named] == ["Café Olé"]
        around = talking.get("/api/v1/neighbours", params={"id": found["answer_nodes"][0]["id"]}).json()
        assert around["properties"]["customerSince"] == ["2021-02-11"]
        labels = talking.get("/api/v1/schema").json()["labels"]
        keys = {label["name"]: {item["key"] for item in label["properties"]} for label in labels}
        assert keys["Customer"] == {"companyName", "city", "country", "customerSince"}
        best["graph"]["conditions"][0]["left"]["key"] = "contry"
        response = talking.post("/api/v1/run", json={"graph": best["graph"]})
        assert (response.status_code, "country" in response.text) == (422, True)
