"""`kgneo learn --review`: feedback that waits, with what each piece would change, taken or dropped by somebody."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kgneo.cli.hints import about_this_graph
from kgneo.cli.options import full_key, print_json, say
from kgneo.errors import KgneoError
from kgneo.feedback.review import Effect, effect, take, take_back
from kgneo.feedback.said import Feedback, feedback_file, pending, remove
from kgneo.settings import terms_file

if TYPE_CHECKING:
    from kgneo.context import Context

SHOWN = 5
"""Answers that are shown of each question."""
TAKE, DROP, LATER, END = "take", "drop", "later", "quit"


class Review:
    """The feedback about one graph. `terms` is the file of terms that takes it."""

    def __init__(self, context: Context, *, as_json: bool = False) -> None:
        self.context = context
        self.as_json = as_json
        self.terms = terms_file(context.graph.terms_file)
        self.waiting = feedback_file(self.terms)

    def show(self) -> None:
        """All that waits; somebody at a terminal takes or drops each."""
        items = pending(self.waiting)
        if self.as_json:
            print_json({"waiting": [self._record(item) for item in items]})
            return
        asks = sys.stdin.isatty() and sys.stdout.isatty()
        for item in items:
            found = self._tell(item)
            said = _asked(found) if asks else LATER
            if said == END:
                break
            self._do(said, item, found)
        left = len(pending(self.waiting))
        click.echo(f"{left:,} wait in {self.waiting}." if left else "Nothing waits to be reviewed.")
        if left and not asks:
            click.echo(about_this_graph("Next: kgneo learn --take KEY, or --drop KEY"))

    def take(self, keys: Sequence[str]) -> None:
        """Take feedback by its keys, one after the other, so that each is held against those before it. Raises
        UsageError for one that cannot be taken; those before it stay taken."""
        done = []
        for item in self._chosen(keys):
            new = take(self.context, self.terms, item, effect(self.context, item), self.waiting)
            done.append(new.question)
            if not self.as_json:
                click.echo(f"Taken: {new.question}")
        if self.as_json:
            print_json({"taken": done, "file": str(self.terms)})

    def drop(self, keys: Sequence[str]) -> None:
        """Drop feedback by its keys."""
        dropped = remove(self.waiting, [item.key for item in self._chosen(keys)])
        print_json({"dropped": dropped}) if self.as_json else click.echo(f"Dropped {dropped:,}.")

    def take_back(self, by: str) -> None:
        """Take back all that one person has said: what waits, and what was taken."""
        dropped = remove(self.waiting, [item.key for item in pending(self.waiting) if item.by == by])
        gone = take_back(self.context, self.terms, by)
        if self.as_json:
            print_json({"dropped": dropped, "taken_back": gone})
            return
        for question in gone:
            click.echo(f"Taken back: {question}")
        click.echo(f"{len(gone):,} verified questions and {dropped:,} that waited were {by}'s.")

    def _chosen(self, keys: Sequence[str]) -> list[Feedback]:
        items = pending(self.waiting)
        if "all" in keys:
            return items
        by_key = {item.key: item for item in items}
        return [by_key[full_key(key, by_key, "pieces of feedback", "--review")] for key in keys]

    def _record(self, item: Feedback) -> dict[str, Any]:
        record: dict[str, Any] = {"key": item.key, **item.to_dict()}
        try:
            found = effect(self.context, item)
        except KgneoError as error:
            return {**record, "effect": None, "refusal": error.message}
        return {**record, "effect": asdict(found), "refusal": found.refusal}

    def _tell(self, item: Feedback) -> Effect | None:
        """Print what waits, and what it would change; None where it cannot be taken."""
        click.echo(f"{item.key}  {item.question}\n  {item.verdict}, by {item.by or 'somebody'} on {item.on}")
        if item.read_as:
            click.echo(f"  {'read as' if item.verdict == 'wrong' else 'means'}: {item.read_as}")
        try:
            found = effect(self.context, item)
        except KgneoError as error:
            click.echo(f"  {error.message} {error.hint}")
            return None
        click.echo("\n".join(f"  {line}" for line in _lines(found)))
        return None if found.refusal else found

    def _do(self, said: str, item: Feedback, found: Effect | None) -> None:
        if said == TAKE and found is not None:
            take(self.context, self.terms, item, found, self.waiting)
            say(f"Taken into {self.terms}.")
        elif said == DROP:
            remove(self.waiting, [item.key])


def _lines(found: Effect) -> Iterator[str]:
    if found.before != found.after:
        yield f"answers now:  {_texts(found.before)}"
    yield f"answers then: {_texts(found.after)}"
    yield from (f"becomes right: {question}" for question in found.better)
    if found.refusal:
        yield f"cannot be taken: {found.refusal}"
    elif not found.better:
        yield "no verified question changes"


def _texts(answers: Sequence[str]) -> str:
    more = f" and {len(answers) - SHOWN:,} more" if len(answers) > SHOWN else ""
    return ", ".join(answers[:SHOWN]) + more if answers else "none"


def _asked(found: Effect | None) -> str:
    """What somebody at a terminal wants done."""
    choices = [TAKE, DROP, LATER, END] if found is not None else [DROP, LATER, END]
    return str(click.prompt("  " + ", ".join(choices), type=click.Choice(choices), default=LATER, show_choices=False))
