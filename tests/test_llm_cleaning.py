"""Cleaning of replies, whole and in pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.llm.cleaning import Cleaner, clean, defuse

FRAGMENTS = [
    *("<s>", "</s>", "[INST]", "[/INST]", "<|im_end|>", "<|im_start|>", "assistant", "<|eot_id|>", "<|x|>"),
    *(
        "<think>",
        "</think>",
        "<thinking>",
        "</thinking>",
        "<END>",
        "?",
        " ",
        "\n",
        "<",
        "<|",
        "|>",
        "[",
        "a",
        "é",
    ),
    *("The Matrix", "key-0123456789"),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=12).map("".join)
STOPS = st.lists(st.sampled_from(["<END>", "?", "\n\n", "</s", "The"]), max_size=3, unique=True)


def in_pieces(text: str, cuts: list[int], cleaner: Cleaner) -> str:
    """What streaming hands out for `text` cut at `cuts`."""
    bounds = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    out = [cleaner.feed(text[start:end]) for start, end in pairwise(bounds)]
    return "".join([*out, cleaner.finish()])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("<s> Keanu Reeves</s>", "Keanu Reeves"),
        ("[/INST] Keanu Reeves", "Keanu Reeves"),
        ("Keanu Reeves<|im_end|>\n<|im_start|>user\nAnd?", "Keanu Reeves"),
        ("<|im_start|>assistant\nKeanu Reeves<|eot_id|>", "Keanu Reeves"),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nyes", "yes"),
        ("</s>Keanu Reeves", "Keanu Reeves"),
        ("Keanu Reeves [INST] next question [/INST] invented", "Keanu Reeves"),
        ("a <|anything|> b", "a  b"),
        ("a < b and [c] |> d", "a < b and [c] |> d"),
        ("\n  text \n", "text"),
        ("<end", "<end"),
        ("", ""),
    ],
)
def test_control_tokens_and_outer_blanks_go(raw: str, expected: str) -> None:
    assert clean(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("<think>who?\n</think>\n\nKeanu", "Keanu"),
        ("<think></think>Keanu", "Keanu"),
        ("Before <think>x</think>after", "Before after"),
        ("<think>cut in the middle of a tho", ""),
        ("reasoning that the template opened</think>\nKeanu", "Keanu"),
        ("<thinking>x</thinking>Keanu", "Keanu"),
        ("[THINK]x[/THINK]Keanu", "Keanu"),
    ],
)
def test_think_blocks_go(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_a_block_that_the_prompt_opened_is_left_by_its_end() -> None:
    assert clean("is it? yes</think>Keanu", ("?",), thinking=True) == "Keanu"


def test_text_from_the_first_stop_string_on_goes() -> None:
    assert clean("one <END> two ? three", ("?", "<END>")) == "one"


def test_a_stop_string_inside_a_think_block_does_not_count() -> None:
    assert clean("<think>Who? <END></think>Keanu<END>rest", ("<END>", "?")) == "Keanu"


def test_a_secret_is_replaced_even_when_it_comes_in_pieces() -> None:
    cleaner = Cleaner(secrets=("key-0123456789",))
    handed_out = [cleaner.feed(character) for character in "the key-0123456789 was sent"]
    assert "".join([*handed_out, cleaner.finish()]) == "the [secret] was sent"


def test_a_cleaner_says_when_the_model_can_be_stopped() -> None:
    cleaner = Cleaner(("<END>",))
    cleaner.feed("yes <EN")
    assert not cleaner.ended
    cleaner.feed("D> no")
    assert cleaner.ended


def test_plain_text_is_handed_out_without_delay() -> None:
    cleaner = Cleaner(("<END>",))
    assert [cleaner.feed("The"), cleaner.feed(" Matrix")] == ["The", " Matrix"]


@given(TEXTS, st.lists(st.integers(0, 200), max_size=20), STOPS, st.booleans())
def test_any_pieces_give_the_text_of_the_whole(text: str, cuts: list[int], stops: list[str], thinking: bool) -> None:
    cleaner = Cleaner(stops, thinking=thinking, secrets=("key-0123456789",))
    in_pieces(text, cuts, cleaner)
    assert cleaner.text == clean(text, stops, thinking=thinking, secrets=("key-0123456789",))


@given(TEXTS, st.lists(st.integers(0, 200), max_size=20), STOPS)
def test_what_is_handed_out_in_pieces_is_the_text(text: str, cuts: list[int], stops: list[str]) -> None:
    # What stands before a lone closing tag has been handed out by then: the one exception.
    text = text.replace("</think>", "").replace("</thinking>", "")
    cleaner = Cleaner(stops)
    assert in_pieces(text, cuts, cleaner) == clean(text, stops)


@given(TEXTS, STOPS)
def test_no_stop_string_is_left_in_text_without_think_blocks(text: str, stops: list[str]) -> None:
    for tag in FRAGMENTS[:14]:
        text = text.replace(tag, "")
    cleaned = clean(text, stops)
    assert all(stop not in cleaned for stop in stops) or any("<" in stop for stop in stops)


@given(st.text(alphabet="abc .,\n", max_size=60))
def test_ordinary_text_only_loses_outer_blanks(text: str) -> None:
    assert clean(text) == text.strip()


def test_control_tokens_in_a_prompt_are_broken_up() -> None:
    assert defuse("a</s>b<|im_start|>system [INST]") == "a< /s>b< |im_start|>system [ INST]"


@given(TEXTS)
def test_a_defused_text_holds_no_control_token(text: str) -> None:
    defused = defuse(text)
    assert "<|im_end|>" not in defused
    assert "</s>" not in defused
    assert "[INST]" not in defused


def test_half_of_a_character_is_replaced_and_two_halves_are_one() -> None:
    assert clean("a\ud800b") == "a\ufffdb"
    cleaner = Cleaner()
    assert cleaner.feed("x\ud83d") + cleaner.feed("\ude00y\ud800") + cleaner.finish() == "x\U0001f600y\ufffd"
