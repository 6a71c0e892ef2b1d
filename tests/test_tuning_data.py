"""Examples for tuning, from the sample graph: chats, pairs, and both of labelled questions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.english.literals import literals_of
from kgneo.graph import Graph
from kgneo.graph.catalogue import catalogue
from kgneo.graph.cypher import query
from kgneo.graph.embeddings import text_of
from kgneo.graph.values import triple_of
from kgneo.model import Hop, RelationPath
from kgneo.query.grammar import query_grammar
from kgneo.query.graph import Aggregate, Value
from kgneo.query.json import from_json, to_json
from kgneo.questions import Question, bracketed
from kgneo.server import RunningServer
from kgneo.stages.decompose import read_decomposition
from kgneo.stages.decouple import read_sub_queries
from kgneo.stages.ground import NOT_FOUND
from kgneo.tuning.data import WORDINGS, Example, is_dev, split
from kgneo.tuning.from_graph import Made, from_graph
from kgneo.tuning.pairs import TASKS as PAIR_TASKS
from kgneo.tuning.pairs import read_pairs
from kgneo.tuning.queries import queries
from kgneo.tuning.written import offered, written
from kgneo.verification.by_model import read_reply
from tests.conftest import asked_on
from tests.gbnf import allows, rules_of
from tests.test_attached import FILMS

SEED, QUESTIONS = 14, 6
"""Of few that give examples of every task, and of dev too. All tests have Neo4j plan the queries of the same ones."""
SEED_OF_QUERIES, QUERIES = 7, 20
"""The same for questions over the schema: of all kinds."""
TASKS = {
    "decompose", "rewrite", "answer", "synthesise", "follow_up", "relations", "entities", "query_graph", "offered",
    "verify", "similar", "decouple", "reconstruct", "infer",
}  # fmt: skip


@pytest.fixture(scope="module")
def from_sample(sample_context: Context) -> Made:
    return from_graph(sample_context, questions=QUESTIONS, seed=SEED)


@pytest.fixture(scope="module")
def films(newest_server: RunningServer) -> Iterator[Context]:
    """A property graph of films. Not to be changed."""
    with asked_on(newest_server, FILMS) as context:
        yield context


@pytest.fixture(scope="module")
def over_films(films: Context) -> list[Question]:
    return list(queries(films.knowledge, QUERIES, Random(SEED_OF_QUERIES)))  # noqa: S311 - a test


@pytest.fixture
def made(from_sample: Made) -> tuple[Example, ...]:
    return from_sample.examples


def test_examples_are_right_replies_to_the_prompts_of_all_tasks(made: Sequence[Example]) -> None:
    assert {example.task for example in made} == TASKS
    assert any(example.task == "answer" and example.reply == NOT_FOUND for example in made)
    for example in made:
        prompt = example.messages[-1].content
        if example.task == "answer" and example.reply != NOT_FOUND:
            assert all(name in prompt for name in example.reply.split("; "))
        elif example.task == "decompose":
            plan = read_decomposition(example.reply, prompt)
            assert plan is not None
            assert (len(plan.sub_questions) >= 2) == example.reply.startswith("Split: yes")
        elif example.task == "rewrite":
            assert "those" not in example.reply
            assert example.reply.endswith("?")
        elif example.task == "relations":
            assert example.reply == "none" or f"\n{example.reply}:" in prompt
        elif example.task == "entities":
            assert example.reply in ("all", "none") or all(
                f"- {name}\n" in prompt for name in example.reply.split("; ")
            )
        elif example.task == "query_graph":
            assert to_json(from_json(json.loads(example.reply))) == json.loads(example.reply)
        elif example.task == "verify":
            verdict, _ = read_reply(example.reply)
            assert verdict is not None


def test_what_refkg_and_navigator_ask_is_answered_as_they_read_it(made: Sequence[Example]) -> None:
    for example in made:
        prompt = example.messages[-1].content
        if example.task == "decouple":
            queries = read_sub_queries(example.reply, sorted(example.topics))
            assert [query.earlier for query in queries] == [(), *((number,) for number in range(len(queries) - 1))]
            assert not any("|" in query.text for query in queries)
        elif example.task == "reconstruct":
            assert all(line in example.reply for line in prompt.split("==========")[1].splitlines())
        elif example.task == "infer" and example.reply != NOT_FOUND:
            assert all(name in prompt for name in example.reply.split("; "))
        elif example.task == "similar":
            assert (
                len({line.lower() for line in (prompt.split("\n")[0][10:], *example.reply.splitlines())})
                == 1 + WORDINGS
            )


def _asks(example: Example, question: str) -> bool:
    return f"Question: {question}" in example.messages[-1].content


def test_questions_of_several_hops_are_answered_whole_besides(made: Sequence[Example]) -> None:
    plans = [example for example in made if example.reply.startswith("Split: yes")]
    asked = [example.messages[-1].content.rsplit("Question: ", 1)[1].strip() for example in plans]
    assert asked
    for question in asked:
        assert any(example.task == "answer" and _asks(example, question) for example in made)


def test_with_whole_no_question_is_split_and_all_are_answered(sample_context: Context) -> None:
    made = from_graph(sample_context, questions=QUESTIONS, seed=SEED, whole=True).examples
    assert {example.task for example in made} >= {"decompose", "answer"}
    assert not {example.task for example in made} & {"rewrite", "synthesise"}
    assert all(example.reply.startswith("Split: no") for example in made if example.task == "decompose")


@pytest.mark.parametrize("tasks", [("answer",), ("answer", "rewrite")])
def test_only_the_tasks_that_are_named_are_made(
    sample_context: Context, made: tuple[Example, ...], tasks: tuple[str, ...]
) -> None:
    alone = from_graph(sample_context, questions=QUESTIONS, seed=SEED, tasks=tasks).examples
    assert {example.task for example in alone} == set(tasks)
    assert set(alone) == {example for example in made if example.task in tasks}


def test_the_same_seed_gives_the_same_examples_and_another_one_others(
    sample_context: Context, from_sample: Made
) -> None:
    again = from_graph(sample_context, questions=QUESTIONS, seed=SEED)
    other = from_graph(sample_context, questions=2, seed=SEED + 1)
    assert again == from_sample
    assert set(other.examples) - set(from_sample.examples)
    assert set(other.pairs) - set(from_sample.pairs)


def test_nothing_that_dev_asks_about_is_in_train(from_sample: Made) -> None:
    for made in (from_sample.examples, from_sample.pairs):
        train, dev = split(made, SEED)
        assert train
        assert dev
        asked = {name for item in dev for name in item.topics}
        assert asked
        assert not any(asked & item.names for item in train)
        assert all(is_dev(name, SEED) for name in asked)


def test_wrong_texts_are_of_the_same_graph_and_never_right(from_sample: Made, sample_context: Context) -> None:
    triples = {
        text_of(triple_of(row, sample_context.shape), sample_context.shape)
        for row in sample_context.graph.stream(query("index_scan"), **sample_context.shape.parameters)
    }
    assert {pair.task for pair in from_sample.pairs} == set(PAIR_TASKS)
    for pair in from_sample.pairs:
        assert pair.right
        assert pair.wrong
        assert not set(pair.right) & set(pair.wrong)
        if pair.task == "triples":
            assert {*pair.right, *pair.wrong} <= triples
        else:
            assert not any(name in pair.question for name in pair.topics)


def test_labelled_questions_are_asked_with_their_own_words(sample_context: Context) -> None:
    def own(number: int, text: str, answer: str, path: RelationPath | None = None) -> Question:
        return Question(str(number), text, (answer,), entities=bracketed(text), path=path)

    capital = RelationPath((Hop("has_capital"),))
    asked = (
        own(0, "from which city is [Ethiopia] ruled?", "Addis Ababa"),
        own(1, "where does the government of [Ethiopia] sit?", "Addis Ababa", capital),
        own(2, "from which city is [Ethiopia] ruled?", "Paris"),
        own(3, "where does the government of [Atlantis] sit?", "Atlantis", capital),
    )
    made = from_graph(sample_context, questions=0, seed=SEED, own=asked)
    assert made.answered == {"0", "1"}
    answered = [example for example in made.examples if example.task == "answer"]
    assert any("ruled?" in example.messages[-1].content and example.reply == "Addis Ababa" for example in answered)
    (pair,) = [pair for pair in made.pairs if pair.task == "path" and "government" in pair.question]
    assert pair.question == "where does the government of country sit?"
    assert pair.right == ("capital of country",)
    assert any(
        example.task == "query_graph" and "has_capital" in example.reply and "ruled" in example.messages[-1].content
        for example in made.examples
    )


def test_labelled_questions_that_bring_their_query_become_query_graphs(sample_context: Context) -> None:
    def own(number: int, answer: str, cypher: str) -> Question:
        return Question(str(number), "how many rivers end in the Black Sea?", (answer,), cypher=cypher)

    counted = "MATCH (r)-[:flows_into]->(s {name: 'Black Sea'}) RETURN count(DISTINCT r)"
    (row,) = sample_context.graph.read(f"{counted} AS rivers")
    right = str(row["rivers"])
    asked = (
        own(0, right, counted),
        own(1, "-1", counted),
        own(2, right, counted.replace("flows_into", "runs_into")),
        own(3, right, "MATCH (r) OPTIONAL MATCH (r)-[:flows_into]->(s) RETURN count(r)"),
    )
    made = from_graph(sample_context, questions=0, seed=SEED, own=asked)
    assert made.answered == {"0"}
    (example,) = [item for item in made.examples if item.task == "query_graph"]
    assert example.task == "query_graph"
    assert "how many rivers end" in example.messages[-1].content
    assert from_json(json.loads(example.reply)).answer == Aggregate("count", Value("x0"))
    assert example.topics == {"Black Sea"}
    alone = from_graph(sample_context, questions=0, seed=SEED, own=asked, tasks=("query_graph",))
    assert alone.examples == (example,)


def test_questions_over_the_schema_have_conditions_counts_and_extremes(
    films: Context, over_films: list[Question]
) -> None:
    again = list(queries(films.knowledge, QUERIES, Random(SEED_OF_QUERIES)))  # noqa: S311 - a test
    graphs = [question.query_graph for question in over_films if question.query_graph]
    assert len(set(graphs)) == len(over_films) == QUERIES
    assert any(isinstance(item.answer, Aggregate) and item.answer.function == "count" for item in graphs)
    assert any(item.selections for item in graphs)
    assert any(edge.absent for item in graphs for edge in item.edges)
    assert {"=", "<", ">"} <= {condition.operator for item in graphs for condition in item.conditions}
    assert any(isinstance(item.answer, Aggregate) and item.answer.per for item in graphs)
    assert all(name in question.text for question in over_films for name in question.entities)
    assert {question.id for question, _ in written(films, over_films)} == {question.id for question in over_films}
    assert again == over_films


def test_query_graphs_are_written_as_the_grammar_of_replies_has_them(
    films: Context, over_films: list[Question]
) -> None:
    own = [
        Question("0", "how many movies are there that Ida Brandt acted in as the captain?", ("1",)),
        Question("1", "which movies were released after 2004 or never had an actor?", ()),
        *over_films,
    ]
    known = catalogue(films.knowledge.schema, films.shape)
    for question, example in written(films, own):
        grammar = query_grammar(known, literals_of(question.text))
        assert grammar is not None
        assert allows(rules_of(grammar), example.reply), (question.text, example.reply)


def test_labelled_questions_without_a_query_are_written_as_they_are_read(films: Context) -> None:
    def own(number: int, *answers: str) -> Question:
        return Question(str(number), "which movies of Ida Brandt were released after 2004?", answers)

    ((question, example),) = written(films, [own(0, "North Pier"), own(1, "Harvest Moon"), own(2)])
    assert question.id == "0"
    meant = from_json(json.loads(example.reply))
    assert {(item.left, item.right) for item in meant.conditions} == {
        (Value("x0", "released"), (2004,)),
        (Value("x1", "fullName"), ("Ida Brandt",)),
    }


def test_a_reading_that_is_right_is_taken_where_auto_offers_readings(films: Context) -> None:
    wanted = "which movies of Ida Brandt were released after 2004?"
    told = [Question("0", wanted, ("North Pier",))]
    made = list(written(films, told))
    (example,) = offered(films, made)
    prompt = example.messages[-1].content
    (other,) = offered(films, [(replace(told[0], answers=("Harvest Moon",)), made[0][1])])
    number = json.loads(example.reply)["reading"]
    line = next(line for line in prompt.splitlines() if line.startswith(f"{number}. "))
    assert "North Pier)" in line
    assert other.reply == made[0][1].reply


def test_the_command_writes_chats(sample_graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    assert main(["tune", "data", "--out", str(tmp_path), "--questions", "4", "--seed", str(SEED), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    counted = told["examples"]
    lines = (tmp_path / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == sum(counted["train"].values())
    chat = json.loads(lines[0])["messages"]
    assert [chat[0]["role"], chat[-1]["role"]] == ["system", "assistant"]
    assert len(read_pairs(tmp_path / "pairs-train.jsonl")) == sum(told["pairs"]["train"].values())


def test_several_graphs_are_one_set_of_examples(
    sample_graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.jsonl").write_text(
        '{"question": "who reigns over [Ethiopia] from where?", "answers": ["Addis Ababa"], "path": "has_capital"}\n'
        '{"question": "where is [Atlantis]?", "answers": ["nowhere"]}\n',
        encoding="utf-8",
    )
    uri = sample_graph.address
    given = ["--labelled", str(tmp_path / "own.jsonl"), "--questions", "2", "--seed", str(SEED), "--json"]
    counts = []
    for graphs in ((uri,), (uri, uri)):
        named = [part for graph in graphs for part in ("--graph", graph)]
        assert main(["tune", "data", "--out", str(tmp_path / "out"), *given, *named]) == 0
        counts.append(json.loads(capsys.readouterr().out))
    assert counts[0]["left_out"] == counts[1]["left_out"] == 1
    assert counts[1]["pairs"]["train"] == {task: 2 * count for task, count in counts[0]["pairs"]["train"].items()}


def test_invented_graphs_go_with_no_other(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["tune", "data", "--out", str(tmp_path), "--invented", "--graph", "films"]) == 2
    assert "--invented" in capsys.readouterr().err
