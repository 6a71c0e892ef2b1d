"""Loading files: formats, options, names that survive, and one clear message for what cannot be used."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kgneo import loader as loading
from kgneo.errors import DataError, UsageError
from kgneo.loader import (
    BadLine,
    Check,
    Head,
    LoadedTriple,
    LoadOptions,
    OnBadLine,
    Source,
    check,
    detect,
    loaders,
    open_source,
    read_triples,
)
from kgneo.model import Triple

MOVIES = "Kismet|directed_by|William Dieterle\nKismet|starred_actors|Marlene Dietrich\nKismet|release_year|1944\n"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parts(path: Path | Source, *, format: str | None = None, **options: object) -> list[tuple[str, str, str]]:  # noqa: A002
    source = path if isinstance(path, Source) else open_source(path)
    chosen = replace(LoadOptions(), **options)  # type: ignore[arg-type]
    found = read_triples(source, format=format, options=chosen)
    return [(item.triple.subject, item.triple.relation, item.triple.object) for item in found]


def failure(path: Path | str, **options: object) -> DataError:
    with pytest.raises(DataError) as caught:
        check(open_source(path), options=replace(LoadOptions(), **options))  # type: ignore[arg-type]
    return caught.value


# Formats


def test_every_declared_loader_is_found_by_its_name() -> None:
    assert {"metaqa", "delimited", "rdf"} <= {loader.name for loader in loaders()}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("kb.txt", MOVIES, "metaqa"),
        ("other.txt", "Rome|capital_of|Italy\nParis|capital_of|France\n", "delimited"),
        ("books.txt", "Emma|written_by|Jane Austen\n", "delimited"),
        ("mixed.txt", MOVIES + "Kismet|filmed_in|Hollywood\n", "delimited"),
        ("a.csv", "a,b,c\n", "delimited"),
        ("a.tsv", "a\tb\tc\n", "delimited"),
        ("unnamed", "a;b;c\nd;e;f\n", "delimited"),
        ("a.nt", "<http://e/a> <http://e/b> <http://e/c> .\n", "rdf"),
        ("unnamed", "<http://e/a> <http://e/b> <http://e/c> .\n", "rdf"),
        ("a.ttl", "@prefix e: <http://e/> .\ne:a e:b e:c .\n", "rdf"),
        ("unnamed", "# comment\nPREFIX e: <http://e/>\ne:a e:b e:c, e:d, e:e .\n", "rdf"),
        ("a.nq", "<http://e/a> <http://e/b> <http://e/c> <http://e/g> .\n", "rdf"),
        ("unnamed", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>', "rdf"),
        ("unnamed", '{"@id": "http://e/a", "http://e/b": "c"}', "rdf"),
        ("people.csv", "id:ID,name,:LABEL\n1,Ada,Person\n", "neo4j-csv"),
        ("unnamed", '{"type": "node", "id": "1", "labels": [], "properties": {}}\n', "graph-jsonl"),
    ],
)
def test_the_format_is_found_from_name_and_content(tmp_path: Path, name: str, content: str, expected: str) -> None:
    assert detect(open_source(write(tmp_path, name, content))).name == expected


def test_an_unrecognisable_file_lists_what_was_tried_and_the_known_formats(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "notes.txt", "hello\n"))
    assert "tried: delimited, graph-jsonl, metaqa, neo4j-csv, rdf" in error.message
    assert "--format" in error.hint
    assert "turtle" in error.hint


def test_an_unknown_format_is_a_usage_error_with_the_known_ones(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "a.csv", "a,b,c\n"))
    with pytest.raises(UsageError, match=r"'xml'.*delimited"):
        read_triples(source, format="xml")


def test_a_format_that_is_named_wins_over_the_extension(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "<http://e/a> <http://e/b> <http://e/c> .\n")
    assert parts(path, format="NT") == [("a", "b", "c")]


def test_a_loader_of_another_package_that_passes_on_an_empty_name_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Careless:
        name = "careless"
        aliases: tuple[str, ...] = ()

        def recognises(self, head: Head) -> float:
            return 1.0 if head.data else 0.0

        def read(
            self,
            source: Source,
            *,
            options: LoadOptions,  # noqa: ARG002
            on_bad_line: OnBadLine,  # noqa: ARG002
        ) -> Iterator[LoadedTriple]:
            with source.open() as stream:
                for number, line in enumerate(stream, 1):
                    yield LoadedTriple(Triple(line.decode().strip(), "is", "a line"), line=number)

    monkeypatch.setattr(loading, "loaders", lambda: (Careless(),))
    error = failure(write(tmp_path, "a.txt", "one\n \n"))
    assert (error.line, "the subject is empty" in error.message) == (2, True)


# MetaQA


def test_metaqa_relations_label_both_ends(tmp_path: Path) -> None:
    director, actor, year = read_triples(open_source(write(tmp_path, "kb.txt", MOVIES)))
    assert director == LoadedTriple(Triple("Kismet", "directed_by", "William Dieterle"), ("Movie",), ("Person",), 1)
    assert actor.object_labels == ("Person",)
    assert (year.object_labels, year.line) == (("Year",), 3)


def test_relations_that_are_not_metaqa_s_give_no_labels(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "Kismet|filmed_in|Hollywood\n")
    (loaded,) = read_triples(open_source(path), format="metaqa")
    assert (loaded.subject_labels, loaded.object_labels) == ((), ())


@pytest.mark.parametrize("line", ["a|b", "a|b|c|d", "abc"])
def test_a_metaqa_line_without_three_fields_is_named_with_both_numbers(tmp_path: Path, line: str) -> None:
    path = write(tmp_path, "kb.txt", f"{MOVIES}{line}\n")
    with pytest.raises(DataError) as caught:
        check(open_source(path), format="metaqa")
    count = line.count("|") + 1
    assert caught.value.line == 4
    assert caught.value.message.startswith(f"{path}:4: ")
    assert f"found {count} field" in str(caught.value)
    assert "expected 3" in str(caught.value)


def test_metaqa_s_knowledge_base_is_read_whole() -> None:
    folder = os.environ.get("KGNEO_METAQA")
    if not folder:
        pytest.skip("KGNEO_METAQA does not name the folder of the data set")
    assert check(open_source(Path(folder) / "kb.txt")) == Check("metaqa", 133_582)


# Delimited text


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_from_the_content(tmp_path: Path, separator: str) -> None:
    rows = [("Rome", "capital of", "Italy"), ("Po", "flows into", "Adriatic Sea")]
    path = write(tmp_path, "data", "".join(separator.join(row) + "\n" for row in rows))
    assert parts(path) == rows


@pytest.mark.parametrize(
    "header",
    [
        "subject,relation,object",
        "Head,Relation,Tail",
        "source,type,target",
        "FROM,type,TO",
    ],
)
def test_a_header_is_known_by_its_column_names(tmp_path: Path, header: str) -> None:
    assert parts(write(tmp_path, "a.csv", f"{header}\na,b,c\n")) == [("a", "b", "c")]


def test_named_columns_are_found_in_any_order_among_others(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "id,object,subject,note,predicate\n1,Italy,Rome,x,capital of\n")
    assert parts(path) == [("Rome", "capital of", "Italy")]


def test_columns_can_be_chosen_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "city,what,country\nRome,capital of,Italy\n")
    assert parts(path, columns=("city", "what", "country")) == [("Rome", "capital of", "Italy")]


def test_columns_can_be_chosen_by_position(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "7,Italy,capital of,Rome\n8,France,capital of,Paris\n")
    assert parts(path, columns=("4", "3", "2"))[1] == ("Paris", "capital of", "France")


def test_a_column_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "a.csv", "a,b,c\n"), columns=("a", "b", "city"))
    assert "no column 'city'" in error.message
    assert "a, b, c" in error.message


def test_a_header_can_be_forced_and_forbidden(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "subject,relation,object\na,b,c\n")
    assert len(parts(path, header="no")) == 2
    plain = write(tmp_path, "b.csv", "x,y,z\na,b,c\n")
    assert parts(plain, header="yes") == [("a", "b", "c")]


def test_a_separator_can_be_given_and_must_be_one_character(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "a~b~c\n")
    assert parts(path, format="delimited", separator="~") == [("a", "b", "c")]
    with pytest.raises(UsageError, match="one character"):
        parts(path, format="delimited", separator="~~")


def test_label_columns_give_labels(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "a.csv",
        "subject,subject_label,relation,object,object_label\nRome,City; Capital,in,Italy,\n",
    )
    (loaded,) = read_triples(open_source(path))
    assert (loaded.subject_labels, loaded.object_labels) == (("City", "Capital"), ())


def test_quoted_fields_keep_quotes_separators_and_line_ends(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", '"The ""A"", part\none",r,"x\r\ny"\nb,r,c\n')
    assert parts(path) == [('The "A", part\none', "r", "x\r\ny"), ("b", "r", "c")]
    assert [item.line for item in read_triples(open_source(path))] == [1, 4]


def test_quotes_can_be_plain_characters(tmp_path: Path) -> None:
    path = write(tmp_path, "a.tsv", '"Weird Al" Yankovic\tplays\t5" disk\n')
    assert parts(path, quote=None) == [('"Weird Al" Yankovic', "plays", '5" disk')]


def test_broken_quoting_is_an_error_where_the_quote_opens(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "a.csv", 'a,r,b\n"c,r,d\ne,r,f\n'))
    assert error.line == 2
    assert "broken quoting" in error.message


def test_lines_behind_broken_quoting_are_loaded_when_bad_lines_are_left_out(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "a.csv", 'a,r,b\n"c,r,d\n"e",r,f\ng,r,h\n'))
    found = [item.triple.subject for item in read_triples(source, skip_bad_lines=True)]
    assert found == ["a", "e", "g"]


def test_a_row_with_another_number_of_fields_is_named_with_both_numbers(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "a.csv", "a,b,c\nd,e\n"))
    assert error.line == 2
    assert 'found 2 fields, expected 3 (separated by ",")' in error.message


def test_too_many_columns_without_a_header_ask_for_a_choice(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "a.csv", "a,b,c,d\ne,f,g,h\n"))
    assert "found 4 columns" in error.message
    assert "--columns" in error.hint


# RDF

N_TRIPLES = r"""# capitals
<http://e.org/Rome> <http://e.org/p#capital_of> <http://e.org/Italy> .
<http://e.org/Rome> <http://e.org/p#name> "Ro\"ma\n\u00e9"@it . # in Italian
<http://e.org/Rome> <http://e.org/p#age> "02700"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:hill <http://e.org/p#in> <http://e.org/Rome> .
"""


def test_n_triples_give_local_names_and_lexical_forms(tmp_path: Path) -> None:
    assert parts(write(tmp_path, "a.nt", N_TRIPLES)) == [
        ("Rome", "capital_of", "Italy"),
        ("Rome", "name", 'Ro"ma\né'),
        ("Rome", "age", "02700"),
        ("_:a.nt:hill", "in", "Rome"),
    ]


def test_iris_can_be_kept_whole(tmp_path: Path) -> None:
    first = parts(write(tmp_path, "a.nt", N_TRIPLES), names="iri")[0]
    assert first == ("http://e.org/Rome", "http://e.org/p#capital_of", "http://e.org/Italy")


def test_literals_can_be_kept_in_one_language(tmp_path: Path) -> None:
    lines = "".join(f"<http://e/a> <http://e/p> {text} .\n" for text in ('"one"@en-GB', '"un"@fr', '"1"'))
    assert [row[2] for row in parts(write(tmp_path, "a.nt", lines), language="en")] == ["one", "1"]


def test_two_iris_with_the_same_local_name_stay_two_names(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "a.ttl",
        "@prefix city: <http://e/city/> . @prefix : <http://e/myth/> .\n"
        "city:Paris city:in <http://f/Paris> . :Paris :in city:Paris . city:Paris city:in city:France .\n",
    )
    assert parts(path) == [
        ("Paris", "in", "http://f/Paris"),
        ("http://e/myth/Paris", "http://e/myth/in", "Paris"),
        ("Paris", "in", "France"),
    ]


def test_the_prefix_tells_apart_what_the_local_name_does_not(tmp_path: Path) -> None:
    path = write(tmp_path, "a.ttl", "@prefix x: <http://x/> . @prefix y: <http://y/> . x:a x:p y:a .\n")
    assert parts(path) == [("a", "p", "y:a")]


def test_names_stay_apart_when_more_iris_are_read_than_are_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgneo.loaders.rdf.NAMES_IN_MEMORY", 2)
    lines = [f"<http://{host}/n{i}> <http://e/p> <http://e/o{i}> ." for host in "abab" for i in range(5)]
    found = parts(write(tmp_path, "a.nt", "\n".join(lines)))
    subjects = [row[0] for row in found]
    assert subjects[:10] == subjects[10:]
    assert subjects[:6] == ["n0", "n1", "n2", "n3", "n4", "http://b/n0"]


def test_a_type_is_a_triple_and_a_label_of_its_subject(tmp_path: Path) -> None:
    path = write(tmp_path, "a.ttl", "@prefix e: <http://e/> . e:Rome a e:City ; e:in e:Italy .\n")
    typed, other = read_triples(open_source(path))
    assert typed.triple == Triple("Rome", "type", "City")
    assert (typed.subject_labels, other.subject_labels) == (("City",), ())


TURTLE = '''@prefix e: <http://e/> .
@base <http://base/> .
e:a e:p e:b , [ e:name "anonymous" ] ;   # a comment
    e:q """two
"lines\\"""", 'x'@en , 1.50 , true .

<rel> e:list ( e:c "d" ) .
_:n e:p _:m .'''


def test_turtle_is_read_with_its_abbreviations(tmp_path: Path) -> None:
    path = write(tmp_path, "a.ttl", TURTLE)
    assert sorted(parts(path)) == sorted(
        [
            ("_:a.ttl:[1]", "name", "anonymous"),
            ("a", "p", "b"),
            ("a", "p", "_:a.ttl:[1]"),
            ("a", "q", 'two\n"lines"'),
            ("a", "q", "x"),
            ("a", "q", "1.50"),
            ("a", "q", "true"),
            ("_:a.ttl:[2]", "first", "c"),
            ("_:a.ttl:[2]", "rest", "_:a.ttl:[3]"),
            ("_:a.ttl:[3]", "first", "d"),
            ("_:a.ttl:[3]", "rest", "nil"),
            ("rel", "list", "_:a.ttl:[2]"),
            ("_:a.ttl:n", "p", "_:a.ttl:m"),
        ]
    )


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("e:a e:p e:b .\n", 1),
        ("@prefix e: <http://e/> .\n\ne:a e:p e:b ; ; , .\n", 3),
        ("@prefix e: <http://e/> .\ne:a e:p 'never closed .\n", 2),
        ("@prefix e: <http://e/> .\ne:a e:p e:b .\ne:a e:p e:c", 3),
        ("@prefix e: <http://e/> .\ne:a e:p " + "[ e:p " * 5000, 2),
    ],
)
def test_turtle_that_does_not_parse_is_an_error_with_its_line(tmp_path: Path, content: str, line: int) -> None:
    error = failure(write(tmp_path, "a.ttl", content))
    assert error.line == line
    assert "no Turtle" in error.message


SAME = {
    "a.nt": "<http://e/Rome> <http://e/in> <http://e/Italy> .\n",
    "a.nq": "<http://e/Rome> <http://e/in> <http://e/Italy> <http://e/graph> .\n",
    "a.ttl": "@prefix e: <http://e/> .\ne:Rome e:in e:Italy .\n",
    "a.trig": "@prefix e: <http://e/> .\ne:graph { e:Rome e:in e:Italy }\n",
    "a.rdf": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
        <rdf:Description rdf:about="http://e/Rome"><e:in rdf:resource="http://e/Italy"/></rdf:Description></rdf:RDF>""",
    "a.jsonld": '{"@id": "http://e/Rome", "http://e/in": {"@id": "http://e/Italy"}}',
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("known_by", ["extension", "content"])
def test_every_format_of_rdf_gives_the_same_triple(tmp_path: Path, name: str, known_by: str) -> None:
    path = write(tmp_path, name if known_by == "extension" else "unnamed", SAME[name])
    assert parts(path) == [("Rome", "in", "Italy")]


@pytest.mark.parametrize("name", SAME)
def test_every_format_of_rdf_may_be_compressed_and_have_a_byte_order_mark(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, f"{name}.gz", gzip.compress(b"\xef\xbb\xbf" + SAME[name].encode()))
    assert parts(path) == [("Rome", "in", "Italy")]


RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:ex="http://example.org/">'
ITEM = '<rdf:Description rdf:about="&e;Ada"><ex:knows>&w;</ex:knows></rdf:Description></rdf:RDF>'
GROWING = '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))


def declared(*declarations: str) -> str:
    return f"<!DOCTYPE rdf:RDF [{chr(10).join(declarations)}]>"


@pytest.mark.parametrize("before", [0, 65_400, 65_450, 65_500, 65_520, 65_530])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_entities_that_abbreviate_texts_are_read(tmp_path: Path, before: int, mark: bytes) -> None:
    ours = declared('<!ENTITY e  "http://example.org/" >', "<!-- more -->", '<!ENTITY w "many words">')
    text = f"<!--{'x' * before}-->{ours}{RDF}{ITEM}"
    assert parts(write(tmp_path, "a.owl", mark + text.encode())) == [("Ada", "knows", "many words")]


@pytest.mark.parametrize(
    "text",
    [
        declared(GROWING) + RDF + ITEM,
        declared('<!ENTITY e "x">') + RDF + declared(GROWING) + ITEM,
        declared(f"<!-- {GROWING} -->") + RDF + ITEM,
        declared('<!ENTITY a "&#38;b;">') + RDF + ITEM,
        declared('<!ENTITY e SYSTEM "file:///etc/hostname">') + RDF + ITEM,
        declared('<!ENTITY e PUBLIC "e" "http://127.0.0.1:9/e">') + RDF + ITEM,
        declared("<!ENTITY % e \"<!ENTITY w 'x'>\"> %e;") + RDF + ITEM,
        declared('<!ENTITY e "' + "x" * 1001 + '">') + RDF + ITEM,
        declared('<!ENTITY e "x') + RDF + ITEM,
    ],
    ids=["nested", "in the middle", "in a comment", "by number", "file", "address", "parameter", "long", "unclosed"],
)
@pytest.mark.parametrize("name", ["a.rdf", "a.owl.gz", "a.xml"])
def test_entities_that_can_grow_are_refused_before_they_do(tmp_path: Path, text: str, name: str) -> None:
    data = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
    found = failure(write(tmp_path, name, data))
    assert "declares an entity that is no short text" in found.message
    assert "Turtle" in found.hint


@pytest.mark.parametrize(
    ("name", "before", "behind"),
    [
        ("a.ttl.gz", '<http://e/a> <http://e/b> "', '" .'),
        ("a.jsonld.gz", '{"@id": "http://e/a", "http://e/b": "', '"}'),
        ("a.rdf.gz", RDF + '<rdf:Description rdf:about="http://e/a"><ex:b>', "</ex:b></rdf:Description></rdf:RDF>"),
    ],
)
def test_a_text_longer_than_any_name_is_refused_before_memory_holds_it(
    tmp_path: Path, name: str, before: str, behind: str
) -> None:
    packed = gzip.compress((before + "x" * (17 * 2**20) + behind).encode(), 1)
    assert "more than 16,777,216 bytes" in failure(write(tmp_path, name, packed)).message


def test_more_entities_than_any_vocabulary_has_are_refused(tmp_path: Path) -> None:
    text = declared(*(f'<!ENTITY e{number} "x">' for number in range(1001))) + RDF + ITEM
    assert "more than 1,000 entities" in failure(write(tmp_path, "a.rdf", text)).message


def test_a_text_that_its_entities_blow_up_is_refused(tmp_path: Path) -> None:
    text = declared(f'<!ENTITY w "{"x" * 1000}">') + RDF + ITEM.replace("&w;", "&w;" * 20_000)
    assert "many times as long" in failure(write(tmp_path, "a.rdf", text)).message


@pytest.mark.parametrize("name", [name for name in SAME if name not in ("a.nt", "a.nq")])
def test_rdf_that_is_cut_off_by_damaged_compression_is_an_error(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, f"{name}.gz", gzip.compress(SAME[name].encode())[:-12])
    assert "damaged or cut off" in failure(path).message


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.rdf", SAME["a.rdf"].replace("</rdf:Description>", "</rdf:Other>"), 2),
        ("a.trig", SAME["a.trig"].replace("}", "]"), 2),
        ("a.jsonld", '{"@id":\n "http://e/Rome",\n', 2),
    ],
)
def test_other_rdf_that_does_not_parse_is_an_error_with_its_line(
    tmp_path: Path, name: str, content: str, line: int
) -> None:
    error = failure(write(tmp_path, name, content))
    assert error.line is not None
    assert error.line >= line


def test_a_context_on_the_network_is_refused_and_not_fetched(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "a.jsonld", '{"@context": "http://e/context", "@id": "http://e/a", "n": "x"}'))
    assert "nothing is fetched" in error.message


def test_nameless_nodes_have_the_same_names_in_every_pass(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "a.ttl", TURTLE))
    assert parts(source) == parts(source)


def test_a_nameless_node_is_numbered_however_short_its_chance_name_is(tmp_path: Path) -> None:
    many = "\n".join(f'<http://e/a> <http://e/p> [ <http://e/n> "{number}" ] .' for number in range(300))
    names = {subject for subject, relation, _ in parts(open_source(write(tmp_path, "a.ttl", many))) if relation == "n"}
    assert names == {f"_:a.ttl:[{number}]" for number in range(1, 301)}


def test_an_empty_literal_is_told_with_its_triple_where_lines_are_not_known(tmp_path: Path) -> None:
    path = write(tmp_path, "a.ttl", "<a> <p> <b> . <a> <p> '' .\n")
    assert "the object is empty, in the triple a\\tp" in failure(path).message
    assert check(open_source(path), skip_bad_lines=True) == Check("rdf", 1, 1)


def test_a_triple_about_a_triple_is_a_bad_line(tmp_path: Path) -> None:
    path = write(tmp_path, "a.ttl", "<a> <p> <<( <b> <p> <c> )>> . <a> <p> <b> .\n")
    assert "itself a triple" in failure(path).message
    assert check(open_source(path), skip_bad_lines=True) == Check("rdf", 1, 1)


def test_a_bad_n_triples_line_is_named_or_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, "a.nt", N_TRIPLES + "<http://e/a> no triple .\n" + N_TRIPLES)
    assert failure(path).line == 6
    assert check(open_source(path), skip_bad_lines=True) == Check("rdf", 8, 1)


# Names that survive

NAMES = [
    'say "x"',
    "back`tick",
    "it's",
    "  leading",
    "trailing  ",
    "😀 emoji",
    "x" * 10_000,
    "{b}\\n$a",
    "日本",
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:12]))
@pytest.mark.parametrize("format", ["metaqa", "csv", "nt"])
def test_a_name_survives_exactly(tmp_path: Path, name: str, format: str) -> None:  # noqa: A002
    quoted = name.replace('"', '""')
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    content = {
        "metaqa": f"{name}|{name}|{name}\n",
        "csv": f'"{quoted}","{quoted}","{quoted}"\n',
        "nt": f'<http://e/a> <http://e/p> "{escaped}" .\n',
    }[format]
    (found,) = parts(write(tmp_path, "data", content), format=format)
    assert found == (name, name, name) if format != "nt" else found[2] == name


# Bad input


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    assert "no such file" in failure(tmp_path / "absent.csv").message


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    assert "folder" in failure(tmp_path).message


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    assert "empty" in failure(write(tmp_path, "a.csv", "")).message


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser can read every file")
def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "a,b,c\n")
    path.chmod(0)
    assert "cannot be read" in failure(path).message


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)) * 20,
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00",
        b"\x00" * 100,
        "a,b,c\n".encode("utf-16"),
    ],
)
def test_a_binary_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    error = failure(write(tmp_path, "a.csv", content))
    assert "expected UTF-8 text" in error.message
    assert error.line == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"caf\xe9,r,b", "not UTF-8: byte 0xe9 at byte 4"),
        (b"\xed\xa0\x80,r,b", "not UTF-8: byte 0xed at byte 1"),
        (b"a\x00b,r,c", "NUL character at column 2"),
        (b",r,b", "the subject is empty"),
        (b"a,,b", "the relation is empty"),
        (b"a,r,", "the object is empty"),
        (b"a,r,  ", "the object is empty"),
    ],
)
def test_a_line_that_no_graph_can_hold_is_an_error(tmp_path: Path, line: bytes, reason: str) -> None:
    error = failure(write(tmp_path, "a.csv", b"x,y,z\n" + line + b"\n"))
    assert error.line == 2
    assert reason in error.message


def test_a_bad_byte_inside_a_quoted_field_leaves_out_the_whole_row(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "a.csv", b'x,y,z\n"a\n\xff\nb",r,c\nd,e,f\n'))
    found = [item.triple.subject for item in read_triples(source, skip_bad_lines=True)]
    assert found == ["x", "d"]


@pytest.mark.parametrize("content", ["\n \n", "subject,relation,object\n", "# nothing\n\n"])
def test_a_file_without_triples_is_an_error(tmp_path: Path, content: str) -> None:
    name = "a.nt" if content.startswith("#") else "a.csv"
    assert "holds no triples" in failure(write(tmp_path, name, content)).message


def test_a_byte_order_mark_and_crlf_are_fine(tmp_path: Path) -> None:
    csv = write(tmp_path, "a.csv", b"\xef\xbb\xbfsubject,relation,object\r\na,b,c\r\n")
    pipes = write(tmp_path, "kb.txt", b"\xef\xbb\xbf" + MOVIES.replace("\n", "\r\n").encode())
    triples = write(tmp_path, "a.nt", b"\xef\xbb\xbf" + N_TRIPLES.replace("\n", "\r\n").encode())
    turtle = write(tmp_path, "a.ttl", b"\xef\xbb\xbf@prefix e: <http://e/> .\r\ne:a e:b e:c .\r\n")
    assert parts(csv) == [("a", "b", "c")]
    assert parts(pipes)[0] == ("Kismet", "directed_by", "William Dieterle")
    assert parts(triples)[0] == ("Rome", "capital_of", "Italy")
    assert parts(turtle) == [("a", "b", "c")]


def test_left_out_lines_are_counted_and_written_down(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"a|r|b\nbad\tline\nc|r|d\n\xff|r|e\n|r|f\n")
    rejected = io.StringIO()
    assert check(open_source(path), skip_bad_lines=True, rejected=rejected) == Check("delimited", 2, 3)
    lines = [line.split("\t") for line in rejected.getvalue().splitlines()]
    assert [line[:2] for line in lines] == [[str(path), "2"], [str(path), "4"], [str(path), "5"]]
    assert lines[0][2:] == ['found 1 field, expected 3 (separated by "|")', "bad\\tline"]
    assert lines[1][3] == "\\udcff|r|e"


def test_a_bad_first_line_can_be_left_out_too(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "a.csv", "only,two\na,r,b\nc,r,d\n"))
    assert check(source, skip_bad_lines=True) == Check("delimited", 2, 1)


def test_a_file_of_bad_lines_only_is_an_error_all_the_same(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none of its 2 lines"):
        check(open_source(write(tmp_path, "a.csv", "a,,b\nc,,d\n")), skip_bad_lines=True)


def test_a_line_without_end_is_a_bad_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "LONGEST_LINE", 100)
    path = write(tmp_path, "kb.txt", f"{MOVIES}{'x' * 250}\na|b|c\n")
    found: list[BadLine] = []
    lines = list(loading.text_lines(open_source(path), found.append))
    assert [bad.line for bad in found] == [4]
    assert lines[-1] == (5, "a|b|c")


# Sources


def test_gzip_of_any_format_is_read_and_its_progress_is_in_stored_bytes(tmp_path: Path) -> None:
    path = write(tmp_path, "kb.txt.gz", gzip.compress(MOVIES.encode()))
    source = open_source(path)
    assert check(source) == Check("metaqa", 3)
    assert source.position == source.size == path.stat().st_size


def test_gzip_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    whole = gzip.compress("".join(f"a{i},r,b\n" for i in range(50_000)).encode())
    assert "damaged or cut off" in failure(write(tmp_path, "a.csv.gz", whole[:-40])).message


def test_a_stream_can_be_read_twice() -> None:
    source = open_source(io.BytesIO(b"a,b,c\nd,e,f\n"))
    assert source.name == "standard input"
    assert check(source) == Check("delimited", 2)
    assert parts(source) == parts(source) == [("a", "b", "c"), ("d", "e", "f")]


def test_standard_input_is_a_dash() -> None:
    code = "from kgneo.loader import check, open_source; print(check(open_source('-')).triples)"
    done = subprocess.run([sys.executable, "-c", code], input=b"a,b,c\n", capture_output=True, check=True)
    assert done.stdout.strip() == b"1"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"open({str(pipe)!r}, 'w').write('a,b,c\\n')"
    writer = subprocess.Popen([sys.executable, "-c", code])
    try:
        assert check(open_source(pipe)) == Check("delimited", 1)
    finally:
        writer.wait(timeout=30)


def test_progress_goes_up_to_the_size_of_the_file(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, "a.csv", "".join(f"a{i},r,b\n" for i in range(20_000))))
    seen: list[int] = []
    check(source, on_progress=seen.append)
    assert len(seen) == 20
    assert seen == sorted(seen)
    assert seen[0] < seen[-1] == source.size == source.position


@pytest.mark.parametrize(
    ("suffix", "line"),
    [
        ("csv", "n{0},r,o\n"),
        ("nt", '<http://e/n{0}> <http://e/r> "{0}" .\n'),
        ("ttl", '<n{0}> <r> "{0}" .\n_:b{0} <r> [] .\n'),
    ],
)
def test_memory_does_not_grow_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, line: str
) -> None:
    monkeypatch.setattr("kgneo.loaders.rdf.NAMES_IN_MEMORY", 100)
    peaks = []
    for count in (500, 3_000):
        content = "".join(line.format(i) for i in range(100_000, 100_000 + count))
        source = open_source(write(tmp_path, f"{count}.{suffix}", content))
        check(source)  # what imports and caches take is not the file's
        tracemalloc.start()
        check(source)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5


def test_a_path_that_no_system_takes_is_an_error() -> None:
    with pytest.raises(DataError, match="cannot be read"):
        open_source("a\0b")
