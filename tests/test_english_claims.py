"""Claims are cut into statements, whatever is around them, by closed classes of English alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.english.claims import NOBODY, SOURCE, TARGET, ParsedClaim, asks, parse_claim, plain_claim
from kgneo.english.voice import said_forward


def parsed(text: str, *, definite: bool = True) -> tuple[ParsedClaim, str]:
    """A claim in which what begins with a capital behind a star is named: "*Kes was directed by *Loach"."""
    plain, spans = "", []
    for piece in re.split(r"(\*\w+)", text):
        if piece.startswith("*"):
            spans.append((len(plain), len(plain) + len(piece) - 1))
        plain += piece.removeprefix("*")
    return parse_claim(plain, spans, definite=definite), plain


def said(text: str, *, definite: bool = True) -> list[str]:
    """The statements of a claim, each as "source, words, target", unnamed things with a question mark."""
    claim, plain = parsed(text, definite=definite)
    names = [piece.removeprefix("*") for piece in re.findall(r"\*\w+", text)]
    assert all(name in plain for name in names)

    def name(thing: int) -> str:
        if thing == NOBODY:
            return "-"
        found = claim.things[thing]
        return names[found.mention] if found.named else f"?{found.noun}"

    lines = []
    for item in claim.statements:
        words = " ".join(word for word in item.words if word not in (SOURCE, TARGET))
        lines.append(f"{'not ' * item.negated}{name(item.source)} | {words} | {name(item.target)}")
    return lines


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("*Loach directed *Kes.", ["Loach | directed | Kes"]),
        ("The director of *Kes is *Loach", ["Kes | the director of is | Loach"]),
        ("*Loach is *Kes's director.", ["Loach | is 's director | Kes"]),
        ("Was *Kes directed by *Loach?", ["Kes | directed by | Loach"]),
    ],
)
def test_a_claim_of_one_hop_is_one_statement(text: str, statements: list[str]) -> None:
    assert said(text) == statements


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("*Kes was directed by *Loach and stars *Bradley", ["Kes | was directed by | Loach", "Kes | stars | Bradley"]),
        ("*Kes stars *Bradley and *Welland", ["Kes | stars | Bradley", "Kes | stars | Welland"]),
        ("*Kes and *Hunger star *Bradley", ["Kes | star | Bradley", "Hunger | star | Bradley"]),
        ("*Kes, directed by *Loach, stars *Bradley", ["Kes | directed by | Loach", "Kes | stars | Bradley"]),
        ("*Kes was made by *Loach and *Hunger was made by *Queen", ["Kes | was made by | Loach",
                                                                   "Hunger | was made by | Queen"]),
    ],
)  # fmt: skip
def test_a_conjunction_is_a_statement_for_each_thing(text: str, statements: list[str]) -> None:
    assert said(text) == statements


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("*Kes was directed by *Loach, who was born in *Nuneaton", ["Kes | was directed by | Loach",
                                                                  "Loach | was born in | Nuneaton"]),
        ("*Kes, which *Loach directed, stars *Bradley", ["Loach | directed | Kes", "Kes | stars | Bradley"]),
        ("*Bures leads *Austria where *Gorbach died in *Styria", ["Bures | leads | Austria",
                                                                 "Gorbach | died in | Styria"]),
    ],
)  # fmt: skip
def test_a_relative_clause_speaks_of_what_it_follows(text: str, statements: list[str]) -> None:
    assert said(text) == statements


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("*Kes was directed by somebody who was born in *Nuneaton", ["Kes | was directed by | ?",
                                                                    "? | was born in | Nuneaton"]),
        ("A film that stars *Bradley is by *Loach", ["?film | stars | Bradley", "?film | is by | Loach"]),
        ("A film directed by *Loach stars *Bradley", ["?film | directed by | Loach", "?film | stars | Bradley"]),
        ("The director of *Kes wrote *Hunger", ["?director | is director of | Kes", "?director | wrote | Hunger"]),
        ("*Loach lives in *Ethiopia's capital", ["Loach | lives in | ?capital", "?capital | is capital of | Ethiopia"]),
    ],
)  # fmt: skip
def test_what_has_no_name_is_a_thing_of_its_own(text: str, statements: list[str]) -> None:
    assert said(text) == statements


def test_a_description_is_no_thing_where_it_is_not_to_be_one() -> None:
    assert said("The director of *Kes wrote *Hunger", definite=False) == ["Kes | the director of wrote | Hunger"]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("*Loach had a film", ["Loach | had | ?film"]),
        ("Somebody directed *Kes", ["? | directed | Kes"]),
        ("*Kes is a film", ["Kes | is a film | -"]),
    ],
)
def test_an_existence_has_one_name(text: str, statements: list[str]) -> None:
    assert said(text) == statements


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("*Kes was not directed by *Loach", ["not Kes | was directed by | Loach"]),
        ("*Kes wasn't directed by *Loach", ["not Kes | was directed by | Loach"]),
        ("*Kes is not a film by *Loach", ["not Kes | is a film by | Loach"]),
        ("*Kes has no director", ["not Kes | has | ?director"]),
        ("*Loach did not direct *Kes but wrote *Hunger", ["not Loach | did direct | Kes", "Loach | wrote | Hunger"]),
        ("Neither *Kes nor *Hunger stars *Queen", ["not Kes | stars | Queen", "not Hunger | stars | Queen"]),
    ],
)
def test_a_negation_belongs_to_its_statement(text: str, statements: list[str]) -> None:
    assert said(text) == statements


def test_not_only_denies_nothing() -> None:
    assert said("*Kes was not only directed by *Loach") == ["Kes | was not only directed by | Loach"]


@pytest.mark.parametrize(
    "text",
    [
        "Yeah, I know that *Kes was directed by *Loach!",
        "Did you know *Kes was directed by *Loach?",
        "Well, *Kes was directed by *Loach, right?",
        "My friend told me that *Kes was directed by *Loach.",
        "As far as I know, *Kes was directed by *Loach, too.",
        "I'm pretty sure that *Kes was directed by *Loach",
    ],
)
def test_what_a_speaker_puts_around_a_claim_is_left_out(text: str) -> None:
    assert said(text) == ["Kes | was directed by | Loach"]


def test_a_claim_that_is_said_to_be_false_is_denied() -> None:
    claim, _ = parsed("It is not true that *Kes was directed by *Loach.")
    assert claim.denied
    assert said("It is not true that *Kes was directed by *Loach.") == ["Kes | was directed by | Loach"]


def test_another_source_is_kept_where_the_sentence_leaves_it_open() -> None:
    claim, _ = parsed("*Kes was built by *Werft in *Papenburg")
    assert [(item.source, [other for other, _ in item.others]) for item in claim.statements] == [(0, []), (0, [1])]


TEXTS = st.text(alphabet=st.sampled_from("abXY ,.'’!?-()\n*\ue000"), max_size=60)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)), max_size=4))
def test_any_text_is_cut_into_statements_about_its_own_things(text: str, wanted: list[tuple[int, int]]) -> None:
    spans: list[tuple[int, int]] = []
    for start, length in sorted(wanted):
        if start + length <= len(text) and (not spans or spans[-1][1] <= start):
            spans.append((start, start + length))
    claim = parse_claim(text, spans)
    numbers = range(len(claim.things))
    assert all(item.source in numbers and item.target in (NOBODY, *numbers) for item in claim.statements)
    assert all(thing.mention < len(spans) for thing in claim.things)


@given(st.text(max_size=80))
def test_what_is_left_of_a_claim_is_plain_already(text: str) -> None:
    plain, _ = plain_claim(text)
    assert plain_claim(plain) == (plain, False)


@pytest.mark.parametrize(
    ("words", "relation", "forward"),
    [
        ("S was taught by T", "taught_by", True),
        ("S taught T", "taught_by", False),
        ("S is the trainer of T", "trained_by", False),
        ("S taught T", "TAUGHT", True),
        ("S was taught by T", "TAUGHT", False),
        ("S is the trainer of T", "TRAINED", True),
        ("S is a tributary of T", "tributary_of", True),
        ("S is the release year of T", "release_year", False),
        ("S is the parent of T", "parent", False),
        ("S 's parent is T", "parent", True),
        ("S has the parent T", "has_parent", True),
        ("S sings T", "parent", None),
    ],
)
def test_the_way_of_a_relation_is_told_by_the_words(words: str, relation: str, forward: bool | None) -> None:
    assert said_forward(words.split(), relation, "S", "T") is forward


@pytest.mark.parametrize(
    "text",
    [
        "Which rivers flow through Germany?",
        "In which city was Loach born",
        "Was Kes directed by Loach?",
        "Doesn't Kes star Bradley?",
        "list the films of Loach",
    ],
)
def test_a_question_is_told_by_its_first_words(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "Did you know that Kes was directed by Loach?",
        "Kes was directed by Loach, wasn't it?",
        "Really? I thought Kes was directed by Loach.",
        "What Women Want stars Gibson",
        "Having been born in Nuneaton, Loach directed Kes.",
    ],
)
def test_a_claim_is_no_question(text: str) -> None:
    assert not asks(text)
