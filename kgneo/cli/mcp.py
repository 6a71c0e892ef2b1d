"""`kgneo mcp`: the graph as tools for an assistant."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address

import click

from kgneo import defaults
from kgneo.cli.help import Command
from kgneo.cli.options import ModelSettings, connection_options, model_options, option, say
from kgneo.errors import UsageError
from kgneo.extras import how_to_install
from kgneo.settings import Settings, open_graph


@click.command(cls=Command)
@click.option("--http", is_flag=True, help="Serve by streamable HTTP, not on standard input and output.")
@option("--host", default="127.0.0.1", show_default=True, help="With --http: an address of this machine itself.")
@option("--port", type=click.IntRange(1, 65_535), default=8765, show_default=True, help="With --http: the port.")
@option(
    "--tokens",
    type=click.IntRange(min=200),
    default=defaults.TOOL_TOKENS,
    show_default=True,
    help="Length of one result, about.",
)
@click.option("--feedback", is_flag=True, help="Keep what the user says of answers, for `kgneo learn --review`.")
@model_options
@connection_options
def mcp(
    http: bool, host: str, port: int, tokens: int, feedback: bool, model: ModelSettings, settings: Settings
) -> None:
    """Serve the graph to an assistant that speaks MCP (Model Context Protocol).

    Its tools ask, retrieve, interpret, show the schema, find entities and neighbours, and run Cypher that only reads.
    Nothing is ever written to the graph. An assistant starts the command itself; docs/mcp.md says where it is entered.

    \b
    Examples:
      kgneo mcp
      kgneo mcp --uri neo4j://localhost:7687
      kgneo mcp --http --port 8765
      kgneo mcp --feedback
    """
    try:
        from kgneo.doors.mcp import mcp_server, run_server
    except ImportError as error:
        raise UsageError(
            f"`kgneo mcp` needs the package {error.name}, which is not installed.",
            hint=how_to_install("mcp"),
        ) from error
    if http and not _is_loopback(host):
        raise UsageError(
            f"{host!r} can be reached from other machines, and `kgneo mcp` asks nobody who they are.",
            hint="For others, `kgneo serve --mcp` has the tools at /mcp, and wants a token.",
        )
    from kgneo.asking.question import open_context
    from kgneo.doors.tools import Tools

    with open_graph(replace(settings, read_only=True), report=say) as graph:
        context = open_context(graph, model=model.load(), prompts=model.load_prompts(), report=say)
        if http:
            say(f"Serving MCP at http://{host}:{port}/mcp; end with Ctrl-C.")
        tools = mcp_server(Tools(context, tokens), feedback=feedback)
        run_server(tools, address=(host, port) if http else None)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
