"""The folder that a run leaves, and the guard against mixing two runs in it.

run.json          what the folder belongs to, and where its numbers come from
questions.jsonl   the questions of every sample
records/          a record a question, one file a configuration
diagnosis/        what was checked about wrong answers, one file a configuration
sessions.jsonl    time taken, one line each time the command ran
report.md, summary.csv, summary.json, figures/
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from kgneo.errors import DataError, UsageError
from kgneo.evaluation.run import Configuration, Effort
from kgneo.questions import Question

MANIFEST = "run.json"
UNFINISHED = ".new"
"""What the name of a file ends in while it is written."""


class ResultsFolder:
    """A results folder; `identity` is everything that two runs must share to be one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"ResultsFolder({str(self.path)!r})"

    @property
    def figures(self) -> Path:
        """Where figures go."""
        return self.path / "figures"

    def records(self, configuration: Configuration) -> Path:
        """The record file of one configuration."""
        return self.path / "records" / f"{configuration.name}.jsonl"

    def diagnosis(self, configuration: Configuration) -> Path:
        """The file with what was checked about wrong answers."""
        return self.path / "diagnosis" / f"{configuration.name}.jsonl"

    def claim(
        self,
        identity: Mapping[str, Any],
        configurations: Sequence[Configuration],
        provenance: Mapping[str, Any],
    ) -> bool:
        """Make the folder this run's; True when it already was (the run goes on).

        Raises UsageError when it holds another run, saying in what they differ.
        """
        wanted = _plain(identity)
        manifest = self.path / MANIFEST
        if manifest.exists():
            there = self.manifest()["identity"]
            if there != wanted:
                raise UsageError(
                    f"{self.path} holds the results of another configuration: {_difference(there, wanted)}",
                    hint="Name another folder with --out, or ask for what this one was made with.",
                )
            return True
        begun = {".lock", f"{MANIFEST}{UNFINISHED}"}  # what a run leaves that was ended before it had one
        if self.path.exists() and any(item.name not in begun for item in self.path.iterdir()):
            raise UsageError(
                f"{self.path} is not empty and holds no {MANIFEST}, so it is not a results folder",
                hint="Name another folder with --out.",
            )
        self.path.mkdir(parents=True, exist_ok=True)
        write_json(
            manifest,
            {
                "identity": wanted,
                "configurations": [asdict(configuration) for configuration in configurations],
                "provenance": _plain(provenance),
            },
        )
        return False

    def manifest(self) -> dict[str, Any]:
        """What `claim` wrote. Raises DataError where the folder holds no results."""
        path = self.path / MANIFEST
        if not path.exists():
            raise DataError(f"no results here; expected a folder with {MANIFEST}", file=str(self.path))
        try:
            manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            manifest["identity"]
        except (ValueError, KeyError, TypeError):
            raise DataError("not the manifest of a run", file=str(path)) from None
        return manifest

    def configurations(self) -> tuple[Configuration, ...]:
        """The configurations of the run. Raises DataError where the folder holds no results."""
        return tuple(Configuration(**item) for item in self.manifest()["configurations"])

    def write_questions(self, samples: Mapping[tuple[int | None, int], Sequence[Question]]) -> None:
        """Write out which questions each (part, seed) asks, once."""
        path = self.path / "questions.jsonl"
        if path.exists():
            return
        unfinished = path.with_suffix(UNFINISHED)
        with unfinished.open("w", encoding="utf-8") as file:
            for (part, seed), questions in samples.items():
                for question in questions:
                    file.write(json.dumps(_question_row(part, seed, question), ensure_ascii=False) + "\n")
        unfinished.replace(path)

    def add_session(self, effort: Effort) -> None:
        """Append what this session cost."""
        with (self.path / "sessions.jsonl").open("a", encoding="utf-8") as file:
            row = asdict(effort) | {"overhead": round(effort.overhead, 5)}
            file.write(json.dumps(row) + "\n")

    def sessions(self) -> list[dict[str, Any]]:
        """All sessions so far."""
        path = self.path / "sessions.jsonl"
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]

    def lock(self) -> FolderLock:
        """A context manager that keeps a second process out of the folder."""
        return FolderLock(self.path)


class FolderLock:
    """One writer at a time. Raises UsageError on entry when another process has the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(path / ".lock")

    def __enter__(self) -> FolderLock:
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            hint = "Wait for it, or name another folder with --out."
            raise UsageError(f"another run is writing to {self.path}", hint=hint) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


def write_json(path: Path, value: Any) -> None:
    """Write `value` readably, in one step."""
    unfinished = path.with_name(path.name + UNFINISHED)
    unfinished.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def short_hash(identity: Mapping[str, Any]) -> str:
    """Eight hexadecimal digits that stand for `identity`, for the name of a folder."""
    text = json.dumps(_plain(identity), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """As it looks after a round through JSON, so that it can be compared with what a file holds."""
    plain: dict[str, Any] = json.loads(json.dumps(value, ensure_ascii=False))
    return plain


def _difference(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    keys = [key for key in {**there, **wanted} if there.get(key) != wanted.get(key)]
    pairs = ((key, _short(there.get(key)), _short(wanted.get(key))) for key in keys)
    return "; ".join(f"{key} is {left} there and {right} here" for key, left, right in pairs)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def _question_row(part: int | None, seed: int, question: Question) -> dict[str, Any]:
    nodes = [{"label": node.label, **node.properties} for node in question.nodes]
    return {
        "question_hops": part,
        "seed": seed,
        "id": question.id,
        "question": question.text,
        "answers": list(question.answers),
        **({"nodes": nodes} if nodes else {}),
        "entities": list(question.entities),
        "type": question.type,
        "path": str(question.path) if question.path else None,
    }
