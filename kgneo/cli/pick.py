"""Pick: which of several readings a user means, by a number that is given or typed.

An answer comes in, and goes out, as the object that `--json` prints.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from kgneo.errors import UsageError


def picked_number(record: Mapping[str, Any], number: int | None, *, typed: bool) -> int | None:
    """The number of the choice that is meant where the outcome is a choice; `typed`: where none is given, it is asked
    for if somebody sits at a terminal. None where nothing is chosen. Raises UsageError for one that there is not."""
    if record.get("outcome") != "choice":
        return None
    if number is None and typed and sys.stdin.isatty() and sys.stdout.isatty():
        number = _typed(record)
    if number is not None and not 1 <= number <= len(record["choices"]):
        raise UsageError(f"There is no choice {number}, expected 1 to {len(record['choices'])}.")
    return number


def _typed(record: Mapping[str, Any]) -> int | None:
    """The number that a user types; None for nothing."""
    click.echo(record["message"])
    text = click.prompt("Which one", default="", show_default=False).strip()
    return int(text) if text.isdecimal() else None
