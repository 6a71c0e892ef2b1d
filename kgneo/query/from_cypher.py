"""From Cypher: a simple query as a query graph, so that it comes with words and evidence, and can be learned from.

Comes in: text, of a labelled question, a language model or a person. Goes out: a query graph. Read are

- patterns of nodes and relationships with types (MATCH, several of them too), with labels and inline properties;
- relationships of several steps (`*1..5`, `+`, `{1,5}`), and shortest paths of one such relationship;
- OPTIONAL MATCH of what hangs at one known node;
- tests joined by AND and OR (WHERE, within a node too): comparisons with literals, `date("…")` among them, and of
  properties, lengths and calculations with one another, IN a list, CONTAINS, STARTS WITH, ENDS WITH, IS NULL, labels,
  NOT before one of these; patterns that must be there, or that must not (NOT, EXISTS);
- WITH one node, or a property, and one aggregate: a test of that, or an order with LIMIT; WITH one aggregate alone
  before another MATCH, which compares with it;
- RETURN of things, properties, calculations and aggregates; whether something exists (`RETURN EXISTS {…}`,
  `count(…) > 0`); ORDER BY, which counts with LIMIT alone; LIMIT.

Everything else raises DataError. A query counts rows, and cuts off places that are shared; a query graph counts what is
different, and keeps them. So both can find something else: who needs to know compares what they find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from kgneo.errors import DataError, StatementError
from kgneo.query.graph import (
    ANY_DEPTH,
    ONE_STEP,
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Expression,
    Function,
    Number,
    Operator,
    QueryGraph,
    Scalar,
    Selection,
    Value,
    Variable,
    aggregates_of,
    values_of,
)
from kgneo.query.tokens import Token, tokens

_FUNCTIONS: dict[str, Function] = {
    "count": "count", "sum": "sum", "avg": "average", "min": "minimum", "max": "maximum"
}  # fmt: skip
_OPERATORS: tuple[Operator, ...] = ("<>", "<=", ">=", "=", "<", ">")
_TURNED: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""What holds with its sides exchanged."""
_CONTRARY: dict[Operator, Operator] = {
    "=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "present": "missing", "missing": "present"
}  # fmt: skip
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_END = Token("symbol", "", "", -1)
_ROWS = Value("*")
"""What `count(*)` counts, until it is known of what else than that."""


def from_cypher(text: str) -> QueryGraph:
    """The query graph of `text`. Raises DataError for what is not as simple as that."""
    try:
        found = tokens(text)
    except StatementError as error:
        raise _not_simple(text, f"this problem: {error.message}, ") from error
    while found and found[-1].symbol(";"):
        found.pop()
    try:
        return _Parser(text, found).query()
    except RecursionError:
        raise _not_simple(text, "brackets in brackets, too many of them,") from None


def _not_simple(text: str, found: str) -> DataError:
    return DataError(f"The Cypher {text[:80]!r} has {found} where a simple query was expected.")


@dataclass(frozen=True, slots=True)
class _Date:
    """A literal that is a date."""

    text: str


_Side = Expression | _Date | Scalar
"""What a test compares."""


@dataclass
class _Parser:
    """Reads tokens from `at` on, and keeps the parts of the query graph. `aliases` are the names given by AS, `hidden`
    those of variables that are known within a pattern that must not be there, `visible` those that WITH left."""

    text: str
    tokens: Sequence[Token]
    at: int = 0
    variables: dict[str, Variable] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    selections: list[Selection] = field(default_factory=list)
    alternatives: list[tuple[tuple[Condition, ...], ...]] = field(default_factory=list)
    columns: tuple[Expression, ...] = ()
    aliases: dict[str, Expression] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    visible: set[str] | None = None

    def query(self) -> QueryGraph:
        """The whole of it."""
        answer = self._existence() if self._next().word("RETURN") else self._matched()
        if self.at < len(self.tokens):
            raise self._error()
        conditions = tuple(dict.fromkeys(self.conditions))
        return QueryGraph(
            tuple(self.variables.values()),
            answer,
            tuple(self.edges),
            conditions,
            tuple(self.selections),
            self.columns,
            tuple(self.alternatives),
        )

    def _existence(self) -> Aggregate:
        """RETURN EXISTS {…}, with nothing before it."""
        self.at += 1
        self._expect_word("EXISTS")
        self._expect("{")
        self._word("MATCH")
        self._patterns()
        self._expect("}")
        self._alias()
        return Aggregate("exists", self._first())

    def _matched(self) -> Expression:
        self._matches()
        while self._word("WITH"):
            if self._next().value.lower() in _FUNCTIONS and self._next(1).symbol("("):
                self._over_all()
                self._matches()
                continue
            self._stage()
            break
        self._expect_word("RETURN")
        self._word("DISTINCT")
        answer = self._answer()
        if self._word("ORDER"):
            self._order(answer)
        elif self._word("LIMIT"):
            self._limit(answer)
        return answer

    def _matches(self) -> None:
        while self._next().word("MATCH") or (self._next().word("OPTIONAL") and self._next(1).word("MATCH")):
            optional = self._word("OPTIONAL")
            self._expect_word("MATCH")
            self._maybe(self._patterns) if optional else self._patterns()
        if not self.variables:
            raise self._error()

    def _over_all(self) -> None:
        """WITH an aggregate alone: a number over all, which what is matched after it is compared with."""
        measured = self._aggregate()
        if measured is None or not self._next().word("AS"):
            raise self._error()
        self._alias(self._counted(measured))
        self.hidden |= {*self.variables, *(edge.name for edge in self.edges)}

    # Tokens ------------------------------------------------------------------------------------------------------

    def _next(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else _END

    def _error(self, found: str = "") -> DataError:
        rest = " ".join(token.source for token in self.tokens[self.at : self.at + 4])
        return _not_simple(self.text, found or repr(rest or "the end"))

    def _sign(self, sign: str) -> bool:
        found = self._next().symbol(sign)
        self.at += found
        return found

    def _word(self, *words: str) -> bool:
        found = self._next().word(*words)
        self.at += found
        return found

    def _expect(self, sign: str) -> None:
        if not self._sign(sign):
            raise self._error()

    def _expect_word(self, word: str) -> None:
        if not self._word(word):
            raise self._error()

    def _name(self) -> str:
        name = self._next()
        if not name.named:
            raise self._error()
        self.at += 1
        return name.value

    def _call(self, function: str) -> bool:
        """Whether a call of that function begins; its bracket is passed, too."""
        found = self._next().word(function) and self._next(1).symbol("(")
        self.at += 2 * found
        return found

    def _fresh(self, begin: str, number: int) -> str:
        """A name that the text does not have."""
        taken = {*self.variables, *(edge.name for edge in self.edges), *(token.value for token in self.tokens)}
        while f"{begin}{number}" in taken:
            number += 1
        return f"{begin}{number}"

    def _first(self) -> Value:
        return Value(next(iter(self.variables)))

    # Patterns ----------------------------------------------------------------------------------------------------

    def _patterns(self) -> None:
        """What stands behind MATCH, with the tests behind it."""
        self._pattern()
        while self._sign(","):
            self._pattern()
        if self._word("WHERE"):
            self._tests()

    def _pattern(self) -> None:
        if self._begins_way():
            self._shortest()
            return
        here = self._node()
        while self._next().symbol("-", "<"):
            here = self._relationship(here)

    def _begins_way(self) -> bool:
        """Whether a path of its own name, or a shortest one, begins."""
        named = self._next().named and self._next(1).symbol("=")
        return named or self._next().word("SHORTESTPATH", "ALLSHORTESTPATHS", "SHORTEST", "ALL")

    def _shortest(self) -> None:
        """A path of several relationships, which the query calls by a name: `p = shortestPath((a)-[*..6]-(b))`."""
        name = self._name() if self._next(1).symbol("=") else ""
        self._sign("=")
        bracket = (self._call("SHORTESTPATH") or self._call("ALLSHORTESTPATHS")) and ")"
        if not bracket and (self._word("ALL") or self._next().word("SHORTEST")):
            self._expect_word("SHORTEST")
            if self._next().kind == "number":
                self._amount()
        before = len(self.edges)
        here = self._node()
        self._relationship(here)
        if bracket:
            self._expect(bracket)
        added = self.edges[before:]
        if self._next().symbol("-", "<") or len(added) != 1 or not added[0].is_way:
            raise self._error("a path with a name that is not one relationship of several steps")
        self.edges[before] = replace(added[0], name=name or added[0].name)

    def _node(self) -> str:
        self._expect("(")
        name = self._own_name() or self._fresh("unnamed", len(self.variables))
        if name in self.hidden or (self.visible is not None and name not in self.visible):
            raise self._error(f"the name {name!r} for a second thing")
        self.variables.setdefault(name, Variable(name))
        if self._sign(":"):
            self._label(name)
        self._inside(name)
        self._expect(")")
        return name

    def _label(self, name: str) -> None:
        labels = [*self.variables[name].labels, self._name()]
        while self._sign(":") or self._sign("&"):
            labels.append(self._name())
        self.variables[name] = replace(self.variables[name], labels=tuple(dict.fromkeys(labels)))

    def _own_name(self) -> str:
        """The name of a node or a relationship; empty where it has none."""
        return self._name() if self._next().named and not self._next().word("WHERE") else ""

    def _inside(self, name: str) -> None:
        """Properties in braces, and tests behind WHERE."""
        if self._sign("{"):
            while not self._sign("}"):
                key = self._name()
                self._expect(":")
                self._compare(Value(name, key), "=", self._literal())
                self._sign(",")
        if self._word("WHERE"):
            self._tests()

    def _relationship(self, here: str) -> str:
        back = self._sign("<")
        self._expect("-")
        self._expect("[")
        name = self._own_name() or self._fresh("r", len(self.edges))
        relations: tuple[str, ...] = ()
        while self._sign(":") or self._sign("|"):
            relations = (*relations, self._name())
        steps = self._times() if self._sign("*") else ONE_STEP
        place = len(self.edges)
        self.edges.append(Edge(here, relations, here, name))  # its tests may name it
        self._inside(name)
        self._expect("]")
        self._expect("-")
        forward = self._sign(">")
        steps = self._quantified() if steps == ONE_STEP else steps
        if not relations and steps == ONE_STEP:
            raise self._error("a relationship without a type")
        there = self._node()
        ends = (there, here) if back and not forward else (here, there)
        self.edges[place] = Edge(ends[0], relations, ends[1], name, directed=back != forward, steps=steps)
        return there

    def _times(self) -> tuple[int, int]:
        """How many relationships `*`, `*3`, `*2..5` or `*..5` stands for."""
        text = ""
        while self._next().kind == "number" or self._next().symbol(".", ".."):
            text += self._next().source
            self.at += 1
        return self._steps(*text.partition("..")) if text else ANY_DEPTH

    def _quantified(self) -> tuple[int, int]:
        """The same of `+`, `{3}` and `{2,5}` behind a relationship."""
        if self._sign("+"):
            return ANY_DEPTH
        if not self._sign("{"):
            return ONE_STEP
        least = str(self._amount()) if not self._next().symbol(",") else ""
        between = "," if self._sign(",") else ""
        most = str(self._amount()) if self._next().kind == "number" else ""
        self._expect("}")
        return self._steps(least, between, most)

    def _steps(self, least: str, between: str, most: str) -> tuple[int, int]:
        if any(part and not part.isdecimal() for part in (least, most)) or least == "0":
            raise self._error("a relationship that may be none")
        first = int(least or 1)
        if between and not most and first > 1:
            raise self._error("a path of two steps or more without a bound")
        return first, int(most or 0) if between else first

    def _maybe(self, pattern: Callable[[], None]) -> None:
        """A pattern that may be missing: the one edge that joins it to what is known is optional."""
        known, edges = {*self.variables}, len(self.edges)
        pattern()
        added = self.edges[edges:]
        joining = [edge for edge in added if {edge.subject, edge.object} & known]
        if len(joining) != 1 or {joining[0].subject, joining[0].object} <= known or any(e.absent for e in added):
            raise self._error("an optional pattern that does not hang at one known node,")
        self.edges[edges:] = [replace(edge, optional=edge in joining) for edge in added]

    def _without(self, pattern: Callable[[], None]) -> None:
        """A pattern that must not be there: the one edge that joins it to what is known is absent."""
        known, edges, conditions = dict(self.variables), len(self.edges), len(self.conditions)
        alternatives = len(self.alternatives)
        pattern()
        if len(self.alternatives) > alternatives:
            raise self._error("alternatives in a pattern that must not be there")
        added = self.edges[edges:]
        own = {*self.variables} - {*known}
        joining = [edge for edge in added if not {edge.subject, edge.object} <= own]
        both = any({edge.subject, edge.object} <= {*known} for edge in joining)
        speaks = own | {edge.name for edge in added}
        outside = any(not _names_of(item) & speaks for item in self.conditions[conditions:])
        if len(joining) != 1 or (both and len(added) > 1) or outside or any(edge.absent for edge in added):
            raise self._error("a pattern that must not be there, and more than one end of which is known,")
        if any(self.variables[name] != variable for name, variable in known.items()):
            raise self._error("a label of a known node in a pattern that must not be there")
        self.edges[edges:] = [replace(edge, absent=edge in joining) for edge in added]
        self.hidden |= speaks

    # Tests -------------------------------------------------------------------------------------------------------

    def _tests(self) -> None:
        """Tests joined by AND, or several of these by OR."""
        begin, before = len(self.conditions), (len(self.edges), len(self.alternatives))
        options: list[tuple[Condition, ...]] = []
        self._all_of()
        while self._word("OR"):
            options.append(tuple(self.conditions[begin:]))
            del self.conditions[begin:]
            self._all_of()
        if not options:
            return
        options.append(tuple(self.conditions[begin:]))
        del self.conditions[begin:]
        measured = any(aggregates_of(side) for option in options for c in option for side in (c.left, c.right))
        if (len(self.edges), len(self.alternatives)) != before or measured or not all(options):
            raise self._error("an alternative that is no plain test")
        self.alternatives.append(tuple(options))

    def _all_of(self) -> None:
        self._test()
        while self._word("AND"):
            self._test()

    def _test(self) -> None:
        negated = self._word("NOT")
        if self._word("EXISTS"):
            closing = "}" if self._sign("{") else ")"
            if closing == ")":
                self._expect("(")
            self._word("MATCH")
            known = {*self.variables}
            self._without(self._patterns) if negated else self._patterns()
            self.hidden |= {*self.variables} - known  # another pattern may call other things so
            self._expect(closing)
        elif self._begins_pattern():
            self._without(self._pattern) if negated else self._pattern()
        elif not negated and self._sign("("):
            self._tests()
            self._expect(")")
        else:
            self._comparison(negated)

    def _begins_pattern(self) -> bool:
        behind = 1 + self._next(1).named
        return self._next().symbol("(") and self._next(behind).symbol(")", ":", "{")

    def _comparison(self, negated: bool) -> None:
        lower = self._call("TOLOWER")
        left = self._side()
        if lower:
            self._expect(")")
        textual = self._textual()
        if textual is not None and not negated:
            self._contains(left, textual, lower)
        elif lower:
            raise self._error()
        elif not negated and isinstance(left, Value) and not left.key and self._sign(":"):
            self._label(self._node_of(left))
        elif self._word("IS"):
            operator: Operator = "missing" if not self._word("NOT") else "present"
            self._expect_word("NULL")
            self._compare(left, _CONTRARY[operator] if negated else operator, ())
        elif self._word("IN"):
            self._membership(left, "<>" if negated else "=")
        else:
            operator = self._operator()
            self._compare(left, _CONTRARY[operator] if negated else operator, self._side())

    def _textual(self) -> Operator | None:
        if self._word("CONTAINS"):
            return "contains"
        for word, operator in (("STARTS", "starts with"), ("ENDS", "ends with")):
            if self._next().word(word) and self._next(1).word("WITH"):
                self.at += 2
                return cast(Operator, operator)
        return None

    def _contains(self, left: _Side, operator: Operator, lower: bool) -> None:
        """A text in a text, with its capitals where neither side is made small."""
        inner = self._call("TOLOWER")
        text = self._literal()
        if inner:
            self._expect(")")
        if not isinstance(left, Value) or not left.key:
            raise self._error("a text in something else than a property")
        self.conditions.append(Condition(left, operator, (text,), capitals=not lower))

    def _membership(self, left: _Side, operator: Operator) -> None:
        """A value in a list of literals, or a literal in a property that is a list."""
        if not self._sign("["):
            owner = self._value()
            if not isinstance(left, str | int | float) or not owner.key or owner.form:
                raise self._error("a list that is no property")
            self.conditions.append(Condition(replace(owner, form="list"), operator, (left,)))
            return
        literals = [self._literal()]
        while self._sign(","):
            literals.append(self._literal())
        self._expect("]")
        if not isinstance(left, Value) or not left.key:
            raise self._error("a list of something else than values")
        self.conditions.append(Condition(left, operator, tuple(literals)))

    def _compare(self, left: _Side, operator: Operator, right: _Side | tuple[()]) -> None:
        """Add the condition that two sides are to meet."""
        if not isinstance(left, Expression) and isinstance(right, Expression):
            left, operator, right = right, _TURNED.get(operator, operator), left
        plain = not isinstance(left, Value) or bool(left.key)
        if isinstance(left, Expression) and isinstance(right, Expression):
            nodes = [isinstance(side, Value) and not side.key for side in (left, right)]
            if nodes[0] != nodes[1] or (not plain and operator not in ("=", "<>")):
                raise self._error("a comparison of a node with a value")
            self.conditions.append(Condition(left, operator, right))
        elif not plain or not isinstance(left, Expression):
            raise self._error("a comparison of something else than values")
        elif isinstance(right, _Date):
            if not isinstance(left, Value) or left.form:
                raise self._error("a comparison of something else with a date")
            self.conditions.append(Condition(replace(left, form="date"), operator, (right.text,)))
        else:
            literals = right if isinstance(right, tuple) else (cast(Scalar, right),)
            self.conditions.append(Condition(left, operator, literals))

    def _operator(self) -> Operator:
        for operator in _OPERATORS:
            if all(self._next(ahead).symbol(sign) for ahead, sign in enumerate(operator)):
                self.at += len(operator)
                return operator
        raise self._error()

    def _side(self) -> _Side:
        """A value, what an alias stands for, a literal, or a calculation with these."""
        left = self._operand()
        for calculation in ("+", "-", "*", "/", "%"):
            if isinstance(left, Expression | Number) and self._sign(calculation):
                right = self._operand()
                if not isinstance(right, Expression | Number) or not values_of(left) + values_of(right):
                    raise self._error("a calculation with something else than properties and numbers")
                return Arithmetic(calculation, left, right)
        return left

    def _operand(self) -> _Side:
        if self._call("SIZE"):
            value = self._value()
            self._expect(")")
            return replace(value, form="length")
        if self._call("DATE"):
            text = self._literal()
            self._expect(")")
            if not isinstance(text, str) or not _DATE.fullmatch(text):
                raise self._error(f"the date {text!r}")
            return _Date(text)
        token = self._next()
        if token.named and token.value in self.aliases:
            self.at += 1
            return self.aliases[token.value]
        return self._value() if token.named and not token.word("TRUE", "FALSE") else self._literal()

    def _literal(self) -> Scalar:
        negative = self._sign("-")
        token = self._next()
        self.at += 1
        if token.kind == "number" and re.fullmatch(r"\d+|\d*\.\d+", token.value):
            number = float(token.value) if "." in token.value else int(token.value)
            return -number if negative else number
        if token.kind == "text" and not negative:
            return token.value
        if token.word("TRUE", "FALSE") and not negative:
            return token.word("TRUE")
        self.at -= 1
        raise self._error()

    def _value(self) -> Value:
        """A property of a node or a relationship, or that itself; `.year` of a date."""
        name = self._name()
        alias = self.aliases.get(name)
        if isinstance(alias, Value):
            return alias
        known = {*self.variables, *(edge.name for edge in self.edges)} - self.hidden
        if name not in (known if self.visible is None else self.visible):
            raise self._error(f"the unknown name {name!r}")
        if not self._sign("."):
            return Value(name)
        value = Value(name, self._name())
        if self._sign("."):
            self._expect_word("YEAR")
            return replace(value, form="year")
        return value

    def _node_of(self, value: Value) -> str:
        if value.of not in self.variables or value.key:
            raise self._error(f"{value.of!r}, which is no node,")
        return value.of

    # What is returned --------------------------------------------------------------------------------------------

    def _stage(self) -> None:
        """WITH a node and, it may be, an aggregate for each: tests of it, or an order of which the first are kept."""
        self._word("DISTINCT")
        node = self._value()
        variable = self._node_of(replace(node, key=""))
        self._alias(node)
        if node.key and not self._next().symbol(","):
            raise self._error()
        if self._sign(","):
            measured = self._aggregate()
            if measured is None or not self._next().word("AS"):
                raise self._error()
            self._alias(replace(self._counted(measured, variable), per=node))
        self.visible = set() if node.key else {variable}
        if self._word("ORDER"):
            self._order(node)
        elif self._word("WHERE"):
            self._tests()

    def _answer(self) -> Expression:
        found = [self._column("")]
        of = found[0].of if isinstance(found[0], Value) else ""
        while self._sign(","):
            found.append(self._column(of))
        first, *others = found
        if len(found) == 2 and isinstance(first, Value) and isinstance(others[0], Aggregate):
            return replace(others[0], per=first)
        mixed = isinstance(first, Aggregate) and not all(isinstance(item, Aggregate) for item in found)
        if others and (mixed or any(isinstance(i, Aggregate) and i.function == "exists" for i in found)):
            raise self._error("several columns")
        self.columns = tuple(others)
        return first

    def _column(self, per: str) -> Expression:
        item = self._returned()
        item = self._counted(item, per) if isinstance(item, Aggregate) else item
        self._alias(item)
        return item

    def _counted(self, measured: Aggregate, per: str = "") -> Aggregate:
        """With a variable for `count(*)`, another one than that for each of which it counts."""
        if measured.value != _ROWS:
            return measured
        others = [name for name in self.variables if name != per and name not in self.hidden]
        return replace(measured, value=Value(others[0]) if others else self._first())

    def _alias(self, named: Expression | None = None) -> None:
        if self._word("AS"):
            name = self._name()
            if named is not None:
                self.aliases[name] = named

    def _returned(self) -> Expression:
        alias = self.aliases.get(self._next().value) if self._next().named else None
        if isinstance(alias, Aggregate):
            self.at += 1
            return replace(alias, per=None)
        measured = self._aggregate()
        if measured is not None:
            if not self._next().symbol(">"):
                return measured
            self._expect(">")
            if measured.function != "count" or self._literal() != 0:
                raise self._error("a test of an aggregate")
            return Aggregate("exists", Value(self._counted(measured).value.of))
        if self._next().kind == "number":
            return self._share()
        left = self._returned_value()
        for calculation in ("+", "-", "*", "/", "%"):
            if self._sign(calculation):
                return Arithmetic(calculation, left, self._returned_value())
        return left

    def _share(self) -> Arithmetic:
        """100 * one value / another."""
        if self._literal() != 100:
            raise self._error("a number")
        self._expect("*")
        left = self._returned_value()
        self._expect("/")
        return Arithmetic("per cent", left, self._returned_value())

    def _returned_value(self) -> Value:
        if self._call("SIZE") or self._call("LENGTH"):
            value = self._value()
            self._expect(")")
            return replace(value, form="length")
        value = self._value()
        if value.form:
            raise self._error("a part of a date")
        return value

    def _aggregate(self) -> Aggregate | None:
        function = _FUNCTIONS.get(self._next().value.lower())
        if function is None or not self._next(1).symbol("("):
            return None
        self.at += 2
        different = self._word("DISTINCT")
        if different and function in ("sum", "average"):
            raise self._error(f"a {function} of different values")
        value = _ROWS if function == "count" and self._sign("*") else self._returned_value()
        self._expect(")")
        return Aggregate(function, value)

    def _limit(self, answer: Expression) -> None:
        """LIMIT without an order: any of them."""
        if not isinstance(answer, Value) or answer.key or answer.of not in self.variables or self.columns:
            raise self._error("a LIMIT without an order of something else than nodes")
        self.selections.append(Selection(answer.of, limit=self._amount()))

    def _order(self, answer: Expression) -> None:
        """ORDER BY; with LIMIT, what is asked for is placed by the best that it goes with."""
        self._expect_word("BY")
        by, descending = self._place()
        if isinstance(by, Aggregate) and isinstance(answer, Value):
            by = self._counted(by, answer.of)
        several = False
        while self._sign(","):
            self._place()
            several = True
        offset = self._amount() if self._word("SKIP", "OFFSET") else 0
        if not self._word("LIMIT"):
            if offset:
                raise self._error("an offset without LIMIT")
            return
        limit = self._amount()
        if several or not isinstance(answer, Value) or by == Value(answer.of):
            raise self._error("an order with LIMIT of something else than a value")
        owner = next((edge.object for edge in self.edges if edge.name == answer.of), answer.of)
        self.selections.append(Selection(owner, by, descending, limit, offset))

    def _place(self) -> tuple[Expression, bool]:
        """What is ordered by, and whether the highest comes first."""
        by = self._aggregate() or self._side()
        if not isinstance(by, Expression):
            raise self._error("an order by a literal")
        descending = self._word("DESC", "DESCENDING") or not (self._word("ASC", "ASCENDING") or True)
        if isinstance(by, Aggregate) and not (by.per and by.per.key):  # else the groups of a property are put in order
            by = replace(by, per=None)
        return by, descending

    def _amount(self) -> int:
        number = self._literal()
        if isinstance(number, bool) or not isinstance(number, int):
            raise self._error(repr(number))
        return number


def _names_of(condition: Condition) -> set[str]:
    """The variables and relationships that a condition speaks of."""
    return {value.of for side in (condition.left, condition.right) for value in values_of(side)}
