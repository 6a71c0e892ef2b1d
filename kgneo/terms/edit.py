"""Edit: the file of terms as a command changes it, with the comments and the order that people gave it.

Comes in: a file, and what is to be added. Goes out: the file as text, which is read as terms before it is written, so
that no command leaves one behind that cannot be used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from kgneo.errors import DataError
from kgneo.folders import read_text, whole
from kgneo.terms.file import Terms, terms_of

HEAD = """\
What names and values mean to the people who ask this graph. Edit it by hand as you like; `kgneo terms check` says
what does not fit the graph. An entry with guess = true was written by a draft: look at it, then delete that line."""


def opened(file: Path) -> tomlkit.TOMLDocument:
    """The file as it is, or a new one. Raises DataError for one that cannot be read."""
    if not file.exists():
        document = tomlkit.document()
        for line in HEAD.splitlines():
            document.add(tomlkit.comment(line))
        return document
    text = read_text(file)
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, RecursionError) as error:
        raise DataError(f"the file cannot be read: {error}", file=str(file)) from error


def saved(document: tomlkit.TOMLDocument, file: Path) -> Terms:
    """Write the file, whole or not at all; what it says. Raises DataError for what is no file of terms."""
    terms = terms_of(document.unwrap(), str(file))
    with whole(file) as draft:
        draft.write_text(tomlkit.dumps(document), encoding="utf-8")
    return terms


def table(document: Container | Table | tomlkit.TOMLDocument, *names: str) -> Table:
    """The table at that place, made where it is not there. Raises DataError where something else stands there."""
    at: Any = document
    for number, name in enumerate(names):
        if name not in at:
            at[name] = tomlkit.table(is_super_table=number < len(names) - 1)
        at = at[name]
        if not isinstance(at, Mapping):
            raise DataError(f"{'.'.join(names[: number + 1])} is no table; expected one.")
    return at  # type: ignore[no-any-return]


def add_words(at: Table, key: str, words: Sequence[str]) -> list[str]:
    """Put words into the list at `key`, behind those that are there; those that were not."""
    there = at.get(key, [])
    known = [there] if isinstance(there, str) else list(there)
    new = [word for word in dict.fromkeys(words) if word not in known]
    at[key] = [*known, *new]
    return new


def remove_questions(document: tomlkit.TOMLDocument, is_meant: Callable[[Mapping[str, Any]], bool]) -> list[str]:
    """Take out the verified questions that are meant; which they were."""
    found = document.get("questions")
    questions = found if isinstance(found, AoT) else tomlkit.aot()
    gone = []
    for number, item in reversed(list(enumerate(questions))):
        if is_meant(item):
            gone.append(str(item["question"]))
            del questions[number]
    if not questions:
        document.pop("questions", None)
    return gone[::-1]


def add_question(document: tomlkit.TOMLDocument, record: Mapping[str, Any]) -> None:
    """Put a verified question behind the others; one with the same words goes out."""
    remove_questions(document, lambda item: item.get("question") == record["question"])
    found = document.get("questions")
    questions = found if isinstance(found, AoT) else tomlkit.aot()
    item = tomlkit.table()
    for key, value in record.items():
        item.add(key, value)
    questions.append(item)
    document["questions"] = questions
