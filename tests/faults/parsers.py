"""What reads text from outside: each parser with the name of its file, and inputs that are right."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from kgneo.llm.cleaning import clean, defuse
from kgneo.loader import open_source, read_triples
from kgneo.options_file import read_toml
from kgneo.property_graph import GraphFiles, open_graph_files, read_graph
from kgneo.query.bounds import check_growth
from kgneo.query.from_cypher import from_cypher
from kgneo.query.json import from_json
from kgneo.query.statement import read_statement
from kgneo.questions import read_labelled
from kgneo.terms.file import read_terms

Parse = Callable[[Path], object]


def _graph(file: Path) -> object:
    found = open_graph_files([str(file.parent)])
    return list(read_graph(found)) if isinstance(found, GraphFiles) else None


def _text(parse: Callable[[str], object]) -> Parse:
    return lambda file: parse(file.read_bytes().decode("utf-8", "surrogateescape"))


def _triples(file: Path) -> object:
    return list(read_triples(open_source(file)))


RDF = b'<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
QUERY_GRAPH = {
    "variables": [{"name": "x0", "labels": ["A"]}, {"name": "x1", "ids": ["4:1:2"]}],
    "edges": [{"subject": "x0", "relations": ["R"], "object": "x1", "name": "r0", "steps": [1, 3]}],
    "conditions": [{"left": {"of": "x0", "key": "k"}, "operator": "=", "right": ["a", 1]}],
    "selections": [{"variable": "x0", "by": {"of": "x0", "key": "k"}, "descending": True, "limit": 2}],
    "answer": {"function": "count", "value": {"of": "x0"}, "per": {"of": "x1"}},
}
PARSERS: dict[str, tuple[str, Parse, tuple[bytes, ...]]] = {
    "MetaQA's triples": ("kb.txt", _triples, (b"Kismet|directed_by|William Dieterle\nKismet|release_year|1944\n",)),
    "triples as TSV": ("a.tsv", _triples, (b"a\tknows\tb\nc\tknows\td\n",)),
    "triples as CSV": ("a.csv", _triples, (b'subject,relation,object\n"a, b",knows,c\n',)),
    "compressed triples": ("a.tsv.gz", _triples, (gzip.compress(b"a\tknows\tb\n" * 50, mtime=0),)),
    "N-Triples": ("a.nt", _triples, (b'<http://a/x> <http://a/p> <http://a/y> .\n<http://a/x> <http://a/p> "t" .\n',)),
    "Turtle": ("a.ttl", _triples, (b'@prefix a: <http://a/> .\na:x a:p a:y ; a:q "t"^^a:t, 12 .\n',)),
    "RDF/XML": (
        "a.rdf",
        _triples,
        (RDF + b'<rdf:Description rdf:about="http://a/x"><e:p>text</e:p></rdf:Description></rdf:RDF>',),
    ),
    "JSON-LD": ("a.jsonld", _triples, (b'{"@id":"http://a/x","http://a/p":{"@id":"http://a/y"}}',)),
    "a property graph as CSV": (
        "graph/people.csv",
        _graph,
        (
            b'id:ID,name,age:int,tags:string[],:LABEL\n1,Ann,3,a;b,Person\n2,"B ""x""",4,,Person\n',
            b"id:ID(Town),name,since:date,spot:point,large:boolean\n7,Graz,2020-01-01,,true\n",
        ),
    ),
    "a property graph as JSON lines": (
        "graph/g.jsonl",
        _graph,
        (
            b'{"type":"node","id":"1","labels":["A"],"properties":{"name":"x","n":1.5}}\n'
            b'{"type":"relationship","id":"2","label":"R","start":{"id":"1"},"end":{"id":"1"},"properties":{"d":"2020"}}\n',
        ),
    ),
    "questions as JSON lines": (
        "q.jsonl",
        read_labelled,
        (b'{"question":"who?","answers":["a"]}\n{"question":"x","answers":["1"],"cypher":"MATCH (n:A) RETURN n"}\n',),
    ),
    "questions as text": ("q.txt", read_labelled, (b"who directed [Kismet]?\tWilliam Dieterle|x\n",)),
    "terms": (
        "kgneo.terms.toml",
        read_terms,
        (
            b'[labels.Person]\nwords = ["people", "client"]\n[labels.Person.properties.age]\nunit = "years"\n'
            b'[relations.KNOWS]\nwords = ["knows"]\n',
        ),
    ),
    "settings": ("kgneo.toml", lambda file: read_toml(file, hint=""), (b'uri = "bolt://x"\n[ask]\nhops = 2\n',)),
    "a query graph as JSON": (
        "q.json",
        _text(lambda text: from_json(json.loads(text))),
        (json.dumps(QUERY_GRAPH).encode(),),
    ),
    "Cypher": (
        "q.cypher",
        _text(from_cypher),
        (
            b"MATCH (a:A)-[r:R*1..3]->(b:B {k: 'v'}) WHERE a.x > 3 AND NOT (a)-[:S]-(:C) RETURN a.name, count(b) AS n",
            b"MATCH (n:A) WHERE n.d = date('2020-01-01') OR n.t STARTS WITH 'x' WITH avg(n.a) AS m RETURN DISTINCT m",
        ),
    ),
    "a statement": (
        "q.cypher",
        _text(lambda text: check_growth(read_statement(text))),
        (
            b"MATCH (a:A)-[r:R*1..3]->(b:B {k: 'v'}) WHERE a.x =~ 'a.*' RETURN a.name, count(b) AS n ORDER BY n",
            b"WITH [1, 2] AS l UNWIND l AS x WITH x, size(split('a,b', ',')) AS n RETURN CASE WHEN x > n THEN x END",
            b"MATCH (a) WHERE EXISTS { (a)--(b) WHERE b.`k``x` = \"t\" } RETURN COLLECT { MATCH (a)-->(c) RETURN c }",
        ),
    ),
    "a reply of a model": (
        "reply.txt",
        _text(lambda text: defuse(clean(text))),
        (b'```json\n{"a": [1, "b"]}\n```', b"1. first\n2. second: [x, y]\nAnswer: (a, b, c)", b"<think>so</think>b"),
    ),
}  # fmt: skip
