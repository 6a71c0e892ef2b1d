"""Asking and printing, one question after the other: for a command line, a pipe and the dialogue."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from kgneo.cli.hints import about_this_graph, is_dialogue
from kgneo.cli.options import print_json
from kgneo.errors import KgneoError
from kgneo.settings import Settings

if TYPE_CHECKING:
    from kgneo.context import Context
    from kgneo.model import Answer
    from kgneo.strategies import Strategy


@dataclass
class Printer:
    """Asks and prints, one question after the other. `entities` are given with each; `last` is the answer before."""

    context: Context
    strategy: Strategy
    quiet: bool = False
    as_json: bool = False
    browse: Settings | None = None
    pick: int | None = None
    cypher: bool = False
    entities: tuple[str, ...] = ()
    last: Answer | None = None

    def __post_init__(self) -> None:
        from kgneo.asking.conversation import Conversation

        self.conversation = Conversation(self.context, self.strategy)

    def print(self, question: str) -> None:
        """Ask one question and print its answer, as it comes where that is wanted."""
        from kgneo.cli.pick import picked_number
        from kgneo.cli.watch import Watcher

        watcher = Watcher()
        if not self.quiet and not self.as_json:
            self.conversation.context = replace(self.context, on_event=watcher)
        try:
            answer = self.conversation.ask(question, entities=self.entities)
        finally:
            watcher.end_line()
        typed = not (self.quiet or self.as_json or is_dialogue())
        number = picked_number(answer.to_dict(), self.pick, typed=typed)
        if number is not None:
            answer, watcher = answer.picked(number), Watcher()
        self.show(answer, seen=watcher.seen)

    def show(self, answer: Answer, *, seen: bool = False) -> None:
        """Print an answer; `seen`: what happened on the way, and its text, were printed."""
        from kgneo.cli.render import SHOWN_EVIDENCE, print_answer, print_rest

        self.last = answer
        if self.as_json:
            print_json(answer.to_dict())
        elif self.quiet:
            click.echo("\n".join(answer.answers) or answer.answer)
        else:
            shown = SHOWN_EVIDENCE if self.context.options.evidence else len(answer.evidence)
            tell = print_rest if seen else print_answer
            tell(answer.to_dict(), query_of(answer), with_query=self.cypher, shown=shown)
        if self.browse:
            self._draw(answer, self.browse)

    def _draw(self, answer: Answer, settings: Settings) -> None:
        from kgneo.cli.browse import show
        from kgneo.graph.browser import browser_link
        from kgneo.graph.cypher import inline

        if drawn := answer.picture or answer.cypher:
            shown = inline(drawn, dict(answer.cypher_parameters))
            show(browser_link(self.context.graph, shown, username=settings.username), settings)

    def print_all(self) -> int:
        """Ask each line of standard input. Exit code: 1 when one of them failed."""
        failed = 0
        for question in filter(None, map(str.strip, sys.stdin)):
            try:
                self.print(question)
            except KgneoError as error:
                failed += 1
                print_error(error)
        return int(bool(failed))


def query_of(answer: Answer) -> str:
    """The query of an answer with its values written in, to paste; empty where there is none."""
    from kgneo.graph.cypher import inline

    return inline(answer.cypher, dict(answer.cypher_parameters)) if answer.cypher else ""


def print_error(error: KgneoError) -> None:
    """An error and what to do, on standard error."""
    lines: Sequence[str] = (f"Error: {error.message}", about_this_graph(error.hint))
    click.echo("\n".join(filter(None, lines)), err=True)
