"""What a terminal gets to see: all that a command prints, with control characters shown and not sent.

Names in a graph, lines of a file, replies of a model and messages of a server are texts of others. On a terminal a
control character in them moves the cursor, sets the title, fills the clipboard or turns the direction of writing. So
standard output and standard error are each a `Screen` while a command runs: whatever is written there, by whichever
way, passes through `visible`. What kgneo itself sends (bold, progress bars) goes around it, by `print_bold` and
`behind`.

It is the same in a pipe, which often ends at a terminal (`| less -R`, `| tee`). The escapes are those of JSON, so that
`--json` stays JSON and says what the graph holds, to the character.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

import click

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""All of C0 and C1 but tab and line feed, delete, what embeds or overrides a direction, and lone surrogates, which no
terminal can be sent."""


def visible(text: str) -> str:
    """`text` with each control character as the six characters of its escape: \\u001b."""
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Screen:
    """A stream of text that shows control characters; all else is as the stream `behind` it has it."""

    encoding = "utf-8"
    """It takes any text, so that nobody goes around it to find a better stream."""

    def __init__(self, stream: TextIO) -> None:
        self.behind = stream

    def write(self, text: str) -> int:
        """As a stream's; what its encoding does not have is shown as an escape, too."""
        shown = visible(text)
        try:
            self.behind.write(shown)
        except UnicodeEncodeError:
            code = self.behind.encoding
            self.behind.write(shown.encode(code, "backslashreplace").decode(code))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """As a stream's."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


def screen(stream: TextIO | None) -> TextIO:
    """The stream as a `Screen`; in the place of one that was closed before kgneo began, nothing is written."""
    if stream is None:
        stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open until the process ends
    return stream if isinstance(stream, Screen) else cast(TextIO, Screen(stream))


def behind(stream: TextIO) -> TextIO:
    """The stream itself, for what kgneo sends to a terminal; texts of others are made `visible` before."""
    return stream.behind if isinstance(stream, Screen) else stream


@contextmanager
def screened() -> Iterator[None]:
    """Standard output and standard error as `Screen`s, for as long as the block lasts."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(screen, before)
    try:
        # Where there is no terminal, click would leave out escapes that are texts.
        with click.Context(click.Command("kgneo"), color=True).scope():
            yield
    finally:
        sys.stdout, sys.stderr = before


def in_terminal() -> bool:
    """Whether standard output is a terminal, for whose eyes a result is laid out; a pipe gets plain text."""
    return behind(sys.stdout).isatty()


_HEADING = re.compile(r"^\S.*:$|^  -{1,2}[\w-]+(?:, -{1,2}[\w-]+)*", re.MULTILINE)
"""In a help text: a heading, and the names of an option."""


def print_help(text: str) -> None:
    """A help text on standard output, its headings and the names of options in bold where that is a terminal."""
    stream = behind(sys.stdout)
    shown = _HEADING.sub(lambda found: click.style(found[0], bold=True), visible(text))
    click.echo(shown, file=stream, color=stream.isatty())


def print_bold(text: str, *, nl: bool = True) -> None:
    """`text` on standard output, in bold where that is a terminal."""
    stream = behind(sys.stdout)
    click.echo(click.style(visible(text), bold=True), file=stream, nl=nl, color=stream.isatty())
