"""`kgneo index`: embeddings and the vector index, brought up to date."""

from __future__ import annotations

from dataclasses import asdict

import click

from kgneo.cli.options import connection_options, json_option, option, print_json, progress, say
from kgneo.embedding import DEFAULT_ENCODER, load_encoder
from kgneo.graph import Graph
from kgneo.graph.index import IndexReport, Progress, build, read_record
from kgneo.settings import Settings, open_graph


@click.command()
@option("--encoder", metavar="NAME|PATH", help="Encoder: minilm (default), mpnet, a folder or a hub name.")
@json_option
@connection_options
def index(encoder: str | None, as_json: bool, settings: Settings) -> None:
    """Encode what has no embedding or whose text changed, and make the vector index.

    Without --encoder, the graph's own is used. An interruption loses at most one batch: run it again.

    \b
    Examples:
      kgneo index
      kgneo index --encoder mpnet
    """
    with open_graph(settings, report=say) as graph:
        report = run_index(graph, encoder)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo('Next: kgneo ask "…", with the entity that the question is about in [brackets]')


def run_index(graph: Graph, encoder: str | None, choices: Choices | None = None) -> IndexReport:
    """Build the index with progress bars, and say what was done."""
    record = read_record(graph)
    schema, shape = known_shape(graph, choices=choices, report=say)
    name = encoder or (record.encoder if record else DEFAULT_ENCODER)
    loaded = load_encoder(name, report=say)
    bars = {
        "encoding": progress(None, "Embedding", " triples"),
        "indexing": progress(100, "Building the vector index", "%"),
    }

    def show(step: Progress) -> None:
        bar = bars[step.stage]
        bar.total = step.total
        bar.update(step.done - bar.n)

    try:
        report = build(graph, loaded, shape=shape, schema=schema, on_progress=show)
    finally:
        for bar in bars.values():
            bar.close()
    say(f"Indexed {report.triples:,} triples with the encoder {name}; {report.encoded:,} of them were encoded now.")
    return report
