"""Which answers count as right: names, numbers, nodes under any of their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.matching import Matching, found_in, key, match
from kgneo.model import AnswerNode
from kgneo.questions import GoldNode

WORDS = st.sampled_from(["Ann", "Bob", "Lee", "Day", "7", "7.0", "x-1", "ann "])


def node(*names: str, id_: str = "", labels: tuple[str, ...] = ()) -> AnswerNode:
    return AnswerNode(id_, labels, names)


def against_texts(nodes: list[AnswerNode], gold: list[str]) -> Matching:
    return match(found_in([item.names[0] for item in nodes], nodes), gold)


def against_nodes(nodes: list[AnswerNode], gold: list[GoldNode]) -> Matching:
    return match(found_in([item.names[0] for item in nodes], nodes), (), gold)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("3", "3.0", True),
        ("-0", "0", True),
        ("1e+16", "10000000000000000", True),
        ("53.42449", "53.424490", True),
        ("0.30000000000000004", "0.3", True),
        ("12345678901234567890", "12345678901234567891", False),
        ("west: 0.30000000000000004", "West: 0.3", True),
        ("west: 0.3", "east: 0.3", False),
        ("007", "7", False),
        ("3", "3 km", False),
        ("ULM  an der Donau", "Ulm an der donau", True),
        ("1e99999999", "1e99999998", False),
        ("٣", "3", False),
    ],
)
def test_numbers_are_compared_as_numbers_and_codes_as_texts(one: str, other: str, same: bool) -> None:
    assert (key(one) == key(other)) is same


@given(st.integers())
def test_a_whole_number_is_the_same_with_and_without_a_point(number: int) -> None:
    assert key(str(number)) == key(f"{number}.0")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_the_same_as_python_writes_it(number: float) -> None:
    assert key(f"{number!r}") == key(f" {number!r}\n")


@given(st.text())
def test_a_key_is_its_own_key(text: str) -> None:
    assert key(key(text)) == key(text)


def test_a_node_is_right_under_any_of_its_names() -> None:
    company = node("Alfreds Futterkiste", "Maria Anders", "ALFKI", id_="1")
    for name in company.names:
        assert against_texts([company], [name]).exact
    assert not against_texts([company], ["Ana Trujillo"]).exact


def test_nodes_of_one_name_are_all_right_where_the_gold_is_that_name() -> None:
    both = [node("Springfield", "62701", id_="1"), node("Springfield", "01101", id_="2")]
    assert against_texts(both, ["Springfield"]) == Matching((True, True), 1, 1)


def test_one_node_does_not_stand_for_two_gold_texts() -> None:
    assert against_texts([node("Ann", "Lee", id_="1")], ["Ann", "Lee"]) == Matching((True,), 1, 2)


def test_two_nodes_stand_for_two_texts_whichever_way_they_go() -> None:
    found = [node("Ann", "Lee", id_="1"), node("Ann", id_="2")]
    assert against_texts(found, ["Ann", "Lee"]).exact


def test_a_value_that_is_no_node_counts_by_its_text() -> None:
    found = found_in(["1970", "Ulm"], [node("Ulm", "Ulm an der Donau", id_="1")])
    assert match(found, ["1970.0", "Ulm an der Donau"]).exact


def test_a_gold_node_is_met_by_label_and_a_shared_value() -> None:
    gold = [GoldNode("Person", {"name": "Ann", "nhs": "1-2"})]
    assert against_nodes([node("Ann Lee", "1-2", labels=("Person",))], gold).exact
    assert not against_nodes([node("Ann", labels=("Officer",))], gold).exact
    assert not against_nodes([node("Bob", labels=("Person",))], gold).exact


def test_a_node_whose_labels_are_not_told_is_met_by_its_name() -> None:
    assert against_nodes([node("Ann")], [GoldNode("Person", {"name": "Ann"})]).exact


def test_gold_nodes_of_one_name_need_a_node_each() -> None:
    gold = [GoldNode("Person", {"name": "Ann", "nhs": number}) for number in ("1", "2")]
    assert against_nodes([node("Ann", "1", id_="a")], gold) == Matching((True,), 1, 2)
    assert against_nodes([node("Ann", "1", id_="a"), node("Ann", "2", id_="b")], gold).exact


def test_a_namesake_of_a_gold_node_is_wrong_beside_it() -> None:
    gold = [GoldNode("Person", {"name": "Ann", "nhs": "1"})]
    found = [node("Ann", "1", id_="a"), node("Ann", "2", id_="b")]
    assert against_nodes(found, gold) == Matching((True, False), 1, 1)


def test_a_node_without_a_name_is_the_gold_node_whose_values_are_all_its_own() -> None:
    call = AnswerNode("a", ("Call",), ("day 3 May, kind SMS", "3 May", "SMS"), described=True)
    assert against_nodes([call], [GoldNode("Call", {"day": "3 May", "kind": "SMS"})]).exact
    assert not against_nodes([call], [GoldNode("Call", {"day": "4 May", "kind": "SMS"})]).exact
    assert not against_texts([call], ["SMS"]).exact


def test_nodes_that_cannot_be_told_apart_are_right_together() -> None:
    twins = [node("Ann", id_="a", labels=("Person",)), node("Ann", id_="b", labels=("Person",))]
    assert against_nodes(twins, [GoldNode("Person", {"name": "Ann", "nhs": "1"})]).exact


def test_a_node_goes_to_the_gold_node_with_most_of_its_names() -> None:
    gold = [GoldNode("", {"name": "Lee", "code": "7"}), GoldNode("", {"name": "Lee", "code": "8"})]
    found = [node("Lee", "8", id_="a"), node("Lee", "8 b", id_="b")]
    assert against_nodes(found, gold).exact
    assert against_nodes([node("Lee", "8", id_="a"), node("8", "Lee", id_="b")], gold[:1]) == Matching(
        (True, True), 1, 1
    )


@given(st.lists(st.lists(WORDS, min_size=1, max_size=3), max_size=6), st.lists(WORDS, min_size=1, max_size=6))
def test_no_more_is_met_than_is_found_or_wanted(names: list[list[str]], gold: list[str]) -> None:
    nodes = [node(*each, id_=str(number)) for number, each in enumerate(names)]
    for matching in (
        against_texts(nodes, gold),
        against_nodes(nodes, [GoldNode("", {"name": text}) for text in gold]),
    ):
        assert matching.met <= min(matching.gold, sum(matching.right))
        assert matching.gold == len(set(map(key, gold)))
        assert matching.exact == (all(matching.right) and matching.met == matching.gold)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=6), st.randoms())
def test_an_answer_is_exact_against_itself_in_any_order(names: list[list[str]], random: object) -> None:
    nodes = [node(*each, id_=str(number), labels=("Thing",)) for number, each in enumerate(names)]
    gold = [GoldNode("Thing", dict(enumerate(each))) for each in names]  # type: ignore[arg-type]
    random.shuffle(gold)  # type: ignore[attr-defined]
    assert all(against_nodes(nodes, gold).right)
