"""Prompts: one text file a stage, with named variables in double braces.

A file is one user message, or several messages under lines that hold `[system]`, `[user]` or `[assistant]` alone.
Lines that begin with `##` are comments. `{{question}}` stands for a variable. Which variables a stage gives is said
by kgneo's own file of it and nowhere else:

    ## Needs: facts, question
    ## May use: reasoning

A folder of one's own may replace single files (`Prompts(folder)`), and every mistake in it is found when it is
opened: a variable that the stage does not give, one that the prompt needs and does not use, a file that no stage
reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import cast

from kgneo.errors import DataError, UsageError
from kgneo.llm.protocol import Message, Role

__all__ = ["Prompts"]

_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_ROLE = re.compile(r"^\[(system|user|assistant)\]\s*$", re.MULTILINE)
_COMMENT = re.compile(r"^##.*\n?", re.MULTILINE)
_NEEDS = re.compile(r"^## Needs:(.*)$", re.MULTILINE)
_MAY_USE = re.compile(r"^## May use:(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Prompt:
    """The messages of a prompt, the file that they stand in, and the variables that its stage gives."""

    file: str
    messages: tuple[Message, ...]
    given: tuple[str, ...]


@dataclass(frozen=True)
class Prompts:
    """The prompts of all stages; those in `folder` take the place of kgneo's own.

    Raises DataError for a file that cannot be used, and UsageError for a folder with a file that no stage reads.
    """

    folder: Path | None = None
    _prompts: dict[str, _Prompt] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        own = {
            file.name: file.read_text(encoding="utf-8") for file in files(__name__).iterdir() if _is_prompt(file.name)
        }
        if self.folder is not None:
            _check_folder(self.folder, own)
        for name, text in own.items():
            path = self.folder / name if self.folder else None
            replaced = path is not None and path.exists()
            file, used = (str(path), _read(cast(Path, path))) if replaced else (name, text)
            self._prompts[name.removesuffix(".txt")] = _prompt(file, used, declared=text)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the prompts, each that of its stage."""
        return tuple(sorted(self._prompts))

    def variables(self, name: str) -> tuple[str, ...]:
        """The variables that the stage of the prompt `name` gives: those it needs, then those it may use."""
        return self._prompts[name].given

    def messages(self, name: str, **variables: str) -> list[Message]:
        """The prompt `name` with its variables filled in. What stands in a variable is never looked into.

        Raises DataError, naming file and variable, when one that the prompt uses is not among `variables`.
        """
        prompt = self._prompts[name]

        def value(match: re.Match[str]) -> str:
            key = match.group(1)
            if key not in variables:
                raise _not_given(prompt.file, key, variables)
            return variables[key]

        return [Message(message.role, _VARIABLE.sub(value, message.content)) for message in prompt.messages]


def _is_prompt(name: str) -> bool:
    return name.endswith(".txt")


def _check_folder(folder: Path, own: Iterable[str]) -> None:
    expected = f"Expected one or more of: {', '.join(sorted(own))}."
    if not folder.is_dir():
        raise DataError("there is no such folder of prompts", file=str(folder), hint=expected)
    unknown = sorted(file for file in folder.glob("*.txt") if file.name not in own)
    if unknown:
        raise UsageError(f"No stage reads the prompt {unknown[0]}.", hint=expected)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the prompt cannot be read: {error}", file=str(path)) from error


def _prompt(file: str, text: str, *, declared: str) -> _Prompt:
    """The prompt in `text`; the text of kgneo's own prompt for that stage says which variables there are."""
    needs, may_use = _named(_NEEDS, declared), _named(_MAY_USE, declared)
    messages = _messages(text)
    used = set(_VARIABLE.findall("".join(message.content for message in messages)))
    for variable in sorted(used.difference(needs, may_use)):
        raise _not_given(file, variable, needs + may_use)
    for variable in needs:
        if variable not in used:
            raise DataError(f"this prompt does not use {{{{{variable}}}}}, which it needs", file=file)
    if messages[-1].role != "user":
        raise DataError(f"the last message is of [{messages[-1].role}], expected [user]", file=file)
    return _Prompt(file, messages, needs + may_use)


def _named(header: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(name.strip() for line in header.findall(text) for name in line.split(","))


def _messages(text: str) -> tuple[Message, ...]:
    pieces = _ROLE.split(_COMMENT.sub("", text))
    found = [("user", pieces[0])] if pieces[0].strip() else []
    found += zip(pieces[1::2], pieces[2::2], strict=True)
    return tuple(Message(cast(Role, role), content.strip()) for role, content in found)


def _not_given(file: str, variable: str, given: Iterable[str]) -> DataError:
    listed = ", ".join(f"{{{{{name}}}}}" for name in given) or "no variable"
    return DataError(
        f"this prompt uses {{{{{variable}}}}}, which its stage does not give", file=file, hint=f"It gives {listed}."
    )
