"""Verifying: from a graph and a claim to a verdict.

    with Graph.connect("bolt://localhost:7687", password=...) as graph:
        verification = verify(graph, "The capital of [Ethiopia] is [Addis Ababa].")

Many claims are verified with one context, as questions are asked: `verify(context, claim)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgneo.asking.latest import latest
from kgneo.asking.question import check_text, open_context
from kgneo.context import Context
from kgneo.graph import Graph
from kgneo.llm import LanguageModel
from kgneo.stages.in_dates import in_dates
from kgneo.verification.by_model import verified_by_model
from kgneo.verification.verdict import Verification
from kgneo.verification.verify import verified

EXAMPLE = "The capital of [Ethiopia] is [Addis Ababa]."


def verify(
    graph: Graph | Context,
    claim: str,
    *,
    entities: Sequence[str] = (),
    model: LanguageModel | str | None = None,
    closed: bool = False,
) -> Verification:
    """Whether the graph supports or refutes `claim`, a declarative sentence, or holds not enough evidence.

    What it names stands in [brackets], is given as `entities`, or is found in the text. Without a language model each
    part of the claim is checked as a query graph; with one, it judges the evidence that is retrieved for the parts.
    `model` goes with a graph; a context has its own. `closed`: what the graph does not hold is false.
    Raises EntityNotFound for a name that was given or bracketed and is not in the graph, QuestionError for one
    without words, and what `open_context` raises.
    """
    check_text(claim, entities, kind="claim", example=EXAMPLE)
    context = latest(graph) if isinstance(graph, Context) else open_context(graph, model=model)
    check = verified_by_model if context.model is not None else verified
    return check(context, in_dates(context, claim).text, entities=entities, closed=closed)
