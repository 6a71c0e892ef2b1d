"""How often what a model gives `auto` is right, by how it came about; and the trust in it, fitted to that.

    python -m benchmarks.trust RECORDS …

RECORDS are files that `python -m benchmarks.strategies … --strategy auto --llm MODEL` wrote. Those count in which the
model was asked, and its answer was taken. What the model and the reader found alike is shown and not fitted. The fit is
held near what `auto` has today, as if that rested on ten questions, and is judged on each set by the fit to the others:
the mean surprise (nats) of whether an answer was right, by today's trust and by the fitted one.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks.common import table
from kgneo.strategies.auto import FAILED, LARGE, NOTHING, SAME, SMALL, TOOK, WROTE, Trust

PRIOR = 10
"""Questions that today's trust counts as."""
KEPT = "The reader's answer is likelier"


@dataclass(frozen=True, slots=True)
class Given:
    """What a model gave to a question of a set: how it came about, and whether it was right."""

    set: str
    took: bool
    same: bool
    empty: bool
    failed: int
    right: bool

    def likely(self, trust: Trust) -> float:
        """How likely it was right, by a trust."""
        return trust.of(took=self.took, empty=self.empty, failed=self.failed)


def read(file: Path) -> Iterable[Given]:
    """What a model gave, of the records of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        how = record["how"]
        if {TOOK, WROTE} & set(how) and not any(told.startswith(KEPT) for told in how):
            failed = how.count(FAILED)
            key = record["key"]["set"]
            yield Given(key, TOOK in how, SAME in how, NOTHING in how, failed, record["exact"])


def share(found: Sequence[Given], expected: float, prior: float = PRIOR) -> float:
    """The share that was right, held near `expected`."""
    return (sum(item.right for item in found) + prior * expected) / (len(found) + prior)


def fitted(found: Sequence[Given], today: Trust) -> Trust:
    """The trust that the answers deserve where the reader found something else."""
    own = [item for item in found if not item.same]
    plain = [item for item in own if not item.empty and not item.failed]
    wrote = share([item for item in plain if not item.took], today.wrote)
    took = share([item for item in plain if item.took], today.took)

    def left(some: Sequence[Given], today_left: float) -> float:
        """What of the trust is left under a sign: what was right of what would be without it."""
        without = sum(took if item.took else wrote for item in some)
        return min((sum(item.right for item in some) + PRIOR * today_left) / (without + PRIOR), 1.0)

    again = left([item for item in own if item.failed and not item.empty], today.again)
    empty = left([item for item in own if item.empty], today.empty)
    return Trust(round(wrote, 2), round(took, 2), round(empty, 2), round(again, 2))


def surprise(found: Sequence[Given], trust: Trust) -> float:
    """The mean surprise of whether answers were right, in nats."""
    likely = [min(max(item.likely(trust), 0.01), 0.99) for item in found]
    return mean(-math.log(p if item.right else 1 - p) for p, item in zip(likely, found, strict=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description="The trust that a model's answers deserve, from records.")
    parser.add_argument("records", nargs="+", type=Path, metavar="RECORDS", help="records.jsonl of strategies")
    parser.add_argument("--small", action="store_true", help="of a small model on this machine")
    options = parser.parse_args(arguments)
    today = SMALL if options.small else LARGE
    found = [item for file in options.records for item in read(file)]
    kinds = sorted({(item.took, item.same, item.empty, item.failed) for item in found})
    rows = []
    for took, same, empty, failed in kinds:
        some = [i for i in found if (i.took, i.same, i.empty, i.failed) == (took, same, empty, failed)]
        likely = "–" if same else some[0].likely(today)
        rows.append(("took" if took else "wrote", same, empty, failed, len(some), mean(i.right for i in some), likely))
    table(("the model", "as the reader", "nothing", "failed before", "n", "right", "trust today"), rows)
    own = [item for item in found if not item.same]
    print(f"\nToday:  {today}\nFitted: {fitted(found, today)}")
    sets = sorted({item.set for item in own})
    if len(sets) > 1:
        held = [([i for i in own if i.set == name], [i for i in own if i.set != name]) for name in sets]
        by_fit = sum(len(some) * surprise(some, fitted(rest, today)) for some, rest in held) / len(own)
        print(f"Surprise on sets left out: {surprise(own, today):.3f} today, {by_fit:.3f} fitted ({len(own)} answers)")


if __name__ == "__main__":
    main()
