"""Claims with known labels: read from a file, judged, and counted by kind.

A file is JSON lines or CSV. Each record has a `claim` and a `label` (supported, refuted or not enough evidence; true
and false count as the first two), and may have a `kind`, a `style` and `entities` (a list; in CSV with "|" between).
"""

from __future__ import annotations

import csv
import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgneo.asking.claim import verify
from kgneo.context import Context
from kgneo.english.question import says_something
from kgneo.errors import DataError, EntityNotFound, UsageError
from kgneo.text import digest, fold
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED, VERDICTS, Verdict

LABELS: Mapping[str, Verdict] = {
    **{verdict: verdict for verdict in VERDICTS},
    "supports": SUPPORTED,
    "true": SUPPORTED,
    "refutes": REFUTED,
    "false": REFUTED,
    "not enough info": OPEN,
    "open": OPEN,
}
HINT = 'Each record has a "claim" and a "label": supported, refuted or not enough evidence.'


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its label; `entities` are the things that it names, `kind` and `style` are any words."""

    text: str
    label: Verdict
    kind: str = ""
    entities: tuple[str, ...] = ()
    style: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As a record of a file."""
        return {
            "claim": self.text,
            "label": self.label,
            "kind": self.kind,
            "style": self.style,
            "entities": list(self.entities),
        }


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with the verdict on it, and the milliseconds that it took. `two` says that there are two labels alone:
    what is not supported counts as refuted."""

    claim: Claim
    verdict: Verdict
    confidence: float
    explanation: str
    milliseconds: float
    two: bool = False

    @property
    def right(self) -> bool:
        """Whether the verdict is the label."""
        if self.two:
            return (self.verdict == SUPPORTED) == (self.claim.label == SUPPORTED)
        return self.verdict == self.claim.label

    def to_dict(self) -> dict[str, Any]:
        """The claim with what was said of it."""
        return {
            **self.claim.to_dict(),
            "verdict": self.verdict,
            "right": self.right,
            "confidence": self.confidence,
            "explanation": self.explanation,
            "milliseconds": round(self.milliseconds, 1),
        }


def read_claims(file: Path) -> list[Claim]:
    """The claims of a file. Raises DataError, with the line, for what is no claim."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DataError(f"cannot be read: {reason}", file=str(file), hint=HINT) from error
    rows = _csv(text) if file.suffix.lower() == ".csv" else _json_lines(text, file)
    found = [_claim(record, file, line) for line, record in rows]
    if not found:
        raise DataError("holds no claims", file=str(file), hint=HINT)
    return found


def _csv(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, record in enumerate(csv.DictReader(text.splitlines()), start=2):
        names = (record.get("entities") or "").split("|")
        yield number, {**record, "entities": [name.strip() for name in names if name.strip()]}


def _json_lines(text: str, file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise DataError(f"is no JSON: {error}", file=str(file), line=number, hint=HINT) from error
        if not isinstance(record, dict):
            raise DataError("is no JSON object", file=str(file), line=number, hint=HINT)
        yield number, record


def _claim(record: Mapping[str, Any], file: Path, line: int) -> Claim:
    text, label = record.get("claim"), str(record.get("label", "")).strip().lower()
    entities = record.get("entities") or []
    if not isinstance(text, str) or not says_something(text, named=bool(entities)):
        raise DataError('has no words as its "claim"', file=str(file), line=line, hint=HINT)
    if label not in LABELS:
        raise DataError(f'has the "label" {record.get("label")!r}', file=str(file), line=line, hint=HINT)
    if not isinstance(entities, list):
        raise DataError('has "entities" that are no list', file=str(file), line=line, hint=HINT)
    kind, style = record.get("kind") or record.get("type") or "", record.get("style") or ""
    return Claim(text, LABELS[label], str(kind), tuple(map(str, entities)), str(style))


def drawn(claims: Sequence[Claim], limit: int | None, *, seed: int) -> list[Claim]:
    """`limit` of the claims drawn by `seed`, in their order; all of them where that is fewer."""
    order = sorted(range(len(claims)), key=lambda number: digest(f"{seed} {number} {claims[number].text}"))
    return [claims[number] for number in sorted(order[:limit])]


def judge(context: Context, claim: Claim, *, given: bool = True, closed: bool = False, two: bool = False) -> Judged:
    """The verdict on a claim; `given`: with those of its entities that the graph has. Where it has none of them, or
    none is found in the text, the claim is open."""
    start = time.perf_counter()
    try:
        found = verify(context, claim.text, entities=_known(context, claim) if given else (), closed=closed)
        verdict, confidence, explanation = found.verdict, found.confidence, found.explanation
    except (EntityNotFound, UsageError) as error:  # a question is no claim
        verdict, confidence, explanation = OPEN, 0.0, error.message
    taken = (time.perf_counter() - start) * 1000
    return Judged(claim, verdict, confidence, explanation, taken, two)


def _known(context: Context, claim: Claim) -> list[str]:
    """The entities of a claim that the graph has. Raises EntityNotFound where it has none of several."""
    known = context.knowledge.names.by_folded_name(claim.entities)
    found = [name for name in claim.entities if known.get(fold(name))]
    if claim.entities and not found:
        raise EntityNotFound("The graph has none of the claim's entities.")
    return found


HEADER = ("kind", "n", "accuracy", "supported", "refuted", "not enough evidence", "median ms")
Row = tuple[str, int, float, str, str, str, str]


def rows_of(judged: Sequence[Judged]) -> list[Row]:
    """For each kind, and for all: number, accuracy, right and all of each label, median milliseconds."""
    kinds = sorted({item.claim.kind for item in judged if item.claim.kind})
    styles = sorted({item.claim.style for item in judged if item.claim.style})
    parts = [(kind, [item for item in judged if item.claim.kind == kind]) for kind in kinds]
    parts += [(style, [item for item in judged if item.claim.style == style]) for style in styles]
    return [_row(name, part) for name, part in [*parts, ("all", list(judged))]]


def _row(name: str, part: Sequence[Judged]) -> Row:
    accuracy = sum(item.right for item in part) / len(part)
    labels = [[item.right for item in part if item.claim.label == label] for label in VERDICTS]
    supported, refuted, left_open = (f"{sum(rights)} of {len(rights)}" for rights in labels)
    median = statistics.median(item.milliseconds for item in part)
    return name, len(part), accuracy, supported, refuted, left_open, f"{median:.0f}"


def summary(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """The same as records."""
    return [dict(zip(("kind", "n", "accuracy"), row, strict=False)) for row in rows_of(judged)]
