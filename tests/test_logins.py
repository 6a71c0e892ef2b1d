"""Graphs whose users are those of their database: each signs in, has a connection and caches of their own, and nobody
gets what another's login has read. Neo4j Community has users and no roles: what a login may see is not tested here."""

from __future__ import annotations

import base64
import json
import logging
import os
import signal
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import GraphError, LoginRefused
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.graph.apart import keep_apart, remove_left, rights
from kgneo.graph.cache import LocalCache, identity
from kgneo.serve import logins as logins_module
from kgneo.serve.application import create_application
from kgneo.serve.keeping import Keeping
from kgneo.serve.kept_routes import Keeper
from kgneo.serve.logins import Credentials, DatabaseDoor, Known, Logins, Opened, Session, credentials_of
from kgneo.serve.rate import Rate
from kgneo.serve.settings import Limits, ServeSettings
from kgneo.serve.signed_in import signed_in_application
from kgneo.serve.team import create_team_application
from kgneo.serve.team_file import Team
from kgneo.server import RunningServer
from kgneo.settings import Settings
from tests.conftest import connect, set_address, wipe
from tests.serving import ADDRESS, running
from tests.test_serve_command import _address
from tests.test_serve_page import CSS, answers, broken, in_colours, shoot, texts, until
from tests.test_serve_page import ask as ask_page
from tests.test_serve_workers import served
from tests.test_team import PEOPLE, TOKENS, digest

OWN = "127.0.0.1"
ELSEWHERE = "10.0.0.5"
PASSWORDS = {"ida": "ida's first secret", "olaf": "olaf's first secret"}
QUESTION = "who does [Zelda Quist] know?"
SECOND = "ida's second secret"
MAKE = "CREATE OR REPLACE USER $name SET PASSWORD $password CHANGE NOT REQUIRED"
CHANGE = "ALTER USER $name SET PASSWORD $password CHANGE NOT REQUIRED"


class WatchedDoor:
    """The door of a database, which notes who was looked up and what was opened."""

    def __init__(self, door: DatabaseDoor) -> None:
        self._door = door
        self.known_for: list[str] = []
        self.opened_for: list[str] = []
        self.contexts: list[Context] = []
        self.rights: dict[str, str] = {}

    def known(self, given: Credentials) -> Known:
        self.known_for.append(given.name)
        found = self._door.known(given)
        return replace(found, rights=self.rights.get(given.name, found.rights))

    def opened(self, given: Credentials) -> Opened:
        self.opened_for.append(given.name)
        found = self._door.opened(given)
        self.contexts.append(found.context)
        return found


class Serving:
    """A server of one graph with logins, and of the sample with tokens."""

    def __init__(self, uri: str, sample: Context, encoder: OnnxEncoder, folder: Path, **more: Any) -> None:
        graphs = {"people": {"uri": uri, "login": "neo4j", **more.pop("graph", {})}, "rivers": {"store": "a"}}
        users = {"ann": {"token_sha256": digest(TOKENS["ann"]), "graphs": ["rivers"]}}
        self.team = Team.model_validate({"graphs": graphs, "users": users, **more})
        self.own = ServeSettings(limits=Limits(rate=0))
        self.keeping = Keeping(folder / "kept.sqlite")
        made: Callable[[Graph, Any], Context] = lambda graph, shared: open_context(graph, encoder=shared or encoder)  # noqa: E731
        self.door = WatchedDoor(DatabaseDoor(self.team.graphs["people"].settings(Settings()), made))
        self.logins = Logins(self.door, self._application)
        apps = {
            "people": signed_in_application(self.logins, self.own),
            "rivers": create_application(sample, self.own, warm=False),
        }
        self.app = create_team_application(self.team, apps, self.own, self.keeping, {"people": self.logins})

    def _application(self, context: Context, user: str) -> Any:
        keeper = Keeper(self.keeping, "people", self.team.keeps_history)
        return create_application(context, self.own, browser_user=user, warm=False, mcp=True, keeper=keeper)

    def client(self, address: str = OWN, base: str = ADDRESS) -> TestClient:
        """Somebody who asks from an address."""
        return TestClient(self.app, base, raise_server_exceptions=False, client=(address, 4711))

    def session(self, name: str) -> Session:
        return self.logins._sessions[name]


@pytest.fixture(scope="module")
def people(newest_server: RunningServer) -> Iterator[Graph]:
    """People who know each other, as the administrator sees them."""
    with pytest.MonkeyPatch.context() as patch, connect(newest_server) as graph:
        set_address(patch, newest_server)
        wipe(graph)
        graph.write(PEOPLE)
        yield graph
        for name in (*PASSWORDS, "new"):
            graph.schema("DROP USER $name IF EXISTS", name=name)


@pytest.fixture
def users(people: Graph) -> Graph:
    """Two users with their first passwords."""
    for name, password in PASSWORDS.items():
        people.schema(MAKE, name=name, password=password)
    return people


@pytest.fixture
def serving(users: Graph, sample_context: Context, encoder: OnnxEncoder, tmp_path: Path) -> Serving:
    return Serving(users.address, sample_context, encoder, tmp_path)


@pytest.fixture
def http(serving: Serving) -> Iterator[TestClient]:
    with serving.client() as talking:
        yield talking


def basic(name: str, password: str = "") -> dict[str, str]:
    text = f"{name}:{password or PASSWORDS.get(name, 'none')}"
    return {"authorization": "Basic " + base64.b64encode(text.encode()).decode()}


def ask(http: TestClient, name: str, password: str = "") -> Any:
    return http.post("/g/people/api/v1/ask", json={"question": QUESTION}, headers=basic(name, password))


def look(http: TestClient, name: str, password: str = "") -> int:
    """The status of a request that asks nothing."""
    return http.get("/g/people/api/v1/strategies", headers=basic(name, password)).status_code


@contextmanager
def soon(seconds: float = 20.0) -> Iterator[Callable[[Callable[[], bool]], None]]:
    """Waits until something is so."""

    def until(ready: Callable[[], bool]) -> None:
        end = time.monotonic() + seconds
        while not ready():
            assert time.monotonic() < end
            time.sleep(0.05)

    yield until


def apart() -> set[Path]:
    return set((cache_folder() / "graphs").glob(f"*-apart-{os.getpid()}-*"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_the_page_a_user_signs_in_is_answered_and_signs_out(chromium: Any, serving: Serving, theme: str) -> None:
    with running(serving.app) as (address, _):
        chromium.get(f"{address}/g/people/")
        in_colours(chromium, theme)
        until(chromium, lambda: chromium.find_element(CSS, "#login-form").is_displayed())
        assert broken(chromium) == []
        shoot(chromium, f"login-{theme}.png")
        chromium.find_element(CSS, "#login-user").send_keys("ida")
        chromium.find_element(CSS, "#login-password").send_keys("no secret of hers\n")
        until(chromium, lambda: "not" in " ".join(texts(chromium, "#login-told")))
        assert broken(chromium) == []
        chromium.find_element(CSS, "#login-password").send_keys(f"{PASSWORDS['ida']}\n")
        until(chromium, lambda: chromium.find_element(CSS, "#sign-out").is_displayed())
        ask_page(chromium, QUESTION)
        assert answers(chromium) == ["Otto Lund"]
        chromium.find_element(CSS, "#sign-out").click()
        until(chromium, lambda: chromium.find_element(CSS, "#login-form").is_displayed())
        assert texts(chromium, ".card") == []
        chromium.get("about:blank")


# Who asks ------------------------------------------------------------------------------------------------------------


def test_whoever_signs_in_is_answered(http: TestClient) -> None:
    assert ask(http, "ida").json()["answers"] == ["Otto Lund"]
    assert ask(http, "olaf").json()["answers"] == ["Otto Lund"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer ann-token"},
        {"authorization": "Basic"},
        {"authorization": "Basic !!!"},
        {"authorization": "Basic " + base64.b64encode(b"\xff:\xff").decode()},
        {"authorization": "Basic " + base64.b64encode(b"ida").decode()},
        {"authorization": "Basic " + base64.b64encode(b":secret").decode()},
        {"authorization": "Basic " + base64.b64encode(b"ida:" + b"x" * 501).decode()},
    ],
)
def test_nobody_is_answered_without_a_login(http: TestClient, serving: Serving, headers: dict[str, str]) -> None:
    refused = http.get("/g/people/api/v1/schema", headers=headers)
    assert (refused.status_code, refused.json()["error"]["type"]) == (401, "SignIn")
    assert refused.headers["www-authenticate"].startswith("Basic realm")
    assert serving.door.known_for == []


def test_a_browser_is_not_told_to_ask_for_the_password_itself(http: TestClient) -> None:
    from_a_page = {"sec-fetch-mode": "cors"}
    for headers in (from_a_page, {**from_a_page, **basic("ida", "wrong")}):
        refused = http.get("/g/people/api/v1/schema", headers=headers)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Neo4j")


def test_a_wrong_password_and_a_user_that_there_is_not_are_refused_alike(http: TestClient) -> None:
    wrong, nobody = ask(http, "ida", "wrong"), ask(http, "nobody", "wrong")
    assert (wrong.status_code, wrong.text) == (401, nobody.text)
    assert wrong.json()["error"]["type"] == "WrongLogin"


def test_a_wrong_password_is_refused_while_the_user_is_signed_in_who_stays_so(
    http: TestClient, serving: Serving
) -> None:
    assert look(http, "ida") == 200
    before = serving.session("ida")
    assert look(http, "ida", "wrong") == 401
    assert look(http, "ida") == 200
    assert serving.session("ida") is before


def test_the_graphs_of_tokens_are_as_before(http: TestClient) -> None:
    token = {"authorization": f"Bearer {TOKENS['ann']}"}
    assert http.get("/g/rivers/api/v1/strategies", headers=token).status_code == 200
    assert http.get("/g/rivers/api/v1/strategies", headers=basic("ida")).status_code == 401
    listed = http.get("/api/v1/graphs", headers=token).json()
    assert [item["name"] for item in listed["graphs"]] == ["people", "rivers"]
    assert http.get("/api/v1/graphs").status_code == 401


def test_the_page_and_health_are_for_anybody(http: TestClient) -> None:
    assert http.get("/g/people/").status_code == 200
    assert http.get("/g/people/api.js").status_code == 200
    assert http.get("/g/people/api/v1/health").json() == {"status": "ok"}
    assert http.get("/g/people/api/v1/schema").status_code == 401


def test_the_chat_endpoint_takes_the_same_login(http: TestClient) -> None:
    body = {"model": "kgneo", "messages": [{"role": "user", "content": QUESTION}]}
    found = http.post("/g/people/v1/chat/completions", json=body, headers=basic("ida"))
    assert "Otto Lund" in found.json()["choices"][0]["message"]["content"]
    assert http.post("/g/people/v1/chat/completions", json=body).status_code == 401


def test_assistants_take_the_same_login(http: TestClient) -> None:
    pytest.importorskip("mcp", reason="the extra kgneo[mcp] is not installed")
    call = {"name": "ask", "arguments": {"question": QUESTION}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accepted = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    found = http.post("/g/people/mcp", json=body, headers={**accepted, **basic("ida")})
    assert "Otto Lund" in found.text
    refused = http.post("/g/people/mcp", json=body, headers=accepted)
    assert (refused.status_code, refused.json()["error"]["type"]) == (401, "SignIn")


# Each their own ------------------------------------------------------------------------------------------------------


def test_two_logins_share_neither_connection_nor_knowledge_nor_files(http: TestClient, serving: Serving) -> None:
    ask(http, "ida"), ask(http, "olaf")
    ida, olaf = serving.door.contexts
    assert [context.graph.login for context in (ida, olaf)] == ["ida", "olaf"]
    assert ida.graph is not olaf.graph
    assert ida.knowledge is not olaf.knowledge
    assert ida.memory is not olaf.memory
    folders = [LocalCache(context.graph).folder for context in (ida, olaf)]
    assert len({*folders}) == 2
    assert all(folder.is_dir() and stat.S_IMODE(folder.stat().st_mode) == 0o700 for folder in folders)
    assert ida.encoder is olaf.encoder  # which knows nothing of a graph
    assert (ida.graph.read_only, olaf.graph.read_only) == (True, True)


def test_files_of_a_login_are_of_one_sign_in_alone(users: Graph) -> None:
    """Not even the same login reads what it left: its user may have been dropped, and be another one now."""
    with connect_as(users, "ida") as one, connect_as(users, "ida") as two:
        plain = LocalCache(one).folder
        remove, _ = keep_apart(one), keep_apart(two)
        folders = {LocalCache(one).folder, LocalCache(two).folder}
        assert len({plain, *folders}) == 3
        assert identity(one) == identity(two)
        remove()
        assert {folder.exists() for folder in folders} == {False, True}
        LocalCache(two).remove()


def connect_as(graph: Graph, name: str) -> Graph:
    return Graph.connect(graph.address, username=name, password=PASSWORDS[name])


def test_what_a_login_read_is_gone_with_its_session(serving: Serving) -> None:
    before = apart()
    with serving.client() as http:
        ask(http, "ida")
        made = apart() - before
        assert [folder for folder in made if any(folder.iterdir())]
    assert not any(folder.exists() for folder in made)


def test_what_a_killed_process_left_behind_is_deleted_by_the_next(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    names = ("abc-apart-17-0f", "abc-apart-18-0f", "abc", "abc-apart-x")
    for name in names:
        (tmp_path / "graphs" / name).mkdir(parents=True)
    remove_left(lambda pid: pid == 18)
    assert sorted(folder.name for folder in (tmp_path / "graphs").iterdir()) == sorted(names[1:])


def test_many_first_requests_at_once_open_one_session(http: TestClient, serving: Serving) -> None:
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: look(http, "ida"), range(16)))
    assert statuses == [200] * 16
    assert serving.door.opened_for == ["ida"]


def test_what_each_asked_and_saved_is_kept_by_login(http: TestClient) -> None:
    card = {"question": QUESTION, "address": "#q=who"}
    http.post("/g/people/api/v1/history", json=card, headers=basic("ida"))
    found = [http.get("/g/people/api/v1/kept", headers=basic(name)).json()["history"] for name in PASSWORDS]
    assert [len(items) for items in found] == [1, 0]


def test_a_user_whose_rights_have_changed_begins_anew(
    http: TestClient, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Roles are a matter of Neo4j Enterprise, which was not run: what tells them is given here."""
    monkeypatch.setattr(logins_module, "VERIFIED", 0.0)
    assert look(http, "ida") == look(http, "ida") == 200
    assert serving.door.opened_for == ["ida"]
    serving.door.rights["ida"] = "others"
    assert look(http, "ida") == 200
    assert serving.door.opened_for == ["ida", "ida"]


def test_a_server_without_roles_tells_no_rights(users: Graph) -> None:
    with connect_as(users, "ida") as graph:
        assert rights(graph) == ""


# Passwords that change -----------------------------------------------------------------------------------------------


def test_a_changed_password_ends_the_old_one_within_a_bounded_time(
    http: TestClient, serving: Serving, users: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert logins_module.VERIFIED <= 30
    monkeypatch.setattr(logins_module, "VERIFIED", 1.0)
    assert look(http, "ida") == 200
    before, folder = serving.session("ida"), LocalCache(serving.door.contexts[0].graph).folder
    users.schema(CHANGE, name="ida", password=SECOND)
    time.sleep(1.1)
    assert look(http, "ida") == 401
    assert before.over
    assert "ida" not in serving.logins._sessions
    assert look(http, "ida", SECOND) == 200
    assert serving.session("ida") is not before
    with soon() as until:
        until(lambda: not folder.exists())


def test_a_new_password_begins_anew_and_ends_what_the_old_one_began(
    http: TestClient, serving: Serving, users: Graph
) -> None:
    assert look(http, "ida") == 200
    before = serving.session("ida")
    users.schema(CHANGE, name="ida", password=SECOND)
    assert look(http, "ida", SECOND) == 200
    assert before.over
    assert look(http, "ida") == 401


def test_a_user_who_was_dropped_is_refused(
    http: TestClient, serving: Serving, users: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins_module, "VERIFIED", 0.0)
    assert look(http, "olaf") == 200
    users.schema("DROP USER olaf")
    assert look(http, "olaf") == 401
    users.schema(MAKE, name="olaf", password=PASSWORDS["olaf"])  # another person, perhaps
    assert look(http, "olaf") == 200
    assert serving.door.opened_for == ["olaf", "olaf"]


def test_a_password_that_must_be_changed_first_is_told(http: TestClient, users: Graph) -> None:
    users.schema("CREATE OR REPLACE USER new SET PASSWORD 'the first one' CHANGE REQUIRED")
    refused = ask(http, "new", "the first one")
    assert refused.status_code == 403
    assert "has to be changed" in refused.json()["error"]["message"]
    assert "ALTER CURRENT USER" in refused.json()["error"]["hint"]


# How often -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def unlocked(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> Serving:
    """A server whose database does not lock users itself after three wrong logins: ours is looked at."""

    def known(given: Credentials) -> Known:
        serving.door.known_for.append(given.name)
        if given.password != PASSWORDS.get(given.name):
            raise LoginRefused("wrong")
        return Known(given.name, "")

    monkeypatch.setattr(serving.door, "known", known)
    return serving


def test_wrong_logins_are_bounded_before_the_database_is_asked(unlocked: Serving) -> None:
    with unlocked.client() as http:
        statuses = [look(http, "ida", f"guess {number}") for number in range(100)]
        assert statuses[:10] == [401] * 10
        assert set(statuses[12:]) == {429}
        assert len(unlocked.door.known_for) <= 12
        names = [look(http, f"nobody {number}") for number in range(100)]
        assert names.count(401) <= 12
        assert len(unlocked.door.known_for) <= 24


def test_a_right_password_is_not_found_by_trying_though_its_user_is_signed_in(unlocked: Serving) -> None:
    with unlocked.client() as http:
        assert look(http, "ida") == 200
        for number in range(20):
            look(http, "ida", f"guess {number}")
        assert look(http, "ida") == 429  # as any other
        assert unlocked.client("127.0.0.2").get("/g/people/api/v1/health").status_code == 200
        assert look(unlocked.client("127.0.0.2"), "ida") == 200


def test_whoever_is_signed_in_stays_so_where_others_of_the_address_try(
    unlocked: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins_module, "VERIFIED", 0.0)
    with unlocked.client() as http:
        assert look(http, "ida") == 200
        assert {look(http, f"nobody {number}") for number in range(40)} == {401, 429}
        assert look(http, "olaf") == 429
        assert look(http, "ida") == 200


def test_behind_the_proxy_of_the_team_each_address_has_its_own_bound(
    users: Graph, sample_context: Context, encoder: OnnxEncoder, tmp_path: Path
) -> None:
    serving = Serving(users.address, sample_context, encoder, tmp_path, proxy=PROXY)
    from_one, from_two = (
        {"x-forwarded-proto": "https", "x-forwarded-for": f"1.2.3.4, {at}"} for at in ("5.6.7.8", "5.6.7.9")
    )
    with serving.client("192.168.7.9") as http:
        wrong = [
            http.get("/g/people/api/v1/kept", headers={**from_one, **basic(f"nobody {number}")}).status_code
            for number in range(30)
        ]
        assert {*wrong} == {401, 429}
        assert http.get("/g/people/api/v1/kept", headers={**from_one, **basic("ida")}).status_code == 429
        assert http.get("/g/people/api/v1/kept", headers={**from_two, **basic("ida")}).status_code == 200


def test_right_logins_are_not_bounded(unlocked: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins_module, "VERIFIED", 0.0)
    with unlocked.client() as http:
        assert [look(http, "ida") for _ in range(40)] == [200] * 40


def test_a_user_whom_neo4j_has_locked_is_told_so(http: TestClient) -> None:
    statuses = [ask(http, "ida", f"wrong {number}").status_code for number in range(6)]
    assert statuses[:3] == [401] * 3
    assert 429 in statuses
    time.sleep(6)  # Neo4j's own lock


def test_a_rate_gives_back_what_was_no_wrong_one() -> None:
    rate = Rate(2)
    assert [rate.wait("a", 0), rate.wait("a", 0)] == [0, 0]
    assert rate.ahead("a", 0) > 0
    rate.give_back("a")
    assert (rate.ahead("a", 0), rate.ahead("b", 0)) == (0, 0)


def test_each_login_has_a_rate_of_its_own(
    users: Graph, sample_context: Context, encoder: OnnxEncoder, tmp_path: Path
) -> None:
    slow = Serving(users.address, sample_context, encoder, tmp_path, graph={"rate": 2})
    with slow.client() as http:
        assert [look(http, "ida") for _ in range(4)] == [200, 200, 429, 429]
        assert look(http, "olaf") == 200


# How many, how long --------------------------------------------------------------------------------------------------


def test_so_many_sessions_at_a_time_and_the_one_unused_for_longest_makes_room(
    http: TestClient, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins_module, "SESSIONS", 1)
    assert look(http, "ida") == 200
    before = serving.session("ida")
    assert look(http, "olaf") == 200
    assert before.over
    serving.session("olaf").busy += 1
    refused = ask(http, "ida")
    assert (refused.status_code, refused.json()["error"]["type"]) == (503, "Busy")
    serving.session("olaf").busy -= 1


def test_a_session_that_nobody_uses_ends(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logins_module, "IDLE", 0.2)
    monkeypatch.setattr(logins_module, "LOOK", 0.1)
    with serving.client() as http, soon() as until:
        look(http, "ida")
        folder = LocalCache(serving.door.contexts[0].graph).folder
        until(lambda: not serving.logins.sessions)
        until(lambda: not folder.exists())


def test_a_session_is_begun_anew_after_its_time(
    http: TestClient, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(http, "ida")
    monkeypatch.setattr(logins_module, "LIFE", 0.0)
    look(http, "ida")
    assert serving.door.opened_for == ["ida", "ida"]


def test_a_graph_that_takes_long_to_read_is_told_and_read_on(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = serving.door.opened

    def slowly(given: Credentials) -> Opened:
        time.sleep(1.0)
        return opened(given)

    monkeypatch.setattr(serving.door, "opened", slowly)
    serving.logins._wait = 0.2
    with serving.client() as http, soon() as until:
        refused = ask(http, "ida")
        assert (refused.status_code, refused.json()["error"]["type"]) == (503, "Opening")
        until(lambda: look(http, "ida") == 200)
    assert serving.door.opened_for == ["ida"]


def test_a_server_that_stops_does_not_wait_until_a_graph_is_read(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, before = serving.door.opened, apart()

    def slowly(given: Credentials) -> Opened:
        time.sleep(1.0)
        return opened(given)

    monkeypatch.setattr(serving.door, "opened", slowly)
    serving.logins._wait = 0.2
    with serving.client() as http, soon() as until:
        assert ask(http, "ida").status_code == 503
    until(lambda: not serving.logins._works)
    assert (serving.door.contexts, apart()) == ([], before)  # the graph was not read any more


def test_a_database_that_is_gone_or_knows_no_users_is_told(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    def anonymous(_: Credentials) -> Known:
        raise GraphError("This database asks for no login, so that it does not tell users apart.")

    with serving.client() as http:
        monkeypatch.setattr(serving.door, "known", anonymous)
        assert (ask(http, "ida").status_code, "asks for no login" in ask(http, "ida").text) == (502, True)
        gone = DatabaseDoor(Settings(uri="bolt://127.0.0.1:9", retry=0.0), lambda graph, _: open_context(graph))
        monkeypatch.setattr(serving.door, "known", gone.known)
        assert ask(http, "ida").status_code == 503


# On which way --------------------------------------------------------------------------------------------------------

PROXY = {"header": "X-Forwarded-User", "addresses": ["192.168.7.9"]}


@pytest.mark.parametrize(
    ("address", "base", "headers", "status"),
    [
        (OWN, ADDRESS, {}, 200),
        (OWN, "http://localhost:7575", {}, 200),
        (OWN, ADDRESS, {"host": "graphs.example.org"}, 403),  # through a proxy that says nothing
        (ELSEWHERE, ADDRESS, {}, 403),
        (ELSEWHERE, "https://127.0.0.1:7575", {}, 200),
        (ELSEWHERE, ADDRESS, {"x-forwarded-proto": "https"}, 403),  # says whoever asks
        ("192.168.7.9", ADDRESS, {"x-forwarded-proto": "https"}, 200),
        ("192.168.7.9", ADDRESS, {"x-forwarded-proto": "http"}, 403),
        ("192.168.7.9", ADDRESS, {}, 403),
    ],
)
def test_a_password_is_taken_over_https_or_on_this_machine_alone(
    users: Graph,
    sample_context: Context,
    encoder: OnnxEncoder,
    tmp_path: Path,
    address: str,
    base: str,
    headers: dict[str, str],
    status: int,
) -> None:
    serving = Serving(users.address, sample_context, encoder, tmp_path, proxy=PROXY)
    with serving.client(address, base) as http:
        found = http.get("/g/people/api/v1/strategies", headers={**headers, **basic("ida")})
        assert found.status_code == status
        if status == 403:
            assert found.json()["error"]["type"] == "NotEncrypted"
            assert serving.door.known_for == []
            assert http.get("/g/people/api/v1/strategies", headers=headers).status_code == 403  # before it is typed


def test_the_file_may_say_that_passwords_come_without_encryption(
    users: Graph, sample_context: Context, encoder: OnnxEncoder, tmp_path: Path
) -> None:
    plain = Serving(users.address, sample_context, encoder, tmp_path, graph={"plain_http": True})
    with plain.client(ELSEWHERE) as http:
        assert look(http, "ida") == 200


# Secrets -------------------------------------------------------------------------------------------------------------


def test_no_password_is_in_a_log_an_error_a_figure_or_a_file(
    users: Graph,
    sample_context: Context,
    encoder: OnnxEncoder,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    cache = tmp_path / "cache"
    (cache / "graphs").mkdir(parents=True)
    (cache / "encoders").symlink_to(cache_folder() / "encoders")
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(cache))
    file = tmp_path / "audit.jsonl"
    serving = Serving(users.address, sample_context, encoder, tmp_path, audit={"file": file})
    wrong, given = "a wrong secret", basic("ida")["authorization"].split()[1]
    typed = "a secret in the place of the name"
    with serving.client() as http:
        told = [ask(http, "ida").text, ask(http, "ida", wrong).text, ask(http, typed, "x").text]
        told.append(http.get("/g/people/api/v1/metrics", headers=basic("ida")).text)
        told.append(http.get("/g/people/api/v1/schema", headers=basic("ida")).text)
        told += [repr(serving.session("ida")), repr(serving.door.contexts[0]), str(vars(serving.logins))]
        told.append(repr(Credentials("ida", PASSWORDS["ida"])))
        files = [path for path in tmp_path.rglob("*") if path.is_file() and "encoders" not in path.parts]
        assert [path for path in files if "-apart-" in str(path)]
        kept = b"\n".join(path.read_bytes() for path in files)
    # Of names, the driver speaks where somebody has it tell everything; of passwords, nothing does.
    logged = [item for item in caplog.records if item.levelno > logging.DEBUG]
    assert not any(typed in item.getMessage() for item in logged)
    told += [item.getMessage().replace(typed, "") for item in caplog.records]
    for secret in (PASSWORDS["ida"], wrong, given, typed):
        assert not any(secret in text for text in told)
        assert secret.encode() not in kept
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(item["user"], item["status"]) for item in records[:3]] == [
        ("neo4j:ida@people", 200),
        (None, 401),
        (None, 401),
    ]
    assert records[0]["question"] == QUESTION


def test_a_login_is_read_from_its_header() -> None:
    assert credentials_of(basic("ida", "a:b é")["authorization"]) == Credentials("ida", "a:b é")
    assert credentials_of("Bearer x") is None


# The file ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        ({"store": "a", "login": "neo4j"}, "store does not go with it"),
        ({"uri": "bolt://x", "login": "neo4j", "password_env": "X"}, "password_env does not go with it"),
        ({"uri": "bolt://x", "login": "neo4j", "username": "x"}, "username does not go with it"),
        ({"uri": "bolt://x", "plain_http": True}, "plain_http does not go with it"),
        ({"uri": "bolt://x", "rate": 3}, 'only a graph with login = "neo4j" has this'),
        ({"uri": "bolt://x", "login": "ldap"}, "Input should be 'neo4j'"),
        ({"uri": "bolt://x"}, "nobody may ask 'a': expected users, or its login"),
    ],
)
def test_a_file_that_says_what_cannot_be_is_refused(graph: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError) as error:
        Team.model_validate({"graphs": {"a": graph}})
    assert told in str(error.value)


def test_a_user_of_the_file_may_not_ask_a_graph_of_logins() -> None:
    users = {"ann": {"token_sha256": digest("x"), "graphs": ["a"]}}
    with pytest.raises(ValueError, match="whose users are those of its database"):
        Team.model_validate({"graphs": {"a": {"uri": "bolt://x", "login": "neo4j"}}, "users": users})


def test_graphs_of_a_team_without_users_of_its_own_are_listed_for_anybody() -> None:
    team = Team.model_validate({"graphs": {"a": {"uri": "bolt://x", "login": "neo4j", "title": "A"}}})
    own = ServeSettings(limits=Limits(rate=0))
    logins = Logins(DatabaseDoor(Settings(), lambda graph, _: open_context(graph)), lambda *_: create_application(*_))
    app = create_team_application(team, {"a": signed_in_application(logins, own)}, own, None, {"a": logins})
    with TestClient(app, ADDRESS) as http:
        found = http.get("/api/v1/graphs").json()
        assert found == {"graphs": [{"name": "a", "title": "A"}], "known": False}
        assert http.delete("/api/v1/kept").status_code == 401


# The command ---------------------------------------------------------------------------------------------------------


def test_the_command_serves_a_graph_with_logins_and_says_no_secret(users: Graph, tmp_path: Path) -> None:
    file, log = tmp_path / "kgneo.team.toml", tmp_path / "log"
    text = f'[graphs.people]\nuri = "{users.address}"\nlogin = "neo4j"\n[audit]\nfile = "audit.jsonl"\n'
    file.write_text(text, encoding="utf-8")
    for killed in (False, True):
        with log.open("w") as errors:
            command = [sys.executable, "-m", "kgneo", "serve", "--team", str(file), "--port", "0", "--log-requests"]
            own = {name: value for name, value in os.environ.items() if not name.startswith("NEO4J_")}
            process = subprocess.Popen(command, stderr=errors, env=own)
        folders = cache_folder() / "graphs"
        try:
            address = f"{_address(log, process)}g/people/"
            assert sent(f"{address}api/v1/ask", {"question": QUESTION}, "ida")["answers"] == ["Otto Lund"]
            kept = sent(f"{address}api/v1/kept", None, "ida")["history"]
            assert [item["question"] for item in kept] == (["asked before?"] if killed else [])
            sent(f"{address}api/v1/history", {"question": "asked before?", "address": "#q=x"}, "ida")
            assert status_of(f"{address}api/v1/kept", basic("ida", "a wrong secret")) == 401
            for proxied, status in (
                ({}, 403),
                ({"X-Forwarded-Proto": "http"}, 403),
                ({"X-Forwarded-Proto": "https"}, 200),
            ):
                said_by_proxy = {"X-Forwarded-For": "203.0.113.5", **proxied}
                assert status_of(f"{address}api/v1/kept", {**said_by_proxy, **basic("ida")}) == status
            assert list(folders.glob(f"*-apart-{process.pid}-*"))
            process.send_signal(signal.SIGKILL if killed else signal.SIGTERM)
            process.wait(30)
        finally:
            process.kill()
            process.wait()
        assert bool(list(folders.glob(f"*-apart-{process.pid}-*"))) is killed
        said = log.read_text() + (tmp_path / "audit.jsonl").read_text(encoding="utf-8")
        assert "neo4j:ida@people" in said
        assert not any(secret in said for secret in (PASSWORDS["ida"], "a wrong secret", "asked before?", "Traceback"))
    remove_left(lambda pid: pid != process.pid)
    assert not list(folders.glob(f"*-apart-{process.pid}-*"))


def test_each_worker_signs_in_whoever_asks_it_and_lets_no_wrong_one_in(
    users: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kgneo.team.toml"
    file.write_text(f'[graphs.people]\nuri = "{users.address}"\nlogin = "neo4j"\n', encoding="utf-8")
    for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    with served(tmp_path, "--team", str(file)) as server:
        workers = server.workers()
        right = server.by_each("g/people/api/v1/ask", {"question": QUESTION}, basic("ida"))
        assert [body["answers"] for _, body in right] == [["Otto Lund"]] * 2
        wrong = server.by_each("g/people/api/v1/strategies", headers=basic("ida", "a wrong secret"))
        assert [status for status, _ in wrong] == [401, 401]
    folders = cache_folder() / "graphs"
    assert not [folder for pid in workers for folder in folders.glob(f"*-apart-{pid}-*")]


def status_of(address: str, headers: dict[str, str]) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, None, headers), timeout=60) as response:  # noqa: S310
            return int(response.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def sent(address: str, body: Any, name: str, password: str = "") -> Any:
    headers = {"Content-Type": "application/json", "Authorization": basic(name, password)["authorization"]}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, headers)  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        return json.load(response)
