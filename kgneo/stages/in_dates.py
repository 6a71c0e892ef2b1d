"""In dates: a question with dates in the place of times that it tells from today, and of ages.

Comes in: a question. Goes out: the same with "in October 2026" for "last month", or "born before 2014-11-29" for "over
12", where the graph knows when people were born and not how old they are, and a note of that. Words that are a
value of the graph, as the title of a song, are left as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from kgneo.context import Context
from kgneo.english.ages import ages_told
from kgneo.english.names import name_words
from kgneo.english.relative_times import told, with_dates
from kgneo.english.words import BIRTH
from kgneo.reading.fits import SURE, Fits
from kgneo.reading.mentions import words_of
from kgneo.reading.vocabulary import MEASURED
from kgneo.stages.interpret import reading
from kgneo.text import fold


@dataclass(frozen=True, slots=True)
class Dated:
    """A question with dates, and what of it was taken for which."""

    text: str
    notes: tuple[str, ...] = ()


def in_dates(context: Context, question: str) -> Dated:
    """The question with the dates that its words mean on the day `Options.today`."""
    today = context.options.today or datetime.now(UTC).date()
    times, ages = told(question, today), list(ages_told(question, today))
    known = reading(context) if times or ages else None
    if known and not times:
        times = [item for item in ages if _is_of_people(question[: item.start], known.fits)]
    values = known.dictionary.lookup({fold(item.said) for item in times}) if known else {}
    times = [item for item in times if not values.get(fold(item.said))]
    notes = tuple(f"Read {item.said!r} as {item.dates!r}." for item in times)
    return Dated(with_dates(question, times), notes)


def _is_of_people(before: str, fits: Fits) -> bool:
    """Whether what is said `before` an age is of those of whom the graph knows when they were born, and not how old
    they are: ships are "older than 20" by when they were built."""
    words = [word.plain for word in words_of(before)]
    named = (label for word in reversed(words) for label, fit in fits.label(word).items() if fit >= SURE)
    owner = next(named, "")
    keys = [key for key in fits.keys if key.kind in MEASURED and owner in ("", key.owner)]
    names = [name_words(key.name or key.key) for key in keys]
    return any(not BIRTH.isdisjoint(name) for name in names) and not any("age" in name for name in names)
