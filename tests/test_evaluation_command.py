"""`kgneo eval` on a real graph."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from kgneo.cli.main import main
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.evaluation.compare import compare
from kgneo.evaluation.records import read_records
from kgneo.graph import Graph
from kgneo.sample import questions_path
from tests.conftest import on_one_version

SAMPLE = str(questions_path())
FAST = ["--no-figures"]


def records(folder: Path) -> list[dict[str, object]]:
    return [record for path in sorted((folder / "records").iterdir()) for record in read_records(path)]


@pytest.mark.usefixtures("sample_graph")
def test_own_questions_are_measured_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "jsonl", SAMPLE, "--out", str(tmp_path / "run"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [run["question_hops"] for run in printed["runs"]] == [1, 2, 3]
    assert sum(run["n"] for run in printed["runs"]) == 20
    assert all(run["hit_at_1"] > 0 and run["p50_ms"] > 0 for run in printed["runs"])
    text = (tmp_path / "run/report.md").read_text()
    assert '"name": "minilm"' in text
    assert '"triples": 327' in text
    assert (tmp_path / "run/figures/latency.png").exists()


@pytest.mark.usefixtures("sample_graph")
def test_a_second_call_asks_nothing_again_and_gives_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["eval", "jsonl", SAMPLE, "--question-hops", "1", "--out", str(tmp_path / "run"), "--json", *FAST]
    assert main(command) == 0
    first = capsys.readouterr().out
    kept = records(tmp_path / "run")
    assert main(command) == 0
    again = capsys.readouterr()
    assert again.out == first
    assert "Going on with" in again.err
    assert records(tmp_path / "run") == kept


@pytest.mark.usefixtures("sample_graph")
def test_retrieval_is_measured_without_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = ["-n", "1", "-n", "2", "-n", "3", "-k", "5", "-k", "300"]
    command = ["eval", "jsonl", SAMPLE, "--stage", "retrieve", *grid, "--out", str(tmp_path / "run"), "--json", *FAST]
    assert main(command) == 0
    runs = {
        (run["question_hops"], run["hops"], run["top_k"]): run for run in json.loads(capsys.readouterr().out)["runs"]
    }
    for part in (1, 2, 3):
        # Every gold triple of a question of h hops is a candidate from N = h on, and kept when K bounds nothing.
        for reach in range(part, 4):
            assert runs[part, reach, 5]["recall_candidates"] == 1
        assert runs[part, part, 300]["recall_top_k"] == 1
        assert runs[part, 3, 5]["recall_top_k"] <= runs[part, 3, 300]["recall_top_k"]
    assert runs[3, 1, 300]["recall_candidates"] < 1


@pytest.mark.usefixtures("sample_graph")
def test_the_command_in_a_report_reruns_its_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"question": "what is the capital of [Ethiopia]?", "answers": ["Nowhere"], "path": "has_capital"}]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["eval", "jsonl", str(tmp_path / "own.jsonl"), "--out", str(tmp_path / "run"), *FAST]) == 0
    text = (tmp_path / "run/report.md").read_text()
    (command,) = [line.strip() for line in text.splitlines() if line.strip().startswith("kgneo ask")]
    capsys.readouterr()
    assert main([*shlex.split(command)[1:], "--quiet"]) == 0
    assert capsys.readouterr().out == "Addis Ababa\n"


@pytest.mark.usefixtures("sample_graph")
def test_without_brackets_the_entities_have_to_be_found(tmp_path: Path) -> None:
    command = ["eval", "jsonl", SAMPLE, "--question-hops", "1", "--no-brackets", "--out", str(tmp_path / "run")]
    assert main([*command, *FAST]) == 0
    asked = records(tmp_path / "run")
    assert all("[" not in str(record["question"]) for record in asked)
    assert any(record["entities"] for record in asked)


@pytest.mark.usefixtures("sample_graph")
def test_several_workers_answer_as_one_does(tmp_path: Path) -> None:
    for workers in ("1", "3"):
        command = ["eval", "jsonl", SAMPLE, "--workers", workers, "--out", str(tmp_path / workers), *FAST]
        assert main(command) == 0
    found = compare(tmp_path / "1", tmp_path / "3")
    assert (found.n, found.changes, found.f1_a) == (20, (), found.f1_b)


@on_one_version
def test_many_workers_on_a_graph_that_was_never_asked_record_every_question(
    graph: Graph, encoder: OnnxEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.write(
        "UNWIND range(1, 40) AS n CREATE (:Ship {name: 'Ship ' + n})-[:OWNED_BY]->(:Company {name: 'Line ' + n})"
    )
    (tmp_path / "encoders").symlink_to(encoder.folder.parent)
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    rows = [{"question": f"who owns [Ship {number}]?", "answers": [f"Line {number}"]} for number in range(1, 33)]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["eval", "jsonl", str(tmp_path / "own.jsonl"), "--workers", "16", "--out", str(tmp_path / "run"), *FAST]
    assert main(command) == 0
    assert [record["answers"] for record in records(tmp_path / "run")].count([]) == 0
    assert len(records(tmp_path / "run")) == len(rows)


@pytest.mark.usefixtures("sample_graph")
def test_two_runs_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for reach in ("1", "3"):
        assert main(["eval", "jsonl", SAMPLE, "--hops", reach, "--out", str(tmp_path / reach), *FAST]) == 0
    capsys.readouterr()
    assert main(["eval", "--compare", str(tmp_path / "1"), str(tmp_path / "3"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["n"], printed["gained"] > printed["lost"]) == (20, True)
    assert main(["eval", "--compare", str(tmp_path / "1"), str(tmp_path / "3")]) == 0
    assert "exact McNemar" in capsys.readouterr().out


@pytest.mark.usefixtures("sample_graph")
def test_an_experiment_is_run_by_one_command_and_flags_go_before_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = 'title = "Rivers"\ndataset = "jsonl"\nhops = [1, 2]\nquestion_hops = [1, 2]\n'
    (tmp_path / "rivers.toml").write_text(plan)
    command = ["eval", "--experiment", str(tmp_path / "rivers.toml"), SAMPLE, "--question-hops", "1", "--json"]
    assert main([*command, "--out", str(tmp_path / "run"), *FAST]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(run["question_hops"], run["hops"]) for run in runs] == [(1, 1), (1, 2)]
    assert (tmp_path / "run/report.md").read_text().startswith("# Rivers\n")


@pytest.mark.usefixtures("sample_graph")
def test_questions_about_another_graph_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.jsonl").write_text('{"question": "where is [Atlantis]?", "answers": ["?"]}\n')
    assert main(["eval", "jsonl", str(tmp_path / "own.jsonl"), "--out", str(tmp_path / "run")]) == 1
    assert "the graph lacks 1 of the 1 topic entities" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["eval"], 2, "expected a data set and its path; found 0"),
        (["eval", "metaqa"], 2, "expected a data set and its path; found 1"),
        (["eval", "nope", "here"], 2, "no data set reader is called 'nope'"),
        (["eval", "metaqa", "/nowhere"], 1, "/nowhere: no such folder"),
        (["eval", "jsonl", "/nowhere.jsonl"], 1, "/nowhere.jsonl: no such file"),
        (["eval", "--experiment", "/nowhere.toml", "here"], 1, "no such file; expected an experiment"),
        (["eval", "--experiment", "/nowhere.toml"], 2, "takes one folder or file of questions; found 0"),
        (["eval", "--compare", "/nowhere", "/else"], 1, "no results here"),
        (["eval", "--compare", "/nowhere", "/else", "metaqa"], 2, "--compare takes two runs and nothing else"),
        (["eval", "jsonl", "x", "--stage", "guess"], 2, "guess"),
    ],
)
def test_what_cannot_be_measured_is_said_without_starting_a_server(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert words in capsys.readouterr().err
