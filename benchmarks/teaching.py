"""What a lesson changes: questions whose query graph somebody verified, asked in other words and with other values.

    KGNEO_SPIDER=… python -m benchmarks.teaching [DATABASE …] [--seed 0]
    KGNEO_SPIDER=… python -m benchmarks.teaching --fit DATABASE … [--lessons 12] [--seed 0]

benchmarks/corrections.jsonl has, for questions about nine databases that were answered wrong, the Cypher that is right
(checked here: it must give the answers of the data). Each is said by `kgneo.feedback.give`, held against all that were
taken before, and taken unless it breaks one of these. Then are asked: the same questions; their paraphrases, which are
questions of the same SQL and the same in words that the schema does not have; the same with another value of the same
property in the place of each text that the question names, against what the Cypher with that value gives; and all other
questions of the database, before and after. The reader, and the bound from which lessons count, were mended after a
first look at what was wrong here, so that some of the questions are read right by now without a lesson.

`--fit` makes the weights of `kgneo.stages.same_kind`: of each database, questions that one of the reader's readings
answers right become verified ones, drawn by the seed; the others, and all in other words, are held against them. Those
that ask the same by the data (the same SQL) and all others alike: what counts is whether the verified query graph with
their values gives their answers. It prints the weights, and how sure and how right they are on every fifth database.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import report, scratch_graph, table
from benchmarks.databases import VARIABLE, fill
from benchmarks.reading import answered, questions_of
from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.evaluation.metrics import score
from kgneo.feedback.give import Said, give
from kgneo.feedback.review import effect, take
from kgneo.feedback.said import feedback_file
from kgneo.graph import Graph
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import QueryGraph
from kgneo.query.json import to_json
from kgneo.questions import Question, sample
from kgneo.stages.interpret import interpret, run_query, verified_questions
from kgneo.stages.run_readings import gives
from kgneo.stages.same_kind import Signs, compared, probability
from kgneo.terms.file import Terms

CORRECTIONS = Path(__file__).parent / "corrections.jsonl"
READINGS = 8
EACH = 2
"""Other values that are put into the place of one."""
HELD = 5
"""One of so many databases is not fitted on."""


@dataclass(frozen=True)
class Pair:
    """A question held against a verified one: the signs, and whether the query graph gives the right answers."""

    database: str
    question: str
    verified: str
    signs: Signs
    right: bool


def recorded(folder: Path, seed: int) -> tuple[tuple[Question, ...], dict[str, dict[str, Any]]]:
    """The questions of a database, and their records by identifier."""
    file = folder / "questions.jsonl"
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    said = {str(record.get("id", number)): record for number, record in enumerate(records, start=1)}
    return questions_of(file, limit=None, seed=seed), said


def readable(context: Context, question: Question) -> QueryGraph | None:
    """The first of the reader's readings that gives the answers of a question."""
    try:
        found = interpret(context, question.text)[:READINGS]
    except KgneoError:
        return None
    return next((item.graph for item in found if gives(context, item.graph, question.answers, question.nodes)), None)


def verified(graph: Graph, pairs: Sequence[tuple[str, QueryGraph]]) -> None:
    """Make pairs of a question and its query graph the verified questions of a graph."""
    records = [{"question": text, "query_graph": json.dumps(to_json(item))} for text, item in pairs]
    graph.terms = Terms.model_validate({"questions": records})


# Fitting -------------------------------------------------------------------------------------------------------------


def pairs_of(graph: Graph, folder: Path, *, lessons: int, seed: int) -> Iterator[Pair]:
    """The questions of a database held against some of them."""
    fill(graph, folder)
    graph.terms = None
    context = open_context(graph, report=report)
    questions, said = recorded(folder, seed)
    drawn: dict[str, Question] = {}
    for question in sample(list(questions), None, seed=seed):
        drawn.setdefault(said[question.id]["sql"], question)
    known: list[tuple[Question, QueryGraph]] = []
    for question in drawn.values():
        if len(known) < lessons and (found := readable(context, question)) is not None:
            known.append((question, found))
    verified(graph, [(question.text, found) for question, found in known])
    taught = open_context(graph, report=report)
    learned = {question.id for question, _ in known}
    others = [item for item in questions if item.id not in learned]
    others += [replace(item, text=words) for item in questions if (words := said[item.id].get("other_words"))]
    for question in others:
        for item in compared(taught, question.text, verified_questions(taught)):
            yield Pair(
                folder.name,
                question.text,
                item.question,
                item.signs,
                gives(taught, item.graph, question.answers, question.nodes),
            )


def fitted(pairs: Sequence[Pair]) -> tuple[Signs, float]:
    """The weights and the constant of a logistic model over the signs of pairs."""
    from scipy.optimize import minimize

    matrix = np.array([(*astuple(pair.signs), 1.0) for pair in pairs])
    right = np.array([pair.right for pair in pairs], dtype=float)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        likely = 1 / (1 + np.exp(-matrix @ weights))
        value = -np.mean(right * np.log(likely + 1e-12) + (1 - right) * np.log(1 - likely + 1e-12))
        return value + 1e-4 * weights @ weights, matrix.T @ (likely - right) / len(right) + 2e-4 * weights

    found = minimize(loss, np.zeros(matrix.shape[1]), jac=True, method="L-BFGS-B").x
    return Signs(*(round(float(weight), 2) for weight in found[:-1])), round(float(found[-1]), 2)


def calibration(pairs: Sequence[Pair], shares: Sequence[float]) -> Iterator[tuple[object, ...]]:
    """By bands of probability: how many pairs, how likely they were held to be right, and how many were."""
    for low, high in ((0.0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.95), (0.95, 1.01)):
        inside = [(pair.right, share) for pair, share in zip(pairs, shares, strict=True) if low <= share < high]
        if inside:
            right, share = np.mean(inside, axis=0)
            yield f"{low:g} to {min(high, 1):g}", len(inside), round(float(share), 3), round(float(right), 3)


def fit(names: Sequence[str], *, lessons: int, seed: int, file: Path | None) -> None:
    """Gather pairs, fit, and print."""
    pairs: list[Pair] = []
    folder = Path(os.environ[VARIABLE])
    with scratch_graph("teaching") as graph:
        for name in names:
            found = list(pairs_of(graph, folder / name, lessons=lessons, seed=seed))
            report(f"{name}: {sum(pair.right for pair in found)} of {len(found)} pairs are right")
            pairs += found
    if file:
        record = [{**asdict(pair), "signs": astuple(pair.signs)} for pair in pairs]
        file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    held = {name for number, name in enumerate(names) if number % HELD == 0}
    weights, constant = fitted([pair for pair in pairs if pair.database not in held])
    print({item.name: getattr(weights, item.name) for item in fields(weights)}, constant)
    unseen = [pair for pair in pairs if pair.database in held]
    table(
        ("held to be right", "n", "mean", "right"),
        list(calibration(unseen, [probability(pair.signs, weights, constant) for pair in unseen])),
    )


# Corrections ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Correction:
    """A question that was answered wrong, and the Cypher that is right."""

    question: Question
    cypher: str


@dataclass
class Tally:
    """How many of each kind of question were right, before and after."""

    counts: dict[str, list[tuple[bool, bool]]] = field(default_factory=dict)

    def add(self, kind: str, before: bool, after: bool) -> None:
        """One question."""
        self.counts.setdefault(kind, []).append((before, after))

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Kind, how many, right before, right after."""
        for kind, found in self.counts.items():
            yield kind, len(found), *(round(float(np.mean(column)), 3) for column in zip(*found, strict=True))


def corrections(name: str, by_id: Mapping[str, Question]) -> list[Correction]:
    """Those of one database."""
    lines = CORRECTIONS.read_text(encoding="utf-8").splitlines()
    records = [record for line in lines if (record := json.loads(line))["database"] == name]
    return [Correction(by_id[record["id"]], record["cypher"]) for record in records]


def is_right(context: Context, question: Question, text: str) -> bool:
    """Whether a text is answered exactly as the question is to be."""
    return bool(score(answered(context, text), question).exact)


def taught(context: Context, items: Sequence[Correction]) -> list[Correction]:
    """Say what is right of each, and take it where it breaks nothing; those that were taken."""
    file = context.graph.terms_file
    assert file is not None
    done = []
    for item in items:
        try:
            said = give(context, item.question.text, None, Said(means=item.cypher, by="benchmark"))
            take(context, file, said, effect(context, said), feedback_file(file))
        except KgneoError as error:
            report(f"Not taken: {item.question.text}\n  {error.message}")
            continue
        done.append(item)
    return done


def with_other_values(context: Context, item: Correction, seed: int) -> Iterator[tuple[str, Question]]:
    """The question with another value in the place of a text that it names, and what the Cypher with that gives."""
    for text in dict.fromkeys(re.findall(r"'([^']+)'", item.cypher)):
        if _replaced(item.question.text, text, "") == item.question.text:
            continue
        others = [other for other in _others(context, text) if "'" not in other and other != text]
        for other in np.random.default_rng(seed).permutation(others)[:EACH]:
            asked = _replaced(item.question.text, text, str(other))
            graph = from_cypher(item.cypher.replace(f"'{text}'", f"'{other}'"))
            result = run_query(context, graph)
            if result.answers and not result.more:
                yield asked, replace(item.question, text=asked, answers=result.answers, nodes=())


def _replaced(text: str, old: str, new: str) -> str:
    """A text with other words in the place of some, whatever their capitals."""
    return re.sub(rf"\b{re.escape(old)}\b", lambda _: new, text, flags=re.IGNORECASE)


def _others(context: Context, text: str) -> list[str]:
    """The values of the properties that have a value."""
    rows = context.graph.read(OTHERS, text=text)
    return sorted({row["value"] for row in rows})


OTHERS = """
MATCH (n) UNWIND keys(n) AS key WITH n, key WHERE n[key] = $text
WITH DISTINCT labels(n)[0] AS label, key
MATCH (m) WHERE label IN labels(m) AND m[key] IS :: STRING NOT NULL
RETURN DISTINCT m[key] AS value LIMIT 500
"""


def measure(graph: Graph, folder: Path, tally: Tally, seed: int) -> None:
    """Teach the corrections of a database, and ask."""
    fill(graph, folder)
    graph.terms = None
    with TemporaryDirectory() as place:
        graph.terms_file = Path(place) / "kgneo.terms.toml"
        questions, said = recorded(folder, seed)
        context = open_context(graph, report=report)
        given = corrections(folder.name, {question.id: question for question in questions})
        for item in given:
            right = gives(context, from_cypher(item.cypher), item.question.answers, item.question.nodes)
            assert right, f"{item.question.text}: {item.cypher}"
        asked = list(_asked(context, questions, said, given, seed))
        before = [is_right(context, question, text) for _, text, question in asked]
        known = taught(context, given)
        report(f"{folder.name}: {len(known)} of {len(given)} taken")
        after = [is_right(context, question, text) for _, text, question in asked]
        for (kind, text, _), was, now in zip(asked, before, after, strict=True):
            tally.add(kind, was, now)
            if not now:
                report(f"{kind}, {'lost' if was else 'wrong'}: {text}")
        graph.terms = None


def _asked(
    context: Context,
    questions: Sequence[Question],
    said: Mapping[str, Mapping[str, Any]],
    given: Sequence[Correction],
    seed: int,
) -> Iterator[tuple[str, str, Question]]:
    """What is asked: its kind, its text, and the question whose answers are right."""
    corrected = {item.question.id for item in given}
    queries = {said[item.question.id]["sql"] for item in given}
    for item in given:
        yield "the same", item.question.text, item.question
        yield from (("other values", text, question) for text, question in with_other_values(context, item, seed))
    for question in questions:
        record = said[question.id]
        kind = "in other words" if record["sql"] in queries else "others"
        if question.id not in corrected:
            yield kind, question.text, question
        if record.get("other_words"):
            yield kind, record["other_words"], question


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a lesson changes.")
    parser.add_argument(
        "databases", nargs="*", metavar="DATABASE", help="all that have corrections, where none is given"
    )
    parser.add_argument("--fit", action="store_true", help="fit the weights on these databases")
    parser.add_argument("--lessons", type=int, default=12, help="verified questions of each database")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the pairs into a file")
    options = parser.parse_args()
    if VARIABLE not in os.environ:
        sys.exit(f"Set {VARIABLE} to the folder of the databases.")
    if options.fit:
        fit(options.databases, lessons=options.lessons, seed=options.seed, file=options.json)
        return
    lines = CORRECTIONS.read_text(encoding="utf-8").splitlines()
    tally = Tally()
    with scratch_graph("teaching") as graph:
        for name in options.databases or dict.fromkeys(json.loads(line)["database"] for line in lines):
            measure(graph, Path(os.environ[VARIABLE]) / name, tally, options.seed)
    table(("asked", "n", "right before", "right after"), list(tally.rows()))


if __name__ == "__main__":
    main()
