"""In dates: a question with dates in the place of times that it tells from today.

Comes in: a question. Goes out: the same with "in October 2026" for "last month", and a note of that. Words that are a
value of the graph, as the title of a song, are left as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from kgneo.context import Context
from kgneo.english.relative_times import told, with_dates
from kgneo.stages.interpret import reading
from kgneo.text import fold


@dataclass(frozen=True, slots=True)
class Dated:
    """A question with dates, and what of it was taken for which."""

    text: str
    notes: tuple[str, ...] = ()


def in_dates(context: Context, question: str) -> Dated:
    """The question with the dates that its words mean on the day `Options.today`."""
    times = told(question, context.options.today or datetime.now(UTC).date())
    known = reading(context) if times else None
    values = known.dictionary.lookup({fold(item.said) for item in times}) if known else {}
    times = [item for item in times if not values.get(fold(item.said))]
    notes = tuple(f"Read {item.said!r} as {item.dates!r}." for item in times)
    return Dated(with_dates(question, times), notes)
