"""Which version of Neo4j a store gets.

What the user asked for comes first, then the version that the store was made with, then the pinned one. A
store is never opened by an older version than the one that wrote it; by the next line of versions (2026 after 5.26)
only where that is asked for in so many words, since there is no way back.
"""

from __future__ import annotations

import re

from kgneo.errors import ServerError, UsageError

PINNED_VERSION = "2026.08.1"
LINES = {"5.26": "5.26.19", "2026": PINNED_VERSION}
"""The lines of versions that work, with the version that each stands for."""

UPGRADES = {("5.26", "2026")}
"""Lines, and those whose servers open a store of theirs."""

_EXACT = re.compile(r"(5\.26|2026\.\d\d)\.\d+")


def line_of(version: str) -> str:
    """The line of an exact version: "5.26.19" gives "5.26", "2026.08.1" gives "2026"."""
    return "5.26" if version.startswith("5.26.") else version.split(".")[0]


def minimum_java(version: str) -> int:
    """The oldest Java that runs a version of Neo4j."""
    return 17 if line_of(version) == "5.26" else 21


def choose_version(asked: str | None, recorded: str | None, *, upgrade: bool = False) -> str:
    """The exact version to run. `asked` is a line or an exact version, `recorded` what wrote the store, which may be of
    the line before where an `upgrade` is wanted.

    Raises UsageError for a version that is neither, ServerError when the store cannot be opened by it.
    """
    if asked is not None and asked not in LINES and not _EXACT.fullmatch(asked):
        raise UsageError(
            f"Neo4j version {asked!r} is not one that works here: expected {' or '.join(LINES)}, or an exact "
            f"version such as {' or '.join(LINES.values())}."
        )
    if recorded is None:
        return LINES.get(asked, asked) if asked else PINNED_VERSION
    if asked is None or asked == line_of(recorded):
        return recorded
    wanted = LINES.get(asked, asked)
    lines = line_of(recorded), line_of(wanted)
    if lines in UPGRADES and not upgrade:
        moved = f"`kgneo server start --version {lines[1]}` moves it there, for good: copy its folder first."
        _refuse(recorded, wanted, "is of the next line", f"{moved} Else leave")
    if _numbers(wanted) < _numbers(recorded):
        _refuse(recorded, wanted, "is older")
    return wanted


def _refuse(recorded: str, wanted: str, reason: str, leave: str = "Leave") -> None:
    raise ServerError(
        f"The store was made with Neo4j {recorded}; version {wanted} was asked for, which {reason}.",
        hint=f"{leave} the version out (--version, KGNEO_NEO4J_VERSION) to open this store, or load into "
        "another one (--store, KGNEO_STORE).",
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))
