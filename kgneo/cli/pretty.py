"""Answers in a terminal: in columns, aligned and in colours, long lists shortened with a word on how to see all.

An answer comes in as the object that `--json` prints. Every text of others is made `visible` before it is sent. Colours
follow NO_COLOR; a pipe gets the plain text of `kgneo.cli.render` instead.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.columns import Columns
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kgneo.cli.hints import about_this_graph, way
from kgneo.cli.parts import ROLES, attempt_rows, cost, shown_cell, unused
from kgneo.cli.terminal import behind, visible

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kgneo.asking.side_by_side import Attempt

IN_A_LINE = 8
"""Answers up to which they stand in one line."""
SHOWN_ANSWERS, SHOWN_ROWS, SHOWN_EVIDENCE = 60, 40, 10


def console() -> Console:
    """The terminal."""
    return Console(file=behind(sys.stdout), highlight=False, markup=False, emoji=False)


def text(content: object, style: str = "") -> Text:
    """A text of others, as a terminal may be sent it."""
    return Text(visible(str(content)), style=style)


def show_answer(
    record: Mapping[str, Any], query: str = "", *, hidden: bool = False, shown: int = SHOWN_EVIDENCE
) -> None:
    """An answer, how it was read, its evidence, what it leaves out; `query` where it is wanted, `hidden` where it is
    not and there is one; `shown` triples at most."""
    parts = [_answers(record)] if record.get("outcome", "answer") == "answer" else [text(record["message"], "bold")]
    parts += _read_as(record)
    _print([*parts, *_below(record, query, hidden=hidden, shown=shown)])


def show_rest(record: Mapping[str, Any], query: str = "", *, hidden: bool = False, shown: int = SHOWN_EVIDENCE) -> None:
    """What follows an answer that was printed while it was written."""
    parts: list[RenderableType] = []
    if record["table"]:
        parts.append(_table(record["table"]))
    elif record["answers"] and not any(joint.join(record["answers"]) == record["answer"] for joint in ("; ", ", ")):
        parts += [text("In the graph", "bold cyan"), _indented(_answers(record))]
    if record["confidence"] is not None:
        parts.append(text(f"Confidence {record['confidence']:.2f}", "dim"))
    _print(["", *parts, *_below(record, query, hidden=hidden, shown=shown)])
    if record["llm"]:
        console().print(text(cost(record["llm"]), "dim"))


VERDICTS = {"supported": "bold green", "refuted": "bold red"}


def show_verdict(record: Mapping[str, Any]) -> None:
    """A verdict on a claim, why, and its triples."""
    verdict = text(record["verdict"], VERDICTS.get(record["verdict"], "bold yellow"))
    parts: list[RenderableType] = [_line(verdict, text(f"  (confidence {record['confidence']:.2f})", "dim"))]
    parts.append(text(record["explanation"]))
    _print([*parts, *_below({**record, "unused": ()}, "", hidden=False)])
    if record["llm"]:
        console().print(text(cost(record["llm"]), "dim"))


def show_attempts(attempts: Sequence[Attempt]) -> None:
    """What strategies answered, side by side."""
    heading, *rows = attempt_rows(attempts)
    table = _plain_table()
    for number, name in enumerate(heading):
        table.add_column(text(name), justify="left" if number < 2 else "right")
    for row in rows:
        table.add_row(*map(text, row))
    warnings = [f"{item.strategy}: {warning}" for item in attempts if item.answer for warning in item.answer.warnings]
    _print([table, *(text(warning, "yellow") for warning in warnings)])


def show_triples(evidence: Sequence[Mapping[str, Any]], most: int | None = None) -> None:
    """Triples under each other, at most so many."""
    _print([_triples(evidence, most)])


def show_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Names and what belongs to each, under each other."""
    table = _plain_table()
    table.show_header = False
    for name, said in rows:
        table.add_row(text(name, "cyan"), text(said))
    _print([table])


def show_query(query: str) -> None:
    """A query, to be copied: no line of it is broken."""
    console().print(Text(visible(query), style="cyan"), soft_wrap=True)


def _print(parts: Iterable[RenderableType]) -> None:
    screen = console()
    for part in parts:
        screen.print(part)


def _answers(record: Mapping[str, Any]) -> RenderableType:
    """The answers: a table where they have columns, in a line where they are few, else in columns."""
    if record.get("table"):
        return _table(record["table"])
    names = record.get("answers") or []
    if len(names) <= IN_A_LINE:
        return text(record["answer"], "bold")
    shown = Columns([text(name, "bold") for name in names[:SHOWN_ANSWERS]], padding=(0, 3), column_first=True)
    left = len(names) - SHOWN_ANSWERS
    total = len(names) + record.get("more", 0)
    lines: list[RenderableType] = [shown]
    if left > 0:
        lines.append(text(f"… {left:,} more of {total:,}: {way('all')}", "dim"))
    elif record.get("more"):
        lines.append(text(f"… {record['more']:,} more: --limit lists them", "dim"))
    return _group(lines)


def _table(found: Mapping[str, Any]) -> RenderableType:
    columns, rows = found["columns"], found["rows"]
    table = _plain_table()
    for number, name in enumerate(columns):
        numeric = all(isinstance(row[number], int | float | None) for row in rows)
        table.add_column(text(name), justify="right" if numeric else "left")
    for row in rows[:SHOWN_ROWS]:
        table.add_row(*(text(shown_cell(cell)) for cell in row))
    if len(rows) <= SHOWN_ROWS:
        return table
    return _group([table, text(f"… {len(rows) - SHOWN_ROWS:,} more rows: --json has all of them", "dim")])


def _plain_table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold cyan", padding=(0, 2, 0, 0))


def _read_as(record: Mapping[str, Any]) -> list[RenderableType]:
    sure = record.get("confidence")
    if record["steps"]:
        told = "" if sure is None else f"  (confidence {sure:.2f})"
        return [_line(text("Read as ", "cyan"), text(record["steps"][0]["question"]), text(told, "dim"))]
    if record["readings"] and record.get("outcome", "answer") == "answer":
        best = _plain_table()
        best.show_header = False
        for reading in record["readings"]:
            best.add_row(text(f"{reading['score']:.2f}", "dim"), text(reading["text"]))
        return [text("No reading of the question is likely enough. The best:", "cyan"), best]
    return []


def _below(record: Mapping[str, Any], query: str, *, hidden: bool, shown: int = SHOWN_EVIDENCE) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if record["evidence"]:
        parts += ["", text("Evidence", "bold cyan"), _indented(_triples(record["evidence"], shown))]
    parts += [text(line, "yellow") for line in unused(record)]
    parts += [text(f"Warning: {about_this_graph(warning)}", "yellow") for warning in record["warnings"]]
    if query:
        parts += ["", text("Asked in Cypher (--browse draws what it finds)", "bold cyan")]
        parts.append(Text(visible(query), style="cyan", no_wrap=True, overflow="ignore"))
    elif hidden:
        parts.append(text(way("query"), "dim"))
    return parts


def _triples(evidence: Sequence[Mapping[str, Any]], most: int | None) -> RenderableType:
    table = _plain_table()
    table.show_header = False
    for item in evidence[:most]:
        relation = f"{item['relation']} {item['detail']}" if item.get("detail") else item["relation"]
        role = text(ROLES[item.get("role", "")], "dim")
        table.add_row(text(item["subject"]), text(relation, "green"), _with_marks(item), role)
    lines: list[RenderableType] = [table]
    left = 0 if most is None else len(evidence) - most
    if left > 0:
        lines.append(text(f"… {left:,} more: {way('triples')}", "dim"))
    if left_out := sum(item.get("left_out", 0) for item in evidence):
        lines.append(text(f"… {left_out:,} more matches in the graph: --evidence all", "dim"))
    return _group(lines)


def _with_marks(item: Mapping[str, Any]) -> Text:
    """The object of a triple, in which the words of a passage that say what was asked are marked."""
    found = text(item["object"])
    as_it_is = found.plain == item["object"]  # else its signs were made visible, and stand elsewhere
    for start, end in item.get("marked", ()) if as_it_is else ():
        found.stylize("bold yellow", start, end)
    return found


def _line(*pieces: Text) -> Text:
    """Pieces beside each other, each in its own colour."""
    return Text.assemble(*pieces)


def _indented(content: RenderableType) -> RenderableType:
    return Padding(content, (0, 0, 0, 2), expand=False)


def _group(parts: Sequence[RenderableType]) -> RenderableType:
    from rich.console import Group

    return Group(*parts)
