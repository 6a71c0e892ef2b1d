"""An answer in a notebook: its text, its table, its triples as a picture and as a list, its query. Plain HTML and SVG,
without a script, so that it is shown in any of them and on paper. All text is escaped.

It is made from what `Answer.to_dict` gives, so that answers that came over HTTP are shown as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import count
from typing import Any

ROWS = 50
DRAWN = 40
ACROSS, DOWN, RADIUS, EDGE = 220, 44, 8, 24
QUIET = "color:#777;font-size:90%"


def html_of(answer: Mapping[str, Any]) -> str:
    """An answer as HTML."""
    parts = [f'<p dir="auto" style="font-size:125%">{escape(_said(answer))}</p>', _about(answer)]
    parts += [f'<p dir="auto">⚠ {escape(warning)}</p>' for warning in answer["warnings"]]
    parts += [_list([f"{item['text']} ({item['number']}: {', '.join(item['first'])})" for item in answer["choices"]])]
    if answer["table"] is not None:
        parts.append(_table(answer["table"]["columns"], answer["table"]["rows"]))
    if answer["evidence"]:
        parts += [_picture(answer), _folded(f"{len(answer['evidence'])} triples", _triples(answer["evidence"]))]
    if answer["cypher"]:
        parts.append(_folded("Cypher", f"<pre>{escape(answer['cypher'])}</pre>"))
    return f"<div>{''.join(parts)}</div>"


def _said(answer: Mapping[str, Any]) -> str:
    return str(answer["answer"] if answer["outcome"] == "answer" else answer["message"])


def _about(answer: Mapping[str, Any]) -> str:
    read = f"Read as: {answer['steps'][-1]['question']}" if answer["steps"] else ""
    sure = f"confidence {answer['confidence']:.0%}" if answer["confidence"] and answer["outcome"] == "answer" else ""
    told = " · ".join(filter(None, (read, sure)))
    return f'<p dir="auto" style="{QUIET}">{escape(told)}</p>' if told else ""


def _list(items: Sequence[str]) -> str:
    return f"<ol>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ol>" if items else ""


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inner}</details>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:ROWS])
    more = f'<p style="{QUIET}">{ROWS} of {len(rows):,}</p>' if len(rows) > ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    return f"<td>{'–' if value is None else escape(str(value))}</td>"


def _triples(evidence: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        (item["subject"], f"{item['relation']} {item.get('detail', '')}".strip(), item["object"]) for item in evidence
    ]
    return _table(("subject", "relation", "object"), rows)


# The picture ---------------------------------------------------------------------------------------------------------


def _picture(answer: Mapping[str, Any]) -> str:
    """The first triples as SVG: what was asked about at the left, each step a column further to the right."""
    triples = answer["evidence"][:DRAWN]
    starts = {topic["name"] for topic in answer["entities"]}
    pairs = [(item["subject"], item["object"]) for item in triples]
    places = _places(pairs, starts)
    right, low = (max(place[axis] for place in places.values()) for axis in (0, 1))
    lines = [_line(places[item["subject"]], places[item["object"]], item["relation"]) for item in triples]
    answers = set(answer["answers"])
    nodes = [
        _node(place, name, "#b3470f" if name in starts else "#1f7a44" if name in answers else "#4477aa")
        for name, place in places.items()
    ]
    size = f'viewBox="0 0 {right + ACROSS} {low + EDGE}" width="{min(right + ACROSS, 900)}"'
    text = f'role="img" aria-label="{len(triples)} triples" font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {text}>{"".join([*lines, *nodes])}</svg>'


def _places(pairs: Sequence[tuple[str, str]], starts: set[str]) -> dict[str, tuple[int, int]]:
    """Where each name stands, by how many steps it is from what was asked about."""
    beside: dict[str, list[str]] = {}
    for one, other in pairs:
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    columns = _steps(beside, [name for name in beside if name in starts])
    rows = {column: count() for column in columns.values()}
    return {name: (EDGE + column * ACROSS, EDGE + next(rows[column]) * DOWN) for name, column in columns.items()}


def _steps(beside: Mapping[str, Sequence[str]], starts: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in [*starts, *beside]:
        queue = [(start, 0)]
        if start in starts:
            queue = [(name, 0) for name in starts]
        while queue:
            name, step = queue.pop(0)
            if name not in found:
                found[name] = step
                queue += [(other, step + 1) for other in beside[name]]
    return found


def _line(one: tuple[int, int], other: tuple[int, int], relation: str) -> str:
    (x1, y1), (x2, y2) = one, other
    line = f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#999"/>'
    place = f'x="{(x1 + x2) // 2}" y="{(y1 + y2) // 2}"'
    told = f"{relation} →" if x1 <= x2 else f"← {relation}"
    return f'{line}<text {place} fill="#777" text-anchor="middle">{escape(told)}</text>'


def _node(place: tuple[int, int], name: str, colour: str) -> str:
    x, y = place
    circle = f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{colour}"/>'
    shown = name if len(name) <= 28 else f"{name[:27]}…"
    return f'{circle}<text x="{x + RADIUS + 4}" y="{y + 4}" fill="currentColor">{escape(shown)}</text>'
