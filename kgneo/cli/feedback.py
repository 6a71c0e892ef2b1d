"""What a user says of an answer, as options of `kgneo ask` and as what is sent to a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kgneo.cli.hints import about_this_graph
from kgneo.errors import UsageError

if TYPE_CHECKING:
    from kgneo.context import Context
    from kgneo.feedback.give import Said
    from kgneo.model import Answer


@dataclass(frozen=True)
class Remark:
    """The options --right, --wrong, --means and --answers, of which one is given at most."""

    right: bool = False
    wrong: bool = False
    means: str | None = None
    answers: str | None = None

    def __post_init__(self) -> None:
        if self.right + self.wrong + bool(self.means) + bool(self.answers) > 1:
            raise UsageError("Expected one of --right, --wrong, --means and --answers.", hint="See kgneo ask --help.")

    @property
    def given(self) -> bool:
        """Whether anything was said."""
        return bool(self.right or self.wrong or self.means or self.answers)

    def body(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """What is sent to a server of the answer that it gave."""
        from kgneo.cli.options import own_user

        return {
            "question": record["question"],
            "right": self.right,
            "query_graph": record.get("query_graph"),
            "means": self.means or "",
            "answers": self.texts(),
            "by": own_user(),
        }

    def texts(self) -> list[str]:
        """The answers that are said to be right."""
        return [text.strip() for text in (self.answers or "").split("|") if text.strip()]

    def said(self) -> Said:
        """The same for this process."""
        from kgneo.cli.options import own_user
        from kgneo.feedback.give import Said

        return Said(self.right, self.means or "", tuple(self.texts()), own_user(), "shell")


def keep(context: Context, answer: Answer, remark: Remark) -> None:
    """Keep what was said of an answer, and tell it."""
    from kgneo.feedback.give import teach

    if remark.given:
        tell(teach(context, answer, remark.said()).to_dict())


def tell(record: Mapping[str, Any]) -> None:
    """Tell what was kept, and what is to be done with it."""
    from kgneo.cli.options import say

    meant = f": {record['read_as']}" if record["read_as"] else ""
    say(f"Kept as {record['verdict']}{meant}.")
    click.echo(about_this_graph("It changes no answer until it is reviewed. Next: kgneo learn --review"), err=True)
