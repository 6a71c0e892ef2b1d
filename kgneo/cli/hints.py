"""Hints: what a user is told to run next, about the graph that this command was about.

A message names a command as anybody would write it: `kgneo index`. Where it is shown, the options get in by which this
command found its graph, so that what is copied acts on the same one; the environment and `kgneo.toml` go on to hold.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import click
from click.core import ParameterSource

WAYS = {
    "query": ("--cypher shows the query, --browse draws what it finds.", "/cypher shows the query, /why says more."),
    "pick": ("Choose with --pick NUMBER.", "Choose with /pick NUMBER."),
    "all": ("-q prints all of them, one a line", "/save FILE keeps all of them"),
    "triples": ("--json has all of them", "/why shows all of them"),
}
"""How to see or choose more: on a command line, and in a dialogue."""
_DIALOGUE = ContextVar("dialogue", default=False)
GRAPH = ("uri", "username", "database", "store")
"""The options that say which graph, without secrets."""
NAMED = "kgneo.graph"
"""Where a command that chose its graph itself keeps the options for it."""
_SERVER = r"server (?:start|stop|status)"
_OTHERS = "ask|browse|doctor|eval|index|learn|load|mcp|retrieve|schema|serve|tune data|verify"
_COMMAND = re.compile(rf"\bkgneo (?:(?P<server>{_SERVER})|{_OTHERS})\b(?![^`\n]* --(?:store|uri|help)\b)")


@contextmanager
def in_dialogue() -> Iterator[None]:
    """A block in which the user types at the dialogue."""
    token = _DIALOGUE.set(True)
    try:
        yield
    finally:
        _DIALOGUE.reset(token)


def is_dialogue() -> bool:
    """Whether the user types at the dialogue."""
    return _DIALOGUE.get()


def way(name: str) -> str:
    """How to see or choose more, where the user is."""
    return WAYS[name][_DIALOGUE.get()]


def about_this_graph(text: str) -> str:
    """`text` in which each command is about the graph of the present one."""
    options = _options()
    if not options:
        return text

    def told(found: re.Match[str]) -> str:
        known = {name: value for name, value in options.items() if not found["server"] or name == "store"}
        return " ".join([found[0], *(f"--{name} {shlex.quote(value)}" for name, value in known.items())])

    return _COMMAND.sub(told, text)


def name_store(store: str) -> None:
    """Have the hints of the present command name a store that it chose itself."""
    click.get_current_context().meta[NAMED] = {"store": store}


def _options() -> dict[str, str]:
    """Which graph the command line of the present command says."""
    context = click.get_current_context(silent=True)
    if context is None:
        return {}
    given = [name for name in GRAPH if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    return context.meta.get(NAMED) or {name: str(context.params[name]) for name in given}
