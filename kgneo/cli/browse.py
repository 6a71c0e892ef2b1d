"""`kgneo browse`: Neo4j Browser on the connected graph."""

from __future__ import annotations

import os
import sys
import webbrowser

import click

from kgneo.cli.help import Command
from kgneo.cli.options import connection_options, json_option, option, print_json, say
from kgneo.settings import Settings, open_graph


@click.command(cls=Command)
@click.argument("query", required=False)
@option("--print", "only_print", is_flag=True, envvar=None, help="Print the address instead of opening it.")
@json_option
@connection_options
def browse(query: str | None, only_print: bool, as_json: bool, settings: Settings) -> None:
    """Open Neo4j Browser on the graph, with QUERY in its editor, and say how to log in.

    \b
    Examples:
      kgneo browse
      kgneo browse "MATCH (n) RETURN n LIMIT 25"
      kgneo browse --print
    """
    from kgneo.graph.browser import browser_link

    with open_graph(settings, report=say) as graph:
        link = browser_link(graph, query or "", username=settings.username)
    if as_json:
        print_json({"address": link, "username": settings.username, "login": login(settings)})
        return
    show(link, settings, only_print=only_print)


def show(link: str, settings: Settings, *, only_print: bool = False) -> None:
    """Open a link where there is a screen to open it on, else print it; say how to log in."""
    opened = not only_print and _has_screen() and webbrowser.open(link)
    click.echo(link if not opened else f"Opened {link}")
    say(f"Log in as {settings.username}; {login(settings)}.")


def _has_screen() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def login(settings: Settings) -> str:
    """Where the password is; never the password."""
    if settings.uri:
        return "the password is the one of NEO4J_PASSWORD"
    from kgneo.server import store_path
    from kgneo.server.stores import Store

    return f"the password is in {Store(store_path(settings.store)).password_file}"
