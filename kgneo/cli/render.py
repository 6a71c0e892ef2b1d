"""Answers and triples as text for people: plain, as a pipe gets them. In a terminal, `kgneo.cli.pretty` lays them out.

An answer comes in as the object that `--json` prints, so that one that a server gave looks as one that was found here,
and nothing has to be imported for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from kgneo.cli.hints import about_this_graph
from kgneo.cli.parts import ROLES, attempt_rows, cost, shown_cell, unused
from kgneo.cli.terminal import in_terminal, print_bold

if TYPE_CHECKING:
    from kgneo.asking.side_by_side import Attempt
    from kgneo.model import Candidate

SHOWN_EVIDENCE = 10


def print_answer(
    record: Mapping[str, Any], query: str = "", *, with_query: bool = False, shown: int = SHOWN_EVIDENCE
) -> None:
    """Print the answer, how the question was read, the evidence, and `query`, which shows it in Neo4j Browser; in a
    terminal only `with_query`.

    `record` is what `Answer.to_dict` gives; `shown` triples are printed."""
    if in_terminal():
        from kgneo.cli.pretty import show_answer

        show_answer(record, query if with_query else "", hidden=bool(query) and not with_query, shown=shown)
    else:
        _print_plain(record, query, shown)


def _print_plain(record: Mapping[str, Any], query: str, shown: int) -> None:
    outcome = record.get("outcome", "answer")
    print_bold(record["answer"] if outcome == "answer" else record["message"])
    parts = [_table(record["table"])] if record.get("table") else []
    confidence = "" if record["confidence"] is None else f"  (confidence {record['confidence']:.2f})"
    if record["steps"]:
        parts.append("Read as: " + record["steps"][0]["question"] + confidence)
    elif record["readings"] and outcome == "answer":
        rows = "\n".join(f"  {reading['score']:6.2f}  {reading['text']}" for reading in record["readings"])
        parts.append("No reading of the question is likely enough. The best:\n" + rows)
    if record["evidence"]:
        parts.append(_evidence(record["evidence"], shown))
    parts.extend(unused(record))
    if query:
        parts.append(_asked(query))
    parts.extend(about_this_graph(f"Warning: {warning}") for warning in record["warnings"])
    for part in parts:
        click.echo("\n" + part)


def print_rest(
    record: Mapping[str, Any], query: str = "", *, with_query: bool = False, shown: int = SHOWN_EVIDENCE
) -> None:
    """Print what follows an answer that was printed while it was written; `query` and `shown` as `print_answer` has
    them."""
    if in_terminal():
        from kgneo.cli.pretty import show_rest

        show_rest(record, query if with_query else "", hidden=bool(query) and not with_query, shown=shown)
    elif rest := render_rest(record, query, shown):
        click.echo("\n" + rest)


def render_rest(record: Mapping[str, Any], query: str = "", shown: int = SHOWN_EVIDENCE) -> str:
    """What follows an answer that was printed while it was written: names, confidence, evidence, `query`, warnings,
    cost."""
    parts = []
    if record["confidence"] is not None:
        parts.append(f"Confidence {record['confidence']:.2f}")
    if record["table"]:
        parts.append(_table(record["table"]))
    elif record["answers"] and not any(joint.join(record["answers"]) == record["answer"] for joint in ("; ", ", ")):
        more = f" (and {record['more']} more)" if record["more"] else ""
        parts.append("In the graph: " + "; ".join(record["answers"]) + more)
    if len(record["steps"]) == 1 and record["evidence"]:
        parts.append(_evidence(record["evidence"], shown))
    parts.extend(unused(record))
    if query:
        parts.append(_asked(query))
    parts.extend(about_this_graph(f"Warning: {warning}") for warning in record["warnings"])
    if record["llm"]:
        parts.append(cost(record["llm"]))
    return "\n\n".join(parts)


def print_verdict(record: Mapping[str, Any]) -> None:
    """Print a verdict on a claim, as `Verification.to_dict` gives it: how sure it is, why, and its triples."""
    if in_terminal():
        from kgneo.cli.pretty import show_verdict

        show_verdict(record)
        return
    print_bold(record["verdict"], nl=False)
    parts = [f"  (confidence {record['confidence']:.2f})", record["explanation"]]
    if record["evidence"]:
        parts.append(_evidence(record["evidence"], SHOWN_EVIDENCE))
    parts += [about_this_graph(f"Warning: {warning}") for warning in record["warnings"]]
    if record["llm"]:
        parts.append(cost(record["llm"]))
    click.echo("\n\n".join(parts))


def _table(table: Mapping[str, Any]) -> str:
    """Columns under their heads, each as wide as its widest cell; numbers to the right."""
    rows = [table["columns"], *([shown_cell(cell) for cell in row] for row in table["rows"])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    numbers = [
        all(isinstance(row[column], int | float | None) for row in table["rows"]) for column in range(len(widths))
    ]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numbers, strict=True)
        ).rstrip()
        for row in rows
    )


def print_attempts(attempts: Sequence[Attempt]) -> None:
    """Print what strategies answered, side by side."""
    if in_terminal():
        from kgneo.cli.pretty import show_attempts

        show_attempts(attempts)
    else:
        click.echo(render_attempts(attempts))


def render_attempts(attempts: Sequence[Attempt]) -> str:
    """One line a strategy: answer, agreement, evidence, calls, tokens, seconds; then the warnings of each."""
    rows = attempt_rows(attempts)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    warnings = [
        f"{attempt.strategy}: {warning}"
        for attempt in attempts
        for warning in (attempt.answer.warnings if attempt.answer else ())
    ]
    return "\n".join([*lines, *([""] if warnings else []), *warnings])


def _asked(query: str) -> str:
    return "Asked in Cypher (--browse draws what it finds):\n" + "\n".join("  " + line for line in query.splitlines())


def _evidence(evidence: Sequence[Mapping[str, Any]], shown: int) -> str:
    return "Evidence:\n" + "\n".join(evidence_lines(evidence, shown))


def evidence_lines(evidence: Sequence[Mapping[str, Any]], shown: int) -> list[str]:
    """One line a triple, at most `shown`, then how many more there are, and how many more matches the graph has;
    triples as `evidence_to_dict` gives them."""
    lines = [f"  {_triple_text(**item)}{ROLES[item.get('role', '')]}" for item in evidence[:shown]]
    if len(evidence) > shown:
        lines.append(f"  … and {len(evidence) - shown} more (all with --json)")
    if left_out := sum(item.get("left_out", 0) for item in evidence):
        lines.append(f"  These are not all: {left_out:,} more matches are in the graph (all with --evidence all).")
    return lines


def _triple_text(*, subject: str, relation: str, object: str, detail: str = "", **_: Any) -> str:  # noqa: A002 - its name
    return f"({subject}, {f'{relation} {detail}' if detail else relation}, {object})"


def render_candidates(candidates: Sequence[Candidate]) -> str:
    """One line a triple: score, hop, triple."""
    return "\n".join(
        f"  {item.score or 0.0:6.3f}  hop {item.hop}  "
        + _triple_text(
            subject=item.triple.subject,
            relation=item.triple.relation,
            object=item.triple.object,
            detail=item.triple.detail,
        )
        for item in candidates
    )
