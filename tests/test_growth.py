"""The grammar of query graphs: what is grown by it can be asked, worded and written as Cypher."""

from __future__ import annotations

from random import Random

import pytest

from kgneo.query.catalogue import Catalogue, Key, Label, Relation
from kgneo.query.check import check
from kgneo.query.compile import compile_query
from kgneo.query.graph import Aggregate, Condition, Edge, Scalar, Selection, Value, Variable
from kgneo.query.growth import Action, Ask, Begin, Beside, Cut, Join, Order, Turn, Where, apply, grown, legal
from kgneo.query.wording import wording

NAME, SIZE, FOUNDED = Key("name", "STRING"), Key("size", "INTEGER"), Key("founded", "DATE")
CATALOGUE = Catalogue(
    (Label("Guild", (NAME, SIZE, FOUNDED)), Label("Painter", (NAME, Key("age", "INTEGER")))),
    (
        Relation("MEMBER_OF", (Key("since", "DATE"),), (("Painter", "Guild"),)),
        Relation("TAUGHT", (), (("Painter", "Painter"),)),
    ),
)
LITERALS: dict[tuple[str, str], tuple[Scalar, ...]] = {
    ("Guild", "name"): ("Heron",),
    ("Painter", "age"): (30,),
    ("", ""): (2,),
}
STEPS = 6
MEMBER = Join(Edge("x0", ("MEMBER_OF",), "g", "r0"), Variable("g", ("Guild",)))


@pytest.mark.parametrize("seed", range(12))
def test_whatever_grows_by_legal_actions_can_be_asked_worded_and_compiled(seed: int) -> None:
    random, graph = Random(seed), None  # noqa: S311
    for _ in range(STEPS):
        by_kind: dict[type[Action], list[Action]] = {}
        for action in legal(graph, CATALOGUE, LITERALS):
            by_kind.setdefault(type(action), []).append(action)
        graph = apply(graph, random.choice(random.choice(list(by_kind.values()))))
        assert check(graph, CATALOGUE) == ()
        assert wording(graph)
        assert compile_query(graph).text


@pytest.mark.parametrize(
    "actions",
    [
        (MEMBER, Where(Condition(Value("g", "name"), "=", ("Heron",)))),
        (MEMBER, Where(Condition(Value("g", "name"), "starts with", ("Heron",)))),
        (MEMBER, Turn(MEMBER.edge, Edge("x0", ("MEMBER_OF",), "g", "r0", absent=True))),
        (MEMBER, Order(Selection("x0", Aggregate("count", Value("g"), Value("x0")), descending=True))),
        (MEMBER, Ask(Aggregate("count", Value("x0"), Value("g", "name")))),
        (MEMBER, Ask(Value("g", "size"))),
        (Beside(Variable("x1", ("Painter",)), Condition(Value("x0", "age"), "=", Value("x1", "age"))),),
    ],
    ids=["value", "start of a text", "none", "by count", "group", "asked property", "same value"],
)
def test_each_action_is_among_the_legal_ones_of_what_it_grows_from(actions: tuple[Action, ...]) -> None:
    graph = apply(None, Begin(("Painter",)))
    for action in actions[:-1]:
        graph = apply(graph, action)
    offered = {repr(apply(graph, item).renamed()) for item in legal(graph, CATALOGUE, LITERALS)}
    assert repr(apply(graph, actions[-1]).renamed()) in offered


def test_a_variable_is_cut_with_all_that_is_said_of_it() -> None:
    start = apply(None, Begin(("Painter",)))
    said = (Where(Condition(Value("g", "name"), "=", ("Heron",))), Where(Condition(Value("r0", "since"), "present")))
    assert grown(start, (MEMBER, *said, Cut(Variable("g", ("Guild",))))) == start


def test_nothing_grows_from_nothing_but_a_beginning() -> None:
    with pytest.raises(ValueError, match="the first action is Begin"):
        apply(None, MEMBER)
