"""`kgneo demo`: the sample graph in a store of its own, and its questions answered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from kgneo.cli.help import Command
from kgneo.cli.hints import about_this_graph, name_store
from kgneo.cli.options import ModelSettings, connection_options, model_options, say
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.context import Context

STORE = "demo"
TRY_NEXT = (
    "which seas do the rivers of [Germany] flow into?",
    "How is Vienna connected to Cologne?",
    "What do people say about the Danube?",
)


@click.command(cls=Command)
@connection_options
@model_options
def demo(settings: Settings, model: ModelSettings) -> None:
    """Load a small sample graph into a store of its own and answer its questions.

    The first run downloads Neo4j; nothing else is needed, no account, no language model. With one (--llm), its answers
    by kg-rag stand beside those of paths.

    \b
    Examples:
      kgneo demo
      kgneo demo --llm smollm2
    """
    from kgneo.asking.question import open_context
    from kgneo.cli.index import index_texts, run_index
    from kgneo.context import Options
    from kgneo.graph.load import load, source_digest
    from kgneo.loader import open_source, read_triples
    from kgneo.sample import notes_path, questions_path, triples_path

    if settings.uri is None and settings.store is None:
        settings = replace(settings, store=STORE)
        name_store(STORE)
    language_model = model.load()
    prompts = model.load_prompts()
    questions = [json.loads(line) for line in questions_path().read_text(encoding="utf-8").splitlines()]
    with open_graph(settings, report=say, create=True) as graph:
        for path in (triples_path(), notes_path()):
            source = open_source(path)
            load(graph, read_triples(source), name=source_digest(source))
        run_index(graph, None)
        index_texts(graph)
        options = Options(seed=1, llm_timeout=model.llm_timeout)
        context = open_context(graph, model=language_model, prompts=prompts, options=options)
        strategies = ("paths", "kg-rag") if language_model else ("paths",)
        right = Counter(name for record in questions for name in _answered(context, record, strategies))
    click.echo(f"\n{right['paths']} of {len(questions)} right, without a language model.")
    if language_model:
        click.echo(f"{right['kg-rag']} of {len(questions)} right by kg-rag with {language_model.name}.")
    click.echo("Try next:")
    for question in TRY_NEXT:
        click.echo(about_this_graph(f'  kgneo ask "{question}"'))
    click.echo("  kgneo load YOUR_TRIPLES.csv")
    click.echo(about_this_graph("  kgneo server stop"))


def _answered(context: Context, record: dict[str, Any], strategies: Sequence[str]) -> Iterator[str]:
    """Shows the answers to a question; gives the strategies whose first answer is right."""
    from kgneo.asking.question import ask

    answers = {name: ask(context, record["question"], strategy=name) for name in strategies}
    right = [name for name, found in answers.items() if found.answers[:1] and found.answers[0] in record["answers"]]
    click.echo(f"{'✓' if 'paths' in right else '✗'} {record['question']}")
    for name, answer in answers.items():
        beside = "" if len(strategies) == 1 else f"{'✓' if name in right else '✗'} {name}: "
        click.echo(f"    {beside}{' '.join(answer.answer.split())}")
    if len(right) < len(strategies):
        click.echo(f"    expected: {', '.join(record['answers'])}")
    yield from right
