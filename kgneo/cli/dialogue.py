"""The dialogue of `kgneo` in a terminal: questions, follow-ups, and commands that begin with a slash."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion, ThreadedCompleter
from prompt_toolkit.history import FileHistory
from prompt_toolkit.output import create_output

from kgneo.cli.feedback import Remark, keep
from kgneo.cli.hints import in_dialogue
from kgneo.cli.interrupt import arm
from kgneo.cli.options import say
from kgneo.cli.printer import Printer, print_error, query_of
from kgneo.cli.terminal import behind, visible
from kgneo.errors import DataError, KgneoError, UsageError
from kgneo.folders import stores_folder

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from kgneo.context import Context
    from kgneo.model import Answer

END = ("exit", "quit", ":q")
"""What ends a dialogue, too."""
COMMANDS = {
    "/schema": "what is in the graph",
    "/why": "how the last question was read, and all triples behind its answer",
    "/cypher": "the query of the last answer",
    "/pick": "NUMBER: where a question may mean several things, the answer of that reading",
    "/right": "the last answer is right; it waits for `kgneo learn --review`",
    "/wrong": "the last answer is wrong",
    "/means": "TEXT: what the last question means, in other words, as Cypher or as a query graph",
    "/save": "FILE: the last answer as .json, .csv, or lines of text",
    "/help": "this list",
    "/exit": "end; Ctrl-D does the same",
}
FOLLOW_UPS = (
    "Follow-ups: “and NAME?” asks the same of another name, “how many?” counts, “only those in NAME” narrows.",
    "With a language model (--llm), others are understood, too.",
)
SCHEMA_TOKENS = 500
LISTED = 8
"""Names that completion offers."""


class Dialogue:
    """Questions and commands that are typed, until the end of the input."""

    def __init__(self, printer: Printer) -> None:
        self.printer = printer

    def run(self) -> None:
        """Ask, print, and go on. Ctrl-C gives up what is typed or being answered; Ctrl-D ends."""
        say("Ask a question. /help says what else is understood; Ctrl-C ends a question, Ctrl-D the dialogue.")
        session: PromptSession[str] = PromptSession(
            history=FileHistory(str(_history())),
            completer=ThreadedCompleter(GraphCompleter(self.printer.context)),
            complete_while_typing=False,
            output=create_output(stdout=behind(sys.stdout)),
        )
        with in_dialogue():
            while True:
                try:
                    line = session.prompt("> ").strip()
                    self._understand(line)
                except EOFError:
                    return
                except KgneoError as error:
                    print_error(error)
                except (KeyboardInterrupt, click.Abort):
                    arm()
                    say("Interrupted.")

    def _understand(self, line: str) -> None:
        """Do what a line says. Raises EOFError for one that ends the dialogue, and KgneoError."""
        word, _, rest = line.partition(" ")
        if line.lower() in END:
            raise EOFError
        if word.startswith("/"):
            self._command(word, rest.strip())
        elif line:
            self.printer.print(line)

    def _command(self, word: str, rest: str) -> None:
        actions = {
            "/schema": self._schema,
            "/why": self._why,
            "/cypher": self._cypher,
            "/pick": self._pick,
            "/right": lambda _: self._say(Remark(right=True)),
            "/wrong": lambda _: self._say(Remark(wrong=True)),
            "/means": self._means,
            "/save": self._save,
            "/help": self._help,
            "/exit": _end,
        }
        begun = [name for name in actions if name.startswith(word)]
        if word not in actions and len(begun) != 1:
            raise UsageError(f"There is no command {word!r} here.", hint=f"There are: {', '.join(COMMANDS)}.")
        actions[word if word in actions else begun[0]](rest)

    def _last(self) -> Answer:
        if self.printer.last is None:
            raise UsageError("Nothing was asked yet.", hint="Type a question first.")
        return self.printer.last

    def _help(self, _: str) -> None:
        from kgneo.cli.pretty import show_rows

        show_rows(COMMANDS.items())
        for line in FOLLOW_UPS:
            click.echo(line)

    def _schema(self, _: str) -> None:
        from kgneo.graph.schema_text import prompt_text

        context = self.printer.context
        click.echo(prompt_text(context.knowledge.schema, context.shape, tokens=SCHEMA_TOKENS))
        say("All of it: `kgneo schema`.")

    def _why(self, _: str) -> None:
        from kgneo.cli.pretty import show_rows, show_triples

        answer = self._last().to_dict()
        rows = [("Asked", answer["question"])]
        rows += [("Read as", step["question"]) for step in answer["steps"]]
        rows += [("Or as", f"{reading['text']}  ({reading['score']:.2f})") for reading in answer["readings"][1:]]
        rows += [("Ignored", word) for word in answer["unused"]]
        rows += [("How", line) for line in answer["how"]]
        if answer["confidence"] is not None:
            rows.append(("Confidence", f"{answer['confidence']:.2f}"))
        show_rows(rows)
        show_triples(answer["evidence"])

    def _cypher(self, _: str) -> None:
        from kgneo.cli.pretty import show_query

        query = query_of(self._last())
        show_query(query) if query else say("The last answer was found without a query.")

    def _pick(self, number: str) -> None:
        if not number.isdecimal():
            raise UsageError(f"/pick takes a number, and got {number!r}.", hint="As in: /pick 2")
        self.printer.show(self._last().picked(int(number)))

    def _means(self, text: str) -> None:
        if not text:
            raise UsageError(
                "/means takes what the question means.", hint="As in: /means which rivers flow into a sea?"
            )
        self._say(Remark(means=text))

    def _say(self, remark: Remark) -> None:
        keep(self.printer.context, self._last(), remark)

    def _save(self, name: str) -> None:
        answer = self._last()
        if not name:
            raise UsageError("/save takes the name of a file.", hint="As in: /save answers.csv")
        path = Path(name).expanduser()
        if path.exists():
            raise UsageError(f"{name} is there already.", hint="Name another file.")
        try:
            _write(path, answer.to_dict())
        except OSError as error:
            raise DataError(f"the file cannot be written: {error.strerror}", file=name) from error
        say(f"Saved to {name}.")


def _end(_: str) -> NoReturn:
    raise EOFError


def _write(path: Path, record: Mapping[str, Any]) -> None:
    """An answer as JSON, as a table, or one answer a line: as the file's name says."""
    if path.suffix == ".json":
        path.write_text(json.dumps(record, ensure_ascii=False, indent=1, default=str) + "\n", encoding="utf-8")
        return
    if path.suffix != ".csv":
        path.write_text("".join(f"{line}\n" for line in record["answers"] or [record["answer"]]), encoding="utf-8")
        return
    table = record["table"] or {"columns": ["answer"], "rows": [[name] for name in record["answers"]]}
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([table["columns"], *table["rows"]])


def _history() -> Path:
    """The file of what was typed before, which nobody else can read."""
    path = stores_folder().parent / "history"
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_APPEND, 0o600))
    return path


class GraphCompleter(Completer):
    """Completes commands, and names, labels and relations of the graph."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._words: list[str] | None = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:  # noqa: ARG002
        """What goes on as the text before the cursor begins: a command, a name in [brackets], or words."""
        text = document.text_before_cursor
        if text.startswith("/"):
            yield from (Completion(name, -len(text), display_meta=COMMANDS[name]) for name in COMMANDS if text in name)
            return
        inside = text.rpartition("[")[2] if "[" in text and "]" not in text.rpartition("[")[2] else None
        if inside is not None:
            yield from (Completion(f"{name}]", -len(inside)) for name in self._names(inside))
            return
        begun = text.rpartition(" ")[2]
        if len(begun) < 2:
            return
        for word in self._schema_words():
            if word.lower().startswith(begun.lower()):
                yield Completion(word, -len(begun))
        yield from (Completion(name, -len(begun)) for name in self._names(begun))

    def _names(self, begun: str) -> list[str]:
        if not begun.strip():
            return []
        try:
            found = self._context.knowledge.names.beginning(begun, limit=LISTED)
        except KgneoError:  # completion must not disturb what is typed
            return []
        return [visible(item.entity.name) for item in found]

    def _schema_words(self) -> list[str]:
        """Labels and relations as words."""
        from kgneo.english.names import name_words, plural
        from kgneo.graph.shape import LOADED_LABEL

        if self._words is None:
            schema = self._context.knowledge.schema
            labels = [plural(" ".join(name_words(item.name))) for item in schema.labels if item.name != LOADED_LABEL]
            relations = [" ".join(name_words(item.name)) for item in schema.relations]
            self._words = [visible(word) for word in dict.fromkeys([*labels, *relations])]
        return self._words
