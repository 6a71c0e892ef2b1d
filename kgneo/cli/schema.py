"""`kgneo schema`: what is in the graph, and what of it kgneo uses."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kgneo.cli.help import Command
from kgneo.cli.options import choice_options, connection_options, json_option, option, print_json, say, with_options
from kgneo.errors import GraphEmpty
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.graph.attach import Choices
    from kgneo.graph.quality import Quality
    from kgneo.graph.schema import Schema
    from kgneo.graph.shape import Shape

QUALITY_SECONDS = 120.0
"""How long a look at the quality of all labels may take."""


@click.command(cls=Command)
@option("--tokens", type=click.IntRange(min=20), metavar="N", help="A short text for a prompt, of about N tokens.")
@option("--refresh", is_flag=True, help="Read the schema again, instead of the one in the cache.")
@option("--quick", is_flag=True, help="Do not look at a whole large graph: numbers may be “about”.")
@option(
    "--quality",
    is_flag=True,
    help="Also what is amiss: nodes without a name, a property or a relationship, and names that several share.",
)
@with_options(*choice_options)
@json_option
@connection_options
def schema(
    tokens: int | None,
    refresh: bool,
    quick: bool,
    quality: bool,
    choices: Choices,
    as_json: bool,
    settings: Settings,
) -> None:
    """Show labels, relationship types, properties with types and examples, and what connects what.

    `*` marks the property that names a node, `-` a property that no question is answered with. Of what is left
    out there are the names alone. What --display, --include and --exclude say is kept on this machine for asking and
    indexing this graph. A large graph is looked at as a whole, once; with --quick it is not.

    \b
    Examples:
      kgneo schema --uri neo4j://localhost:7687
      kgneo schema --display Movie=title --exclude Person.email
      kgneo schema --tokens 300
      kgneo schema --quality
    """
    from kgneo.cli.look import look_at_all
    from kgneo.graph.cache import LocalCache
    from kgneo.graph.open import known_shape
    from kgneo.graph.quality import quality as read_quality
    from kgneo.graph.quality import quality_text
    from kgneo.graph.schema_text import names_left_out, prompt_text, table

    with open_graph(settings, report=say) as graph:
        found, shape = known_shape(graph, choices=choices, refresh=refresh, report=say)
        if not (quick or shape.loaded or found.whole):
            look_at_all(graph, shape)
            found, shape = known_shape(graph)
        left_out = names_left_out(LocalCache(graph).schema(), shape) if shape.left_out else ()
        amiss = read_quality(graph, found, shape, deadline=QUALITY_SECONDS) if quality else None
    if not found.nodes:
        raise GraphEmpty("The graph is empty: it has no schema to show.", hint="Load something with `kgneo load PATH`.")
    if as_json:
        print_json(_record(found, shape, amiss))
        return
    click.echo(prompt_text(found, shape, tokens=tokens) if tokens else table(found, shape, left_out))
    if amiss:
        click.echo(f"\n{quality_text(amiss)}")


def _record(schema: Schema, shape: Shape, amiss: Quality | None) -> dict[str, Any]:
    told = {"quality": amiss.to_dict()} if amiss else {}
    return {**schema.to_dict(), "shape": asdict(shape), **told}
