"""MetaQA's questions: its folder layout, and what its question types mean as paths through its graph.

A type such as `movie_to_director_to_movie` names the kinds of entity on the way; each pair of neighbours is
one relationship, followed forward where the first is the film, and back otherwise.
"""

from __future__ import annotations

from kgneo.evaluation.datasets import HopFolder
from kgneo.model import Hop, RelationPath

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


class MetaqaQuestions(HopFolder):
    """The reader that `kgneo eval metaqa DIR` uses."""

    def __init__(self) -> None:
        super().__init__("metaqa", gold_path)
