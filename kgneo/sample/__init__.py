"""A small graph of rivers, mountains, cities, countries and languages, with questions of 1 to 3 hops.

The demo and the tests use it: `triples.tsv` (subject, relation, object and their labels), `notes.tsv` (what travellers
say of some of these places, as triples, too) and `questions.jsonl`; README.md in this folder describes them.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

__all__ = ["notes_path", "questions_path", "triples_path"]


def triples_path() -> Path:
    """Path of the triples: tab-separated with a header, UTF-8."""
    return Path(str(files(__name__) / "triples.tsv"))


def notes_path() -> Path:
    """Path of the travellers' notes: triples as in `triples_path`, whose objects are texts of some sentences."""
    return Path(str(files(__name__) / "notes.tsv"))


def questions_path() -> Path:
    """Path of the questions: one JSON object a line with question, answers, entities, hops and path."""
    return Path(str(files(__name__) / "questions.jsonl"))
