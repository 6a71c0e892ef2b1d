"""The parts of the pipeline that need neither graph nor model: reading replies, writing facts, grounding names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.context import Clock
from kgneo.graph.shape import LOADED
from kgneo.llm import ScriptedModel
from kgneo.model import Candidate, Step, Triple
from kgneo.prompts import Prompts
from kgneo.stages.decompose import read_decomposition
from kgneo.stages.facts import fitting, write_facts
from kgneo.stages.generate import ModelCalls
from kgneo.stages.ground import completed, ground, says_nothing, supporting
from kgneo.stages.reached import Reached, asked_about, mask, names_in
from kgneo.stages.rewrite import LISTED, PUT_IN, put_in, rewrite, write_answers
from kgneo.stages.synthesise import LONG, cut_to_answer, final_entities, synthesise
from tests.pipeline_stand_in import read_facts

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)


def triple(subject: str, relation: str, object_: str, hop: int = 1) -> Candidate:
    return Candidate(
        Triple(subject, relation, object_), hop, f"{subject}-{relation}-{object_}", f"id {subject}", f"id {object_}"
    )


def entities(*names: str, depth: int = 1) -> tuple[Reached, ...]:
    return tuple(Reached(name, f"id {name}", depth) for name in names)


# Decomposition


def test_a_reply_in_the_prompts_form_is_read() -> None:
    reply = "Split: yes\nReasoning: First the river.\n1. Which river?\n2. Where does it end?\n"
    found = read_decomposition(reply, "where?")
    assert found is not None
    assert (found.reasoning, found.sub_questions) == ("First the river.", ("Which river?", "Where does it end?"))


def test_a_question_that_is_not_split_has_no_sub_questions() -> None:
    found = read_decomposition("Split: no\nReasoning: One fact about the river.", "where?")
    assert found is not None
    assert (found.reasoning, found.sub_questions) == ("One fact about the river.", ())


@pytest.mark.parametrize(
    "reply",
    [
        "Sure!\n\nSub-questions:\n- Which river?\n- Where does it end?",
        "1) Which river?\n2) Where does it end?",
        "Sub-question 1: Which river?\nSub-question 2: Where does it end?",
        "* **Which river?**\n* **Where does it end?**",
        '{"reasoning": "r", "sub_questions": ["Which river?", "Where does it end?"]}',
        'Here it is: {"sub_questions": ["Which river?", "Where does it end?", "where does it end?"]}',
    ],
)
def test_sub_questions_in_any_kind_of_list_are_read(reply: str) -> None:
    found = read_decomposition(reply, "whole?")
    assert found is not None
    assert found.sub_questions == ("Which river?", "Where does it end?")


def test_the_question_itself_as_the_only_sub_question_is_no_split() -> None:
    found = read_decomposition("1. WHERE does it end", "where does it end?")
    assert found is not None
    assert found.sub_questions == ()


@pytest.mark.parametrize("reply", ["", "I would first look for the river and then", "{}", '{"sub_questions": 3}'])
def test_a_reply_without_sub_questions_cannot_be_read(reply: str) -> None:
    assert read_decomposition(reply, "where?") is None


@given(st.text())
def test_no_reply_breaks_the_reading(reply: str) -> None:
    found = read_decomposition(reply, "where?")
    assert found is None or all(text.strip() for text in found.sub_questions)


# Facts


def test_facts_are_grouped_in_the_shorter_way() -> None:
    candidates = [
        triple("A", "directed_by", "X"),
        triple("B", "directed_by", "Y"),
        triple("B", "directed_by", "Z"),
        triple("A", "in_language", "English"),
        triple("B", "in_language", "English"),
    ]
    assert write_facts(candidates, "groups") == "directed by: A → X; B → Y, Z\nin language: A, B → English"


def test_a_fact_in_the_list_is_one_line() -> None:
    text = write_facts([triple("A\n==========\nObey", "is_in", "B\u2028C")], "list")
    assert text == "(A ========== Obey, is in, B C)"


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=8), st.sampled_from(["groups"]))
def test_grouped_facts_can_be_read_back(pairs: list[tuple[str, str]], form: str) -> None:
    clean = {(" ".join(s.split()), " ".join(o.split())) for s, o in pairs}
    candidates = [triple(s, "part_of", o) for s, o in pairs if s.isprintable() and o.isprintable() and '"' not in s + o]
    kept = {(item.triple.subject, item.triple.object) for item in candidates}
    text = write_facts(candidates, form)  # type: ignore[arg-type]
    assert len(text.splitlines()) <= 1
    found = set(read_facts(text, "part of"))
    assert found == {(" ".join(s.split()), " ".join(o.split())) for s, o in kept}
    assert found <= clean


def test_facts_are_cut_from_the_end_to_what_fits() -> None:
    candidates = [triple(f"A{number}", "is_in", "B") for number in range(100)]

    def write(some: Sequence[Candidate]) -> str:
        return write_facts(some, "list")

    assert list(fitting(candidates, write, tokens=40, count=lambda text: len(text.split()))) == candidates[:10]
    assert fitting(candidates, write, tokens=10**6, count=len) == candidates
    assert list(fitting(candidates, write, tokens=0, count=len)) == []


def test_relations_that_are_codes_are_written_by_their_names() -> None:
    assert write_facts([triple("A", "P57", "B")], "groups", {"P57": "directed_by"}) == "directed by: A → B"


# Names


def test_names_are_found_as_whole_words_and_the_longest_first() -> None:
    found = names_in("the North Sea and the SEA of Azov, not Seattle", ["Sea", "North Sea", "Sea of Azov"])
    assert [item.name for item in found] == ["North Sea", "Sea of Azov"]


def test_a_name_of_one_word_must_be_written_as_it_is() -> None:
    assert names_in("it is what it is", ["It", "Is"]) == []
    assert [item.name for item in names_in("It is", ["It"])] == ["It"]


def test_a_list_of_names_is_masked_as_one_place() -> None:
    masked = mask("Which languages are spoken in Peru, Chile and Bolivia?", entities("Peru", "Chile", "Bolivia"))
    assert masked.masked == "Which languages are spoken in • ?"
    shortened = mask("Which languages are spoken in Peru, Chile and 12 more?", entities("Peru", "Chile"))
    assert shortened.masked == "Which languages are spoken in • ?"


def test_a_question_about_one_answer_of_a_step_is_about_all_of_them() -> None:
    groups = [entities("Danube", depth=0), entities("Austria", "Hungary")]
    found = asked_about("Which languages are spoken in Austria and 1 more?", groups)
    assert [item.name for item in found] == ["Austria", "Hungary"]


def test_a_question_that_names_nothing_is_about_the_last_answers() -> None:
    groups = [entities("Danube", depth=0), entities("Austria"), ()]
    assert [item.name for item in asked_about("and which languages?", groups)] == ["Austria"]


# Grounding


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("Vienna; Budapest", ("Vienna", "Budapest")),
        ("1. Budapest\n2. Vienna\n", ("Budapest", "Vienna")),
        ("- Vienna\n- budapest", ("Vienna", "Budapest")),
        ("Vienna, Budapest and Belgrade", ("Vienna", "Budapest", "Belgrade")),
        ("The capitals are Vienna and Budapest.", ("Vienna", "Budapest")),
        ('"Monsters; Inc."; Vienna', ("Monsters; Inc.", "Vienna")),
        ("Malmö", ("Malmö",)),
        ("malmo", ("Malmö",)),
    ],
)
def test_names_in_a_reply_are_matched_in_their_order(reply: str, names: tuple[str, ...]) -> None:
    known = entities("Belgrade", "Budapest", "Malmö", "Monsters; Inc.", "Vienna", "Danube")
    assert ground(reply, known).names == names


def test_the_exact_spelling_comes_before_the_folded_one() -> None:
    assert ground("Rock", entities("rock", "Rock")).names == ("Rock",)
    assert ground("rock", entities("rock", "Rock")).names == ("rock",)


def test_a_sentence_that_repeats_the_question_does_not_answer_with_it() -> None:
    known = entities("Danube", "Vienna")
    assert ground("The Danube passes Vienna.", known, asked="which city on the Danube?").names == ("Vienna",)
    assert ground("Danube; Vienna", known, asked="which names: Danube?").names == ("Danube", "Vienna")


def test_what_no_triple_holds_is_no_answer() -> None:
    found = ground("Vienna; Atlantis", entities("Vienna"))
    assert (found.names, found.unmatched) == (("Vienna",), ("Atlantis",))


@pytest.mark.parametrize("reply", ["$; Up, Up; Trancers; Part 2", "- $\n- Up, Up\n- Trancers; Part 2"])
def test_names_with_signs_of_lists_and_names_that_are_signs_are_found(reply: str) -> None:
    found = ground(reply, entities("Up, Up", "Trancers; Part 2", "Up", "$"))
    assert found.names == ("$", "Up, Up", "Trancers; Part 2")
    assert found.unmatched == ()


def test_a_long_list_is_shown_whole_and_has_room_in_the_reply() -> None:
    model = ScriptedModel(["City 3"])
    steps = [Step("Which cities?", "many", tuple(f"The City of Number {number}" for number in range(200)))]
    synthesise("Which city?", "", steps, ModelCalls(model, Prompts(), Clock()))
    messages, parameters = model.calls[0]
    assert "Number 199" in messages[-1].content
    assert parameters.max_tokens > 512


@pytest.mark.parametrize(
    "reply",
    ["", " \n", "not in the graph", "Not in the graph.", "Unknown", "The facts do not say who.", "I don't know"],
)
def test_a_reply_that_says_nothing_is_known(reply: str) -> None:
    assert says_nothing(reply)
    assert ground(reply, entities("Vienna")).names == ()


def test_a_reply_with_a_name_says_something() -> None:
    assert not says_nothing("The Unknown Woman")


@given(st.text(), st.lists(NAMES, max_size=5))
def test_grounding_gives_only_names_that_are_known(reply: str, names: list[str]) -> None:
    assert set(ground(reply, entities(*names)).names) <= set(names)


def test_evidence_leads_from_the_question_to_the_answer() -> None:
    shown = [
        triple("Rhine", "flows_through", "Germany"),
        triple("Germany", "has_capital", "Berlin", 2),
        triple("Berlin", "lies_on", "Spree", 3),
        triple("Rhine", "rises_in", "Alps"),
    ]
    found = supporting(entities("Berlin"), shown, about=entities("Rhine", depth=0), shape=LOADED)
    assert [item.triple.relation for item in found] == ["flows_through", "has_capital"]


def test_evidence_has_no_relation_that_holds_nothing_further() -> None:
    shown = [triple("Film", "made_by", "Ann"), triple("Film", "written_by", "Ann"), triple("Film", "written_by", "Bob")]
    found = supporting(entities("Ann"), shown, about=entities("Film", depth=0), shape=LOADED)
    assert [item.triple.relation for item in found] == ["made_by"]


def test_a_list_that_was_cut_off_is_completed_from_the_same_relation() -> None:
    shown = [triple("Film", "with", name) for name in ("Ann", "Bob", "Cid")] + [triple("Film", "made_by", "Dee")]
    ends = entities("Ann", "Bob", "Cid", "Dee")
    about = entities("Film", depth=0)
    assert [item.name for item in completed(ends[:2], shown, ends, about=about, shape=LOADED)] == ["Ann", "Bob", "Cid"]
    mixed = (ends[0], ends[3])
    assert completed(mixed, shown, ends, about=about, shape=LOADED) == mixed


# The final answer


def test_a_long_text_is_cut_to_its_first_paragraph() -> None:
    text = "Vienna and Budapest.\n\n" + "Let me explain at length. " * 60
    assert cut_to_answer(text) == "Vienna and Budapest."


def test_a_long_paragraph_is_cut_to_whole_sentences() -> None:
    cut = cut_to_answer("Vienna lies on it. " * 100)
    assert len(cut) <= LONG
    assert cut.endswith("on it.")


def test_a_list_that_was_cut_off_loses_its_last_item() -> None:
    assert cut_to_answer("Vienna; Budapest; Belg", unfinished=True) == "Vienna; Budapest"
    assert cut_to_answer("Vienna; Budapest; Belgrade") == "Vienna; Budapest; Belgrade"


def test_answers_that_the_model_was_not_shown_follow_those_it_named() -> None:
    names = [f"City {number}" for number in range(LISTED + 5)]
    step = Step("which?", "", tuple(names))
    found = final_entities("; ".join(names[:3]), "which cities?", [(), entities(*names)], [step, step])
    assert list(found.names) == names[:3] + names[LISTED:]


def test_a_sentence_about_the_last_answers_does_not_answer_with_earlier_ones() -> None:
    groups = [entities("Danube"), entities("Vienna")]
    steps = [Step("which river?", "Danube", ("Danube",)), Step("which city?", "Vienna", ("Vienna",))]
    assert final_entities("The Danube passes Vienna.", "which city?", groups, steps).names == ("Vienna",)


def test_the_topic_entity_is_no_answer_beside_others() -> None:
    groups = [entities("Ann"), entities("Film", "Other")]
    steps = [Step("who?", "Ann", ("Ann",)), Step("what?", "Film; Other", ("Film", "Other"))]
    assert final_entities("Film; Other", "what else is by who made Film?", groups, steps).names == ("Other",)


@pytest.mark.parametrize(("name", "stop"), [("Alien", "?"), ("What About Bob?", "\n"), ("Who? Me", "\n")])
def test_a_question_mark_in_a_name_does_not_end_the_rewritten_question(name: str, stop: str) -> None:
    model = ScriptedModel([f"Who made {name} and where?\nNo more."])
    calls = ModelCalls(model, Prompts(), Clock())
    step = Step("Which one?", name, (name,))
    assert rewrite("Who made it and where?", [step], calls) == f"Who made {name} and where?"
    assert model.calls[0][1].stop == (stop,)


def test_long_lists_are_shortened_in_prompts() -> None:
    step = Step("which?", "", tuple(f"City {number}" for number in range(LISTED + 5)))
    assert write_answers(step).endswith("City 29; and 5 more")


# A later sub-question by rule


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Which seas do those rivers flow into?", "Which seas do Elbe and Rhine flow into?"),
        ("Who lives on the banks of these two?", "Who lives on the banks of Elbe and Rhine?"),
        ("Where does that river rise?", "Where does Elbe and Rhine rise?"),
        ("Which towns that lie on those rivers are old?", "Which towns that lie on Elbe and Rhine are old?"),
        ("Which towns does the river that crosses Bern pass?", None),
        ("Which seas do they flow into?", None),
        ("Do those rivers meet those lakes?", None),
    ],
)
def test_a_later_question_gets_the_answers_put_in_where_it_points_to_them_once(
    question: str, whole: str | None
) -> None:
    assert put_in(question, Step("Which rivers?", "", ("Elbe", "Rhine"))) == whole


def test_a_long_list_that_is_put_in_is_shortened() -> None:
    step = Step("Which films?", "", tuple(f"Film {number}" for number in range(PUT_IN + 4)))
    assert str(put_in("Who directed those films?", step)).endswith(f", Film {PUT_IN - 1} and 4 more?")
