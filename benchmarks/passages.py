"""Questions about what texts say, joined with other conditions: all conditions met, and recall of the first ten.

    python -m benchmarks.passages [--half odd|even] [--beside]

The graph is made of benchmarks/texts: the plots of 60 films, 74 reviews of hotels, restaurants and museums, and 30
articles about companies, each with the topics that its writer had in mind, which the graph does not have. A question
has the topics that it asks for and the other conditions on what stands beside the text (questions.tsv, written before
the code): right are the texts with one of the topics that meet these. Answers that are not texts themselves (directors,
hotels, companies) are right where one of their texts is; counts are held against the number of right texts. Questions
are counted from 1: nothing was mended by looking at the even ones.

With --beside the same questions are put to neo4j-graphrag's HybridCypherRetriever (extra: graphrag), with the same
encoder, over the texts of the kind that the question is of, which it is told: the first ten passages.
"""

from __future__ import annotations

import argparse
import csv
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import scratch_graph, table
from kgneo.asking.question import ask, open_context
from kgneo.cli.index import renew_texts
from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.graph import Graph
from kgneo.graph.passages import text_keys
from kgneo.model import Answer

FOLDER = Path(__file__).resolve().parent / "texts"
TEXTS = {"films": "plot", "reviews": "text", "articles": "body"}
NAMES = ("plot", "text", "body", "title", "headline", "director", "place", "guest", "company")
"""What answers are called by."""
NUMBERS = ("year", "rating", "stars")
FIRST = 10
HEADER = ("of", "half", "n", "conditions met", f"recall@{FIRST}", "precision", "read by meaning")
Row = dict[str, Any]
MAKE = {
    "films": """
        UNWIND $rows AS row
        MERGE (director:Director {name: row.director, country: row.country})
        CREATE (:Film {title: row.title, year: row.year, plot: row.plot})-[:DIRECTED_BY]->(director)""",
    "places": """
        UNWIND $rows AS row
        MERGE (city:City {name: row.city})
        CREATE (place:$(row.kind) {name: row.name, stars: row.stars})-[:IN]->(city)""",
    "reviews": """
        UNWIND $rows AS row
        MATCH (place {name: row.place}) WHERE place:Hotel OR place:Restaurant OR place:Museum
        MERGE (guest:Guest {name: row.guest, country: row.country})
        CREATE (guest)-[:WROTE]->(review:Review {text: row.text, rating: row.rating, year: row.year})-[:OF]->(place)""",
    "articles": """
        UNWIND $rows AS row
        MERGE (company:Company {name: row.company, sector: row.sector})
        CREATE (:Article {headline: row.headline, date: date(row.date), body: row.body})-[:ABOUT]->(company)""",
}
"""Queries that make the graph."""


@dataclass(frozen=True, slots=True)
class Line:
    """A question with its number, from 1, the kind of texts, and the rows that are right, those that meet the other
    conditions, and all."""

    number: int
    of: str
    question: str
    right: tuple[Row, ...]
    allowed: tuple[Row, ...]
    every: tuple[Row, ...]

    @property
    def half(self) -> str:
        """Which half of the questions it is of."""
        return "even" if self.number % 2 == 0 else "odd"


@dataclass(frozen=True, slots=True)
class Scored:
    """Whether all that was answered meets the conditions, the share of what is right among the first answers, the share
    of the answers that is right, whether texts were asked at all, and what was said."""

    line: Line
    met: bool
    recall: float
    precision: float
    meant: bool
    said: str


def rows(name: str) -> list[Row]:
    """The rows of a file, numbers as numbers."""
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as stream:
        found: list[Row] = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [{key: int(value) if key in NUMBERS else value for key, value in row.items()} for row in found]


def lines() -> Iterator[Line]:
    """The questions with what is right."""
    places = {row["name"]: row for row in rows("places")}
    data = {name: rows(name) for name in TEXTS}
    data["reviews"] = [{**places[row["place"]], **row} for row in data["reviews"]]
    for number, row in enumerate(rows("questions"), start=1):
        allowed = [item for item in data[row["of"]] if _meets(item, row["where"])]
        right = [item for item in allowed if _is_about(item, row["topics"])]
        yield Line(number, row["of"], row["question"], tuple(right), tuple(allowed), tuple(data[row["of"]]))


COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    ">=": operator.ge,
}


def _meets(item: Row, where: str) -> bool:
    """Whether a row meets conditions such as "year > 2000 and country == 'Spain'"."""
    for clause in where.split(" and ") if where else ():
        key, sign, value = clause.split(" ", 2)
        if not COMPARED[sign](item[key], int(value) if key in NUMBERS else value.strip("'")):
            return False
    return True


def _is_about(item: Row, topics: str) -> bool:
    own = set(item["topics"].split(","))
    return topics == "*" or any(set(option.split("+")) <= own for option in topics.split(","))


def fill(graph: Graph) -> None:
    """Make the graph."""
    for name, text in MAKE.items():
        graph.write(text, rows=rows(name))


def score(line: Line, context: Context) -> Scored:
    """The answer to one question, held against what is right."""
    try:
        answer = ask(context, line.question)
    except KgneoError as error:
        return Scored(line, False, 0.0, 0.0, False, str(error))
    meant = any("what texts say" in warning for warning in answer.warnings)
    told = f"{answer.answer[:200]} | {answer.steps[-1].question if answer.steps else ''} | {answer.warnings}"
    if len(answer.answers) == 1 and answer.answers[0].isdecimal():
        number, there = int(answer.answers[0]), len(line.right)
        share = min(number, there) / max(number, there, 1)
        return Scored(line, 0 < number <= len(line.allowed), share, share, meant, told)
    first = list(map(set, _names(answer)))
    key = next((key for key in NAMES if any({row.get(key)} & names for row in line.every for names in first)), "")
    if not key:
        return Scored(line, False, 0.0, 0.0, meant, told)
    right, allowed = ({row[key] for row in part} for part in (line.right, line.allowed))
    hits = sum(bool(names & right) for names in first)
    met = all(names & allowed for names in first)
    return Scored(line, met, hits / max(min(len(right), FIRST), 1), hits / len(first), meant, told)


def _names(answer: Answer) -> Iterator[tuple[str, ...]]:
    """What the first answers are called: by their nodes where they are nodes, else by themselves."""
    nodes = answer.answer_nodes[:FIRST]
    yield from (node.names for node in nodes) if nodes else ((text,) for text in answer.answers[:FIRST])


def beside(graph: Graph, context: Context, asked: Sequence[Line]) -> list[Scored]:
    """What neo4j-graphrag's hybrid retriever finds for the same questions."""
    from neo4j_graphrag.embeddings.base import Embedder
    from neo4j_graphrag.retrievers import HybridCypherRetriever

    class Same(Embedder):
        """The encoder of the passages."""

        def embed_query(self, text: str, **_: Any) -> list[float]:
            return list(map(float, context.encoder.encode([text])[0]))

    retrievers = {}
    for name, label in (("films", "Film"), ("reviews", "Review"), ("articles", "Article")):
        key = TEXTS[name]
        texts = [row["text"] for row in graph.read(f"MATCH (n:{label}) RETURN n.{key} AS text ORDER BY text")]
        made = [list(map(float, vector)) for vector in context.encoder.encode(texts)]
        pairs = [{"text": text, "vector": vector} for text, vector in zip(texts, made, strict=True)]
        graph.write(
            f"UNWIND $pairs AS pair MATCH (n:{label} {{{key}: pair.text}}) SET n.embedding = pair.vector", pairs=pairs
        )
        config = "{indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine'}}"
        graph.schema(f"CREATE VECTOR INDEX v_{name} FOR (n:{label}) ON (n.embedding) OPTIONS {config}")
        graph.schema(f"CREATE FULLTEXT INDEX f_{name} FOR (n:{label}) ON EACH [n.{key}]")
        graph.schema("CALL db.awaitIndexes(300)")
        found = f"RETURN node.{key} AS text, score"
        retrievers[name] = HybridCypherRetriever(graph._driver, f"v_{name}", f"f_{name}", found, Same())
    scored = []
    for line in asked:
        records = retrievers[line.of].get_search_results(query_text=line.question, top_k=FIRST).records
        first = [record["text"] for record in records]
        right, allowed = ({row[TEXTS[line.of]] for row in part} for part in (line.right, line.allowed))
        hits = sum(text in right for text in first)
        recall = hits / max(min(len(right), FIRST), 1)
        scored.append(Scored(line, {*first} <= allowed, recall, hits / max(len(first), 1), True, ""))
    return scored


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table; what went wrong is told on standard error, of the even half only that it did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("odd", "even"), help="Ask these alone.")
    parser.add_argument("--beside", action="store_true", help="Ask neo4j-graphrag, too.")
    options = parser.parse_args(arguments)
    asked = [line for line in lines() if options.half in (None, line.half)]
    with scratch_graph("texts") as graph:
        fill(graph)
        context = open_context(graph)
        renew_texts(graph, None, text_keys(context.knowledge.schema, context.shape))
        context = open_context(graph)
        scored = [score(line, context) for line in asked]
        others = beside(graph, context, asked) if options.beside else []
    for item in scored:
        if item.recall < 1 or not item.met:
            told = f": {item.said}" if item.line.half == "odd" else ""
            print(f"{item.line.number} {item.line.question} {item.recall:.2f}{told}", file=sys.stderr)
    table(HEADER, list(_table(scored)))
    if others:
        print("neo4j-graphrag, HybridCypherRetriever:")
        table(HEADER, list(_table(others)))


def _table(scored: Sequence[Scored]) -> Iterator[tuple[object, ...]]:
    for of in (*TEXTS, "all"):
        for half in ("odd", "even"):
            group = [item for item in scored if of in (item.line.of, "all") and item.line.half == half]
            if group:
                yield (
                    of,
                    half,
                    len(group),
                    *(f"{_mean(group, name):.2f}" for name in ("met", "recall", "precision", "meant")),
                )


def _mean(group: Sequence[Scored], name: str) -> float:
    return sum(float(getattr(item, name)) for item in group) / len(group)


if __name__ == "__main__":
    main()
