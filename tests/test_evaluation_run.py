"""Runs: what is recorded, what survives an interruption, and what is waited for."""

from __future__ import annotations

import json
import tempfile
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgneo.errors import (
    DataError,
    GraphUnavailable,
    ModelError,
    ModelUnavailable,
    NotIndexed,
    QuestionError,
    UsageError,
)
from kgneo.evaluation.evaluate import Control, Outcome, evaluate
from kgneo.evaluation.experiment import Plan
from kgneo.evaluation.records import Record, RecordFile, read_records, repair
from kgneo.evaluation.run import (
    Backend,
    Configuration,
    LostServerError,
    Patience,
    Progress,
    ask_record,
    grid,
    retrieve_record,
    run_configuration,
)
from kgneo.model import Answer
from kgneo.questions import Question
from tests.evaluation_stand_in import Oracle, backend, dataset, question, questions, right_answer

CELL = Configuration("paths", hops=2, top_k=10, seed=0, question_hops=1)
PLAN = Plan("towns", limit=10, seeds=(0, 1), hops=(1, 2), top_k=(1, 5))


def patient(**options: object) -> Patience:
    return Patience(first_pause=0.001, seconds=0.05, **options)  # type: ignore[arg-type]


def run(path: Path, oracle: Oracle, asked: tuple[Question, ...] = questions(5), **options: object) -> list[Record]:
    work = partial(ask_record, configuration=CELL, ask=oracle)
    with RecordFile(path) as records:
        run_configuration(CELL, asked, records, work, **{"patience": patient(), **options})  # type: ignore[arg-type]
    return list(read_records(path))


def without_times(records: list[Record]) -> list[Record]:
    return sorted(({**record, "ms": 0} for record in records), key=lambda record: str(record["id"]))


def test_a_grid_has_every_combination_once() -> None:
    cells = grid(strategies=["a", "b"], hops=[1, 2, 1], top_k=[10], seeds=[0, 1], question_hops=[1, None])
    assert len(cells) == len({cell.name for cell in cells}) == 2 * 2 * 1 * 2 * 2


def test_the_name_of_a_configuration_can_be_a_file_name() -> None:
    assert Configuration("my/own: one", 1, 2, 3, None).name == "all_my-own--one_N1_K2_seed3"


def test_a_record_holds_the_answer_its_scores_and_its_cost(tmp_path: Path) -> None:
    record = run(tmp_path / "r.jsonl", Oracle())[0]
    assert record["answers"] == record["gold_answers"] == ["Level 1 of 0"]
    assert record["scores"]["hit_at_1"] == record["scores"]["exact"] == 1
    assert (record["calls"], record["tokens"], record["path"]) == (2, 40, "lies_in")
    assert "evidence" not in record


def test_a_wrong_answer_keeps_its_evidence(tmp_path: Path) -> None:
    right = right_answer(question(2))
    wrong = Answer(right.question, "paths", "no", answers=("Nowhere",), evidence=right.evidence)
    record = run(tmp_path / "r.jsonl", Oracle({"1/2": wrong}))[2]
    assert record["evidence"] == [["Town 2", "lies_in", "Level 1 of 2"]]


def test_what_is_recorded_is_not_asked_again(tmp_path: Path) -> None:
    oracle = Oracle()
    run(tmp_path / "r.jsonl", oracle, questions(3))
    run(tmp_path / "r.jsonl", oracle, questions(5))
    assert oracle.asked == {f"1/{number}": 1 for number in range(5)}


@settings(max_examples=40, deadline=None)
@given(stops=st.lists(st.integers(0, 9), max_size=4), torn=st.integers(0, 200), workers=st.sampled_from([1, 3]))
def test_a_run_interrupted_anywhere_ends_as_an_uninterrupted_one(stops: list[int], torn: int, workers: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = run(Path(folder) / "whole.jsonl", Oracle(), questions(10))
        path = Path(folder) / "parts.jsonl"
        for stop in stops:

            def interrupt(asked: Question, stop: int = stop) -> None:
                if asked.id == f"1/{stop}":
                    raise KeyboardInterrupt

            with suppress(KeyboardInterrupt):  # not raised when the question is recorded already
                run(path, Oracle(before=interrupt), questions(10), workers=workers)
            content = path.read_bytes()
            path.write_bytes(content[: max(0, len(content) - torn)])
        assert without_times(run(path, Oracle(), questions(10), workers=workers)) == without_times(whole)


def test_a_torn_last_line_is_cut_off_and_said(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    run(path, Oracle(), questions(2))
    with path.open("ab") as file:
        file.write(b'{"id": "1/2", "ans')
    with RecordFile(path) as records:
        assert records.repaired == len(b'{"id": "1/2", "ans')
        assert records.done == {"1/0", "1/1"}


@pytest.mark.parametrize(
    ("content", "kept"),
    [(b"", b""), (b'{"id"', b""), (b'{"id":"1"}\n', b'{"id":"1"}\n'), (b'{"id":"1"}\n\0\0\0\n', b'{"id":"1"}\n')],
)
def test_repair_leaves_whole_lines_alone(tmp_path: Path, content: bytes, kept: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    assert repair(path) == len(content) - len(kept)
    assert path.read_bytes() == kept


def test_repair_finds_the_start_of_a_very_long_last_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"id":"1"}\n' + b"x" * 200_000)
    assert repair(path) == 200_000


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id":"1"}\nrubbish\n{"id":"2"}\n')
    with pytest.raises(DataError, match=r"r\.jsonl:2: not a record"):
        RecordFile(path)


def test_a_failed_question_is_recorded_and_counts_as_wrong(tmp_path: Path) -> None:
    oracle = Oracle({"1/1": ModelError("the reply was empty"), "1/3": ValueError("a mistake")})
    records = run(tmp_path / "r.jsonl", oracle)
    assert [record["id"] for record in records] == [f"1/{number}" for number in range(5)]
    assert records[1]["error"] == {"type": "ModelError", "message": "the reply was empty"}
    assert records[3]["error"] == {"type": "ValueError", "message": "a mistake"}
    assert records[1]["scores"]["hit_at_1"] == 0


def test_failed_questions_are_asked_again_on_request(tmp_path: Path) -> None:
    plan = Plan("towns", limit=5)
    failing = Oracle({"1/1": ModelError("empty")})
    measure(tmp_path, plan, failing)
    again = Oracle()
    outcome = measure(tmp_path, plan, again, control=Control(retry_failed=True))
    assert again.asked == {"1/1": 1}
    assert outcome.summaries[0].errors == 0


def test_when_nothing_but_errors_comes_the_run_stops_and_records_nothing(tmp_path: Path) -> None:
    asked = questions(30)
    oracle = Oracle({item.id: ModelError("the key was refused") for item in asked})
    with pytest.raises(Exception, match=r"the first 10 questions all failed.*the key was refused"):
        run(tmp_path / "r.jsonl", oracle, asked)
    assert list(read_records(tmp_path / "r.jsonl")) == []


def test_a_few_questions_that_all_fail_are_recorded(tmp_path: Path) -> None:
    oracle = Oracle({item.id: ModelError("empty") for item in questions(3)})
    assert len(run(tmp_path / "r.jsonl", oracle, questions(3))) == 3


@pytest.mark.parametrize("workers", [1, 4])
def test_an_error_that_concerns_every_question_ends_the_run(tmp_path: Path, workers: int) -> None:
    oracle = Oracle({"1/2": NotIndexed("no embeddings")})
    with pytest.raises(NotIndexed):
        run(tmp_path / "r.jsonl", oracle, workers=workers)


def test_several_workers_give_the_same_records(tmp_path: Path) -> None:
    alone = run(tmp_path / "one.jsonl", Oracle(), questions(40))
    together = run(tmp_path / "four.jsonl", Oracle(), questions(40), workers=4)
    assert without_times(together) == without_times(alone)


class Losing:
    """A server that is lost when the second question comes, and is back after some tries to reach it."""

    def __init__(self, tries: int) -> None:
        self.tries = tries
        self.probed = 0
        self.lost = False
        self.lock = threading.Lock()

    def ask(self, asked: Question, configuration: Configuration) -> Answer:
        with self.lock:
            self.lost = self.lost or asked.id == "1/1"
            self._reach()
        return right_answer(asked, configuration.strategy)

    def alive(self) -> None:
        with self.lock:
            self.probed += 1
            self._reach()

    def _reach(self) -> None:
        if self.lost and self.tries > 0:
            self.tries -= 1
            raise GraphUnavailable("connection refused")


@pytest.mark.parametrize("workers", [1, 3])
def test_a_lost_server_is_waited_for_and_nothing_counts_as_wrong(tmp_path: Path, workers: int) -> None:
    losing = Losing(4)
    said: list[str] = []
    patience = patient(alive=losing.alive, notify=said.append)
    work = partial(ask_record, configuration=CELL, ask=losing.ask)
    with RecordFile(tmp_path / "r.jsonl") as records:
        run_configuration(CELL, questions(5), records, work, workers=workers, patience=patience)
    assert all(record["scores"]["hit_at_1"] == 1 for record in read_records(tmp_path / "r.jsonl"))
    assert losing.probed >= 1
    assert said[0].startswith("Lost the server (connection refused); waiting")
    assert said[-1] == "The server answers again; going on."


def test_without_a_probe_the_question_itself_is_asked_again(tmp_path: Path) -> None:
    losing = Losing(3)
    work = partial(ask_record, configuration=CELL, ask=losing.ask)
    with RecordFile(tmp_path / "r.jsonl") as records:
        run_configuration(CELL, questions(3), records, work, patience=patient())
        assert len(records.done) == 3
        assert records.failed == 0


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("probe", [True, False])
def test_a_server_that_stays_away_ends_the_run_and_keeps_what_is_done(
    tmp_path: Path, workers: int, probe: bool
) -> None:
    losing = Losing(1_000_000)
    work = partial(ask_record, configuration=CELL, ask=losing.ask)
    patience = patient(alive=losing.alive if probe else None)
    with (
        RecordFile(tmp_path / "r.jsonl") as records,
        pytest.raises(LostServerError, match="did not come back within 0 s: connection refused"),
    ):
        run_configuration(CELL, questions(9), records, work, workers=workers, patience=patience)
    kept = list(read_records(tmp_path / "r.jsonl"))
    assert all(record["error"] is None for record in kept)
    assert len(run(tmp_path / "r.jsonl", Oracle(), questions(9))) == 9


def test_a_question_that_fails_while_the_server_answers_is_a_failed_question(tmp_path: Path) -> None:
    oracle = Oracle({"1/1": ModelUnavailable("too slow")})
    records = run(tmp_path / "r.jsonl", oracle, patience=patient(alive=lambda: None, tries=3))
    assert oracle.asked["1/1"] == 3
    assert records[1]["error"]["type"] == "ModelUnavailable"


def test_a_question_without_words_fails_and_the_others_are_asked(tmp_path: Path) -> None:
    records = run(tmp_path / "r.jsonl", Oracle({"1/1": QuestionError("no words")}))
    assert [record["error"] and record["error"]["type"] for record in records][:3] == [None, "QuestionError", None]


def test_a_model_that_took_too_long_is_asked_again_and_no_server_is_said_to_be_lost(tmp_path: Path) -> None:
    said: list[str] = []
    probed: list[None] = []
    oracle = Oracle({"1/1": ModelUnavailable("no reply within 8 s")})
    run(tmp_path / "r.jsonl", oracle, patience=patient(alive=lambda: probed.append(None), tries=3, notify=said.append))
    assert oracle.asked["1/1"] == 3
    assert not probed
    assert all(line.startswith("The language model failed (no reply within 8 s)") for line in said)


def test_progress_says_how_far_the_run_is_and_how_well_it_goes(tmp_path: Path) -> None:
    seen: list[Progress] = []
    wrong = Answer("q", "paths", "no", answers=("Nowhere",))
    run(tmp_path / "r.jsonl", Oracle({"1/1": wrong}), questions(2))
    run(tmp_path / "r.jsonl", Oracle(), questions(4), on_progress=seen.append)
    assert [(now.done, now.total, now.resumed) for now in seen] == [(2, 4, 2), (3, 4, 2), (4, 4, 2)]
    assert seen[-1].hit_at_1 == 3 / 4


def test_retrieval_is_measured_for_every_k_from_one_retrieval() -> None:
    cell = Configuration("retrieve", hops=2, top_k=5, seed=0)
    record = retrieve_record(question(1, hops=3), cell, backend(), top_k=(1, 5))
    assert record["gold"] == 3
    assert record["candidates"] == [1, 1]
    assert record["gold_among_candidates"] == 2
    assert record["gold_among_top_k"] == {"1": 1, "5": 2}


def measure(folder: Path, plan: Plan, oracle: Oracle | None = None, control: Control | None = None) -> Outcome:
    return evaluate(plan, dataset(), backend(oracle), out=folder / "run", control=control)


def test_every_strategy_is_asked_the_same_questions_and_they_are_written_out(tmp_path: Path) -> None:
    outcome = measure(tmp_path, PLAN.changed(strategies=("paths", "kg-rag")))
    asked: dict[tuple[int | None, int], set[frozenset[str]]] = {}
    for item in outcome.summaries:
        cell = item.configuration
        ids = frozenset(record["id"] for record in read_records(outcome.folder.records(cell)))
        asked.setdefault((cell.question_hops, cell.seed), set()).add(ids)
    assert all(len(sets) == 1 for sets in asked.values())
    rows = [json.loads(line) for line in (tmp_path / "run/questions.jsonl").read_text().splitlines()]
    assert {row["id"] for row in rows if (row["question_hops"], row["seed"]) == (1, 0)} == next(iter(asked[1, 0]))


def test_a_folder_of_another_run_is_refused_with_what_differs(tmp_path: Path) -> None:
    measure(tmp_path, PLAN)
    with pytest.raises(UsageError, match=r"limit is 10 there and 7 here"):
        measure(tmp_path, PLAN.changed(limit=7))


def test_a_folder_made_on_another_graph_is_refused(tmp_path: Path) -> None:
    measure(tmp_path, PLAN)
    other = Backend(Oracle(), facts={"encoder": "other"})
    with pytest.raises(UsageError, match='encoder is "none" there and "other" here'):
        evaluate(PLAN, dataset(), other, out=tmp_path / "run")


def test_other_questions_under_the_same_names_are_refused(tmp_path: Path) -> None:
    measure(tmp_path, PLAN)
    with pytest.raises(UsageError, match="questions is"):
        evaluate(PLAN, dataset(21), backend(), out=tmp_path / "run")


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not a results folder"):
        measure(tmp_path, PLAN)


def test_two_runs_do_not_write_to_one_folder_at_once(tmp_path: Path) -> None:
    from filelock import FileLock

    (tmp_path / "run").mkdir()
    with FileLock(tmp_path / "run/.lock"), pytest.raises(UsageError, match="another run is writing"):
        measure(tmp_path, PLAN)


def test_a_graph_that_lacks_the_entities_is_refused_with_their_number(tmp_path: Path) -> None:
    lacking = Backend(Oracle(), missing=lambda names: [name for name in names if name != "Town 3"])
    with pytest.raises(DataError, match="the graph lacks 19 of the 20 topic entities"):
        evaluate(Plan("towns"), dataset(), lacking, out=tmp_path / "run")


def test_a_few_missing_entities_are_said_and_the_run_goes_on(tmp_path: Path) -> None:
    said: list[str] = []
    lacking = Backend(Oracle(), missing=lambda names: [name for name in names if name == "Town 3"])
    outcome = evaluate(Plan("towns"), dataset(), lacking, out=tmp_path / "run", control=Control(notify=said.append))
    assert outcome.missing == ("Town 3",)
    assert any("lacks 1 topic entities, such as Town 3" in line for line in said)


def test_retrieval_without_a_retriever_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no retriever"):
        evaluate(PLAN.changed(stage="retrieve"), dataset(), Backend(Oracle()), out=tmp_path / "run")


def test_without_a_folder_the_same_plan_finds_its_own_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    oracle = Oracle()
    first = evaluate(PLAN, dataset(), backend(oracle))
    again = evaluate(PLAN, dataset(), backend(oracle))
    other = evaluate(PLAN.changed(limit=3), dataset(), backend(oracle))
    assert first.folder.path == again.folder.path != other.folder.path
    assert first.folder.path.parent == Path("results")


def test_two_runs_with_the_same_seed_give_the_same_answers_and_figures(tmp_path: Path) -> None:
    first = measure(tmp_path / "a", PLAN)
    second = measure(tmp_path / "b", PLAN, control=Control(workers=3))
    for one, two in zip(first.summaries, second.summaries, strict=True):
        assert (one.means, one.intervals, one.by_type) == (two.means, two.intervals, two.by_type)


def test_memory_does_not_grow_with_the_number_of_questions(tmp_path: Path) -> None:
    import tracemalloc

    def peak(count: int) -> int:
        asked = questions(count)
        oracle = Oracle()
        work = partial(ask_record, configuration=CELL, ask=oracle)
        with RecordFile(tmp_path / f"{count}.jsonl") as records:
            records.append({"id": "warm up"})
            tracemalloc.start()
            run_configuration(CELL, asked, records, work)
            _, high = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        return high

    few, many = peak(200), peak(2200)
    # A record is about 700 bytes of text and several thousand as objects; what may stay is an identifier.
    assert (many - few) / 2000 < 600
