"""What labelled questions mean: the entity that they are about, and the relation path that leads to their answers.

Comes in: questions as `kgneo learn` and `kgneo eval` read them. A gold path that a question brings is taken where it
leads to one of its answers; of the others, the path is found by trying (`kgneo.learning.paths.understood`). Questions
about several things, and those that this graph does not answer, are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.graph.path_answers import Wanted, answers_of
from kgneo.learning.paths import understood
from kgneo.model import RelationPath
from kgneo.questions import Question
from kgneo.stages.choose_reading import paths_of
from kgneo.stages.link import LinkedQuestion, link

__all__ = ["Labelled", "labelled"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question about one entity, with the path that it means."""

    question: Question
    linked: LinkedQuestion
    path: RelationPath


def labelled(context: Context, questions: Sequence[Question]) -> list[Labelled]:
    """Those of the questions that the graph answers along a relation path from one entity. Raises GraphError."""
    told = [item for item in questions if item.path is not None]
    found = [meant for item in told if (meant := _told(context, item)) is not None]
    rest = [item for item in questions if item.path is None]
    found += [Labelled(item, row.linked, row.path) for item, row in (understood(context, rest) if rest else ())]
    return [item for item in found if len(item.linked.topics) == 1]


def _told(context: Context, question: Question) -> Labelled | None:
    """The question with its own path, where that leads from its entity to one of its answers."""
    try:
        linked = link(context.knowledge, question.text, entities=question.entities)
    except KgneoError:
        return None
    ((_, paths),) = paths_of(context, [linked])
    path = next((path for path in paths if str(path) == str(question.path)), None)
    if path is None:
        return None
    (given,) = answers_of(context.knowledge, path, [Wanted(linked.entity_ids, frozenset(question.gold))])
    return Labelled(question, linked, path) if given.right else None
