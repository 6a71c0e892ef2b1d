"""`kgneo tune`: examples for a language model from a graph, and a model tuned on them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgneo.asking import open_context
from kgneo.cli.options import connection_options, json_option, option, print_json, progress, say
from kgneo.errors import UsageError
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.tuning.data import Example

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
@option("--invented", is_flag=True, help="Of invented graphs, for a model that serves any graph; no server is needed.")
@option("--seed", type=int, default=0, show_default=True, help="Which questions, and which of them are dev.")
@json_option
@connection_options
def data(out: Path, questions: int, invented: bool, seed: int, as_json: bool, settings: Settings) -> None:
    """Make examples from a graph: train.jsonl and dev.jsonl, one chat a line, the last message the right reply.

    Questions are made over the graph's schema, and kgneo's strategies answer them with a teacher who knows the answers.
    What dev asks about is neither asked about nor an answer in train. The files of several graphs can be joined. With
    --invented the examples are of kg-rag alone, over graphs of fifteen fields with names that nobody bears; dev has
    graphs of its own.

    \b
    Examples:
      kgneo tune data --out examples
      kgneo tune data --out examples --questions 5000 --seed 1 --uri neo4j://localhost:7687
      kgneo tune data --out examples --questions 1000 --invented
    """
    from kgneo.tuning.data import write_jsonl

    train, dev = _invented(questions, seed) if invented else _from_graph(questions, seed, settings)
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


def _from_graph(questions: int, seed: int, settings: Settings) -> tuple[list[Example], list[Example]]:
    from kgneo.tuning.data import examples, split

    with open_graph(settings, report=say) as graph:
        context = open_context(graph, report=say)
        with progress(questions, "Questions", "questions") as bar:
            return split(examples(context, questions=questions, seed=seed, advance=bar.update), seed)


def _invented(questions: int, seed: int) -> tuple[list[Example], list[Example]]:
    from kgneo.tuning.invented import invented_split

    with progress(questions, "Questions", "questions") as bar:
        return invented_split(questions, seed, advance=bar.update)


@tune.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@option("--base", required=True, metavar="MODEL", help="smollm2, a name on the hub, a folder, or a GGUF file.")
@option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for the adapter.")
@option("--rank", type=click.IntRange(min=1), default=16, show_default=True, help="Rank of the adapter.")
@option("--epochs", type=click.FloatRange(min=0.01), default=1.0, show_default=True, help="Passes over the examples.")
@option("--steps", type=click.IntRange(min=1), help="Steps to do, instead of passes.")
@option("--batch", type=click.IntRange(min=1), default=4, show_default=True, help="Packs of examples a step.")
@option(
    "--learning-rate", type=click.FloatRange(min=0, min_open=True), default=5e-4, show_default=True, help="Highest."
)
@option(
    "--longest", type=click.IntRange(min=16), default=1024, show_default=True, help="Tokens of a pack; longer go out."
)
@option("--every", type=click.IntRange(min=1), default=50, show_default=True, help="Steps between looks at dev.")
@option("--seed", type=int, default=0, show_default=True, help="Of the order of examples and the first weights.")
@option("--merged", is_flag=True, help="Also write the whole model, as a folder and, of a GGUF file, as one.")
@json_option
def train(folder: Path, base: str, out: Path, as_json: bool, **settings: Any) -> None:
    """Train a LoRA adapter on the examples of FOLDER: train.jsonl, with dev.jsonl to tell when to stop.

    On a GPU where PyTorch sees one, else on the processor. The same command goes on after an interruption.

    \b
    Examples:
      kgneo tune train examples --base smollm2 --out tuned
      kgneo tune train examples --base mistralai/Mistral-7B-Instruct-v0.2 --out tuned --batch 8 --merged
    """
    from kgneo.llm.factory import SMALL, small_model_path
    from kgneo.tuning.train import Training
    from kgneo.tuning.train import train as run_training

    model = str(small_model_path()) if base == SMALL else base
    done = run_training(model, folder, out, Training(**settings), report=say)
    if as_json:
        print_json(asdict(done))
        return
    click.echo(
        f"{done.steps:,} steps over {done.examples:,} examples; "
        f"loss on dev {done.loss_before:.3f} before, {done.loss_after:.3f} after"
    )
    named = SMALL if base == SMALL else "llama:BASE.gguf"
    click.echo(f'Try next: kgneo ask "…" --llm {named} --llm-adapter {done.adapter}')
