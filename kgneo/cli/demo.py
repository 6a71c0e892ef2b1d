"""`kgneo demo`: the sample graph in a store of its own, and its questions answered."""

from __future__ import annotations

import json
from dataclasses import replace

import click

from kgneo.asking import ask, open_context
from kgneo.cli.index import run_index
from kgneo.cli.options import connection_options, say
from kgneo.graph.load import load, source_digest
from kgneo.loader import open_source, read_triples
from kgneo.sample import questions_path, triples_path
from kgneo.settings import Settings, open_graph

STORE = "demo"


@click.command()
@connection_options
def demo(settings: Settings) -> None:
    """Load a small sample graph into a store of its own and answer its questions.

    The first run downloads Neo4j; nothing else is needed, no account, no language model.

    \b
    Examples:
      kgneo demo
    """
    if settings.uri is None and settings.store is None:
        settings = replace(settings, store=STORE)
    questions = [json.loads(line) for line in questions_path().read_text(encoding="utf-8").splitlines()]
    with open_graph(settings, report=say) as graph:
        source = open_source(triples_path())
        load(graph, read_triples(source), name=source_digest(source))
        run_index(graph, None)
        context = open_context(graph)
        right = 0
        for record in questions:
            answer = ask(context, record["question"])
            correct = answer.answers[:1] and answer.answers[0] in record["answers"]
            right += bool(correct)
            click.echo(f"{'✓' if correct else '✗'} {record['question']}\n    {answer.answer}")
            if not correct:
                click.echo(f"    expected: {', '.join(record['answers'])}")
    store = f" --store {settings.store}" if settings.store else ""
    click.echo(f"\n{right} of {len(questions)} right, without a language model.")
    click.echo("Try next:")
    click.echo(f'  kgneo ask "which seas do the rivers of [Germany] flow into?"{store}')
    click.echo("  kgneo load YOUR_TRIPLES.csv")
    click.echo(f"  kgneo server stop{store}")
