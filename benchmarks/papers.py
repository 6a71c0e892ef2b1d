"""The systems of the other papers on MetaQA's dev questions, with a language model that makes no mistakes of its own.

    KGNEO_METAQA=… python -m benchmarks.papers [QUESTIONS [STRATEGY …]]

The model is the stand-in of the tests: it chooses relations along the gold path and reads answers off the facts that it
is shown. So what is missing to 1 is lost by the system. For each system and number of hops: Hit@1 and exact answer sets
over QUESTIONS dev questions (100) drawn with seed 0, calls and tokens a question (words count as tokens), seconds a
question; beside it the Hit@1 that the paper prints. Nothing is encoded but questions and relations: MetaQA is loaded,
not indexed.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmarks.common import metaqa_folder, report, table
from kgneo.asking import ask
from kgneo.context import Context, Options
from kgneo.embedding import load_encoder
from kgneo.graph import Graph
from kgneo.graph.load import load
from kgneo.graph.names import LoadedNames
from kgneo.graph.open import Knowledge
from kgneo.graph.record import TEMPLATE, IndexRecord, count_triples
from kgneo.graph.shape import LOADED
from kgneo.graph.statistics import read_statistics
from kgneo.loader import open_source, read_triples
from kgneo.questions import Question, reader, sample
from kgneo.settings import Settings, open_graph
from kgneo.strategies import Strategy, find_strategy
from kgneo.version import __version__
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


@dataclass
class Measured:
    """What one system did on the questions of one number of hops."""

    hits: list[bool] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def structure(graph: Graph) -> Context:
    """MetaQA as it was loaded, with statistics and without embeddings."""
    encoder = load_encoder(report=report)
    record = IndexRecord(
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        dimensions=encoder.dimensions,
        similarity="",
        template=TEMPLATE,
        triples=count_triples(graph),
        complete=False,
        version=__version__,
        statistics=read_statistics(graph, shape=LOADED, schema=None),
        shape=LOADED,
    )
    return Context(Knowledge(graph, record, LoadedNames(graph)), encoder, Options(hops=3, limit=1_000_000))


def measure(context: Context, questions: Sequence[Question], strategy: Strategy) -> Measured:
    """Ask all questions, one after the other."""
    found = Measured()
    for question in questions:
        start = time.perf_counter()
        answer = ask(context, question.text, strategy=strategy)
        found.seconds.append(time.perf_counter() - start)
        gold = set(question.answers)
        found.hits.append(bool(answer.answers) and answer.answers[0] in gold)
        found.exact.append(set(answer.answers) == gold)
        assert answer.llm is not None or not strategy.needs.model
        found.calls.append(answer.llm.calls if answer.llm else 0)
        found.tokens.append(answer.llm.prompt_tokens + answer.llm.completion_tokens if answer.llm else 0)
        if not found.hits[-1]:
            read = answer.readings[0].path if answer.readings else ""
            found.wrong.append(f"{question.text} | gold {question.path} | {read} | {answer.warnings}")
    return found


def main(limit: int, names: Sequence[str]) -> None:
    """Print one table."""
    dataset = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=HOPS)
    drawn = {hops: sample(dataset.parts[hops], limit, seed=0) for hops in HOPS}
    with open_graph(Settings(store="benchmark-papers", timeout=3600), report=report) as graph:
        if count_triples(graph) == 0:
            load(graph, read_triples(open_source(metaqa_folder() / "kb.txt")), name="benchmark")
        context = structure(graph)
        rows: list[list[object]] = []
        for name in names:
            for hops in HOPS:
                model = PaperStandIn(drawn[hops], FILMS).model()
                found = measure(replace(context, model=model), drawn[hops], find_strategy(name))
                rows.append([name, hops, *_figures(found), PUBLISHED.get(name, ("", "", ""))[hops - 1]])
                report(" | ".join(map(str, rows[-1])))
                if os.environ.get("SHOW_MISSED"):
                    print(*found.wrong, sep="\n", file=sys.stderr)
    table(["system", "hops", "Hit@1", "exact", "calls", "tokens", "s p50", "paper's Hit@1"], rows)


def _figures(found: Measured) -> list[object]:
    shares: list[object] = [statistics.mean(found.hits), statistics.mean(found.exact)]
    cost = [f"{statistics.mean(found.calls):.1f}", f"{statistics.mean(found.tokens):.0f}"]
    return [*shares, *cost, f"{statistics.median(found.seconds):.2f}"]


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    main(count, sys.argv[2:] or list(PUBLISHED))
