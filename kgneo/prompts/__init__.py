"""Prompts: one text file a stage, with named variables in double braces.

A file is one user message, or several messages under lines that hold `[system]`, `[user]` or `[assistant]` alone.
Lines that begin with `##` are comments. `{{question}}` stands for a variable; `VARIABLES` lists those of each
prompt. A folder of one's own may replace single files (`Prompts(folder)`), and every mistake in it is found when
it is opened: a variable that the prompt does not have, one that it needs and does not use, a file that no stage
reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import cast

from kgneo.errors import DataError, UsageError
from kgneo.llm.protocol import Message, Role

__all__ = ["VARIABLES", "Prompts"]

VARIABLES: Mapping[str, tuple[str, ...]] = {
    "decompose": ("question",),
    "answer": ("question", "facts"),
    "answer_alone": ("question",),
    "reformulate": ("question", "earlier"),
    "synthesise": ("question", "steps"),
    "follow_up": ("question", "history"),
}
"""The variables that each prompt must use."""
OPTIONAL: Mapping[str, tuple[str, ...]] = {"synthesise": ("reasoning",)}
"""Those that it may use besides."""

_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_ROLE = re.compile(r"^\[(system|user|assistant)\]\s*$", re.MULTILINE)
_COMMENT = re.compile(r"^##.*\n?", re.MULTILINE)


@dataclass(frozen=True)
class Prompts:
    """The prompts of all stages; those in `folder` take the place of kgneo's own.

    Raises DataError for a file that cannot be used, and UsageError for a folder with a file that no stage reads.
    """

    folder: Path | None = None
    _templates: dict[str, tuple[tuple[Role, str], ...]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        if self.folder is not None:
            _check_folder(self.folder)
        for name in VARIABLES:
            self._templates[name] = _template(name, *_source(name, self.folder))

    def messages(self, name: str, **variables: str) -> list[Message]:
        """The prompt `name` with its variables filled in. What stands in a variable is never looked into.

        Raises KeyError, naming the variable, when one that the prompt uses is not given.
        """

        def value(match: re.Match[str]) -> str:
            key = match.group(1)
            if key not in variables:
                raise KeyError(f"the prompt {name!r} uses {{{{{key}}}}}, which was not given")
            return variables[key]

        return [Message(role, _VARIABLE.sub(value, text)) for role, text in self._templates[name]]


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise DataError("there is no such folder of prompts", file=str(folder), hint=_expected())
    unknown = sorted(file.name for file in folder.glob("*.txt") if file.stem not in VARIABLES)
    if unknown:
        raise UsageError(f"No stage reads the prompt {folder / unknown[0]}.", hint=_expected())


def _expected() -> str:
    return "Expected one or more of: " + ", ".join(f"{name}.txt" for name in VARIABLES) + "."


def _source(name: str, folder: Path | None) -> tuple[str, str]:
    """The text of a prompt and the name of its file."""
    path = folder / f"{name}.txt" if folder else None
    if path is None or not path.exists():
        return files("kgneo.prompts").joinpath(f"{name}.txt").read_text(encoding="utf-8"), f"{name}.txt"
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the prompt cannot be read: {error}", file=str(path)) from error


def _template(name: str, text: str, file: str) -> tuple[tuple[Role, str], ...]:
    allowed = VARIABLES[name] + OPTIONAL.get(name, ())
    pieces = _ROLE.split(_COMMENT.sub("", text))
    messages = [("user", pieces[0])] if pieces[0].strip() else []
    messages += zip(pieces[1::2], pieces[2::2], strict=True)
    used = set(_VARIABLE.findall("".join(content for _, content in messages)))
    for variable in sorted(used - set(allowed)):
        raise DataError(
            f"this prompt uses {{{{{variable}}}}}, which it does not have",
            file=file,
            hint="It has " + ", ".join(f"{{{{{known}}}}}" for known in allowed) + ".",
        )
    for variable in VARIABLES[name]:
        if variable not in used:
            raise DataError(f"this prompt does not use {{{{{variable}}}}}, which it needs", file=file)
    if messages[-1][0] != "user":
        raise DataError(f"the last message is of [{messages[-1][0]}], expected [user]", file=file)
    return tuple((cast(Role, role), content.strip()) for role, content in messages)
