"""`kgneo learn`: labelled questions become examples in the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgneo import defaults
from kgneo.cli.help import Command
from kgneo.cli.hints import about_this_graph
from kgneo.cli.options import (
    FEEDBACK,
    RETRIEVAL,
    ModelSettings,
    connection_options,
    full_key,
    json_option,
    model_options,
    option,
    print_json,
    progress,
    say,
)
from kgneo.errors import UsageError
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.context import Context
    from kgneo.graph import Graph
    from kgneo.graph.examples import Example
    from kgneo.graph.lessons import Lesson
    from kgneo.learning.paths import LearnReport

KEY_DIGITS = 8
SHOWN = 10
BARS = {
    "reading": "Reading",
    "trying": "Finding paths",
    "reading by learned words": "Reading anew",
    "training": "Training",
    "drawing": "Drawing questions",
    "putting into words": "Putting into words",
    "reading back": "Reading back",
    "asking what is meant": "Asking what is meant",
}
FROM_SCHEMA = "from-schema"


@click.command(cls=Command)
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@option(
    "--hops",
    "-n",
    type=click.IntRange(1, defaults.LEARNED_HOPS),
    default=3,
    show_default=True,
    help="How far a path reaches (N).",
    group=RETRIEVAL,
)
@option(
    "--split", default="train", show_default=True, help="Which questions of a data set's folder.", group="Questions"
)
@option("--variant", default="vanilla", show_default=True, help="Which wording of them.", group="Questions")
@option("--sample", "size", type=click.IntRange(min=1), help="Learn only so many, drawn by --seed.", group="Questions")
@option("--seed", type=int, default=0, show_default=True, help="Which questions --sample draws.", group="Questions")
@click.option("--from-schema", is_flag=True, help="Draw questions from the graph itself; with --llm in people's words.")
@option(
    "--count",
    type=click.IntRange(1, 2_000),
    default=100,
    show_default=True,
    help="Query graphs that --from-schema draws.",
    group="Questions",
)
@click.option("--list", "show", is_flag=True, help="Show the examples in the graph.")
@click.option(
    "--remove", "keys", multiple=True, metavar="KEY|all|from-schema", help="Remove an example, or all. Repeatable."
)
@option("--review", is_flag=True, help="Show what people said of answers, and what each would change.", group=FEEDBACK)
@option("--take", multiple=True, metavar="KEY|all", help="Make it a verified question. Repeatable.", group=FEEDBACK)
@option("--drop", multiple=True, metavar="KEY|all", help="Drop it unlearned. Repeatable.", group=FEEDBACK)
@option("--take-back", metavar="NAME", help="Take back all that one person said.", group=FEEDBACK)
@option(
    "--encoder", metavar="NAME|PATH", help="Insist on this encoder; it must be the one of the index.", group=RETRIEVAL
)
@json_option
@model_options
@connection_options
def learn(
    files: tuple[Path, ...],
    from_schema: bool,
    count: int,
    hops: int,
    split: str,
    variant: str,
    size: int | None,
    seed: int,
    show: bool,
    keys: tuple[str, ...],
    review: bool,
    take: tuple[str, ...],
    drop: tuple[str, ...],
    take_back: str | None,
    encoder: str | None,
    as_json: bool,
    model: ModelSettings,
    settings: Settings,
) -> None:
    """Learn from questions whose answers are known, and from what people say of answers.

    A file holds JSON objects (.jsonl) with "question" and "answers" (or "nodes"), or lines of a question, a tab, and
    answers separated by "|". How a question is answered is found by trying its readings, or, where it has [brackets] or
    "entities", the relation paths of the graph; "cypher" or "query_graph" of an object say it. Questions that nothing
    answers are reported and not stored.

    What people say of answers (`kgneo ask --right`, `--wrong`, `--means`, `--answers`, the page, HTTP, MCP) waits until
    somebody has looked at it: --review shows each with what it would change, and --take makes it a verified question of
    the file of terms. What would break another verified question is refused.

    --from-schema draws questions from the graph itself. With --llm a model puts them into people's words once, about 30
    calls for 100 query graphs: they teach what words stand for. What somebody asked outranks them.

    \b
    Examples:
      kgneo learn questions.jsonl
      kgneo learn --from-schema --llm openai:gpt-5-mini
      kgneo learn --remove from-schema
      kgneo learn --review
      kgneo learn --take 3f2a91c0
      kgneo learn --take-back anna
      kgneo learn --list
      kgneo learn --remove all
    """
    from kgneo.asking.question import open_context
    from kgneo.cli.index import renew_mirror
    from kgneo.context import Options
    from kgneo.learning.paths import learn_questions
    from kgneo.questions import read_labelled, sample

    asked = (bool(files), from_schema, show, bool(keys), review, bool(take), bool(drop), bool(take_back))
    if sum(asked) != 1:
        raise UsageError(
            "learn takes one of: files, --from-schema, --list, --remove, --review, --take, --drop, --take-back.",
            hint="See kgneo learn --help.",
        )
    with open_graph(settings, report=say) as graph:
        if any(asked[4:]):
            from kgneo.cli.review import Review

            feedback = Review(open_context(graph, encoder=encoder, report=say), as_json=as_json)
            if review:
                feedback.show()
            elif take_back:
                feedback.take_back(take_back)
            else:
                (feedback.take if take else feedback.drop)(take or drop)
        elif show:
            _list(graph, as_json)
        elif keys:
            _remove(graph, keys, encoder, as_json)
            renew_mirror(graph)
        elif from_schema:
            context = open_context(graph, encoder=encoder, report=say)
            _from_schema(context, count, seed, model, as_json)
            renew_mirror(graph)
        else:
            questions = [item for file in files for item in read_labelled(file, split=split, variant=variant)]
            context = open_context(graph, encoder=encoder, options=Options(hops=hops), report=say)
            with _bars() as show_progress:
                report = learn_questions(context, sample(questions, size, seed=seed), on_progress=show_progress)
            renew_mirror(graph)
            _report(report, as_json)


@contextmanager
def _bars() -> Iterator[Callable[[str, int, int], None]]:
    bars: dict[str, Any] = {}

    def show_progress(stage: str, done: int, total: int) -> None:
        if stage not in bars:
            bars[stage] = progress(total, BARS[stage], " questions")
        bars[stage].total = total
        bars[stage].update(done - bars[stage].n)

    try:
        yield show_progress
    finally:
        for bar in bars.values():
            bar.close()


def _from_schema(context: Context, count: int, seed: int, model: ModelSettings, as_json: bool) -> None:
    """Draw questions, and learn them in the place of those that were drawn before."""
    from kgneo.context import Clock
    from kgneo.graph.lessons import DRAWN, remove_lessons
    from kgneo.learning.paths import learn_questions
    from kgneo.learning.self_teaching import teach_self
    from kgneo.stages.generate import ModelCalls

    speaking, calls = model.load(), None
    if speaking is not None:
        calls = ModelCalls(speaking, model.load_prompts(), Clock(), timeout=model.llm_timeout)
    with _bars() as show_progress:
        told = teach_self(context, count, calls=calls, seed=seed, on_progress=show_progress, warn=say)
        if told.kept:  # a model that failed takes nothing away
            remove_lessons(context.graph, source=DRAWN)
        report = learn_questions(context, told.kept, source=DRAWN, on_progress=show_progress)
    if as_json:
        use = asdict(calls.use) if calls else None
        counts = {"drawn": told.drawn, "worded": told.worded, "read": told.read, "kept": len(told.kept)}
        print_json({**counts, "llm": use, "learned": asdict(report)})
        return
    click.echo(
        f"Drew {told.drawn:,} query graphs, which became {told.worded:,} questions: {told.read:,} are read as they are "
        f"meant, {len(told.kept) - told.read:,} others are taught."
    )
    if calls is None:
        click.echo(
            "They are in kgneo's own words, so that they teach little; --llm has a model put them into people's."
        )
    else:
        click.echo(f"{calls.use.calls:,} calls, {calls.use.prompt_tokens + calls.use.completion_tokens:,} tokens.")
    _report(report, as_json)


def _report(report: LearnReport, as_json: bool) -> None:
    if as_json:
        print_json(asdict(report))
        return
    click.echo(f"Learned {report.learned:,} of {report.questions:,} questions: {report.examples:,} examples.")
    click.echo(f"The graph holds {report.stored:,} examples now.")
    by_hand, trained = report.accuracy
    if report.stored:
        kept = "kept" if report.trained else "not kept"
        click.echo(f"Examples understood by the others: {by_hand:.1%}; with trained weights {trained:.1%} ({kept}).")
    for rejected in report.rejected[:SHOWN]:
        click.echo(f"Not learned: {rejected.question}\n  {rejected.reason}")
    if len(report.rejected) > SHOWN:
        click.echo(f"… and {len(report.rejected) - SHOWN:,} more; --json lists all.")
    click.echo(about_this_graph("Next: kgneo ask QUESTION, or kgneo learn --list"))


def _list(graph: Graph, as_json: bool) -> None:
    from kgneo.graph.examples import all_examples
    from kgneo.graph.lessons import all_lessons
    from kgneo.query.wording import wording

    examples, lessons = all_examples(graph), all_lessons(graph)
    if as_json:
        print_json([*map(_record, examples), *map(_lesson, lessons)])
        return
    for example in examples:
        click.echo(f"{example.key[:KEY_DIGITS]}  {example.count:5}  {example.text}  →  {example.path}")
    for lesson in lessons:
        drawn = "  (from the schema)" if lesson.source else ""
        click.echo(f"{lesson.key[:KEY_DIGITS]}  {lesson.count:5}  {lesson.text}  →  {wording(lesson.graph)}{drawn}")
    if not examples and not lessons:
        click.echo(about_this_graph("No examples. Next: kgneo learn FILE"))


def _record(example: Example) -> dict[str, object]:
    return {
        "key": example.key,
        "text": example.text,
        "path": str(example.path),
        "count": example.count,
        "question": example.question,
        "entity": example.entity,
        "answers": example.answers,
    }


def _lesson(lesson: Lesson) -> dict[str, object]:
    from kgneo.query.json import to_json

    return {
        "key": lesson.key,
        "text": lesson.text,
        "query_graph": to_json(lesson.graph),
        "count": lesson.count,
        "question": lesson.question,
        "source": lesson.source,
    }


def _remove(graph: Graph, keys: Sequence[str], encoder: str | None, as_json: bool) -> None:
    from kgneo.asking.question import open_context
    from kgneo.graph.examples import all_examples, remove_examples
    from kgneo.graph.lessons import DRAWN, all_lessons, remove_lessons
    from kgneo.learning.paths import train_scorer
    from kgneo.learning.readings import learn_readings

    if "all" in keys:
        removed = remove_examples(graph) + remove_lessons(graph)
    elif FROM_SCHEMA in keys:
        removed = remove_lessons(graph, source=DRAWN)
        if all_lessons(graph):
            learn_readings(open_context(graph, encoder=encoder, report=say), ())
        else:
            remove_lessons(graph)
    else:
        examples = [example.key for example in all_examples(graph)]
        lessons = [lesson.key for lesson in all_lessons(graph)]
        chosen = [full_key(key, [*examples, *lessons], "examples", "--list") for key in keys]
        removed = remove_examples(graph, chosen) + remove_lessons(graph, chosen)
        context: Context = open_context(graph, encoder=encoder, report=say)
        if set(chosen) & set(examples):
            train_scorer(context)
        if set(chosen) & set(lessons):
            learn_readings(context, ())
    if as_json:
        print_json({"removed": removed})
    else:
        click.echo(f"Removed {removed:,} examples.")
