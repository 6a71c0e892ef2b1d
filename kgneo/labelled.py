"""Labelled questions from files in any of the forms that kgneo reads.

A `.jsonl` file holds an object a line with `question`, `answers` and, optionally, `entities`. Any other file holds a
question a line, its [topic entity] in brackets, then a tab, then the answers separated by "|". A folder is read by
the data set readers that are installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from kgneo.errors import DataError
from kgneo.evaluation.datasets import Dataset, Question, bracketed, reader, reader_names

SEPARATOR = "|"


def read_labelled(path: Path, *, split: str = "train", variant: str = "vanilla") -> tuple[Question, ...]:
    """The questions of a file or folder; `split` and `variant` choose among those of a folder.

    Raises DataError, which names file and line.
    """
    if path.is_dir():
        return _of_dataset(_read_folder(path, split, variant), path)
    if path.suffix in (".jsonl", ".ndjson"):
        return _of_dataset(reader("jsonl").read(path, split="", variant="", question_hops=()), path)
    return tuple(_lines(path))


def _of_dataset(dataset: Dataset, path: Path) -> tuple[Question, ...]:
    """Its questions with identifiers that stay apart when several files are read."""
    return tuple(replace(item, id=f"{path}/{item.id}") for part in dataset.parts.values() for item in part)


def _read_folder(path: Path, split: str, variant: str) -> Dataset:
    refusals: list[DataError] = []
    for name in reader_names():
        if name == "jsonl":
            continue
        try:
            return reader(name).read(path, split=split, variant=variant, question_hops=())
        except DataError as error:
            refusals.append(error)
    raise refusals[0] if refusals else DataError("a folder, and no reader of folders is installed", file=str(path))


def _lines(path: Path) -> Iterator[Question]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 (byte {error.start}); expected text", file=str(path)) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(path)) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        text, _, rest = line.partition("\t")
        answers = tuple(dict.fromkeys(answer.strip() for answer in rest.split(SEPARATOR) if answer.strip()))
        if not text.strip() or not answers:
            raise DataError(
                "expected a question, a tab, and answers separated by |",
                file=str(path),
                line=number,
                hint="Files of JSON objects need a name that ends in .jsonl.",
            )
        yield Question(f"{path}/{number}", text.strip(), answers, entities=bracketed(text))
