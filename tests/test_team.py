"""A server for a team: several graphs, users who may ask some of them, and nothing of one that another sees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.errors import DataError, UsageError
from kgneo.feedback.said import feedback_file, pending
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache, identity
from kgneo.llm.scripted import ScriptedModel
from kgneo.llm.spending import Spending
from kgneo.serve.application import create_application
from kgneo.serve.settings import Limits, ServeSettings
from kgneo.serve.team import create_team_application, quota_of
from kgneo.serve.team_file import Team, new_token, read_team
from kgneo.server import RunningServer
from kgneo.settings import Settings
from tests.conftest import asked_on
from tests.serving import ADDRESS

PASSWORD = "of a reader alone"  # noqa: S105 - of a login that the test makes
TOKENS = {"ann": "ann-token", "bob": "bob-token", "eve": "eve-token"}
CAPITAL = {"question": "what is the capital of [Ethiopia]?"}
PEOPLE = "CREATE (:Person {name: 'Zelda Quist', secret: 'plum'})-[:KNOWS]->(:Person {name: 'Otto Lund', secret: 'fig'})"


def digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def team_of(**more: Any) -> Team:
    """Ann asks of rivers, Bob of both, Eve of rivers."""
    graphs = {"ann": ("rivers",), "bob": ("rivers", "people"), "eve": ("rivers",)}
    users = {name: {"token_sha256": digest(TOKENS[name]), "graphs": may} for name, may in graphs.items()}
    fields = {"graphs": {"rivers": {"store": "a"}, "people": {"store": "b", "title": "People of ours"}}, "users": users}
    users = {**users, **more.pop("users", {})}
    return Team.model_validate({**fields, "users": users, **more})


def serving(
    team: Team, contexts: dict[str, Context], client: str = "10.0.0.5", *, mcp: bool = False, **limits: int
) -> TestClient:
    own = ServeSettings(limits=Limits(**{"rate": 0, **limits}))
    apps = {
        name: create_application(
            context,
            replace(own, limits=replace(own.limits, rate=0), name=name),
            warm=False,
            quota=quota_of(team),
            mcp=mcp,
        )
        for name, context in contexts.items()
    }
    app = create_team_application(team, apps, own)
    return TestClient(app, ADDRESS, raise_server_exceptions=False, client=(client, 4711))


@pytest.fixture(scope="module")
def server(newest_server: RunningServer) -> RunningServer:
    """The newest alone: `test_older_version.py` asks the others the same kinds of things."""
    return newest_server


@pytest.fixture(scope="module")
def people(server: RunningServer) -> Iterator[Context]:
    with asked_on(server, PEOPLE) as context:
        yield context


@pytest.fixture(scope="module")
def http(sample_context: Context, people: Context) -> Iterator[TestClient]:
    with serving(team_of(), {"rivers": sample_context, "people": people}) as talking:
        yield talking


def by(user: str) -> dict[str, str]:
    return {"authorization": f"Bearer {TOKENS[user]}"}


def ask(http: TestClient, graph: str, user: str, question: str = CAPITAL["question"]) -> Any:
    return http.post(f"/g/{graph}/api/v1/ask", json={"question": question}, headers=by(user))


# Who may ask ---------------------------------------------------------------------------------------------------------


def test_each_graph_answers_at_its_own_address(http: TestClient) -> None:
    assert ask(http, "rivers", "bob").json()["answers"] == ["Addis Ababa"]
    assert ask(http, "people", "bob", "who does [Zelda Quist] know?").json()["answers"] == ["Otto Lund"]


def test_nobody_asks_without_a_token(http: TestClient) -> None:
    assert http.post("/g/rivers/api/v1/ask", json=CAPITAL).status_code == 401
    assert http.get("/api/v1/graphs").status_code == 401


def test_a_graph_that_one_may_not_ask_is_as_one_that_there_is_not(http: TestClient) -> None:
    refused, missing = ask(http, "people", "ann"), ask(http, "nothing", "ann")
    assert (refused.status_code, missing.status_code) == (404, 404)
    assert refused.text.replace("people", "nothing") == missing.text


def test_the_page_of_a_graph_that_there_is_not_is_that_of_any(http: TestClient) -> None:
    pages = [http.get(f"/g/{name}/") for name in ("rivers", "people", "nothing")]
    assert {page.status_code for page in pages} == {200}
    assert len({page.text for page in pages}) == 1


def test_the_graphs_that_one_may_ask_are_listed(http: TestClient) -> None:
    graphs = {user: http.get("/api/v1/graphs", headers=by(user)).json()["graphs"] for user in ("ann", "bob")}
    assert [item["name"] for item in graphs["ann"]] == ["rivers"]
    assert [item["title"] for item in graphs["bob"]] == ["rivers", "People of ours"]


def test_the_first_page_lists_graphs(http: TestClient) -> None:
    page = http.get("/")
    assert (page.status_code, "team.js" in page.text) == (200, True)
    assert http.get("/team.js").status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_whether_the_server_runs_is_told_to_anybody(http: TestClient) -> None:
    assert http.get("/api/v1/health").status_code == 200
    assert http.get("/g/rivers/api/v1/health").status_code == 200


WAYS = (
    "/g/people/{route}",
    "/g/rivers/../people/{route}",
    "/g/rivers/%2e%2e/people/{route}",
    "/g/rivers/..%2fpeople/{route}",
    "/g//people/{route}",
    "//g/people/{route}",
    "/g/people//{route}",
    "/g/PEOPLE/{route}",
    "/g/people%2f{route}",
    "/g/%70eople/{route}",
    "/g/people;x/{route}",
    "/g/rivers/g/people/{route}",
    "/people/{route}",
    "/g/people%00/{route}",
)
ROUTES = (
    ("GET", "api/v1/schema"),
    ("GET", "api/v1/entities?text=Z"),
    ("GET", "api/v1/neighbours?name=Zelda%20Quist"),
    ("GET", "api/v1/values?label=Person&key=name"),
    ("GET", "api/v1/quality"),
    ("POST", "api/v1/ask"),
    ("POST", "api/v1/retrieve"),
    ("POST", "api/v1/interpret"),
    ("POST", "api/v1/verify"),
    ("POST", "v1/chat/completions"),
)
BODIES = {
    "api/v1/verify": {"claim": "[Zelda Quist] knows [Otto Lund]."},
    "v1/chat/completions": {"model": "kgneo", "messages": [{"role": "user", "content": "who knows [Otto Lund]?"}]},
}


def test_no_way_round_leads_to_a_graph_that_one_may_not_ask(http: TestClient) -> None:
    tries = 0
    for way in WAYS:
        for method, route in ROUTES:
            body = BODIES.get(route, {"question": "who does [Zelda Quist] know?"}) if method == "POST" else None
            response = http.request(method, ADDRESS + way.format(route=route), json=body, headers=by("eve"))
            tries += 1
            told = response.text
            assert not any(word in told for word in ("Otto Lund", "plum", "fig", "KNOWS")), (way, route)
            assert response.status_code in (200, 307, 404, 405, 422), (way, route)
    assert tries >= 100


def test_these_ways_lead_there_for_somebody_who_may(http: TestClient) -> None:
    told = []
    for method, route in ROUTES:
        body = BODIES.get(route, {"question": "who does [Zelda Quist] know?"}) if method == "POST" else None
        told.append(http.request(method, f"/g/people/{route}", json=body, headers=by("bob")).text)
    assert sum(any(word in text for word in ("Otto Lund", "plum", "KNOWS")) for text in told) >= 7


def test_the_answer_to_one_user_has_nothing_of_another_graph(http: TestClient) -> None:
    ask(http, "people", "bob", "who does [Zelda Quist] know?")
    assert "Otto Lund" not in ask(http, "rivers", "ann", "who does Zelda Quist know?").text
    assert http.get("/g/rivers/api/v1/entities?text=Zel", headers=by("ann")).json()["entities"] == []


# Tokens --------------------------------------------------------------------------------------------------------------


def test_a_wrong_token_a_thousand_times_is_throttled_and_a_right_one_still_passes(
    sample_context: Context,
) -> None:
    with serving(team_of(), {"rivers": sample_context, "people": sample_context}) as http:
        wrong = {"authorization": "Bearer guess"}
        statuses = [http.get("/api/v1/graphs", headers=wrong).status_code for _ in range(1_000)]
        assert statuses.count(401) <= 40
        assert statuses.count(429) >= 960
        assert ask(http, "rivers", "ann").status_code == 200


def test_a_new_token_fits_its_digest() -> None:
    token, made = new_token()
    assert digest(token) == made
    assert len(token) >= 40


def test_the_command_prints_a_token_and_its_digest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--new-token"]) == 0
    first, second = capsys.readouterr().out.strip().splitlines()
    assert digest(first.rpartition(" ")[2]) == second.split('"')[1]


# A proxy -------------------------------------------------------------------------------------------------------------

PROXY = {"header": "X-Forwarded-User", "addresses": ["127.0.0.1", "192.168.7.0/24"]}


@pytest.mark.parametrize(("address", "status"), [("127.0.0.1", 200), ("192.168.7.9", 200), ("10.0.0.5", 401)])
def test_a_name_in_a_header_counts_from_the_proxy_alone(sample_context: Context, address: str, status: int) -> None:
    with serving(team_of(proxy=PROXY), {"rivers": sample_context, "people": sample_context}, address) as http:
        response = http.post("/g/rivers/api/v1/ask", json=CAPITAL, headers={"x-forwarded-user": "ann"})
        assert response.status_code == status


def test_a_user_whom_the_file_does_not_name_is_any_where_it_has_any(sample_context: Context) -> None:
    contexts = {"rivers": sample_context, "people": sample_context}
    named = {"x-forwarded-user": "stranger"}
    with serving(team_of(proxy=PROXY), contexts, "127.0.0.1") as http:
        assert http.get("/api/v1/graphs", headers=named).status_code == 401
    anybody = team_of(proxy=PROXY, users={"*": {"graphs": ["rivers"]}})
    with serving(anybody, contexts, "127.0.0.1") as http:
        assert [item["name"] for item in http.get("/api/v1/graphs", headers=named).json()["graphs"]] == ["rivers"]


# How much ------------------------------------------------------------------------------------------------------------


def test_each_user_has_a_rate_of_their_own(sample_context: Context) -> None:
    slow = {"ann": {"token_sha256": digest(TOKENS["ann"]), "graphs": ["rivers"], "rate": 2}}
    with serving(team_of(users=slow), {"rivers": sample_context, "people": sample_context}) as http:
        statuses = [http.get("/api/v1/graphs", headers=by("ann")).status_code for _ in range(4)]
        assert statuses == [200, 200, 429, 429]
        assert http.get("/api/v1/graphs", headers=by("bob")).status_code == 200


def test_each_user_spends_their_own_tokens_of_a_model(sample_context: Context, tmp_path: Path) -> None:
    model = ScriptedModel(lambda _messages, _parameters: "not in the graph")
    context = replace(sample_context, model=model, spending=Spending(tmp_path / "spending.sqlite"))
    poor = {"ann": {"token_sha256": digest(TOKENS["ann"]), "graphs": ["rivers"], "day_tokens": 0}}
    with serving(team_of(users=poor), {"rivers": context, "people": context}) as http:
        asked = {"question": "why is the sea blue?", "strategy": "llm"}
        refused = http.post("/g/rivers/api/v1/ask", json=asked, headers=by("ann"))
        assert "0 tokens a day are allowed" in refused.text
        assert not model.calls
        http.post("/g/rivers/api/v1/ask", json=asked, headers=by("bob"))
        assert model.calls


def test_what_somebody_says_of_an_answer_is_told_by_their_own_name(
    sample_context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sample_context.graph, "terms_file", tmp_path / "kgneo.terms.toml")
    with serving(team_of(), {"rivers": sample_context, "people": sample_context}) as http:
        said = {"question": CAPITAL["question"], "by": "somebody else"}
        response = http.post("/g/rivers/api/v1/feedback", json=said, headers=by("ann"))
    assert response.status_code == 200, response.text
    kept = pending(feedback_file(sample_context.graph.terms_file))
    assert [item.by for item in kept] == ["ann"]


# The audit log -------------------------------------------------------------------------------------------------------


def test_who_asked_what_is_written_down(sample_context: Context, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    team = team_of(audit={"file": str(file)})
    with serving(team, {"rivers": sample_context, "people": sample_context}) as http:
        ask(http, "rivers", "ann")
        ask(http, "people", "ann")
        http.get("/api/v1/graphs")
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(item["user"], item["status"]) for item in records] == [("ann", 200), (None, 404), (None, 401)]
    assert records[0]["question"] == CAPITAL["question"]
    assert (records[0]["graph"], records[0]["path"]) == ("rivers", "/api/v1/ask")


def test_questions_are_left_out_of_the_log_where_the_file_says_so(sample_context: Context, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    team = team_of(audit={"file": str(file), "questions": False})
    with serving(team, {"rivers": sample_context, "people": sample_context}) as http:
        ask(http, "rivers", "ann")
    assert "Ethiopia" not in file.read_text(encoding="utf-8")


def test_no_token_is_written_down(sample_context: Context, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with serving(team_of(audit={"file": str(file)}), {"rivers": sample_context, "people": sample_context}) as http:
        ask(http, "rivers", "ann")
    assert TOKENS["ann"] not in file.read_text(encoding="utf-8")


# What is kept on this machine ----------------------------------------------------------------------------------------


def test_two_logins_share_no_files(graph: Graph) -> None:
    graph.schema("CREATE USER reader IF NOT EXISTS SET PASSWORD $password CHANGE NOT REQUIRED", password=PASSWORD)
    try:
        with Graph.connect(graph.address, username="reader", password=PASSWORD) as narrow:
            assert (graph.login, narrow.login) == ("neo4j", "reader")
            assert identity(graph) != identity(narrow)
            assert LocalCache(graph).folder != LocalCache(narrow).folder
    finally:
        graph.schema("DROP USER reader IF EXISTS")


# The file ------------------------------------------------------------------------------------------------------------

GOOD = '[graphs.rivers]\nstore = "demo"\nterms = "words.toml"\n[users.ann]\ntoken_sha256 = "{}"\ngraphs = ["rivers"]\n'


def test_paths_in_the_file_are_from_where_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "kgneo.team.toml"
    file.write_text(GOOD.format(digest("x")) + '[audit]\nfile = "audit.jsonl"\n', encoding="utf-8")
    team = read_team(file)
    assert team.graphs["rivers"].terms == tmp_path / "words.toml"
    assert team.audit is not None
    assert team.audit.file == tmp_path / "audit.jsonl"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("[graphs.rivers]", "[graphs.'Two Rivers']"), "should match pattern"),
        (('store = "demo"', ""), "expected a store or a uri, and not both"),
        (('store = "demo"', 'store = "demo"\nuri = "bolt://x"'), "expected a store or a uri, and not both"),
        (('graphs = ["rivers"]', 'graphs = ["lakes"]'), "may ask 'lakes', which is no graph of the file"),
        (("token_sha256 = ", "token = "), "users.ann.token"),
        (('store = "demo"', 'password = "x"\nstore = "demo"'), "graphs.rivers.password"),
        ((digest("x"), "abc"), "expected 64 hexadecimal digits"),
        ((f'token_sha256 = "{digest("x")}"\n', ""), "has no token_sha256, and there is no proxy"),
    ],
)
def test_a_file_that_says_what_cannot_be_is_refused_with_the_place(
    tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    file = tmp_path / "team.toml"
    file.write_text(GOOD.format(digest("x")).replace(*change), encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_team(file)
    assert told in error.value.message


def test_a_password_that_is_nowhere_is_told_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_PASSWORD", raising=False)
    graph = {"uri": "bolt://127.0.0.1:1", "password_env": "NO_SUCH_PASSWORD"}
    team = Team.model_validate({"graphs": {"a": graph}, "users": {"b": {"token_sha256": digest("b")}}})
    with pytest.raises(UsageError, match="NO_SUCH_PASSWORD holds no password"):
        team.graphs["a"].settings(Settings())


def test_a_team_and_a_graph_of_its_own_are_too_much(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "team.toml"
    file.write_text(GOOD.format(digest("x")), encoding="utf-8")
    assert main(["serve", "--team", str(file), "--store", "demo"]) != 0
    assert "Leave these out" in capsys.readouterr().err
