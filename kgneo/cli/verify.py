"""`kgneo verify`: whether the graph supports or refutes a claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from kgneo.cli.help import Command
from kgneo.cli.options import (
    ANSWER,
    RETRIEVAL,
    ModelSettings,
    connection_options,
    json_option,
    model_options,
    option,
    print_json,
    say,
    server_options,
    with_options,
)
from kgneo.cli.render import print_verdict
from kgneo.errors import UsageError
from kgneo.settings import Settings, open_graph


@click.command(cls=Command)
@click.argument("words", nargs=-1, required=True, metavar="CLAIM")
@option(
    "--entity",
    "-e",
    "entities",
    multiple=True,
    metavar="NAME",
    help="A thing that the claim names, instead of [brackets] around it. Repeatable.",
    group=ANSWER,
)
@option("--closed", is_flag=True, help="Take the graph to be complete: what it does not hold is false.")
@option(
    "--encoder", metavar="NAME|PATH", help="Insist on this encoder; it must be the one of the index.", group=RETRIEVAL
)
@option("--seed", type=int, help="Makes a language model's replies repeatable, where it can.", group=ANSWER)
@model_options
@option("--quiet", "-q", is_flag=True, help="Print only the verdict.")
@json_option
@with_options(*server_options("--entity, --closed, --quiet and --json"))
@connection_options
def verify(
    words: tuple[str, ...],
    entities: tuple[str, ...],
    closed: bool,
    encoder: str | None,
    seed: int | None,
    model: ModelSettings,
    quiet: bool,
    as_json: bool,
    server: str | None,
    here: bool,  # noqa: ARG001 - read in `kgneo.cli.remote`
    settings: Settings,
) -> None:
    """Say whether the graph supports a claim, refutes it, or holds not enough evidence.

    A claim is a declarative sentence. The things that it names stand in [brackets], are given with --entity, or are
    found in the text. Without a language model, each part of the claim is checked as a query of the graph; with one, it
    judges the evidence that is retrieved. The exit code is 0 for every verdict.

    \b
    Examples:
      kgneo verify "The capital of Ethiopia is Addis Ababa."
      kgneo verify "The [Mekong] flows through a country that borders [India]." --json
      kgneo verify "Did you know that Kyoto is not in China?" --entity Kyoto --entity China
      kgneo verify --llm mistral-7b "Addis Ababa is the capital of somewhere that borders [Kenya]"
    """
    if server:
        raise UsageError(
            "A server is asked by `kgneo verify` with nothing before `verify`, and not with these options.",
            hint="See `kgneo verify --help-all`, at --server, for those that go with it.",
        )
    from kgneo.asking.claim import verify as verify_claim
    from kgneo.asking.question import open_context
    from kgneo.context import Options

    options = Options(seed=seed, llm_timeout=model.llm_timeout)
    prompts, speaking = model.load_prompts(), model.load()
    with open_graph(settings, report=say) as graph:
        context = open_context(graph, encoder=encoder, options=options, model=speaking, prompts=prompts, report=say)
        found = verify_claim(context, " ".join(words), entities=entities, closed=closed)
    show(found.to_dict(), quiet=quiet, as_json=as_json)


def show(record: Mapping[str, Any], *, quiet: bool, as_json: bool) -> None:
    """Print a verdict, as `Verification.to_dict` gives it."""
    if as_json:
        print_json(record)
    elif quiet:
        click.echo(record["verdict"])
    else:
        print_verdict(record)
