"""MetaQA's knowledge base: one triple a line, `subject|relation|object`, without quoting.

Its nine relations imply what their ends are, so the nodes get labels. Other relations give none.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgneo.loader import BadLine, Head, LoadedTriple, LoadOptions, OnBadLine, Source, text_lines
from kgneo.model import Triple

__all__ = ["OBJECT_LABELS", "MetaqaLoader"]

SEPARATOR = "|"
SUBJECT_LABELS = ("Movie",)
OBJECT_LABELS = {
    "directed_by": ("Person",),
    "has_genre": ("Genre",),
    "has_imdb_rating": ("Rating",),
    "has_imdb_votes": ("Votes",),
    "has_tags": ("Tag",),
    "in_language": ("Language",),
    "release_year": ("Year",),
    "starred_actors": ("Person",),
    "written_by": ("Person",),
}
UNMISTAKABLE = {"has_imdb_rating", "has_imdb_votes", "starred_actors"}
"""Relations that other data hardly uses; "written_by" alone may as well be about books."""
ENOUGH_RELATIONS = 3


class MetaqaLoader:
    """Reads `subject|relation|object` lines and labels the nodes by MetaQA's relations."""

    name = "metaqa"
    aliases: tuple[str, ...] = ()

    def recognises(self, head: Head) -> float:
        """High only when the relations are MetaQA's own: the labels would be wrong for anything else."""
        relations = [fields[1] for line in head.lines if len(fields := line.split(SEPARATOR)) == 3]
        if not relations or len(relations) < len(head.lines) * 0.9:
            return 0.0
        kinds = set(relations)
        if kinds <= OBJECT_LABELS.keys() and (kinds & UNMISTAKABLE or len(kinds) >= ENOUGH_RELATIONS):
            return 0.95
        return 0.0

    def read(
        self,
        source: Source,
        *,
        options: LoadOptions,  # noqa: ARG002
        on_bad_line: OnBadLine,
    ) -> Iterator[LoadedTriple]:
        """One triple a line; blank lines are passed over."""
        for number, line in text_lines(source, on_bad_line):
            fields = line.split(SEPARATOR)
            if len(fields) == 3:
                labels = OBJECT_LABELS.get(fields[1])
                subject_labels = SUBJECT_LABELS if labels else ()
                yield LoadedTriple(Triple(*fields), subject_labels, labels or (), number)
            elif line.strip():
                found = f"{len(fields)} field{'s' if len(fields) != 1 else ''}"
                on_bad_line(BadLine(number, f"found {found}, expected 3 (subject|relation|object)", line))
