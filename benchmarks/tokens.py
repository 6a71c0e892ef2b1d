"""Model calls and prompt tokens of a question: `kg-rag` as it is, and brief, against the paper's scheme.

    KGNEO_METAQA=… python -m benchmarks.tokens

The paper's scheme is `kg-rag` with every choice that the paper makes: each sub-question is rewritten by the model and
answered from the 30 nearest of all candidates within three hops, and the answers are put together in one more call.
Both are asked the same dev questions of MetaQA, so many of each number of hops, with the stand-in of the tests for the
language model: it splits along the gold path and reads answers off the triples that it is shown. Tokens are those of
the encoder's tokenizer.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from benchmarks.common import Line, metaqa_folder, report, table
from benchmarks.selection import HOPS, CountingModel, counted_tokens, graph
from kgneo.asking.question import ask, open_context
from kgneo.context import Context, Options
from kgneo.questions import Question, reader, sample
from kgneo.strategies import Strategy, find_strategy
from tests.pipeline_stand_in import FILMS, StandIn

QUESTIONS, QUICK_QUESTIONS = 100, 10
"""Of each number of hops."""
WAYS: dict[str, dict[str, object]] = {"kg-rag": {}, "kg-rag, brief": {"brief": True}, "paper": {"select": "top-k"}}
"""Options of `kg-rag`."""
PAPER = "paper"


@dataclass
class Spent:
    """What the questions of one number of hops cost one way, and whether their answers were exactly the right ones."""

    calls: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)

    def row(self) -> list[float]:
        """Their means."""
        return [statistics.mean(values) for values in (self.calls, self.tokens, self.exact)]


def measure(context: Context, questions: Sequence[Question], strategy: Strategy) -> Spent:
    """Ask all questions, one after the other."""
    spent = Spent()
    for question in questions:
        answer = ask(context, question.text, strategy=strategy)
        assert answer.llm is not None
        spent.calls.append(answer.llm.calls)
        spent.tokens.append(answer.llm.prompt_tokens)
        spent.exact.append(set(answer.answers) == set(question.answers))
    return spent


def lines(*, quick: bool) -> list[Line]:
    """Both ways, a table by number of hops, and the means over all questions."""
    dataset = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=HOPS)
    found: dict[tuple[str, int], Spent] = {}
    with graph() as connected:
        context = open_context(connected)
        tokenizer = counted_tokens(context)
        for hops in HOPS:
            questions = sample(dataset.parts[hops], QUICK_QUESTIONS if quick else QUESTIONS, seed=0)
            for way, options in WAYS.items():
                report(f"{hops} hops, {way} …")
                model = CountingModel(StandIn(questions, FILMS), tokenizer)
                asked = replace(context, model=model, options=Options(hops=3, top_k=30, limit=1_000_000))
                found[way, hops] = measure(asked, questions, find_strategy("kg-rag", **options))
    table(("way", "hops", "calls", "prompt tokens", "exact"), [(*key, *spent.row()) for key, spent in found.items()])
    return compared(found)


def compared(found: dict[tuple[str, int], Spent]) -> list[Line]:
    """Means over all questions, ours against the paper's."""
    means = {
        way: [statistics.mean(values) for values in zip(*(found[way, hops].row() for hops in HOPS), strict=True)]
        for way in WAYS
    }
    lines = []
    for way in WAYS:
        if way != PAPER:
            for what, ours, paper, reach in zip(
                ("model calls", "prompt tokens", "share answered exactly"),
                means[way],
                means[PAPER],
                (1, 0.4, 1),
                strict=True,
            ):
                exact = what.startswith("share")
                lines.append(
                    Line(f"{what}, `{way}`", "the paper's scheme", ours, paper, "", ours / paper, reach, exact)
                )
    return lines


if __name__ == "__main__":
    print(*lines(quick="--quick" in sys.argv[1:]), sep="\n")
