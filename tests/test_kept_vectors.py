"""Vectors of a graph's own texts, kept in a file from one process to the next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kgneo.ranking import kept
from kgneo.ranking.kept import KeptVectors
from kgneo.ranking.kinds import Vectors
from kgneo.ranking.vectors import RankingCache

TEXTS = ("directed by", "film", "Ågot's “Tide”\n")


class Counting:
    """An encoder that remembers what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.given += texts
        return np.array([[len(text), ord(text[0]), 1.0] for text in texts], dtype=np.float32)


def test_what_one_process_encoded_the_next_one_does_not(tmp_path: Path) -> None:
    file = tmp_path / "graph" / "texts.sqlite"
    first = KeptVectors(Counting(), file).encode(TEXTS)
    later = Counting()
    assert np.array_equal(KeptVectors(later, file).encode((*TEXTS, TEXTS[0])), first[[0, 1, 2, 0]])
    assert later.given == []


def test_what_is_new_alone_is_encoded(tmp_path: Path) -> None:
    file = tmp_path / "texts.sqlite"
    KeptVectors(Counting(), file).encode(TEXTS[:2])
    later = Counting()
    KeptVectors(later, file).encode(TEXTS)
    assert later.given == [TEXTS[2]]


@pytest.mark.parametrize("damage", [b"", b"no database at all " * 100])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "texts.sqlite"
    file.write_bytes(damage)
    KeptVectors(Counting(), file).encode(TEXTS)
    again = Counting()
    KeptVectors(again, file).encode(TEXTS)
    assert again.given == []


def test_a_file_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a file").touch()
    assert len(KeptVectors(Counting(), tmp_path / "a file" / "texts.sqlite").encode(TEXTS)) == len(TEXTS)


def test_a_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 2)
    file = tmp_path / "texts.sqlite"
    assert len(KeptVectors(Counting(), file).encode(TEXTS)) == len(TEXTS)
    assert not file.exists()


def test_words_of_questions_are_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "texts.sqlite"
    cache = RankingCache(Counting(), file)
    cache.vectors(["whom", "salary"])
    cache.of_graph(["paid by"])
    later = Counting()
    KeptVectors(later, file).encode(["salary", "paid by"])
    assert later.given == ["salary"]
