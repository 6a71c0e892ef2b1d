"""Questions of many kinds without a language model: how many answers are right as a whole, and how sure `paths` was.

    [KGNEO_ZOGRASCOPE=…] [KGNEO_GEOQUERY=…] python -m benchmarks.reading [SET …] [--limit N] [--seed S] [--learned | …]

The sets: 500 questions drawn from ZOGRASCOPE's train part about the graph POLE (KGNEO_ZOGRASCOPE names the folder of
`train.jsonl` and `pole-data-importer.zip`); GeoQuery's about its property graph and about its triples (KGNEO_GEOQUERY:
the folder of `questions.jsonl`, `graph.json` and `triples.txt`); those about the graphs of benchmarks/graphs, by
kind. Where the graph holds no answer, a refusal, "not found" or a confidence below 0.2 is right. What went wrong is
told on standard error. Each set has a store of its own, which keeps its graph for the next time. Times are those of a
server that has just started, in which every query is planned for the first time, and the planner itself is not yet
compiled; `--warm N` asks N other questions of the set before.

`--learned` asks twice, before and after learning from other questions of the set: those of the train part where the
file tells parts, and the dev part is asked; else all but three in ten of the templates (gold queries without their
literals, drawn by the seed), and questions of those three are asked. `--lessons` bounds how many are learned. It has
stores of its own, and forgets at the end what was learned.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.common import empty, report, table
from benchmarks.hand_made import GRAPHS
from benchmarks.hand_made import fill as fill_hand_made
from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import load_encoder
from kgneo.errors import KgneoError
from kgneo.evaluation.metrics import Scores, percentile, score
from kgneo.graph import Graph
from kgneo.graph.index import build
from kgneo.graph.lessons import remove_lessons
from kgneo.graph.load import load
from kgneo.graph.load_graph import load_graph
from kgneo.graph.shape import LOADED
from kgneo.learning.paths import learn_questions
from kgneo.loader import LoadedNode, LoadedRelationship, NodeKey, open_source, read_triples
from kgneo.model import Answer
from kgneo.property_graph import GraphFiles, open_graph_files, read_graph
from kgneo.questions import JsonlReader, Question, sample
from kgneo.settings import Settings, open_graph
from kgneo.text import digest

SURE = 0.8
HEADER = ("set", "type", "n", "exact", "Hit@1", "sure and exact", "sure", "median ms", "p95 ms")


@dataclass(frozen=True)
class Set:
    """Questions about a graph: `fill` puts the graph into a store, where it may be already. Without `variable`, the
    environment variable that names the folder, the files are among the hand-made graphs."""

    fill: Callable[[Graph, Path], None]
    questions: str
    variable: str = ""
    drawn: int | None = None


@dataclass(frozen=True)
class Asked:
    """A question with its answer, what that is worth, and the milliseconds it took."""

    question: Question
    answer: Answer
    scores: Scores
    milliseconds: float

    @property
    def sure(self) -> bool:
        """Whether the answer is held to be right."""
        return bool(self.answer.answers) and (self.answer.confidence or 0.0) >= SURE


# Graphs ----------------------------------------------------------------------------------------------------------


def fill_pole(graph: Graph, folder: Path) -> None:
    """The archive of POLE, as `kgneo load` loads it."""
    files = open_graph_files([str(folder / "pole-data-importer.zip")])
    assert isinstance(files, GraphFiles)
    load_graph(graph, read_graph(files), name=files.name, digest=files.digest())


def fill_geography(graph: Graph, folder: Path) -> None:
    """GeoQuery's property graph: names are unique in it, and relationships name their ends."""
    text = (folder / "graph.json").read_text(encoding="utf-8")
    record = json.loads(text)

    def items() -> Iterator[LoadedNode | LoadedRelationship]:
        for node in record["nodes"]:
            properties = {key: value for key, value in node.items() if key != "label"}
            yield LoadedNode(NodeKey("", node["name"]), (node["label"],), properties)
        for start, relation, end in record["relationships"]:
            yield LoadedRelationship(NodeKey("", start), relation, NodeKey("", end))

    load_graph(graph, items(), name="geoquery", digest=digest(text))


def fill_triples(graph: Graph, folder: Path) -> None:
    """GeoQuery's triples, as `kgneo load` loads and indexes them."""
    load(graph, read_triples(open_source(folder / "triples.txt")), name="triples.txt")
    build(graph, load_encoder(report=report), shape=LOADED)


def fill_afresh(graph: Graph, folder: Path) -> None:
    """A hand-made graph in place of what is there."""
    empty(graph)
    fill_hand_made(graph, folder)


BLIND = (
    "company", "waterworks", "cup", "bank", "parks", "pharmacy", "institute", "network", "airline", "gallery",
    "packages", "trains", "voyages", "courts", "grid", "wards",
    "streaming",
)  # fmt: skip
"""The graphs of benchmarks/graphs with questions for every kind of query graph."""
EVERYDAY = (
    "films", "flights", "forum", "offshore", "posts", "lessons", "webshop", "homes",
    "clinic", "tracks", "events", "supply",
    "staff", "plant", "warehouse", "school", "bikes", "foods", "fraud", "thrones", "worldcup", "recommend", "contact",
    "hotel",
    "vetpractice", "musicfestival", "citycouncil", "construction", "spaceagency", "researchfunding", "mountain_rescue",
    "newspaper", "itestate", "foodbank",
    "beekeepers", "theatre", "ferry", "makerspace",
    "genelab", "port", "academy", "brewery", "rescue", "estate",
)  # fmt: skip
"""Small graphs of the kinds that Neo4j is shown with, and what anybody would ask of them first."""
ONLY_COUNTED = (
    "radiostation", "climbinggym", "seedbank", "archive", "lawfirm", "filmfestival", "infirmary", "factory",
)  # fmt: skip
"""More of these, on whose questions nothing was mended, and to which no weights were fitted."""
SETS = {
    "zograscope": Set(fill_pole, "train.jsonl", "KGNEO_ZOGRASCOPE", drawn=500),
    "geoquery": Set(fill_geography, "questions.jsonl", "KGNEO_GEOQUERY"),
    "geoquery-triples": Set(fill_triples, "questions.jsonl", "KGNEO_GEOQUERY"),
    **{name: Set(fill_afresh, "questions-graphs.jsonl") for name in (*BLIND, *EVERYDAY, *ONLY_COUNTED)},
}


@contextmanager
def filled(name: str, folder: Path, *, purpose: str = "reading") -> Iterator[Graph]:
    """A set's graph in a store of its own for each purpose, whose server is stopped at the end."""
    from kgneo.server import stop, store_path

    store = f"benchmark-{purpose}-{name}"
    try:
        with open_graph(Settings(store=store, timeout=3600), report=report, create=True) as graph:
            SETS[name].fill(graph, folder)
            yield graph
    finally:
        stop(store_path(store))


def folder_of(name: str) -> Path | None:
    """The folder of a set's files; None where no variable names it."""
    variable = SETS[name].variable
    if not variable:
        return GRAPHS[1] / name
    return Path(os.environ[variable]) if os.environ.get(variable) else None


# Asking ----------------------------------------------------------------------------------------------------------


def questions_of(file: Path, *, limit: int | None, seed: int) -> tuple[Question, ...]:
    """The questions of a file, `limit` of them drawn by `seed`."""
    parts = JsonlReader().read(file, split="", variant="", question_hops=()).parts
    return sample([question for part in parts.values() for question in part], limit, seed=seed)


def asked(context: Context, questions: Sequence[Question], before: Sequence[Question] = ()) -> Iterator[Asked]:
    """Ask each question; before that, untimed, the first one, which fills what is kept between questions, and all of
    `before`, by which the server compiles what plans queries."""
    for question in (questions[0], *before):
        answered(context, question.text)
    for question in questions:
        start = time.perf_counter()
        answer = answered(context, question.text)
        taken = (time.perf_counter() - start) * 1000
        yield Asked(question, answer, score(answer, question), taken)


def answered(context: Context, question: str) -> Answer:
    """What `paths` answers; "not found" with the reason where it raises an error."""
    try:
        return ask(context, question, strategy="paths")
    except KgneoError as error:
        return Answer(question, "paths", "not found", confidence=0.0, warnings=(error.message,))


def rows_of(name: str, found: Sequence[Asked]) -> Iterator[tuple[object, ...]]:
    """A row for each type of question, and one for all."""
    types = sorted({item.question.type for item in found})
    for kind in (*(types if len(types) > 1 else ()), "all"):
        part = [item for item in found if kind in ("all", item.question.type)]
        sure = [item.scores.exact for item in part if item.sure]
        times = np.array([item.milliseconds for item in part])
        yield (
            name,
            kind,
            len(part),
            float(np.mean([item.scores.exact for item in part])),
            float(np.mean([item.scores.hit_at_1 for item in part])),
            float(np.mean(sure)) if sure else "–",
            len(sure),
            f"{np.median(times):.0f}",
            f"{percentile(times, 0.95):.0f}",
        )


def tell(name: str, item: Asked) -> None:
    """What went wrong, on standard error."""
    answer, question = item.answer, item.question
    said = ", ".join(answer.answers[:5]) or "; ".join((answer.answer, *answer.warnings))
    print(
        f"{name}: {question.text}\n  gold {len(question.gold)}: {', '.join(question.gold[:5])}\n"
        f"  got {len(answer.answers)}, confidence {answer.confidence or 0.0:.2f}: {said}\n"
        f"  {' '.join((answer.cypher or 'no query').split())} {answer.cypher_parameters or ''}",
        file=sys.stderr,
    )


def measure(name: str, folder: Path, *, limit: int | None, seed: int, warm: int = 0) -> list[tuple[object, ...]]:
    """Ask the questions of a set, after `warm` others of it; tell what is wrong, and return the rows of the table."""
    file, limit = folder / SETS[name].questions, limit or SETS[name].drawn
    questions = questions_of(file, limit=limit, seed=seed)
    others = [question for question in questions_of(file, limit=None, seed=seed) if question not in questions]
    with filled(name, folder) as graph:
        found: list[Asked] = []
        before = sample(others, warm, seed=seed) if warm else ()
        for item in asked(open_context(graph, report=report), questions, before):
            found.append(item)
            if not item.scores.exact:
                tell(name, item)
    return list(rows_of(name, found))


# Learned ---------------------------------------------------------------------------------------------------------

HELD = 0.3
"""Share of the templates whose questions are asked and not learned."""


def split(
    questions: Sequence[Question], parts: Mapping[str, str], *, seed: int
) -> tuple[list[Question], list[Question]]:
    """Those to learn, and those to ask, none of whose templates is learned; by `parts` (by identifier) where they say
    which are for training."""
    if parts:
        return [item for item in questions if parts[item.id] == "train"], [
            item for item in questions if parts[item.id] != "train"
        ]
    templates = {item.id: re.sub(r"\"[^\"]*\"|'[^']*'|\b\d+\b", "?", item.cypher) for item in questions}
    distinct = sorted(set(templates.values()), key=lambda text: digest(f"{seed}{text}"))
    held = set(distinct[: round(HELD * len(distinct))])
    return [item for item in questions if templates[item.id] not in held], [
        item for item in questions if templates[item.id] in held
    ]


def parts_of(file: Path) -> dict[str, str]:
    """Which part of the data each question of a file belongs to, by its identifier; empty where it tells none."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {
        str(record.get("id", number)): record["split"]
        for number, record in enumerate(records, start=1)
        if "split" in record
    }


def measure_learned(
    name: str, folder: Path, *, limit: int | None, lessons: int | None, seed: int
) -> list[tuple[object, ...]]:
    """Ask some questions of a set before and after learning from others; the rows of the table."""
    file = folder / SETS[name].questions
    learned, others = split(questions_of(file, limit=None, seed=seed), parts_of(file), seed=seed)
    questions = sample(others, limit or SETS[name].drawn, seed=seed)
    with filled(name, folder, purpose="learned") as graph:
        remove_lessons(graph)
        before = list(asked(open_context(graph, report=report), questions))
        context = open_context(graph, report=report)
        found = learn_questions(context, sample(learned, lessons, seed=seed), on_progress=_progress())
        report(
            f"{name}: {found.learned} of {found.questions} questions learned, {found.examples} lessons; of unseen ones "
            f"{found.accuracy[0]:.3f} are read right by the reader and {found.accuracy[1]:.3f} by what was learned."
        )
        try:
            after = []
            for item in asked(open_context(graph, report=report), questions):
                after.append(item)
                if not item.scores.exact:
                    tell(name, item)
        finally:
            remove_lessons(graph)
    return [*rows_of(f"{name}, nothing learned", before), *rows_of(f"{name}, learned", after)]


def _progress() -> Callable[[str, int, int], None]:
    """Tells every hundredth question on standard error."""

    def told(stage: str, done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            report(f"{stage}: {done} of {total}")

    return told


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Questions of many kinds, without a language model.")
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all of them where none is given")
    parser.add_argument("--limit", type=int, help="questions of each set")
    parser.add_argument("--seed", type=int, default=0, help="draws the questions")
    parser.add_argument("--warm", type=int, default=0, metavar="N", help="ask so many others before, untimed")
    parser.add_argument("--learned", action="store_true", help="ask before and after learning from other questions")
    parser.add_argument("--lessons", type=int, metavar="N", help="learn from so many questions at most")
    options = parser.parse_args()
    names = options.sets or list(SETS)
    if unknown := [name for name in names if name not in SETS]:
        parser.error(f"there is no set called {', '.join(unknown)}; there are {', '.join(SETS)}")
    rows: list[tuple[object, ...]] = []
    for name in names:
        folder = folder_of(name)
        if folder is not None and options.learned:
            limits = {"limit": options.limit, "lessons": options.lessons}
            rows += measure_learned(name, folder, **limits, seed=options.seed)
        elif folder is None:
            report(f"{name} is left out: {SETS[name].variable} names no folder.")
        else:
            rows += measure(name, folder, limit=options.limit, seed=options.seed, warm=options.warm)
    table(HEADER, rows)


if __name__ == "__main__":
    main()
