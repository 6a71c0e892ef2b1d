"""Verify: the verdict on a claim.

Over a graph with labels a claim is read as a question is, and held against the graph as a query graph
(`kgneo.verification.queried`). Over plain triples, and where it is not read so and its names are marked, in this order:
the things that the claim names are found, its sentence is cut into statements, these into parts, each part is checked
against the graph, and the verdicts are put together. Where "the director of X" cannot be held as a thing of its own,
the sentence is read once more without such things.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgneo.context import Clock, Context
from kgneo.english.claims import asks, parse_claim, plain_claim
from kgneo.errors import EntityNotFound, UsageError
from kgneo.stages.interpret import reading
from kgneo.stages.link import readings, unbracket
from kgneo.text import fold
from kgneo.verification.check import check_part
from kgneo.verification.named import NamedClaim, named_claim, place, same_value
from kgneo.verification.parts import Part, parts_of
from kgneo.verification.queried import checked_as_query
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED, CheckedPart, Verification, denied, together

UNSURE = 0.2
"""Confidence below which a verdict comes with a warning."""
UNREAD_CONFIDENCE = 0.6
"""Confidence that a claim which is not read is open."""
UNREAD = "The claim is not read: its words say more than the graph has names for."


def verified(context: Context, claim: str, *, entities: Sequence[str] = (), closed: bool = False) -> Verification:
    """The verdict on `claim`, without a language model; see `kgneo.verify`."""
    if context.shape.loaded or reading(context) is None:
        return _by_steps(context, claim, entities, closed=closed)
    clock = Clock()
    text, mentions = unbracket(claim)
    names = list(dict.fromkeys([*entities, *(mention.text for mention in mentions)]))
    refuse_question(text, [(start, end) for start, end, _ in place(text, names)])
    with clock.stage("link"):
        for name in names:
            _check_known(context, name)
    plain, turned = plain_claim(text)
    with clock.stage("check"):
        parts = checked_as_query(context, plain, names)
    if not parts and names:
        return _by_steps(context, claim, entities, closed=closed)
    parts = parts or (CheckedPart(plain, OPEN, UNREAD_CONFIDENCE, UNREAD),)
    if closed:
        parts = tuple(_closed(part) for part in parts)
    warnings = [f"{name!r} was given and is not in the claim." for name in names if not place(text, [name])]
    return _together(claim, parts, names, warnings, clock, turned=turned)


def _check_known(context: Context, name: str) -> None:
    """Nothing for a name that the graph has, of a node or as a value. Raises EntityNotFound with the nearest names."""
    known = reading(context)
    if known is None or not known.dictionary.lookup([fold(name)]):
        readings(context.knowledge, name, entities=[name])


def _closed(part: CheckedPart) -> CheckedPart:
    """The part, where what the graph does not hold is false."""
    if part.verdict != OPEN:
        return part
    return replace(part, verdict=REFUTED, explanation=f"{part.explanation} The graph is taken to be complete.")


def _together(
    claim: str, parts: tuple[CheckedPart, ...], names: Sequence[str], warnings: list[str], clock: Clock, *, turned: bool
) -> Verification:
    """The verdict on a claim by those on its parts; `turned`: it denies them."""
    verdict, confidence = together(parts)
    if turned:
        verdict = denied(verdict)
        if verdict == SUPPORTED and any(part.unknown for part in parts):  # as `contrary` has it for a part
            verdict, confidence = OPEN, confidence / 2
    if verdict != OPEN and confidence < UNSURE:
        warnings.append(f"This reading of the claim is unsure (confidence {confidence:.2f}).")
    return Verification(
        claim,
        verdict,
        confidence,
        _explanation(parts, turned=turned),
        tuple(dict.fromkeys(item for part in parts for item in part.evidence)),
        parts,
        tuple(names),
        tuple(warnings),
        timings_ms=clock.milliseconds,
    )


def _by_steps(context: Context, claim: str, entities: Sequence[str], *, closed: bool) -> Verification:
    """The verdict on a claim about plain triples: the things that it names and the steps between them."""
    clock = Clock()
    with clock.stage("link"):
        try:
            named = named_claim(context, claim, entities=entities)
        except EntityNotFound as error:
            if entities or "[" in claim:
                raise
            refuse_question(claim)
            return Verification(
                claim, OPEN, 0.0, error.message, warnings=(error.hint or "",), timings_ms=clock.milliseconds
            )
    refuse_question(named.text, [(start, end) for start, end, _ in named.places])
    with clock.stage("check"):
        parts, turned = _checked(context, named, closed=closed)
    warnings = [f"{named.things[number].text!r} was given and is not in the claim." for number in named.unplaced]
    warnings += [
        f"{thing.text!r} is taken for {thing.called!r}."
        for thing in named.things
        if thing.called and not same_value(thing.text, thing.called)
    ]
    names = [thing.text for thing in named.things if thing.ids]
    return _together(claim, parts, names, warnings, clock, turned=turned)


def refuse_question(text: str, spans: Sequence[tuple[int, int]] = ()) -> None:
    """Nothing for a claim. Raises UsageError for a question; names stand at `spans`."""
    if asks(text, spans):
        raise UsageError(
            f"This is a question, and no claim: {text!r}.",
            hint="Ask it as a question, or say as a sentence what is to be checked.",
        )


def claim_parts(named: NamedClaim, *, definite: bool = True) -> tuple[list[Part], bool]:
    """The parts of a claim, and whether it says that all of them together are false."""
    parsed = parse_claim(named.text, [(start, end) for start, end, _ in named.places], definite=definite)
    return parts_of(parsed, named), parsed.denied


def _checked(context: Context, named: NamedClaim, *, closed: bool) -> tuple[tuple[CheckedPart, ...], bool]:
    """The parts of a claim, checked, and whether it says that they are false: as it is read first, unless the other
    reading says more."""
    first, turned = claim_parts(named)
    checked = tuple(check_part(context, part, closed=closed) for part in first)
    if together(checked)[0] != SUPPORTED:
        second, _ = claim_parts(named, definite=False)
        if second != first:
            again = tuple(check_part(context, part, closed=closed) for part in second)
            if _says_more(again, checked):
                return again, turned
    return checked, turned


def _says_more(again: Sequence[CheckedPart], first: Sequence[CheckedPart]) -> bool:
    """Whether another reading is supported, or says anything where the first one is open, if only what is unknown."""
    found, before = together(again)[0], together(first)[0]
    unknown = any(part.unknown for part in again) and not any(part.unknown for part in first)
    return found == SUPPORTED or (before == OPEN and (found != OPEN or unknown))


def _explanation(parts: Sequence[CheckedPart], *, turned: bool) -> str:
    if not parts:
        return "The claim says nothing that the graph could hold."
    text = " ".join(f"{part.text}: {part.verdict}. {part.explanation}" for part in parts)
    return f"{text} The claim denies this." if turned else text
