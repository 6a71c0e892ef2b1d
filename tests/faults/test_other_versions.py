"""What another version of kgneo, or somebody else, wrote into the graph as kgneo's own: read, or refused with the
command that mends it; never a traceback, never another answer."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.errors import IndexUnreadable, KgneoError, LessonWarning
from kgneo.graph import Graph
from kgneo.graph.lessons import all_lessons
from kgneo.server import RunningServer
from tests.conftest import connect, load_orders, set_address, wipe
from tests.faults import drawn

QUESTION = "which customers are in Austria?"
WRONG: tuple[Any, ...] = (None, "", '{"x": 1}', "[[1]]", [1], 7, True)
"""What a property may have become; None: it is missing."""
DRAWN = 8
MENDED = ("kgneo index", "minilm")
"""What an error says that tells how to go on: the command, or which encoders there are."""


@pytest.fixture(scope="module")
def orders(newest_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """A graph with an index, lessons and examples. Tests leave it so; the last one takes its lessons away."""
    questions = tmp_path_factory.mktemp("orders") / "questions.jsonl"
    lines = [
        {"question": "Which customers are from Spain?", "answers": ["Café Olé"]},
        {"question": "where is [Café Olé]?", "answers": ["Spain"]},
    ]
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, connect(newest_server) as graph:
        set_address(patch, newest_server)
        wipe(graph)
        load_orders(graph)
        assert main(["index"]) == 0
        assert main(["learn", str(questions)]) == 0
        yield graph


def own(graph: Graph) -> dict[str, dict[str, Any]]:
    """The properties of one of each of kgneo's own nodes, by their labels."""
    rows = graph.read(
        "MATCH (n) UNWIND labels(n) AS label WITH label, n WHERE label STARTS WITH 'Kgneo' "
        "RETURN label, properties(head(collect(n))) AS own"
    )
    return {row["label"]: row["own"] for row in rows}


def damaged(graph: Graph, labels: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    """Some of kgneo's nodes of these labels, with one property that has become something else, and whole again after
    that."""
    kept = own(graph)
    assert {*labels} <= {*kept}
    for (label, key), value in drawn([*product([(at, key) for at in labels for key in kept[at]], WRONG)], DRAWN):
        if value is None and key == "kgneo_key":
            continue
        graph.write(f"MATCH (n:{label}) WITH n LIMIT 1 SET n[$key] = $value", key=key, value=value)
        yield label, key, value
        graph.write(f"MATCH (n:{label}) WITH n LIMIT 1 SET n = $own", own=kept[label])


@contextmanager
def changed(graph: Graph, change: str, **values: Any) -> Iterator[None]:
    """The record of the index, changed for as long as the block lasts."""
    kept = own(graph)["KgneoIndex"]
    graph.write(f"MATCH (n:KgneoIndex) {change}", **values)
    yield
    graph.write("MATCH (n:KgneoIndex) SET n = $own", own=kept)


def answered(graph: Graph) -> tuple[str, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LessonWarning)
        return ask(open_context(graph), QUESTION).answers


def outcome(graph: Graph) -> tuple[str, ...] | KgneoError:
    """What a question finds, or the error that it ends in."""
    try:
        return answered(graph)
    except KgneoError as error:
        return error


def test_an_index_whose_record_is_another_is_read_or_refused_with_what_mends_it(orders: Graph) -> None:
    right = answered(orders)
    assert right
    for label, key, value in damaged(orders, ("KgneoIndex",)):
        found = outcome(orders)
        if isinstance(found, IndexUnreadable):
            assert main(["index"]) == 0
            found = outcome(orders)
        told = isinstance(found, KgneoError) and any(word in found.hint for word in MENDED)
        assert told or found == right, f"{label}.{key} = {value!r}: {found}"


def test_lessons_that_cannot_be_read_are_passed_over(orders: Graph) -> None:
    right = answered(orders)
    labels = tuple(sorted({*own(orders)} - {"KgneoIndex"}))
    assert {"KgneoLesson", "KgneoLearned"} <= {*labels}
    for label, key, value in damaged(orders, labels):
        assert answered(orders) == right, f"{label}.{key} = {value!r}"
        assert main(["learn", "--list"]) == 0


def test_a_record_with_more_than_this_version_knows_is_read(orders: Graph) -> None:
    right = answered(orders)
    shape = json.loads(own(orders)["KgneoIndex"]["shape"])
    more = json.dumps({**shape, "of_a_later_version": {"a": [1]}})
    with changed(orders, "SET n.shape = $shape, n.version = '9.0', n.later = true", shape=more):
        assert answered(orders) == right


def test_a_record_with_less_than_this_version_knows_is_read(orders: Graph) -> None:
    right = answered(orders)
    shape = json.loads(own(orders)["KgneoIndex"]["shape"])
    for key in ("umbrellas", "told", "facts", "periods", "supersedes", "kind_key"):
        shape.pop(key, None)
    with changed(orders, "SET n.shape = $shape REMOVE n.embedded, n.seal", shape=json.dumps(shape)):
        assert answered(orders) == right


def test_what_is_passed_over_is_told_with_the_command_that_removes_it(orders: Graph) -> None:
    orders.write('MATCH (n:KgneoLesson) SET n.template = \'{"answer": {"wish": 1}}\'')
    with pytest.warns(LessonWarning, match="kgneo learn --remove all"):
        assert all_lessons(orders) == []
    assert main(["learn", "--remove", "all"]) == 0
    assert answered(orders)
