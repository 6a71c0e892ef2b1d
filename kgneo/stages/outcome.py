"""Outcome: what came of a question is an answer, a choice, not in the graph, or not understood.

Comes in: an answer with its confidence, the readings that were tried, and what was heard of the question. Goes out:
the answer with its outcome, in words. Where a reading is likely enough it is the answer. Else it is told what of the
question the graph has nothing for (a name, a word that is like nothing in its schema), or which readings the user may
choose among, or that nothing was understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.defaults import MIN_CONFIDENCE
from kgneo.english.names import name_words, plural
from kgneo.errors import EntityNotFound
from kgneo.model import Answer, Outcome
from kgneo.reading.heard import Heard
from kgneo.stages.ground import says_nothing
from kgneo.stages.interpret import lessons_of, reading
from kgneo.stages.try_readings import Tried, choices_of
from kgneo.stages.unused import unaccounted, unmeant

NO_ANSWER = "not found"
"""Text of an answer that is not given."""
CLEAR = 0.3
"""Confidence from which an answer is given though other readings find something else, or a word of the question is like
nothing in the graph."""
KNOWN = 0.6
"""The same where the noun for what is asked for hardly means anything that the graph has."""
OF_TRIPLES = 0.12
"""Takes its place for such words over plain triples, of whose paths the confidence is modest: what is right lies mostly
above, what has no answer below."""
MODEST = 0.05
"""Takes the place of the usual least confidence where names are marked, and over plain triples: what ranking relation
paths finds there is more often right than it says."""
OF_LEARNED = 0.15
"""The same where questions were learned: few lessons make no answer sure."""
CLOSE = 0.2
"""Points of score within which another reading may as well be meant."""
MOST_CHOICES = 3
LONGEST_SAID = 120
"""Characters of what a model said that are told."""
_OWN_WORDS = re.compile(r"(?:yes|no)\b|[\W_]*\d", re.IGNORECASE)
TOLD = 6
"""Relations, properties or kinds by which it is told what the graph knows."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """`least` is the confidence below which nothing is answered; `choices` says whether the user may be asked."""

    least: float
    choices: bool = True


def least_of(context: Context, question: str, entities: Sequence[str]) -> float:
    """The confidence below which nothing is answered: what the options say, if they say anything else than usual."""
    least = context.options.min_confidence
    if least != MIN_CONFIDENCE:
        return least
    if entities or "[" in question or context.shape.loaded:
        return MODEST
    return OF_LEARNED if lessons_of(context) else least


def concluded(context: Context, answer: Answer, tried: Sequence[Tried], heard: Heard | None, bounds: Bounds) -> Answer:
    """The answer with its outcome."""
    confidence = 1.0 if answer.confidence is None else answer.confidence
    given = answer.answer != NO_ANSWER and confidence >= bounds.least
    tied = _tied(answer, tried) if given and bounds.choices else []
    if len(tied) > 1:
        return _choice(context, answer, tied)
    doubted = confidence < KNOWN and context.model is None  # a model knows other words
    unknown = unmeant(heard) if heard and doubted else ()
    if given and confidence >= CLEAR and not unknown:
        return answer
    missing = tuple(dict.fromkeys((*unknown, *unaccounted(heard)))) if heard else ()
    if missing and not (given and context.shape.loaded and confidence >= OF_TRIPLES):
        return _not_in_graph(context, answer, missing, heard)
    if answer.answer == NO_ANSWER and answer.steps:
        told = f"Nothing in the graph fits: {answer.steps[0].question}."
        return replace(_without(answer, "not_in_graph", told), unused=answer.unused)
    if not given:
        return answer if answer.outcome == "not_understood" else withheld(answer)
    close = _close(answer, tried) if bounds.choices else []
    return _choice(context, answer, close) if len(close) > 1 else answer


def unknown_names(question: str, strategy: str, error: EntityNotFound) -> Answer:
    """What came of a question with names that the graph does not have, or that names nothing."""
    nearest = f" Names in the graph that are like it: {', '.join(error.nearest)}." if error.nearest else ""
    told = Answer(question, strategy, NO_ANSWER, confidence=0.0, nearest=error.nearest, missing=error.names)
    if not error.names:
        return replace(
            told, outcome="not_understood", message=f"Nothing of the question was found in the graph.{nearest}"
        )
    return replace(told, outcome="not_in_graph", message=f"The graph has no {_quoted(error.names, ' or ')}.{nearest}")


def _close(answer: Answer, tried: Sequence[Tried]) -> list[Tried]:
    """The reading that answers, with those that are about as likely and find something else."""
    first = next((item for item in tried if _finds(item, answer)), None)
    if first is None:
        return []
    others = [item for item in tried if item is not first and not item.ran.result.empty]
    others = [item for item in others if not _finds(item, answer) and item.offered.score >= first.offered.score - CLOSE]
    return [first, *others][:MOST_CHOICES]


def _tied(answer: Answer, tried: Sequence[Tried]) -> list[Tried]:
    """The reading that answers, where no word tells it from others that find something else, with these."""
    close = _close(answer, tried)
    return [item for item in close if item.offered.decided < 1 and item.offered.decided == close[0].offered.decided]


def _finds(tried: Tried, answer: Answer) -> bool:
    return tried.ran.result.answers == answer.answers


def _choice(context: Context, answer: Answer, close: Sequence[Tried]) -> Answer:
    choices = choices_of(answer.question, answer.strategy, close, limit=context.options.limit)
    lines = [f"{number}. {item.told}" for number, item in enumerate(close, start=1)]
    return replace(_without(answer, "choice", "The question may mean:\n" + "\n".join(lines)), choices=choices)


def withheld(answer: Answer) -> Answer:
    """An answer that is not likely enough to be given: what is left of it are its readings."""
    nearest = [item.text for item in answer.readings if item.text]
    listed = "; ".join(nearest)
    told = f"The question was not understood. The nearest readings: {listed}." if nearest else ""
    return _without(answer, "not_understood", told or "The question was not understood.")


def ungrounded(answer: Answer) -> Answer:
    """No answer, where none of the triples that a model was shown holds anything of what it answered. A number, and a
    yes or no, are in no triple, and are left with their warning."""
    said = answer.answer.strip()
    if answer.answers or answer.grounded or says_nothing(said) or _OWN_WORDS.match(said):
        return answer
    short = said if len(said) <= LONGEST_SAID else f"{said[:LONGEST_SAID]}…"
    told = f"The model answered “{short}”, which no triple that it was shown holds."
    return replace(answer, answer=NO_ANSWER, outcome="not_in_graph", message=told)


def _not_in_graph(context: Context, answer: Answer, missing: Sequence[str], heard: Heard | None) -> Answer:
    told = f"The graph has nothing about {_quoted(missing, ' and ')}. {_knows(context, heard)}".strip()
    return replace(_without(answer, "not_in_graph", told), missing=tuple(missing))


def _without(answer: Answer, outcome: Outcome, message: str) -> Answer:
    """What is left of an answer that is not given: its readings, its confidence and its cost."""
    return replace(
        answer,
        query_graph=None,
        answer=NO_ANSWER,
        answers=(),
        more=0,
        steps=(),
        evidence=(),
        cypher=None,
        cypher_parameters={},
        picture=None,
        answer_nodes=(),
        table=None,
        grounded=False,
        outcome=outcome,
        message=message,
    )


def _knows(context: Context, heard: Heard | None) -> str:
    """What the graph knows about the first thing that a question names, or of which kinds of things it knows."""
    known = reading(context)
    if heard is None or known is None:
        return ""
    vocabulary = heard.fits.vocabulary
    named = next((item for item in heard.values if item.meanings[0].owner in vocabulary.labels), None)
    if named is None:
        kinds = [plural(" ".join(name_words(vocabulary.readable(label)))) for label in _frequent(vocabulary.labels)]
        return f"It knows of {', '.join(kinds)}." if kinds else ""
    owner = named.meanings[0].owner
    keys = [" ".join(name_words(key.name or key.key)) for key in vocabulary.keys_of(owner)]
    steps = [vocabulary.readable(step.relation) for step in vocabulary.leaving.get(owner, ())]
    told = list(dict.fromkeys([*keys, *(" ".join(name_words(relation)) for relation in steps)]))[:TOLD]
    return f"About {heard.words_of(named)} it knows: {', '.join(told)}." if told else ""


def _frequent(labels: dict[str, int]) -> list[str]:
    return sorted(labels, key=lambda label: -labels[label])[:TOLD]


def _quoted(words: Sequence[str], joint: str) -> str:
    return joint.join(f"“{word}”" for word in words)
