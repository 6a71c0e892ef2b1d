"""`kgneo prepare`: all that a machine will need that has no network later."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kgneo import defaults
from kgneo.cli.help import Command
from kgneo.cli.options import json_option, option, print_json, say

if TYPE_CHECKING:
    from kgneo.encoders.encoder import OnnxEncoder


@click.command(cls=Command)
@option("--encoder", metavar="NAME|PATH", default=defaults.ENCODER, show_default=True, help="Which encoder to get.")
@option("--version", envvar="KGNEO_NEO4J_VERSION", metavar="VERSION", help="Neo4j: 5.26, 2026 or an exact version.")
@option("--no-server", is_flag=True, help="No server: the graph is on a Neo4j server elsewhere.")
@json_option
def prepare(encoder: str, version: str | None, no_server: bool, as_json: bool) -> None:
    """Get what later runs need from the network: the encoder's weights, WordNet's words, Neo4j's server, Java.

    What is there already is not got again. Afterwards `kgneo load`, `index` and `ask` need no network; only a language
    model of --llm does, where it is one of the hub or at an address.

    \b
    Examples:
      kgneo prepare
      kgneo prepare --no-server
      kgneo prepare --version 5.26
    """
    from kgneo.server import fetch
    from kgneo.thesaurus_data import described, make_thesaurus

    make_thesaurus(say)
    found = {"encoder": _encoder(encoder), "words": described()}
    if not no_server:
        distribution, java = fetch(version=version, report=say)
        found["neo4j"] = f"{distribution.version}, {len(distribution.jars)} jars in {distribution.jars[0].parents[3]}"
        found["java"] = f"{java.version}, {java.path}"
    if as_json:
        print_json(found)
        return
    for name, what in found.items():
        click.echo(f"{name:8} {what}")
    click.echo("Nothing more is needed from the network.")


def _encoder(name: str) -> str:
    from kgneo.encoders.encoder import OnnxEncoder, load_encoder

    loaded = load_encoder(name, report=say)
    loaded.encode(["kgneo"])  # whatever it needs besides its files
    return f"{loaded.name}, {described(loaded)}" if isinstance(loaded, OnnxEncoder) else loaded.name


def described(encoder: OnnxEncoder) -> str:
    """Where its files are and where they are from."""
    source, digest = encoder.description.get("source"), encoder.description.get("sha256", "")
    origin = f", from {source}, SHA-256 {digest[:12]}… as expected" if source else ""
    return f"in {encoder.folder}{origin}"
