"""Questions with known answers, read from files.

A path and a choice of split, variant and numbers of hops come in; a `Dataset` goes out, its questions in the
order of the file, one tuple for each number of hops. Readers are found by name through the entry-point group
`kgneo.datasets`, so that any package can add one; what a data set calls its relations stays with its reader.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, cast

from kgneo.errors import DataError, UsageError
from kgneo.model import Hop, RelationPath

ENTRY_POINTS = "kgneo.datasets"


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its gold answers.

    `text` is as the source has it, topic entities in [brackets] where it marks them, and `entities` are their
    names. `hops` and `type` may be unknown (None, empty); `path` is the gold relation path from the topic
    entity to the answers, where the source tells it. `told` says whether who answers is told the entities.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    entities: tuple[str, ...] = ()
    hops: int | None = None
    type: str = ""
    path: RelationPath | None = None
    told: bool = True

    def without_brackets(self) -> Question:
        """The same question for one who has to find its topic entities."""
        text = self.text
        for name in bracketed(text):
            text = text.replace(f"[{name}]", name, 1)
        return replace(self, text=text, told=False)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Questions grouped by their number of hops (None where the source does not tell)."""

    name: str
    split: str
    variant: str
    parts: Mapping[int | None, tuple[Question, ...]]

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def without_brackets(self) -> Dataset:
        """The same questions, see `Question.without_brackets`."""
        parts = {hops: tuple(item.without_brackets() for item in part) for hops, part in self.parts.items()}
        return replace(self, parts=parts)


class DatasetReader(Protocol):
    """What an entry point of the group `kgneo.datasets` names: an object made without arguments."""

    def read(self, path: Path, *, split: str, variant: str, question_hops: Sequence[int]) -> Dataset:
        """The questions under `path`. No `question_hops` means all there are. Raises DataError."""
        ...


def reader(name: str) -> DatasetReader:
    """The reader registered as `name`. Raises UsageError, which lists what is registered."""
    found = entry_points(group=ENTRY_POINTS)
    for point in found:
        if point.name == name:
            return cast(DatasetReader, point.load()())
    known = ", ".join(sorted({point.name for point in found})) or "none"
    raise UsageError(f"no data set reader is called {name!r}; there are: {known}")


def reader_names() -> list[str]:
    """The names of all registered readers, sorted."""
    return sorted({point.name for point in entry_points(group=ENTRY_POINTS)})


def hash_questions(questions: Sequence[Question]) -> str:
    """SHA-256 over identifiers, texts and gold answers: the same questions give the same hash anywhere."""
    digest = hashlib.sha256()
    for question in questions:
        row = [question.id, question.text, list(question.answers), list(question.entities), question.type]
        digest.update(json.dumps(row, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def bracketed(text: str) -> tuple[str, ...]:
    """The pieces of `text` that stand in outermost [square brackets]; none where they do not balance."""
    depth, start = 0, 0
    found: list[str] = []
    for position, character in enumerate(text):
        if character == "[":
            if depth == 0:
                start = position + 1
            depth += 1
        elif character == "]" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[start:position].strip())
    return tuple(name for name in found if name) if depth == 0 else ()


class HopFolder:
    """Reads `DIR/{h}-hop/{variant}/qa_{split}.txt` and, where it is, `DIR/{h}-hop/qa_{split}_qtype.txt`.

    A line is the question with its [topic entity], a tab, and the answers separated by "|". The type file
    has one type a line, in the same order. `path_of` turns a type into its gold relation path and raises
    KeyError for a type that it does not know.
    """

    def __init__(self, name: str, path_of: Callable[[str], RelationPath]) -> None:
        self.name = name
        self.path_of = path_of

    def read(self, path: Path, *, split: str, variant: str, question_hops: Sequence[int]) -> Dataset:
        """See `DatasetReader.read`."""
        if not path.is_dir():
            raise DataError("no such folder" if not path.exists() else "not a folder", file=str(path))
        present = available(path)
        if not present:
            raise DataError("no questions here; expected N-hop/VARIANT/qa_SPLIT.txt below this folder", file=str(path))
        every = sorted({hops for hops, kind, part in present if (kind, part) == (variant, split)})
        wanted = sorted(set(question_hops)) or every
        if not wanted:
            raise self._missing(path, present, f"split {split!r}, variant {variant!r}")
        parts: dict[int | None, tuple[Question, ...]] = {}
        for hops in wanted:
            if (hops, variant, split) not in present:
                raise self._missing(path, present, f"{hops}-hop/{variant}/qa_{split}.txt")
            parts[hops] = tuple(self._part(path, hops, split, variant))
        return Dataset(self.name, split, variant, parts)

    def _missing(self, path: Path, present: Sequence[tuple[int, str, str]], what: str) -> DataError:
        there = ", ".join(f"{hops}-hop/{variant}/qa_{split}.txt" for hops, variant, split in present)
        return DataError(
            f"no {what} here; there are: {there}",
            file=str(path),
            hint="Choose among these with --split, --variant and --question-hops.",
        )

    def _part(self, path: Path, hops: int, split: str, variant: str) -> Iterator[Question]:
        file = path / f"{hops}-hop" / variant / f"qa_{split}.txt"
        type_file = path / f"{hops}-hop" / f"qa_{split}_qtype.txt"
        lines = _lines(file)
        types = _lines(type_file) if type_file.exists() else [""] * len(lines)
        if len(types) != len(lines):
            raise DataError(
                f"{len(types)} question types for {len(lines)} questions of {file}; expected one a line",
                file=str(type_file),
            )
        if not lines:
            raise DataError("the file is empty; expected a question a line", file=str(file))
        for number, (line, kind) in enumerate(zip(lines, types, strict=True), start=1):
            text, answers = _split_line(line, file, number)
            yield Question(
                # The variant is left out on purpose: a paraphrase keeps the identifier of its original, so
                # that one seed draws the same questions in both and runs on them can be compared.
                id=f"{split}/{hops}-hop/{number}",
                text=text,
                answers=answers,
                entities=bracketed(text),
                hops=hops,
                type=kind,
                path=self._gold_path(kind, type_file, number),
            )

    def _gold_path(self, kind: str, file: Path, line: int) -> RelationPath | None:
        if not kind:
            return None
        try:
            return self.path_of(kind)
        except KeyError:
            raise DataError(
                f"unknown question type {kind!r}: no relation path is known for it", file=str(file), line=line
            ) from None


def available(path: Path) -> list[tuple[int, str, str]]:
    """(hops, variant, split) of every question file below `path`, sorted."""
    found = []
    for file in path.glob("*-hop/*/qa_*.txt"):
        hops = re.fullmatch(r"(\d+)-hop", file.parent.parent.name)
        if hops:
            found.append((int(hops[1]), file.parent.name, file.stem.removeprefix("qa_")))
    return sorted(found)


def _lines(file: Path) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("no such file", file=str(file)) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(file)) from error
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 (byte {error.start}); expected text", file=str(file)) from None
    lines = text.split("\n")
    if lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip("\r") for line in lines]


def _split_line(line: str, file: Path, number: int) -> tuple[str, tuple[str, ...]]:
    text, tab, rest = line.partition("\t")
    answers = tuple(dict.fromkeys(answer.strip() for answer in rest.split("|") if answer.strip()))
    if not text.strip():
        raise DataError("a line without a question", file=str(file), line=number)
    if not answers:
        found = "a question without answers" if tab else "no tab in the line"
        expected = "expected: question, tab, answers separated by |"
        raise DataError(f"{found}; {expected}", file=str(file), line=number)
    return text.strip(), answers


class JsonlReader:
    """Reads one's own questions: a JSON object a line with `question`, `answers` and, optionally, `entities`.

    Optional as well: `id` (else the line number), `hops` (a number), `type`, and `path`: the gold relation path,
    "relation/^relation" with ^ for a step from object to subject, or a list of such steps. Other keys are left
    alone.
    """

    name = "jsonl"

    def read(
        self,
        path: Path,
        *,
        split: str,  # noqa: ARG002
        variant: str,  # noqa: ARG002
        question_hops: Sequence[int],
    ) -> Dataset:
        """See `DatasetReader.read`; `split` and `variant` are not used."""
        questions: dict[str, Question] = {}
        for number, line in enumerate(_lines(path), start=1):
            if not line.strip():
                continue
            question = _own_question(line, str(path), number)
            if question.id in questions:
                raise DataError(f"the id {question.id!r} occurs twice", file=str(path), line=number)
            questions[question.id] = question
        chosen = [item for item in questions.values() if not question_hops or item.hops in question_hops]
        if not questions:
            raise DataError("no questions in the file; expected a JSON object a line", file=str(path))
        if not chosen:
            raise DataError(f'no question has "hops" among {", ".join(map(str, question_hops))}', file=str(path))
        parts: dict[int | None, list[Question]] = {}
        for item in chosen:
            parts.setdefault(item.hops, []).append(item)
        ordered = sorted(parts, key=lambda hops: -1 if hops is None else hops)
        return Dataset(path.stem, "", "", {hops: tuple(parts[hops]) for hops in ordered})


def _own_question(line: str, file: str, number: int) -> Question:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg} at column {error.colno}", file=file, line=number) from None
    if not isinstance(record, dict):
        kind = type(record).__name__
        raise DataError(f"a JSON {kind}; expected an object", file=file, line=number)
    text = record.get("question")
    if not isinstance(text, str) or not text.strip():
        raise DataError('no "question" (a text) in the object', file=file, line=number)
    answers = _names(record, "answers", file, number)
    if not answers:
        raise DataError('no "answers"; expected a list with one name or more', file=file, line=number)
    hops = record.get("hops")
    if hops is not None and (not isinstance(hops, int) or isinstance(hops, bool) or hops < 1):
        raise DataError(f'"hops" is {hops!r}; expected a number from 1', file=file, line=number)
    return Question(
        id=str(record.get("id", number)),
        text=text.strip(),
        answers=answers,
        entities=_names(record, "entities", file, number) or bracketed(text),
        hops=hops,
        type=str(record.get("type", "")),
        path=_own_path(record.get("path"), file, number),
    )


def _own_path(value: Any, file: str, number: int) -> RelationPath | None:
    if value is None:
        return None
    steps = value.split("/") if isinstance(value, str) else value
    if not isinstance(steps, list) or not all(isinstance(step, str) and step.strip("^ ") for step in steps):
        raise DataError(
            f'"path" is {value!r}; expected "relation/^relation" or a list of such steps', file=file, line=number
        )
    hops = (Hop(step.removeprefix("^"), forward=not step.startswith("^")) for step in steps)
    return RelationPath(tuple(hops))


def _names(record: Mapping[str, Any], key: str, file: str, number: int) -> tuple[str, ...]:
    value = record.get(key, [])
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        value = [value]
    if not isinstance(value, list) or not all(
        isinstance(item, str | int | float) and not isinstance(item, bool) for item in value
    ):
        raise DataError(f'"{key}" is {value!r}; expected a list of names', file=file, line=number)
    return tuple(dict.fromkeys(name for name in (str(item).strip() for item in value) if name))
