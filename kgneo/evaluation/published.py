"""Numbers that others published, from a JSON file, to stand beside one's own.

Each number says whether its source prints it (`"from": "text"`) or whether it was read off a figure, and is
then good to about two digits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgneo.errors import DataError


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """A value, its standard deviation (None: not told), and whether it was read off a figure."""

    value: float
    deviation: float | None = None
    read_off: bool = True

    def __str__(self) -> str:
        spread = f" ± {self.deviation:.3g}" if self.deviation is not None else ""
        return f"{'≈ ' if self.read_off else ''}{self.value:.3g}{spread}"


@dataclass(frozen=True)
class Published:
    """What a file of published numbers holds; empty when there is none.

    `accuracy` has Hit@1 by (question hops, strategy, N, K); `sub_questions` has, by question hops, how many
    of a hundred questions got how many sub-questions.
    """

    source: str = ""
    notes: Sequence[str] = ()
    accuracy: Mapping[tuple[int | None, str, int, int], PublishedValue] = field(default_factory=dict)
    sub_questions: Mapping[int | None, Mapping[int, PublishedValue]] = field(default_factory=dict)

    def find(self, part: int | None, strategy: str, *, hops: int, top_k: int) -> PublishedValue | None:
        """Hit@1 of one configuration, None where it was not published."""
        return self.accuracy.get((part, strategy, hops, top_k))


def read_published(path: Path) -> Published:
    """Read a file of published numbers. Raises DataError."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        steps: dict[int | None, dict[int, PublishedValue]] = {}
        for row in content.get("sub_questions", []):
            steps.setdefault(row["question_hops"], {})[row["sub_questions"]] = _value(row)
        return Published(
            source=content["source"],
            notes=tuple(content.get("notes", [])),
            accuracy={
                (row["question_hops"], row["strategy"], row["hops"], row["top_k"]): _value(row)
                for row in content.get("accuracy", [])
            },
            sub_questions=steps,
        )
    except FileNotFoundError:
        raise DataError("no such file", file=str(path)) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        kind = f"{type(error).__name__}: {error}"
        raise DataError(f"not a file of published numbers ({kind})", file=str(path)) from None


def _value(row: Mapping[str, Any]) -> PublishedValue:
    deviation = row.get("deviation")
    return PublishedValue(
        float(row["value"]), None if deviation is None else float(deviation), row.get("from") != "text"
    )
