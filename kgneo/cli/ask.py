"""`kgneo ask`: an answer with its evidence, or a conversation."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from kgneo import defaults
from kgneo.cli.feedback import Remark, keep
from kgneo.cli.help import Command, shows_all
from kgneo.cli.options import (
    ANSWER,
    OUTPUT,
    ModelSettings,
    budget_options,
    complete_strategy,
    connection_options,
    feedback_options,
    json_option,
    model_options,
    option,
    own_user,
    print_json,
    retrieval_options,
    say,
    selection_options,
    server_options,
    set_option,
    with_options,
)
from kgneo.cli.printer import Printer
from kgneo.errors import UsageError
from kgneo.settings import Settings, open_graph

if TYPE_CHECKING:
    from kgneo.context import Context
    from kgneo.llm import LanguageModel
    from kgneo.llm.spending import Price
    from kgneo.strategies import Strategy

ALL = "all"
"""In place of a strategy's name."""


class _Every(click.ParamType[int]):
    """A number, or "all", which is 0."""

    name = "number or all"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        text = str(value)
        if text == "all":
            return 0
        if not text.isdecimal():
            self.fail(f"{text!r} is neither a number nor 'all'.", param, ctx)
        return int(text)


EVERY = _Every()


class AskCommand(Command):
    """A command whose whole help lists the strategies, each with a line. They are imported for that alone."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """With --help-all, the strategies, and what `all` is."""
        if shows_all(ctx):
            from kgneo.strategies import described

            lines = {**described(), ALL: "Every strategy that can answer here, in one table."}
            with formatter.section("Strategies"):
                formatter.write_dl(list(lines.items()))
        super().format_epilog(ctx, formatter)


def _complete(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """Names of strategies that begin with what was typed."""
    return [*complete_strategy(context, parameter, begun), *([ALL] if ALL.startswith(begun) else [])]


@click.command(cls=AskCommand)
@click.argument("words", nargs=-1, metavar="[QUESTION]")
@option(
    "--strategy", "-s", metavar="NAME", shell_complete=_complete, help="How to answer, see below.  [auto]", group=ANSWER
)
@set_option
@with_options(*retrieval_options)
@with_options(*selection_options)
@option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="Answers to list at most.",
    group=ANSWER,
)
@option(
    "--evidence",
    type=EVERY,
    default=defaults.EVIDENCE,
    show_default=True,
    metavar="N|all",
    help="Matches to keep as evidence of each answer; with all, all are shown.",
    group=ANSWER,
)
@option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=defaults.MIN_CONFIDENCE,
    show_default=True,
    help="Below this confidence, say that the question was not understood; half of it will do, where nothing else is "
    "said, for marked names and over plain triples.",
    group=ANSWER,
)
@with_options(*budget_options)
@option("--seed", type=int, help="Makes a language model's replies repeatable, where it can.", group=ANSWER)
@model_options
@option(
    "--pick",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Where the question may mean several things, the answer of the reading with this number.",
    group=ANSWER,
)
@with_options(*feedback_options)
@option(
    "--dry-run",
    is_flag=True,
    help="Print the first prompt that would go to the language model, and send none.",
    group=OUTPUT,
)
@option("--edit", is_flag=True, help="For cypher: open each query in your editor before it runs.", group=OUTPUT)
@option("--cypher", is_flag=True, help="Print the query, too, which a pipe gets anyway.", group=OUTPUT)
@option("--quiet", "-q", is_flag=True, help="Print only the answers, one a line.")
@option("--browse", is_flag=True, help="Open Neo4j Browser with the query that shows the answer's graph.", group=OUTPUT)
@json_option
@with_options(
    *server_options(
        "--strategy, --entity, --hops, --top-k, --limit, --llm, --pick, --right, --wrong, --means, --answers, "
        "--cypher, --quiet and --json"
    )
)
@connection_options
def ask(
    words: tuple[str, ...],
    strategy: str | None,
    assigned: tuple[str, ...],
    hops: int,
    top_k: int,
    direction: str,
    exact: bool,
    max_candidates: int | None,
    entities: tuple[str, ...],
    encoder: str | None,
    select: str | None,
    follow: bool,
    free: bool,
    limit: int,
    evidence: int,
    min_confidence: float,
    max_calls: int | None,
    max_tokens: int | None,
    price: Price | None,
    max_cost: float | None,
    day_tokens: int | None,
    day_cost: float | None,
    seed: int | None,
    model: ModelSettings,
    pick: int | None,
    right: bool,
    wrong: bool,
    means: str | None,
    answers: str | None,
    dry_run: bool,
    edit: bool,
    cypher: bool,
    quiet: bool,
    browse: bool,
    as_json: bool,
    server: str | None,
    here: bool,  # noqa: ARG001 - read in `kgneo.cli.remote`
    settings: Settings,
) -> int:
    """Answer a question from the graph, with the triples that the answer rests on.

    The entity that the question is about stands in [brackets], or is given with --entity, or is found in the text.
    Without a question, several are asked in turn: in a terminal a dialogue, where /help says what it understands.

    \b
    Examples:
      kgneo ask "what is the capital of [Ethiopia]?"
      kgneo ask "which countries does the Mekong cross?" --json
      kgneo ask "who lives there?" --entity Kyoto --hops 2
      kgneo ask --llm mistral-7b "which seas do the rivers of [Germany] flow into?"
      kgneo ask --llm mistral-7b --strategy navigator --set variants=0 --max-calls 8 "who wrote [Dracula]?"
      kgneo ask --llm mistral-7b --strategy all "which seas do the rivers of [Germany] flow into?"
      kgneo ask --llm openai:mistral --llm-url http://127.0.0.1:11434/v1
      kgneo ask "who are our best clients?" --means "which 5 customers have the most orders?"
      kgneo ask --server http://127.0.0.1:7575 "which countries does the Mekong cross?"
    """
    if server:
        raise UsageError(
            "A server can be asked by `kgneo ask` with nothing before `ask`, and not with these options.",
            hint="See `kgneo ask --help-all`, at --server, for those that go with it.",
        )
    from kgneo.asking.question import open_context
    from kgneo.context import Options
    from kgneo.strategies import find_strategy, read_options

    question = " ".join(words) if words else None
    options = Options(
        hops=hops,
        top_k=top_k,
        direction=direction,  # type: ignore[arg-type]
        exact=exact,
        max_candidates=max_candidates,
        limit=limit,
        evidence=evidence,
        min_confidence=min_confidence,
        seed=seed,
        llm_timeout=model.llm_timeout,
        max_calls=max_calls,
        max_tokens=max_tokens,
        price=price,
        max_cost=max_cost,
        user=own_user(),
        day_tokens=day_tokens,
        day_cost=day_cost,
    )
    remark = Remark(right, wrong, means, answers)
    if remark.given and (question is None or dry_run or strategy == ALL):
        raise UsageError("--right, --wrong, --means and --answers are said of the answer to one question.")
    prompts = model.load_prompts()
    together = strategy == ALL
    if together and (question is None or assigned or browse):
        raise UsageError(f"--strategy {ALL} takes one question, without --set and --browse.")
    if dry_run and (together or question is None or not model.llm):
        raise UsageError("--dry-run takes one question, one strategy, and a language model with --llm.")
    speaking = _dry(model) if dry_run else model.load()
    name = None if together else strategy or defaults.STRATEGY
    own: dict[str, object] = {"select": select, "follow": follow, "free": free, "review": _edited if edit else None}
    own |= read_options((name,), assigned) if name else {}
    chosen = find_strategy(name, **own) if name else None
    with open_graph(settings, report=say) as graph:
        context = open_context(graph, encoder=encoder, options=options, model=speaking, prompts=prompts, report=say)
        if speaking:
            from kgneo.llm.spending import Spending

            context = replace(context, spending=Spending.of_this_machine())
        if chosen is not None and dry_run:
            assert question is not None
            _print_unsent(context, question, chosen, entities, as_json=as_json)
            return 0
        if chosen is None:
            assert question is not None
            _print_together(context, question, entities, own, quiet=quiet, as_json=as_json)
            return 0
        drawn = settings if browse else None
        printer = Printer(
            context, chosen, quiet=quiet, as_json=as_json, browse=drawn, pick=pick, cypher=cypher, entities=entities
        )
        if question is not None:
            printer.print(question)
            assert printer.last is not None
            keep(context, printer.last, remark)
            return 0
        if sys.stdin.isatty() and sys.stdout.isatty():
            from kgneo.cli.dialogue import Dialogue

            Dialogue(printer).run()
            return 0
        return printer.print_all()


def _dry(model: ModelSettings) -> LanguageModel:
    """What is asked in the place of a language model where nothing is to be sent."""
    from kgneo.llm.dry_run import DryRun

    return DryRun(model.llm or "", model.llm_context)


def _print_unsent(
    context: Context, question: str, strategy: Strategy, entities: tuple[str, ...], *, as_json: bool
) -> None:
    """Print what would be sent to the language model: the first prompt; those after it hold what it replies."""
    from kgneo.asking.question import ask as ask_question
    from kgneo.cli.terminal import print_bold
    from kgneo.llm.dry_run import PromptNotSent

    stage, sent = "", []
    try:
        ask_question(context, question, strategy=strategy, entities=entities)
    except PromptNotSent as unsent:
        stage, sent = unsent.stage, [asdict(message) for message in unsent.messages]
    if as_json:
        print_json({"question": question, "sent": False, "stage": stage, "messages": sent})
        return
    if not sent:
        click.echo("Nothing would be sent: the question is answered without the language model.")
        return
    for message in sent:
        print_bold(f"[{message['role']}]")
        click.echo(message["content"] + "\n")
    say(f"This would be sent, for the stage {stage!r}. Nothing was.")


def _print_together(
    context: Context,
    question: str,
    entities: tuple[str, ...],
    own: dict[str, object],
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Ask all strategies, and print a table, or all answers as JSON. Raises the first error where none answers."""
    from kgneo.asking.side_by_side import ask_all
    from kgneo.cli.render import print_attempts

    attempts = ask_all(
        context, question, entities=entities, options=own, on_begin=lambda name: None if quiet else say(f"{name} …")
    )
    if as_json:
        print_json({"question": question, "strategies": [attempt.to_dict() for attempt in attempts]})
    else:
        print_attempts(attempts)


def _edited(query: str) -> str:
    """The query as the user left it in the editor; saved empty, it ends the question."""
    found = click.edit(query, require_save=False)
    if not (found or "").strip():
        raise click.Abort
    return str(found)
