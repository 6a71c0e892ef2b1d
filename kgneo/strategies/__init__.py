"""Strategies: named compositions of stages that turn a question into an answer, see `protocol`.

Each stands in a file of its own and is found by name through the entry-point group `kgneo.strategies`, so that any
package can add one.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from kgneo.errors import UsageError
from kgneo.strategies.protocol import Needs, NoOptions, Strategy

__all__ = ["Needs", "NoOptions", "Strategy", "described", "find_strategy", "read_options", "strategy_names"]

ENTRY_POINTS = "kgneo.strategies"


@cache
def _registered() -> Mapping[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)}


def strategy_names() -> tuple[str, ...]:
    """The names of all strategies that are installed, sorted."""
    return tuple(_registered())


def described() -> dict[str, str]:
    """Each strategy's name with the first line of what its class says of itself."""
    return {name: _first_line(point.load()) for name, point in _registered().items()}


def _first_line(made: Any) -> str:
    """Of what a class says of itself; nothing where that is only what `dataclass` wrote."""
    said = (inspect.getdoc(made) or "").split("\n")[0]
    return "" if said.startswith(f"{made.__name__}(") else said


def read_options(names: Sequence[str], settings: Sequence[str]) -> dict[str, object]:
    """Options of the strategies `names` from texts such as "variants=4", each of the type of its default.

    Raises UsageError for one that none of them has, or whose value is none of that type.
    """
    own: list[Any] = [find_strategy(name).options for name in names]
    types = {key: kind for options in own for key, kind in get_type_hints(type(options)).items()}
    found: dict[str, object] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key not in types:
            known = (f"{field.name}={getattr(options, field.name)}" for options in own for field in fields(options))
            listed = ", ".join(dict.fromkeys(known)) or "none"
            raise UsageError(
                f"{', '.join(names)}: there is no option {setting!r}.", hint=f"Options and their defaults: {listed}."
            )
        found[key] = _value(key, value, types[key])
    return found


def _value(key: str, text: str, wanted: Any) -> object:
    """A text as a value of that type."""
    if get_origin(wanted) is Literal:
        if text in get_args(wanted):
            return text
        raise UsageError(f"{key} is {text!r}, expected one of: {', '.join(get_args(wanted))}.")
    if wanted is bool:
        if text.lower() in ("true", "yes", "on", "1", "false", "no", "off", "0"):
            return text.lower() in ("true", "yes", "on", "1")
        raise UsageError(f"{key} is {text!r}, expected true or false.")
    try:
        return wanted(text)
    except (TypeError, ValueError):
        kind = getattr(wanted, "__name__", str(wanted))
        raise UsageError(f"{key} is {text!r}, expected a value of type {kind}.") from None


def find_strategy(name: str, **options: object) -> Strategy:
    """The strategy of that name, with those of `options` that it has and that are not None.

    Raises UsageError with the names there are.
    """
    try:
        made = _registered()[name].load()
    except KeyError:
        raise UsageError(
            f"There is no strategy {name!r}.", hint=f"Expected one of: {', '.join(strategy_names())}."
        ) from None
    plain = cast(Strategy, made())
    own: Any = plain.options
    known = {field.name for field in fields(own)}
    given = {key: value for key, value in options.items() if key in known and value is not None}
    return cast(Strategy, made(options=replace(own, **given))) if given else plain
