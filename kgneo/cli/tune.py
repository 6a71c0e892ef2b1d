"""`kgneo tune`: examples for a language model and an encoder from graphs, and either tuned on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgneo.asking.question import open_context
from kgneo.cli.options import connection_options, json_option, option, print_json, progress, say
from kgneo.encoders.encoder import DEFAULT_ENCODER
from kgneo.errors import UsageError
from kgneo.questions import Question, read_labelled
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.tuning.data import Example, Split
    from kgneo.tuning.pairs import Pair

TRAIN, DEV, PAIRS = "train.jsonl", "dev.jsonl", "pairs-"
TASKS = (
    "answer", "decompose", "decouple", "entities", "follow_up", "infer", "offered", "query_graph", "reconstruct",
    "relations", "rewrite", "similar", "synthesise", "verify",
)  # fmt: skip


@click.group()
def tune() -> None:
    """Tune a language model for kgneo's prompts, and an encoder, on examples from your own graph.

    \b
    Examples:
      kgneo tune data --out examples
      kgneo tune train examples --base smollm2 --out tuned
      kgneo ask "…" --llm smollm2 --llm-adapter tuned/adapter.gguf
      kgneo tune encoder examples --out tuned
      kgneo index --encoder tuned/encoder
    """


@tune.command()
@option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for the examples.")
@option("--questions", type=click.IntRange(min=0), default=500, show_default=True, help="Questions to make of a graph.")
@option(
    "--labelled",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Questions of your own with their answers, as `kgneo learn` takes them. Repeatable.",
)
@option("--split", "part", default="train", show_default=True, help="Which questions, where --labelled is a folder.")
@option("--graph", "graphs", multiple=True, metavar="STORE|URI", help="A graph of several. Repeatable.")
@option("--invented", is_flag=True, help="Of invented graphs, for a model that serves any graph; no server is needed.")
@option(
    "--whole", is_flag=True, help="kg-rag learns to leave every question whole, as a model that splits badly should."
)
@option("--task", "tasks", type=click.Choice(TASKS), multiple=True, help="Chats of this task alone. Repeatable.")
@option("--seed", type=int, default=0, show_default=True, help="Which questions, and which of them are dev.")
@json_option
@connection_options
def data(
    out: Path,
    questions: int,
    labelled: tuple[Path, ...],
    part: str,
    graphs: tuple[str, ...],
    invented: bool,
    whole: bool,
    tasks: tuple[str, ...],
    seed: int,
    as_json: bool,
    settings: Settings,
) -> None:
    """Make examples from graphs: train.jsonl and dev.jsonl, one chat a line, the last message the right reply, and
    pairs-train.jsonl and pairs-dev.jsonl, questions with right and wrong texts, for an encoder.

    Questions are made over the graph's schema, and kgneo's strategies answer them with a teacher who knows the answers;
    your own are asked of each graph that answers them. What dev asks about is neither asked about nor an answer in
    train. With --invented the chats are of kg-rag alone, over graphs of fifteen fields with names that nobody bears;
    dev has graphs of its own.

    \b
    Examples:
      kgneo tune data --out examples
      kgneo tune data --out examples --questions 5000 --seed 1 --uri neo4j://localhost:7687
      kgneo tune data --out examples --graph films --graph bolt://localhost:7688 --labelled questions.jsonl
      kgneo tune data --out examples --labelled questions.jsonl --whole
      kgneo tune data --out examples --graph films --task query_graph
      kgneo tune data --out examples --questions 1000 --invented
    """
    from kgneo.tuning.data import write_jsonl

    if invented and (labelled or graphs):
        raise UsageError("--invented makes its own graphs and questions: it goes with neither --graph nor --labelled.")
    if invented:
        from kgneo.tuning.invented import invented_split

        with progress(questions, "Questions", "questions") as bar:
            chats, pairs = invented_split(questions, seed, whole=whole, advance=bar.update)
        chats = (_of_tasks(chats[0], tasks), _of_tasks(chats[1], tasks))
        left_out = 0
    else:
        own = [question for path in labelled for question in read_labelled(path, split=part)]
        chats, pairs, left_out = _from_graphs(questions, seed, own, _each(settings, graphs), whole=whole, tasks=tasks)
    if not (chats[0] or pairs[0]):
        raise UsageError(
            "No examples could be made of this graph.", hint="Expected relationships between nodes with names."
        )
    out.mkdir(parents=True, exist_ok=True)
    for prefix, (train, dev) in (("", chats), (PAIRS, pairs)):
        write_jsonl(train, out / f"{prefix}{TRAIN}")
        write_jsonl(dev, out / f"{prefix}{DEV}")
    counts = {"examples": _counts(chats), "pairs": _counts(pairs)}
    if as_json:
        print_json({**counts, "left_out": left_out, "folder": str(out)})
        return
    for made in counts.values():
        for task in sorted({*made["train"], *made["dev"]}):
            click.echo(f"{task:12} {made['train'].get(task, 0):6,} train {made['dev'].get(task, 0):6,} dev")
    if left_out:
        click.echo(
            f"{left_out:,} labelled questions left out: no graph answers them along one path from one entity, by"
            " the query that they bring, or as they are read."
        )
    click.echo(f"\nTry next: kgneo tune train {out} --base smollm2 --out tuned")
    if pairs[0]:
        click.echo(f"      or: kgneo tune encoder {out} --out tuned")


def _of_tasks(chats: Sequence[Example], tasks: Sequence[str]) -> list[Example]:
    return [chat for chat in chats if not tasks or chat.task in tasks]


def _counts(parts: Split[Any]) -> dict[str, dict[str, int]]:
    """Examples by task, for training and for dev."""
    return {name: dict(Counter(item.task for item in part)) for name, part in zip(("train", "dev"), parts, strict=True)}


def _each(settings: Settings, graphs: Sequence[str]) -> list[Settings]:
    """Where each of the graphs is: those named, by address or by store, else the one of the connection."""
    return [
        replace(settings, uri=name, store=None) if "://" in name else replace(settings, uri=None, store=name)
        for name in graphs
    ] or [settings]


def _from_graphs(
    questions: int, seed: int, own: Sequence[Question], graphs: Sequence[Settings], *, whole: bool, tasks: Sequence[str]
) -> tuple[Split[Example], Split[Pair], int]:
    """Chats and pairs of all graphs, and how many of one's own questions none of them answers."""
    from kgneo.tuning.data import split
    from kgneo.tuning.from_graph import from_graph

    chats, pairs, answered = list[Any](), list[Any](), set[str]()
    for settings in graphs:
        with open_graph(settings, report=say) as graph, progress(len(own) + questions, "Questions", "questions") as bar:
            context = open_context(graph, report=say)
            made = from_graph(
                context, questions=questions, seed=seed, own=own, whole=whole, tasks=tasks, advance=bar.update
            )
        chats += made.examples
        pairs += made.pairs
        answered |= made.answered
    return split(chats, seed), split(pairs, seed), len({question.id for question in own} - answered)


@tune.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@option("--base", required=True, metavar="MODEL", help="smollm2, a name on the hub, a folder, or a GGUF file.")
@option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for the adapter.")
@option(
    "--adapter",
    metavar="FILE|shipped",
    help="Go on from this adapter.gguf of the same base; `shipped` is the one that smollm2 comes with.",
)
@option("--rank", type=click.IntRange(min=1), default=16, show_default=True, help="Rank of a new adapter.")
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
@option("--light", is_flag=True, help="Learn nothing from how long beginnings are read: less memory and time.")
@option("--merged", is_flag=True, help="Also write the whole model, as a folder and, of a GGUF file, as one.")
@json_option
def train(folder: Path, base: str, out: Path, adapter: str | None, as_json: bool, **settings: Any) -> None:
    """Train a LoRA adapter on the examples of FOLDER: train.jsonl, with dev.jsonl to tell when to stop.

    On a GPU where PyTorch sees one, else on the processor. The same command goes on after an interruption.

    \b
    Examples:
      kgneo tune train examples --base smollm2 --out tuned
      kgneo tune train examples --base smollm2 --adapter shipped --out tuned
      kgneo tune train examples --base mistralai/Mistral-7B-Instruct-v0.2 --out tuned --batch 8 --merged
    """
    from kgneo.llm.factory import SMALL, small_model_path
    from kgneo.tuning.train import Training
    from kgneo.tuning.train import train as run_training

    model = str(small_model_path()) if base == SMALL else base
    done = run_training(model, folder, out, Training(adapter=_adapter(adapter, base), **settings), report=say)
    if as_json:
        print_json(asdict(done))
        return
    click.echo(
        f"{done.steps:,} steps over {done.examples:,} examples; "
        f"loss on dev {done.loss_before:.3f} before, {done.loss_after:.3f} after"
    )
    named = SMALL if base == SMALL else "llama:BASE.gguf"
    click.echo(f'Try next: kgneo ask "…" --llm {named} --llm-adapter {done.adapter}')


def _adapter(named: str | None, base: str) -> Path | None:
    """The adapter to go on from. Raises UsageError where there is none."""
    from kgneo.llm.factory import SMALL, small_adapter_path

    if named != "shipped":
        if named is not None and not Path(named).is_file():
            raise click.UsageError(f"--adapter: there is no file {named!r}.")
        return Path(named) if named is not None else None
    if base != SMALL:
        raise click.UsageError(f"--adapter shipped goes with --base {SMALL}, not with {base}.")
    return small_adapter_path()


@tune.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@option(
    "--base", default=DEFAULT_ENCODER, show_default=True, metavar="MODEL", help="minilm, mpnet, a folder, a hub name."
)
@option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for the encoder.")
@option("--epochs", type=click.FloatRange(min=0.01), default=1.0, show_default=True, help="Passes over the pairs.")
@option("--steps", type=click.IntRange(min=1), help="Steps to do, instead of passes.")
@option("--batch", type=click.IntRange(min=1), default=16, show_default=True, help="Questions a step.")
@option(
    "--learning-rate", type=click.FloatRange(min=0, min_open=True), default=2e-5, show_default=True, help="Highest."
)
@option("--negatives", type=click.IntRange(min=1), default=8, show_default=True, help="Wrong texts beside a right one.")
@option("--every", type=click.IntRange(min=1), default=50, show_default=True, help="Steps between looks at dev.")
@option("--seed", type=int, default=0, show_default=True, help="Of the order of pairs.")
@json_option
def encoder(folder: Path, out: Path, as_json: bool, **settings: Any) -> None:
    """Tune a sentence encoder on the pairs of FOLDER: pairs-train.jsonl, with pairs-dev.jsonl to tell when to stop.

    A question is drawn to its right relation paths and triples, away from others of the same entities. What comes out
    is an encoder like any other, for --encoder of load, index and ask, and for refkg's expert. On a GPU where PyTorch
    sees one, else on the processor. The same command goes on after an interruption.

    \b
    Examples:
      kgneo tune encoder examples --out tuned
      kgneo index --encoder tuned/encoder
      kgneo ask "…" --llm smollm2 --strategy refkg --set expert=tuned/encoder
    """
    from kgneo.tuning.encoder import EncoderTraining, K, train_encoder

    done = train_encoder(folder, out, EncoderTraining(**settings), report=say)
    if as_json:
        print_json({**asdict(done), "encoder": str(done.encoder)})
        return
    for task, after in done.after.items():
        before = done.before[task]
        click.echo(
            f"{task:9} of dev ({after.pairs:,}): nearest right {before.first:.3f} before, {after.first:.3f} after; "
            f"right ones among {K} {before.recall:.3f}, {after.recall:.3f}"
        )
    click.echo(
        f"{done.steps:,} steps over {done.pairs:,} pairs; "
        f"loss on dev {done.loss_before:.3f} before, {done.loss_after:.3f} after"
    )
    click.echo(f"Try next: kgneo index --encoder {done.encoder}")
