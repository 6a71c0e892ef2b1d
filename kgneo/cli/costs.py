"""`kgneo costs`: what language models cost on this machine, by day, user and model."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from kgneo.cli.help import Command
from kgneo.cli.options import json_option, option, print_json

if TYPE_CHECKING:
    from kgneo.llm.spending import Spent

HEAD = ("day", "user", "model", "calls", "read", "written", "paid")


@click.command(cls=Command)
@option("--day", default="", metavar="YYYY-MM-DD", help="This day (UTC) alone.")
@option("--user", default="", metavar="NAME", help="This user alone; of `kgneo serve`, the address that asks.")
@json_option
def costs(day: str, user: str, as_json: bool) -> None:
    """Show calls, tokens and money that went to language models, by day, user and model.

    Money is told where --llm-price said what a million tokens cost. What is spent is kept by `ask`, `eval` and `serve`.

    \b
    Examples:
      kgneo costs
      kgneo costs --day 2026-01-31 --json
    """
    from kgneo.llm.spending import Spending

    rows = Spending.of_this_machine().rows(day=day, user=user)
    if as_json:
        print_json({"spent": [asdict(row) for row in rows]})
    elif not rows:
        click.echo("Nothing was spent.")
    else:
        click.echo("\n".join("  ".join(cells) for cells in _aligned([HEAD, *map(_cells, rows)])))


def _cells(row: Spent) -> tuple[str, ...]:
    numbers = (f"{row.calls:,}", f"{row.prompt_tokens:,}", f"{row.completion_tokens:,}", f"{row.cost:.4f}")
    return (row.day, row.user, row.model, *numbers)


def _aligned(rows: list[tuple[str, ...]]) -> list[list[str]]:
    """Cells as wide as their column; numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return [
        [cell.ljust(width) if column < 3 else cell.rjust(width)
         for column, (cell, width) in enumerate(zip(row, widths, strict=True))]
        for row in rows
    ]  # fmt: skip
