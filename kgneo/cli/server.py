"""`kgneo server`: start, stop and look at the local Neo4j of a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from kgneo.cli.hints import about_this_graph
from kgneo.server import RunningServer, healthy, prepare, start, status, stop, store_path
from kgneo.server.stores import Store

_STORE_OPTION = click.option(
    "--store",
    envvar="KGNEO_STORE",
    metavar="NAME|PATH",
    help="Name of the store, or the path of its folder.  [default: default]",
)
_JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group()
def server() -> None:
    """Start, stop or look at the local Neo4j of a store.

    A store is a folder with a graph in it. Its server listens on 127.0.0.1 only, asks for a password, serves
    Neo4j Browser and runs until it is stopped. Several stores can run side by side.

    \b
    Examples:
      kgneo server start
      kgneo server start --store films --heap 1g
      kgneo server status
      kgneo server stop --store films
    """


@server.command("start")
@_STORE_OPTION
@click.option(
    "--version",
    envvar="KGNEO_NEO4J_VERSION",
    metavar="VERSION",
    help="Neo4j: 5.26, 2026 or an exact version.  [default: the store's own, else 2026.08.1]",
)
@click.option(
    "--heap",
    envvar="KGNEO_HEAP",
    metavar="SIZE",
    help="Java heap, as in 512m or 2g.  [default: a quarter of the memory, at most 2g]",
)
@click.option(
    "--page-cache",
    envvar="KGNEO_PAGE_CACHE",
    metavar="SIZE",
    help="Neo4j's page cache.  [default: an eighth of the memory, at most 2g]",
)
@click.option(
    "--bolt-port",
    type=click.IntRange(1, 65535),
    help="Port for programs.  [default: the store's last one, else a free one]",
)
@click.option(
    "--http-port",
    type=click.IntRange(1, 65535),
    help="Port for Neo4j Browser.  [default: the store's last one, else a free one]",
)
@_JSON_OPTION
def start_command(
    store: str | None,
    version: str | None,
    heap: str | None,
    page_cache: str | None,
    bolt_port: int | None,
    http_port: int | None,
    as_json: bool,
) -> None:
    """Start the store's server, or say where it runs already.

    The first start downloads Neo4j (about 190 MB) from Maven Central; later ones need no network.

    \b
    Examples:
      kgneo server start
      kgneo server start --store films --version 5.26
      kgneo server start --bolt-port 7687 --http-port 7474
    """
    folder = store_path(store)
    if not healthy(folder):
        _report(f"The server of {folder} runs, and its database has stopped: starting it again.")
        stop(folder)
    running = start(
        folder,
        version=version,
        heap=heap,
        page_cache=page_cache,
        bolt_port=bolt_port,
        http_port=http_port,
        report=_report,
    )
    if as_json:
        _print_json(_as_dict(running) | {"started": running.started})
        return
    state = "Started" if running.started else "Already running"
    click.echo(f"{state}: Neo4j {running.version} at {running.uri}")
    click.echo(f"Neo4j Browser: {_browser(running)}")
    click.echo(about_this_graph("Next: kgneo load FILE, or kgneo server stop to end it."))


@server.command("prepare")
@click.option(
    "--version", envvar="KGNEO_NEO4J_VERSION", metavar="VERSION", help="Neo4j: 5.26, 2026 or an exact version."
)
def prepare_command(version: str | None) -> None:
    """Have local servers start in about half of the time from now on.

    Starts Neo4j once on a store that is deleted afterwards, and keeps its classes as Java loaded and linked them, in a
    file of up to 200 MB in the cache folder. Takes a minute.

    \b
    Examples:
      kgneo server prepare
      kgneo server prepare --version 5.26
    """
    archive = prepare(version=version, report=_report)
    if archive is None:
        click.echo("Nothing was done: the Java that is used is older than 13, and cannot keep classes.")
        return
    click.echo(f"Servers start from {archive} ({_readable(archive.stat().st_size)}); to undo it, delete the file.")
    click.echo("Next: kgneo server start")


@server.command("stop")
@_STORE_OPTION
@_JSON_OPTION
def stop_command(store: str | None, as_json: bool) -> None:
    """Stop the store's server and wait until everything is on the disk.

    \b
    Examples:
      kgneo server stop
      kgneo server stop --store films
    """
    folder = store_path(store)
    if status(folder):
        _report(f"Stopping the server of {folder}.")
    stopped = stop(folder)
    if as_json:
        _print_json({"store": str(folder), "running": False, "stopped": stopped})
        return
    click.echo(f"Stopped the server of {folder}." if stopped else f"No server was running on {folder}.")
    if stopped:
        click.echo(about_this_graph("Next: kgneo server start to run it again."))


@server.command("status")
@_STORE_OPTION
@click.option("--show-password", is_flag=True, help="Print the password too, to log in to Neo4j Browser.")
@_JSON_OPTION
def status_command(store: str | None, show_password: bool, as_json: bool) -> None:
    """Say what runs on the store, and where.

    \b
    Examples:
      kgneo server status
      kgneo server status --store films --json
      kgneo server status --show-password
    """
    place = Store(store_path(store))
    running = status(place.folder)
    password = running.password if running and show_password else None
    if as_json:
        fields = _as_dict(running) if running else {"store": str(place.folder), "running": False}
        size = place.size_on_disk() if place.folder.is_dir() else 0
        _print_json(fields | {"size_bytes": size} | ({"password": password} if password else {}))
        return
    if running is None:
        click.echo(f"No server is running on {place.folder}.")
        click.echo(about_this_graph("Next: kgneo server start"))
        return
    rows = {
        "Address": running.uri,
        "Neo4j Browser": _browser(running),
        "Version": f"Neo4j {running.version}",
        "Process": str(running.pid),
        "Store": f"{running.store} ({_readable(place.size_on_disk())})",
        "User": running.username,
        "Password": password or f"in {place.password_file} (--show-password prints it)",
    }
    for name, value in rows.items():
        click.echo(f"{name + ':':15}{value}")


def _report(message: str) -> None:
    click.echo(message, err=True)


def _print_json(fields: dict[str, Any]) -> None:
    click.echo(json.dumps(fields, ensure_ascii=False, indent=2))


def _browser(running: RunningServer) -> str:
    return f"{running.http_url}/browser/"


def _as_dict(running: RunningServer) -> dict[str, Any]:
    """A running server without its password."""
    return {
        "store": str(running.store),
        "running": True,
        "uri": running.uri,
        "http_url": running.http_url,
        "browser_url": _browser(running),
        "username": running.username,
        "password_file": str(_password_file(running.store)),
        "pid": running.pid,
        "version": running.version,
    }


def _password_file(store: Path) -> Path:
    return Store(store).password_file


def _readable(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
