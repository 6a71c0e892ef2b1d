"""The constants by which relation paths are ranked: the same for every graph, chosen on several at once."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of the ranking, the same for every graph."""

    hop: float = 0.18
    """What a step costs."""
    unnamed: float = 0.5
    """What a step costs in addition while no word names its relation."""
    node: float = 0.7
    """What a word for the kind of node is worth, against one for the relation."""
    topic: float = 0.3
    """The same for a word that names the kind of the topic entity."""
    repeated: float = 0.4
    """What a further word for the same is worth."""
    head: float = 1.2
    """Factor for the noun that names what is asked for."""
    other_side: float = 0.3
    """Factor where that noun names the relation's other end."""
    expected: float = 1.0
    """What it is worth that the last step reaches what is asked for."""
    theme: float = 1.2
    """What the similarity of the whole question to a path's relations is worth."""
    sentence: float = 3.0
    """What the similarity of the question to a path in words is worth, among the best paths."""
    kind_veto: float = 0.75
    """What a fit loses where a noun for a person, place or time meets a step that reaches none."""
    kind_match: float = 0.6
    """Fit of such a noun to a step that does, whatever its name."""
    shared: float = 0.9
    """Part of `unnamed` waived for a step back where the question speaks of sharing."""
    not_shared: float = 0.6
    """Cost of a path without a step back where the question speaks of sharing."""
    back: float = 0.5
    """Cost of a step back where it does not."""
    back_named: float = 0.8
    """Part of `unnamed` that a word for the node makes up in a step back."""
    skipped: float = 0.2
    """Cost of a step that no word speaks of, before one that a word does."""
    again: float = 0.5
    """Cost of a step that repeats an earlier one."""
    floor: float = 0.09
    ceiling: float = 0.3
    """Similarities, less those to common words, between which a fit grows from 0 to 1."""
    node_floor: float = 0.08
    node_ceiling: float = 0.28
    rivalry: float = 0.15
    """Similarity that a fit may lag behind the best one before it falls to a third."""
    root_rivals: float = 0.2
    """What is left of the other relations' fit where one shares the word's root."""
    node_rivals: float = 0.7
    """What a word for a kind of node takes from the relations' fit."""
    preposition: float = 0.6
    """What is left of the fit of a relation with the word's root and another preposition."""
    unmentioned: float = 0.3
    """What a relation with the word's root loses at most for words of its own that the question has not."""
    modified: float = 0.4
    """Cost of a relation that is another one with a word more, where the question has not that word."""
    role: float = 0.8
    """Trust in another relation's noun for nodes that it reaches, too ("authors" for people of any step)."""
    curve: float = 0.8
    """Exponent of every fit: below 1, weak signs count for more."""
    unlabelled: float = 0.9
    labelled: float = 0.4
    """Trust in sample names and neighbours for the kind of node, without and with labels."""


TEMPERATURE = 0.4
"""Difference of scores that makes a path e times as likely as another."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What tells whether the best path is right.

    `ahead`: logarithm of its odds against all others by their scores, within -4 and 4. `explained`: part of the
    question's units that it explains. `named`: part of its steps that a word speaks of. `expected`: how well its
    end fits what is asked for. `score`: its score.
    """

    ahead: float
    explained: float
    named: float
    expected: float
    score: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic regression from `Evidence` to the probability that the best path is right."""

    weights: Evidence
    constant: float

    def probability(self, evidence: Evidence) -> float:
        """0 to 1."""
        products = zip(astuple(self.weights), astuple(evidence), strict=True)
        total = self.constant + sum(weight * value for weight, value in products)
        return 1.0 / (1.0 + math.exp(-total))


CALIBRATION = Calibration(
    weights=Evidence(ahead=0.35, explained=0.73, named=0.38, expected=-0.05, score=0.89), constant=-2.35
)
"""Fitted on the hand-made graphs and on questions that they cannot answer (`benchmarks.calibration --fit`)."""
