"""The choice among the readings of a question, and how far its confidence can be trusted, by graphs left out.

    [KGNEO_SPIDER=…] [KGNEO_ZOGRASCOPE=…] [KGNEO_GEOQUERY=…] [KGNEO_METAQA=…] python -m benchmarks.choice gather [SET …]
    python -m benchmarks.choice table [--by-set]
    python -m benchmarks.choice fit

`gather` asks questions of MetaQA, of each set of `benchmarks.reading`, and of each database of `benchmarks.databases`:
`--each` of each, drawn by `--seed`; of databases half as many in other words, too, and some that they cannot answer. It
runs the first 12 readings of each question, and keeps their signs, what they find and whether that is right, a file a
set in the folder of caches. Sets that are kept are not asked again; `--minutes` ends it before the next set. Shuffled
by seed 33, the first 58 databases are those that may be looked at; `--held-out N` gathers N of the others.

`table` reads what is kept: for how many questions a reading is right among the first 12, the answer when it was
gathered, and the one chosen by weights that were fitted to other graphs; of the answers whose confidence is at least
0.8 and 0.9, how many are right, and what share of all right answers these are; and what lies below a bound. In rows of
their own ("nothing") are questions as if the graph had nothing for them. `fit` writes kgneo/reading/weights.json: the
weights that are fitted to all that is kept but what is held out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import databases, reading, unanswerable
from benchmarks.choice_fit import EMPTIED, Chosen, Gathered, choose, emptied, gathered, left_out, trained
from benchmarks.choice_gather import ablated, crossed, fill_without, record_of, swapped, without_answer
from benchmarks.common import empty, metaqa_folder, report, scratch_graph, table
from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.graph.load import load
from kgneo.loader import open_source, read_triples
from kgneo.questions import Question, reader, sample
from kgneo.reading import confidence

LEVELS = (0.8, 0.9)
BOUNDS = (0.15, 0.2, 0.25, 0.3)
HEADER = ("set", "n", "one of 12", "as gathered", "chosen", "run",
          *(f"{what} ≥ {level}" for what in ("as gathered", "chosen") for level in LEVELS))  # fmt: skip
OF_HAND, OF_DATABASES, OF_HELD_OUT, METAQA = "hand-made", "databases", "databases held out", "metaqa"
LOOKED_AT = 58
ABLATED = ("label", "type", "property")
"""What is left out of a database, one at a time."""
DOUBTFUL = "ablated property"
"""The kind of questions that nothing is fitted to: another property often answers them as well."""
UNANSWERABLE = 3
"""Questions of each kind that a database cannot answer."""
WEIGHTS = Path(confidence.__file__).with_name(confidence.FILE)


def folder() -> Path:
    """Where the readings of each set are kept."""
    return cache_folder() / "benchmarks" / "readings"


# Gathering -----------------------------------------------------------------------------------------------------------


def every_database() -> list[str]:
    """The databases that there are files of, those first that may be looked at."""
    spider = os.environ.get(databases.VARIABLE)
    found = sorted(item.name for item in Path(spider).iterdir() if (item / "graph").is_dir()) if spider else []
    random.Random(33).shuffle(found)  # noqa: S311
    return found


def gather(names: Sequence[str], *, each: int, seed: int, minutes: float) -> None:
    """Keep the readings of each set that is not kept yet, until the time is over."""
    end = time.monotonic() + 60 * minutes
    left = [name for name in names if not (folder() / f"{name}.jsonl").exists()]
    known = every_database()
    with scratch_graph("choice") as graph:
        for name in left:
            if time.monotonic() > end:
                return
            start = time.monotonic()
            if name in known:
                records = list(_of_database(graph, name, known, each=each, seed=seed))
            else:
                with _filled(graph, name) as filled:
                    context = open_context(filled, report=report)
                    records = [record_of(context, item, kind) for item, kind in _questions(name, each, seed)]
            _keep(name, records, time.monotonic() - start)


@contextmanager
def _filled(graph: Graph, name: str) -> Iterator[Graph]:
    """The graph of a set, those of `benchmarks.reading` in their own stores."""
    if name == METAQA:
        empty(graph)
        load(graph, read_triples(open_source(metaqa_folder() / "kb.txt")), name=name)
        yield graph
    elif not reading.SETS[name].variable:
        reading.SETS[name].fill(graph, reading.folder_of(name) or Path())
        yield graph
    else:
        with reading.filled(name, reading.folder_of(name) or Path(), purpose="choice") as filled:
            yield filled


def _questions(name: str, each: int, seed: int) -> Iterator[tuple[Question, str]]:
    if name != METAQA:
        at = reading.folder_of(name) or Path()
        for item in reading.questions_of(at / reading.SETS[name].questions, limit=each or None, seed=seed):
            yield item, "asked" if item.gold else "written"
        return
    for hops in (1, 2, 3):
        parts = reader(METAQA).read(metaqa_folder(), split="dev", variant="vanilla", question_hops=(hops,)).parts
        drawn = sample([item for part in parts.values() for item in part], 2 * each, seed=seed)
        for number, item in enumerate(drawn):
            bare = item.text.replace("[", "").replace("]", "")
            yield (item if number % 2 else replace(item, text=bare)), "asked"
    others = reading.folder_of("geoquery")
    for item in reading.questions_of(others / "questions.jsonl", limit=each, seed=seed) if others else ():
        yield without_answer(item), "crossed"


def _of_database(graph: Graph, name: str, known: Sequence[str], *, each: int, seed: int) -> Iterator[dict[str, Any]]:
    root = Path(os.environ[databases.VARIABLE])
    at, other = root / name, root / known[(known.index(name) + 7) % len(known)]
    sets = {
        "asked": databases.questions(at, each=each, seed=seed, other_words=False),
        "other words": databases.questions(at, each=each // 2, seed=seed, other_words=True),
        "crossed": crossed(at, other, each=UNANSWERABLE, seed=seed),
        "swapped": swapped(at, other, each=UNANSWERABLE, seed=seed),
        "written": [Question("", text, ()) for text in unanswerable.about(name)],
    }
    databases.fill(graph, at)
    yield from _records(open_context(graph, report=report), sets)
    for kind in ABLATED:
        part, without = ablated(at, kind, each=UNANSWERABLE, seed=seed)
        if part:
            fill_without(graph, at, part)
            yield from _records(open_context(graph, report=report), {f"ablated {kind}": without})


def _records(context: Context, sets: dict[str, Sequence[Question]]) -> Iterator[dict[str, Any]]:
    for kind, questions in sets.items():
        for question in questions:
            yield record_of(context, question, kind)


def _keep(name: str, records: Sequence[dict[str, Any]], seconds: float) -> None:
    folder().mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(record, ensure_ascii=False, default=float) + "\n" for record in records)
    new = folder() / f"{name}.part"
    new.write_text(text, encoding="utf-8")
    new.rename(folder() / f"{name}.jsonl")
    asked = [item for item in records if item["gold"]]
    right = sum(bool(item["exact"]) for item in asked)
    one = sum(any(found["right"] for found in item["readings"]) for item in asked)
    told = f"{right} of {len(asked)} right, {one} with a right reading"
    report(f"{name}: {told}, {len(records) - len(asked)} without an answer; {seconds:.0f} s")


# Reading what is kept ------------------------------------------------------------------------------------------------


def kept() -> list[Gathered]:
    """All questions that are kept, some of them twice: as if there were nothing for them, too. Ends the process where
    none is kept."""
    found = [item for file in sorted(folder().glob("*.jsonl")) for item in gathered(file)]
    if not found:
        sys.exit("No readings are kept. Gather some first: python -m benchmarks.choice gather")
    return [*found, *emptied(found)]


def group_of(name: str, held_out: Sequence[str] = ()) -> str:
    """The group of sets that a set is told with."""
    if name in held_out:
        return OF_HELD_OUT
    if name == METAQA:
        return name
    if name not in reading.SETS:
        return OF_DATABASES
    return name if reading.SETS[name].variable else OF_HAND


def chosen(questions: Sequence[Gathered], held_out: Sequence[str]) -> list[Chosen]:
    """What is chosen for each question by weights that saw no question about its graph: those that are held out, by
    weights fitted to all others."""
    seen = [item for item in questions if item.name not in held_out]
    own = iter(left_out(seen))
    weights = trained(seen)
    return [choose(item, weights) if item.name in held_out else next(own) for item in questions]


Pair = tuple[Gathered, Chosen]


def rows_of(pairs: Sequence[Pair], names: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """A row for each of the `names`, one a question, and one for all, of the questions that have an answer."""
    for name in [*dict.fromkeys(names), "all"]:
        part = [pair for pair, own in zip(pairs, names, strict=True) if name in ("all", own) and pair[0].answerable]
        before = [(item.exact, item.confidence) for item, _ in part]
        after = [(found.right, found.confidence) for _, found in part]
        yield (
            name,
            len(part),
            sum(any(item.right) for item, _ in part),
            sum(right for right, _ in before),
            sum(right for right, _ in after),
            f"{sum(found.ran for _, found in part) / max(len(part), 1):.1f}",
            *(sure(found, level) for found in (before, after) for level in LEVELS),
        )


def sure(found: Sequence[tuple[bool, float]], level: float) -> str:
    """Of the answers of a confidence of at least `level`, the share that is right, and the share that these are of all
    right answers."""
    right = [own for own, likely in found if likely >= level]
    if not right:
        return "–"
    return f"{sum(right) / len(right):.2f} of {len(right)}, {sum(right) / max(sum(own for own, _ in found), 1):.2f}"


def refused(pairs: Sequence[Pair]) -> Iterator[tuple[object, ...]]:
    """For each bound the share of right answers that lie below it, and of each kind of question without an answer."""
    kinds = list(dict.fromkeys(item.kind for item, _ in pairs if not item.answerable))
    yield ("bound", "right lost", *kinds)
    for bound in BOUNDS:
        lost = [found.confidence < bound for item, found in pairs if item.answerable and found.right]
        below = [
            [found.confidence < bound for item, found in pairs if not item.answerable and item.kind == kind]
            for kind in kinds
        ]
        yield (bound, *(f"{sum(part) / max(len(part), 1):.3f} of {len(part)}" for part in (lost, *below)))


def held_out_databases() -> list[str]:
    """The databases that nothing is fitted to. Ends the process where it is not known which these are."""
    if databases.VARIABLE not in os.environ:
        sys.exit(f"Set {databases.VARIABLE} to the folder of the databases, of which half are held out.")
    return every_database()[LOOKED_AT:]


def print_table(*, by_set: bool) -> None:
    """The tables of what is kept."""
    questions, held_out = kept(), held_out_databases()
    pairs = list(zip(questions, chosen(questions, held_out), strict=True))
    names = [item.name if by_set else group_of(item.name, held_out) for item in questions]
    kinds = [f"{name}, nothing" if item.kind == EMPTIED else name for name, item in zip(names, questions, strict=True)]
    table(HEADER, list(rows_of(pairs, kinds)))
    head, *rows = refused(pairs)
    table(tuple(map(str, head)), rows)


def print_fit() -> None:
    """Fit the weights that are shipped, and write them."""
    held_out = held_out_databases()
    found = trained([item for item in kept() if item.name not in held_out and item.kind != DOUBTFUL])
    WEIGHTS.write_text(json.dumps(dict(found.by_name), indent=1) + "\n", encoding="utf-8")
    report(f"{len(found.by_name)} weights are written into {WEIGHTS}.")


def main() -> None:
    """Gather, tell or fit."""
    parser = argparse.ArgumentParser(description="The choice among readings, by graphs left out.")
    parser.add_argument("what", choices=("gather", "table", "fit"))
    parser.add_argument("sets", nargs="*", metavar="SET", help="what to gather; all but what is held out by default")
    parser.add_argument("--each", type=int, default=12, metavar="N", help="questions of each set; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="draws the questions")
    parser.add_argument("--minutes", type=float, default=600.0, help="begin no other set after so many")
    parser.add_argument("--held-out", type=int, metavar="N", help="gather N of the databases that are held out")
    parser.add_argument("--by-set", action="store_true", help="tell each set, not groups of them")
    options = parser.parse_intermixed_args()
    if options.what == "table":
        print_table(by_set=options.by_set)
    elif options.what == "fit":
        print_fit()
    else:
        known = every_database()
        sets = [name for name in reading.SETS if reading.folder_of(name) and name not in reading.ONLY_COUNTED]
        metaqa = [METAQA] if os.environ.get("KGNEO_METAQA") else []
        names = [*metaqa, *sets, *known[:LOOKED_AT]]
        if options.held_out:
            names = known[LOOKED_AT : LOOKED_AT + options.held_out]
        gather(options.sets or names, each=options.each, seed=options.seed, minutes=options.minutes)


if __name__ == "__main__":
    main()
