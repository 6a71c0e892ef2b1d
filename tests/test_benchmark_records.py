"""What `benchmarks.cypher` and `benchmarks.papers` keep, count and draw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import cypher, papers, trust
from benchmarks.common import Records
from benchmarks.papers import Measured, draw
from kgneo.stages.agree import LARGE
from kgneo.strategies.auto import SAME, TOOK, WROTE


def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "records.jsonl"
    for _ in range(2):
        records = Records(file)
        assert records.of({"id": "a", "hops": 1}, lambda: {"exact": True})["exact"] is True
    assert Records(file).of({"hops": 1, "id": "a"}, lambda: pytest.fail("asked again"))["exact"] is True
    assert Records(file).of({"hops": 2, "id": "a"}, lambda: {"exact": False})["exact"] is False
    assert len(file.read_text().splitlines()) == 2


def test_a_line_that_was_not_written_to_its_end_is_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text('{"key": {"id": "a"}, "exa')
    assert Records(file).of({"id": "a"}, lambda: {"exact": True})["exact"] is True


def record(*, right: bool, read: bool, same: bool) -> dict[str, object]:
    """A question of `benchmarks.cypher`."""
    return {"cypher": right, "paths": read, "same": same, "calls": 2, "tokens": 100, "seconds": 1.0}


def test_precision_is_that_of_the_answers_which_both_readers_give() -> None:
    found = [
        record(right=True, read=True, same=True),
        record(right=False, read=False, same=True),
        record(right=True, read=False, same=False),
        record(right=False, read=True, same=False),
    ]
    assert cypher.row_of("set", found)[:6] == ("set", 4, 0.5, 0.5, 2, 0.5)


def test_where_no_answers_agree_there_is_no_precision() -> None:
    assert cypher.row_of("set", [record(right=True, read=False, same=False)])[4:6] == (0, "–")


def test_accuracy_against_tokens_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    measured = {
        (name, hops): Measured(
            hits=[True, False], exact=[True, False], calls=[1, 2], tokens=[0, 900], seconds=[1.0, 2.0]
        )
        for name in papers.EVERY
        for hops in papers.HOPS
    }
    draw(measured, tmp_path, "a model")
    assert (tmp_path / "accuracy-tokens.png").stat().st_size > 10_000


def test_the_trust_in_a_model_is_fitted_to_how_often_it_was_right_against_the_reader() -> None:
    wrote = [trust.Given("ships", 0.5, kept=False, right=number < 30) for number in range(60)]
    agreed = [trust.Given("ships", 0.5, kept=False, right=False, same=True) for _ in range(60)]
    fitted = trust.fitted([*wrote, *agreed], LARGE)
    assert fitted.wrote < LARGE.wrote
    assert fitted.took == LARGE.took
    assert trust.surprise(wrote, fitted) < trust.surprise(wrote, LARGE)


def test_records_say_how_an_answer_came_about_and_whose_it_is(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    unsure = "The reader is not sure of its reading (0.34)."
    told = [[unsure, TOOK], [unsure, WROTE, SAME], [unsure, WROTE, f"{trust.KEPT} (0.80)."], [unsure]]
    lines = [{"key": {"set": "ships"}, "how": how, "exact": True} for how in told]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [(i.reader, i.took, i.same, i.kept) for i in trust.read(file)] == [
        (0.34, True, False, False), (0.34, False, True, False), (0.34, False, False, True)
    ]  # fmt: skip
