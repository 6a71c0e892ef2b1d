"""Reading questions and drawing samples."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kgneo
from kgneo.errors import DataError, UsageError
from kgneo.model import Hop, RelationPath
from kgneo.questions import (
    DatasetReader,
    GoldNode,
    JsonlReader,
    Question,
    bracketed,
    hash_questions,
    reader,
    reader_names,
    sample,
)
from tests.evaluation_stand_in import questions

HopFolder: Any = import_module(
    "kgneo.loaders.metaqa_questions"
).HopFolder  # `loaders/` has another name in the checkout
PACKAGE = Path(kgneo.__file__).parent
METAQA = os.environ.get("KGNEO_METAQA", "")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def folder_reader() -> DatasetReader:
    reads: DatasetReader = HopFolder("towns", lambda kind: {"up": RelationPath((Hop("lies_in"),))}[kind])
    return reads


def read(folder: Path, *hops: int, split: str = "dev", variant: str = "plain") -> tuple[Question, ...]:
    found = folder_reader().read(folder, split=split, variant=variant, question_hops=hops)
    return tuple(item for part in found.parts.values() for item in part)


def test_a_folder_gives_questions_with_entities_answers_types_and_paths(tmp_path: Path) -> None:
    write(tmp_path / "1-hop/plain/qa_dev.txt", "where is [Ulm]\tGermany|Europe\n")
    write(tmp_path / "1-hop/qa_dev_qtype.txt", "up\n")
    (item,) = read(tmp_path)
    assert item.text == "where is [Ulm]"
    assert item.entities == ("Ulm",)
    assert item.answers == ("Germany", "Europe")
    assert (item.hops, item.type, str(item.path)) == (1, "up", "lies_in")


def test_without_a_type_file_there_is_no_gold_path(tmp_path: Path) -> None:
    write(tmp_path / "1-hop/plain/qa_dev.txt", "where is [Ulm]\tGermany\n")
    (item,) = read(tmp_path)
    assert (item.type, item.path) == ("", None)


def test_byte_order_mark_and_windows_line_ends_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "1-hop/plain/qa_dev.txt", "\ufeffwhere is [Ulm]\tGermany\r\n")
    assert read(tmp_path)[0].text == "where is [Ulm]"
    assert read(tmp_path)[0].answers == ("Germany",)


def test_all_numbers_of_hops_are_read_unless_some_are_named(tmp_path: Path) -> None:
    for hops in (1, 2, 3):
        write(tmp_path / f"{hops}-hop/plain/qa_dev.txt", "where is [Ulm]\tGermany\n")
    assert [item.hops for item in read(tmp_path)] == [1, 2, 3]
    assert [item.hops for item in read(tmp_path, 3, 1)] == [1, 3]


def test_a_missing_split_lists_what_is_there(tmp_path: Path) -> None:
    write(tmp_path / "1-hop/plain/qa_dev.txt", "where is [Ulm]\tGermany\n")
    with pytest.raises(DataError, match=r"test.*there are: 1-hop/plain/qa_dev\.txt"):
        read(tmp_path, split="test")
    with pytest.raises(DataError, match=r"no 2-hop/plain/qa_dev\.txt here"):
        read(tmp_path, 2)


def test_types_and_questions_of_different_number_are_refused_with_both_numbers(tmp_path: Path) -> None:
    write(tmp_path / "1-hop/plain/qa_dev.txt", "where is [Ulm]\tGermany\nwhere is [Bonn]\tGermany\n")
    write(tmp_path / "1-hop/qa_dev_qtype.txt", "up\n")
    with pytest.raises(DataError, match="1 question types for 2 questions"):
        read(tmp_path)


def test_an_unknown_type_is_refused_with_its_line(tmp_path: Path) -> None:
    write(tmp_path / "1-hop/plain/qa_dev.txt", "where is [Ulm]\tGermany\n")
    write(tmp_path / "1-hop/qa_dev_qtype.txt", "sideways\n")
    with pytest.raises(DataError, match=r"qa_dev_qtype\.txt:1: unknown question type 'sideways'"):
        read(tmp_path)


@pytest.mark.parametrize("line", ["where is [Ulm]", "where is [Ulm]\t", "where is [Ulm]\t | ", "\tGermany"])
def test_a_line_without_question_or_answers_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    write(tmp_path / "1-hop/plain/qa_dev.txt", f"where is [Bonn]\tGermany\n{line}\n")
    with pytest.raises(DataError, match=r"qa_dev\.txt:2: "):
        read(tmp_path)


def test_a_folder_that_is_not_there_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        read(tmp_path / "nowhere")
    with pytest.raises(DataError, match="no questions here"):
        read(tmp_path)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "1-hop/plain/qa_dev.txt", "")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not UTF-8"):
        read(tmp_path)


def test_a_paraphrase_has_the_identifier_of_its_original(tmp_path: Path) -> None:
    write(tmp_path / "1-hop/plain/qa_dev.txt", "where is [Ulm]\tGermany\n")
    write(tmp_path / "1-hop/other/qa_dev.txt", "the place of [Ulm]\tGermany\n")
    assert read(tmp_path)[0].id == read(tmp_path, variant="other")[0].id


def jsonl(path: Path, *rows: object) -> Path:
    return write(path, "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))


def own(path: Path, *hops: int) -> tuple[Question, ...]:
    found = JsonlReader().read(path, split="", variant="", question_hops=hops)
    return tuple(item for part in found.parts.values() for item in part)


def test_own_questions_have_answers_and_perhaps_entities_hops_and_a_path(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "own.jsonl",
        {"question": "where is Ulm?", "answers": ["Germany"], "entities": ["Ulm"]},
        "",
        {"question": "who is from [Ulm]?", "answers": "Einstein", "hops": 1, "path": "^born_in", "note": "kept"},
    )
    first, second = own(path)
    assert (first.id, first.entities, first.hops, first.path) == ("1", ("Ulm",), None, None)
    assert (second.id, second.entities, second.answers) == ("3", ("Ulm",), ("Einstein",))
    assert second.path == RelationPath((Hop("born_in", forward=False),))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"question": ', "own.jsonl:2: not JSON"),
        ('["question"]', "own.jsonl:2: a JSON list"),
        ('{"answers": ["x"]}', 'own.jsonl:2: no "question"'),
        ('{"question": "q"}', 'own.jsonl:2: neither "answers"'),
        ('{"question": "q", "nodes": [{"label": "City"}]}', 'own.jsonl:2: "nodes" is'),
        ('{"question": "q", "nodes": {"label": "City", "name": "Ulm"}}', 'own.jsonl:2: "nodes" is'),
        ('{"question": "q", "answers": {"a": 1}}', 'own.jsonl:2: "answers" is'),
        ('{"question": "q", "answers": ["x"], "hops": 0}', 'own.jsonl:2: "hops" is 0'),
        ('{"question": "q", "answers": ["x"], "path": 3}', 'own.jsonl:2: "path" is 3'),
        ('{"question": "q", "answers": ["x"], "id": "1"}', "own.jsonl:2: the id '1' occurs twice"),
    ],
)
def test_a_bad_line_of_own_questions_is_refused_with_its_number(tmp_path: Path, line: str, words: str) -> None:
    path = jsonl(tmp_path / "own.jsonl", {"question": "q", "answers": ["x"]}, line)
    with pytest.raises(DataError) as caught:
        own(path)
    assert words in caught.value.message


def test_own_answers_may_be_nodes_and_an_empty_list_says_that_there_is_none(tmp_path: Path) -> None:
    node = {"label": "City", "name": "Ulm", "twins": ["Jinotega", None], "people": 126405}
    path = jsonl(tmp_path / "own.jsonl", {"question": "q", "nodes": [node]}, {"question": "r", "answers": []})
    first, second = own(path)
    assert first.nodes == (GoldNode("City", {key: node[key] for key in ("name", "twins", "people")}),)
    assert first.nodes[0].texts == ("Ulm", "Jinotega", "126405")
    assert (first.answers, first.gold) == ((), ("Ulm",))
    assert (second.answers, second.nodes, second.gold) == ((), (), ())


def test_an_empty_file_of_own_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no questions in the file"):
        own(write(tmp_path / "own.jsonl", "\n"))
    with pytest.raises(DataError, match="no such file"):
        own(tmp_path / "nowhere.jsonl")


def test_own_questions_of_wanted_hops_alone(tmp_path: Path) -> None:
    rows = [{"question": "q", "answers": ["x"], "hops": hops} for hops in (1, 2)]
    path = jsonl(tmp_path / "own.jsonl", *rows)
    assert [item.hops for item in own(path, 2)] == [2]
    with pytest.raises(DataError, match='no question has "hops" among 7'):
        own(path, 7)


PRODUCT = [
    file
    for file in sorted(PACKAGE.rglob("*.py"))
    if "evaluation" not in file.relative_to(PACKAGE).parts and file.name != "eval.py"
]


@pytest.mark.parametrize("file", PRODUCT, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_only_the_command_that_measures_imports_from_evaluation(file: Path) -> None:
    assert not re.search(r"^\s*(from|import) kgneo\.evaluation", file.read_text(encoding="utf-8"), re.MULTILINE)


def test_readers_are_found_by_name() -> None:
    assert {"jsonl", "metaqa"} <= set(reader_names())
    assert isinstance(reader("jsonl"), JsonlReader)
    with pytest.raises(UsageError, match=r"no data set reader is called 'nope'; there are: .*jsonl"):
        reader("nope")


def metaqa() -> Any:
    return reader("metaqa")


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("movie_to_director", "directed_by"),
        ("tag_to_movie", "^has_tags"),
        ("movie_to_actor_to_movie_to_year", "starred_actors/^starred_actors/release_year"),
    ],
)
def test_metaqa_types_are_relation_paths(kind: str, path: str) -> None:
    assert str(metaqa().path_of(kind)) == path


@pytest.mark.parametrize("kind", ["", "movie", "movie_to_moon", "actor_to_director"])
def test_types_that_metaqa_does_not_have_are_unknown(kind: str) -> None:
    with pytest.raises(KeyError):
        metaqa().path_of(kind)


@pytest.mark.skipif(not METAQA, reason="KGNEO_METAQA does not say where MetaQA is")
def test_metaqa_is_read_whole() -> None:
    found = reader("metaqa").read(Path(METAQA), split="dev", variant="vanilla", question_hops=())
    assert {hops: len(part) for hops, part in found.parts.items()} == {1: 9992, 2: 14872, 3: 14274}
    assert all(item.entities and item.path is not None for part in found.parts.values() for item in part)


def test_outermost_brackets_name_the_entities() -> None:
    assert bracketed("did [A] meet [B [2]]?") == ("A", "B [2]")
    assert bracketed("no [balance") == ()


def test_without_brackets_the_entities_are_still_known_and_not_told() -> None:
    bare = Question("1", "where is [Ulm]?", ("Germany",), ("Ulm",)).without_brackets()
    assert (bare.text, bare.entities, bare.told) == ("where is Ulm?", ("Ulm",), False)


def test_the_hash_of_questions_changes_with_an_answer_and_not_with_the_machine() -> None:
    some = questions(3)
    other = (*some[:2], Question(some[2].id, some[2].text, ("Elsewhere",)))
    assert hash_questions(some) == hash_questions(questions(3))
    assert hash_questions(some) != hash_questions(other)
    nodes = (*some[:2], replace(some[2], nodes=(GoldNode("Town", {"name": "Ulm"}),)))
    assert hash_questions(some) != hash_questions(nodes)


@given(seed=st.integers(), limit=st.integers(1, 60), more=st.integers(0, 60))
def test_a_larger_sample_of_a_seed_holds_the_smaller_one_in_the_same_order(seed: int, limit: int, more: int) -> None:
    every = questions(50)
    small, large = sample(every, limit, seed=seed), sample(every, limit + more, seed=seed)
    assert len(small) == min(limit, 50)
    assert [item for item in large if item in small] == list(small)
    assert [item for item in every if item in large] == list(large)


def test_another_seed_draws_another_sample() -> None:
    assert sample(questions(100), 10, seed=0) != sample(questions(100), 10, seed=1)


def test_without_a_limit_all_questions_are_drawn_and_a_limit_of_none_is_refused() -> None:
    assert sample(questions(5), None, seed=3) == questions(5)
    with pytest.raises(UsageError, match="a sample of 0 questions"):
        sample(questions(5), 0, seed=0)
