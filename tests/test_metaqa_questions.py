"""MetaQA's questions as people write them, without brackets: a sample keeps what docs/results.md claims of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.errors import EntityNotFound
from kgneo.graph import Graph
from kgneo.matching import fold
from kgneo.questions import Question, reader, sample

EACH = 30


def questions(folder: Path, hops: int) -> tuple[Question, ...]:
    found = reader("metaqa").read(folder, split="dev", variant="vanilla", question_hops=(hops,))
    return sample(found.parts[hops], EACH, seed=0)


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_questions_without_brackets_are_answered_by_default(metaqa: Path, metaqa_graph: Graph, hops: int) -> None:
    asked = questions(metaqa, hops)
    context = open_context(metaqa_graph)
    wrong = []
    for question in asked:
        text = question.text.replace("[", "").replace("]", "")
        try:
            answers = ask(context, text).answers
        except EntityNotFound:
            answers = ()
        if not answers or fold(answers[0]) not in {fold(name) for name in question.answers}:
            wrong.append(text)
    assert len(wrong) <= EACH // 8, wrong
