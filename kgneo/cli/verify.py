"""`kgneo verify`: whether the graph supports or refutes a claim."""

from __future__ import annotations

from dataclasses import asdict

import click

from kgneo.asking import open_context
from kgneo.cli.hints import about_this_graph
from kgneo.cli.options import (
    ModelSettings,
    connection_options,
    json_option,
    model_options,
    option,
    print_json,
    say,
)
from kgneo.cli.render import SHOWN_EVIDENCE, cost, evidence_lines
from kgneo.cli.terminal import print_bold
from kgneo.context import Options
from kgneo.model import evidence_to_dict
from kgneo.settings import Settings, open_graph
from kgneo.verification.verdict import Verification
from kgneo.verifying import verify as verify_claim


@click.command()
@click.argument("claim")
@option(
    "--entity",
    "-e",
    "entities",
    multiple=True,
    metavar="NAME",
    help="A thing that the claim names, instead of [brackets] around it. Repeatable.",
)
@option("--closed", is_flag=True, help="Take the graph to be complete: what it does not hold is false.")
@option("--encoder", metavar="NAME|PATH", help="Insist on this encoder; it must be the one of the index.")
@option("--seed", type=int, help="Makes a language model's replies repeatable, where it can.")
@model_options
@option("--quiet", "-q", is_flag=True, help="Print only the verdict.")
@json_option
@connection_options
def verify(
    claim: str,
    entities: tuple[str, ...],
    closed: bool,
    encoder: str | None,
    seed: int | None,
    model: ModelSettings,
    quiet: bool,
    as_json: bool,
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
    options = Options(seed=seed, llm_timeout=model.llm_timeout)
    prompts, speaking = model.load_prompts(), model.load()
    with open_graph(settings, report=say) as graph:
        context = open_context(graph, encoder=encoder, options=options, model=speaking, prompts=prompts, report=say)
        found = verify_claim(context, claim, entities=entities, closed=closed)
    if as_json:
        print_json(found.to_dict())
    else:
        if quiet:
            click.echo(found.verdict)
        else:
            print_bold(found.verdict, nl=False)
            click.echo(_rendered(found))


def _rendered(found: Verification) -> str:
    """What follows the verdict: how sure it is, why, and the triples behind it."""
    pieces = [f"  (confidence {found.confidence:.2f})", found.explanation]
    if found.evidence:
        pieces.append(
            "Evidence:\n"
            + "\n".join(evidence_lines([evidence_to_dict(item) for item in found.evidence], SHOWN_EVIDENCE))
        )
    pieces += [about_this_graph(f"Warning: {warning}") for warning in found.warnings]
    if found.llm:
        pieces.append(cost(asdict(found.llm)))
    return "\n\n".join(pieces)
