"""Cypher that must not be run, by kind, made of parts: what a model could be talked into, or a client could try.

`ADDRESS` stands for a server that must hear nothing. The graph is that of
`tests/test_statement.py`.
"""

from __future__ import annotations

import itertools

ADDRESS = "http://127.0.0.1:{port}/"
SOME = "MATCH (p:Person)"

_WRITES = [
    "CREATE (x:Person {fullName: 'Eve'})",
    "CREATE (p)-[:FRIEND_OF]->(p)",
    "MERGE (x:City {cityName: 'Nowhere'})",
    "MERGE (x:City {cityName: 'Oslo'}) ON MATCH SET x.cityName = 'gone'",
    "SET p.fullName = 'Eve'",
    "SET p += {fullName: 'Eve'}",
    "SET p = {}",
    "SET p:City",
    "REMOVE p.fullName",
    "REMOVE p:Person",
    "DETACH DELETE p",
    "DELETE p",
    "INSERT (:Person)",
    "FOREACH (x IN [1, 2] | CREATE (:Person))",
    "FOREACH (x IN [p] | SET x.fullName = 'Eve')",
    "FOREACH (x IN [p] | DETACH DELETE x)",
]
_AROUND = [
    SOME + " {write}",
    SOME + " {write} RETURN count(p) AS n",
    SOME + " WITH p LIMIT 1 {write}",
    "UNWIND [1] AS one MATCH (p:Person) {write}",
    SOME + " CALL (p) {{ {write} }} RETURN p.fullName",
    SOME + " CALL {{ WITH p {write} }} RETURN p.fullName",
    "CALL {{ MATCH (p:Person) {write} }} RETURN 1 AS one",
    "MATCH (q:Person) RETURN q UNION MATCH (p:Person) {write} RETURN p AS q",
    "OPTIONAL MATCH (p:Person) {write}",
]
_COMMITS = [
    SOME + " CALL (p) {{ {write} }} IN TRANSACTIONS",
    SOME + " CALL (p) {{ {write} }} IN TRANSACTIONS OF 10 ROWS",
    SOME + " CALL (p) {{ {write} }} IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE REPORT STATUS AS s RETURN s",
    SOME + " CALL (p) {{ {write} }} IN 2 CONCURRENT TRANSACTIONS",
]
_CALLS = [
    f"CALL {name} RETURN 1 AS one"
    for name in (
        "dbms.listConfig() YIELD name",
        "dbms.security.createUser('eve', 'eve')",
        "db.createLabel('Eve')",
        "db.index.fulltext.queryNodes('names', 'a') YIELD node",
        "db.clearQueryCaches() YIELD value",
        "db.awaitIndexes(300)",
        "dbms.setConfigValue('a', 'b')",
        "dbms.killQuery('x') YIELD queryId",
        "apoc.load.json('{address}') YIELD value",
        "apoc.load.csv('file:///etc/passwd') YIELD list",
        "apoc.cypher.doIt('CREATE (n)', {{}}) YIELD value",
        "apoc.cypher.runWrite('MATCH (n) DETACH DELETE n', {{}}) YIELD value",
        "apoc.export.csv.all('/tmp/eve', {{}})",
        "apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {{}}) YIELD total",
        "apoc.util.sleep(60000)",
        "`apoc`.`util`.`sleep`(60000)",
        "gds.graph.project('g', '*', '*') YIELD graphName",
        "genai.vector.encodeBatch(['a'], 'OpenAI', {{}}) YIELD index",
        "tx.setMetaData({{a: 1}})",
        "/* db.labels */ dbms.listConfig() YIELD name",
    )
] + ["CALL dbms.listConfig", "CALL db.ping()", SOME + " CALL apoc.create.node(['A'], {{}}) YIELD node RETURN node"]
_FUNCTIONS = [
    SOME + f" RETURN {call} AS x"
    for call in (
        "apoc.version()",
        "apoc.cypher.runFirstColumnSingle('MATCH (n) DETACH DELETE n', {{}})",
        "apoc.text.join(['a'], 'b')",
        "`apoc`.`version`()",
        "APOC . version ( )",
        "range(1, 1000000000000)",
        "size([x IN range(1, 3000000000) WHERE x < 0])",
        "reduce(t = 'a', x IN [1, 2, 3] | t + t)",
        "randomUUID()",
        "genai.vector.encode('a', 'OpenAI', {{}})",
        "gds.util.asNode(0)",
        "graph.names()",
        "linenumber()",
        "file()",
        "eve(p)",
        "`eve`(p)",
    )
]
_FILES = [
    f"{begin}LOAD CSV {how}FROM '{place}' AS line {end}"
    for begin, how, place, end in itertools.product(
        ("", SOME + " ", "CALL {{ "),
        ("", "WITH HEADERS "),
        ("file:///etc/passwd", "{address}", "ftp://127.0.0.1:{port}/eve"),
        ("RETURN line",),
    )
]
_FILES = [query + (" }} RETURN line" if query.startswith("CALL") else "") for query in _FILES]
_COMMANDS = [
    "SHOW USERS",
    "SHOW INDEXES",
    "SHOW SETTINGS YIELD name, value RETURN name, value",
    "SHOW TRANSACTIONS",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "CREATE INDEX eve FOR (n:Person) ON (n.fullName)",
    "CREATE CONSTRAINT eve FOR (n:Person) REQUIRE n.fullName IS UNIQUE",
    "DROP INDEX eve",
    "DROP DATABASE neo4j",
    "CREATE USER eve SET PASSWORD 'evil-eve'",
    "ALTER USER neo4j SET PASSWORD 'evil-eve'",
    "GRANT ROLE admin TO neo4j",
    "USE system MATCH (n) RETURN n",
    "USE neo4j MATCH (n) DETACH DELETE n",
    "START DATABASE neo4j",
    "EXPLAIN MATCH (n) RETURN n",
    "PROFILE MATCH (n) DETACH DELETE n",
    "CYPHER 25 MATCH (n) DETACH DELETE n",
    "CYPHER runtime=slotted MATCH (n) RETURN n",
    "FINISH",
    "DEALLOCATE",
]
_UNBOUNDED = [
    SOME + f"{path} RETURN {what} AS x"
    for path, what in itertools.product(
        (
            "-[*]-(q)",
            "-[:FRIEND_OF*]-(q)",
            "-[*2..]-(q)",
            "-[*..40]-(q)",
            "-[*99]-(q)",
            "-[r:FRIEND_OF*0..]->(q)",
            " ((a)-[:FRIEND_OF]-(b))+ (q)",
            " ((a)-[:FRIEND_OF]-(b))* (q)",
            " ((a)-[:FRIEND_OF]-(b)){{1,}} (q)",
            "-[:FRIEND_OF]->+(q)",
            "-[:FRIEND_OF]-{{1,}}(q)",
        ),
        ("count(*)", "DISTINCT q"),
    )
] + [
    "MATCH path = shortestPath((p:Person)-[*]-(q:City)) RETURN path",
    "MATCH path = allShortestPaths((p:Person)-[*]-(q:City)) RETURN path",
    "MATCH path = ANY SHORTEST (p:Person)--+(q:City) RETURN path",
    SOME + " RETURN size([path = (p)-[*]-(q) | path]) AS x",
    SOME + " WHERE EXISTS {{ (p)-[*]-(:City) }} RETURN p",
    SOME + " RETURN COUNT {{ (p)-[:FRIEND_OF*]-() }} AS x",
]
_PRODUCTS = [
    "MATCH (a), (b), (c), (d), (e) RETURN a, b, c, d, e",
    "MATCH (a), (b) RETURN count(*) AS n",
    "MATCH (a:Person), (b:Person) RETURN a.fullName, b.fullName",
    "MATCH (a:Person) MATCH (b:City) MATCH (c:Play) RETURN a, b, c",
    "MATCH (a:Person)--(b), (c:Person)--(d) RETURN a, c",
    "MATCH (a:Person), (b:Person), (c:Person) WHERE a.fullName < b.fullName + c.fullName RETURN count(*) AS n",
    "MATCH (a:Person), (b:City) WHERE a.born < date() RETURN a, b",
    "MATCH (a)-[r]-(b), (c)-[s]-(d) RETURN r, s",
    "MATCH (a:Person {{fullName: 'Ada Novak'}}), (b:Person), (c:Play) RETURN a, b, c",
    "MATCH (a:Person) WITH a MATCH (b:Person) WITH a, b MATCH (c:Person) RETURN a, b, c",
]
_LOOPS = [
    "MATCH (p) WITH collect(p) AS l RETURN [x IN l WHERE any(y IN l WHERE any(z IN l WHERE y = z))] AS x",
    "WITH [1, 2] AS l RETURN [x IN l | [y IN l | x * y]] AS x",
    "WITH [1, 2] AS l RETURN all(x IN l WHERE none(y IN l WHERE x = y)) AS x",
    "WITH [1, 2] AS l RETURN single(x IN [y IN l | y] WHERE x = 1) AS x",
    SOME + " WHERE p.fullName =~ '(a+)+$' RETURN p",
    SOME + " WHERE p.fullName =~ '(.*a){{25}}' RETURN p",
    SOME + " WHERE p.fullName =~ '(.|.)*' RETURN p",
    SOME + " WHERE p.fullName =~ p.fullName RETURN p",
    "WITH 'aaaaaaaa' AS s " + "WITH s + s AS s " * 40 + "RETURN s",
    "WITH [1] AS s " + "WITH s + s AS s " * 40 + "RETURN s",
    "WITH 'aaaaaaaa' AS s " + "WITH s || s AS s " * 40 + "RETURN s",
    SOME + " WHERE p.fullName =~ '" + "(a|a)" * 40 + "b' RETURN p",
    SOME + " WHERE p.fullName =~ '" + "a?" * 40 + "b' RETURN p",
    SOME + " WHERE p.fullName =~ '.*a.*a.*a.*b' RETURN p",
    SOME + " WHERE p.fullName =~ '.*' + p.fullName RETURN p",
    "WITH '" + "a" * 4000 + "' AS s " + "WITH s || s AS s " * 6 + "WITH s + '\\n' AS s RETURN s =~ '.*a.*' AS x",
    "RETURN '" + "a" * 20_000 + "' AS x",
]
_LONG = "'" + "a" * 4000 + "'"
_NUMBERS = "[" + ",".join("1" * 250) + "]"
_GROWTH = [
    f"WITH '{'a' * 100}' AS b, 'aaaaaaaaa' AS d "
    "RETURN size(replace(replace(replace(replace(b,'a',b),'a',b),'a',b),'a',d)) AS x",
    f"WITH {_LONG} AS s " + "WITH s || s AS s " * 12 + "RETURN size(split(s, '')) AS x",
    f"WITH {_LONG} AS s " + "WITH s || s AS s " * 12 + "RETURN size(s) AS x",
    f"WITH {_LONG} AS s RETURN size(" + " + ".join(["s"] * 400) + ") AS x",
    f"WITH {_LONG} AS s RETURN replace(s, '', s) AS x",
    f"WITH {_LONG} AS s RETURN replace(s, 'a', toUpper('{'a' * 4000}')) AS x",
    f"WITH {_LONG} AS `with` " + "WITH `with` + `with` AS `with` " * 12 + "RETURN size(`with`) AS x",
    f"WITH {_LONG} AS end " + "WITH end + end AS end " * 12 + "RETURN size(end) AS x",
    f"WITH {{s: {_LONG}}} AS m " + "WITH {s: m.s + m.s} AS m " * 12 + "RETURN size(m.s) AS x",
    f"WITH {_LONG} AS s " + "CALL (s) { RETURN s + s AS t } WITH t AS s " * 12 + "RETURN size(s) AS x",
    f"WITH {_LONG} AS s " + "UNWIND [s + s] AS t WITH t AS s " * 12 + "RETURN size(s) AS x",
    f"WITH {_LONG} AS s " + "WITH (s) + (s) AS s " * 12 + "RETURN size(s) AS x",
    f"WITH {_LONG} AS s " + "WITH [s, s] AS s WITH s[0] + s[1] AS s " * 12 + "RETURN size(s) AS x",
    f"WITH {_LONG} AS s " + "WITH CASE WHEN true THEN s END + s AS s " * 12 + "RETURN size(s) AS x",
    f"WITH {_LONG} AS s RETURN [x IN range(1, 100000) | s + x] AS x",
    f"WITH {_LONG} AS s RETURN [x IN split(s, '') | x + s] AS x",
    f"WITH {_LONG} AS s RETURN [x IN split(s, '') | s] AS x",
    f"WITH {_LONG} AS s RETURN reduce(t = '', x IN split(s, '') | t + s) AS x",
    f"WITH {_LONG} AS s RETURN reduce(t = s, x IN [1, 2, 3, 4, 5, 6, 7, 8] | t + t) AS x",
    f"WITH {_LONG} AS s RETURN reduce(t = s, x IN [1, 2, 3, 4, 5, 6, 7, 8] | [t, t]) AS x",
    f"WITH {_LONG} AS s RETURN reduce(t = s, x IN [1, 2, 3] | replace(t, 'a', s)) AS x",
    "MATCH (p:Person) WITH collect(p.fullName) AS l RETURN size(reduce(t = 0, x IN l | t + x)) AS x",
    "WITH ['a'] AS l " + "WITH [l, l, l, l, l, l, l, l, l, l] AS l " * 10 + "RETURN l",
    "WITH {a: 1} AS m " + "WITH {a: m, b: m, c: m, d: m, e: m, f: m, g: m, h: m} AS m " * 10 + "RETURN m",
    "WITH [1] AS l " + "WITH l + l AS l " * 30 + "RETURN size(l) AS x",
    "WITH 'a' AS s " + "WITH s + s AS s " * 30 + "RETURN size(s) AS x",
    "MATCH (p:Person) WITH p.fullName AS s " + "WITH s + s AS s " * 20 + "RETURN size(s) AS x",
    "MATCH (end:Person) WITH end.fullName + end.fullName AS s " + "WITH s + s AS s " * 20 + "RETURN size(s) AS x",
    "MATCH (p:Person) WITH collect(p.fullName) AS s " + "WITH s + s AS s " * 20 + "RETURN size(s) AS x",
    f"MATCH (p:Person) WITH p, {_LONG} AS s " + "WITH p, s + s AS s " * 5 + "RETURN [(p)--(q) | s + q.fullName] AS x",
    f"MATCH (p:Person) WITH p, {_LONG} AS s "
    + "WITH p, s + s AS s " * 5
    + "RETURN COLLECT { MATCH (p)--(q) RETURN s + q.fullName } AS x",
    "UNWIND range(1, 10000000) AS i RETURN count(*) AS n",
    "UNWIND range(1, 10 * 10000000) AS i RETURN count(*) AS n",
    "UNWIND range(1, 1000, 0) AS i RETURN count(*) AS n",
    "MATCH (p:Person) UNWIND range(1, p.born.year) AS i RETURN count(*) AS n",
]
_COMPARISONS = (
    [
        f"WITH {_NUMBERS} AS l "
        + "WITH l + l AS l " * 8
        + f"WITH l, l + [2] AS m, l + [3] AS k RETURN size([x IN l WHERE m {sign} k]) AS x"
        for sign in ("=", "<", "<>", "IN", "=~")
    ]
    + [
        f"WITH {_NUMBERS} AS l, {_LONG} AS s "
        + "WITH l + l AS l, s + s AS s " * 8
        + f"WITH l, s, s + 'b' AS t RETURN {walk} AS x"
        for walk in (
            "size([x IN l WHERE t CONTAINS s])",
            "size([x IN l WHERE s STARTS WITH t])",
            "any(x IN l WHERE s + 'a' = t)",
            "reduce(n = 0, x IN l | n + CASE WHEN s = t THEN 1 ELSE 0 END)",
            "size([x IN l WHERE x IN l])",
        )
    ]
    + [
        "MATCH (p:Person) WITH collect(p) AS l MATCH (q) WITH l, collect(q) AS m RETURN [x IN l WHERE NOT x IN m] AS x",
        "WITH "
        + _NUMBERS
        + " AS l "
        + "WITH l + l AS l " * 7
        + "MATCH (p:Person) WITH p, l + [p.born.year] AS l ORDER BY l RETURN p",
    ]
)
_NESTED = [
    before + begin * deep + middle + end * deep + behind
    for deep in (70, 400, 1500)
    for before, begin, middle, end, behind in (
        ("RETURN ", "(", "1", ")", " AS x"),
        ("RETURN ", "[", "1", "]", " AS x"),
        ("RETURN ", "[end,", "1", "]", " AS x"),
        ("RETURN ", "{a:", "1", "}", " AS x"),
        ("RETURN ", "NOT ", "true", "", " AS x"),
        ("RETURN ", "NOT(", "true", ")", " AS x"),
        ("WITH 1 AS y RETURN y", "", "", "+y", " AS x"),
        ("WITH 1 AS y RETURN ", "abs(", "y", ")", " AS x"),
        ("WITH 1 AS y RETURN ", "-(", "y", ")", " AS x"),
        ("MATCH (p:Person) RETURN p", "", "", ".a", " AS x"),
        ("WITH [1] AS l RETURN l", "", "", "[0]", " AS x"),
        ("MATCH (p:", "!", "Person", "", ") RETURN p"),
        ("MATCH (p:", "(", "Person", ")", ") RETURN p"),
        ("MATCH (p:Person) WHERE p.born = 1", "", "", " OR p.born=2", " RETURN p"),
    )
] + [
    "WITH 1 AS y RETURN " + "CASE WHEN y = 1 THEN " * 70 + "1" + " END" * 70 + " AS x",
    "WITH 1 AS y RETURN " + "((1+1+1+1+1+1+1+1+" * 20 + "1" + "))" * 20 + " AS x",
    "MATCH (p) WHERE " + "EXISTS { MATCH (p) WHERE " * 20 + "p.x = 1" + " }" * 20 + " RETURN p",
    "CALL () { " * 20 + "RETURN 1 AS x" + " } RETURN x" * 20,
    "MATCH (p)" + "--()" * 60 + " RETURN count(*) AS x",
]
_DISGUISED = [
    "MATCH (p:Person) WHERE p.fullName = '\ud800' RETURN p",
    "MATCH (p:Person) RETURN p.`\udfff` AS x",
    "MATCH (p:Person) /* only reads */ DETACH /* really */ DELETE p",
    "// MATCH (n) RETURN n\nMATCH (p) DETACH DELETE p",
    "MATCH (p) // RETURN p\nDETACH DELETE p",
    "MATCH (p) /* */ SET /* */ p.fullName /* */ = 'Eve'",
    "mAtCh (p:Person) dEtAcH dElEtE p",
    "MATCH (p:Person)\n\n\tDETACH\r\n\tDELETE\fp",
    "MATCH (p) \\u0044ETACH \\u0044ELETE p",
    "MATCH (p) DETACH DELETE \\u0070",
    "MATCH (p) WHERE p.fullName = '\\u0027 DETACH DELETE p //' RETURN p",
    'MATCH (p) WHERE p.fullName = "\\u0022 DETACH DELETE p //" RETURN p',
    "MATCH (p:`Person\\u0060) DETACH DELETE p //`) RETURN p",
    "MATCH (p)\u00a0DETACH\u00a0DELETE\u00a0p",
    "MATCH (p)\u2028DETACH DELETE p",
    "MATCH (p)\u200bDETACH DELETE p",
    "MATCH (p) \u202eDETACH DELETE p",
    "MATCH (p)\uff0d[:FRIEND_OF]\uff0d(q) RETURN q",
    "MATCH (p) DETACH DELETE p;",
    "MATCH (p) RETURN p; MATCH (q) DETACH DELETE q",
    "RETURN 1 AS x; DROP DATABASE neo4j",
    "MATCH (p) RETURN p /* unclosed",
    "MATCH (p) WHERE p.fullName = 'unclosed RETURN p",
    "MATCH (p:$('Person')) RETURN p",
    "MATCH (p)-[:$('FRIEND_OF')]-(q) RETURN p",
    "MATCH (p) RETURN p['full' + 'Name'] AS x",
    "MATCH (p) RETURN p[$key] AS x",
    "\ufeffMATCH (p) DETACH DELETE p",
    "(p) DETACH DELETE p",
    "",
    "-- MATCH (p) DELETE p",
]

HOSTILE: dict[str, list[str]] = {
    "writes": [around.format(write=write) for around, write in itertools.product(_AROUND, _WRITES)],
    "commits": [around.format(write=write) for around, write in itertools.product(_COMMITS, _WRITES[:12])],
    "calls": [query.replace("{{", "{").replace("}}", "}") for query in _CALLS],
    "functions": [query.replace("{{", "{").replace("}}", "}") for query in _FUNCTIONS],
    "files": [query.replace("{{", "{").replace("}}", "}") for query in _FILES],
    "commands": _COMMANDS,
    "unbounded": [query.replace("{{", "{").replace("}}", "}") for query in _UNBOUNDED],
    "products": [query.replace("{{", "{").replace("}}", "}") for query in _PRODUCTS],
    "growth": _GROWTH,
    "comparisons": _COMPARISONS,
    "nested": _NESTED,
    "loops": [query.replace("{{", "{").replace("}}", "}") for query in _LOOPS],
    "disguised": _DISGUISED,
}
"""Queries of each kind, `{address}` and `{port}` left to be filled in."""

VALUES = [
    "' RETURN 1 AS x //",
    "'}) DETACH DELETE n //",
    '"}) DETACH DELETE n //',
    "\\' DETACH DELETE n //",
    "\\",
    "\\\\' SET n.x = 1 //",
    "\\u0027}) DETACH DELETE n //",
    "`) DETACH DELETE n //",
    "``) DETACH DELETE n //",
    "*/ DETACH DELETE n /*",
    "$name",
    "\n'}) DETACH DELETE n //",
    "x'}) WITH 1 AS y CALL apoc.load.json('http://127.0.0.1') YIELD value RETURN value //",
    "\u0000' DETACH DELETE n",
    "\u2019 DETACH DELETE n",
    "Robert'); MATCH (n) DETACH DELETE n;--",
]
"""Names of entities and values of properties that would break out of a query glued together from text."""
