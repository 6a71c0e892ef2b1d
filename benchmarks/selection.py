"""What choosing triples costs and keeps, without a language model's mistakes.

    KGNEO_METAQA=… NEO4J_URI=… python -m benchmarks.selection [QUESTIONS] [SEED]

`kg-rag` on MetaQA's dev questions (100 a hop, N = 3, K = 30), with a stand-in that splits each question along its
gold path and reads answers off the triples that it is shown: once with the K most similar triples, once with the
triples of the relations that matter. A third row has what these relations hold where the question is not split and its
path not known. For each number of hops: the share of questions with some right answer, with
all of them, with exactly them; tokens of the prompts of an answering step (median, 95 %); seconds a question. Tokens
are those of the encoder's tokenizer. Needs MetaQA indexed at NEO4J_URI, or builds it in a store of its own.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from benchmarks.common import indexed_metaqa, metaqa_folder, table
from kgneo.asking.question import ask, open_context
from kgneo.context import Context, Options
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph import Graph
from kgneo.llm import ScriptedModel
from kgneo.questions import Question, reader, sample
from kgneo.stages.facts import write_facts
from kgneo.stages.link import link
from kgneo.stages.reached import Reached
from kgneo.stages.select import SubQuestion, by_relations
from kgneo.strategies import Strategy, find_strategy
from tests.pipeline_stand_in import FILMS, StandIn

SELECTIONS = ("top-k", "relations")
HOPS = (1, 2, 3)


class CountingModel(ScriptedModel):
    """The stand-in, with tokens counted by a real tokenizer."""

    def __init__(self, stand_in: StandIn, tokenizer: Any) -> None:
        super().__init__(stand_in, name="stand-in")
        self._tokenizer = tokenizer

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def answer_prompts(self) -> list[int]:
        """Tokens of each prompt of an answering step since the last call, the instructions included."""
        calls = [messages for messages, parameters in self.calls if parameters.stage == "answer"]
        self.calls.clear()
        return [sum(self.count_tokens(message.content) for message in messages) for messages in calls]


@dataclass
class Measured:
    """What one selection did on the questions of one number of hops."""

    some: list[bool] = field(default_factory=list)
    complete: list[bool] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def measure(context: Context, questions: tuple[Question, ...], model: CountingModel, strategy: Strategy) -> Measured:
    """Ask all questions, one after the other."""
    result = Measured()
    for question in questions:
        start = time.perf_counter()
        answer = ask(context, question.text, strategy=strategy)
        result.seconds.append(time.perf_counter() - start)
        found, gold = set(answer.answers), set(question.answers)
        result.some.append(bool(found & gold))
        result.complete.append(gold <= found)
        result.exact.append(gold == found)
        result.tokens += model.answer_prompts()
        if not gold <= found:
            result.missed.append(f"{question.text} {len(gold & found)}/{len(gold)} {answer.warnings}")
    return result


def measure_whole(context: Context, questions: tuple[Question, ...], model: CountingModel) -> Measured:
    """Select triples for the questions as they are, and see which answers they hold."""
    result = Measured()
    for question in questions:
        start = time.perf_counter()
        linked = link(context.knowledge, question.text)
        topics = tuple(Reached(item.entity.name, item.entity.id, 0, item.entity.labels) for item in linked.topics)
        selection = by_relations(SubQuestion(linked.text, topics, topics), context)
        result.seconds.append(time.perf_counter() - start)
        held, gold = {end.name for end in selection.ends}, set(question.answers)
        result.some.append(bool(held & gold))
        result.complete.append(gold <= held)
        facts = write_facts(selection.candidates, selection.form)
        prompt = context.prompts.messages("answer", question=linked.text, facts=facts)
        result.tokens.append(sum(model.count_tokens(message.content) for message in prompt))
        if not gold <= held:
            result.missed.append(f"{question.text} {len(gold & held)}/{len(gold)} whole")
    return result


def counted_tokens(context: Context) -> Any:
    """The encoder's tokenizer, for counting."""
    assert isinstance(context.encoder, OnnxEncoder)
    tokenizer = Tokenizer.from_file(str(context.encoder.folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@contextmanager
def graph() -> Iterator[Graph]:
    """MetaQA at NEO4J_URI, else in a store of this benchmark."""
    if uri := os.environ.get("NEO4J_URI"):
        with Graph.connect(uri, password=os.environ.get("NEO4J_PASSWORD", "")) as found:
            yield found
    else:
        with indexed_metaqa() as built:
            yield built


def main(limit: int, seed: int) -> None:
    """Print one table."""
    dataset = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=HOPS)
    rows = []
    with graph() as connected:
        context = open_context(connected)
        tokenizer = counted_tokens(context)
        for hops in HOPS:
            questions = sample(dataset.parts[hops], limit, seed=seed)
            for select in SELECTIONS:
                model = CountingModel(StandIn(questions, FILMS), tokenizer)
                asked = replace(context, model=model, options=Options(hops=3, top_k=30))
                measured = measure(asked, questions, model, find_strategy("kg-rag", select=select))
                rows.append([str(hops), select, *_figures(measured)])
                _show_missed(measured)
            measured = measure_whole(asked, questions, model)
            rows.append([str(hops), "relations, not split", *_figures(measured)])
            _show_missed(measured)
    head = ["hops", "select", "some", "complete", "exact", "tokens p50", "p95", "max", "s p50"]
    table(head, rows)


def _show_missed(measured: Measured) -> None:
    if os.environ.get("SHOW_MISSED"):
        print(*measured.missed, sep="\n")


def _figures(measured: Measured) -> list[str]:
    columns = (measured.some, measured.complete, measured.exact)
    shares = [f"{statistics.mean(values):.3f}" if values else "" for values in columns]
    tokens = [f"{np.percentile(measured.tokens, share):.0f}" for share in (50, 95, 100)]
    return [*shares, *tokens, f"{statistics.median(measured.seconds):.2f}"]


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    main(*(numbers + [100, 0][len(numbers) :]))
