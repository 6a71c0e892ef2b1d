"""The ways in which a file is broken."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from tests.faults import SEED


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def overwritten(file: Path) -> None:
    file.write_bytes(random.Random(SEED).randbytes(5_000))  # noqa: S311


def of_another_kind(file: Path) -> None:
    file.write_bytes(b"[]")


def with_another_beginning(file: Path) -> None:
    file.write_bytes(b"x" * 16 + file.read_bytes()[16:])


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def a_link_to_nowhere(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.parent / "nowhere" / "at all")


def not_readable(file: Path) -> None:
    file.chmod(0)


DAMAGES: tuple[Callable[[Path], None], ...] = (
    cut_off, emptied, overwritten, of_another_kind, with_another_beginning, a_folder, a_link_to_nowhere, not_readable,
)  # fmt: skip
