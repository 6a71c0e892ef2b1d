"""What a strategy with a language model does, printed as it happens: sub-questions, their answers, their evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from kgneo.cli.render import evidence_lines
from kgneo.cli.terminal import print_bold
from kgneo.events import Event, StageEvent, Text
from kgneo.model import Step, evidence_from_dict, evidence_to_dict

SHOWN_EVIDENCE = 5
INDENT = "   "


@dataclass
class Watcher:
    """Prints events. `seen` says whether there were any."""

    seen: bool = False
    indent: str = ""
    in_line: bool = False
    bold: bool = True

    def __call__(self, event: Event) -> None:
        if isinstance(event, StageEvent) and event.status == "measured":
            return
        self.seen = True
        if isinstance(event, Text):
            self._text(event.text)
        elif (event.stage, event.status) == ("decompose", "done"):
            self._decomposed(event)
        elif (event.stage, event.status) == ("answer", "begun"):
            self._step(event)
        elif (event.stage, event.status) == ("answer", "done"):
            self._done(event)
        elif (event.stage, event.status) == ("synthesise", "begun"):
            self.indent, self.bold = "", True
            click.echo()
        elif event.text:
            self.end_line()
            click.echo(f"{event.stage.replace('_', ' ')}: {event.text}")

    def _decomposed(self, event: StageEvent) -> None:
        if event.total:
            reason = f": {event.text}" if event.text else "."
            click.echo(f"Split into {event.total} questions{reason}")

    def _step(self, event: StageEvent) -> None:
        if event.total > 1:
            self.indent, self.bold = INDENT, False
            click.echo(f"\n{event.number}. {event.text}")

    def _text(self, text: str) -> None:
        if not self.in_line:
            text = text.lstrip()
            click.echo(self.indent if text else "", nl=False)
        self.in_line = bool(text) and not text.endswith("\n")
        text = text.replace("\n", "\n" + self.indent) if self.in_line else text
        if self.bold:
            print_bold(text, nl=False)
        else:
            click.echo(text, nl=False)

    def _done(self, event: StageEvent) -> None:
        self.end_line()
        if self.indent and event.step is not None:
            if event.step.answer and not event.step.answers:
                click.echo(f"{self.indent}(no triple holds this)")
            for line in evidence_lines([evidence_to_dict(item) for item in event.step.evidence], SHOWN_EVIDENCE):
                click.echo(self.indent + line)

    def end_line(self) -> None:
        """End the line that is being written, if one is."""
        if self.in_line:
            click.echo()
        self.in_line = False


def event_of(record: Mapping[str, Any]) -> Event:
    """An event of a strategy from what a server's stream says of it (`kgneo.serve.service.event_record`)."""
    if "stage" not in record:
        return Text(record["text"])
    fields = {name: record[name] for name in ("stage", "status", "number", "total", "text")}
    step = None
    if "answers" in record:
        evidence = tuple(evidence_from_dict(item) for item in record["evidence"])
        step = Step("", record["text"], tuple(record["answers"]), evidence)
    return StageEvent(**fields, step=step)
