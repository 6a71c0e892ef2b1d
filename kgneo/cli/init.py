"""`kgneo init`: from a server's address or a file to a first answer, with the options kept in kgneo.toml."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgneo.cli.help import Command
from kgneo.cli.options import connection_options, option, say
from kgneo.errors import GraphEmpty, UsageError
from kgneo.options_file import CONFIGURATION_FILE
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.graph import Graph

PASSWORD = "The password is not written anywhere. Before the next command: export NEO4J_PASSWORD=…"  # noqa: S105


@click.command(cls=Command)
@click.argument("where", required=False, metavar="[ADDRESS|FILE]")
@option("--yes", "-y", is_flag=True, envvar=None, help="Ask nothing: take what stands in brackets, and no question.")
@connection_options
@click.pass_context
def init(context: click.Context, where: str | None, yes: bool, settings: Settings) -> None:
    """Set up for a graph: a server or a file is tried, kgneo.toml written, a first question asked.

    The graph is at the address of a Neo4j server, or in a file that `kgneo load` takes, which goes into a local store.
    Nothing is written into the graph of a server. kgneo.toml, in this folder, says to later commands which graph it is;
    a password never stands in it.

    \b
    Examples:
      kgneo init
      kgneo init neo4j://localhost:7687
      kgneo init triples.csv --store mine
    """
    file = Path(CONFIGURATION_FILE)
    if file.exists():
        raise UsageError(
            f"{CONFIGURATION_FILE} is in this folder already.", hint=f"Change it, or run: mv {file} {file}.before"
        )
    where = where or settings.uri or _asked(yes)
    found = _server(where, settings, yes=yes) if "://" in where else _file(context, where, settings)
    with open_graph(found, report=say) as graph:
        examples = _tried(graph)
        file.write_text(_configuration(found), encoding="utf-8")
        click.echo(f"Wrote {file}: commands in this folder are about this graph.")
        if found.uri:
            click.echo(PASSWORD)
        if not yes:
            _first_question(graph, examples)
    click.echo('Next: kgneo ask "…", or kgneo alone for a dialogue; kgneo schema says what there is to ask about')


def _asked(yes: bool) -> str:
    if yes:
        raise UsageError("--yes asks nothing, and no graph was named.", hint="As in: kgneo init neo4j://localhost:7687")
    return str(click.prompt("Address of a Neo4j server, or a file to load", default="neo4j://localhost:7687")).strip()


def _server(uri: str, settings: Settings, *, yes: bool) -> Settings:
    """How to reach a server; what is not given is asked for."""
    if settings.password or settings.token or yes:
        return replace(settings, uri=uri)
    username = click.prompt("User", default=settings.username)
    password = click.prompt("Password", default="", hide_input=True, show_default=False)
    return replace(settings, uri=uri, username=username, password=password)


def _file(context: click.Context, path: str, settings: Settings) -> Settings:
    """The local store into which the file is loaded, by `kgneo load`."""
    if not Path(path).exists():
        raise UsageError(
            f"{path!r} is neither a file nor the address of a server.",
            hint="An address has a scheme, as in neo4j://localhost:7687 or bolt://localhost:7687.",
        )
    from kgneo.cli.load import load

    store = settings.store or re.sub(r"\W+", "-", Path(path).name.split(".")[0]).strip("-") or "default"
    with load.make_context("load", [path, "--store", store], parent=context) as own:
        load.invoke(own)
    return Settings(store=store)


def _tried(graph: Graph) -> list[str]:
    """Questions that the graph can be asked; says what it holds. Raises GraphEmpty, and GraphError."""
    from kgneo.asking.question import open_context
    from kgneo.serve.service import Service

    context = open_context(graph, report=say)
    schema = context.knowledge.schema
    if not schema.nodes:
        raise GraphEmpty("The graph is empty.", hint="Load something with `kgneo load PATH`.")
    click.echo(f"Reached {graph.address}: {schema.nodes:,} nodes, {schema.relationships:,} relationships.")
    return Service(context).examples()


def _first_question(graph: Graph, examples: list[str]) -> None:
    from kgneo.asking.question import open_context
    from kgneo.cli.printer import Printer
    from kgneo.defaults import STRATEGY
    from kgneo.strategies import find_strategy

    question = click.prompt("A first question", default=examples[0] if examples else "", show_default=bool(examples))
    if question.strip():
        Printer(open_context(graph, report=say), find_strategy(STRATEGY)).print(question)


def _configuration(settings: Settings) -> str:
    lines = ["# The graph that kgneo's commands are about in this folder. Secrets stay in the environment."]
    lines += [f"{name} = {_quoted(value)}" for name in GIVEN if (value := _told(settings, name))]
    return "\n".join(lines) + "\n"


GIVEN = ("uri", "username", "database", "store")


def _told(settings: Settings, name: str) -> str:
    """A setting that later commands have to know: of a server the address and what differs from its defaults."""
    value = getattr(settings, name)
    return "" if value is None or (name == "username" and (value == "neo4j" or not settings.uri)) else str(value)


def _quoted(text: str) -> str:
    """A text as TOML has it: its basic strings escape as JSON's do."""
    import json

    return json.dumps(text, ensure_ascii=False)
