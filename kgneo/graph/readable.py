"""Readable: what was learned about a graph, as far as this version of kgneo can read it.

Lessons, examples and weights are kept in the graph, where an older or a newer kgneo, or somebody else, may have written
them. What cannot be read is passed over, and told: an answer without it is better than none.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from kgneo.errors import DataError, LessonWarning

Kept = TypeVar("Kept")
Item = TypeVar("Item")
UNREADABLE = (AttributeError, DataError, IndexError, KeyError, TypeError, ValueError)
"""What comes of reading something that another version wrote."""


def readable(kept: Iterable[Kept], read: Callable[[Kept], Item]) -> Iterator[Item]:
    """What `read` makes of those that it can read; a warning tells of the others."""
    failed = 0
    for one in kept:
        try:
            item = read(one)
        except UNREADABLE:
            failed += 1
        else:
            yield item
    if failed:
        warnings.warn(
            f"{failed:,} of the graph's lessons cannot be read and are passed over: another version of kgneo wrote "
            "them. `kgneo learn --remove all` removes all, `kgneo learn FILE` learns anew.",
            LessonWarning,
            stacklevel=2,
        )
