"""MetaQA's questions: its folder layout, and what its question types mean as paths through its graph.

A type such as `movie_to_director_to_movie` names the kinds of entity on the way; each pair of neighbours is
one relationship, followed forward where the first is the film, and back otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kgneo.errors import DataError
from kgneo.model import Hop, RelationPath
from kgneo.questions import Dataset, Question, bracketed, read_lines, split_line

FILM = "movie"

RELATIONS = {
    "actor": "starred_actors",
    "director": "directed_by",
    "genre": "has_genre",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
    "language": "in_language",
    "tag": "has_tags",
    "tags": "has_tags",
    "writer": "written_by",
    "year": "release_year",
}


def gold_path(question_type: str) -> RelationPath:
    """The relation path of `question_type`. Raises KeyError for one that MetaQA does not have."""
    kinds = question_type.split("_to_")
    if len(kinds) < 2:
        raise KeyError(question_type)
    return RelationPath(tuple(_hop(kinds[i], kinds[i + 1]) for i in range(len(kinds) - 1)))


def _hop(source: str, target: str) -> Hop:
    if source == FILM:
        return Hop(RELATIONS[target])
    if target == FILM:
        return Hop(RELATIONS[source], forward=False)
    raise KeyError(f"{source}_to_{target}")


class HopFolder:
    """Reads `DIR/{h}-hop/{variant}/qa_{split}.txt` and, where it is, `DIR/{h}-hop/qa_{split}_qtype.txt`.

    A line is the question with its [topic entity], a tab, and the answers separated by "|". The type file
    has one type a line, in the same order. `path_of` turns a type into its gold relation path and raises
    KeyError for a type that it does not know.
    """

    def __init__(self, name: str, path_of: Callable[[str], RelationPath]) -> None:
        self.name = name
        self.path_of = path_of

    def read(self, path: Path, *, split: str, variant: str, question_hops: Sequence[int]) -> Dataset:
        """See `DatasetReader.read`."""
        if not path.is_dir():
            raise DataError("no such folder" if not path.exists() else "not a folder", file=str(path))
        present = available(path)
        if not present:
            raise DataError("no questions here; expected N-hop/VARIANT/qa_SPLIT.txt below this folder", file=str(path))
        every = sorted({hops for hops, kind, part in present if (kind, part) == (variant, split)})
        wanted = sorted(set(question_hops)) or every
        if not wanted:
            raise self._missing(path, present, f"split {split!r}, variant {variant!r}")
        parts: dict[int | None, tuple[Question, ...]] = {}
        for hops in wanted:
            if (hops, variant, split) not in present:
                raise self._missing(path, present, f"{hops}-hop/{variant}/qa_{split}.txt")
            parts[hops] = tuple(self._part(path, hops, split, variant))
        return Dataset(self.name, split, variant, parts)

    def _missing(self, path: Path, present: Sequence[tuple[int, str, str]], what: str) -> DataError:
        there = ", ".join(f"{hops}-hop/{variant}/qa_{split}.txt" for hops, variant, split in present)
        return DataError(
            f"no {what} here; there are: {there}",
            file=str(path),
            hint="Choose among these with --split, --variant and --question-hops.",
        )

    def _part(self, path: Path, hops: int, split: str, variant: str) -> Iterator[Question]:
        file = path / f"{hops}-hop" / variant / f"qa_{split}.txt"
        type_file = path / f"{hops}-hop" / f"qa_{split}_qtype.txt"
        lines = read_lines(file)
        types = read_lines(type_file) if type_file.exists() else [""] * len(lines)
        if len(types) != len(lines):
            raise DataError(
                f"{len(types)} question types for {len(lines)} questions of {file}; expected one a line",
                file=str(type_file),
            )
        if not lines:
            raise DataError("the file is empty; expected a question a line", file=str(file))
        for number, (line, kind) in enumerate(zip(lines, types, strict=True), start=1):
            text, answers = split_line(line, file, number)
            yield Question(
                # The variant is left out on purpose: a paraphrase keeps the identifier of its original, so
                # that one seed draws the same questions in both and runs on them can be compared.
                id=f"{split}/{hops}-hop/{number}",
                text=text,
                answers=answers,
                entities=bracketed(text),
                hops=hops,
                type=kind,
                path=self._gold_path(kind, type_file, number),
            )

    def _gold_path(self, kind: str, file: Path, line: int) -> RelationPath | None:
        if not kind:
            return None
        try:
            return self.path_of(kind)
        except KeyError:
            raise DataError(
                f"unknown question type {kind!r}: no relation path is known for it", file=str(file), line=line
            ) from None


def available(path: Path) -> list[tuple[int, str, str]]:
    """(hops, variant, split) of every question file below `path`, sorted."""
    found = []
    for file in path.glob("*-hop/*/qa_*.txt"):
        hops = re.fullmatch(r"(\d+)-hop", file.parent.parent.name)
        if hops:
            found.append((int(hops[1]), file.parent.name, file.stem.removeprefix("qa_")))
    return sorted(found)


class MetaqaQuestions(HopFolder):
    """The reader that `kgneo eval metaqa DIR` uses."""

    def __init__(self) -> None:
        super().__init__("metaqa", gold_path)
