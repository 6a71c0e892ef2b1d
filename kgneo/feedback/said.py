"""Said: a piece of feedback, and the file in which it waits until somebody has looked at it.

The file stands beside that of the terms, one JSON object a line, and is only added to while people ask: nothing in it
changes an answer. `kgneo learn --review` takes what is right out of it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from kgneo.errors import DataError, UsageError
from kgneo.folders import alone, read_text, whole
from kgneo.query.graph import QueryGraph
from kgneo.query.json import from_json
from kgneo.settings import terms_file
from kgneo.text import digest

Verdict = Literal["right", "wrong", "corrected"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
NAME = ".feedback.jsonl"
MOST = 10_000
"""Pieces of feedback that may wait; a page that is open to many must not fill a disk."""
KEY_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody said of the answer to a question: that it is right, that it is wrong, or what is right.

    `query_graph` (as JSON) is what gives the right answers, for "wrong" the one that did not; `read_as` says it in
    words, or why there is none. `by` is who said it, as far as that is known, `on` when (ISO 8601), `through` where:
    shell, python, page, http or mcp.
    """

    question: str
    verdict: Verdict
    query_graph: Mapping[str, Any] | None = None
    read_as: str = ""
    by: str = ""
    on: str = ""
    through: str = ""

    @property
    def key(self) -> str:
        """What it is called by: the same for the same said twice by one person."""
        said = [self.question, self.verdict, self.by, json.dumps(self.query_graph, sort_keys=True)]
        return digest("\n".join(said))[:KEY_DIGITS]

    @property
    def graph(self) -> QueryGraph | None:
        """The query graph of a question that can be learned; None where only that something is wrong was said."""
        return None if self.query_graph is None or self.verdict == "wrong" else from_json(dict(self.query_graph))

    def to_dict(self) -> dict[str, Any]:
        """As the file holds it."""
        return asdict(self)


def feedback_file(terms: Path | None) -> Path:
    """Where the feedback about a graph waits, by its file of terms: kgneo.feedback.jsonl for kgneo.terms.toml."""
    file = terms_file(terms)
    return file.with_name(file.name.removesuffix(".toml").removesuffix(".terms") + NAME)


def pending(file: Path) -> list[Feedback]:
    """What waits in a file, the oldest first. Raises DataError for a line that is no feedback."""
    if not file.exists():
        return []
    lines = enumerate(read_text(file).splitlines(), start=1)
    return [_read(line, f"{file}, line {number}") for number, line in lines if line.strip()]


def _read(line: str, place: str) -> Feedback:
    try:
        record = json.loads(line)
        found = Feedback(**record)
    except (ValueError, TypeError) as error:
        raise DataError(f"it is no feedback: {error}", file=place, hint="Delete the line, or mend it.") from error
    if found.verdict not in VERDICTS:
        raise DataError(f"the verdict is {found.verdict!r}, expected {', '.join(VERDICTS)}", file=place)
    return found


def add(file: Path, item: Feedback) -> bool:
    """Keep a piece of feedback; whether it was not there already. Raises UsageError where too much waits."""
    with alone(file, of_user=True):
        there = pending(file)
        if item.key in {known.key for known in there}:
            return False
        if len(there) >= MOST:
            raise UsageError(f"{len(there):,} pieces of feedback wait already.", hint="Next: kgneo learn --review")
        _write(file, [*there, item])
    return True


def remove(file: Path, keys: Collection[str]) -> int:
    """Take pieces of feedback out of a file; how many there were."""
    with alone(file, of_user=True):
        there = pending(file)
        left = [item for item in there if item.key not in keys]
        if len(left) < len(there):
            _write(file, left)
    return len(there) - len(left)


def _write(file: Path, items: Sequence[Feedback]) -> None:
    with whole(file) as draft:
        lines = [json.dumps(item.to_dict(), ensure_ascii=False) + "\n" for item in items]
        draft.write_text("".join(lines), encoding="utf-8")
