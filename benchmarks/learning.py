"""What learning from examples gains, and what it costs.

    KGNEO_METAQA=… NEO4J_URI=… python -m benchmarks.learning [LEARNED …] [--questions N] [--seed S]

`paths` on MetaQA's dev questions, the entity in brackets. 1,000 questions of each number of hops are drawn to be
asked; of all the other dev questions, whatever their number of hops, LEARNED (500 and 3,000) are drawn to be learned,
so that they have the mix of hops of the data. All are drawn as `kgneo eval --seed` draws, those to be learned by
the next seed: the same one would draw none of the hops of which most are asked. The 1-hop questions are
asked in the machine-translated paraphrase, too. For each: strict Hit@1, the share of questions read as their gold
path, Hit@1 of the gold path itself (some film titles are shared, so that it is not 1), and milliseconds a question.

Writes examples into the graph at NEO4J_URI, and removes them; it stops where there are some already. Without
NEO4J_URI a store of its own is used.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Mapping, Sequence

from benchmarks.common import indexed_metaqa, metaqa_folder, table
from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.graph.examples import all_examples, remove_examples
from kgneo.graph.walks import follow
from kgneo.learning.paths import LearnReport, learn_questions
from kgneo.matching import fold
from kgneo.questions import Question, reader, sample

HOPS = (1, 2, 3)


def read(variant: str, hops: Sequence[int]) -> Mapping[int | None, tuple[Question, ...]]:
    """MetaQA's dev questions by their number of hops."""
    return reader("metaqa").read(metaqa_folder(), split="dev", variant=variant, question_hops=hops).parts


def split(seed: int, questions: int) -> tuple[dict[str, tuple[Question, ...]], list[Question]]:
    """The questions to ask, by name, and those that may be learned from."""
    vanilla = read("vanilla", HOPS)
    asked = {f"{hops}-hop": sample(vanilla[hops], questions, seed=seed) for hops in HOPS}
    drawn = {question.id for part in asked.values() for question in part}
    others = [question for part in vanilla.values() for question in part if question.id not in drawn]
    paraphrased = {question.id: question for question in read("ntm", (1,))[1]}
    asked["1-hop, paraphrased"] = tuple(paraphrased[question.id] for question in asked["1-hop"])
    return asked, others


def measure(context: Context, questions: Sequence[Question], golden: Mapping[str, bool]) -> list[float | str]:
    """Hit@1, gold path chosen, Hit@1 of the gold path, milliseconds."""
    hits, paths, times = [], [], []
    for question in questions:
        start = time.perf_counter()
        answer = ask(context, question.text)
        times.append((time.perf_counter() - start) * 1000)
        gold = {fold(name) for name in question.answers}
        hits.append(bool(answer.answers) and fold(answer.answers[0]) in gold)
        paths.append(bool(answer.readings) and answer.readings[0].path == str(question.path))
    times.sort()
    return [
        statistics.mean(hits),
        statistics.mean(paths),
        statistics.mean(golden[question.id] for question in questions),
        f"{statistics.median(times):.0f} / {times[int(0.95 * len(times))]:.0f}",
    ]


def gold_hits(context: Context, questions: Sequence[Question]) -> dict[str, bool]:
    """For each question whether the first answer of its gold path is right."""
    known = context.knowledge.names.by_name([question.entities[0] for question in questions])
    result = {}
    for question in questions:
        assert question.path is not None
        found = follow(context.knowledge, [known[question.entities[0]].entity.id], question.path, limit=1).found
        result[question.id] = bool(found) and fold(found[0].entity.name) in {fold(name) for name in question.answers}
    return result


def learned(context: Context, questions: Sequence[Question]) -> tuple[LearnReport, float]:
    """Learn, and how many seconds it took."""
    start = time.perf_counter()
    report = learn_questions(context, questions)
    return report, time.perf_counter() - start


def wrong(context: Context, questions: Sequence[Question]) -> int:
    """How many examples in the graph have another path than the gold path of their question."""
    gold = {question.text: str(question.path) for question in questions}
    return sum(str(example.path) != gold[example.question] for example in all_examples(context.graph))


def main(sizes: Sequence[int], questions: int, seed: int) -> None:
    """Ask without examples, then after learning from each number of questions."""
    asked, others = split(seed, questions)
    figures: list[list[object]] = []
    costs: list[list[object]] = []
    with indexed_metaqa() as graph:
        if all_examples(graph):
            sys.exit("This graph holds examples; remove them first: kgneo learn --remove all")
        golden = gold_hits(open_context(graph), [question for part in asked.values() for question in part])
        try:
            for size in (0, *sizes):
                remove_examples(graph)
                context = open_context(graph)
                if size:
                    train = sample(others, size, seed=seed + 1)
                    report, seconds = learned(context, train)
                    by_hand, trained = report.accuracy
                    costs.append(
                        [size, seconds, report.learned, report.examples, wrong(context, train), by_hand, trained]
                    )
                for name, part in asked.items():
                    figures.append([size, name, *measure(context, part, golden)])
        finally:
            remove_examples(graph)
    table(
        ("learned from", "asked", "Hit@1", "gold path chosen", "Hit@1 of the gold path", "ms (median / 95 %)"), figures
    )
    table(("questions", "seconds", "learned", "examples", "wrong path", "by hand", "trained (unseen)"), costs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[500, 3000])
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    main(given.sizes, given.questions, given.seed)
