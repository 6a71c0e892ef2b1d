"""`kgneo ask`: an answer with its evidence."""

from __future__ import annotations

import click

from kgneo.asking import DEFAULT_STRATEGY, open_context
from kgneo.asking import ask as ask_graph
from kgneo.cli.options import (
    connection_options,
    json_option,
    option,
    print_json,
    retrieval_options,
    say,
    with_options,
)
from kgneo.cli.render import render_answer
from kgneo.context import Options
from kgneo.settings import Settings, open_graph


@click.command()
@click.argument("question")
@option("--strategy", "-s", default=DEFAULT_STRATEGY, show_default=True, help="How to answer.")
@with_options(*retrieval_options)
@option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="Answers to list at most.",
)
@option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Say 'not found' below this confidence.",
)
@option("--quiet", "-q", is_flag=True, help="Print only the answers, one a line.")
@json_option
@connection_options
def ask(
    question: str,
    strategy: str,
    hops: int,
    top_k: int,
    direction: str,
    exact: bool,
    entities: tuple[str, ...],
    encoder: str | None,
    limit: int,
    min_confidence: float,
    quiet: bool,
    as_json: bool,
    settings: Settings,
) -> None:
    """Answer a question from the graph, with the triples that the answer rests on.

    The entity that the question is about stands in [brackets], or is given with --entity, or is found in the text.

    \b
    Examples:
      kgneo ask "what is the capital of [Ethiopia]?"
      kgneo ask "which countries does the Mekong cross?" --json
      kgneo ask "who lives there?" --entity Kyoto --hops 2
    """
    options = Options(
        hops=hops,
        top_k=top_k,
        direction=direction,  # type: ignore[arg-type]
        exact=exact,
        limit=limit,
        min_confidence=min_confidence,
    )
    with open_graph(settings, report=say) as graph:
        context = open_context(graph, encoder=encoder, options=options, report=say)
        answer = ask_graph(context, question, strategy=strategy, entities=entities)
    if as_json:
        print_json(answer.to_dict())
    elif quiet:
        click.echo("\n".join(answer.answers) or answer.answer)
    else:
        click.echo(render_answer(answer))
