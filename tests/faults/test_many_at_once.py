"""Many at once: the first question by many threads and processes, and questions while others write."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.learning.paths import learn_questions
from kgneo.questions import Question
from kgneo.server import RunningServer
from tests.conftest import connect, load_file, on_one_version
from tests.faults import ALL

pytestmark = on_one_version
THREADS, PROCESSES = 16, 8 if ALL else 4
TIMES = 5 if ALL else 1
WRITES = 60 if ALL else 12
FILL = """
UNWIND range(0, 299) AS n
MERGE (a:Person {name: 'Person ' + n + 'x'})
MERGE (b:Town {name: 'Town ' + (n % 40) + 'y'})
CREATE (a)-[:LIVES_IN]->(b)
"""
QUESTION, RIGHT = "where does Person 7x live?", ("Town 7y",)


@pytest.fixture
def towns(graph: Graph) -> Iterator[Graph]:
    graph.write(FILL)
    yield graph
    forget(graph)


def forget(graph: Graph) -> None:
    """Take away what is kept of a graph on this machine."""
    shutil.rmtree(LocalCache(graph).folder, ignore_errors=True)


def answers(graph: Graph, question: str) -> tuple[str, ...]:
    return ask(open_context(graph), question).answers


def test_the_first_question_may_be_asked_by_many_threads(towns: Graph, server: RunningServer) -> None:
    def first(_: int) -> tuple[str, ...]:
        with connect(server) as own:
            return answers(own, QUESTION)

    for _ in range(TIMES):
        forget(towns)
        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(first, range(THREADS))) == [RIGHT] * THREADS


def test_the_first_question_may_be_asked_by_many_processes(towns: Graph) -> None:
    command = [sys.executable, "-m", "kgneo", "ask", "--here", "--quiet", QUESTION]
    for _ in range(TIMES):
        forget(towns)
        running = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(PROCESSES)
        ]
        said = [process.communicate(timeout=300) for process in running]
        assert [out for out, _ in said] == [f"{RIGHT[0]}\n"] * PROCESSES, said
    assert list(LocalCache(towns).folder.rglob("*draft*")) == []


def while_it_goes_on(work: Callable[[], None], check: Callable[[], None]) -> None:
    """Check again and again until the work is done, and once behind it."""
    failed: list[BaseException] = []

    def working() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=working)
    thread.start()
    while thread.is_alive():
        check()
    thread.join()
    check()
    assert not failed, failed


def test_a_question_behind_a_write_sees_it(towns: Graph, server: RunningServer) -> None:
    context = open_context(towns)
    assert ask(context, QUESTION).answers == RIGHT
    with connect(server) as writing:
        for number in range(WRITES):
            name, town = f"Arrival {number}z", f"Place {number}w"
            writing.write("CREATE (:Person {name: $name})-[:LIVES_IN]->(:Town {name: $town})", name=name, town=town)
            assert ask(context, f"where does {name} live?").answers == (town,)
            writing.write(
                "MATCH (:Person {name: $name})-[r:LIVES_IN]->(town) SET town.name = $town", name=name, town=f"{town}s"
            )
            assert ask(context, f"where does {name} live?").answers == (f"{town}s",)


def test_questions_are_right_while_others_write_the_same_graph(towns: Graph, server: RunningServer) -> None:
    context = open_context(towns)

    def write() -> None:
        with connect(server) as writing:
            for number in range(WRITES):
                writing.write("CREATE (:Person {name: $name})", name=f"Guest {number}q")

    while_it_goes_on(write, lambda: _is(ask(context, QUESTION).answers, RIGHT))
    assert ask(context, "how many people are there?").answers == (str(300 + WRITES),)


def _is(found: tuple[str, ...], right: tuple[str, ...]) -> None:
    assert found == right


def test_a_label_that_is_new_is_asked_about_at_once(towns: Graph, server: RunningServer) -> None:
    context = open_context(towns)
    assert ask(context, QUESTION).answers == RIGHT
    with connect(server) as writing:
        for number, label in enumerate(("Harbour", "Airport", "Museum")[: 3 if ALL else 1]):
            writing.write(
                f"MATCH (town:Town {{name: 'Town 7y'}}) CREATE (:{label} {{name: $name}})-[:STANDS_IN]->(town)",
                name=f"Building {number}v",
            )
            assert ask(context, f"how many {label.lower()}s are there?").answers == ("1",)


def test_questions_are_right_while_triples_are_added(graph: Graph, server: RunningServer, tmp_path: Path) -> None:
    first, second = tmp_path / "first.tsv", tmp_path / "second.tsv"
    first.write_text("".join(f"person {n}\tlives_in\ttown {n % 40}\n" for n in range(300)), encoding="utf-8")
    second.write_text("".join(f"guest {n}\tlives_in\ttown {n % 40}\n" for n in range(3000)), encoding="utf-8")
    load_file(graph, first)
    context = open_context(graph)

    def add() -> None:
        with connect(server) as writing:
            load_file(writing, second)

    while_it_goes_on(add, lambda: _is(ask(context, "where does [person 7] live?").answers, ("town 7",)))
    assert ask(context, "where does [guest 2999] live?").answers == ("town 39",)


def test_questions_are_right_while_it_is_learned(towns: Graph, server: RunningServer) -> None:
    context = open_context(towns)
    taught = tuple(Question(str(n), f"home of Person {n}x", (f"Town {n % 40}y",)) for n in range(20 if ALL else 6))

    def learn() -> None:
        with connect(server) as writing:
            learn_questions(open_context(writing), taught)

    while_it_goes_on(learn, lambda: _is(ask(context, QUESTION).answers, RIGHT))
