"""`kgneo ask`: an answer with its evidence, or a conversation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

import click

from kgneo.asking import DEFAULT_STRATEGY, open_context
from kgneo.asking import ask as ask_question
from kgneo.cli.browse import show
from kgneo.cli.hints import about_this_graph
from kgneo.cli.options import (
    ModelSettings,
    budget_options,
    complete_strategy,
    connection_options,
    json_option,
    model_options,
    option,
    own_user,
    print_json,
    retrieval_options,
    say,
    selection_options,
    set_option,
    with_options,
)
from kgneo.cli.pick import picked_number
from kgneo.cli.render import SHOWN_EVIDENCE, print_answer, render_attempts, render_rest
from kgneo.cli.terminal import print_bold
from kgneo.cli.watch import Watcher
from kgneo.context import Context, Options
from kgneo.conversation import Conversation
from kgneo.errors import KgneoError, UsageError
from kgneo.graph.browser import browser_link
from kgneo.graph.cypher import inline
from kgneo.llm.dry_run import DryRun, PromptNotSent
from kgneo.llm.spending import Price, Spending
from kgneo.model import Answer
from kgneo.settings import Settings, open_graph
from kgneo.side_by_side import ask_all
from kgneo.strategies import Strategy, described, find_strategy, read_options

END = ("exit", "quit", ":q")
"""What ends a dialogue, besides the end of the input."""
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


class AskCommand(click.Command):
    """A command whose help lists the strategies, each with a line. They are imported for that alone."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The strategies, and what `all` is."""
        lines = {**described(), ALL: "Every strategy that can answer here, in one table."}
        with formatter.section("Strategies"):
            formatter.write_dl(list(lines.items()))
        super().format_epilog(ctx, formatter)


def _complete(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """Names of strategies that begin with what was typed."""
    return [*complete_strategy(context, parameter, begun), *([ALL] if ALL.startswith(begun) else [])]


@click.command(cls=AskCommand)
@click.argument("question", required=False)
@option(
    "--strategy",
    "-s",
    metavar="NAME",
    shell_complete=_complete,
    help="How to answer, see below.  [auto]",
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
)
@option(
    "--evidence",
    type=EVERY,
    default=Options().evidence,
    show_default=True,
    metavar="N|all",
    help="Matches to keep as evidence of each answer; with all, all are shown.",
)
@option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=Options().min_confidence,
    show_default=True,
    help="Below this confidence, say that the question was not understood.",
)
@with_options(*budget_options)
@option("--seed", type=int, help="Makes a language model's replies repeatable, where it can.")
@model_options
@option(
    "--pick",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Where the question may mean several things, the answer of the reading with this number.",
)
@option("--dry-run", is_flag=True, help="Print the first prompt that would go to the language model, and send none.")
@option("--edit", is_flag=True, help="For cypher: open each query in your editor before it runs.")
@option("--quiet", "-q", is_flag=True, help="Print only the answers, one a line.")
@option("--browse", is_flag=True, help="Open Neo4j Browser with the query that shows the answer's graph.")
@json_option
@option(
    "--server",
    metavar="URL",
    help="Ask this running `kgneo serve`; its token is read from KGNEO_ACCESS_TOKEN. Goes with --strategy, --entity, "
    "--hops, --top-k, --limit, --llm, --quiet and --json. One that runs on the same store is asked with these options "
    "by itself.",
)
@option("--here", is_flag=True, help="Answer in this process, even if a `kgneo serve` runs on the store.")
@connection_options
def ask(
    question: str | None,
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
    dry_run: bool,
    edit: bool,
    quiet: bool,
    browse: bool,
    as_json: bool,
    server: str | None,
    here: bool,  # noqa: ARG001 - read in `kgneo.cli.remote`
    settings: Settings,
) -> int:
    """Answer a question from the graph, with the triples that the answer rests on.

    The entity that the question is about stands in [brackets], or is given with --entity, or is found in the text.
    Without a question, several are asked in turn; with a language model, follow-ups are understood.

    \b
    Examples:
      kgneo ask "what is the capital of [Ethiopia]?"
      kgneo ask "which countries does the Mekong cross?" --json
      kgneo ask "who lives there?" --entity Kyoto --hops 2
      kgneo ask --llm mistral-7b "which seas do the rivers of [Germany] flow into?"
      kgneo ask --llm mistral-7b --strategy navigator --set variants=0 --max-calls 8 "who wrote [Dracula]?"
      kgneo ask --llm mistral-7b --strategy all "which seas do the rivers of [Germany] flow into?"
      kgneo ask --llm openai:mistral --llm-url http://127.0.0.1:11434/v1
      kgneo ask --server http://127.0.0.1:7575 "which countries does the Mekong cross?"
    """
    if server:
        raise UsageError(
            "A server can be asked by `kgneo ask` with nothing before `ask`, and not with these options.",
            hint="See `kgneo ask --help`, at --server, for those that go with it.",
        )
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
    prompts = model.load_prompts()
    together = strategy == ALL
    if together and (question is None or assigned or browse):
        raise UsageError(f"--strategy {ALL} takes one question, without --set and --browse.")
    if dry_run and (together or question is None or not model.llm):
        raise UsageError("--dry-run takes one question, one strategy, and a language model with --llm.")
    speaking = DryRun(model.llm, model.llm_context) if dry_run and model.llm else model.load()
    name = None if together else strategy or DEFAULT_STRATEGY
    own: dict[str, object] = {"select": select, "follow": follow, "free": free, "review": _edited if edit else None}
    own |= read_options((name,), assigned) if name else {}
    chosen = find_strategy(name, **own) if name else None
    with open_graph(settings, report=say) as graph:
        context = open_context(graph, encoder=encoder, options=options, model=speaking, prompts=prompts, report=say)
        context = replace(context, spending=Spending.of_this_machine() if speaking else None)
        if chosen is not None and dry_run:
            assert question is not None
            _print_unsent(context, question, chosen, entities, as_json=as_json)
            return 0
        if chosen is None:
            assert question is not None
            _print_together(context, question, entities, own, quiet=quiet, as_json=as_json)
            return 0
        drawn = settings if browse else None
        printer = _Printer(context, chosen, quiet=quiet, as_json=as_json, browse=drawn, pick=pick)
        if question is not None:
            printer.print(question, entities)
            return 0
        return printer.converse(entities)


def _print_unsent(
    context: Context, question: str, strategy: Strategy, entities: tuple[str, ...], *, as_json: bool
) -> None:
    """Print what would be sent to the language model: the first prompt; those after it hold what it replies."""
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
    attempts = ask_all(
        context, question, entities=entities, options=own, on_begin=lambda name: None if quiet else say(f"{name} …")
    )
    if as_json:
        print_json({"question": question, "strategies": [attempt.to_dict() for attempt in attempts]})
    else:
        heading, _, rows = render_attempts(attempts).partition("\n")
        print_bold(heading)
        click.echo(rows)


def _edited(query: str) -> str:
    """The query as the user left it in the editor; saved empty, it ends the question."""
    found = click.edit(query, require_save=False)
    if not (found or "").strip():
        raise click.Abort
    return str(found)


@dataclass
class _Printer:
    """Asks and prints, one question after the other."""

    context: Context
    strategy: Strategy
    quiet: bool
    as_json: bool
    browse: Settings | None = None
    pick: int | None = None

    def __post_init__(self) -> None:
        self.conversation = Conversation(self.context, self.strategy)

    def print(self, question: str, entities: tuple[str, ...] = ()) -> None:
        """Ask one question and print its answer, as it comes where that is wanted."""
        watcher = Watcher()
        if not self.quiet and not self.as_json:
            self.conversation.context = replace(self.context, on_event=watcher)
        try:
            answer = self.conversation.ask(question, entities=entities)
        finally:
            watcher.end_line()
        number = picked_number(answer.to_dict(), self.pick, typed=not (self.quiet or self.as_json))
        if number is not None:
            answer, watcher = answer.picked(number), Watcher()
        if self.as_json:
            print_json(answer.to_dict())
        elif self.quiet:
            click.echo("\n".join(answer.answers) or answer.answer)
        else:
            self._print_shown(answer, watcher)
        drawn = answer.picture or answer.cypher
        if self.browse and drawn:
            shown = inline(drawn, dict(answer.cypher_parameters))
            link = browser_link(self.context.graph, shown, username=self.browse.username)
            show(link, self.browse)

    def _print_shown(self, answer: Answer, watcher: Watcher) -> None:
        query = inline(answer.cypher, dict(answer.cypher_parameters)) if answer.cypher else ""
        if not watcher.seen:
            print_answer(answer.to_dict(), query, self._shown(answer))
        elif rest := render_rest(answer.to_dict(), query, self._shown(answer)):
            click.echo("\n" + rest)

    def _shown(self, answer: Answer) -> int:
        """How many triples are printed: all, where all were asked for."""
        return SHOWN_EVIDENCE if self.context.options.evidence else len(answer.evidence)

    def converse(self, entities: tuple[str, ...]) -> int:
        """Ask what is typed, until the end of the input. Exit code: 1 when questions from a file failed."""
        interactive = sys.stdin.isatty()
        if interactive:
            say("Ask a question; Ctrl-C ends it, and Ctrl-D, exit or :q the dialogue.")
        failed = 0
        for question in _questions(interactive):
            try:
                self.print(question, entities)
            except KgneoError as error:
                failed += 1
                hint = about_this_graph(error.hint)
                click.echo("\n".join(filter(None, (f"Error: {error.message}", hint))), err=True)
            except (KeyboardInterrupt, click.Abort):
                if not interactive:
                    raise
                say("Interrupted.")
        return int(bool(failed) and not interactive)


def _questions(interactive: bool) -> Iterator[str]:
    if not interactive:
        yield from (line.strip() for line in sys.stdin if line.strip())
        return
    with suppress(ImportError):
        import readline  # noqa: F401 - gives `input` line editing and a history
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            click.echo()
            return
        except KeyboardInterrupt:  # what was typed is given up, as in other dialogues
            click.echo()
            continue
        if line.lower() in END:
            return
        if line:
            yield line
