"""`kgneo retrieve`: candidates and the top K triples of a question, without an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kgneo.cli.help import Command
from kgneo.cli.hints import about_this_graph
from kgneo.cli.options import (
    connection_options,
    json_option,
    option,
    print_json,
    retrieval_options,
    say,
    with_options,
)
from kgneo.cli.render import render_candidates
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.model import Candidate


@click.command(cls=Command)
@click.argument("question")
@with_options(*retrieval_options)
@option("--candidates", "list_all", is_flag=True, help="List every candidate by hop, too.")
@json_option
@connection_options
def retrieve(
    question: str,
    hops: int,
    top_k: int,
    direction: str,
    exact: bool,
    max_candidates: int | None,
    entities: tuple[str, ...],
    encoder: str | None,
    list_all: bool,
    as_json: bool,
    settings: Settings,
) -> None:
    """Show the candidates of a question by hop, and the K triples nearest to it.

    \b
    Examples:
      kgneo retrieve "which languages are spoken in [Kenya]?" --hops 2 --top-k 10
      kgneo retrieve "…" --entity Danube --direction out --json
      kgneo retrieve "…" --entity Earth --max-candidates 10000
    """
    from kgneo.asking.question import nearest, open_context
    from kgneo.context import Clock, Options
    from kgneo.graph.candidates import all_candidates, count_candidates

    clock = Clock()
    with open_graph(settings, report=say) as graph:
        options = Options(
            hops=hops,
            top_k=top_k,
            direction=direction,  # type: ignore[arg-type]
            exact=exact,
            max_candidates=max_candidates,
        )
        context = open_context(graph, encoder=encoder, options=options, report=say)
        linked, found = nearest(context, question, entities=entities, clock=clock)
        with clock.stage("count"):
            counts = count_candidates(context.knowledge, found.reach)
        by_hop = all_candidates(context.knowledge, found.reach) if list_all else []
    if as_json:
        print_json(
            {
                "question": question,
                "entities": [topic.entity.name for topic in linked.topics],
                "hops": hops,
                "direction": direction,
                "candidates_by_hop": list(counts),
                "triples": [_record(candidate) for candidate in found.nearest],
                "candidates": [[_record(candidate) for candidate in one] for one in by_hop] if list_all else None,
                "warnings": list(found.warnings),
                "timings_ms": {stage: round(value, 2) for stage, value in clock.milliseconds.items()},
            }
        )
        return
    click.echo("Topic entities: " + ", ".join(topic.entity.name for topic in linked.topics))
    click.echo("Candidates: " + ", ".join(f"{count:,} at hop {hop}" for hop, count in enumerate(counts, start=1)))
    for warning in found.warnings:
        click.echo(about_this_graph(f"Warning: {warning}"))
    click.echo(render_candidates(found.nearest))
    for hop, candidates in enumerate(by_hop, start=1):
        click.echo(f"Hop {hop}:\n{render_candidates(candidates)}")


def _record(candidate: Candidate) -> dict[str, object]:
    triple = candidate.triple
    return {
        "subject": triple.subject,
        "relation": triple.relation,
        "object": triple.object,
        "hop": candidate.hop,
        "score": candidate.score,
    }
