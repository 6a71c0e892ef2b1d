"""From Cypher: a simple query as a query graph, so that questions that come with one are learned from it.

Comes in: text. Goes out: a query graph. Read are patterns of nodes and relationships (MATCH, several of them too) with
labels, types, inline properties and tests joined by AND (WHERE, within a node too); RETURN of one thing, one property,
or one aggregate; ORDER BY a property with LIMIT. Everything else raises DataError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import cast

from kgneo.errors import DataError
from kgneo.query.graph import (
    Aggregate,
    Condition,
    Edge,
    Function,
    Operator,
    QueryGraph,
    Scalar,
    Selection,
    Value,
    Variable,
)

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>`[^`]+`|\w+)"""
    r"""|(?P<sign><>|<=|>=|[-()\[\]{}:,.<>=|*;]))"""
)
_FUNCTIONS: dict[str, Function] = {
    "count": "count", "sum": "sum", "avg": "average", "min": "minimum", "max": "maximum"
}  # fmt: skip
_OPERATORS = ("=", "<>", "<", "<=", ">", ">=")


def from_cypher(text: str) -> QueryGraph:
    """The query graph of `text`. Raises DataError for what is not as simple as that."""
    return _Parser(text).query()


@dataclass
class _Parser:
    text: str
    at: int = 0
    variables: dict[str, Variable] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tokens: list[tuple[str, str]] = []
        place, text = 0, self.text.rstrip().rstrip(";").rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise self._error(f"{text[place : place + 20]!r}")
            self.tokens.append((str(match.lastgroup), match[match.lastgroup or 0]))
            place = match.end()

    def query(self) -> QueryGraph:
        """The whole of it."""
        while self._word("MATCH"):
            self._pattern()
            while self._sign(","):
                self._pattern()
            if self._word("WHERE"):
                self._tests()
        if not self.variables or not self._word("RETURN"):
            raise self._error(self._rest())
        self._word("DISTINCT")
        answer = self._answer()
        selections = self._order()
        if self.at < len(self.tokens):
            raise self._error(self._rest())
        return QueryGraph(
            tuple(self.variables.values()), answer, tuple(self.edges), tuple(dict.fromkeys(self.conditions)), selections
        )

    # Tokens ------------------------------------------------------------------------------------------------------

    def _rest(self) -> str:
        return repr(" ".join(token for _, token in self.tokens[self.at : self.at + 4]) or "the end")

    def _error(self, found: str) -> DataError:
        return DataError(f"The Cypher {self.text[:80]!r} has {found} where a simple query was expected.")

    def _peek(self, kind: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at][0] == kind:
            return self.tokens[self.at][1]
        return None

    def _sign(self, sign: str) -> bool:
        found = self._peek("sign") == sign
        self.at += found
        return found

    def _word(self, word: str) -> bool:
        found = (self._peek("name") or "").upper() == word
        self.at += found
        return found

    def _expect(self, sign: str) -> None:
        if not self._sign(sign):
            raise self._error(self._rest())

    def _name(self) -> str:
        name = self._peek("name")
        if name is None:
            raise self._error(self._rest())
        self.at += 1
        return name.strip("`")

    # Patterns ----------------------------------------------------------------------------------------------------

    def _pattern(self) -> None:
        here = self._node()
        while (self._peek("sign") or "") in ("-", "<"):
            here = self._relationship(here)

    def _node(self) -> str:
        self._expect("(")
        name = self._name() if self._peek("name") and not self._where() else f"unnamed{len(self.variables)}"
        labels: tuple[str, ...] = ()
        while self._sign(":"):
            labels = (*labels, self._name())
        known = self.variables.get(name, Variable(name))
        self.variables[name] = replace(known, labels=tuple(dict.fromkeys((*known.labels, *labels))))
        self._inside(name)
        self._expect(")")
        return name

    def _where(self) -> bool:
        return (self._peek("name") or "").upper() == "WHERE"

    def _inside(self, name: str) -> None:
        """Properties in braces, and tests behind WHERE."""
        if self._sign("{"):
            while not self._sign("}"):
                key = self._name()
                self._expect(":")
                self.conditions.append(Condition(Value(name, key), "=", (self._literal(),)))
                self._sign(",")
        if self._word("WHERE"):
            self._tests()

    def _relationship(self, here: str) -> str:
        back = self._sign("<")
        self._expect("-")
        self._expect("[")
        name = self._name() if self._peek("name") and not self._where() else f"r{len(self.edges)}"
        relations: tuple[str, ...] = ()
        while self._sign(":") or self._sign("|"):
            relations = (*relations, self._name())
        self._inside(name)
        self._expect("]")
        self._expect("-")
        forward = self._sign(">")
        there = self._node()
        ends = (there, here) if back else (here, there)
        if not relations:
            raise self._error("a relationship without a type")
        self.edges.append(Edge(ends[0], relations, ends[1], name, directed=back != forward))
        return there

    # Tests and what is returned ----------------------------------------------------------------------------------

    def _tests(self) -> None:
        self._test()
        while self._word("AND"):
            self._test()

    def _test(self) -> None:
        value = self._value()
        operator = self._peek("sign") or ""
        if operator in _OPERATORS and value.key:
            self.at += 1
            self.conditions.append(Condition(value, cast(Operator, operator), (self._literal(),)))
        elif self._word("CONTAINS"):
            self.conditions.append(Condition(value, "contains", (self._literal(),)))
        else:
            raise self._error(self._rest())

    def _literal(self) -> Scalar:
        if (text := self._peek("text")) is not None:
            self.at += 1
            return re.sub(r"\\(.)", r"\1", text[1:-1])
        if (number := self._peek("number")) is not None:
            self.at += 1
            return float(number) if "." in number else int(number)
        if (truth := (self._peek("name") or "").lower()) in ("true", "false"):
            self.at += 1
            return truth == "true"
        raise self._error(self._rest())

    def _value(self) -> Value:
        name = self._name()
        if name not in self.variables and not any(edge.name == name for edge in self.edges):
            raise self._error(f"the unknown name {name!r}")
        return Value(name, self._name()) if self._sign(".") else Value(name)

    def _answer(self) -> Value | Aggregate:
        function = _FUNCTIONS.get((self._peek("name") or "").lower())
        if function is not None and self.tokens[self.at + 1 : self.at + 2] == [("sign", "(")]:
            self.at += 2
            self._word("DISTINCT")
            value = self._value()
            self._expect(")")
            answer: Value | Aggregate = Aggregate(function, value)
        else:
            answer = self._value()
        if self._word("AS"):
            self._name()
        return answer

    def _order(self) -> tuple[Selection, ...]:
        if not self._word("ORDER"):
            return ()
        if not self._word("BY"):
            raise self._error(self._rest())
        by = self._value()
        descending = self._word("DESC") or not (self._word("ASC") or True)
        offset = self._amount() if self._word("SKIP") else 0
        if by.of not in self.variables or not self._word("LIMIT"):
            raise self._error("an order without LIMIT, or of relationships,")
        return (Selection(by.of, by, descending, self._amount(), offset),)

    def _amount(self) -> int:
        number = self._literal()
        if not isinstance(number, int):
            raise self._error(repr(number))
        return number
