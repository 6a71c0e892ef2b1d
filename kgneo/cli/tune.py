"""`kgneo tune`: examples for a language model from a graph, and a model tuned on them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from kgneo.asking import open_context
from kgneo.cli.options import connection_options, json_option, option, print_json, progress, say
from kgneo.errors import UsageError
from kgneo.settings import Settings, open_graph

TRAIN, DEV = "train.jsonl", "dev.jsonl"


@click.group()
def tune() -> None:
    """Tune a language model for the prompts of kgneo's strategies, on examples from your own graph.

    \b
    Examples:
      kgneo tune data --out examples
      kgneo tune train examples --base smollm2 --out tuned
      kgneo ask "…" --llm smollm2 --llm-adapter tuned/adapter.gguf
    """


@tune.command()
@option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for the examples.")
@option("--questions", type=click.IntRange(min=1), default=500, show_default=True, help="Questions to make.")
@option("--seed", type=int, default=0, show_default=True, help="Which questions, and which of them are dev.")
@json_option
@connection_options
def data(out: Path, questions: int, seed: int, as_json: bool, settings: Settings) -> None:
    """Make examples from a graph: train.jsonl and dev.jsonl, one chat a line, the last message the right reply.

    Questions are made over the graph's schema, and kg-rag answers them with a teacher who knows the answers. What dev
    asks about is neither asked about nor an answer in train. The files of several graphs can be joined.

    \b
    Examples:
      kgneo tune data --out examples
      kgneo tune data --out examples --questions 5000 --seed 1 --uri neo4j://localhost:7687
    """
    from kgneo.tuning.data import examples, split, write_jsonl

    with open_graph(settings, report=say) as graph:
        context = open_context(graph, report=say)
        with progress(questions, "Questions", "questions") as bar:
            found = list(examples(context, questions=questions, seed=seed, advance=bar.update))
    train, dev = split(found, seed)
    if not train:
        raise UsageError(
            "No examples could be made of this graph.", hint="Expected relationships between nodes with names."
        )
    out.mkdir(parents=True, exist_ok=True)
    write_jsonl(train, out / TRAIN)
    write_jsonl(dev, out / DEV)
    tasks = {name: Counter(item.task for item in part) for name, part in (("train", train), ("dev", dev))}
    if as_json:
        print_json({"examples": {name: dict(count) for name, count in tasks.items()}, "folder": str(out)})
        return
    for task in sorted(tasks["train"] | tasks["dev"]):
        click.echo(f"{task:12} {tasks['train'][task]:6,} train {tasks['dev'][task]:6,} dev")
    click.echo(f"\nTry next: kgneo tune train {out} --base smollm2 --out tuned")
