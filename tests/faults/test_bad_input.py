"""Inputs that are almost right: every parser reads or refuses them, with an error of kgneo's own, and in time."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kgneo.asking import ask
from kgneo.context import Context
from kgneo.errors import DataError, KgneoError
from kgneo.llm.cleaning import clean, defuse
from kgneo.loader import open_source, read_triples
from kgneo.options_file import read_toml
from kgneo.property_graph import GraphFiles, open_graph_files, read_graph
from kgneo.query.from_cypher import from_cypher
from kgneo.query.json import from_json
from kgneo.questions import read_labelled
from kgneo.terms.edit import opened
from kgneo.terms.file import read_terms
from kgneo.verifying import verify
from tests.faults import ALL, SEED
from tests.faults.mutations import mutated

INPUTS = 10_000 if ALL else 300
ASKED = 2_000 if ALL else 60
LONGEST = 120.0
"""Seconds after which an input is taken to have no end; on a busy machine, planning a large query alone takes ten."""
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
    "a reply of a model": (
        "reply.txt",
        _text(lambda text: defuse(clean(text))),
        (b'```json\n{"a": [1, "b"]}\n```', b"1. first\n2. second: [x, y]\nAnswer: (a, b, c)", b"<think>so</think>b"),
    ),
}  # fmt: skip
QUESTIONS = (
    b"which seas do the rivers of [Germany] flow into?",
    b"how many rivers flow through Germany or Poland but not Austria?",
    b"which river flows through the most countries?",
    b"are the Rhine and the Danube connected?",
    b"what is like the Danube?",
    b"who first climbed Mont Blanc in 1786?",
)
CLAIMS = (b"The capital of [Ethiopia] is Addis Ababa.", b"The Danube flows through Austria and not Spain.")


@pytest.mark.parametrize("kind", PARSERS)
@pytest.mark.filterwarnings("ignore")
def test_what_is_almost_right_is_read_or_refused(kind: str, tmp_path: Path) -> None:
    name, parse, seeds = PARSERS[kind]
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    for seed in seeds:
        file.write_bytes(seed)
        parse(file)  # what is right is read
    refused = 0
    for data in mutated(seeds, INPUTS, SEED):
        file.write_bytes(data)
        started = time.monotonic()
        try:
            parse(file)
        except (KgneoError, json.JSONDecodeError):
            refused += 1
        assert time.monotonic() - started < LONGEST, data
    print(f"\n{kind}: {INPUTS} inputs (seed {SEED}), {refused} refused")


def test_brackets_within_brackets_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "kgneo.toml"
    file.write_text("a = " + "[" * 10_000, encoding="utf-8")
    for parse in (lambda: read_toml(file, hint=""), lambda: read_terms(file), lambda: opened(file)):
        with pytest.raises(DataError):
            parse()


@pytest.mark.parametrize(("asking", "seeds"), [(ask, QUESTIONS), (verify, CLAIMS)], ids=["questions", "claims"])
def test_any_text_may_be_asked(
    sample_context: Context, asking: Callable[[Context, str], object], seeds: tuple[bytes, ...]
) -> None:
    for data in mutated(seeds, ASKED, SEED):
        text = data.decode("utf-8", "replace")
        started = time.monotonic()
        try:
            asking(sample_context, text)
        except KgneoError:
            continue
        assert time.monotonic() - started < LONGEST, text


@pytest.mark.parametrize(
    "text",
    [
        "what is like the Danube" + "? is like the Danube" * 28 + "?",
        "which seas do the rivers of [Germany] flo" + "hich seas do the rivers of [Germany] flo" * 24 + "w into?",
        "which rivers flow through Germany " + "and Poland " * 60 + "?",
        "which " + "rivers of countries of " * 80 + "Germany?",
        "how many " + "rivers " * 200 + "?",
    ],
    ids=["one name many times", "one name in brackets many times", "many values", "many kinds", "one kind many times"],
)
def test_a_text_that_repeats_itself_takes_no_longer(sample_context: Context, text: str) -> None:
    started = time.monotonic()
    with suppress(KgneoError):
        ask(sample_context, text)
    assert time.monotonic() - started < LONGEST


def test_a_claim_that_repeats_itself_takes_no_more(sample_context: Context) -> None:
    claim = "The capital of [Ethiopia] il of [Ethiopia]" + " is Addis Ababa.]" * 30
    started = time.monotonic()
    with suppress(KgneoError):
        verify(sample_context, claim)
    assert time.monotonic() - started < LONGEST
