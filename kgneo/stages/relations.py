"""Relations: which relations to follow from where the work on a question has come to, chosen by the model.

Comes in: the entities at hand (a frontier) and a question. The relations that leave them are offered to the model, one
a line with its wording and the number of its triples (KnowledgeNavigator section 3.2, IR-LLM section 3.1). What the
model names is checked against the offer; a name that is not in it goes back to the model with the nearest that are, a
bounded number of times. `vote` counts what several wordings of a question chose. Goes out: hops, or that none leads on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from kgneo.context import Context
from kgneo.encoders.encoder import Encoder
from kgneo.english.names import hop_wording
from kgneo.errors import ContextOverflow
from kgneo.graph.walks import counted_hops
from kgneo.model import Hop
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.reached import Reached
from kgneo.text import fold, listed
from kgneo.unit_vectors import unit

PARAMETERS = replace(TABLE_2, max_tokens=96, temperature=0.0)
OFFER_TOKENS = 1_500
"""Tokens of relations in one prompt at most; beyond, those nearest to the question are offered."""
NONE = "none"
NEAREST = 3
"""Names that are given back with one that does not exist."""
SHOWN = 8
"""Entities at hand that a prompt names."""

_SEPARATOR = re.compile(r"[;,|]")
_MARKS = re.compile(r"^\s*(?:[-*•]\s+|\(?\d{1,3}[.)]\s+)")
_EDGES = " .\"'`“”‘’[]()"


@dataclass(frozen=True, slots=True)
class Offer:
    """A hop that leaves the entities at hand, with the number of its triples."""

    hop: Hop
    triples: int
    wording: str

    @property
    def name(self) -> str:
        """What the model calls it: the relation, with "^" where it is walked from object to subject."""
        return str(self.hop)

    @property
    def line(self) -> str:
        """As a prompt shows it."""
        return f"{one_line(self.name)}: {one_line(self.wording)} ({self.triples})"


@dataclass(frozen=True, slots=True)
class Choice:
    """The hops that were chosen, best first. `stop`: the model said that none leads on. Neither: nothing that it named
    was there. `votes` has the weight of each hop, where several wordings were asked for."""

    hops: tuple[Hop, ...] = ()
    stop: bool = False
    votes: tuple[float, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask: at most `keep` relations a reply, `retries` after a name that is not there, and what else the model
    is told (`notes`, lines of text; `examples` are added at the first attempt, or after a failure). Without `may_stop`,
    a model that keeps to a grammar cannot say that none leads on."""

    keep: int = 1
    retries: int = 2
    notes: str = ""
    examples: str = ""
    examples_at_once: bool = False
    may_stop: bool = True


def offered(frontier: Sequence[Reached], context: Context) -> tuple[Offer, ...]:
    """The relations that leave the entities of `frontier`, those of most triples first; values lead nowhere."""
    ids = [entity.id for entity in frontier if not entity.value]
    if not ids:
        return ()
    counts = counted_hops(context.knowledge, ids, direction=context.options.direction)
    names = context.record.statistics.readable_names
    offers = [Offer(hop, triples, hop_wording(hop, "X", names=names)) for hop, triples in counts.items()]
    return tuple(sorted(offers, key=lambda offer: (-offer.triples, offer.name)))


def nearest_offers(question: str, offers: Sequence[Offer], encoder: Encoder) -> list[Offer]:
    """The offers, those whose wordings are most like the question first."""
    scores = similarities(question, [offer.wording for offer in offers], encoder)
    return [offers[index] for index in np.argsort(-scores, kind="stable")]


def similarities(question: str, texts: Sequence[str], encoder: Encoder) -> NDArray[np.float32]:
    """How like the question each of `texts` is: the cosine, -1..1."""
    vectors = unit(np.asarray(encoder.encode([question, *texts]), dtype=np.float32))
    found: NDArray[np.float32] = vectors[1:] @ vectors[0]
    return found


def choose(
    question: str,
    frontier: Sequence[Reached],
    offers: Sequence[Offer],
    calls: ModelCalls,
    encoder: Encoder,
    asking: Asking,
) -> Choice:
    """Ask the model which of `offers` to follow for `question`. Raises ModelError."""
    if not offers:
        return Choice(stop=True)
    feedback, unknown = "", list[str]()
    for attempt in range(asking.retries + 1):
        shown = _fitting(question, offers, calls, encoder)
        notes = [asking.notes, feedback]
        if asking.examples and (asking.examples_at_once or attempt):
            notes.insert(0, asking.examples)
        variables = {
            "question": one_line(question),
            "entities": _listed(frontier),
            "offers": "\n".join(offer.line for offer in shown),
            "count": str(asking.keep),
            "notes": "".join(f"{note}\n" for note in notes if note),
        }
        try:
            parameters = replace(PARAMETERS, grammar=_grammar(shown, asking))
            reply = calls.complete("relations", parameters, None, **variables).text
        except ContextOverflow as error:
            calls.warn(f"The model was not asked for a relation: {error.message}.")
            return Choice(unknown=tuple(unknown))
        choice = read_choice(reply, offers, keep=asking.keep)
        if choice.hops or choice.stop:
            return replace(choice, unknown=tuple(unknown))
        unknown += choice.unknown
        feedback = _feedback(choice.unknown, offers)
    calls.warn(f"The model named no relation that is there: {', '.join(dict.fromkeys(unknown)) or 'an empty reply'}.")
    return Choice(unknown=tuple(unknown))


def vote(choices: Sequence[tuple[Choice, float]], *, keep: int) -> Choice:
    """The `keep` relations of most weight over the choices for several wordings of a question, each with its weight
    (KnowledgeNavigator equations 3 and 4). A choice of none weighs against them; of equal weights the first wins."""
    votes: Counter[Hop] = Counter()
    stop = 0.0
    for choice, weight in choices:
        stop += weight * choice.stop
        votes.update(dict.fromkeys(choice.hops, weight))
    best = votes.most_common(keep)
    if not best or stop > best[0][1]:
        return Choice(stop=stop > 0, unknown=tuple(name for choice, _ in choices for name in choice.unknown))
    return Choice(tuple(hop for hop, _ in best), votes=tuple(weight for _, weight in best))


def read_choice(reply: str, offers: Sequence[Offer], *, keep: int) -> Choice:
    """What a reply names of `offers`, one a line or separated by signs; names that are not there as `unknown`.

    A name counts without regard to case and underscores, and without its "^" where only one direction is there.
    """
    exact = {_key(offer.name): offer.hop for offer in reversed(offers)}
    plain = {_key(offer.hop.relation): offer.hop for offer in reversed(offers) if not offer.hop.forward}
    plain |= {_key(offer.hop.relation): offer.hop for offer in reversed(offers) if offer.hop.forward}

    def find(text: str) -> Hop | None:
        whole = _MARKS.sub("", text).strip(_EDGES)
        keys = [_key(name) for name in (whole, whole.split(":")[0].strip(_EDGES))]
        return next((hop for key in keys if (hop := exact.get(key) or plain.get(key.lstrip("^")))), None)

    found: dict[Hop, None] = {}
    unknown: list[str] = []
    for line in reply.splitlines():
        for piece in [line] if find(line) else _SEPARATOR.split(line):
            hop = find(piece)
            if hop is not None:
                found[hop] = None
            elif any(char.isalnum() for char in piece):
                unknown.append(_MARKS.sub("", piece).strip(_EDGES))
    if found:
        return Choice(tuple(found)[:keep])
    if any(_key(name) == NONE for name in unknown):
        return Choice(stop=True)
    return Choice(unknown=tuple(unknown))


def _key(name: str) -> str:
    return fold(name.replace("_", " ")).strip()


def _feedback(unknown: Sequence[str], offers: Sequence[Offer]) -> str:
    """What the model is told about names that are not there."""
    if not unknown:
        return f"Your last reply named no relation. Name one of the list, or {NONE}."
    names = [one_line(offer.name) for offer in offers]
    lines = []
    for name in dict.fromkeys(unknown[:NEAREST]):
        nearest = [found for found, _, _ in process.extract(name, names, scorer=fuzz.ratio, limit=NEAREST)]
        lines.append(f"There is no relation {one_line(name)[:80]!r} in the list. The nearest: {', '.join(nearest)}.")
    return "\n".join(lines)


def _fitting(question: str, offers: Sequence[Offer], calls: ModelCalls, encoder: Encoder) -> Sequence[Offer]:
    """The offers, those most like the question first; where not all fit into the prompt, these alone. A small model
    tends to take what stands first."""
    room = calls.room("relations", PARAMETERS, question=question)
    tokens = OFFER_TOKENS if room is None else min(OFFER_TOKENS, room // 2)
    shown = nearest_offers(question, offers, encoder)
    while len(shown) > 1 and _cost(shown, calls) > tokens:
        shown = shown[: len(shown) * 3 // 4]
    if len(shown) < len(offers):
        left_out = len(offers) - len(shown)
        calls.warn(f"{left_out} of {len(offers)} relations were not offered: they do not fit the prompt.")
    return shown


def _cost(offers: Sequence[Offer], calls: ModelCalls) -> int:
    return calls.model.count_tokens("\n".join(offer.line for offer in offers))


def _listed(frontier: Sequence[Reached]) -> str:
    return listed([one_line(entity.name) for entity in frontier], shown=SHOWN, between="; ")


def _grammar(offers: Sequence[Offer], asking: Asking) -> str:
    """At most `keep` of the offered names, one a line, or none where that may be."""
    names = " | ".join(_literal(one_line(offer.name)) for offer in offers)
    more = ' ("\\n" name)?' * (asking.keep - 1)
    none = f'"{NONE}" | ' if asking.may_stop else ""
    return f"root ::= {none}name{more}\nname ::= {names}\n"


def _literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
