"""Values of CSV fields by the types that neo4j-admin's headers name: text in, what the driver takes out.

Dates, times and durations are written as ISO 8601 has them; a time without a zone is in UTC, unless the header names
another (`datetime{timezone:Europe/Stockholm}`). A point is a map: `{latitude: 57.7, longitude: 12}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytz
from neo4j.spatial import CartesianPoint, Point, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

__all__ = ["TYPES", "Converter", "converter"]

LIST_SEPARATOR = ";"
ZONED = re.compile(r"(?P<local>.*?)(?:Z|[+-]\d\d:?\d\d)?\[(?P<zone>[^\]]+)\]$", re.DOTALL)
COORDINATE = re.compile(r"\s*['\"]?(\w+)['\"]?\s*:\s*['\"]?([^,'\"]+?)['\"]?\s*")
GEOGRAPHIC = ("longitude", "latitude", "height")
CARTESIAN = ("x", "y", "z")
CRS_DIMENSIONS = {"wgs-84": (GEOGRAPHIC, 2), "wgs-84-3d": (GEOGRAPHIC, 3), "cartesian": (CARTESIAN, 2),
                  "cartesian-3d": (CARTESIAN, 3)}  # fmt: skip

Converter = Callable[[str], Any]
"""Takes the text of a field, raises ValueError with the reason where it is no value of the type."""


@dataclass(frozen=True, slots=True)
class _Type:
    convert: Callable[[str, Mapping[str, str]], Any]
    example: str


def _integer(bits: int) -> Callable[[str, Mapping[str, str]], int]:
    def convert(text: str, _options: Mapping[str, str]) -> int:
        value = int(text) if re.fullmatch(r"\s*[+-]?\d+\s*", text, re.ASCII) else None
        if value is None or not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            raise ValueError
        return value

    return convert


def _float(text: str, _options: Mapping[str, str]) -> float:
    if "_" in text:  # Python's own spelling
        raise ValueError
    return float(text)


def _boolean(text: str, _options: Mapping[str, str]) -> bool:
    return {"true": True, "false": False}[text.strip().lower()]


def _character(text: str, _options: Mapping[str, str]) -> str:
    if len(text) != 1:
        raise ValueError
    return text


def _local(kind: type[Time] | type[DateTime]) -> Callable[[str, Mapping[str, str]], Any]:
    def convert(text: str, _options: Mapping[str, str]) -> Any:
        value = kind.from_iso_format(text.strip())
        if value.tzinfo is not None:
            raise ValueError
        return value

    return convert


def _time(text: str, options: Mapping[str, str]) -> Time:
    value = Time.from_iso_format(text.strip())
    return value if value.tzinfo else Time.from_iso_format(text.strip() + options.get("timezone", "Z"))


def _datetime(text: str, options: Mapping[str, str]) -> DateTime:
    named = ZONED.match(text.strip())
    value = DateTime.from_iso_format(named["local"] if named else text.strip())
    if value.tzinfo is not None:
        return value
    zone = named["zone"] if named else options.get("timezone", "UTC")
    if zone.startswith(("+", "-")):
        return DateTime.from_iso_format(text.strip() + zone)
    # The driver's own times give wrong offsets with zoneinfo.
    found: DateTime = pytz.timezone(zone).localize(value)
    return found


def _point(text: str, options: Mapping[str, str]) -> Point:
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}")):
        raise ValueError
    parts: dict[str, str] = {key.lower(): value for key, value in options.items()}
    for part in inner[1:-1].split(","):
        match = COORDINATE.fullmatch(part)
        if match is None:
            raise ValueError
        parts[match[1].lower()] = match[2]
    return point(parts)


def point(parts: Mapping[str, Any]) -> Point:
    """A point from its coordinates (latitude, longitude and height, or x, y and z) and its `crs`, if it names one.

    Raises ValueError where they are not those of a point.
    """
    given = {key: value for key, value in parts.items() if value is not None}
    crs = given.pop("crs", None)
    keys = GEOGRAPHIC if "longitude" in given else CARTESIAN
    if "longitude" not in given and str(crs).lower().startswith("wgs"):
        given = {GEOGRAPHIC[CARTESIAN.index(key)]: value for key, value in given.items() if key in CARTESIAN}
        keys = GEOGRAPHIC
    coordinates = [float(given.pop(key)) for key in keys if key in given]
    expected = CRS_DIMENSIONS.get(str(crs).lower(), (keys, len(coordinates))) if crs else (keys, len(coordinates))
    if given or len(coordinates) not in (2, 3) or expected != (keys, len(coordinates)):
        raise ValueError
    return (WGS84Point if keys is GEOGRAPHIC else CartesianPoint)(coordinates)


TYPES = {
    "string": _Type(lambda text, _options: text, ""),
    "char": _Type(_character, "a"),
    "boolean": _Type(_boolean, "true"),
    "byte": _Type(_integer(8), "-128 to 127"),
    "short": _Type(_integer(16), "-32768 to 32767"),
    "int": _Type(_integer(32), "an integer of 32 bits"),
    "integer": _Type(_integer(64), "an integer of 64 bits"),
    "long": _Type(_integer(64), "an integer of 64 bits"),
    "float": _Type(_float, "1.5"),
    "double": _Type(_float, "1.5"),
    "date": _Type(lambda text, _options: Date.from_iso_format(text.strip()), "2015-07-30"),
    "localtime": _Type(_local(Time), "21:40:32"),
    "time": _Type(_time, "21:40:32+01:00"),
    "localdatetime": _Type(_local(DateTime), "2015-07-30T21:40:32"),
    "datetime": _Type(_datetime, "2015-07-30T21:40:32+01:00"),
    "duration": _Type(lambda text, _options: Duration.from_iso_format(text.strip()), "P1DT2H30M"),
    "point": _Type(_point, "{latitude: 57.7, longitude: 12}"),
}
"""By name in lower case, each with an example for messages."""


def converter(name: str, *, is_list: bool = False, options: Mapping[str, str] | None = None) -> Converter:
    """What turns a field into a value of the type `name`, or into a list of such values, separated by `;`.

    Raises KeyError for a type that is not in `TYPES`.
    """
    found = TYPES[name.lower()]
    given = options or {}

    def convert(text: str) -> Any:
        try:
            return found.convert(text, given)
        except (ValueError, KeyError, OverflowError) as error:
            raise ValueError(f"{text[:80]!r} is no {name}, expected for example: {found.example}") from error

    return (lambda text: [convert(part) for part in text.split(LIST_SEPARATOR)]) if is_list else convert
