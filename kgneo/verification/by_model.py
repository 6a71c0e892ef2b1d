"""By model: the verdict of a language model on the evidence that the graph holds for a claim (RefKG section 3.4).

Over a graph with labels, a claim that is not read without the model is held against the graph as the query graph that
the model writes for it. Over plain triples comes in a claim with what was found without a model. In this order: for
each part, the triples of the relations that its words are most like, at the things that it names, those that join two
of them first; the triples as sentences, by template; one call; the reply's verdict. That verdict stands only on
evidence that was shown: without any the claim is left open, and it is not supported by triples that do not join what
the claim names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgneo.context import Clock, Context
from kgneo.english.claims import NOBODY, plain_claim
from kgneo.english.names import statement_wording
from kgneo.errors import EntityNotFound
from kgneo.graph.neighbours import triples_along
from kgneo.llm import Parameters
from kgneo.model import Evidence, Triple
from kgneo.stages.agree import beside
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.link import unbracket
from kgneo.strategies.cypher import Cypher, CypherOptions
from kgneo.text import fold
from kgneo.verification.named import NamedClaim, named_claim
from kgneo.verification.parts import Part
from kgneo.verification.steps import meanings
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED, Verdict, Verification, denied
from kgneo.verification.verify import claim_parts, verified

RELATIONS = 2
"""Relations of a statement whose triples are shown; the paper takes 2 or 5."""
TRIPLES = 12
"""Triples of one relation at one thing that are shown."""
WRITTEN = 0.8
"""Confidence of a verdict by a query graph that the model wrote; not fitted."""
MOST = 60
"""Sentences that are shown."""
PARAMETERS: Parameters = replace(TABLE_2, max_tokens=120, temperature=0.0)
_VERDICTS: tuple[tuple[Verdict, re.Pattern[str]], ...] = (
    (OPEN, re.compile(r"\bnot enough (?:evidence|information|info)\b|\bunknown\b|\bunverifiable\b", re.IGNORECASE)),
    (REFUTED, re.compile(r"\b(?:refuted|refutes|refute|false|contradict\w*|not supported|no)\b", re.IGNORECASE)),
    (SUPPORTED, re.compile(r"\b(?:supported|supports|support|true|yes)\b", re.IGNORECASE)),
)


def verified_by_model(
    context: Context, claim: str, *, entities: Sequence[str] = (), closed: bool = False
) -> Verification:
    """The verdict of the context's language model on `claim`. Raises as `verified`, and ModelError."""
    clock = Clock()
    calls = ModelCalls.of(context, clock, strategy="verify")
    read = verified(context, claim, entities=entities, closed=closed)
    if not context.shape.loaded:
        return _by_query(context, claim, read, closed=closed)
    if not read.parts:
        return read
    with clock.stage("retrieve"):
        try:
            named = named_claim(context, claim, entities=entities)
        except EntityNotFound:  # it names no node
            return read
        shown = _shown(context, named, read)
    if not shown:
        return replace(read, warnings=(*read.warnings, "The graph has no evidence to show the language model."))
    sentences = [_sentence(item.triple) for item in shown]
    reply = calls.complete("verify", PARAMETERS, claim=named.text, evidence="\n".join(sentences))
    verdict, explanation = read_reply(reply.text)
    warnings = list(read.warnings)
    if verdict is None:
        warnings.append("The language model's reply holds no verdict; the one without it stands.")
        verdict, explanation = read.verdict, read.explanation
    elif verdict == SUPPORTED and (missing := _unjoined(claim_parts(named)[0], shown)):
        names = ", ".join(missing)
        warnings.append(f"The language model says supported, and the evidence does not say this of {names}.")
        verdict = REFUTED if closed else OPEN
    agreed = verdict == read.verdict
    confidence = beside(read.confidence, agreed=agreed)
    if not agreed:
        warnings.append(f"Without the language model the verdict is: {read.verdict}.")
    return replace(
        read,
        verdict=verdict,
        confidence=round(confidence, 4),
        explanation=explanation,
        evidence=tuple(shown),
        warnings=tuple(warnings),
        llm=calls.use,
        timings_ms={**read.timings_ms, **clock.milliseconds},
    )


def _by_query(context: Context, claim: str, read: Verification, *, closed: bool) -> Verification:
    """The verdict on a claim about a graph with labels: by the query graph that the model writes for it, where it was
    not read without the model. A "no" refutes it where the graph has something else in its place."""
    if read.verdict != OPEN or any(part.unknown or part.query_graph for part in read.parts):
        return read
    text, _ = unbracket(claim)
    plain, turned = plain_claim(text)
    answer = Cypher(CypherOptions(compare=False)).answer(f"Is it true that {plain.rstrip('.!')}?", context)
    found: Verdict = OPEN
    if answer.answers == ("yes",):
        found = SUPPORTED
    elif answer.answers == ("no",) and (answer.evidence or closed):
        found = REFUTED
    told = f"The language model reads it as: {answer.steps[0].question}." if answer.steps else read.explanation
    return replace(
        read,
        verdict=denied(found) if turned else found,
        confidence=WRITTEN if found != OPEN else read.confidence,
        explanation=f"{told} The claim denies this." if turned else told,
        evidence=answer.evidence,
        warnings=(*read.warnings, *answer.warnings),
        llm=answer.llm,
        timings_ms={**read.timings_ms, **answer.timings_ms},
    )


def read_reply(text: str) -> tuple[Verdict | None, str]:
    """The verdict of a reply, the one that stands first, and what it says besides; None where there is none."""
    found = [(match.start(), -number, verdict, match) for number, (verdict, pattern) in enumerate(_VERDICTS)
             if (match := pattern.search(text))]  # fmt: skip
    if not found:
        return None, text.strip()
    _, _, verdict, match = min(found, key=lambda item: item[:2])
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    return verdict, " ".join(re.sub(r"[{}*]", "", rest).split()).strip(" :,.-") + "."


def _shown(context: Context, named: NamedClaim, read: Verification) -> list[Evidence]:
    """The evidence of a claim, that which the check without a model found first."""
    found = [*read.evidence]
    for part in claim_parts(named)[0]:
        found += _around(context, part)
    return list({item.triple: item for item in found}.values())[:MOST]


def _around(context: Context, part: Part) -> Iterator[Evidence]:
    """The triples of the relations that the words of a part are most like, at the things that it names."""
    for statement in part.statements:
        source = part.end(statement.source)
        target = part.end(statement.target) if statement.target != NOBODY else None
        noun = part.noun(statement.source, statement.target)
        for meaning in meanings(context, statement.words, source, target, noun=noun)[:RELATIONS]:
            back = replace(meaning.hop, forward=not meaning.hop.forward)
            for end, hop in ((source, meaning.hop), (target, back)):
                if end is None or not end.ids or str(hop) not in end.hops:
                    continue
                along = triples_along(context.knowledge, dict.fromkeys(end.ids, 0), hop)
                other = target if end is source else source
                along.sort(key=lambda item: other is None or item.end.id not in other.ids)
                yield from (Evidence(item.candidate.triple, 1) for item in along[:TRIPLES])


def _sentence(triple: Triple) -> str:
    """A triple in words, with the properties of its relationship behind it."""
    text = statement_wording(triple.relation, triple.subject, triple.object)
    return f"{text} ({triple.detail})." if triple.detail else f"{text}."


def _unjoined(parts: Sequence[Part], shown: Sequence[Evidence]) -> list[str]:
    """What a claim names that no chain of shown triples joins to what it is said of. A part that denies something needs
    no triples."""
    near: dict[str, set[str]] = {}
    for item in shown:
        first, second = _key(item.triple.subject), _key(item.triple.object)
        near.setdefault(first, {first}).add(second)
        near.setdefault(second, {second}).add(first)
    found: list[str] = []
    for part in parts:
        if part.negated or any(statement.negated for statement in part.statements):
            continue
        ends = [part.end(thing) for item in part.statements for thing in (item.source, item.target)]
        names = [end.text for end in ends if end is not None and not end.value]
        reached = {_key(name) for name in names[:1]} & near.keys()
        for _ in part.statements:
            reached = {other for name in reached for other in near[name]}
        found += [name for name in names if _key(name) not in reached]
    return list(dict.fromkeys(found))


def _key(name: str) -> str:
    return fold(name.replace("_", " "))
