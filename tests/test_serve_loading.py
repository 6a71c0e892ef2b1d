"""Loading files over HTTP: what they would make is told first, a new store is made of them, and nothing else is ever
written; whoever cancels or leaves finds nothing left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from starlette.testclient import TestClient

from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import UsageError
from kgneo.folders import stores_folder
from kgneo.serve import loading as loading_module
from kgneo.serve import new_store
from kgneo.serve.application import create_application
from kgneo.serve.settings import Limits, ServeSettings
from kgneo.server import status
from kgneo.server.process import find_process
from kgneo.server.stores import Store
from kgneo.settings import Settings
from tests.conftest import stores
from tests.serving import ADDRESS, UNBOUNDED, loading_application, running
from tests.test_serve_command import _address

CITIES = (
    "subject,subject_label,relation,object,object_label\n"
    "Rome,City,capital of,Italy,Country\n"
    "Tiber,River,flows through,Rome,City\n"
    "Tiber,River,flows through,Rome,City\n"
)
ROWS = "id,name,born,city\n1,Ada,1815,London\n2,Charles,1791,London\n"
PEOPLE = "id:ID(Person),name,born:int,:LABEL\n1,Ada,1815,Person\n2,Charles,1791,Person;Inventor\n"
KNOWS = ":START_ID(Person),:END_ID(Person),:TYPE,since:int\n1,2,KNOWS,1833\n1,9,KNOWS,1834\n"
Names = dict[str, int]
pytestmark = pytest.mark.usefixtures("own_stores")


@contextmanager
def client(**settings: Any) -> Iterator[TestClient]:
    with TestClient(loading_application(**settings), ADDRESS, raise_server_exceptions=False) as talking:
        yield talking


@pytest.fixture
def http() -> Iterator[TestClient]:
    with client() as talking:
        yield talking


def draft(http: TestClient, **files: str | bytes) -> str:
    """The address of a draft with these files; the last "_" of a name stands for its dot."""
    address = f"/api/v1/loading/{http.post('/api/v1/loading').json()['key']}"
    for name, content in files.items():
        sent = http.post(f"{address}/files", params={"name": ".".join(name.rsplit("_", 1))}, content=content)
        assert sent.status_code == 200, sent.text
    return address


def preview(http: TestClient, address: str, **options: Any) -> Any:
    response = http.post(f"{address}/preview", json=options)
    assert response.status_code == 200, response.text
    return response.json()


def error_of(response: Any, status: int) -> Any:
    assert response.status_code == status, response.text
    return response.json()["error"]


def events(http: TestClient, address: str, name: str, **options: Any) -> list[tuple[str, Any]]:
    text = http.post(f"{address}/store", json={"name": name, **options}).text
    blocks = [block.split("\n") for block in text.split("\n\n") if block.startswith("event: ")]
    return [(block[0].removeprefix("event: "), json.loads(block[1].removeprefix("data: "))) for block in blocks]


def named(listed: Any) -> Names:
    return dict(listed["names"])


# A preview -----------------------------------------------------------------------------------------------------------


def test_of_triples_it_is_told_what_they_make_once_each(http: TestClient) -> None:
    found = preview(http, draft(http, cities_csv=CITIES))
    assert (found["kind"], found["rows"], found["nodes"], found["relationships"]) == ("triples", 3, 3, 2)
    assert named(found["labels"]) == {"City": 1, "Country": 1, "River": 1}
    assert named(found["relations"]) == {"capital of": 1, "flows through": 1}
    assert found["first_triples"][0] == ["Rome", "capital of", "Italy"]
    assert (found["files"][0]["name"], found["files"][0]["loader"]) == ("cities.csv", "delimited")
    assert found["files"][0]["lines"][1] == "Rome,City,capital of,Italy,Country"


def test_files_of_a_property_graph_are_previewed_together_with_what_is_left_out(http: TestClient) -> None:
    found = preview(http, draft(http, people_csv=PEOPLE, knows_csv=KNOWS))
    assert (found["kind"], found["nodes"], found["relationships"]) == ("property graph", 2, 1)
    assert named(found["labels"]) == {"Person": 2, "Inventor": 1}
    assert found["properties"]["KNOWS"] == ["since"]
    assert found["first_nodes"][0] == [["Person"], {"id": "1", "name": "Ada", "born": "1815"}]
    ((file, line, reason, _),) = found["left_out"]["first"]
    assert (file, line) == ("knows.csv", "3")
    assert "node '9'" in reason


def test_rows_without_named_columns_are_told_with_the_columns_that_there_are(http: TestClient) -> None:
    found = preview(http, draft(http, rows_csv=ROWS))
    assert (found["rows"], found["left_out"]["total"]) == (0, 3)
    assert "found 4 columns (id, name, born, city), expected 3" in found["left_out"]["first"][0][2]
    assert found["files"][0]["fields"] == ["id", "name", "born", "city"]


def test_columns_that_are_chosen_are_read(http: TestClient) -> None:
    found = preview(http, draft(http, rows_csv=ROWS), columns=["name", "born", "city"])
    assert found["first_triples"] == [["Ada", "1815", "London"], ["Charles", "1791", "London"]]


def test_a_column_that_there_is_not_is_refused_without_the_folder_of_the_file(http: TestClient) -> None:
    error = error_of(http.post(f"{draft(http, rows_csv=ROWS)}/preview", json={"columns": ["name", "x", "city"]}), 422)
    assert error["message"].startswith("rows.csv:1: there is no column 'x', found 4")
    assert error["hint"]


@pytest.mark.parametrize(
    ("content", "said"), [(b"\x00\x01\x02\x03" * 9, "a binary file"), (b"", "is empty"), (b"hello", "the format")]
)
def test_what_is_no_readable_file_is_told_with_what_to_do(http: TestClient, content: bytes, said: str) -> None:
    error = error_of(http.post(f"{draft(http, data_bin=content)}/preview", json={}), 422)
    assert error["message"].startswith("data.bin")
    assert said in error["message"]
    assert error["hint"]


def test_triples_beside_a_property_graph_are_refused(http: TestClient) -> None:
    response = http.post(f"{draft(http, people_csv=PEOPLE, cities_csv=CITIES)}/preview", json={})
    assert "cities.csv holds triples" in error_of(response, 422)["message"]


def test_a_preview_that_takes_too_long_is_ended() -> None:
    many = "".join(f"a{number}\tr\tb\n" for number in range(2_000))
    with client(limits=Limits(rate=0, look_seconds=-1.0)) as talking:
        error = error_of(talking.post(f"{draft(talking, many_tsv=many)}/preview", json={}), 504)
    assert "kgneo load" in error["hint"]


def test_a_preview_writes_nothing(http: TestClient) -> None:
    preview(http, draft(http, cities_csv=CITIES))
    assert stores() == []


# Files that are sent -------------------------------------------------------------------------------------------------


def pieces(number: int) -> Iterator[bytes]:
    """A body that does not say how long it is."""
    yield from (b"x" * 1_000 for _ in range(number))


@pytest.mark.parametrize("content", [b"x" * 30_000, pieces(30)], ids=["declared", "in pieces"])
def test_files_of_more_bytes_than_are_taken_are_refused_and_not_kept(content: Any) -> None:
    with client(limits=Limits(rate=0, files=20_000)) as talking:
        address = draft(talking)
        error = error_of(talking.post(f"{address}/files", params={"name": "x.csv"}, content=content), 413)
        assert "20,000 bytes" in error["message"]
        assert error_of(talking.post(f"{address}/preview", json={}), 409)["type"] == "NoFiles"


def test_the_bound_is_of_all_files_together() -> None:
    with client(limits=Limits(rate=0, files=20_000)) as talking:
        address = draft(talking, one_csv="x" * 15_000)
        error_of(talking.post(f"{address}/files", params={"name": "two.csv"}, content=pieces(10)), 413)


def test_a_file_may_be_larger_than_other_bodies(http: TestClient) -> None:
    address = draft(http, large_csv=b"a,b,c\n" * 20_000)
    assert preview(http, address)["rows"] == 20_000
    assert error_of(http.post(f"{address}/preview", content=b"x" * 100_000), 413)["type"] == "BodyTooLarge"


@pytest.mark.parametrize("name", ["", "..", "../x.csv", "a/b.csv", "a\\b.csv", "a\nb.csv", "\0.csv", "x" * 300])
def test_a_name_that_is_none_of_a_file_is_refused(http: TestClient, name: str) -> None:
    error_of(http.post(f"{draft(http)}/files", params={"name": name}, content=b"a,b,c"), 422)


def folder_of(http: TestClient, address: str) -> Path:
    """Where the files of a draft are."""
    found: Path = http.app.state.loading.drafts.find(address.rsplit("/", 1)[1]).folder  # type: ignore[attr-defined]
    return found


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_told_and_nothing_of_the_file_is_kept(http: TestClient) -> None:
    address = draft(http)
    folder = folder_of(http, address)
    (folder / "x.csv").symlink_to("/dev/full")
    error = error_of(http.post(f"{address}/files", params={"name": "x.csv"}, content=b"a,b,c"), 507)
    assert (error["type"], error["hint"]) == ("DiskFull", "Free some space on it.")
    assert not list(folder.iterdir())


def test_only_the_last_drafts_are_kept(http: TestClient) -> None:
    first, *others = [draft(http, cities_csv=CITIES) for _ in range(4)]
    error = error_of(http.post(f"{first}/preview", json={}), 404)
    assert "Choose the files again" in error["hint"]
    assert all(http.post(f"{address}/preview", json={}).status_code == 200 for address in others)


def test_a_draft_that_is_left_is_gone_with_its_files(http: TestClient) -> None:
    address = draft(http, cities_csv=CITIES)
    folder = folder_of(http, address)
    assert (folder / "cities.csv").is_file()
    assert http.delete(address).status_code == 200
    assert not folder.exists()
    error_of(http.post(f"{address}/preview", json={}), 404)


# Who may -------------------------------------------------------------------------------------------------------------


def test_a_server_that_loads_nothing_says_so_and_refuses(sample_context: Context) -> None:
    app = create_application(sample_context, ServeSettings(limits=UNBOUNDED), warm=False)
    with TestClient(app, ADDRESS) as talking:
        assert talking.get("/api/v1/loading").json() == {"allowed": False}
        refused = [talking.post(f"/api/v1/loading{rest}", json=body) for rest, body in (
            ("", {}), ("/x/preview", {}), ("/x/store", {"name": "x"}), ("/x/files?name=x", {})
        )]  # fmt: skip
        assert {error_of(response, 403)["type"] for response in refused} == {"LoadingOff"}


@pytest.mark.parametrize(
    ("arguments", "loads"),
    [
        ({}, True),
        ({"own_machine": False}, False),
        ({"own_machine": False, "wanted": True}, True),
        ({"wanted": False}, False),
        ({"settings": Settings(read_only=True)}, False),
        ({"workers": 2}, False),
        ({"settings": Settings(uri="neo4j://localhost:7687")}, True),
    ],
)
def test_files_are_loaded_where_this_machine_alone_is_let_in_or_an_option_says_so(
    arguments: dict[str, Any], loads: bool
) -> None:
    from kgneo.cli.serve import loads_files

    given = {"wanted": None, "team": None, "settings": Settings(), "own_machine": True, "workers": 1, **arguments}
    assert loads_files(**given) is loads


def test_several_workers_load_nothing_on_the_page() -> None:
    from kgneo.cli.serve import loads_files

    with pytest.raises(UsageError, match="one of them alone would know"):
        loads_files(True, None, Settings(), own_machine=True, workers=2)


def test_a_team_loads_nothing_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "team.toml"
    file.write_text(f'[graphs.one]\nstore = "one"\n[users.ann]\ntoken_sha256 = "{"0" * 64}"\ngraphs = ["one"]\n')
    assert main(["serve", "--team", str(file), "--loading"]) == 2
    assert "--loading does not go with --team" in capsys.readouterr().err


def test_loading_needs_the_token_and_the_page_of_this_server() -> None:
    with client(token="sesame") as talking:  # noqa: S106
        assert error_of(talking.post("/api/v1/loading"), 401)["type"] == "NoToken"
        talking.headers["authorization"] = "Bearer sesame"
        address = draft(talking, cities_csv=CITIES)
        evil = {"origin": "https://evil.example"}
        refused = talking.post(f"{address}/files", params={"name": "x"}, content=b"x", headers=evil)
        assert error_of(refused, 403)["type"] == "WrongOrigin"


def test_a_server_without_a_graph_answers_that_nothing_was_loaded_yet(http: TestClient) -> None:
    assert error_of(http.post("/api/v1/ask", json={"question": "what?"}), 409)["type"] == "GraphEmpty"
    assert http.get("/api/v1/health").json()["status"] == "ok"
    assert "page.js" in http.get("/").text


def test_the_description_of_the_api_has_the_routes(http: TestClient) -> None:
    paths = http.get("/api/v1/openapi.json").json()["paths"]
    assert "application/octet-stream" in json.dumps(paths["/api/v1/loading/{key}/files"])
    assert "text/event-stream" in json.dumps(paths["/api/v1/loading/{key}/store"])


# What makes no store -------------------------------------------------------------------------------------------------


def test_lines_that_cannot_be_used_are_left_out_on_demand_alone(http: TestClient) -> None:
    told = events(http, draft(http, cities_csv=CITIES + "one field\n"), "cities")
    assert told[-1][0] == "error"
    assert "cities.csv:5: found 1 field, expected 5" in told[-1][1]["error"]["message"]
    assert stores() == []


def test_a_store_that_there_is_is_never_written_to(http: TestClient) -> None:
    (stores_folder() / "mine").mkdir(parents=True)
    error = error_of(http.post(f"{draft(http, cities_csv=CITIES)}/store", json={"name": "mine"}), 409)
    assert (error["type"], error["hint"]) == ("NameTaken", "Choose another name.")
    assert not list((stores_folder() / "mine").iterdir())


@pytest.mark.parametrize("name", ["", "..", "../mine", "/tmp/mine", "-x", "a" * 101, "~/mine"])  # noqa: S108
def test_a_name_that_is_none_of_a_store_is_refused(http: TestClient, name: str) -> None:
    error = error_of(http.post(f"{draft(http, cities_csv=CITIES)}/store", json={"name": name}), 422)
    assert error["hint"]
    assert stores() == []


def test_a_disk_without_room_is_told_before_anything_is_made(http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_store, "LEAST_BYTES", 2**60)
    name, data = events(http, draft(http, cities_csv=CITIES), "cities")[-1]
    assert (name, data["error"]["type"]) == ("error", "DiskFull")
    assert stores() == []


def test_a_server_loads_no_more_graphs_than_it_has_room_for(http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading_module, "GRAPHS", 0)
    error = error_of(http.post(f"{draft(http, cities_csv=CITIES)}/store", json={"name": "cities"}), 409)
    assert error["type"] == "TooManyGraphs"
    assert "kgneo load FILE --store NAME" in error["hint"]


# A store -------------------------------------------------------------------------------------------------------------


def test_triples_become_a_store_that_is_indexed_and_asked_at_an_address_of_its_own(
    encoder: OnnxEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kgneo.terms.toml").write_text('[labels.City]\nname = "town"\n[relations.none]\nname = "x"\n')
    monkeypatch.chdir(tmp_path)
    with client(encoder=encoder, token="sesame") as talking:  # noqa: S106
        talking.headers["authorization"] = "Bearer sesame"
        address = draft(talking, cities_csv=CITIES + "one field\n")
        told = events(talking, address, "cities", skip_bad_lines=True)
        stages = [data["stage"] for name, data in told if name == "progress"]
        assert list(dict.fromkeys(stages))[:2] == ["starting", "loading"]
        assert [name for name, _ in told if name != "progress"] == ["loaded", "indexed"]
        assert talking.get("/api/v1/loading").json()["graphs"] == [{"name": "cities", "path": "/g/cities/"}]

        question = {"question": "what is the capital of [Italy]?"}
        assert talking.post("/g/cities/api/v1/ask", json=question).json()["answers"] == ["Rome"]
        schema = talking.get("/g/cities/api/v1/schema").json()
        assert (schema["name"], schema["shape"]["names"].get("City", "City")) == ("cities", "City"), "terms are not its"
        assert "page.js" in talking.get("/g/cities").text, "the address without a slash at its end is the page's, too"
        assert talking.get("/g/cities/api/v1/loading").json()["graphs"][0]["name"] == "cities"
        error_of(talking.post(f"{address}/preview", json={}), 404)  # what is loaded is not kept twice

        assert talking.post("/g/cities/api/v1/ask", json=question, headers={"authorization": ""}).status_code == 401
        assert talking.get("/g/cities/api/v1/schema", headers={"host": "evil.example"}).status_code == 421
    assert status(stores_folder() / "cities") is not None, "as after `kgneo load`, the store's server goes on"


def test_a_server_of_another_neo4j_makes_a_store_of_its_own_from_a_property_graph(encoder: OnnxEncoder) -> None:
    with client(encoder=encoder, started_with=Settings(uri="bolt://127.0.0.1:1", database="theirs")) as talking:
        told = events(talking, draft(talking, people_csv=PEOPLE, knows_csv=KNOWS), "people", skip_bad_lines=True)
        assert [name for name, _ in told if name != "progress"] == ["loaded", "indexed"]
        asked = {"question": "when was Ada born?"}
        assert talking.post("/g/people/api/v1/ask", json=asked).json()["answers"] == ["1815"]


# Ending it -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Talk:
    """Talks to a server behind a real port, which a client can leave."""

    address: str
    stop: Callable[[], None]

    def send(self, method: str, route: str, body: bytes = b"", timeout: float = 120) -> Any:
        headers = {"Content-Type": "application/json"}
        return urlopen(Request(f"{self.address}{route}", body, headers, method=method), timeout=timeout)  # noqa: S310

    def draft(self, content: str) -> str:
        with self.send("POST", "/api/v1/loading") as response:
            address = f"/api/v1/loading/{json.load(response)['key']}"
        self.send("POST", f"{address}/files?name=cities.csv", content.encode()).close()
        return address

    def loading(self, address: str) -> Any:
        """The events of a load, once its store is being made."""
        response = self.send("POST", f"{address}/store", b'{"name": "cities"}')
        while b'"starting"' not in response.readline():
            pass
        until(lambda: stores() == ["cities"])
        return response


@pytest.fixture
def talk() -> Iterator[Talk]:
    with running(loading_application()) as (address, stop):
        yield Talk(address, stop)


def until(ready: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if ready():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


def test_a_load_that_is_cancelled_leaves_nothing_and_lets_others_begin(talk: Talk) -> None:
    address = talk.draft(CITIES)
    with talk.loading(address) as response:
        with pytest.raises(HTTPError) as refused:
            talk.send("POST", f"{talk.draft(CITIES)}/store", b'{"name": "other"}')
        assert json.load(refused.value)["error"]["type"] == "LoadUnderWay"
        talk.send("DELETE", address).close()
        text = response.read().decode()
    assert '"message": "Loading was cancelled.", "hint": "Nothing of it was kept."' in text
    assert stores() == []
    assert find_process(Store((stores_folder() / "cities").resolve())) is None
    with talk.send("POST", f"{address}/preview", b"{}") as response:
        assert json.load(response)["rows"] == 3, "the files can be loaded again"


def test_whoever_leaves_before_all_is_loaded_ends_it(talk: Talk) -> None:
    talk.loading(talk.draft(CITIES)).close()
    until(lambda: stores() == [])


def test_a_server_that_stops_ends_what_it_loads(talk: Talk) -> None:
    with talk.loading(talk.draft(CITIES)):
        talk.stop()
    assert stores() == []


# The command ---------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_command_serves_a_page_that_loads_where_nothing_was_loaded_yet(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as file:
        command = [sys.executable, "-m", "kgneo", "serve", "--port", "0", "--loading-megabytes", "3"]
        process = subprocess.Popen(command, stderr=file, env=os.environ)
    try:
        with urlopen(f"{_address(log, process)}api/v1/loading", timeout=60) as response:  # noqa: S310
            found = json.load(response)
        assert (found["allowed"], found["bytes"], found["graphs"]) == (True, 3_000_000, [])
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    finally:
        process.kill()
        process.wait()
    assert "Nothing was loaded yet" in log.read_text()
    assert "Traceback" not in log.read_text()


def test_without_loading_the_command_needs_a_graph(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "0", "--no-loading"]) == 1
    assert "Nothing was loaded yet" in capsys.readouterr().err


def test_a_store_of_a_name_that_there_is_not_stays_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "0", "--store", "typo"]) == 2
    assert "There is no store 'typo'" in capsys.readouterr().err
