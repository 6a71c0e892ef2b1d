"""`kgneo eval`: measures strategies on questions with known answers, and draws the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from kgneo.asking.question import open_context
from kgneo.cli.help import Command, Option
from kgneo.cli.options import (
    ANSWER,
    RETRIEVAL,
    ModelSettings,
    budget_options,
    complete_strategy,
    connection_options,
    json_option,
    model_options,
    option,
    own_user,
    print_json,
    progress,
    say,
    selection_options,
    set_option,
    with_options,
)
from kgneo.cli.progress import Bar
from kgneo.context import Context, Options
from kgneo.errors import GraphUnavailable, NotIndexed, ServerError, UsageError
from kgneo.evaluation import figures
from kgneo.evaluation.backend import graph_backend
from kgneo.evaluation.claims import HEADER, Judged, drawn, judge, read_claims, rows_of, summary
from kgneo.evaluation.compare import compare, comparison_text
from kgneo.evaluation.evaluate import Control, Outcome, evaluate
from kgneo.evaluation.experiment import STAGES, Plan, read_experiment
from kgneo.evaluation.report import NOT_APPLICABLE, write_report
from kgneo.evaluation.run import Backend, Configuration, Progress
from kgneo.evaluation.summary import Group, Summary, group, over_seeds
from kgneo.graph import Graph
from kgneo.llm import LanguageModel
from kgneo.llm.spending import Spending
from kgneo.questions import Dataset, reader, reader_names
from kgneo.settings import Settings, open_graph
from kgneo.strategies import find_strategy, read_options
from kgneo.verification.verdict import OPEN

GRID = ("question_hops", "seeds", "strategies", "hops", "top_k")
PLANNED = (*GRID, "split", "variant", "limit", "stage", "brackets", "select")


class ManyOption(Option):
    """An option that may be given several times; a single value from `kgneo.toml` counts as one."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        one = value is not None and not isinstance(value, list | tuple)
        return super().type_cast_value(ctx, [value] if one else value)


def many(*names: str, **attributes: Any) -> Callable[[Any], Any]:
    """An option of the grid."""
    return option(*names, multiple=True, cls=ManyOption, **attributes)


@click.command("eval", cls=Command)
@click.argument("target", nargs=-1)
@option("--split", default="dev", show_default=True, help="Split of the data set.", group="Questions")
@option("--variant", default="vanilla", show_default=True, help="Variant of the data set.", group="Questions")
@many(
    "--question-hops",
    type=click.IntRange(1),
    help="Ask questions of this many hops. Repeatable.  [all]",
    group="Questions",
)
@option(
    "--limit",
    type=click.IntRange(1),
    envvar="KGNEO_EVAL_LIMIT",  # KGNEO_LIMIT bounds the answers of `ask`
    help="Questions for each number of hops and seed.  [all]",
)
@many("--seed", "seeds", type=int, help="Draws the sample; the language model gets it too. Repeatable.  [0]")
@many("--strategy", "-s", "strategies", shell_complete=complete_strategy, help="How to answer. Repeatable.  [auto]")
@many("--hops", "-n", type=click.IntRange(1, 6), help="How far to reach (N). Repeatable.  [3]", group=RETRIEVAL)
@many("--top-k", "-k", type=click.IntRange(1, 1000), help="Triples to keep (K). Repeatable.  [30]", group=RETRIEVAL)
@option("--stage", type=click.Choice(STAGES), default="ask", show_default=True, help="Measure this.", group="Questions")
@option(
    "--brackets/--no-brackets",
    default=True,
    show_default=True,
    help="Say which entities are asked about.",
    group=ANSWER,
)
@click.option("--experiment", type=click.Path(path_type=Path), metavar="FILE", help="Take the grid from a TOML file.")
@click.option(
    "--compare", "pair", nargs=2, type=click.Path(path_type=Path), metavar="RUN_A RUN_B", help="Compare two runs."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Results folder.  [results/…]")
@option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Questions asked at once.", group="Run"
)
@option(
    "--wait",
    type=click.FloatRange(min=0),
    default=600.0,
    show_default=True,
    help="Seconds to wait for a lost server.",
    group="Run",
)
@option(
    "--closed",
    is_flag=True,
    help="For claims: take the graph to be complete; what it does not hold is false.",
    group="Run",
)
@click.option("--retry-failed", is_flag=True, help="Ask again what failed with an error.")
@click.option("--figures/--no-figures", "with_figures", default=True, help="Draw the figures.  [figures]")
@click.option("--diagnose/--no-diagnose", default=True, help="Look for the causes of wrong answers.  [diagnose]")
@option(
    "--direction",
    type=click.Choice(["both", "out"]),
    default="both",
    show_default=True,
    help="Walk this way.",
    group=RETRIEVAL,
)
@option("--exact", is_flag=True, help="Score every candidate instead of asking the vector index.", group=RETRIEVAL)
@option(
    "--encoder", metavar="NAME|PATH", help="Insist on this encoder; it must be the one of the index.", group=RETRIEVAL
)
@option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=Options().min_confidence,
    show_default=True,
    help="Count answers below this confidence as not given.",
    group=ANSWER,
)
@with_options(*selection_options)
@set_option
@with_options(*budget_options)
@model_options
@json_option
@connection_options
@click.pass_context
def eval(  # noqa: A001
    context: click.Context,
    /,
    target: tuple[str, ...],
    pair: tuple[Path, Path] | None,
    as_json: bool,
    model: ModelSettings,
    settings: Settings,
    **given: Any,
) -> None:
    """Measure strategies on questions with known answers.

    TARGET is `metaqa DIR` (MetaQA's folder), `jsonl FILE` (your own questions, an object a line with "question",
    "answers" or "nodes" and, if you like, "entities"), or DIR alone with --experiment. Options that are given several
    times make a grid. A run that was stopped goes on when the same command is given again.

    `claims FILE` measures `kgneo verify` on claims instead: JSON lines or CSV with "claim", "label" and, if you like,
    "entities" and "kind". Where no label is "not enough evidence", that verdict counts as refuted.

    \b
    Examples:
      kgneo eval metaqa DIR --limit 100
      kgneo eval metaqa DIR --stage retrieve --hops 1 --hops 2 --hops 3 --top-k 10 --top-k 30 --limit 100
      kgneo eval jsonl questions.jsonl --strategy paths --json
      kgneo eval metaqa DIR --strategy kg-rag --strategy kaping --llm mistral-7b --limit 100
      kgneo eval metaqa DIR --strategy navigator --set variants=0 --max-calls 20 --llm mistral-7b --limit 100
      kgneo eval --experiment experiments/experiment-1.toml DIR --split dev
      kgneo eval --compare results/a results/b
      kgneo eval claims claims.jsonl --limit 100
    """
    if pair is not None:
        if target:
            raise UsageError(f"--compare takes two runs and nothing else; found {target[0]!r} as well")
        comparison = compare(*pair)
        print_json(comparison.to_dict()) if as_json else click.echo(comparison_text(comparison))
        return
    if target[:1] == ("claims",):
        _claims(target[1:], settings, model, given, as_json=as_json)
        return
    plan, path = _plan(context, target, given)
    if given["with_figures"]:
        figures.require_matplotlib()
    dataset = reader(plan.dataset).read(path, split=plan.split, variant=plan.variant, question_hops=plan.question_hops)
    options = Options(
        direction=given["direction"],
        exact=given["exact"],
        min_confidence=given["min_confidence"],
        llm_timeout=model.llm_timeout,
        max_calls=given["max_calls"],
        max_tokens=given["max_tokens"],
        price=given["price"],
        max_cost=given["max_cost"],
        user=own_user(),
        day_tokens=given["day_tokens"],
        day_cost=given["day_cost"],
    )
    assigned = read_options(plan.strategies, given["assigned"])
    speaking = _model(plan, model)
    prompts = model.load_prompts()
    with open_graph(settings, report=say) as graph:
        opened = open_context(
            graph, encoder=given["encoder"], options=options, model=speaking, prompts=prompts, report=say
        )
        opened = replace(opened, spending=Spending.of_this_machine() if speaking else None)
        _refuse_unfinished(opened)
        own = {"select": plan.select or None, "follow": given["follow"], "free": given["free"], **assigned}
        backend = graph_backend(opened, alive=probe(graph, settings), options=own)
        outcome = _evaluate(plan, dataset, backend, given)
    report = write_report(outcome, with_figures=given["with_figures"])
    if as_json:
        print_json(outcome.to_dict())
    else:
        click.echo("\n".join(_table(outcome)))
    say(f"Report: {report}")


def _refuse_unfinished(context: Context) -> None:
    """Raises NotIndexed while embeddings are being made: no two questions would be asked of the same graph."""
    if state := context.knowledge.unfinished():
        raise NotIndexed(f"{state}, and figures would change with each.", hint="Measure when `kgneo index` is done.")


def _claims(
    files: Sequence[str], settings: Settings, model: ModelSettings, given: dict[str, Any], *, as_json: bool
) -> None:
    """Judge the claims of a file, and print how many verdicts are right."""
    if len(files) != 1:
        raise UsageError(f"expected one file of claims; found {len(files)}", hint="For example `claims claims.jsonl`.")
    every = read_claims(Path(files[0]))
    chosen = drawn(every, given["limit"], seed=(given["seeds"] or (0,))[0])
    two = not any(claim.label == OPEN for claim in every)
    options = Options(llm_timeout=model.llm_timeout)
    prompts, speaking = model.load_prompts(), model.load()
    judged: list[Judged] = []
    with open_graph(settings, report=say) as graph:
        opened = open_context(
            graph, encoder=given["encoder"], options=options, model=speaking, prompts=prompts, report=say
        )
        if speaking is not None:  # without one, claims are checked as queries, which need no embeddings
            _refuse_unfinished(opened)
        with progress(len(chosen), "claims", "claim") as bar:
            for claim in chosen:
                judged.append(judge(opened, claim, given=given["brackets"], closed=given["closed"], two=two))
                bar.update()
    if as_json:
        print_json({"file": files[0], "summary": summary(judged), "claims": [item.to_dict() for item in judged]})
    else:
        rows = [
            tuple(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row) for row in rows_of(judged)
        ]
        click.echo("\n".join(_aligned([HEADER, *rows])))


def _plan(context: click.Context, target: tuple[str, ...], given: dict[str, Any]) -> tuple[Plan, Path]:
    """What to measure, and where its questions are. A file's grid gives way to flags alone."""
    experiment = given["experiment"]
    if experiment is not None:
        if len(target) != 1:
            raise UsageError(f"--experiment takes one folder or file of questions; found {len(target)}")
        flags = {
            name: given[name] for name in PLANNED if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        }
        return read_experiment(experiment).changed(**flags), Path(target[0])
    if len(target) != 2:
        raise UsageError(
            f"expected a data set and its path; found {len(target)} arguments",
            hint=f"For example `kgneo eval metaqa DIR`. Data sets: {', '.join(reader_names())}.",
        )
    return Plan(target[0]).changed(**{name: given[name] for name in PLANNED}), Path(target[1])


def _model(plan: Plan, settings: ModelSettings) -> LanguageModel | None:
    """The language model where a strategy of the plan needs one; another is no part of what is measured."""
    needs = {name: find_strategy(name).needs for name in plan.strategies} if plan.stage == "ask" else {}
    needing = [name for name, needed in needs.items() if needed.model]
    if not needing:
        return settings.load() if any(needed.model_if_any for needed in needs.values()) else None
    loaded = settings.load()
    if loaded is None:
        raise UsageError(
            f"{needing[0]} needs a language model", hint="Name one with --llm, see docs/language-models.md."
        )
    return loaded


def _evaluate(plan: Plan, dataset: Dataset, backend: Backend, given: dict[str, Any]) -> Outcome:
    with _shown_progress(plan.stage) as shown:
        control = Control(
            workers=given["workers"],
            wait_s=given["wait"],
            retry_failed=given["retry_failed"],
            diagnose=given["diagnose"],
            on_start=shown.start,
            on_progress=shown.step,
            notify=say,
        )
        try:
            return evaluate(plan, dataset, backend, out=given["out"], control=control)
        except KeyboardInterrupt:
            say("What is done is kept; the same command goes on.")
            raise


@dataclass
class ShownProgress:
    """A bar over all configurations, with the running Hit@1 of the present one and the time left."""

    stage: str
    bar: Bar | None = None
    present: Configuration | None = None
    done: int = 0

    def start(self, total: int) -> None:
        """Show the bar."""
        self.bar = progress(total, "questions", "q")

    def step(self, now: Progress) -> None:
        """Move the bar."""
        if self.bar is None:
            return
        if now.configuration != self.present:
            self.present, self.done = now.configuration, 0
        words = now.configuration.name
        if self.stage == "ask" and find_strategy(now.configuration.strategy).needs.graph:
            words += f" Hit@1 {now.hit_at_1:.3f}"
        words += f" {now.errors} failed" if now.errors else ""
        self.bar.describe(words)
        self.bar.update(now.done - self.done)
        self.done = now.done


@contextmanager
def _shown_progress(stage: str) -> Iterator[ShownProgress]:
    shown = ShownProgress(stage)
    try:
        yield shown
    finally:
        if shown.bar is not None:
            shown.bar.close()


def probe(graph: Graph, settings: Settings) -> Callable[[], None]:
    """Whether the server answers; the local store's is started again, at its old address."""

    def alive() -> None:
        try:
            graph.read("RETURN 1")
        except GraphUnavailable:
            if settings.uri:
                raise
            _restart(graph, settings)
            graph.read("RETURN 1")

    return alive


def _restart(graph: Graph, settings: Settings) -> None:
    from kgneo.server import start, store_path

    try:
        start(store_path(settings.store), bolt_port=urlsplit(graph.address).port, report=say)
    except (ServerError, UsageError) as error:
        raise GraphUnavailable(error.message, hint=error.hint) from error


def _table(outcome: Outcome) -> list[str]:
    """The main figures, for a terminal."""
    if outcome.retrieval:
        rows = [("questions", "N", "K", "n", "candidates", "recall, candidates", "recall, top K")]
        for item in over_seeds(outcome.retrieval):
            cell = item.configuration
            rows.append(
                (
                    figures.part_title(cell.question_hops),
                    str(cell.hops),
                    str(cell.top_k),
                    str(item.n),
                    " + ".join(f"{value:.0f}" for value in item.candidates),
                    f"{item.recall_candidates:.3f}",
                    f"{item.recall_top_k:.3f}",
                )
            )
        return _aligned(rows)
    rows_of_answers = [("questions", "strategy", "N", "K", "n", "Hit@1", "Hit@1 text", "F1", "exact", "p50 ms")]
    rows_of_answers += [_row(members) for members in group(outcome.summaries)]
    return [*_aligned(rows_of_answers), *_outcomes(outcome.summaries)]


def _outcomes(summaries: Sequence[Summary]) -> list[str]:
    """A line for each configuration that did not answer all: the share of each outcome, and what of that is right."""
    return [
        f"{item.configuration.strategy}: "
        + ", ".join(f"{name.replace('_', ' ')} {share:.3f}" for name, share in item.outcomes.items())
        + f"; exact of answers {item.exact_of_answers:.3f}, with the first choice taken {item.exact_first:.3f}"
        for item in summaries
        if set(item.outcomes) - {"answer"}
    ]


def _row(members: Group) -> tuple[str, str, str, str, str, str, str, str, str, str]:
    cell = members.configuration
    low, high = members.bar("hit_at_1")

    def told(name: str, shown: str = "") -> str:
        return (shown or f"{members.mean(name):.3f}") if members.applies(name) else NOT_APPLICABLE

    return (
        figures.part_title(cell.question_hops),
        cell.strategy,
        str(cell.hops),
        str(cell.top_k),
        str(members.n),
        told("hit_at_1", f"{members.mean('hit_at_1'):.3f} ({low:.3f}-{high:.3f})"),
        f"{members.mean('hit_at_1_text'):.3f}",
        told("f1"),
        told("exact"),
        f"{members.average('p50_ms'):.1f}",
    )


def _aligned(rows: list[Any]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
