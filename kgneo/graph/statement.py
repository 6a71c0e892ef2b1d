"""Guarded Cypher: statements that others wrote (a model, an assistant, a client), run so that they can only read.

Comes in: text. Goes out: rows, or an error that says why not. In order:

1. `kgneo.query.statement` judges the text: functions, procedures, bounds, names of the schema, directions.
2. The server plans it (EXPLAIN) in read access mode. Every operator of the plan must be on the list here: no write, no
   LOAD CSV, no subquery that commits, no command, no product of parts that nothing joins or narrows.
3. Where something is left out of the graph, it is written anew so that it finds nothing of that, or refused
   (`kgneo.query.conceal`).
4. It runs in a read transaction, with a limit and a timeout, and is never tried twice.

Each would do alone against a write; they are not of one making: the first reads text, the second asks the server's
planner, the third its transaction. What went wrong can be told apart: StatementInvalid, UnknownName, StatementRefused,
GraphTimeout; a result without rows is no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kgneo.errors import GraphError, GraphTimeout, GraphUnavailable, StatementInvalid, StatementRefused
from kgneo.graph.connection import Graph, Plan, Row
from kgneo.graph.work import NotEnded
from kgneo.query.bounds import LARGEST, check_growth
from kgneo.query.catalogue import Catalogue
from kgneo.query.conceal import concealed
from kgneo.query.hidden import NOTHING, Hidden
from kgneo.query.nesting import DEEPEST
from kgneo.query.statement import PROCEDURES, Statement, check_statement, read_statement


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


LIMIT = 1_000
"""Rows at most."""
TIMEOUT = 10.0
"""Seconds at most."""
OPERATORS = _listed(
    """
    AllNodesScan PartitionedAllNodesScan NodeByLabelScan PartitionedNodeByLabelScan UnionNodeByLabelsScan
    PartitionedUnionNodeByLabelsScan IntersectionNodeByLabelsScan PartitionedIntersectionNodeByLabelsScan
    SubtractionNodeByLabelsScan PartitionedSubtractionNodeByLabelsScan
    NodeByElementIdSeek NodeByIdSeek NodeIndexSeek NodeUniqueIndexSeek NodeIndexSeekByRange NodeUniqueIndexSeekByRange
    PartitionedNodeIndexSeek PartitionedNodeIndexSeekByRange PartitionedNodeIndexScan NodeIndexScan
    NodeIndexContainsScan NodeIndexEndsWithScan MultiNodeIndexSeek AssertingMultiNodeIndexSeek
    NodeCountFromCountStore RelationshipCountFromCountStore
    DirectedRelationshipTypeScan UndirectedRelationshipTypeScan DirectedUnionRelationshipTypesScan
    UndirectedUnionRelationshipTypesScan DirectedAllRelationshipsScan UndirectedAllRelationshipsScan
    PartitionedDirectedRelationshipTypeScan PartitionedUndirectedRelationshipTypeScan
    PartitionedDirectedAllRelationshipsScan PartitionedUndirectedAllRelationshipsScan
    PartitionedDirectedUnionRelationshipTypesScan PartitionedUndirectedUnionRelationshipTypesScan
    DirectedRelationshipByElementIdSeek UndirectedRelationshipByElementIdSeek DirectedRelationshipByIdSeek
    UndirectedRelationshipByIdSeek DirectedRelationshipIndexSeek UndirectedRelationshipIndexSeek
    DirectedRelationshipIndexScan UndirectedRelationshipIndexScan DirectedRelationshipIndexSeekByRange
    UndirectedRelationshipIndexSeekByRange DirectedRelationshipIndexContainsScan
    UndirectedRelationshipIndexContainsScan DirectedRelationshipIndexEndsWithScan
    UndirectedRelationshipIndexEndsWithScan DirectedRelationshipUniqueIndexSeek UndirectedRelationshipUniqueIndexSeek
    Expand OptionalExpand VarLengthExpand PruningVarLengthExpand BFSPruningVarLengthExpand ShortestPath ProjectEndpoints
    Repeat BidirectionalRepeat StatefulShortestPath
    Apply SemiApply AntiSemiApply LetSemiApply LetAntiSemiApply SelectOrSemiApply SelectOrAntiSemiApply
    LetSelectOrSemiApply LetSelectOrAntiSemiApply ConditionalApply AntiConditionalApply RollUpApply
    NodeHashJoin NodeLeftOuterHashJoin NodeRightOuterHashJoin ValueHashJoin LeftOuterHashJoin RightOuterHashJoin
    CartesianProduct AssertSameNode AssertSameRelationship TriadicSelection TriadicBuild TriadicFilter
    Argument EmptyRow Optional Filter Projection CacheProperties Distinct OrderedDistinct
    EagerAggregation OrderedAggregation Aggregation Eager Union OrderedUnion Unwind UnwindCollection
    Sort PartialSort Top PartialTop Top1WithTies Limit ExhaustiveLimit Skip NullifyMetadata
    ProduceResults ProcedureCall
    """
)
"""Operators of a plan that only read the graph."""
_REASONS = {
    "LoadCSV": "It reads a file or an address (LOAD CSV).",
    "TransactionForeach": "It holds a subquery that commits on its own (IN TRANSACTIONS).",
    "TransactionApply": "It holds a subquery that commits on its own (IN TRANSACTIONS).",
    "EmptyResult": "It returns nothing.",
}
_WRITES = re.compile(r"Create|Merge|Delete|Set|Remove|Foreach|Locking")
_NARROW = _listed(
    """
    NodeByElementIdSeek NodeByIdSeek NodeIndexSeek NodeUniqueIndexSeek MultiNodeIndexSeek DirectedRelationshipIndexSeek
    UndirectedRelationshipIndexSeek DirectedRelationshipByElementIdSeek UndirectedRelationshipByElementIdSeek
    EagerAggregation Limit Top NodeCountFromCountStore RelationshipCountFromCountStore EmptyRow
    """
)
"""Operators after which few rows are left."""
_HINT = "Only queries that read are run: MATCH … WHERE … RETURN."


@dataclass(frozen=True, slots=True)
class Rows:
    """What a statement found: columns and rows of values as the driver gives them, the text that was run, and whether
    there was more than the limit."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    cypher: str
    more: bool

    @property
    def empty(self) -> bool:
        """Whether nothing was found; a single count of 0 is nothing, too."""
        values = [value for row in self.rows for value in row.values()]
        return all(value in (0, False, None) or value == [] for value in values) and len(self.rows) < 2


@dataclass(frozen=True, slots=True)
class Guarded:
    """A statement that passed, with the text that is run: a limit is added where the last RETURN has none. `asked` and
    `shown` are the same as they were written, where what is run leaves something out."""

    statement: Statement
    text: str
    asked: Statement
    shown: str


@dataclass(frozen=True)
class Guard:
    """Runs what passes. `limit` bounds rows, `timeout` seconds; what is `hidden` is neither found nor told."""

    graph: Graph
    catalogue: Catalogue
    limit: int = LIMIT
    timeout: float = TIMEOUT
    hidden: Hidden = NOTHING

    def check(self, text: str, parameters: Mapping[str, Any] | None = None) -> Guarded:
        """Judge `text`; nothing is run. Raises StatementInvalid, UnknownName or StatementRefused."""
        statement = read_statement(text)
        check_statement(statement, self.catalogue)
        _check_parameters(statement, parameters or {})
        check_growth(statement, parameters)
        shown = self._limited(statement)
        plan = self._plan(shown, parameters)
        if not self.hidden:
            check_plan(plan)
            return Guarded(statement, shown, statement, shown)
        run = concealed(statement, self.hidden)
        text = self._limited(run)
        try:
            check_plan(self._plan(text, parameters))
        except StatementInvalid as error:  # what the server says of it would name what is left out
            raise StatementRefused(
                "It cannot be run without what is left out of this graph by --exclude.",
                hint="Write each node as (n:Label) and each relationship as -[r:TYPE]->.",
            ) from error
        return Guarded(run, text, statement, shown)

    def _plan(self, text: str, parameters: Mapping[str, Any] | None) -> Plan:
        with self._in_time():
            return self.graph.explain(text, timeout=self.timeout, **(parameters or {}))

    def run(self, text: str, parameters: Mapping[str, Any] | None = None) -> Rows:
        """The rows of `text`, where it passes. Raises what `check` raises, GraphTimeout and GraphError."""
        return self.rows(self.check(text, parameters).text, parameters)

    def rows(self, passed: str, parameters: Mapping[str, Any] | None = None) -> Rows:
        """The rows of a text that passed."""
        try:
            with self._in_time():
                columns, rows = self.graph.read_once(
                    passed, rows=self.limit + 1, timeout=self.timeout, **(parameters or {})
                )
        except GraphError as error:
            if not self.hidden or isinstance(error, GraphTimeout | GraphUnavailable):
                raise
            raise StatementRefused(  # the server's own words may hold a node with all of its properties
                "The database could not run it, and why is not told: something is left out of this graph by --exclude.",
                hint="Compare and calculate with properties, not with whole nodes.",
            ) from error
        return Rows(columns, tuple(rows[: self.limit]), passed, len(rows) > self.limit)

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        try:
            yield
        except NotEnded:
            raise
        except GraphTimeout as error:
            raise GraphTimeout(
                f"The query took longer than {self.timeout:g} s.", hint="Narrow it: name labels, types and values."
            ) from error

    def _limited(self, statement: Statement) -> str:
        begin = statement.last_return
        if begin is None:
            return statement.text
        behind = [place for place in statement.top if place > begin]
        if any(statement.at(place).word("LIMIT") for place in behind):
            return statement.text
        return f"{statement.text}\nLIMIT {self.limit + 1}"


def _check_parameters(statement: Statement, parameters: Mapping[str, Any]) -> None:
    for token in statement.tokens:
        name = token.value.removeprefix("$").strip("`")
        if token.kind == "parameter" and name not in parameters:
            raise StatementInvalid(f"It uses ${name}, and no such parameter is given.", hint="Write the value itself.")
    for name, value in parameters.items():
        _check_parameter(name, value)


def _check_parameter(name: str, value: Any, deep: int = 0) -> None:
    """What a driver could not send, or a server not take in."""
    problem = "is nested too deep" if deep > DEEPEST else _unsendable(value)
    if problem:
        raise StatementInvalid(f"The parameter ${name} {problem}.", hint="Give texts, numbers, and lists of them.")
    for item in value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ():
        _check_parameter(name, item, deep + 1)


def _unsendable(value: Any) -> str:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return "is a whole number of more than 64 bits"
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return "holds half a character (a lone surrogate)"
    return "is too long" if isinstance(value, str) and len(value) > LARGEST else ""


def check_plan(plan: Plan) -> None:
    """Raises StatementRefused for an operator that is not on the list, or for a product without bounds."""
    if plan.query_type != "r":
        raise StatementRefused("It would write, or change the database.", hint=_HINT)
    for part in plan.parts():
        name = part.operator
        if name not in OPERATORS:
            writes = "It would write." if _WRITES.search(name) else f"Its plan holds {name}, which is not allowed."
            raise StatementRefused(_REASONS.get(name, writes), hint=_HINT)
        if name == "ProcedureCall" and part.details.split("(")[0] not in PROCEDURES:
            raise StatementRefused(f"It calls the procedure {part.details.split('(')[0]}.", hint=_HINT)
        if name == "CartesianProduct" and sum(not _narrow(child) for child in part.children) > 1:
            raise _product()
        if name == "NodeCountFromCountStore" and "), (" in part.details:
            raise _product()


def _narrow(part: Plan) -> bool:
    """Whether a part of a plan is bound by a value, by an id or to a few rows."""
    compares = any(item.operator == "Filter" and " = " in item.details for item in part.parts())
    return compares or any(item.operator in _NARROW for item in part.parts())


def _product() -> StatementRefused:
    return StatementRefused(
        "It pairs all of one part with all of another (a cartesian product).",
        hint="Join the parts by a relationship or a shared variable, or narrow one of them to a value.",
    )
