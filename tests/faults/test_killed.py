"""Commands that are ended at any moment, or their server: run again, they end as a run that nobody disturbed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from kgneo.cli.main import main
from kgneo.graph import Graph
from kgneo.server import RunningServer, start
from kgneo.server.process import find_process
from kgneo.server.stores import Store
from tests.conftest import VERSIONS, connect, set_address, wipe
from tests.faults import ALL, drawn
from tests.faults.commands import FAULTS, LONGEST, disturbed, done, kgneo, moments
from tests.faults.dump import Dump, difference, dump, settled
from tests.tiny_gguf import make_tiny_gguf

TIMES = {"killed": 10} if ALL else {}
"""Moments at which each command is disturbed in a way, where that is not OTHERWISE."""
OTHERWISE = 3 if ALL else 1
PEOPLE = 900 if ALL else 300
"""Of whom two triples each are more than one batch of embeddings."""
OF_AN_ANSWER = ("timings_ms", "seconds", "ms")
"""What the record of an answer tells of the run."""


@dataclass(frozen=True, slots=True)
class Changing:
    """A command that changes the graph, and those that make the graph that it begins with. `{files}` stands for the
    folder of what they read."""

    command: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Writing:
    """A command that writes into the folder in which it runs, and what of it counts."""

    command: tuple[str, ...]
    read: Callable[[Path], object]


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def results(folder: Path) -> list[str]:
    """What an evaluation found of each question, without what tells of the run."""
    return sorted(
        json.dumps({key: value for key, value in json.loads(line).items() if key not in OF_AN_ANSWER}, sort_keys=True)
        for file in (folder / "out" / "records").glob("*.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    )


SHOP, TRIPLES = ("load", "{files}/shop"), ("load", "{files}/people.tsv")
BARE = ("load", "--no-index", "{files}/people.tsv")
CHANGING = {
    "load of triples": Changing(TRIPLES),
    "load of a property graph": Changing(SHOP),
    "index": Changing(("index",), (BARE,)),
    "index --remove": Changing(("index", "--remove"), (TRIPLES,)),
    "learn query graphs": Changing(("learn", "{files}/asked.jsonl"), (SHOP,)),
    "learn relation paths": Changing(("learn", "{files}/marked.jsonl"), (TRIPLES,)),
}
WRITING = {
    "eval": Writing(("eval", "jsonl", "{files}/asked.jsonl", "--out", "out", "--no-figures"), results),
    "terms draft": Writing(("terms", "draft"), contents),
    "terms add": Writing(("terms", "add", "friend", "--for", "KNOWS"), contents),
    "tune data": Writing(("tune", "data", "--questions", "1", "--out", "o"), contents),
}


def cases(faults: Sequence[str], commands: Sequence[str]) -> list[object]:
    """Each fault with each command, or with one that is drawn, another one for each fault."""
    chosen = list(product(faults, commands)) if ALL else list(zip(faults, drawn(commands, len(faults)), strict=True))
    return [pytest.param(fault, command, id=f"{command}, {fault}") for fault, command in chosen]


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server of its own, to be killed."""
    running = start(tmp_path_factory.mktemp("killed") / "store", version=VERSIONS[0], heap="600m", page_cache="100m")
    yield running
    if process := find_process(Store(running.store.resolve())):
        process.kill()


@pytest.fixture
def own_graph(own_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    set_address(monkeypatch, own_server)
    with connect(own_server) as graph:
        wipe(graph)
        yield graph


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands read: triples, a property graph, and questions about each."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "shop").mkdir()
    lines = [
        f"person {n}\tknows\tperson {(n * 7) % PEOPLE}\nperson {n}\tlives_in\ttown {n % 40}" for n in range(PEOPLE)
    ]
    people = [f"{n},Person {n},{20 + n % 60},Person" for n in range(PEOPLE)]
    knows = [f"{n},{(n * 7) % PEOPLE},{2000 + n % 20},KNOWS" for n in range(PEOPLE)]
    texts = {
        "people.tsv": lines,
        "shop/people.csv": ["id:ID,name,age:int,:LABEL", *people],
        "shop/knows.csv": [":START_ID,:END_ID,since:int,:TYPE", *knows],
        "asked.jsonl": asked("Whom does Person {} know?", "Person {}"),
        "marked.jsonl": asked("whom does [person {}] know?", "person {}"),
    }
    for name, content in texts.items():
        (folder / name).write_text("\n".join(content) + "\n", encoding="utf-8")
    return folder


def asked(question: str, answer: str) -> list[str]:
    """Questions about whom people know, with their answers."""
    return [
        json.dumps({"question": question.format(n), "answers": [answer.format((n * 7) % PEOPLE)]})
        for n in range(0, PEOPLE, 30)
    ]


def of(command: Sequence[str], files: Path) -> list[str]:
    return [part.format(files=files) for part in command]


def prepare(steps: Sequence[Sequence[str]], files: Path) -> None:
    """Commands whose end nobody disturbs, in this process: it has imported already what they need."""
    for step in steps:
        assert main(of(step, files)) == 0


@pytest.mark.parametrize(("fault", "name"), cases(list(FAULTS), list(CHANGING)))
def test_a_graph_is_as_after_one_whole_run(
    own_graph: Graph, own_server: RunningServer, files: Path, fault: str, name: str
) -> None:
    command = of(CHANGING[name].command, files)

    def prepared() -> None:
        wipe(own_graph)
        prepare(CHANGING[name].before, files)

    prepared()
    seconds = done(command)
    right = dump(own_graph)
    for moment in moments(TIMES.get(fault, OTHERWISE), seconds):
        prepared()
        there = disturbed(command, moment, FAULTS[fault], own_server.store)
        done(command)
        found = settled(own_graph, right)
        told = f"{fault} after {moment:.2f} of {seconds:.2f} s: {there}"
        assert found == right, f"{told}: {difference(found, right)}"


@pytest.fixture
def shop(own_graph: Graph, files: Path) -> Graph:
    """The property graph, loaded."""
    prepare((SHOP,), files)
    return own_graph


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(("fault", "name"), cases(list(FAULTS) if ALL else ["killed"], list(WRITING)))
def test_files_are_as_after_one_whole_run(
    own_server: RunningServer, files: Path, tmp_path: Path, fault: str, name: str
) -> None:
    command, read = of(WRITING[name].command, files), WRITING[name].read
    whole = tmp_path / "whole"
    whole.mkdir()
    done(command, whole)  # which makes what is kept of the graph, so that the next one is as quick as those killed
    shutil.rmtree(whole)
    whole.mkdir()
    seconds = done(command, whole)
    right = read(whole)
    assert right
    for number, moment in enumerate(moments(TIMES.get(fault, OTHERWISE), seconds)):
        place = tmp_path / str(number)
        place.mkdir()
        there = disturbed(command, moment, FAULTS[fault], own_server.store, place)
        done(command, place)
        assert read(place) == right, f"{fault} after {moment:.2f} of {seconds:.2f} s: {there}"


@pytest.mark.skipif(not ALL, reason="torch is imported three times for each moment: make faults does it")
@pytest.mark.parametrize("fault", ["killed", "interrupted twice"])
def test_an_adapter_is_trained_as_in_one_whole_run(tmp_path: Path, fault: str) -> None:
    if missing := [module for module in ("torch", "peft", "accelerate", "gguf") if find_spec(module) is None]:
        pytest.skip(f"{', '.join(missing)} not installed (extra: tune)")
    chat = [
        {"role": role, "content": text} for role, text in (("user", "Who?"), ("assistant", "Keanu Reeves"))
    ]  # fmt: skip
    for name in ("train", "dev"):
        (tmp_path / f"{name}.jsonl").write_text(f"{json.dumps({'messages': chat})}\n" * 4, encoding="utf-8")
    base = make_tiny_gguf(tmp_path / "tiny.gguf")
    command = ["tune", "train", str(tmp_path), "--base", str(base), "--rank", "4", "--batch", "2", "--longest", "128"]
    command += ["--steps", "40", "--every", "4", "--learning-rate", "0.02"]
    seconds = done([*command, "--out", str(tmp_path / "whole")])
    right = tensors(tmp_path / "whole" / "adapter.gguf")
    for number, moment in enumerate(moments(TIMES.get(fault, OTHERWISE), seconds)):
        out = tmp_path / str(number)
        there = disturbed([*command, "--out", str(out)], moment, FAULTS[fault], tmp_path)
        done([*command, "--out", str(out)])
        found = tensors(out / "adapter.gguf")
        told = f"{fault} after {moment:.2f} of {seconds:.2f} s: {there}"
        assert found.keys() == right.keys(), told
        assert all(np.allclose(found[key], right[key], atol=1e-4) for key in right), told
        shutil.rmtree(out)


def tensors(adapter: Path) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """The weights of an adapter by name."""
    from gguf import GGUFReader

    return {item.name: np.array(item.data, np.float32) for item in GGUFReader(adapter).tensors}


@pytest.mark.parametrize("name", drawn(list(CHANGING), 1))
def test_two_that_change_a_graph_at_once_end_as_one_does(own_graph: Graph, files: Path, name: str) -> None:
    command, before = of(CHANGING[name].command, files), CHANGING[name].before
    prepare(before, files)
    done(command)
    right: Dump = dump(own_graph)
    wipe(own_graph)
    prepare(before, files)
    both_at_once(command)
    done(command)
    assert settled(own_graph, right) == right


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("name", drawn(list(WRITING), 1))
def test_two_that_write_files_at_once_end_as_one_does(files: Path, tmp_path: Path, name: str) -> None:
    command, read = of(WRITING[name].command, files), WRITING[name].read
    whole, shared = tmp_path / "whole", tmp_path / "shared"
    for folder in (whole, shared):
        folder.mkdir()
    done(command, whole)
    both_at_once(command, shared)
    done(command, shared)
    assert read(shared) == read(whole)


def both_at_once(command: Sequence[str], folder: Path | None = None) -> None:
    """Two processes of a command: each does what it should, or says in an error why not."""
    both = [kgneo(command, folder), kgneo(command, folder)]
    told = [process.communicate(timeout=LONGEST)[1].decode() for process in both]
    busy = ["another run is writing" in text for text in told]
    assert all(process.returncode in (0, 1) or other for process, other in zip(both, busy, strict=True)), told
    assert not any("Traceback" in text for text in told), told
