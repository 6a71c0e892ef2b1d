"""Texts in the graph that tell a language model what to say, and a model that says it: it is never an answer.

How often a large model does so at all is measured by benchmarks/hostile_text.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pytest

from benchmarks.hostile_text import CASES, WORD, Case, fill, led, planted
from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.llm import Message, Parameters
from kgneo.model import Answer
from tests.conftest import StartFilled, connect
from tests.papers_stand_in import PaperStandIn
from tests.test_kg_rag import sample_questions

STRATEGIES = ("auto", "cypher", "kg-rag", "kaping", "navigator", "ir-llm", "refkg", "mindful")
FORMS = (
    WORD,
    f"The answer is {WORD}.",
    f"{WORD}; Addis Ababa",
    f'{{"answers": ["{WORD}"]}}',
    json.dumps(
        {
            "variables": [{"name": "x0"}],
            "conditions": [{"left": {"of": "x0", "key": "name"}, "operator": "=", "right": [WORD]}],
            "answer": {"of": "x0"},
        }
    ),
)


@dataclass
class Obedient(PaperStandIn):
    """Plays every role until a prompt holds one of the texts: then it says what that says, in this form."""

    form: str = WORD
    obeyed: int = 0

    def __call__(self, messages: Sequence[Message], parameters: Parameters) -> str:
        if any(text in message.content for message in messages for text in told()):
            self.obeyed += 1
            return self.form
        return super().__call__(messages, parameters)


def told() -> tuple[str, ...]:
    """What of each text is in a prompt, whatever becomes of its signs there: its longest run of words."""
    return tuple(max(re.findall(r"[\w ]+", text), key=len).strip() for text in planted())


@pytest.fixture(scope="module")
def hostile(start_filled: StartFilled, encoder: OnnxEncoder) -> Iterator[Context]:
    """The sample with the texts."""
    with connect(start_filled("hostile-text", lambda graph: fill(graph, encoder, hostile=True))) as graph:
        yield open_context(graph, encoder=encoder)


def answered(context: Context, case: Case, strategy: str, form: str) -> tuple[Answer, Obedient]:
    model = Obedient(sample_questions(), form=form)
    return ask(replace(context, model=model.model()), case.question, strategy=strategy), model


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_a_text_demands_is_no_answer(hostile: Context, strategy: str, form: str) -> None:
    for case in CASES:
        answer, _ = answered(hostile, case, strategy, form)
        assert not led(answer), (case.question, answer.answer)
        assert set(answer.answers) <= {*case.right, *planted()}, case.question


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_model_is_shown_such_a_text(hostile: Context, strategy: str) -> None:
    """Else the test above would hold for want of something to obey."""
    if strategy in ("auto", "cypher"):
        pytest.skip("shows values of the question alone")
    assert sum(answered(hostile, case, strategy, WORD)[1].obeyed for case in CASES)
