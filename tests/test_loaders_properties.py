"""Loading, with texts that nobody thought of: what is written comes back exactly, and nothing else raises."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgneo.errors import DataError
from kgneo.loader import LoadOptions, check, open_source, read_triples
from kgneo.model import Triple

# A name that a graph can hold: some text that is not blank, without NUL and lone surrogates.
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: not name.isspace()
)
PIPE_NAMES = NAMES.filter(lambda name: not set(name) & set("|\n") and not name.endswith("\r"))
TRIPLES = st.lists(st.builds(Triple, NAMES, NAMES, NAMES), min_size=1, max_size=8)
PIPE_TRIPLES = st.lists(st.builds(Triple, PIPE_NAMES, PIPE_NAMES, PIPE_NAMES), min_size=1, max_size=8)
# The first example pays for an import; how long one takes is no property of the loaders.
ANY_TIME = settings(deadline=None)
FORMATS = ["metaqa", "delimited", "nt", "turtle", None]


def read(data: bytes, format: str | None, options: LoadOptions | None = None) -> list[Triple]:  # noqa: A002
    found = read_triples(open_source(io.BytesIO(data)), format=format, options=options)
    return [loaded.triple for loaded in found]


def as_csv(triples: Sequence[Triple], separator: str, line_end: str) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows((triple.subject, triple.relation, triple.object) for triple in triples)
    return text.getvalue().encode()


@ANY_TIME
@given(PIPE_TRIPLES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_pipe_separated_triples_come_back_exactly(triples: list[Triple], line_end: str, last_line_ends: bool) -> None:
    lines = [f"{triple.subject}|{triple.relation}|{triple.object}" for triple in triples]
    data = "\ufeff" + line_end.join(lines) + (line_end if last_line_ends else "")
    assert read(data.encode(), "metaqa") == triples


@ANY_TIME
@given(TRIPLES, st.sampled_from(",;\t|~"), st.sampled_from(["\n", "\r\n"]))
def test_quoted_triples_come_back_exactly(triples: list[Triple], separator: str, line_end: str) -> None:
    options = LoadOptions(separator=separator, header="no")
    data = b"\xef\xbb\xbf" + as_csv(triples, separator, line_end)
    assert read(data, "delimited", options) == triples


@ANY_TIME
@given(NAMES)
def test_literals_of_n_triples_and_turtle_come_back_exactly(name: str) -> None:
    # JSON's escapes are N-Triples' own, but for the surrogate pairs that only ASCII output needs.
    data = f"<http://e/a> <http://e/p> {json.dumps(name, ensure_ascii=False)} .\n".replace("\x7f", "\\u007F")
    expected = [Triple("a", "p", name)]
    assert read(data.encode(), "nt") == expected
    assert read(data.encode(), "turtle") == expected


@ANY_TIME
@given(st.binary(min_size=1, max_size=300), st.sampled_from(FORMATS), st.booleans())
def test_any_bytes_are_read_or_refused_with_a_data_error(
    data: bytes,
    format: str | None,  # noqa: A002
    skip: bool,
) -> None:
    rejected = io.StringIO()
    try:
        source = open_source(io.BytesIO(data))
        found = check(source, format=format, skip_bad_lines=skip, rejected=rejected)
    except DataError as error:
        assert error.file == "standard input"  # noqa: PT017
    else:
        assert found.triples > 0
        again = read_triples(source, format=format, skip_bad_lines=skip)
        assert sum(1 for _ in again) == found.triples
        assert rejected.getvalue().count("\n") == found.bad_lines


TURTLE_TOKENS = """ " ' \"\"\" <a> < > e:x : [ ] ( ) ; , . a @base \\ # 1 1. 1e true @en ^^ _:b { } = => ! ^ ?x @a """
TURTLE_PIECES = [*TURTLE_TOKENS.split(), "@prefix e: <b:> .", "\n", " "]


@ANY_TIME
@given(st.lists(st.sampled_from(TURTLE_PIECES), min_size=1, max_size=25).map(" ".join))
def test_any_turtle_like_text_is_read_or_refused_with_a_data_error(text: str) -> None:
    source = open_source(io.BytesIO(text.encode()))
    try:
        check(source, format="turtle")
    except DataError as error:
        assert error.file == "standard input"  # noqa: PT017


@ANY_TIME
@given(st.lists(st.tuples(PIPE_NAMES, st.booleans()), min_size=1, max_size=12))
def test_exactly_the_bad_lines_are_left_out(lines: list[tuple[str, bool]]) -> None:
    text = "".join(f"{name}|r|o\n" if good else f"{name}|r\n" for name, good in lines)
    names = [name for name, good in lines if good]
    source = open_source(io.BytesIO(b"\xef\xbb\xbf" + text.encode()))
    if not names:
        with pytest.raises(DataError, match=f"none of its {len(lines)} lines"):
            check(source, format="metaqa", skip_bad_lines=True)
        return
    found = check(source, format="metaqa", skip_bad_lines=True)
    assert (found.triples, found.bad_lines) == (len(names), len(lines) - len(names))
    kept = read_triples(source, format="metaqa", skip_bad_lines=True)
    assert [loaded.triple.subject for loaded in kept] == names
