"""Drafts: files that were sent to be loaded, on this machine's disk until they are loaded or left.

Comes in: the pieces of a file, as they arrive. Goes out: its path, for the loaders. All files of a draft together have
a bound in bytes; no file is ever in memory as a whole. They are in a temporary folder that only the owner of this
process can read, and go with the server at the latest.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from kgneo.serve.failures import Refusal

DRAFTS = 3
"""Drafts that are kept; the one that was begun first makes room."""
FILES = 100
"""Files of one draft."""
NAME_BYTES = 200
"""What a file's name may have; file systems take 255, and the loaders say more."""
OPTION = re.compile(r" \(--[a-z][^)]*\)")
"""An option of the shell in brackets, of which the page has a field."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass
class Draft:
    """Files that are to be loaded together; `sizes` are their bytes by name."""

    key: str
    folder: Path
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def paths(self) -> list[str]:
        """Where the files are, in the order in which they came."""
        return [str(self.folder / name) for name in self.sizes]

    def told(self, text: str) -> str:
        """A text about the files without the folder that they are in, which is nobody's business, and without options
        of the shell."""
        return OPTION.sub("", text.replace(f"{self.folder}{os.sep}", ""))


class Drafts:
    """The drafts of one server; `most` bytes each."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = ""
        """The key of the draft that is being loaded, which makes no room."""
        self._drafts: dict[str, Draft] = {}
        self._folder: TemporaryDirectory[str] | None = None

    def begin(self) -> Draft:
        """A new draft. Raises Refusal where the disk has no room."""
        try:
            self._folder = self._folder or TemporaryDirectory(prefix="kgneo-loading-", ignore_cleanup_errors=True)
            key = secrets.token_urlsafe(12)
            draft = Draft(key, Path(self._folder.name).resolve() / key)
            draft.folder.mkdir()
        except OSError as error:
            raise _not_kept(error) from None
        while len(self._drafts) >= DRAFTS:
            self.forget(next(key for key in self._drafts if key != self.held))
        self._drafts[key] = draft
        return draft

    def find(self, key: str) -> Draft:
        """The draft of a key. Raises Refusal."""
        if key not in self._drafts:
            hint = "Choose the files again: only the last few are kept."
            raise Refusal(404, "NoFiles", "The files that were chosen are not here any more.", hint)
        return self._drafts[key]

    def forget(self, key: str) -> None:
        """Delete a draft and its files, if it is there."""
        draft = self._drafts.pop(key, None)
        if draft is not None:
            shutil.rmtree(draft.folder, ignore_errors=True)

    async def take(self, draft: Draft, name: str, pieces: AsyncIterator[bytes]) -> int:
        """Write a file as its pieces arrive; gives its bytes. One of that name before it goes. Raises Refusal for a
        name that can be none, and for what is too large, or more than the disk takes; nothing of it is kept then."""
        _check_name(name)
        draft.sizes.pop(name, None)
        if len(draft.sizes) >= FILES:
            raise Refusal(413, "TooManyFiles", f"Expected {FILES} files at most.", "Put them into a zip archive.")
        draft.sizes[name] = 0
        try:
            async with await anyio.open_file(draft.folder / name, "wb") as file:
                async for piece in pieces:
                    draft.sizes[name] += len(piece)
                    self.check_size(draft)
                    await file.write(piece)
        except BaseException as error:
            draft.sizes.pop(name, None)
            (draft.folder / name).unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise _not_kept(error) from None
            raise
        return draft.sizes[name]

    def check_size(self, draft: Draft, further: int = 0) -> None:
        """Raises Refusal where the files of a draft, and so many bytes more, are too many."""
        if sum(draft.sizes.values()) + further > self.most:
            message = f"Files of more than {self.most:,} bytes together are not taken here."
            hint = "Load them in the shell, with `kgneo load`; or start the server with a higher --loading-megabytes."
            raise Refusal(413, "FilesTooLarge", message, hint)

    def close(self) -> None:
        """Delete all."""
        self._drafts.clear()
        if self._folder is not None:
            self._folder.cleanup()


def _check_name(name: str) -> None:
    wrong = name in (".", "..") or not name.isprintable() or any(one in name for one in "/\\")
    if wrong or not 0 < len(name.encode("utf-8", "replace")) <= NAME_BYTES:
        raise Refusal(
            422, "NoFileName", f"{name[:NAME_BYTES]!r} is no name of a file.", "Expected one without folders."
        )


def _not_kept(error: OSError) -> Refusal:
    if error.errno in FULL:
        return Refusal(507, "DiskFull", "The disk of this machine has no room for the files.", "Free some space on it.")
    return Refusal(500, "NotKept", f"The files cannot be kept on this machine: {error.strerror or error}.")
