"""What users of a team asked and saved: kept on the server, for each user and graph, and for nobody else."""

from __future__ import annotations

import json
import logging
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kgneo.context import Context
from kgneo.errors import DataError, UsageError
from kgneo.serve import keeping as keeping_module
from kgneo.serve.application import create_application
from kgneo.serve.keeping import Keeping
from kgneo.serve.kept_routes import Keeper
from kgneo.serve.settings import Limits, ServeSettings
from kgneo.serve.team import create_team_application
from kgneo.serve.team_file import Team
from tests.serving import ADDRESS, client
from tests.test_team import PROXY, TOKENS, by, digest, team_of

QUESTION = "what is the capital of [Ethiopia]?"
CARD = {"question": QUESTION, "address": "#q=what+is+the+capital+of+%5BEthiopia%5D%3F"}
ROUTES = (("POST", "history", CARD), ("POST", "saved", {"name": "capital", **CARD}))
GRAPHS = ("rivers", "people")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "teams" / "one.sqlite"


def serving(team: Team, context: Context, file: Path, address: str = "10.0.0.5") -> TestClient:
    """Two graphs, both the sample: what is kept depends on their names alone."""
    own, keeping = ServeSettings(limits=Limits(rate=0)), Keeping(file)
    apps = {
        name: create_application(context, own, warm=False, keeper=Keeper(keeping, name, team.keeps_history))
        for name in GRAPHS
    }
    app = create_team_application(team, apps, own, keeping)
    return TestClient(app, ADDRESS, raise_server_exceptions=False, client=(address, 4711))


@pytest.fixture
def team() -> Team:
    """Ann and Bob ask both graphs."""
    graphs = {name: {"token_sha256": digest(TOKENS[name]), "graphs": list(GRAPHS)} for name in ("ann", "bob")}
    return team_of(users=graphs)


@pytest.fixture
def http(team: Team, sample_context: Context, file: Path) -> Iterator[TestClient]:
    with serving(team, sample_context, file) as talking:
        yield talking


def send(http: TestClient, method: str, route: str, user: str = "ann", graph: str = "rivers", **body: Any) -> Any:
    path = f"/g/{graph}/api/v1/{route}"
    return http.request(method, path, json=body or None, headers=by(user))


def kept(http: TestClient, user: str = "ann", graph: str = "rivers") -> Any:
    found = send(http, "GET", "kept", user, graph)
    assert found.status_code == 200, found.text
    return found.json()


def questions(http: TestClient, user: str = "ann", graph: str = "rivers") -> list[str]:
    return [item["question"] for item in kept(http, user, graph)["history"]]


def names(http: TestClient, user: str = "ann", graph: str = "rivers") -> list[str]:
    return [item["name"] for item in kept(http, user, graph)["saved"]]


def ask(http: TestClient, question: str, user: str = "ann", graph: str = "rivers") -> Any:
    found = send(http, "POST", "history", user, graph, question=question, address=f"#q={question}")
    assert found.status_code == 200, found.text
    return found.json()


def save(http: TestClient, name: str, user: str = "ann", graph: str = "rivers", address: str = "") -> Any:
    body = {"name": name, "question": QUESTION, "address": address or f"#q={name}"}
    found = send(http, "POST", "saved", user, graph, **body)
    assert found.status_code == 200, found.text
    return found.json()


# What is kept --------------------------------------------------------------------------------------------------------


def test_a_question_stands_in_the_history_with_its_address_and_its_time(http: TestClient) -> None:
    added = send(http, "POST", "history", **CARD).json()
    assert kept(http)["history"] == [added]
    assert (added["question"], added["address"]) == (CARD["question"], CARD["address"])
    assert added["at"].startswith("20")


def test_what_was_asked_again_is_at_the_head_and_there_once(http: TestClient) -> None:
    for question in ("one?", "two?", "one?"):
        ask(http, question)
    assert questions(http) == ["one?", "two?"]


def test_a_saved_question_is_renamed_and_removed(http: TestClient) -> None:
    one, two = save(http, "one"), save(http, "two")
    assert send(http, "PATCH", f"saved/{one['key']}", name="uno").json()["name"] == "uno"
    assert names(http) == ["two", "uno"]
    assert send(http, "DELETE", f"saved/{two['key']}").status_code == 200
    assert names(http) == ["uno"]
    assert send(http, "DELETE", f"saved/{two['key']}").status_code == 404


def test_a_question_is_saved_once(http: TestClient) -> None:
    save(http, "before", address="#q=same")
    save(http, "now", address="#q=same")
    assert names(http) == ["now"]


def test_one_question_and_the_whole_history_are_deleted(http: TestClient) -> None:
    one = ask(http, "one?")
    ask(http, "two?")
    save(http, "kept")
    assert send(http, "DELETE", f"history/{one['key']}").status_code == 200
    assert questions(http) == ["two?"]
    assert send(http, "DELETE", "history").status_code == 200
    assert (questions(http), names(http)) == ([], ["kept"])


def test_the_oldest_questions_make_room(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert keeping_module.MOST_ASKED == 500
    monkeypatch.setattr(keeping_module, "MOST_ASKED", 5)
    ann, bob = Keeping(file).of("ann", "rivers"), Keeping(file).of("bob", "rivers")
    bob.add_asked("first of all", "#q=x")
    for number in range(8):
        ann.add_asked(f"question {number}", "#q=x")
    assert [item.question for item in ann.asked()] == [f"question {number}" for number in (7, 6, 5, 4, 3)]
    assert [item.question for item in bob.asked()] == ["first of all"]


def test_too_many_saved_questions_are_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping_module, "MOST_SAVED", 2)
    ann = Keeping(file).of("ann", "rivers")
    for number in range(2):
        ann.add_saved("name", "question", f"#q={number}")
    with pytest.raises(UsageError, match="2 questions are saved"):
        ann.add_saved("name", "question", "#q=more")
    ann.add_saved("another name", "question", "#q=1")  # in the place of what is there
    assert [item.name for item in ann.saved()] == ["another name", "name"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": "x"},
        {"question": "", "address": "#q=x"},
        {"question": "x", "address": "javascript:alert(1)"},
        {"question": "x", "address": "https://evil.example/#q=x"},
        {"question": "x", "address": "#" + "x" * 40_001},
        {"question": "x" * 10_001, "address": "#q=x"},
        {"question": 1, "address": "#q=x"},
        {"question": "x", "address": "#q=x", "whose": "bob"},
    ],
)
def test_what_is_no_question_is_refused(http: TestClient, body: dict[str, Any]) -> None:
    assert send(http, "POST", "history", **body).status_code == 422
    assert send(http, "POST", "saved", **{"name": "x", **body}).status_code == 422


def test_text_of_any_kind_comes_back_as_it_was(http: TestClient) -> None:
    for text in ("'; DROP TABLE asked; --", "<script>alert(1)</script>", "نهر النيل؟", "a\x00b"):
        ask(http, text)
        assert questions(http)[0] == text


# Of whom -------------------------------------------------------------------------------------------------------------


def test_two_users_and_two_graphs_have_nothing_in_common(http: TestClient) -> None:
    for user in ("ann", "bob"):
        for graph in GRAPHS:
            ask(http, f"{user} of {graph}?", user, graph)
            save(http, f"{user} of {graph}", user, graph)
    for user in ("ann", "bob"):
        for graph in GRAPHS:
            assert questions(http, user, graph) == [f"{user} of {graph}?"]
            assert names(http, user, graph) == [f"{user} of {graph}"]


def test_another_users_keys_are_as_keys_that_there_are_not(http: TestClient) -> None:
    asked, saved = ask(http, "bob's?", "bob"), save(http, "bob's", "bob")
    tries = [
        ("DELETE", "history/{}", asked["key"], {}),
        ("DELETE", "saved/{}", saved["key"], {}),
        ("PATCH", "saved/{}", saved["key"], {"name": "ann's"}),
    ]
    for method, route, key, body in tries:
        for user, graph in (("ann", "rivers"), ("ann", "people"), ("bob", "people")):
            other = send(http, method, route.format(key), user, graph, **body)
            missing = send(http, method, route.format("nothing"), user, graph, **body)
            assert (other.status_code, other.text) == (404, missing.text)
    assert (questions(http, "bob"), names(http, "bob")) == (["bob's?"], ["bob's"])


def test_keys_are_not_to_be_guessed(http: TestClient) -> None:
    keys = {ask(http, f"{number}?")["key"] for number in range(20)}
    assert len(keys) == 20
    assert min(map(len, keys)) >= 16


def test_nobody_has_a_history_without_a_token_or_of_a_graph_that_they_may_not_ask(
    sample_context: Context, file: Path
) -> None:
    with serving(team_of(), sample_context, file) as http:
        assert http.get("/g/rivers/api/v1/kept").status_code == 401
        for method, route, body in (*ROUTES, ("GET", "kept", {}), ("DELETE", "kept", {})):
            assert send(http, method, route, "ann", "people", **body).status_code == 404
        assert http.delete("/api/v1/kept").status_code == 401


def test_a_user_deletes_all_of_theirs_and_nothing_of_others(http: TestClient) -> None:
    for user in ("ann", "bob"):
        for graph in GRAPHS:
            ask(http, "?", user, graph)
            save(http, "saved", user, graph)
    assert send(http, "DELETE", "kept", "ann", "rivers").status_code == 200
    assert (questions(http), names(http)) == ([], [])
    assert (questions(http, graph="people"), names(http, graph="people")) == (["?"], ["saved"])
    assert http.delete("/api/v1/kept", headers=by("ann")).status_code == 200
    assert (questions(http, graph="people"), names(http, graph="people")) == ([], [])
    assert all((questions(http, "bob", graph), names(http, "bob", graph)) == (["?"], ["saved"]) for graph in GRAPHS)


def test_what_was_deleted_is_not_in_the_file(file: Path) -> None:
    ann = Keeping(file).of("ann", "rivers")
    ann.add_asked("an unspeakable question", "#q=unspeakable")
    assert b"unspeakable" in file.read_bytes()
    ann.clear()
    assert b"unspeakable" not in file.read_bytes()


def test_users_whom_a_proxy_names_have_their_own(sample_context: Context, file: Path) -> None:
    anybody = team_of(proxy=PROXY, users={"*": {"graphs": ["rivers"]}})
    with serving(anybody, sample_context, file, "127.0.0.1") as http:
        for user in ("one@example.org", "two@example.org"):
            http.post("/g/rivers/api/v1/history", json=CARD, headers={"x-forwarded-user": user})
        http.delete("/g/rivers/api/v1/history", headers={"x-forwarded-user": "one@example.org"})
        found = [
            http.get("/g/rivers/api/v1/kept", headers={"x-forwarded-user": user}).json()["history"]
            for user in ("one@example.org", "two@example.org")
        ]
    assert [len(items) for items in found] == [0, 1]


def test_two_teams_on_one_machine_share_no_file(tmp_path: Path) -> None:
    one, two = (Keeping.of_team(tmp_path / name / "kgneo.team.toml") for name in ("one", "two"))
    assert one.file != two.file
    assert one.file == Keeping.of_team(tmp_path / "one" / "kgneo.team.toml").file


# Where it is not kept ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("off", [{"history": False}, {"users": {"ann": "off"}}])
def test_a_history_that_is_off_is_not_kept_and_what_was_saved_is(
    team: Team, sample_context: Context, file: Path, off: dict[str, Any]
) -> None:
    with serving(team, sample_context, file) as http:
        for user in ("ann", "bob"):
            ask(http, "?", user)
    quiet = {"token_sha256": digest(TOKENS["ann"]), "graphs": list(GRAPHS), "history": False}
    now = team_of(users={"ann": quiet, "bob": team.users["bob"]}) if "users" in off else team_of(**off)
    Keeping(file).end_histories(now.keeps_history)
    others = [item.question for item in Keeping(file).of("bob", "rivers").asked()]
    assert others == (["?"] if "users" in off else [])
    with serving(now, sample_context, file) as http:
        assert kept(http)["history"] is None
        refused = send(http, "POST", "history", **CARD)
        assert (refused.status_code, refused.json()["error"]["type"]) == (409, "NoHistory")
        save(http, "saved all the same")
        assert names(http) == ["saved all the same"]
    assert Keeping(file).of("ann", "rivers").asked() == []


def test_where_nobody_is_known_the_page_is_told_to_keep_it_itself(sample_context: Context) -> None:
    with client(sample_context) as http:
        assert http.get("/api/v1/kept").json() == {"history": None, "saved": None}
        for method, route, body in ROUTES:
            refused = http.request(method, f"/api/v1/{route}", json=body)
            assert refused.status_code == 409
            assert http.request("DELETE", f"/api/v1/{route}/x").status_code == 409


def test_a_file_that_cannot_be_used_is_told_without_its_place_and_questions_are_answered(
    team: Team, sample_context: Context, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1_000)
    with pytest.raises(DataError, match="KGNEO_DATA_DIR"):
        Keeping(file).of("ann", "rivers").asked()
    with serving(team, sample_context, file) as http:
        found = send(http, "GET", "kept")
        assert (found.status_code, found.headers["retry-after"]) == (503, "5")
        assert str(file) not in found.text
        assert http.delete("/api/v1/kept", headers=by("ann")).status_code == 503
        assert send(http, "POST", "ask", question=QUESTION).json()["answers"] == ["Addis Ababa"]
    assert str(file) in caplog.text


# The file ------------------------------------------------------------------------------------------------------------


def test_a_restart_keeps_it(team: Team, sample_context: Context, file: Path) -> None:
    with serving(team, sample_context, file) as http:
        ask(http, "before?")
        save(http, "before")
    with serving(team, sample_context, file) as http:
        assert (questions(http), names(http)) == (["before?"], ["before"])


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_only_its_owner_reads_it(file: Path) -> None:
    before = os.umask(0)
    try:
        Keeping(file).of("ann", "rivers").add_asked("?", "#q=?")
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_many_threads_write_at_once(file: Path) -> None:
    def write(number: int) -> None:
        Keeping(file).of("ann", f"graph {number % 4}").add_asked(f"question {number}", "#q=x")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(80)))
    kept = [item.question for graph in range(4) for item in Keeping(file).of("ann", f"graph {graph}").asked()]
    assert sorted(kept) == sorted(f"question {number}" for number in range(80))


def test_what_was_said_to_be_kept_survives_a_kill(file: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from kgneo.serve.keeping import Keeping\n"
        "ann = Keeping(Path(sys.argv[1])).of('ann', 'rivers')\n"
        "for number in range(10_000):\n"
        "    ann.add_asked(f'question {number}', '#q=x'); print(number, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(30)]
        process.send_signal(signal.SIGKILL)
        process.wait()
    found = {item.question for item in Keeping(file).of("ann", "rivers").asked()}
    assert {f"question {number}" for number in said} <= found
    Keeping(file).of("ann", "rivers").add_asked("afterwards", "#q=x")


# What others see -----------------------------------------------------------------------------------------------------


def test_nothing_of_it_is_in_the_audit_log_or_the_servers_log(
    team: Team, sample_context: Context, file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    audit = tmp_path / "audit.jsonl"
    with serving(team.model_copy(update={"audit": team_of(audit={"file": audit}).audit}), sample_context, file) as http:
        ask(http, "how secret is it?")
        saved = save(http, "a secret name")
        send(http, "PATCH", f"saved/{saved['key']}", name="another secret name")
        send(http, "DELETE", f"saved/{saved['key']}")
        http.delete("/api/v1/kept", headers=by("ann"))
    records = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
    assert [item["path"].removeprefix("/api/v1/") for item in records] == ["history", "saved", "saved", "saved", "kept"]
    assert {name for item in records for name in item} == {"when", "user", "graph", "path", "status", "ms"}
    logged = "\n".join(item.getMessage() for item in caplog.records if not item.name.startswith("httpx"))
    for text in (audit.read_text(encoding="utf-8"), logged):
        assert not any(word in text for word in ("secret", QUESTION, saved["key"], "Ethiopia"))


def test_metrics_count_these_requests_by_their_route(http: TestClient) -> None:
    saved = save(http, "saved")
    send(http, "DELETE", f"saved/{saved['key']}")
    figures = http.get("/g/rivers/api/v1/metrics", headers=by("ann")).text
    assert 'route="/api/v1/saved/{key}"' in figures
    assert saved["key"] not in figures
