"""What a failed start's log says, in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path

PORT_IN_USE = "a port is already in use"
NO_SPACE = "no space is left on the disk"
CUT_OFF = "its transaction log ends inside a transaction that was never finished"
_KNOWN = (
    (re.compile(r"already in use|Address already in use|BindException", re.I), PORT_IN_USE),
    (re.compile(r"Unreadable bytes are encountered after last readable position|recovery not possible"), CUT_OFF),
    (re.compile(r"No space left on device"), NO_SPACE),
    (
        re.compile(r"Lock file has been locked by another process|FileLockException"),
        "another process, perhaps on another machine, has this store open",
    ),
    (
        re.compile(r"insufficient memory for the Java Runtime|Could not reserve enough space|OutOfMemoryError"),
        "there is not enough memory; give it less with --heap and --page-cache",
    ),
)
_CAUSE = re.compile(r"^\s*Caused by: (?:[\w.$]+: )?(\S.*)$", re.MULTILINE)
_EXCEPTION = re.compile(r"^(?:Exception in thread \S+ )?[\w.$]+(?:Exception|Error): \S.*$", re.MULTILINE)
_ERROR = re.compile(r"^(?:.*\bERROR\b|Error:|Error occurred.*?:|Unrecognized|Invalid)\s*(.*)$", re.MULTILINE)
_FIRST = re.compile(r"(?:\d{4}-\S+ \S+ )?ERROR\b")
_FRAME = re.compile(r"^\s+(?:at |\.\.\. \d+ )")
_NOISE = re.compile(r"^WARNING: |^Picked up |^NOTE: ")


def read_tail(path: Path, size: int = 200_000) -> str:
    """The last `size` bytes of a log as text, empty when there is none."""
    try:
        with path.open("rb") as stream:
            stream.seek(0, 2)
            stream.seek(max(0, stream.tell() - size))
            return stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""


def errors_since(path: Path, start: int) -> str:
    """What a server's debug log says from the first error on, since it had `start` bytes; JSON lines as the texts that
    they hold."""
    try:
        with path.open("rb") as stream:
            stream.seek(start if start <= path.stat().st_size else 0)
            text = stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    lines = list(map(_plain, text.splitlines()))
    first = next((number for number, line in enumerate(lines) if _FIRST.match(line)), len(lines))
    return "\n".join(lines[first:])


def _plain(line: str) -> str:
    try:
        record = json.loads(line)
        return f"{record['level']} {record['message']}\n{record.get('stacktrace', '')}"
    except (ValueError, KeyError, TypeError):
        return line


def cause_of(log: str) -> str:
    """Why the server did not start, by its log: a known cause in plain words, else the log's last cause."""
    for pattern, words in _KNOWN:
        if pattern.search(log):
            return words
    for pattern in (_CAUSE, _EXCEPTION, _ERROR):
        if matches := list(pattern.finditer(log)):
            return matches[-1].group(0).strip().removeprefix("Caused by: ")[:300]
    lines = [line.strip() for line in log.splitlines() if line.strip() and not _NOISE.match(line)]
    return lines[-1][:300] if lines else "it ended without a word"


def last_lines(log: str, count: int = 15) -> str:
    """The last lines of a log, indented, long lines cut, without Java's stack frames."""
    lines = [line for line in log.splitlines() if line.strip() and not _FRAME.match(line)]
    return "\n".join(f"    {line[:240]}" for line in lines[-count:])
