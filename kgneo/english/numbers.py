"""Numbers and dates that people compare with, as they write them.

Comes in: the words of a question in lower case. Goes out: a number in figures or a date as year-month-day, also a part
of one (a year, a year and month), with where its words end.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from decimal import Decimal

from kgneo.english.dates import iso, month_of, parse_date
from kgneo.english.words import NUMERALS, ORDINALS

CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?"
FIGURES = rf"(?<![\w.,:]){CLOCK}(?![\w:])|(?<![\w.,])(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+\.\d+)(?!\w|[.,]\d)"
"""Figures that are one number for all the signs in them: 40,000 and 1.95, but neither 5.26.1 nor 1.2.2020."""
MULTIPLES = {
    "thousand": 1_000, "thousands": 1_000, "million": 1_000_000, "millions": 1_000_000, "mn": 1_000_000,
    "billion": 1_000_000_000, "billions": 1_000_000_000, "bn": 1_000_000_000,
}  # fmt: skip
"""Words for many, by which the number before them is multiplied; properties have such words in their names, too."""
_UNITS: Mapping[str, Mapping[str, float]] = {
    "time": {
        "second seconds sec secs s": 1,
        "minute minutes min mins": 60,
        "hour hours hr hrs h": 3_600,
        "day days": 86_400,
        "week weeks": 604_800,
    },
    "length": {
        "mm millimetres millimeters": 0.001,
        "cm centimetres centimeters": 0.01,
        "m metre metres meter meters": 1,
        "km kilometre kilometres kilometer kilometers": 1_000,
        "mi mile miles": 1_609.344,
        "ft foot feet": 0.3048,
    },
    "area": {
        "m2 sqm sqmetre sqmetres sqmeter sqmeters": 1,
        "km2 sqkm sqkilometre sqkilometres sqkilometer sqkilometers": 1_000_000,
        "ha hectare hectares": 10_000,
        "acre acres": 4_046.856,
        "sqft sqfoot sqfeet": 0.092903,
    },
    "mass": {
        "mg milligram milligrams": 0.001,
        "g gram grams": 1,
        "kg kilo kilos kilogram kilograms": 1_000,
        "t ton tons tonne tonnes": 1_000_000,
    },
    "volume": {"ml millilitre millilitres milliliter milliliters": 0.001, "l litre litres liter liters": 1},
    "power": {
        "w watt watts": 1,
        "kw kilowatt kilowatts": 1_000,
        "mw megawatt megawatts": 1_000_000,
        "gw gigawatt gigawatts": 1_000_000_000,
    },
    "speed": {"kmh kph": 1, "mph": 1.609344, "knot knots kn": 1.852},
    "voltage": {"v volt volts": 1, "kv kilovolt kilovolts": 1_000},
    "data": {
        "kb kilobyte kilobytes": 1_000,
        "mb megabyte megabytes": 1_000_000,
        "gb gigabyte gigabytes": 1_000_000_000,
        "tb terabyte terabytes": 1_000_000_000_000,
    },
    "share": {"pct percent percentage": 1},
    "euros": {"eur euro euros": 1},
    "dollars": {"usd dollar dollars": 1},
    "pounds": {"gbp pound pounds": 1},
}
UNIT_SIZES = {
    name: (of, size) for of, units in _UNITS.items() for names, size in units.items() for name in names.split()
}
"""What units measure, and how large each is."""
PARTS = {"half": 2, "quarter": 4}
"""Parts of a year, with how many of them it has."""
_THOUSANDS = re.compile(r"(\d+(?:\.\d+)?)k")
_DECADE = re.compile(r"((?:\d\d)?[3-9]0|\d{3}0)s")
DECADES = {
    "thirties": "30s", "forties": "40s", "fifties": "50s", "sixties": "60s",
    "seventies": "70s", "eighties": "80s", "nineties": "90s",
}  # fmt: skip


def is_number(word: str) -> bool:
    """Whether a word is a number in figures, decimal ones among them."""
    return word.isdecimal() or (word.replace(".", "", 1).isdecimal() and word[0] != "." != word[-1])


def is_of_time(text: str) -> bool:
    """Whether what `number_at` gives is a year, or begins with one."""
    return text[:4].isdecimal() and (len(text) == 4 or text[4:5] == "-")


def is_day(text: str) -> bool:
    """Whether what `number_at` gives is a day of a year."""
    return is_of_time(text) and len(text) == len("2022-06-30")


def number_at(plain: Sequence[str], index: int) -> tuple[str, int] | None:
    """The number or date at a word, articles and "year" before it left out, with where it ends; None for neither."""
    while plain[index : index + 1] and plain[index] in ("the", "year", "a", "an"):
        index += 1
    date = _date(plain, index)
    if date is not None:
        return date
    if plain[index : index + 1] and plain[index] in MULTIPLES and not plain[index].endswith("s"):
        return str(MULTIPLES[plain[index]]), index + 1
    if clock := _clock(plain, index):
        return clock
    found = _figures(plain, index)
    if found is None:
        return None
    text, end = found
    times = MULTIPLES.get(plain[end], 1) if end < len(plain) else 1
    return (_times(text, times), end + 1) if times > 1 else found


def decade_at(plain: Sequence[str], index: int) -> tuple[str, str, int] | None:
    """The first and the last year of a decade ("the 1990s", "the nineties") with where its words end; None for anything
    else. One without a century is of the last."""
    while plain[index : index + 1] == ["the"]:
        index += 1
    word = plain[index] if index < len(plain) else ""
    match = _DECADE.fullmatch(DECADES.get(word, word))
    first = int(match[1]) if match else 0
    first += 1900 * (0 < first < 100)
    return (str(first), str(first + 9), index + 1) if first else None


def part_of_year_at(plain: Sequence[str], index: int) -> tuple[str, str, int] | None:
    """The first and the last day of a half or a quarter of a year ("the second half of 2023") with where its words end;
    None for anything else."""
    while plain[index : index + 1] == ["the"]:
        index += 1
    words = plain[index : index + 4]
    if len(words) < 4 or words[1] not in PARTS or words[2] != "of" or not (words[3].isdecimal() and len(words[3]) == 4):
        return None
    number, months = PARTS[words[1]], 12 // PARTS[words[1]]
    part = {"first": 1, "last": number, **ORDINALS}.get(words[0], 0)
    if not 0 < part <= number:
        return None
    last = part * months
    day = monthrange(int(words[3]), last)[1]
    return f"{words[3]}-{last - months + 1:02}-01", f"{words[3]}-{last:02}-{day}", index + 4


def multiple_of(words: Sequence[str], name: Sequence[str]) -> float:
    """By what the number that `words` say is to be divided, where a property is counted in something else: 1,000,000
    for `prevalenceMillions` and "5 million", 1 / 60 for `delay_minutes` and "2 hours"; 1 otherwise."""
    name = before_per(name)
    counted_in = {MULTIPLES[word] for word in name if word in MULTIPLES}
    many = next((MULTIPLES[word] for word in words if MULTIPLES.get(word) in counted_in), 1)
    held = next((UNIT_SIZES[word] for word in reversed(name) if word in UNIT_SIZES), None)
    said = next((UNIT_SIZES[word] for word in reversed(words) if word in UNIT_SIZES), None)
    return many * held[1] / said[1] if held and said and held[0] == said[0] else many


def before_per(name: Sequence[str]) -> Sequence[str]:
    """The words of a name that say what is counted: hours of "hours per week"."""
    return name[: name.index("per")] if "per" in name[1:] else name


def is_clock(text: str) -> bool:
    """Whether what `number_at` gives is a time of the day."""
    return bool(re.fullmatch(CLOCK, text))


def _clock(plain: Sequence[str], index: int) -> tuple[str, int] | None:
    """A time of the day as "20:30", of "20:30", "8 pm" and "8:30pm"."""
    match = re.fullmatch(rf"({CLOCK}|\d{{1,2}})(am|pm)?", "".join(plain[index : index + 1]))
    half = (
        match[2] or next((word for word in plain[index + 1 : index + 2] if word in ("am", "pm")), "") if match else ""
    )
    if match is None or not (half or ":" in match[1]):
        return None
    hour, _, rest = match[1].partition(":")
    number = int(hour) % 12 + 12 * (half == "pm") if half else int(hour)
    return f"{number:02}:{rest or '00'}", index + 1 + bool(half and not match[2])


def _date(plain: Sequence[str], index: int) -> tuple[str, int] | None:
    for end in (index + 4, index + 3):
        date = parse_date(" ".join(plain[index:end])) or parse_date("-".join(plain[index:end]))
        if date is not None:
            return iso(date), min(end, len(plain))
    month = month_of(plain[index]) if index < len(plain) else None
    year = index + 1 + (plain[index + 1 : index + 2] == ["of"])
    if month and plain[year : year + 1] and len(plain[year]) == 4 and plain[year].isdecimal():
        return f"{plain[year]}-{month:02}", year + 1
    return None


def _figures(plain: Sequence[str], index: int) -> tuple[str, int] | None:
    if index >= len(plain):
        return None
    if plain[index] in NUMERALS:
        return _with_half(*_in_words(plain, index))
    if plain[index] == "half" and plain[index + 1 : index + 2] in (["a"], ["an"]):
        return "0.5", index + 2
    short = _THOUSANDS.fullmatch(plain[index])
    if short:
        return _times(short[1], 1_000), index + 1
    if not is_number(plain[index]):
        return None
    text, end = plain[index], index + 1
    while end < len(plain) and plain[end].isdecimal() and len(plain[end]) == 3 and len(plain[index]) <= 3:
        text, end = text + plain[end], end + 1
    return _with_half(text, plain, end)


def _in_words(plain: Sequence[str], index: int) -> tuple[str, Sequence[str], int]:
    """A number in words with the words and its end: "twenty", "twenty-five", "two hundred"."""
    number, ones = NUMERALS[plain[index]], NUMERALS.get("".join(plain[index + 1 : index + 2]), 0)
    if 20 <= number < 100 and 0 < ones < 10:
        return str(number + ones), plain, index + 2
    if plain[index + 1 : index + 2] in (["hundred"], ["dozen"]):
        return str(number * ones), plain, index + 2
    return str(number), plain, index + 1


def _with_half(text: str, plain: Sequence[str], end: int) -> tuple[str, int]:
    """A number with "and a half" behind it."""
    return (f"{text}.5", end + 3) if text.isdecimal() and plain[end : end + 3] == ["and", "a", "half"] else (text, end)


def _times(text: str, times: int) -> str:
    return f"{(Decimal(text) * times).normalize():f}"
