"""`kgneo doctor`: what works here, and what to mend."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from kgneo.cli.help import Command
from kgneo.cli.options import connection_options, json_option, print_json, say
from kgneo.errors import KgneoError
from kgneo.extras import how_to_install
from kgneo.settings import Settings, open_graph
from kgneo.version import __version__

if TYPE_CHECKING:
    from kgneo.graph.record import IndexRecord

Check = tuple[str, bool, str]
OPTIONAL = (
    ("Language models of this machine, llama", "llama_cpp", "llama"),
    ("Encoders of sentence-transformers", "sentence_transformers", "encoders"),
    ("MCP", "mcp", "mcp"),
    ("What stands out in a network, without Graph Data Science", "networkx", "network"),
)
"""What an extra brings, and the module that tells that it is there."""


@click.command(cls=Command)
@json_option
@connection_options
def doctor(as_json: bool, settings: Settings) -> None:
    """Check the set-up: encoder, graph, index, language models, and say what to mend.

    \b
    Examples:
      kgneo doctor
      kgneo doctor --uri neo4j://localhost:7687
    """
    checks = list(_checks(settings))
    if as_json:
        print_json({"checks": [{"check": name, "ok": ok, "found": found} for name, ok, found in checks]})
    else:
        for name, ok, found in checks:
            click.echo(f"{'✓' if ok else '✗'} {name}: {found}")
    if not all(ok for _, ok, _ in checks):
        raise click.exceptions.Exit(1)


def _checks(settings: Settings) -> Iterator[Check]:
    from kgneo.graph.cache import LocalCache
    from kgneo.graph.record import count_triples, read_record

    yield "kgneo", True, f"{__version__} on Python {platform.python_version()}"
    yield _try("Encoder", _encoder)
    for what, module, extra in OPTIONAL:
        there = find_spec(module) is not None
        yield what, True, "installed" if there else f"not installed (optional). {how_to_install(extra)}"
    try:
        with open_graph(settings, report=say) as graph:
            capabilities = graph.capabilities
            search = "one vector index over all types" if capabilities.search else "a vector index a type"
            yield "Neo4j", True, f"{capabilities.version} at {graph.address}; {search}"
            triples = count_triples(graph)
            yield "Graph", triples > 0, f"{triples:,} triples" if triples else "empty; try `kgneo load PATH`"
            record = read_record(graph) or LocalCache(graph).embeddings().read_record()
            yield "Index", record is not None or not triples, _index(record)
    except KgneoError as error:
        yield "Neo4j", False, str(error).replace("\n", " ")


def _encoder() -> str:
    from kgneo.cli.prepare import described
    from kgneo.encoders.encoder import OnnxEncoder, load_encoder

    encoder = load_encoder(report=say)
    where = f"; {described(encoder)}" if isinstance(encoder, OnnxEncoder) else ""
    return f"{encoder.name}, {encoder.dimensions} numbers{where}"


def _index(record: IndexRecord | None) -> str:
    if record is None:
        return "none; try `kgneo index`"
    if record.unfinished:
        return f"{record.unfinished}; `kgneo index` makes them, unless they are being made just now"
    return f"{record.triples:,} triples with {record.encoder}"


def _try(name: str, action: Callable[[], str]) -> Check:
    try:
        return name, True, action()
    except KgneoError as error:
        return name, False, str(error).replace("\n", " ")
