"""`kgneo serve`: a page, an HTTP API and a chat endpoint over one graph."""

from __future__ import annotations

import os
import secrets
import socket
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgneo import defaults
from kgneo.cli.help import Command
from kgneo.cli.options import (
    MODEL_GROUP,
    ModelSettings,
    budget_options,
    complete_strategy,
    connection_options,
    model_options,
    option,
    retrieval_options,
    say,
    with_options,
)
from kgneo.errors import UsageError
from kgneo.extras import how_to_install
from kgneo.folders import store_path
from kgneo.llm.spending import Price
from kgneo.serve.announce import Announced, Announcement
from kgneo.serve.settings import DEFAULT_PORT, EVERYWHERE, Limits, ServeSettings, is_loopback
from kgneo.settings import Settings, terms_file

if TYPE_CHECKING:
    from kgneo.cli.serving import Plan
    from kgneo.context import Options
    from kgneo.serve.team_file import Team

LIMITS = Limits()
MEGABYTE = 1_000_000
RETRY = 2.0
"""Seconds for which a database that is gone is tried again: meanwhile others wait for the thread."""
OPEN = (
    "Everyone who can reach {address} can ask this graph everything, with no token and no encryption. "
    "A token (KGNEO_ACCESS_TOKEN) keeps others out, a proxy with TLS keeps it from being read on the way."
)


@click.command(cls=Command)
@option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on.")
@option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0: any free one.")
@option(
    "--access-token",
    hidden=True,
    help="Asked of every request; better given in the environment: a command line can be read by others.",
)
@option(
    "--without-token",
    is_flag=True,
    help="Listen beyond this machine without a token. Everyone may ask, then.",
    group="Access",
)
@option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name that the server is called by. Repeatable.",
    group="Access",
)
@option(
    "--strategy",
    "-s",
    metavar="NAME",
    shell_complete=complete_strategy,
    help="How to answer where a request does not say, see `kgneo ask --help-all`.  [auto]",
)
@option(
    "--questions",
    type=click.IntRange(1, 64),
    default=LIMITS.running,
    show_default=True,
    help="Questions that each worker works on at a time; others wait.",
    group="Limits",
)
@option(
    "--workers",
    type=click.IntRange(1, 64),
    default=LIMITS.workers,
    show_default=True,
    help="Processes that answer: on several cores more questions a second, each with its own memory.",
    group="Limits",
)
@option(
    "--question-seconds",
    type=click.FloatRange(min=0.1),
    default=LIMITS.seconds,
    show_default=True,
    help="Seconds that one question may take.",
    group="Limits",
)
@option(
    "--rate",
    type=click.IntRange(min=0),
    default=LIMITS.rate,
    show_default=True,
    help="Requests a minute from one address; 0: any number.",
    group="Limits",
)
@option(
    "--log-requests", is_flag=True, help="Print route, status and time of each request; never its text.", group="Access"
)
@option(
    "--also-llm",
    "further",
    multiple=True,
    metavar="MODEL",
    help="A further language model, which a question may ask for instead of that of --llm. Repeatable.",
    group=MODEL_GROUP,
)
@option(
    "--team",
    "team_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with several graphs and who may ask them, see docs/team.md.",
    group="Access",
)
@option(
    "--new-token",
    "print_token",
    is_flag=True,
    envvar=None,
    help="Print a token for somebody, and its digest for the file of --team.",
    group="Access",
)
@option(
    "--loading/--no-loading",
    "loading",
    default=None,
    help="Load files on the page, each into a new local store.  [default: where this machine alone is let in, and "
    "without --read-only, --team and --workers]",
    group="Access",
)
@option(
    "--loading-megabytes",
    type=click.IntRange(min=1),
    default=LIMITS.files // MEGABYTE,
    show_default=True,
    help="Of all files that are loaded together.",
    group="Limits",
)
@option("--mcp", is_flag=True, help="Serve the tools of `kgneo mcp` at /mcp, too.", group="Access")
@option("--open", "open_page", is_flag=True, envvar=None, help="Open the page.")
@with_options(*retrieval_options[:4])
@with_options(*budget_options)
@model_options
@connection_options
def serve(
    host: str,
    port: int,
    access_token: str | None,
    without_token: bool,
    hosts: tuple[str, ...],
    strategy: str | None,
    questions: int,
    workers: int,
    question_seconds: float,
    rate: int,
    log_requests: bool,
    further: tuple[str, ...],
    team_file: Path | None,
    print_token: bool,
    loading: bool | None,
    loading_megabytes: int,
    mcp: bool,
    open_page: bool,
    hops: int,
    top_k: int,
    direction: str,
    exact: bool,
    max_calls: int | None,
    max_tokens: int | None,
    price: Price | None,
    max_cost: float | None,
    day_tokens: int | None,
    day_cost: float | None,
    model: ModelSettings,
    settings: Settings,
) -> None:
    """Answer over HTTP: a page to ask on, an API, and a chat endpoint as OpenAI has it.

    Encoder, schema and model stay in memory, so that a question takes no longer than its work. The server listens on
    this machine only, unless --host says otherwise; then it wants a token, which is read from KGNEO_ACCESS_TOKEN.

    \b
    Examples:
      kgneo serve --open
      kgneo serve --store demo --port 8000
      kgneo serve --llm smollm2 --also-llm openai:mistral --llm-url http://127.0.0.1:11434/v1
      kgneo serve --mcp
      kgneo serve --workers 4
      kgneo serve --team kgneo.team.toml --host 0.0.0.0 --allow-host graphs.example.org
      KGNEO_ACCESS_TOKEN=… kgneo serve --host 0.0.0.0 --allow-host graph.example.org
    """
    if print_token:
        _print_token()
        return
    if mcp and find_spec("mcp") is None:
        raise UsageError("--mcp needs the package mcp, which is not installed.", hint=how_to_install("mcp"))
    team = _team(team_file, settings, access_token)
    if team is None:
        _check_access(host, access_token, without_token)
    loads = loads_files(loading, team, settings, own_machine=is_loopback(host) and not hosts, workers=workers)
    from kgneo.cli.serving import Plan
    from kgneo.context import Options
    from kgneo.strategies import find_strategy

    if strategy:
        find_strategy(strategy)
    files = loading_megabytes * MEGABYTE
    limits = Limits(workers=workers, running=questions, seconds=question_seconds, rate=rate, files=files)
    name = "" if settings.uri else store_path(settings.store).name
    mark = secrets.token_hex(8)
    own = ServeSettings(host, port, access_token or "", hosts, strategy, mark, limits, log_requests, name)
    options = Options(
        hops=hops,
        top_k=top_k,
        direction=direction,  # type: ignore[arg-type]
        exact=exact,
        llm_timeout=model.llm_timeout,
        max_calls=max_calls,
        max_tokens=max_tokens,
        price=price,
        max_cost=max_cost,
        day_tokens=day_tokens,
        day_cost=day_cost,
    )
    plan = Plan(own, replace(settings, retry=RETRY), options, model, further, mcp, team, team_file, loads)
    with _listen(host, port) as listening:
        address = _address(own, listening)
        alone = team is None and not settings.uri
        announcement = _announcement(address, own, settings, options, model) if alone else None

        def ready() -> None:
            _tell(address, own, team, mcp=mcp)
            if open_page:
                webbrowser.open(address)

        _run(plan, listening, announcement, ready)


def _run(plan: Plan, listening: socket.socket, announcement: Announcement | None, ready: Callable[[], None]) -> None:
    """Answer until this process is told to stop, by itself or by several workers."""
    from kgneo.cli.serving import log
    from kgneo.serve.server import serve as run_server
    from kgneo.serve.shared import Shared
    from kgneo.serve.supervisor import supervise

    log()
    plan.begin()
    if plan.own.limits.workers > 1:
        supervise(plan, plan.own, listening, announcement, ready)
        return
    with ExitStack() as stack:
        app = plan(Shared(), stack)
        empty = getattr(app.state, "empty", False)  # others would find that there is nothing to ask
        ready()
        run_server(app, plan.own, [listening], None if empty else announcement)


def _print_token() -> None:
    from kgneo.serve.team_file import new_token

    token, digest = new_token()
    click.echo(f'Token, to be sent to one person, and kept nowhere else: {token}\ntoken_sha256 = "{digest}"')


def _team(file: Path | None, settings: Settings, access_token: str | None) -> Team | None:
    """The team of a file. Raises UsageError where options say something else, and DataError."""
    if file is None:
        return None
    if settings.uri or settings.store or settings.database or access_token:
        raise UsageError(
            f"Graphs and tokens are those of {file}, and --uri, --store, --database or a token was given as well.",
            hint="Leave these out, in the environment, too.",
        )
    from kgneo.serve.team_file import read_team

    return read_team(file)


def _check_access(host: str, token: str | None, without_token: bool) -> None:
    if is_loopback(host) or token or without_token:
        return
    raise UsageError(
        f"--host {host} lets other machines in, and there is no token to tell who may ask.",
        hint="Set KGNEO_ACCESS_TOKEN to a long random text, or say --without-token if everyone may read the graph.",
    )


def loads_files(wanted: bool | None, team: Team | None, settings: Settings, *, own_machine: bool, workers: int) -> bool:
    """Whether files may be loaded on the page. Raises UsageError where that is asked for a team, or of several workers:
    one of them alone would know of the new graph."""
    if wanted and team is not None:
        raise UsageError(
            "--loading does not go with --team: nobody says who may ask a graph that is new.",
            hint="Load with `kgneo load FILE --store NAME`, and name the store in the file of the team.",
        )
    if wanted and workers > 1:
        raise UsageError(
            f"--loading does not go with --workers {workers}: one of them alone would know of a new graph.",
            hint="Leave out --workers, or load with `kgneo load FILE --store NAME`.",
        )
    if wanted is None:
        return own_machine and team is None and not settings.read_only and workers == 1
    return wanted


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port that is taken is told before anything is loaded."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(
            f"Cannot listen on {host} port {port}: {error.strerror or error}.",
            hint="Choose another with --port, or --port 0 for any free one.",
        ) from error


def _address(own: ServeSettings, listening: socket.socket) -> str:
    name = "127.0.0.1" if own.host in EVERYWHERE else f"[{own.host}]" if ":" in own.host else own.host
    return f"http://{name}:{listening.getsockname()[1]}/"


def _announcement(
    address: str, own: ServeSettings, settings: Settings, options: Options, model: ModelSettings
) -> Announcement | None:
    """What `kgneo ask` of the same store finds; nothing where the server would answer otherwise than it would."""
    from kgneo.context import Options

    if settings.database or model.prompts or options != Options(llm_timeout=options.llm_timeout):
        return None
    strategies = {"": defaults.STRATEGY}
    if model.llm and model == ModelSettings(model.llm):
        strategies[model.llm] = defaults.STRATEGY
    terms = str(terms_file(settings.terms))
    announced = Announced(address, os.getpid(), own.mark, strategies, own.token, terms)
    return Announcement(store_path(settings.store), announced)


def _tell(address: str, own: ServeSettings, team: Team | None, *, mcp: bool) -> None:
    if team is not None:
        also = " (assistants: mcp behind it)" if mcp else ""
        say("\n".join([f"Page: {address}", *(f"  {address}g/{name}/{also}" for name in team.graphs)]))
        say("Stop with Ctrl-C.")
        return
    say(f"Page: {address}\nAPI:  {address}api/v1/openapi.json\nChat: {address}v1")
    if mcp:
        say(f"MCP:  {address}mcp")
    if not own.loopback:
        say("Every request must carry the token." if own.token else OPEN.format(address=address))
    say("Stop with Ctrl-C.")
