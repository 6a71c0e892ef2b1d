"""How the values of a property are spread, and the quality of a graph: counts that are those of the query graphs beside
them, parts that hold all values, nothing that is left out, and a part of a large graph told as such."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import neo4j.time
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from kgneo.asking.question import open_context
from kgneo.cli.main import main
from kgneo.graph import Graph, quality, spread
from kgneo.graph.open import known_shape
from kgneo.graph.quality import percentage
from kgneo.graph.spread import BINS, days_between, edges_between
from kgneo.server import RunningServer
from tests.conftest import asked_on, connect, filled
from tests.serving import client

HOTELS = """
UNWIND range(1, 40) AS number
CREATE (hotel:Hotel {name: 'Hotel ' + toString(number), beds: number * 3, rating: number / 8.0, open: number % 4 = 0})
SET hotel.city = ['Ulm', 'Bonn', 'Ulm'][number % 3],
    hotel.tags = CASE WHEN number % 2 = 0 THEN ['quiet', 'quiet', 'pool'] ELSE ['bar'] END,
    hotel.opened = date({year: 1990 + number, month: 5, day: 1}),
    hotel.seen = datetime({year: 2024, month: 1 + number % 12})
CREATE (hotel)-[:IN]->(:Room {code: number})
WITH collect(hotel) AS hotels
FOREACH (hotel IN hotels[..3] | REMOVE hotel.rating)
FOREACH (hotel IN hotels[..2] | SET hotel.name = 'Zum Löwen')
FOREACH (hotel IN hotels[5..6] | REMOVE hotel.name)
FOREACH (hotel IN hotels[6..7] | SET hotel.name = ' ')
CREATE (:Hotel {name: 'Alone', beds: 7, city: 'Ulm'}),
       (:Hotel {name: 'Zum Ochsen', beds: 7}), (:Hotel {name: 'Zum Ochsen', beds: 7})
"""


@pytest.fixture(scope="module")
def server(newest_server: RunningServer) -> RunningServer:
    """The newest alone: `test_older_version.py` asks the others the same kinds of things."""
    return newest_server


@pytest.fixture(scope="module")
def hotels(server: RunningServer) -> Iterator[TestClient]:
    with asked_on(server, HOTELS) as context, client(context) as http:
        yield http


def values(http: TestClient, key: str, **more: Any) -> Any:
    response = http.get("/api/v1/values", params={"label": "Hotel", "key": key, **more})
    assert response.status_code == 200, response.text
    return response.json()


def counted(found: Any) -> dict[str, int]:
    return {item["text"]: item["number"] for item in found["values"]}


# Values --------------------------------------------------------------------------------------------------------------


def test_the_most_frequent_values_come_first_with_how_many_have_them(hotels: TestClient) -> None:
    found = values(hotels, "city")
    assert counted(found) == {"Ulm": 27, "Bonn": 14}
    assert list(counted(found)) == ["Ulm", "Bonn"]
    assert (found["missing"]["number"], found["nodes"], found["partial"], found["more"]) == (2, 43, False, False)
    assert (found["least"], found["bins"]) == ("", [])


def test_of_many_values_the_first_are_listed(hotels: TestClient) -> None:
    found = values(hotels, "beds", limit=2)
    assert (counted(found), found["more"]) == ({"7": 3, "3": 1}, True)


def test_numbers_have_their_ends_and_parts_between(hotels: TestClient) -> None:
    found = values(hotels, "rating")
    assert (found["least"], found["greatest"], found["missing"]["number"]) == ("0.5", "5", 6)
    assert [item["text"] for item in found["bins"]][:2] == ["0.5 – 1", "1 – 1.5"]
    assert sum(item["number"] for item in found["bins"]) == 37


def test_whole_numbers_are_told_by_the_last_one_of_each_part(hotels: TestClient) -> None:
    found = values(hotels, "beds")
    assert [item["text"] for item in found["bins"]] == [
        "0 – 19", "20 – 39", "40 – 59", "60 – 79", "80 – 99", "100 – 119", "120 – 139",
    ]  # fmt: skip


def test_dates_have_their_ends_and_parts_of_the_calendar(hotels: TestClient) -> None:
    found = values(hotels, "opened")
    assert (found["least"], found["greatest"]) == ("1991-05-01", "2030-05-01")
    assert [item["text"] for item in found["bins"]][:2] == ["1991 – 1994", "1995 – 1998"]
    months = values(hotels, "seen")
    assert [item["text"] for item in months["bins"]][:2] == ["2024-01 – 2024-02", "2024-03 – 2024-04"]
    assert counted(months)["2024-02-01"] == 4


def test_each_element_of_a_list_counts_once_for_a_node(hotels: TestClient) -> None:
    assert counted(values(hotels, "tags")) == {"bar": 20, "pool": 20, "quiet": 20}


@pytest.mark.parametrize("key", ["city", "beds", "rating", "open", "opened", "seen", "tags", "name"])
def test_what_is_counted_is_what_its_query_graph_finds(hotels: TestClient, key: str) -> None:
    found = values(hotels, key, limit=20)
    asked = [item for item in (*found["values"], *found["bins"], found["missing"]) if "graph" in item]
    assert len(asked) >= len(found["values"])
    for item in asked:
        ran = hotels.post("/api/v1/run", json={"graph": item["graph"]}).json()
        assert len(ran["answer_nodes"]) + ran["more"] == item["number"], item
        assert ran["question"] == item["wording"]


@pytest.mark.parametrize(
    ("label", "key", "told"),
    [("Hotel", "citty", "city"), ("Hotels", "city", "Hotel"), ("Hotel", "zzz", "/api/v1/schema")],
)
def test_a_name_that_there_is_not_is_refused_with_the_nearest(
    hotels: TestClient, label: str, key: str, told: str
) -> None:
    response = hotels.get("/api/v1/values", params={"label": label, "key": key})
    assert response.status_code == 422
    assert told in response.json()["error"]["hint"]


# Quality -------------------------------------------------------------------------------------------------------------


def test_what_is_amiss_is_told_of_each_label(hotels: TestClient) -> None:
    found = hotels.get("/api/v1/quality").json()
    assert found["complete"]
    hotel, room = found["labels"]
    assert (hotel["name"], hotel["nodes"], hotel["named_by"]) == ("Hotel", 43, ["name"])
    assert (hotel["unnamed"], hotel["shared_names"], hotel["sharing_nodes"], hotel["islands"]) == (2, 2, 4, 3)
    assert hotel["shared"] == [{"name": "Zum Löwen", "number": 2}, {"name": "Zum Ochsen", "number": 2}]
    lacking = {item["key"]: item["nodes"] for item in hotel["lacking"]}
    assert (lacking["rating"], lacking["city"], lacking["name"]) == (6, 2, 1)
    assert "beds" not in lacking
    assert (room["islands"], room["lacking"]) == (0, [])


def test_what_lacks_a_property_is_found_by_its_query_graph(hotels: TestClient) -> None:
    for item in hotels.get("/api/v1/quality").json()["labels"][0]["lacking"]:
        ran = hotels.post("/api/v1/run", json={"graph": item["graph"]}).json()
        assert len(ran["answer_nodes"]) + ran["more"] == item["nodes"]
        assert ran["question"] == item["wording"]


def test_a_large_graph_is_looked_at_label_by_label_with_the_same_result(
    hotels: TestClient, server: RunningServer
) -> None:
    assert hotels.get("/api/v1/ready").status_code == 200
    with connect(server) as graph, pytest.MonkeyPatch.context() as patch:
        schema, shape = known_shape(graph)
        whole = quality.quality(graph, schema, shape)
        patch.setattr(quality, "MOST_LOOKED_AT", 10)
        assert quality.quality(graph, schema, shape) == whole


def test_triples_that_kgneo_loaded_have_values_and_a_quality_too(http: TestClient) -> None:
    found = http.get("/api/v1/values", params={"label": "Sea", "key": "name", "limit": 50}).json()
    assert found["nodes"] == len(found["values"])
    [sea] = [item for item in found["values"] if item["text"] == "Baltic Sea"]
    assert http.post("/api/v1/run", json={"graph": sea["graph"]}).json()["answers"] == ["Baltic Sea"]
    labels = http.get("/api/v1/quality").json()["labels"]
    assert "Entity" not in {item["name"] for item in labels}
    assert {item["unnamed"] + item["shared_names"] + item["islands"] for item in labels} == {0}


# Other graphs --------------------------------------------------------------------------------------------------------


def test_values_that_no_query_graph_compares_are_told_without_one(graph: Graph) -> None:
    statement = "CREATE (:Stop {name: 'a', at: time('10:00'), wait: duration('PT5M'), place: point({x: 1, y: 2}), vector: [x IN range(1, 40) | 0.5]})"  # noqa: E501
    with filled(graph, statement), client(open_context(graph)) as http:
        shown = next(item for item in http.get("/api/v1/schema").json()["labels"] if item["name"] == "Stop")
        for item in shown["properties"]:
            found = http.get("/api/v1/values", params={"label": "Stop", "key": item["key"]})
            assert found.status_code == 200, found.text
            assert all("graph" not in each for each in found.json()["values"]) or item["key"] == "name"


def test_values_of_several_types_and_no_numbers_are_no_error(graph: Graph) -> None:
    statement = "UNWIND [1, 'one', 1.5, 0.0 / 0.0, 1.0 / 0.0, true, date('2020-01-01'), [1, 2]] AS value CREATE (:Odd {name: 'x', value: value})"  # noqa: E501
    with filled(graph, statement):
        found = spread.spread(graph, known_shape(graph)[1], "Odd", "value")
    assert (found.looked_at, found.missing, found.bins) == (8, 0, ())
    assert {"1", "one", "1.5", "true", "2020-01-01", "2"} <= {item.text for item in found.values}


def test_a_part_of_a_large_label_is_told_as_such(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "MOST_LOOKED_AT", 10)
    monkeypatch.setattr(quality, "MOST_LOOKED_AT", 10)
    with filled(graph, "UNWIND range(1, 30) AS n CREATE (:Thing {name: 'thing', size: n})"):
        with client(open_context(graph)) as http:
            found = http.get("/api/v1/values", params={"label": "Thing", "key": "size"}).json()
            [label] = http.get("/api/v1/quality").json()["labels"]
        told = quality.quality_text(quality.quality(graph, *known_shape(graph)))
    assert (found["looked_at"], found["nodes"], found["partial"]) == (10, 30, True)
    assert (label["looked_at"], label["nodes"], label["partial"], label["islands"]) == (10, 30, True, 10)
    assert "Thing  30, of which the first 10 were looked at" in told


NUMBERS = st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9).map(lambda number: round(number, 3))


@given(NUMBERS, NUMBERS)
@example(1, 10)
@example(-3, 7)
@example(0.1, 0.3)
@example(1990, 2030)
def test_parts_between_numbers_hold_all_of_them(one: float, other: float) -> None:
    least, greatest = sorted((one, other))
    edges = edges_between(least, greatest)
    if edges is None:
        assert least == greatest
        return
    assert edges.stored[0] <= least <= greatest < edges.stored[-1]
    assert 1 <= len(edges.texts) == len(edges.stored) - 1 <= BINS
    assert len(set(edges.texts)) == len(edges.texts)
    widths = {Decimal(str(high)) - Decimal(str(low)) for low, high in zip(edges.told, edges.told[1:], strict=False)}
    assert len(widths) == 1


@given(st.dates(), st.dates())
def test_parts_between_days_hold_all_of_them(one: Any, other: Any) -> None:
    first, last = (neo4j.time.Date.from_native(day) for day in sorted((one, other)))
    edges = days_between(first, last)
    if edges is None:
        assert first == last or last.year > spread.LAST_YEAR
        return
    assert edges.stored[0] <= first <= last < edges.stored[-1]
    assert 1 <= len(edges.texts) == len(edges.stored) - 1 <= BINS
    assert len(set(edges.texts)) == len(edges.texts)


def test_what_there_was_no_time_for_is_told_as_such(graph: Graph) -> None:
    with filled(graph, "CREATE (:Thing {name: 'a'})"):
        found = quality.quality(graph, *known_shape(graph), deadline=0.0)
    assert not found.complete
    assert "not looked at" in quality.quality_text(found)
    assert "Not every label" in quality.quality_text(found)


def test_the_command_shows_the_quality(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    with filled(graph, HOTELS):
        assert main(["schema", "--quality"]) == 0
        shown = capsys.readouterr().out
        assert main(["schema", "--quality", "--json"]) == 0
        record = json.loads(capsys.readouterr().out)["quality"]
    assert "without a name: 2 (name)" in shown
    assert "names of several: 2, of 4: Zum Löwen (2), Zum Ochsen (2)" in shown
    assert "city 2 (5 %)" in shown
    assert "without a relationship: 3" in shown
    assert record["labels"][0]["islands"] == 3


@pytest.mark.parametrize(
    ("share", "text"), [(0.0001, "less than 1 %"), (0.5, "50 %"), (0.9999, "more than 99 %"), (1.0, "100 %")]
)
def test_no_share_is_told_as_none_or_all_that_is_not(share: float, text: str) -> None:
    assert percentage(share) == text
