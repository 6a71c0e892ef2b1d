"""Guarded Cypher: what others wrote is run only where it reads, within bounds."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgneo.errors import GraphError, GraphTimeout, StatementError, StatementInvalid, StatementRefused, UnknownName
from kgneo.graph.attach import derive_shape
from kgneo.graph.catalogue import catalogue
from kgneo.graph.cypher import literal
from kgneo.graph.schema import read_schema
from kgneo.graph.statement import Guard, check_plan
from kgneo.graph.work import NotEnded
from kgneo.query.quoting import quote
from kgneo.query.statement import read_statement
from kgneo.server import RunningServer
from tests.conftest import connect, wipe
from tests.hostile_queries import ADDRESS, HOSTILE, VALUES
from tests.servers import engine_runs
from tests.servers import given as given_server

SECONDS = 5.0
PEOPLE = (
    """
    UNWIND ['Ada Novak', 'Elif Aydın', 'Cem Aydın', 'Grace Park', 'Ines Silva', 'Omar Haddad', 'Ute Lang', 'Bo Lind',
            'Chiara Ricci', 'Dara Okafor', 'Finn Berg', 'Kofi Mensah'] AS name
    CREATE (:Person {fullName: name, born: date({year: 1980 + size(name)}), languages: ['Czech', 'English']})
    """,
    """
    MATCH (p:Person), (q:Person) WHERE p.fullName < q.fullName CREATE (p)-[:FRIEND_OF {since: 2001}]->(q)
    """,
    """
    MATCH (ada:Person {fullName: 'Ada Novak'}), (bo:Person {fullName: 'Bo Lind'})
    CREATE (oslo:City {cityName: 'Oslo'}), (brno:City {cityName: 'Brno'}), (play:Play {title: 'The Wharf'}),
           (ada)-[:LIVES_IN]->(oslo), (bo)-[:LIVES_IN]->(brno), (ada)-[:MARRIED_TO]->(bo),
           (ada)-[:WORKED_AT {role: 'editor', since: 2010}]->(:Company {companyName: 'Quill'}),
           (bo)-[:STUDIED_AT]->(:School {schoolName: 'Hill'}), (bo)-[:PERFORMED_IN]->(play), (play)-[:STAGED_IN]->(oslo)
    """,
)
READS = [
    "MATCH (p:Person)-[:LIVES_IN]->(c) RETURN c.cityName, count(*) AS n ORDER BY n DESC LIMIT 3",
    "MATCH (p:Person) WHERE p.born > date('1990-01-01') RETURN p.fullName, p.born.year // the young",
    "MATCH (p:Person) WHERE NOT EXISTS { (p)-[:MARRIED_TO]-(:Person) } RETURN p.fullName",
    "MATCH (p:Person {fullName: 'Ada Novak'})-[:FRIEND_OF*1..3]-(q:Person) RETURN DISTINCT q.fullName",
    "MATCH (a:Person {fullName: 'Ada Novak'}), (b:Person {fullName: 'Elif Aydın'}) RETURN a.born < b.born AS older",
    "MATCH path = (p:Person)-[r:WORKED_AT {role: 'editor'}]->(:Company) RETURN path, r.since LIMIT 2;",
    "MATCH (p:Person) OPTIONAL MATCH (p)-[:LIVES_IN]->(c) WITH p, collect(c.cityName) AS cities RETURN p, cities",
    "MATCH (p:Person) RETURN p {.fullName, friends: COUNT { (p)-[:FRIEND_OF]-() }} AS m",
    "MATCH (p:Person) RETURN p.fullName AS name UNION MATCH (c:City) RETURN c.cityName AS name",
    "MATCH (p:Person) CALL (p) { MATCH (p)-[:FRIEND_OF]-(q) RETURN count(q) AS n } RETURN p.fullName, n",
    "MATCH path = shortestPath((:Person {fullName: 'Ada Novak'})-[*..4]-(:Person {fullName: 'Cem Aydın'})) RETURN path",
    "MATCH (n) WHERE n:Person OR n:City RETURN count(n) AS n, (2 + 3) * 4 AS x",
    "MATCH (p:Person) WHERE p.fullName =~ '(?i).*ada.*' AND any(l IN p.languages WHERE l = 'Czech') RETURN p['born']",
    "MATCH (p IS Person)-[r:LIVES_IN|STUDIED_AT]->(x:!Person) RETURN type(r), head(labels(x)) AS label",
    "CALL db.labels() YIELD label RETURN label",
    r"MATCH (p:Person) WITH collect(p.fullName) AS names UNWIND range(0, size(names) - 1) AS i RETURN i, names[i]",
    r"UNWIND range(1, 10) AS i RETURN i",
    r"UNWIND range(2000, 2024, 2) AS year MATCH (p:Person) WHERE p.born.year = year RETURN year, count(p)",
    r"RETURN reduce(t = 0, x IN [1, 2, 3] | t + x) AS x",
    r"MATCH p = (a:Person)-[:FRIEND_OF*1..3]-(b) RETURN reduce(y = 0, r IN relationships(p) | y + r.since) AS x",
    r"MATCH (p:Person) WITH collect(p) AS ps RETURN reduce(s = 0, p IN ps | s + size(p.fullName)) AS x",
    r"MATCH p = (a:Person)-[:FRIEND_OF*1..3]-(b) RETURN reduce(s = '', n IN nodes(p) | s + n.fullName + ', ') AS x",
    r"MATCH (p:Person) RETURN p.fullName ORDER BY rand() LIMIT 3",
    r"MATCH (p:Person) RETURN properties(p) AS x",
    r"MATCH (p:Person) WHERE p.fullName =~ '[A-C].*' RETURN p.fullName",
    r"MATCH (p:Person) WHERE p.fullName =~ '\\(\\d+\\).*' RETURN p.fullName",
    r"MATCH (p:Person) WHERE p.fullName =~ '(Ada|Bo) .*' RETURN p.fullName",
    "MATCH p = SHORTEST 1 (:Person {fullName: 'Ada Novak'})-[:FRIEND_OF]-{1,3}(:Person {fullName: 'Bo Lind'}) RETURN p",
    "MATCH p = ALL SHORTEST (:Person {fullName: 'Ada Novak'})--{1,3}(:Person {fullName: 'Bo Lind'}) RETURN length(p)",
    r"MATCH (a:Person {fullName: 'Ada Novak'})-[:FRIEND_OF]->{1,3}(b) RETURN DISTINCT b.fullName",
    r"MATCH (a:Person {fullName: 'Ada Novak'})((x)-[:FRIEND_OF]-(y)){1,2}(b) RETURN DISTINCT b.fullName",
    r"MATCH (p:Person) RETURN p.fullName AS set ORDER BY set",
    r"MATCH (p:Person) RETURN [x IN collect(p) | x.fullName + ' (' + x.born.year + ')'] AS x",
    (
        r"MATCH (p:Person) RETURN p.fullName + ' was born in ' + toString(p.born.year) + ', speaks ' + "
        r"p.languages[0] + ' and ' + p.languages[1] AS x"
    ),
    r"MATCH (p:Person) RETURN split(p.fullName, ' ')[0] AS first, count(*) AS n",
    r"MATCH (p:Person) RETURN replace(p.fullName, 'Novak', 'Nováková') AS x",
    (
        r"MATCH (p:Person) WITH p, CASE WHEN p.born.year < 1990 THEN 'old' ELSE 'young' END AS age "
        r"RETURN age, collect(p.fullName) AS names"
    ),
    (
        r"MATCH (p:Person), (q:Person) WHERE p.fullName = 'Ada Novak' AND any(l IN p.languages WHERE l "
        r"IN q.languages) RETURN q.fullName"
    ),
    r"MATCH (p:Person) RETURN [w IN split(p.fullName, ' ') WHERE size(w) > 3 | toLower(w)] AS x",
    r"MATCH (start:Person)-[:FRIEND_OF]-(end:Person) WHERE start.fullName = 'Ada Novak' RETURN end.fullName",
    r"MATCH (p:Person) RETURN [(p)-[:LIVES_IN]->(c) | c.cityName] AS x, size([(p)-[:FRIEND_OF]-(q) | q]) AS n",
]


@pytest.fixture(scope="module")
def guard(server: RunningServer) -> Iterator[Guard]:
    """The guard of a graph of people, once on each version."""
    with connect(server) as graph:
        wipe(graph)
        for statement in PEOPLE:
            graph.write(statement)
        schema = read_schema(graph)
        yield Guard(graph, catalogue(schema, derive_shape(schema)), limit=50, timeout=SECONDS)


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    """An address at which nobody may call."""
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        found.settimeout(0.0)
        yield found


def heard(listener: socket.socket) -> bool:
    """Whether somebody called."""
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_query_is_refused_with_its_reason_and_does_nothing(
    guard: Guard, listener: socket.socket, kind: str
) -> None:
    port = str(listener.getsockname()[1])
    before = guard.graph.last_change()
    passed, slow, silent = [], [], []
    for query in HOSTILE[kind]:
        text = query.replace("{address}", ADDRESS.format(port=port)).replace("{port}", port)
        began = time.monotonic()
        try:
            guard.run(text)
            passed.append(text)
        except StatementError as error:
            silent += [text] * (not error.message)
        if time.monotonic() - began > SECONDS:
            slow.append(text)
    assert (passed, slow, silent) == ([], [], [])
    assert guard.graph.read("RETURN 1 AS one") == [{"one": 1}]
    assert guard.graph.last_change() == before
    assert not heard(listener)


def test_there_are_at_least_400_hostile_queries() -> None:
    different = {" ".join(query.lower().split()) for queries in HOSTILE.values() for query in queries}
    assert len(different) >= 400


@pytest.mark.parametrize("query", [*HOSTILE["writes"][::13], *HOSTILE["commits"][::13], HOSTILE["files"][0]])
def test_the_plan_alone_tells_what_is_no_reading(guard: Guard, query: str) -> None:
    with pytest.raises(StatementError):
        check_plan(guard.graph.explain(query))


@pytest.mark.parametrize("query", HOSTILE["writes"][::17])
def test_the_transaction_alone_stops_every_write(guard: Guard, query: str) -> None:
    before = guard.graph.last_change()
    with pytest.raises(GraphError):
        guard.graph.read_once(query, rows=10, timeout=SECONDS)
    assert guard.graph.last_change() == before


def test_queries_that_read_are_run(guard: Guard) -> None:
    for query in READS:
        assert guard.run(query).columns, query


@pytest.mark.parametrize("value", VALUES)
def test_a_value_that_would_break_out_finds_nothing_and_does_nothing(guard: Guard, value: str) -> None:
    before = guard.graph.last_change()
    assert guard.run("MATCH (p:Person {fullName: $name}) RETURN p.fullName", {"name": value}).empty
    for glued in (f"'{value}'", literal(value)):
        with suppress(StatementError):
            assert not guard.run(f"MATCH (p:Person {{fullName: {glued}}}) RETURN p.fullName").rows
    with pytest.raises(StatementError):
        guard.run(f"MATCH (p:{quote(value)}) RETURN p")
    assert guard.graph.last_change() == before


blanks = st.sampled_from([" ", "\n", "\t", " /* read */ ", " // read\n", "  "])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.sampled_from(HOSTILE["writes"]), data=st.data())
def test_no_writing_of_a_write_passes(guard: Guard, query: str, data: st.DataObject) -> None:
    words = [data.draw(st.sampled_from([word, word.upper(), word.lower()])) for word in query.split(" ")]
    text = "".join(word + data.draw(blanks) for word in words)
    with pytest.raises(StatementError):
        guard.run(text)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("MATCHRETUNn()[]{}-><:*.|`'\"\\$/ \n;=+1é"), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        statement = read_statement("MATCH " + text)
    except StatementError:
        return
    assert "/*" not in "".join(token.source for token in statement.tokens if token.kind == "symbol")
    assert read_statement(statement.text).text == statement.text


# What went wrong is told apart ---------------------------------------------------------------------------------------


def test_what_is_no_cypher_is_invalid(guard: Guard) -> None:
    with pytest.raises(StatementInvalid, match="Invalid input"):
        guard.run("MATCH (p:Person) WHERE RETURN p")


def test_a_variable_that_is_not_there_is_invalid(guard: Guard) -> None:
    with pytest.raises(StatementInvalid, match="`q` not defined"):
        guard.run("MATCH (p:Person) RETURN q")


def test_a_parameter_that_is_not_given_is_invalid(guard: Guard) -> None:
    with pytest.raises(StatementInvalid, match=r"\$name"):
        guard.run("MATCH (p:Person {fullName: $name}) RETURN p")


@pytest.mark.parametrize(
    ("query", "nearest"),
    [
        ("MATCH (p:Persons) RETURN p", "Person"),
        ("MATCH (p) WHERE p:Persons RETURN p", "Person"),
        ("MATCH (p:Person)-[:FRIENDS_OF]-(q) RETURN q", "FRIEND_OF"),
        ("MATCH (p:Person) RETURN p.fullname", "fullName"),
        ("MATCH (p:Person {fullname: 'Ada Novak'}) RETURN p", "fullName"),
        ("MATCH (p:Person) RETURN p {.fulName}", "fullName"),
        ("MATCH (p:Person)-[r:WORKED_AT]->() WHERE r.rolle = 'editor' RETURN p", "role"),
        ("MATCH (c) WHERE c.cityname = 'Oslo' RETURN c", "cityName"),
    ],
)
def test_an_unknown_name_comes_with_the_nearest_one(guard: Guard, query: str, nearest: str) -> None:
    with pytest.raises(UnknownName) as caught:
        guard.run(query)
    assert caught.value.nearest == (nearest,)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (p:Person)<-[:LIVES_IN]-(c:City) RETURN p",
        "MATCH (c:City)-[:LIVES_IN]->(p) WITH c MATCH (q:Person) WHERE q.fullName = 'Ada Novak' RETURN q",
    ],
)
def test_an_arrow_against_the_schema_is_to_be_turned(guard: Guard, query: str) -> None:
    with pytest.raises(UnknownName, match="turn the arrow"):
        guard.run(query)


def test_a_relationship_that_joins_other_labels_says_which(guard: Guard) -> None:
    with pytest.raises(UnknownName, match="LIVES_IN leads from Person to City"):
        guard.run("MATCH (p:Person)-[:LIVES_IN]->(c:Company) RETURN c")


def test_a_relationship_without_an_arrow_may_go_either_way(guard: Guard) -> None:
    assert guard.run("MATCH (c:City)-[:LIVES_IN]-(p:Person) RETURN p.fullName").rows


def test_a_query_that_takes_too_long_times_out(guard: Guard) -> None:
    hops = "".join(f"--(x{number})" for number in range(12))
    began = time.monotonic()
    with pytest.raises(GraphTimeout, match=r"longer than 0\.3 s|did not end"):  # the latter where the machine is busy
        Guard(guard.graph, guard.catalogue, timeout=0.3).run(f"MATCH (p:Person){hops} RETURN count(*) AS n")
    assert time.monotonic() - began < 4 * SECONDS  # Neo4j looks for such queries every two seconds


def test_a_query_that_the_server_does_not_end_is_told_to_end_and_given_up(guard: Guard) -> None:
    with pytest.raises(NotEnded, match="did not end a query") as caught:
        guard.graph.read_once("RETURN size([x IN range(1, 1000000000) WHERE x % 7 = 8]) AS n", rows=1, timeout=0.2)
    assert "told to end it" in caught.value.hint
    assert guard.run("MATCH (c:City) RETURN c.cityName").rows
    running = guard.graph.schema(
        "SHOW TRANSACTIONS YIELD currentQuery, status WHERE currentQuery STARTS WITH 'RETURN size'"
    )
    assert all("Terminated" in row["status"] for row in running)


def test_nothing_found_is_no_error(guard: Guard) -> None:
    assert guard.run("MATCH (p:Person {fullName: 'Nobody'}) RETURN p.fullName").empty
    assert guard.run("MATCH (p:Person {fullName: 'Nobody'}) RETURN count(p) AS n").empty


def test_a_limit_is_added_and_kept(guard: Guard) -> None:
    few = Guard(guard.graph, guard.catalogue, limit=3)
    for query in ("MATCH (p:Person) RETURN p.fullName", "MATCH (p:Person) RETURN p.fullName LIMIT 20"):
        found = few.run(query)
        assert (len(found.rows), found.more) == (3, True)
    assert "LIMIT 4" in few.run("MATCH (p:Person) RETURN p.fullName // LIMIT 9").cypher


def test_a_name_of_other_letters_is_a_name() -> None:
    statement = read_statement("MATCH (größe:Person) WHERE größe.名 = '😀 // no comment' RETURN größe")
    assert [node.variable for node in statement.patterns[0]] == ["größe"]
    assert "// no comment" in statement.text


def test_threads_may_share_a_guard(guard: Guard) -> None:
    found: list[int] = []

    def ask() -> None:
        found.append(len(guard.run("MATCH (c:City) RETURN c.cityName").rows))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


def test_refusals_are_refusals(guard: Guard) -> None:
    with pytest.raises(StatementRefused, match="would write"):
        guard.run("MATCH (p:Person) SET p.fullName = 'Eve'")


@pytest.mark.parametrize(
    ("query", "helps"),
    [
        ("MATCH (p:Person) UNWIND range(1, p.born.year) AS i RETURN i", "range(0, size(list) - 1)"),
        ("MATCH (p:Person) WITH collect(p.fullName) AS l RETURN reduce(t = '', x IN l | t + t + x) AS x", "sum()"),
        ("MATCH (p:Person) RETURN sizze(p.fullName) AS x", "Did you mean size()?"),
        ("MATCH (p:Person) RETURN apoc.coll.max(p.languages) AS x", "Did you mean max()?"),
        ("MATCH (p:Person) RETURN apoc.text.capitalize(p.fullName) AS x", "toLower()"),
        ("PROFILE MATCH (p:Person) RETURN p", "Leave PROFILE out"),
        ("MATCH (p:Person)-[:FRIEND_OF]->+(q) RETURN q", "{1,3}"),
        ("MATCH (p:Person) WHERE p.fullName =~ '(a+)+' RETURN p", "CONTAINS"),
        ("WITH 'a' AS s " + "WITH s + s AS s " * 30 + "RETURN s", "short texts"),
        ("MATCH (p:Person) WITH collect(p) AS l RETURN [x IN l WHERE x IN l] AS x", "UNWIND"),
    ],
)
def test_the_hint_of_a_refusal_names_what_helps(guard: Guard, query: str, helps: str) -> None:
    with pytest.raises(StatementRefused) as caught:
        guard.run(query)
    assert helps in caught.value.hint
    assert "\n" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize("value", [2**70, "\ud800", ["\udfff"], {"a": 2**64}, "a" * 2_000_000, "nested"])
def test_a_parameter_that_cannot_be_sent_is_invalid(guard: Guard, value: object) -> None:
    if value == "nested":
        for _ in range(500):
            value = [value]
    with pytest.raises(StatementInvalid, match=r"The parameter \$name"):
        guard.run("MATCH (p:Person {fullName: $name}) RETURN p.fullName", {"name": value})


def test_the_length_of_a_parameter_counts(guard: Guard) -> None:
    with pytest.raises(StatementRefused, match="too long"):
        guard.run("WITH $name AS s RETURN s + s + s AS x", {"name": "a" * 500_000})


COSTLY = [
    "UNWIND range(1, 100000) AS i UNWIND range(1, 1000) AS j RETURN size(collect(toString(i * j))) AS x",
    "UNWIND range(1, 100000) AS i WITH '" + "a" * 5000 + "' + toString(i) AS s RETURN size(collect(s)) AS x",
    "UNWIND range(1, 100000) AS i WITH '" + "a" * 5000 + "' + toString(i) AS s RETURN count(DISTINCT s) AS x",
    "UNWIND range(1, 100000) AS i WITH '" + "a" * 5000 + "' + toString(i) AS s WITH s ORDER BY s RETURN count(s) AS x",
    "UNWIND range(1, 100000) AS i RETURN size(collect([x IN range(1, 10000) | x + i])) AS x",
    "UNWIND range(1, 100000) AS i RETURN size(collect(split('" + "a," * 2000 + "' + toString(i), ','))) AS x",
]
"""Queries that pass and take more memory than there is."""


@pytest.mark.skipif(given_server() is not None or engine_runs(), reason="the server is not one that kgneo started")
@pytest.mark.parametrize("query", COSTLY)
def test_a_query_that_takes_too_much_memory_is_ended_and_the_server_lives(guard: Guard, query: str) -> None:
    with pytest.raises(GraphError, match=r"more memory|longer than"):
        guard.run(query)
    assert guard.graph.read("RETURN 1 AS one") == [{"one": 1}]
