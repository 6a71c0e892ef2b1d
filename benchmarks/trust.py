"""How often what a model gives `auto` is right, by how it came about; and the trust in it, fitted to that.

    python -m benchmarks.trust RECORDS … [--small]

RECORDS are files that `python -m benchmarks.strategies … --strategy auto --llm MODEL` wrote. Those count in which the
model was asked, and the answer that was kept, its own or the reader's. Where both found the same, that is shown and not
fitted. The trust is the one under which the answers that were right are the likeliest, held near today's as if that
rested on ten questions. It is judged on each set by the fit to the others: the mean surprise (nats) of whether an
answer was right, by today's trust and by the fitted one.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

from benchmarks.common import table
from kgneo.stages.agree import LARGE, SMALL, Trust, opposed
from kgneo.strategies.auto import FAILED, NOTHING, SAME, TOOK, WROTE

PRIOR = 10
"""Questions that today's trust counts as."""
KEPT = "The reader's answer is likelier"
GRID = tuple(number / 100 for number in range(2, 99))
_CONFIDENCE = re.compile(r"\(([\d.]+)\)")


@dataclass(frozen=True, slots=True)
class Given:
    """A question of a set to which a model and the reader gave answers: how the model's came about, how sure the reader
    was, whether the reader's was kept, and whether what was kept was right."""

    set: str
    reader: float
    kept: bool
    right: bool
    took: bool = False
    same: bool = False
    empty: bool = False
    failed: int = 0

    def likely(self, trust: Trust) -> float:
        """How likely what was kept is right, by a trust."""
        alone = trust.alone(took=self.took, empty=self.empty, failed=self.failed)
        return min(max(opposed(alone, self.reader)[self.kept], 0.01), 0.99)


def read(file: Path) -> Iterator[Given]:
    """What a model and the reader gave, of the records of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        how = record["how"]
        if {TOOK, WROTE} & set(how):
            said = _CONFIDENCE.search(how[0])
            yield Given(
                record["key"]["set"],
                float(said[1]) if said else 0.0,
                any(told.startswith(KEPT) for told in how),
                bool(record["exact"]),
                TOOK in how,
                SAME in how,
                NOTHING in how,
                how.count(FAILED),
            )


def surprise(found: Sequence[Given], trust: Trust) -> float:
    """The mean surprise of whether answers were right, in nats."""
    likely = [item.likely(trust) for item in found]
    return mean(-math.log(p if item.right else 1 - p) for p, item in zip(likely, found, strict=True))


def fitted(found: Sequence[Given], today: Trust) -> Trust:
    """The trust that the answers deserve where model and reader found different things."""
    own = [item for item in found if not item.same]
    plain = [item for item in own if not item.empty and not item.failed]
    trust = today
    for name, some in (
        ("wrote", [item for item in plain if not item.took]),
        ("took", [item for item in plain if item.took]),
        ("empty", [item for item in own if item.empty]),
        ("again", [item for item in own if item.failed and not item.empty]),
    ):
        trust = _best(some, trust, name)
    return trust


def _best(found: Sequence[Given], trust: Trust, name: str) -> Trust:
    """The trust with the value of that name under which the answers, and today's as so many more, surprise least."""
    today = float(getattr(trust, name))

    def with_value(value: float) -> Trust:
        return replace(trust, **{name: value})

    def cost(value: float) -> float:
        held = -PRIOR * (today * math.log(value) + (1 - today) * math.log(1 - value))
        return held + (len(found) * surprise(found, with_value(value)) if found else 0.0)

    return with_value(min(GRID, key=cost))


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description="The trust that a model's answers deserve, from records.")
    parser.add_argument("records", nargs="+", type=Path, metavar="RECORDS", help="records.jsonl of strategies")
    parser.add_argument("--small", action="store_true", help="of a small model on this machine")
    options = parser.parse_args(arguments)
    today = SMALL if options.small else LARGE
    found = [item for file in options.records for item in read(file)]
    kinds: dict[tuple[object, ...], list[Given]] = {}
    for item in found:
        did, kept = "took" if item.took else "wrote", "reader" if item.kept else "model"
        kinds.setdefault((did, item.same, item.empty, item.failed, kept), []).append(item)
    rows = [
        (*kind, len(some), mean(i.right for i in some), "–" if kind[1] else mean(i.likely(today) for i in some))
        for kind, some in sorted(kinds.items(), key=str)
    ]
    table(("the model", "same", "nothing", "failed", "kept", "n", "right", "expected today"), rows)
    own = [item for item in found if not item.same]
    print(f"\nToday:  {today}\nFitted: {fitted(found, today)}")
    sets = sorted({item.set for item in own})
    if len(sets) > 1:
        held = [([i for i in own if i.set == name], [i for i in own if i.set != name]) for name in sets]
        by_fit = sum(len(some) * surprise(some, fitted(rest, today)) for some, rest in held) / len(own)
        print(f"Surprise on sets left out: {surprise(own, today):.3f} today, {by_fit:.3f} fitted ({len(own)} answers)")


if __name__ == "__main__":
    main()
