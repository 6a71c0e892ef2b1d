"""Same kind: a question that somebody verified, in other words or with other values.

Comes in: a question, and the verified questions of the graph's terms. Goes out: the query graph of the verified one
with this question's values (`kgneo.reading.slots`), and the probability that this is what is asked, by a logistic model
over signs that name no word and no graph; its weights are fitted on pairs of questions about many graphs
(`python -m benchmarks.teaching --fit`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kgneo.context import Context
from kgneo.english.names import singular
from kgneo.english.words import FUNCTION_WORDS
from kgneo.query.graph import QueryGraph
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import SURE, Mention
from kgneo.reading.read import Interpretation
from kgneo.reading.signs import of_form
from kgneo.reading.slots import Refilled, refilled
from kgneo.stages.interpret import is_shown
from kgneo.stages.ranking import ranking, unit_vectors
from kgneo.stages.unused import hear, unused_words

if TYPE_CHECKING:
    from kgneo.terms.file import VerifiedQuestion

MEMORY = "verified questions"
NEAREST = 8
"""Verified questions, those most like a new one, that are held against it."""
FARTHEST = 0.35
"""Likeness of two whole questions below which they are not compared."""
ABOUT = 0.1
"""Points within which two meanings of a word are about as good."""
MOST = 3
"""Words beyond which it makes no difference how many more they are."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells whether two questions ask the same of different values: how like their texts are without these for
    the encoder; the share of the telling words of the verified one that the new one has; how many words of the new one
    only it has, and the query graph says nothing of; in how many points its form (a number, an extreme, a denial)
    agrees less with the query graph; how many of its values that has no place for; how many names of the schema, and
    words that surely name something there, only the new one has, and the query graph does not; how many names of the
    schema only the verified one has; how many telling words the verified one has more, and how many the new one, where
    it has all those of the other; and whether both begin with the same name of the schema."""

    like: float
    kept: float
    new: float
    form: float
    left: float
    swapped: float
    foreign: float
    lost: float
    dropped: float
    added: float
    first: float


WEIGHTS = Signs(
    like=3.95,
    kept=0.43,
    new=-1.47,
    form=-5.47,
    left=-1.16,
    swapped=-1.09,
    foreign=-2.25,
    lost=-1.6,
    dropped=-0.07,
    added=-0.79,
    first=0.95,
)
CONSTANT = -1.87


def probability(found: Signs, weights: Signs = WEIGHTS, constant: float = CONSTANT) -> float:
    """0 to 1."""
    total = constant + sum(weight * sign for weight, sign in zip(astuple(weights), astuple(found), strict=True))
    return 1.0 / (1.0 + math.exp(-total))


@dataclass
class _Known:
    """What is kept of verified questions by their text: what was heard of them, and whether their query graphs speak of
    what is shown; and the vectors of those that were looked at last. Those of all are in the graph's cache."""

    heard: dict[str, Heard | None] = field(default_factory=dict)
    shown: dict[tuple[str, QueryGraph], bool] = field(default_factory=dict)
    last: tuple[Sequence[str], NDArray[np.float32]] | None = None

    def matrix(self, context: Context, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, one a row."""
        if self.last is None or self.last[0] != texts:
            self.last = (texts, np.asarray(ranking(context)[0].of_graph(texts), dtype=np.float32))
        return self.last[1]

    def hear(self, context: Context, text: str) -> Heard | None:
        """What is heard of a verified question."""
        if text not in self.heard:
            self.heard[text] = hear(context, text)
        return self.heard[text]

    def are_shown(self, context: Context, item: VerifiedQuestion) -> bool:
        """Whether it speaks of nothing that is left out of the graph."""
        key = (item.question, item.graph)
        if key not in self.shown:
            self.shown[key] = is_shown(context, item.graph)
        return self.shown[key]


@dataclass(frozen=True, slots=True)
class OfKind:
    """A verified question of which a new one may be another, its query graph for the new one, and the signs."""

    question: str
    graph: QueryGraph
    signs: Signs


def of_verified_kind(context: Context, question: str, verified: Sequence[VerifiedQuestion]) -> Interpretation | None:
    """The likeliest reading of a question by those that somebody verified; None where it is like none of them."""
    found = max(compared(context, question, verified), key=lambda item: probability(item.signs), default=None)
    if found is None:
        return None
    return Interpretation(found.graph, 0.0, likely=probability(found.signs), names=context.shape.names)


def compared(context: Context, question: str, verified: Sequence[VerifiedQuestion]) -> Iterator[OfKind]:
    """The verified questions that are most like a new one, as far as its values fit them."""
    near = _nearest(context, question, verified)
    asked = hear(context, question) if near else None
    if asked is None:
        return
    known = _known(context)
    heard = [(item, own) for item in near if (own := known.hear(context, item.question)) is not None]
    pairs = [(item, own, refilled(item.graph, own, asked)) for item, own in heard]
    fitting = [(item, own, found) for item, own, found in pairs if found is not None]
    texts = [" ".join(words) for _, _, found in fitting for words in (found.known, found.asked)]
    vectors = unit_vectors(context, texts) if texts else np.zeros((0, 1), dtype=np.float32)
    for number, (item, own, found) in enumerate(fitting):
        like = float(vectors[2 * number] @ vectors[2 * number + 1])
        yield OfKind(item.question, found.graph, _signs(found, own, asked, like))


def _nearest(context: Context, question: str, verified: Sequence[VerifiedQuestion]) -> list[VerifiedQuestion]:
    if not verified:
        return []
    known = _known(context)
    likeness = known.matrix(context, tuple(item.question for item in verified)) @ unit_vectors(context, [question])[0]
    near = (verified[place] for place in np.argsort(-likeness, kind="stable") if likeness[place] >= FARTHEST)
    return list(islice((item for item in near if known.are_shown(context, item)), NEAREST))


def _known(context: Context) -> _Known:
    kept = context.memory.setdefault(MEMORY, _Known())
    assert isinstance(kept, _Known)
    return kept


def _signs(found: Refilled, known: Heard, asked: Heard, like: float) -> Signs:
    one, other = _telling(found.known), _telling(found.asked)
    unsaid = {singular(word.lower()) for word in unused_words(asked, found.graph)} - one
    before, now = of_form(known.text, found.graph), of_form(asked.text, found.graph)
    less = sum(now[name] > before[name] for name in now if name != "words")
    ours, theirs = _schema(known), _schema(asked)
    spoken = {*(name for names in ours for name in names), *_spoken(found.graph)}
    new = [word for word in found.asked if word not in FUNCTION_WORDS and singular(word) not in one]
    return Signs(
        like=like,
        kept=len(one & other) / max(len(one), 1),
        new=min(len(unsaid & other), MOST) / MOST,
        form=min(less, MOST) / MOST,
        left=min(found.left, MOST) / MOST,
        swapped=min(sum(not names & spoken for names in theirs), MOST) / MOST,
        foreign=min(sum(_is_foreign(word, asked, spoken) for word in new), MOST) / MOST,
        lost=min(sum(not names & {name for own in theirs for name in own} for names in ours), MOST) / MOST,
        dropped=0.0 if other - one else min(len(one - other), MOST) / MOST,
        added=0.0 if one - other else min(len(other - one), MOST) / MOST,
        first=float(bool(ours and theirs and ours[0] & theirs[0])),
    )


Name = tuple[str, str]
"""A label, or a property with what has it, as in (Singer, name)."""


def _schema(heard: Heard) -> list[frozenset[Name]]:
    """The labels and properties that a question names, in its order, each with all that the words may mean."""
    mentions = [*heard.mentions, *heard.key_mentions]
    named = [(item.start, _names(item)) for item in sorted(mentions, key=lambda item: item.start)]
    return [names for _, names in named if names]


def _names(mention: Mention) -> frozenset[Name]:
    meanings = [item for item in mention.meanings if item.kind != "value"]
    best = max((item.score for item in meanings), default=0.0)
    return frozenset((item.owner, item.key.key if item.key else "") for item in meanings if item.score >= best - ABOUT)


def _spoken(graph: QueryGraph) -> Iterator[Name]:
    """The labels and properties that a query graph speaks of."""
    labels = {item.name: item.labels for item in graph.variables}
    labels |= {edge.name: edge.relations for edge in graph.edges if edge.name}
    yield from ((label, "") for item in graph.variables for label in item.labels)
    yield from ((label, value.key) for value in graph.values() for label in labels.get(value.of, ()))


def _is_foreign(word: str, heard: Heard, spoken: Collection[Name]) -> bool:
    """Whether a word surely names something in the schema, and nothing that was spoken of."""
    named = {(label, "") for label, fit in heard.fits.label(word).items() if fit >= SURE}
    named |= {(key.owner, key.key) for key, fit in heard.fits.key(word).items() if fit >= SURE}
    return bool(named) and not named & {*spoken}


def _telling(words: Sequence[str]) -> set[str]:
    return {singular(word) for word in words if word not in FUNCTION_WORDS}
