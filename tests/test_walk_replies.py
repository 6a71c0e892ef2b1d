"""What a model writes on a walk is read tolerantly and checked: relations, votes, conditions. No graph is needed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.context import Clock
from kgneo.errors import BudgetSpent
from kgneo.llm import Parameters, ScriptedModel
from kgneo.model import Candidate, Hop, Triple
from kgneo.prompts import Prompts
from kgneo.query.graph import Condition, Selection, Value
from kgneo.reading.vocabulary import Key
from kgneo.stages.constrain import Property, read_conditions
from kgneo.stages.facts import write_facts
from kgneo.stages.generate import ModelCalls
from kgneo.stages.reached import Reached
from kgneo.stages.relations import Choice, Offer, read_choice, vote
from kgneo.stages.understand import read_understanding
from tests.papers_stand_in import read_any

WROTE, ACTED, BACK = Hop("written_by"), Hop("acted_in"), Hop("acted_in", forward=False)
OFFERS = tuple(Offer(hop, 1, "words") for hop in (WROTE, ACTED, BACK, Hop("born, as")))


@pytest.mark.parametrize(
    ("reply", "hops"),
    [
        ("written_by", (WROTE,)),
        ("1. Written By\n2. ^acted_in", (WROTE, BACK)),
        ("acted_in; written_by", (ACTED, WROTE)),
        ("- `acted_in`: what X acted in (3)", (ACTED,)),
        ("^written_by", (WROTE,)),
        ("born, as", (Hop("born, as"),)),
        ("nonsense\nwritten_by", (WROTE,)),
        ("written_by, written_by, acted_in, ^acted_in", (WROTE, ACTED)),
    ],
)
def test_relations_are_read_however_they_are_listed(reply: str, hops: tuple[Hop, ...]) -> None:
    assert read_choice(reply, OFFERS, keep=2).hops == hops


def test_none_is_a_choice_and_an_unknown_name_is_not() -> None:
    assert read_choice("None.", OFFERS, keep=1) == Choice(stop=True)
    assert read_choice("directed_by", OFFERS, keep=1) == Choice(unknown=("directed_by",))
    assert read_choice("", OFFERS, keep=1) == Choice()


@given(st.text(), st.integers(1, 5))
def test_any_reply_names_only_relations_that_were_offered(reply: str, keep: int) -> None:
    choice = read_choice(reply, OFFERS, keep=keep)
    assert set(choice.hops) <= {offer.hop for offer in OFFERS}
    assert len(choice.hops) <= keep
    assert not (choice.hops and choice.stop)


def test_the_relation_of_most_weight_wins_the_vote() -> None:
    original, variants = (Choice((WROTE,)), 2.0), [(Choice((ACTED,)), 1.0)] * 2
    assert vote([original, *variants], keep=1).hops == (WROTE,)
    assert vote([original, *variants, (Choice((ACTED,)), 1.0)], keep=1).hops == (ACTED,)
    assert vote([original, *variants], keep=2).hops == (WROTE, ACTED)


def test_no_relation_wins_against_those_of_less_weight() -> None:
    assert vote([(Choice(stop=True), 2.0), (Choice((ACTED,)), 1.0)], keep=1).stop
    assert vote([(Choice(stop=True), 1.0), (Choice((ACTED,)), 2.0)], keep=1).hops == (ACTED,)


BORN = Property("born", "x", Key("Person", "born", "number"))
SINCE = Property("KNOWS@since", "r", Key("KNOWS", "since", "date", "date", of_edge=True))
PEOPLE = (Reached("Anna", "1"), Reached("Bob", "2"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("born > 1,900", Condition(Value("x", "born"), ">", (1900,))),
        ("- born <= 1900.5", Condition(Value("x", "born"), "<=", (1900.5,))),
        ("Born missing", Condition(Value("x", "born"), "missing")),
        ("KNOWS@since = 1999-05", Condition(Value("r", "since", "date"), "=", ("1999-05",))),
        ("highest born", Selection("x", Value("x", "born"), descending=True)),
    ],
)
def test_conditions_are_read_as_parts_of_a_query_graph(line: str, expected: object) -> None:
    graph, said = read_conditions(line, [BORN, SINCE], entities=PEOPLE, before=PEOPLE, hops=[Hop("KNOWS")])
    assert [*graph.conditions, *graph.selections] == [expected]
    assert said == (line,)
    assert bool(graph.edges) is ("KNOWS" in line)


@pytest.mark.parametrize("line", ["none", "died > 1900", "born > soon", "born", "lowest age", "born >", ""])
def test_what_is_no_condition_on_a_known_property_is_left_out(line: str) -> None:
    graph, said = read_conditions(line, [BORN], entities=PEOPLE)
    assert (graph.conditions, graph.selections, said) == ((), (), ())


@given(st.text())
def test_any_reply_gives_conditions_on_known_properties_alone(reply: str) -> None:
    graph, _ = read_conditions(reply, [BORN, SINCE], entities=PEOPLE, before=PEOPLE, hops=[Hop("KNOWS")])
    assert {value.key for value in graph.values() if value.key} <= {"born", "since"}


def test_an_understanding_is_read_line_by_line_and_nothing_is_made_up() -> None:
    found = read_understanding("Entities: Anna; Bob\n- Intent: find a spouse.\nConstraints: none\nElse: x")
    assert (found.entities, found.intent, found.constraints, found.words) == (("Anna", "Bob"), "find a spouse.", (), ())
    assert found.notes == "Intent: find a spouse."
    assert read_understanding("I do not know.").notes == ""


NAMES = st.text(min_size=1, max_size=12).map(lambda text: " ".join(re.sub(r"[\W_]+", " ", text).split())).filter(bool)


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=6), st.sampled_from(["list", "groups", "sentences"]))
def test_every_form_of_facts_says_the_same(pairs: list[tuple[str, str]], form: str) -> None:
    candidates = [Candidate(Triple(subject, "led_by", object_), 1) for subject, object_ in pairs]
    plain = [pair for pair in pairs if not any(" was led by " in f" {name} " for name in pair)]
    joined = set(read_any(write_facts(candidates, "joined-sentences"), "led_by"))
    other = set(read_any(write_facts(candidates, form), "led_by"))  # type: ignore[arg-type]
    assert len(plain) < len(pairs) or joined == other == set(pairs)


def calls(max_calls: int | None = None, max_tokens: int | None = None) -> ModelCalls:
    model = ScriptedModel(lambda *_: "one two three")
    return ModelCalls(model, Prompts(), Clock(), max_calls=max_calls, max_tokens=max_tokens)


def test_calls_beyond_the_budget_are_not_made() -> None:
    bounded = calls(max_calls=2)
    for _ in range(2):
        bounded.complete("answer_alone", Parameters(), question="Why?")
    with pytest.raises(BudgetSpent, match="2 calls"):
        bounded.complete("answer_alone", Parameters(), question="Why?")
    assert bounded.use.calls == 2


def test_a_reply_is_bounded_by_the_tokens_that_are_left() -> None:
    asked = calls().model.count_tokens(" ".join(m.content for m in Prompts().messages("answer_alone", question="Why?")))
    bounded = calls(max_tokens=asked + 5)
    bounded.complete("answer_alone", Parameters(max_tokens=256), question="Why?")
    assert isinstance(bounded.model, ScriptedModel)
    assert bounded.model.calls[0][1].max_tokens == 5
    with pytest.raises(BudgetSpent, match="tokens"):
        bounded.complete("answer_alone", Parameters(), question="Why?")
