"""Bounds: how long texts and lists can become in a statement, and how long a walk over a list can take.

Comes in: a statement, and the values of its parameters. Goes out: nothing, or StatementRefused. A server counts the
memory of rows that it collects, sorts and groups, and looks between rows for what is over its time; it does neither
inside an expression. So what an expression may cost is bounded here, before anything is sent.

Every value has a size: a character of a text is 1, a number 8, a list or a map the sum of what is in it. What is not
known (a property, a node) counts as `UNKNOWN`, what the server collects, and counts, as `COLLECTED`. An expression is
at most as large as all that it mentions, each as often as it is mentioned, times what `split` and `replace` make of
it; a name given with AS is as large as its expression. A walk over a list (`[x IN …]`, `any(…)`, `reduce(…)`) goes over
all of its body for each item, but sees of `x` itself, all in all, the list once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kgneo.errors import StatementRefused
from kgneo.query.regular import takes_long
from kgneo.query.statement import Statement, dotted
from kgneo.query.tokens import CLAUSES, INFIX, begins_clause

LARGEST = 1_000_000
"""The largest value that may be built."""
MOST_WORK = 250_000_000
"""The most that walks over a list may go over: seconds, on a slow machine."""
UNKNOWN = 10_000
COLLECTED = 50_000
NUMBER = 8
PIECE = 20
"""What a character becomes that `split` makes a text of its own, and a truth that is made a text."""
_WALKS = ("ALL", "ANY", "NONE", "SINGLE")
_NUMERIC = frozenset(
    (
        "abs", "ceil", "char_length", "character_length", "count", "exists", "exp", "floor", "id", "isempty", "isnan",
        "length", "log", "log10", "point.distance", "rand", "round", "sign", "size", "sqrt", "tofloat",
        "tofloatornull", "tointeger", "tointegerornull",
    )
)  # fmt: skip
"""Functions that give a number or a truth."""
_TO_LISTS = frozenset(("tobooleanlist", "tofloatlist", "tointegerlist", "tostringlist"))
_PARTS_OF_GRAPH = frozenset(("keys", "labels", "nodes", "properties", "relationships"))
_WORDS = (*CLAUSES, *INFIX, "ALL", "ASC", "ASCENDING", "DESC", "DESCENDING", "END", "FALSE", "NULL", "TRUE")
"""Words that are no names, unless a pattern has given such a name."""


def check_growth(statement: Statement, parameters: Mapping[str, Any] | None = None) -> None:
    """Raises StatementRefused where a value may be larger than `LARGEST`, or a walk take longer than `MOST_WORK`."""
    sizes = {name: size_of(value) for name, value in (parameters or {}).items()}
    for place, token in enumerate(statement.tokens):
        if token.word("LET", "NEXT") and statement.at(place + 1).named and not statement.at(place - 1).symbol(".", ":"):
            raise StatementRefused(f"It uses {token.value.upper()}.", hint="Use WITH … AS name.")
    _Sizes(statement, sizes).of(0, len(statement.tokens))


def size_of(value: Any) -> int:
    """The size of a parameter's value."""
    size, left = 0, [value]
    while left:
        item = left.pop()
        size += len(item) + NUMBER if isinstance(item, str | bytes) else NUMBER
        left += item.values() if isinstance(item, Mapping) else item if isinstance(item, list | tuple) else ()
    return size


@dataclass
class _Sizes:
    """The sizes of a statement's expressions, and of the names given to them so far."""

    statement: Statement
    parameters: Mapping[str, int]
    known: dict[str, int] = field(default_factory=dict)

    def of(self, begin: int, end: int) -> int:
        """The size of all that stands from `begin` to before `end`."""
        together, here, place, clause = 0, 0, begin, ""
        while place < end:
            token = self.statement.at(place)
            if begins_clause(token, self.statement.at(place - 1)):
                together, here, clause = 0, 0, token.value.upper()
            elif token.symbol(","):
                here = 0
            elif token.word("AS") and self.statement.at(place + 1).named:
                numbers = clause == "UNWIND" and self._is_range(place)
                self._name(self.statement.at(place + 1).value, NUMBER if numbers else here)
                place += 1
            elif token.symbol("=") and self.statement.at(place + 1).symbol("~"):
                self._check_pattern(place)
            else:
                size, last = self._piece(place)
                here, together, place = here + size, together + size, last
            _check(here, clause)
            place += 1
        return together

    def _is_range(self, end: int) -> bool:
        """Whether `range(…)` stands alone between UNWIND and `end`: its items are numbers."""
        bracket = next((opening for opening, closing in self.statement.pairs.items() if closing == end - 1), 0)
        begins = self.statement.at(bracket - 2).word("UNWIND")
        return begins and self.statement.at(bracket - 1).value.lower() == "range"

    def _name(self, name: str, size: int) -> None:
        self.known[name] = max(size, NUMBER, self.known.get(name, 0))

    def _piece(self, place: int) -> tuple[int, int]:
        """The size of the operand that begins at `place`, and its last place."""
        token = self.statement.at(place)
        if place in self.statement.pairs:
            return self._bracket(place), self.statement.pairs[place]
        if token.kind == "text":
            return len(token.value) + NUMBER, place
        if token.kind == "parameter":
            return self.parameters.get(token.value[1:].strip("`"), UNKNOWN), place
        if not token.named:
            return NUMBER if token.kind == "number" else 0, place
        name, behind = dotted(self.statement, place)
        if self._calls(place, behind):
            return self._call(name.lower(), behind), self.statement.pairs[behind]
        return self._named(place), place

    def _named(self, place: int) -> int:
        token, before = self.statement.at(place), self.statement.at(place - 1)
        key = before.symbol("{", ",") and self.statement.at(place + 1).symbol(":")
        if before.symbol(".") or key:
            return 0
        if token.value in self.known:
            return self.known[token.value]
        if place in self._silent:
            return 0
        word = token.word(*_WORDS) and token.value not in self._of_patterns
        return 0 if word else UNKNOWN

    @cached_property
    def _of_patterns(self) -> frozenset[str]:
        nodes, relationships = self.statement.patterns
        return frozenset([*(item.variable for item in nodes), *(item.variable for item in relationships)])

    @cached_property
    def _silent(self) -> frozenset[int]:
        """The places of the variables, labels and lengths of patterns."""
        nodes, relationships = self.statement.patterns
        begins = [node.begin for node in nodes]
        begins += [item.place for item in relationships if self.statement.at(item.place).symbol("[")]
        found: set[int] = set()
        for begin in begins:
            place = begin + 1
            while place < self.statement.pairs[begin] and not self.statement.at(place).word("WHERE"):
                if self.statement.at(place).symbol("{"):
                    break
                found.add(place)
                place += 1
        return frozenset(found)

    def _bracket(self, place: int) -> int:
        end = self.statement.pairs[place]
        if self.statement.at(place).symbol("{") and self.statement.holds_query(place):
            size, before = self.of(place + 1, end), self.statement.at(place - 1)
            return NUMBER if before.word("EXISTS", "COUNT") else _of_rows(size) if before.word("COLLECT") else size
        if self._walks(place):
            return self._walk(place)
        bar = self._bar(place + 1, end) if self.statement.at(place).symbol("[") else None
        if bar is not None and not self.statement.at(place - 1).symbol("-"):
            self.of(place + 1, bar)
            return _of_rows(self.of(bar, end))
        return self.of(place + 1, end) + NUMBER * self.statement.at(place).symbol("[")

    # Functions ---------------------------------------------------------------------------------------------------

    def _calls(self, place: int, behind: int) -> bool:
        token = self.statement.at(place)
        bracket = self.statement.at(behind).symbol("(") and not self.statement.at(place - 1).symbol(".")
        return bracket and not (token.word(*_WORDS) and not self._walks(behind)) and behind not in self._nodes

    @cached_property
    def _nodes(self) -> frozenset[int]:
        return frozenset(node.begin for node in self.statement.patterns[0])

    def _call(self, name: str, bracket: int) -> int:
        begin, end = bracket + 1, self.statement.pairs[bracket]
        if name == "reduce":
            return self._reduce(bracket)
        if name == "range":
            return _checked(self._range(begin, end))
        if name == "replace":
            return _checked(self._replace(begin, end))
        size = self._walk(bracket) if self._walks(bracket) else self.of(begin, end)
        if name in _NUMERIC or self._walks(bracket):
            return NUMBER
        if name == "split" or name in _TO_LISTS:
            return _checked(size * PIECE)
        if name in _PARTS_OF_GRAPH:
            return max(size, UNKNOWN)
        return max(size, COLLECTED if name == "collect" else 2 * NUMBER)

    def _arguments(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Where each of the parts between commas begins and ends."""
        parts, place, first = [], begin, begin
        while place < end:
            if self.statement.at(place).symbol(","):
                parts.append((first, place))
                first = place + 1
            place = self.statement.pairs.get(place, place) + 1
        return [*parts, (first, end)]

    def _replace(self, begin: int, end: int) -> int:
        """Each place where the second text is found becomes the third one."""
        sizes = [self.of(*part) for part in self._arguments(begin, end)]
        if len(sizes) != 3:
            return sum(sizes)
        old, new = (self.statement.at(part[0]) for part in self._arguments(begin, end)[1:])
        by = len(new.value) if new.kind == "text" and sizes[2] == len(new.value) + NUMBER else sizes[2]
        if old.kind == "text" and old.value and sizes[1] == len(old.value) + NUMBER:
            return sizes[0] * max(1, -(-by // len(old.value)))
        return sizes[0] * (1 + by)

    def _range(self, begin: int, end: int) -> int:
        """The list of the numbers between two that are known, or that count something."""
        parts = self._arguments(begin, end)
        bounds = [self._bound(*part) for part in parts]
        step = bounds[2:] and (bounds[2] is None or not self.statement.at(parts[2][1] - 1).value.strip("0"))
        if None in bounds or step or len(bounds) not in (2, 3):
            raise StatementRefused(
                "It uses range() with ends that are not known before it runs.",
                hint="Give range() numbers, or size(…) of a list, as its ends: range(0, size(list) - 1).",
            )
        single = [int(self.statement.at(first).value) for first, last in parts[:2] if last - first == 1]
        many = abs(single[1] - single[0]) + 1 if len(single) == 2 else sum(bounds[:2])  # type: ignore[arg-type]
        return int(many) * NUMBER

    def _bound(self, begin: int, end: int) -> int | None:
        """How large the sum of numbers and sizes is at most; None where it is something else."""
        bound, place = 0, begin
        while place < end:
            token = self.statement.at(place)
            if token.kind == "number" and token.value.isdecimal():
                bound += int(token.value)
            elif token.word("SIZE", "LENGTH") and self.statement.at(place + 1).symbol("("):
                bound += self.of(place + 2, self.statement.pairs[place + 1])
                place = self.statement.pairs[place + 1]
            elif not token.symbol("+", "-"):
                return None
            place += 1
        return bound if end > begin else None

    # Walks over lists ----------------------------------------------------------------------------------------------

    def _walks(self, bracket: int) -> bool:
        """Whether a walk stands in the bracket: `x IN …`."""
        before = self.statement.at(bracket - 1)
        opens = self.statement.at(bracket).symbol("[") or before.word(*_WALKS)
        return opens and self.statement.at(bracket + 1).named and self.statement.at(bracket + 2).word("IN")

    def _bar(self, begin: int, end: int) -> int | None:
        """The place of the first bar that stands alone and in no bracket."""
        place = begin
        while place < end:
            alone = not self.statement.at(place + 1).symbol("|") and not self.statement.at(place - 1).symbol("|")
            if self.statement.at(place).symbol("|") and alone:
                return place
            place = self.statement.pairs.get(place, place) + 1
        return None

    def _walk(self, bracket: int) -> int:
        """The size of what `[x IN list WHERE … | …]` and its like give."""
        end = self.statement.pairs[bracket]
        bar = self._bar(bracket + 3, end)
        where = self._where(bracket + 3, end)
        rest = min(where, end if bar is None else bar)
        name, list_ = self.statement.at(bracket + 1).value, self.of(bracket + 3, rest)
        self._each(name, list_, rest, end)
        return list_ if bar is None else _checked(self._each(name, list_, bar, end))

    def _where(self, begin: int, end: int) -> int:
        place = begin
        while place < end and not self.statement.at(place).word("WHERE"):
            place = self.statement.pairs.get(place, place) + 1
        return place

    def _each(self, name: str, list_: int, begin: int, end: int) -> int:
        """The size of all that a body gives for the items of a list, each of which is called `name`."""
        with self._called(name, 0):
            beside = self.of(begin, end)
        with self._called(name, list_):
            body = self.of(begin, end)
        items = list_ // NUMBER + 1
        _check_work(items * (beside + NUMBER) + body)
        return items * beside + max(body - beside, 0)

    @contextmanager
    def _called(self, name: str, size: int) -> Iterator[None]:
        before = self.known.get(name)
        self.known[name] = size
        yield
        if before is None:
            del self.known[name]
        else:
            self.known[name] = before

    def _reduce(self, bracket: int) -> int:
        """The size of what `reduce(sum = 0, x IN list | sum + x)` gives. What is kept must not grow by itself."""
        end = self.statement.pairs[bracket]
        parts = self._arguments(bracket + 1, end)
        bar = self._bar(bracket + 1, end)
        if len(parts) != 2 or bar is None:
            return self.of(bracket + 1, end)
        kept, name, body = self.statement.at(bracket + 1).value, self.statement.at(parts[1][0]).value, bar + 1
        first, list_ = self.of(parts[0][0] + 2, parts[0][1]), self.of(parts[1][0] + 2, bar)
        with self._called(kept, NUMBER):
            added = self._each(name, list_, body, end)
        begins_with_number = self.statement.at(parts[0][1] - 1).kind == "number" and parts[0][1] - parts[0][0] == 3
        if begins_with_number and self._is_number(kept, body, end):
            return first + NUMBER
        self._check_kept(kept, body, end)
        size = first + added
        _check_work((list_ // NUMBER + 1) * size)
        return _checked(size)

    def _is_number(self, kept: str, begin: int, end: int) -> bool:
        """Whether all that is added is a number, whatever the list holds."""
        place, certain = begin, True
        sums = True
        while place < end:
            token = self.statement.at(place)
            if token.kind == "text" or token.symbol("[", "{", "|", "(") or token.word("CASE"):
                return False
            if token.symbol("*", "/", "%", "^") or self.statement.at(place - 1).symbol("-"):
                certain = True
            elif token.symbol("+"):
                sums, certain = sums and certain, False
            elif token.kind == "number" or (token.value == kept and not self.statement.at(place + 1).symbol(".")):
                certain = True
            elif token.value.lower() in _NUMERIC and self.statement.at(place + 1).symbol("("):
                certain, place = True, self.statement.pairs[place + 1]
            place += 1
        return sums and certain

    def _check_kept(self, kept: str, begin: int, end: int) -> None:
        """What is kept may be joined with more once, in no bracket."""
        inside = [place for place in range(begin, end) if self.statement.at(place).value == kept]
        builds = any(
            self.statement.at(place).symbol("+", "|", "[", "{") or self.statement.at(place).word("REPLACE", "SPLIT")
            for place in range(begin, end)
        )
        open_ = [place for place in self.statement.pairs if begin <= place < end]
        bracketed = any(opening < place < self.statement.pairs[opening] for opening in open_ for place in inside)
        if builds and (len(inside) > 1 or bracketed):
            raise StatementRefused(
                "It uses reduce() in a way that may double its result with every step.",
                hint=f"Name {kept} once, in no bracket, as in reduce(sum = 0, x IN list | sum + x.amount), or use "
                "sum() or collect() after UNWIND.",
            )

    # Regular expressions -------------------------------------------------------------------------------------------

    def _check_pattern(self, place: int) -> None:
        pattern = self.statement.at(place + 2)
        if pattern.kind != "text" or self._joined(place + 3) or takes_long(pattern.value):
            raise StatementRefused(
                "It uses a regular expression that may take long.",
                hint="Use CONTAINS, STARTS WITH or ENDS WITH with toLower(), or a pattern in quotes that repeats "
                "single characters at most twice, as in =~ '(?i).*word.*'.",
            )
        if self.of(self._operand(place), place) > COLLECTED:
            raise _too_large()

    def _joined(self, place: int) -> bool:
        return self.statement.at(place).symbol("+", "|", "[", ".")

    def _operand(self, end: int) -> int:
        """Where the operand begins that ends before `end`."""
        opened = {closing: opening for opening, closing in self.statement.pairs.items()}
        place = end
        while place > 0:
            before = self.statement.at(place - 1)
            other = before.kind == "symbol" and not before.symbol(".", "+", "|", ")", "]", "}")
            if other or before.word(*CLAUSES, *INFIX):
                break
            place = opened.get(place - 1, place - 1)
        return place


def _check(size: int, clause: str) -> None:
    if size > LARGEST:
        raise _too_large()
    if clause == "ORDER" and size > COLLECTED:
        raise StatementRefused("It sorts by long texts or lists.", hint="Sort by a property, a number or size(…).")


def _of_rows(size: int) -> int:
    """The size of a list that has something of this size for each row; not all servers count what is in it."""
    if size > COLLECTED:
        raise _too_large()
    return COLLECTED


def _checked(size: int) -> int:
    _check(size, "")
    return size


def _check_work(work: int) -> None:
    if work > MOST_WORK:
        raise StatementRefused(
            "It compares or joins within a walk over a list, which a server's timeout does not end.",
            hint="Use UNWIND and WHERE, or match the nodes themselves: between rows a server can end a query.",
        )


def _too_large() -> StatementRefused:
    return StatementRefused(
        "It may build a text or a list that is too long.",
        hint="Join, split and replace properties and short texts, not what was joined before; the server itself bounds "
        "what collect() holds.",
    )
