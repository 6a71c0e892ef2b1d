"""The systems of the papers on MetaQA's dev questions, side by side.

    KGNEO_METAQA=… python -m benchmarks.papers [QUESTIONS [STRATEGY …]] [--model MODEL] [--out FOLDER]

Without `--model`, the language model is the stand-in of the tests: it chooses relations along the gold path and reads
answers off the facts that it is shown. So what is missing to 1 is lost by the system. For each system and number of
hops: Hit@1 and exact answer sets over QUESTIONS dev questions (100) drawn with seed 0, calls and tokens a question
(words count as tokens), seconds a question; beside it the Hit@1 that the paper prints. Nothing is encoded but questions
and relations: MetaQA is loaded, not indexed, and systems that take the nearest triples take relations instead.

With `--model` (as for kgneo --llm) all ten systems are asked, with that model and its tokens (`cypher` with the adapter
of `--cypher-adapter`, where one is given), and a figure sets accuracy against tokens (FOLDER/accuracy-tokens.png and
.svg, results/papers). Every question is written to FOLDER/records.jsonl as soon as it was asked and is not asked again:
a measurement that was stopped, or is to have more questions or systems, goes on.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.common import Records, metaqa_folder, report, table
from kgneo.asking.question import ask
from kgneo.context import Context, Options
from kgneo.encoders.encoder import load_encoder
from kgneo.errors import KgneoError
from kgneo.evaluation.figures import COLOURS, new_figure, require_matplotlib, save
from kgneo.graph import Graph
from kgneo.graph.load import load
from kgneo.graph.names import LoadedNames
from kgneo.graph.open import Knowledge
from kgneo.graph.record import count_triples, new_record
from kgneo.graph.shape import LOADED
from kgneo.graph.statistics import read_statistics
from kgneo.llm import load_model
from kgneo.loader import open_source, read_triples
from kgneo.model import Answer
from kgneo.questions import Question, reader, sample
from kgneo.settings import Settings, open_graph
from kgneo.strategies import Strategy, find_strategy
from tests.papers_stand_in import PaperStandIn
from tests.pipeline_stand_in import FILMS

HOPS = (1, 2, 3)
PUBLISHED: Mapping[str, Sequence[str]] = {
    "navigator": ("", "0.995", "0.950"),
    "ir-llm": ("", "", "0.987"),
    "refkg": ("0.981", "0.994", "0.990"),
    "mindful": ("", "", "0.82"),
}
"""Hit@1 by number of hops, as printed: KnowledgeNavigator table 1 (the best of two models), IR-LLM table 3, RefKG table
4, Mindful-RAG section 4."""
EVERY = ("paths", "llm", "llm-qd", "kaping", "kg-rag", "cypher", *PUBLISHED)
MARKS = ("o", "s", "^")
"""Of one, two and three hops."""
HEADER = ("system", "hops", "Hit@1", "exact", "calls", "tokens", "s p50", "paper's Hit@1")


@dataclass
class Measured:
    """What one system did on the questions of one number of hops. `wrong` are the questions whose first answer was."""

    hits: list[bool] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def structure(graph: Graph) -> Context:
    """MetaQA as it was loaded, with statistics and without embeddings."""
    encoder = load_encoder(report=report)
    statistics = read_statistics(graph, shape=LOADED, schema=None)
    record = new_record(encoder, LOADED, count_triples(graph), complete=False, statistics=statistics)
    record = replace(record, fingerprint="")  # nothing is embedded
    return Context(Knowledge(graph, record, LoadedNames(graph)), encoder, Options(hops=3, limit=1_000_000, seed=0))


def measure(
    context: Context, questions: Sequence[Question], strategy: Strategy, records: Records, hops: int
) -> Measured:
    """Ask all questions that were not asked before, one after the other."""
    found = Measured()
    model = context.model.fingerprint if context.model is not None and strategy.needs.model else ""
    for question in questions:
        key = {"system": strategy.name, "model": model, "hops": hops, "id": question.id}
        item = records.of(key, lambda: _asked(context, question, strategy))  # noqa: B023 - called at once
        for name in ("hits", "exact", "calls", "tokens", "seconds"):
            getattr(found, name).append(item[name])
        if not item["hits"]:
            found.wrong.append(item["told"])
    return found


def _asked(context: Context, question: Question, strategy: Strategy) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        answer = ask(context, question.text, strategy=strategy)
    except KgneoError as error:  # a model whose reply is empty, or too short for the prompt
        answer = Answer(question.text, strategy.name, "not found", warnings=(error.message,))
    taken, gold = time.perf_counter() - start, set(question.answers)
    read = answer.readings[0].path if answer.readings else ""
    return {
        "hits": bool(answer.answers) and answer.answers[0] in gold,
        "exact": set(answer.answers) == gold,
        "calls": answer.llm.calls if answer.llm else 0,
        "tokens": answer.llm.prompt_tokens + answer.llm.completion_tokens if answer.llm else 0,
        "seconds": round(taken, 3),
        "told": f"{question.text} | gold {question.path} | {read} | {answer.warnings}",
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table, and draw the figure of a model."""
    parser = argparse.ArgumentParser(description="The systems of the papers on MetaQA's dev questions, side by side.")
    parser.add_argument("questions", nargs="?", type=int, default=100, help="of each number of hops")
    parser.add_argument("systems", nargs="*", metavar="STRATEGY", help=f"of {', '.join(EVERY)}")
    parser.add_argument("--model", help="as for kgneo --llm; the tests' stand-in where none is named")
    parser.add_argument("--adapter", type=Path, help="a LoRA adapter for it, as a GGUF file")
    parser.add_argument("--cypher-adapter", type=Path, help="another one for it while it is asked as cypher")
    parser.add_argument("--attempts", type=int, default=3, help="queries that cypher writes for a question at most")
    parser.add_argument("--hops", type=int, nargs="+", choices=HOPS, default=HOPS, help="of the questions")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one call of the model")
    parser.add_argument("--out", type=Path, default=Path("results/papers"), help="folder of records and figure")
    options = parser.parse_args(arguments)
    if options.model:
        require_matplotlib()
    model = load_model(options.model, adapter=options.adapter, report=report) if options.model else None
    writing = (
        load_model(options.model, adapter=options.cypher_adapter, report=report) if options.cypher_adapter else model
    )
    names = options.systems or list(EVERY if model else PUBLISHED)
    records = Records(options.out / "records.jsonl" if model else None)
    dataset = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=HOPS)
    drawn = {hops: sample(dataset.parts[hops], options.questions, seed=0) for hops in options.hops}
    measured: dict[tuple[str, int], Measured] = {}
    with open_graph(Settings(store="benchmark-papers", timeout=3600), report=report, create=True) as graph:
        if count_triples(graph) == 0:
            load(graph, read_triples(open_source(metaqa_folder() / "kb.txt")), name="benchmark")
        context = structure(graph)
        context.options = replace(context.options, llm_timeout=options.timeout)
        for name in names:
            for hops in options.hops:
                strategy = find_strategy(name, select="relations", compare=False, attempts=options.attempts)
                own = writing if name == "cypher" else model
                asked = replace(context, model=own or PaperStandIn(drawn[hops], FILMS).model())
                measured[name, hops] = measure(asked, drawn[hops], strategy, records, hops)
                report(" | ".join(map(str, (name, hops, *_figures(measured[name, hops])))))
                if os.environ.get("SHOW_MISSED"):
                    print(*measured[name, hops].wrong, sep="\n", file=sys.stderr)
    rows = [
        [name, hops, *_figures(found), PUBLISHED.get(name, ("", "", ""))[hops - 1]]
        for (name, hops), found in measured.items()
    ]
    table(HEADER, rows)
    if model is not None:
        draw(measured, options.out, f"{model.name}, {options.questions} questions of each number of hops")
        report(f"Drawn: {options.out / 'accuracy-tokens.png'}")


def draw(measured: Mapping[tuple[str, int], Measured], folder: Path, title: str) -> None:
    """Hit@1 of each system against its tokens a question, a mark for each number of hops."""
    figure, [axes] = new_figure(8, 5)
    names = list(dict.fromkeys(name for name, _ in measured))
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        points = [
            (statistics.mean(found.tokens), statistics.mean(found.hits), hops)
            for (system, hops), found in measured.items()
            if system == name
        ]
        style = "-" if number < len(COLOURS) else "--"
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], style, color=colour, linewidth=0.8, label=name)
        for x, y, hops in points:
            axes.plot([x], [y], MARKS[hops - 1], color=colour, markersize=7, clip_on=False)
    for mark, hops in zip(MARKS, HOPS, strict=True):
        axes.plot([], [], mark, color="#666666", label=f"{hops} hop{'s' if hops > 1 else ''}")
    axes.set_xscale("symlog", linthresh=100)
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("tokens a question (prompts and replies)")
    axes.set_ylabel("Hit@1")
    axes.set_title(title, fontsize=10)
    axes.grid(color="#dddddd", linewidth=0.7)
    figure.legend(loc="outside right upper", frameon=False)
    save(figure, folder, "accuracy-tokens")


def _figures(found: Measured) -> list[object]:
    shares: list[object] = [float(statistics.mean(found.hits)), float(statistics.mean(found.exact))]
    cost = [f"{statistics.mean(found.calls):.1f}", f"{statistics.mean(found.tokens):.0f}"]
    return [*shares, *cost, f"{statistics.median(found.seconds):.2f}"]


if __name__ == "__main__":
    main()
