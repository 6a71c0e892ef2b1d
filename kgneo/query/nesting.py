"""Nesting: how deep a statement's parts stand in one another.

A server reads, plans and runs nested parts by calls in calls, and has a bounded stack for them. Where that was used up,
it was seen not to answer at all, so that what is nested deeper than anybody writes is refused before it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgneo.errors import StatementRefused
from kgneo.query.tokens import QUERY_BRACES, Token, begins_clause

DEEPEST = 60
"""How deep a part may stand: in brackets, in CASE, behind signs, and behind operators, since each of these makes of all
that stands before it one operand."""
MOST_QUERIES = 5
"""Subqueries that may stand in one another; what planning them takes was seen to double with each."""
_OPERATORS = ("AND", "CONTAINS", "ENDS", "IN", "IS", "NOT", "OR", "STARTS", "XOR")
_SIGNS = "+-*/%^|!"
_NOTHING = Token("text", "", "", -1)


def check_nesting(given: Sequence[Token]) -> None:
    """Raises StatementRefused where parts stand deeper in one another than `DEEPEST`, or subqueries than
    `MOST_QUERIES`."""
    hint = "Write it flatter: IN [ … ] for many values, WITH … AS name for a part, UNWIND or MATCH for a subquery."
    if any(depth > DEEPEST for depth in _depths(given)):
        raise StatementRefused(f"Its brackets and operators stand more than {DEEPEST} deep in one another.", hint=hint)
    if any(queries > MOST_QUERIES for queries in _queries(given)):
        raise StatementRefused(f"More than {MOST_QUERIES} subqueries stand in one another.", hint=hint)


def _depths(given: Sequence[Token]) -> Iterator[int]:
    """How deep each token stands. CASE never ends here: END may be a name."""
    operators, cases, dots, before = [0], 0, 0, _NOTHING
    for token in given:
        cases += token.word("CASE") and not before.symbol(".", ":")
        dots = dots + 1 if token.symbol(".") else dots * before.symbol(".")
        if token.symbol("(", "[", "{"):
            operators[-1] += token.symbol("[")
            operators.append(0)
        elif token.symbol(")", "]", "}") and len(operators) > 1:
            operators.pop()
        elif token.symbol(",") or token.word("AS") or begins_clause(token, before):
            operators[-1] = 0
        elif token.symbol(*_SIGNS) or token.word(*_OPERATORS):
            operators[-1] += 1
        yield sum(operators) + len(operators) + cases + dots
        before = token


def _queries(given: Sequence[Token]) -> Iterator[int]:
    """How many subqueries stand around each token."""
    open_: list[bool] = []
    before = _NOTHING
    for token in given:
        if token.symbol("(", "[", "{"):
            open_.append(token.symbol("{") and (before.word(*QUERY_BRACES) or before.symbol(")")))
        elif token.symbol(")", "]", "}") and open_:
            open_.pop()
        yield sum(open_)
        before = token
