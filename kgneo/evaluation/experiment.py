"""What is to be measured: a `Plan`, from options or from a TOML file.

A file of an experiment names the data set, the grid and the sample; which model answers is the settings'
affair. Keys that are left out have the defaults of `Plan`, keys that `Plan` does not have are an error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from kgneo.errors import DataError, UsageError

STAGES = ("ask", "retrieve")
SELECTIONS = ("", "relations", "top-k")


@dataclass(frozen=True, slots=True)
class Plan:
    """A grid on a sample of a data set. `limit` is questions a part (a number of question hops) and seed,
    None for all; without `brackets` topic entities have to be found in the text; `select` is how triples are
    chosen (empty: each strategy's own way); `published` is a file of published numbers."""

    dataset: str
    split: str = "dev"
    variant: str = "vanilla"
    question_hops: tuple[int, ...] = ()
    limit: int | None = None
    seeds: tuple[int, ...] = (0,)
    strategies: tuple[str, ...] = ("auto",)
    hops: tuple[int, ...] = (3,)
    top_k: tuple[int, ...] = (30,)
    stage: str = "ask"
    brackets: bool = True
    select: str = ""
    title: str = ""
    description: str = ""
    published: Path | None = None

    def checked(self) -> Plan:
        """The plan itself. Raises UsageError for what cannot be run."""
        if self.stage not in STAGES:
            raise UsageError(f"the stage {self.stage!r}; expected one of {', '.join(STAGES)}")
        if self.select not in SELECTIONS:
            raise UsageError(f"the selection {self.select!r}; expected relations or top-k")
        for name in ("seeds", "strategies", "hops", "top_k"):
            if not getattr(self, name):
                raise UsageError(f"no {name} to measure; expected one or more")
        for name in ("hops", "top_k", "question_hops"):
            low = [value for value in getattr(self, name) if value < 1]
            if low:
                raise UsageError(f"{name} of {low[0]}; expected 1 or more")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"a limit of {self.limit} questions; expected 1 or more")
        return self

    def changed(self, **options: Any) -> Plan:
        """The plan with the options that are given: None and empty ones change nothing."""
        given = {key: value for key, value in options.items() if value not in (None, ())}
        return replace(self, **given).checked()


def read_experiment(path: Path) -> Plan:
    """The plan in a TOML file; `published` is taken relative to the file. Raises DataError, UsageError."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError("no such file; expected an experiment's TOML file", file=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not TOML: {error}", file=str(path)) from None
    known = {field.name for field in fields(Plan)}
    unknown = sorted(set(content) - known)
    if unknown:
        raise DataError(f"unknown key {unknown[0]!r}; expected some of {', '.join(sorted(known))}", file=str(path))
    if not isinstance(content.get("dataset"), str):
        raise DataError('no "dataset" (a name)', file=str(path))
    return Plan(**{key: _value(key, value, path) for key, value in content.items()}).checked()


_KINDS: Mapping[str, type] = {
    "question_hops": int,
    "seeds": int,
    "hops": int,
    "top_k": int,
    "strategies": str,
}


def _value(key: str, value: Any, path: Path) -> Any:
    if key in _KINDS:
        if not isinstance(value, list) or not all(type(item) is _KINDS[key] for item in value):
            raise DataError(f"{key} is {value!r}; expected a list of {_KINDS[key].__name__}", file=str(path))
        return tuple(value)
    kind: type = {"limit": int, "brackets": bool}.get(key, str)
    if type(value) is not kind:
        raise DataError(f"{key} is {value!r}; expected {kind.__name__}", file=str(path))
    return path.parent / str(value) if key == "published" else value
