"""Near readings, the parts of query graphs with the words near them, and weights that are learned from these."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.query.compile import compile_query
from kgneo.query.graph import Aggregate, Condition, Edge, QueryGraph, Selection, Value, Variable
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.bind import Templates, cut
from kgneo.reading.fits import Fits
from kgneo.reading.learned import PRIOR, Lesson, search, train
from kgneo.reading.mentions import Meaning, Mention
from kgneo.reading.near import Layout, Near, identity
from kgneo.reading.parts import Asked, parts_of
from kgneo.reading.vocabulary import Key, Link, Vocabulary

NAME, TOWN, AGE = Key("Guild", "name"), Key("Guild", "town"), Key("Painter", "age", "number")
VOCABULARY = Vocabulary(
    {"Painter": 40, "Guild": 6},
    (Key("Painter", "name"), AGE, NAME, TOWN),
    (Link("Painter", "REL_A", "Guild"), Link("Painter", "REL_B", "Guild"), Link("Painter", "REL_C", "Painter")),
)


def value(start: int, key: Key, text: str) -> Mention:
    """One word of a question that is a value."""
    return Mention(start, start + 1, (Meaning("value", key.owner, 1.0, key, (text,), text, 1),))


HERON = value(5, NAME, "Heron")


def painters(relation: str = "REL_A", guild: str = "Heron") -> QueryGraph:
    """The painters of a guild."""
    return QueryGraph(
        (Variable("p", ("Painter",)), Variable("g", ("Guild",))),
        Value("p"),
        (Edge("p", (relation,), "g", "r"),),
        (Condition(Value("g", "name"), "=", (guild,)),),
    )


def nearby(graph: QueryGraph, near: Near | None = None) -> set[object]:
    return {identity(Layout(other)) for other in (near or Near(VOCABULARY, (HERON,))).of(graph)}


@pytest.mark.parametrize(
    "other",
    [
        painters("REL_B"),
        replace(painters(), answer=Value("p", "age")),
        replace(painters(), answer=Value("g")),
        replace(painters(), answer=Aggregate("count", Value("p"))),
        replace(painters(), selections=(Selection("p", Value("p", "age"), True),)),
        replace(
            painters(),
            variables=(*painters().variables, Variable("q", ("Painter",))),
            edges=(Edge("p", ("REL_C",), "q"), Edge("q", ("REL_A",), "g")),
        ),
    ],
    ids=["relationship", "property", "other thing", "how many", "the oldest", "one hop more"],
)
def test_readings_that_differ_in_one_place_are_near(other: QueryGraph) -> None:
    assert identity(Layout(other)) in nearby(painters())


def test_a_hop_more_can_be_taken_back() -> None:
    longer = QueryGraph(
        (Variable("p", ("Painter",)), Variable("q", ("Painter",)), Variable("g", ("Guild",))),
        Value("p"),
        (Edge("p", ("REL_C",), "q"), Edge("q", ("REL_A",), "g")),
        painters().conditions,
    )
    assert identity(Layout(painters())) in nearby(longer)


def test_a_value_of_the_question_that_is_not_used_is_tried() -> None:
    without = replace(painters(), conditions=())
    assert identity(Layout(painters())) in nearby(without)


def test_a_value_that_questions_do_not_name_is_tried_where_others_meant_it() -> None:
    constant = ("Guild", Condition(Value("x0", "town"), "=", ("Ghent",)))
    wanted = replace(painters(), conditions=(*painters().conditions, Condition(Value("g", "town"), "=", ("Ghent",))))
    assert identity(Layout(wanted)) in nearby(painters(), Near(VOCABULARY, (HERON,), (constant,)))


def test_every_reading_two_steps_away_compiles() -> None:
    near = Near(VOCABULARY, (HERON,))
    one = list(near.of(painters()))
    for graph in (*one, *near.of(one[0]), *near.of(one[-1])):
        compile_query(graph, keys={})


def test_names_and_order_make_no_other_reading() -> None:
    graph = replace(painters(), conditions=(*painters().conditions, Condition(Value("g", "town"), "=", ("Ghent",))))
    turned = replace(
        graph, variables=graph.variables[::-1], conditions=graph.conditions[::-1]
    ).renamed()  # fmt: skip
    assert identity(Layout(turned)) == identity(Layout(graph))
    assert identity(Layout(painters("REL_B"))) != identity(Layout(painters()))


def test_a_template_takes_another_questions_value_whatever_its_property() -> None:
    template = cut(painters(), (HERON,))
    bound = Templates.of([(template, 3)]).bound((value(4, TOWN, "Ghent"),))
    [(graph, count)] = bound
    assert (graph.conditions, count) == ((Condition(Value("g", "town"), "=", ("Ghent",)),), 3)


def test_a_template_keeps_a_value_that_the_question_does_not_name() -> None:
    assert cut(painters(), ()) == painters()


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(VOCABULARY, RankingCache(encoder))


def asked(text: str, fits: Fits) -> Asked:
    """A question whose guild stands behind "the"."""
    words = text.rstrip("?").split()
    place = words.index("the") + 1
    return Asked(text, (value(place, NAME, words[place]),), fits)


def test_words_before_a_value_speak_of_the_way_to_it(fits: Fits) -> None:
    question = asked("Which painters broke with the Heron guild in spring?", fits)
    windows = {name: window for name, window, _ in parts_of(question, Layout(painters("REL_B")))}
    window = windows["edge REL_B>"]
    assert window is not None
    weights = dict(zip((token for token, _ in question.tokens), window, strict=True))
    assert weights["broke"] > weights["spring"] > 0


def test_values_are_masked(fits: Fits) -> None:
    assert asked("Which painters broke with the Heron guild?", fits).masked == "which painters broke with the … guild"


def lesson(verb: str, relation: str, guild: str, fits: Fits) -> Lesson:
    """A question whose verb means a relationship; without learning the other one is read."""
    question = asked(f"Which painters {verb} with the {guild}?", fits)
    others = {"REL_A", "REL_B"} - {relation}
    graphs = [(painters(other, guild), {"rank": 1.0, "read": 1.0}) for other in others]
    return Lesson(question, [*graphs, (painters(relation, guild), {"rank": 0.5, "read": 1.0})], [False, True])


def test_learned_words_choose_among_readings(fits: Fits) -> None:
    learned = train([lesson("stayed", "REL_A", "Heron", fits), lesson("broke", "REL_B", "Anvil", fits),
                     lesson("stayed", "REL_A", "Quarry", fits), lesson("broke", "REL_B", "Barrow", fits)])  # fmt: skip
    question = asked("How many painters broke with the Saddle?", fits)
    pool = [(painters(relation, "Saddle"), {"rank": 1.0, "read": 1.0}) for relation in ("REL_A", "REL_B")]
    judge = learned.judge(question)
    assert judge.score(Layout(pool[1][0]), pool[1][1]) > judge.score(Layout(pool[0][0]), pool[0][1])


def test_without_lessons_the_readers_order_stays(fits: Fits) -> None:
    question = asked("Which painters broke with the Saddle?", fits)
    pool = [
        (painters("REL_A", "Saddle"), {"rank": 1.0, "read": 1.0}),
        (painters("REL_B", "Saddle"), {"rank": 0.5, "read": 1.0}),
    ]
    found = search(PRIOR.judge(question), Near(VOCABULARY, question.named), pool)
    assert [graph for _, graph in found[:2]] == [pool[0][0], pool[1][0]]
    assert train([]) == PRIOR
