"""Inputs that are almost right: every parser reads or refuses them, with an error of kgneo's own, and in time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from kgneo.asking.claim import verify
from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.errors import DataError, KgneoError
from kgneo.options_file import read_toml
from kgneo.terms.edit import opened
from kgneo.terms.file import read_terms
from tests.faults import ALL, SEED
from tests.faults.mutations import mutated
from tests.faults.parsers import PARSERS

INPUTS = 10_000 if ALL else 300
ASKED = 2_000 if ALL else 60
LONGEST = 120.0
"""Seconds after which an input is taken to have no end; on a busy machine, planning a large query alone takes ten."""
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
