"""The connection to Neo4j: the one object through which everything else reads and writes, and nothing more.

`Graph.connect` opens a driver, `Graph(driver)` takes one that is already there. Reads run in read transactions,
both kinds with a timeout that the server enforces; the driver's errors come out as kgneo's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit
from uuid import uuid4

import neo4j
from neo4j import exceptions

from kgneo.defaults import RETRY_SECONDS
from kgneo.defaults import TIMEOUT as DEFAULT_TIMEOUT
from kgneo.errors import (
    GraphError,
    GraphTimeout,
    GraphUnavailable,
    KgneoError,
    LoginRefused,
    StatementInvalid,
    WorkEnded,
)
from kgneo.folders import check_room, free_bytes, free_space
from kgneo.graph.capabilities import Capabilities, probe
from kgneo.graph.cypher import query as named_query
from kgneo.graph.work import MARK, Behind, NotEnded, Work, bounds, current_work, not_after
from kgneo.tracing import span
from kgneo.version import __version__

if TYPE_CHECKING:
    from kgneo.terms.file import Terms

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """An operator of the plan by which the server would run a query, with what it does in the server's words, and the
    operators that feed it. `query_type` is "r" for a query that only reads."""

    operator: str
    details: str
    children: tuple[Plan, ...] = ()
    query_type: str = ""

    def parts(self) -> Iterator[Plan]:
        """This operator and all below it."""
        yield self
        for child in self.children:
            yield from child.parts()


STOPPED = (
    "What was committed stays. Free space where there is none, then run `kgneo server stop` and the same command again."
)
CONNECTION_TIMEOUT = 10.0
END_SECONDS = 5.0
"""How long ending what runs may take itself. Neo4j looks every two seconds for what has run too long."""
NEO4J = {"db.system.name": "neo4j"}
PLANS_KEPT = 1000
"""Plans that a server keeps, unless it is set to keep more."""
PLANNED_AT_ONCE = 2
"""Queries that the server plans ahead at the same time."""
FETCHED = 2000
"""Rows that are fetched at a time."""
ROOM = 2**26
"""Bytes that must be free on the disk of a local store before anything is written: more than a batch and its log take.
A database that runs out of space in the middle of writing stops, and may need its log to be mended."""


class Graph:
    """A Neo4j database. Close it, or use it in a `with` block; an injected driver stays the caller's to close.

    `timeout` is the longest that one transaction may take, in seconds.
    """

    def __init__(
        self,
        driver: neo4j.Driver,
        *,
        database: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        address: str = "",
        read_only: bool = False,
    ) -> None:
        self._driver = driver
        self._owned = False
        self._written = neo4j.GraphDatabase.bookmark_manager()
        self._prepared: set[str] = set()
        self._behind = Behind()
        self.database = database
        self.timeout = timeout
        self.address = address
        self.read_only = read_only
        self.store: Path | None = None
        """The folder of the local store, where it is one."""
        self.terms: Terms | None = None
        """What names and values mean to the people who ask, where somebody has written it down."""
        self.apart = ""
        """What tells the cache files of this connection from those of others with its login; empty: they share them."""
        self.terms_file: Path | None = None
        """Where that is written, or may be one day."""

    @classmethod
    def connect(
        cls,
        uri: str,
        *,
        username: str = "neo4j",
        password: str = "",
        token: str = "",
        database: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        read_only: bool = False,
        retry: float = RETRY_SECONDS,
    ) -> Self:
        """Open a driver on `uri` (bolt, neo4j, and their +s and +ssc forms) and check that it answers.

        `token` takes the place of user name and password (bearer authentication); `read_only` refuses to write;
        `retry` is how many seconds long the driver tries again when a server does not answer, or little longer.
        Raises GraphUnavailable when nothing answers, GraphError when the server refuses the login or the database.
        """
        auth = neo4j.bearer_auth(token) if token else neo4j.basic_auth(username, password) if password else None
        try:
            driver = neo4j.GraphDatabase.driver(
                uri,
                auth=auth,
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
                user_agent=f"kgneo/{__version__}",
                telemetry_disabled=True,
                connection_timeout=CONNECTION_TIMEOUT,
                max_transaction_retry_time=retry,
            )
        except (exceptions.ConfigurationError, ValueError) as error:
            raise GraphError(
                f"{_without_secret(uri)!r} is not an address of a Neo4j server: {error}",
                hint="Expected something like neo4j://localhost:7687 or neo4j+s://NAME.databases.neo4j.io.",
            ) from error
        graph = cls(driver, database=database, timeout=timeout, address=_without_secret(uri), read_only=read_only)
        graph._owned = True
        try:
            with graph._errors():
                driver.verify_connectivity()
            graph.read("RETURN 1")
        except BaseException:
            driver.close()
            raise
        return graph

    def __repr__(self) -> str:
        return f"Graph({self.address or 'injected driver'!r}, database={self.database!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End what runs in the background, and close the driver, if this object opened it."""
        self._behind.stop(self._end_quietly, wait=END_SECONDS)
        if (planning := self.__dict__.pop("_planning", None)) is not None:
            planning.shutdown(cancel_futures=True)
        if self._owned:
            self._driver.close()

    @cached_property
    def capabilities(self) -> Capabilities:
        """What this server can do, found by trying, once."""
        return probe(self)

    def read(self, query: str, /, *, timeout: float | None = None, **parameters: Any) -> list[Row]:
        """All rows of a query, in a read transaction: in one round trip, and on a transient fault once more in a
        managed transaction, which the driver tries again."""
        with span("query", NEO4J), self._errors(), self._session(neo4j.READ_ACCESS) as session:
            return self._rows(session, query, parameters, timeout)

    def _rows(
        self, session: neo4j.Session, query: str, parameters: Mapping[str, Any], timeout: float | None
    ) -> list[Row]:
        longest, metadata = bounds(timeout or self.timeout)
        try:
            statement = neo4j.Query(query, timeout=longest, metadata=metadata or None)
            return [_row(record) for record in session.run(statement, dict(parameters))]
        except (exceptions.Neo4jError, exceptions.DriverError) as error:
            if not error.is_retryable() or "Memory" in (getattr(error, "code", None) or ""):
                raise
        return session.execute_read(self._work(query, parameters, timeout))

    def prepare(self, query: str, /, **parameters: Any) -> None:
        """Have the server plan a query that will be read soon, while this goes on: planning one takes longer than most
        queries run. Parameters are of the types that they will be of. What is wrong with it shows when it is read."""
        if query in self._prepared:
            return
        if len(self._prepared) >= PLANS_KEPT:
            self._prepared.clear()
        self._prepared.add(query)
        self._planning.submit(self._plan_ahead, query, parameters)

    def _plan_ahead(self, query: str, parameters: Mapping[str, Any]) -> None:
        with suppress(GraphError, exceptions.DriverError):
            self.explain(query, timeout=END_SECONDS, **parameters)

    @cached_property
    def _planning(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(PLANNED_AT_ONCE, thread_name_prefix="kgneo-plan")

    def write(self, query: str, /, *, timeout: float | None = None, **parameters: Any) -> list[Row]:
        """All rows of a query, in a write transaction of its own."""
        self._check_allowed()
        with self._errors(), self._session() as session:
            return session.execute_write(self._work(query, parameters, timeout))

    def write_all(self, work: Callable[[neo4j.ManagedTransaction], None], *, timeout: float | None = None) -> None:
        """Several queries in one write transaction: all of them take effect, or none."""
        self._check_allowed()
        with self._errors(), self._session() as session:
            session.execute_write(neo4j.unit_of_work(timeout=timeout or self.timeout)(work))

    def stream(self, query: str, /, *, timeout: float | None = None, **parameters: Any) -> Generator[Row, None, None]:
        """Rows one by one, fetched as they are used, so that memory does not grow with their number."""
        with self._errors(), self._session(neo4j.READ_ACCESS) as session:
            longest, metadata = bounds(timeout or self.timeout)
            statement = neo4j.Query(query, timeout=longest, metadata=metadata or None)
            for record in session.run(statement, parameters):
                yield _row(record)

    def read_at(self, query: str, /, **parameters: Any) -> tuple[list[Row], str]:
        """All rows of a query, and the mark of `last_change` as it was when they were read."""
        with self._errors(), self._session(neo4j.READ_ACCESS) as session:
            rows = self._rows(session, query, parameters, None)
            return rows, " ".join(sorted(session.last_bookmarks().raw_values))

    def read_once(
        self, query: str, /, *, rows: int, timeout: float, **parameters: Any
    ) -> tuple[tuple[str, ...], list[Row]]:
        """The columns and the first `rows` rows of a query, in a read transaction that is never tried again, so that
        `timeout` is the longest that it takes. It is not waited for when the server does not end it then: some walks,
        Neo4j was seen to go on with for minutes. Raises NotEnded in that case; the transaction is told to end, and its
        connection is of no use to others until it has."""
        mark = self._mark()

        def found() -> tuple[tuple[str, ...], list[Row]]:
            with self._errors(), self._reading(timeout, mark) as transaction:
                result = transaction.run(query, parameters)
                return tuple(result.keys()), [_row(record) for record in islice(result, rows)]

        return not_after(timeout + END_SECONDS, found, lambda: self._give_up(mark))

    def explain(self, query: str, /, *, timeout: float | None = None, **parameters: Any) -> Plan:
        """The plan of a query, which is not run. It is not waited for longer than `read_once` waits."""
        longest, mark = timeout or self.timeout, self._mark()

        def planned() -> Plan:
            with self._errors(), self._reading(longest, mark) as transaction:
                summary = transaction.run("EXPLAIN " + query, parameters).consume()
            return _plan(summary.plan or {}, summary.query_type or "")

        return not_after(longest + END_SECONDS, planned, lambda: self._give_up(mark))

    def last_change(self) -> str:
        """A mark that is another one after every transaction that changed the database, whoever ran it, and else the
        same for everyone who looks, also after a restart of the server."""
        return self.read_at("RETURN 1")[1]

    @cached_property
    def login(self) -> str:
        """The name of the user that the database knows this connection by; empty where it asks for none."""
        try:
            rows = self.read(named_query("current_user"))
        except GraphUnavailable:
            raise
        except GraphError:
            return ""
        return str(rows[0]["user"] or "") if rows else ""

    def schema(self, query: str, /, **parameters: Any) -> list[Row]:
        """Run a schema command (indexes, constraints), which Neo4j wants in a transaction of its own."""
        self._check_allowed()
        with self._errors(), self._session() as session:
            return [_row(record) for record in session.run(query, parameters)]

    def end(self, work: Work) -> None:
        """End `work` and the transactions that run for it on the server; what they hold is given back."""
        work.end()
        self._end_marked(work.mark)

    def _end_marked(self, mark: str) -> None:
        ids = [row["id"] for row in self.read(named_query("work_running"), timeout=END_SECONDS, mark=mark)]
        if ids:
            self.read(named_query("work_end"), timeout=END_SECONDS, ids=ids)

    def _mark(self) -> str:
        """The mark of a transaction that may have to be ended: that of the work that is done, else one of its own."""
        work = current_work()
        return work.mark if work else uuid4().hex

    def _give_up(self, mark: str) -> str:
        """Tell the server to end what has this mark, and say what a user should know."""
        last = "where SHOW TRANSACTIONS still lists it, the server may need to be started anew."
        try:
            not_after(END_SECONDS, lambda: self._end_marked(mark))
        except NotEnded:
            return f"The server is told to end it, and has not answered yet; {last}"
        except KgneoError as error:
            return f"It may still run there, and telling the server to end it failed: {error.message}"
        return f"The server was told to end it; {last}"

    def _end_quietly(self, work: Work) -> None:
        with suppress(GraphError, exceptions.DriverError):
            self.end(work)

    def behind(self, run: Callable[[], object], *, after: float, seconds: float) -> None:
        """Have `run` read this graph in the background, in `after` seconds, and for so many at most; closing the graph
        ends it. Where something runs there already, this does nothing."""
        self._behind.begin(run, after=after, seconds=seconds)

    def _check_allowed(self) -> None:
        if self.read_only:
            raise GraphError(
                "The graph is only read, and this would write to it.",
                hint="Leave --read-only out (KGNEO_READ_ONLY in the environment), or use a graph of your own.",
            )
        self.check_room()

    def check_room(self, size: int = 0) -> None:
        """Raises KgneoError where the disk of a local store has no room to write `size` bytes safely."""
        if self.store is not None:
            check_room(self.store, ROOM + size)

    def refuses_writes(self) -> str:
        """Why the graph may not be written to, as a clause; empty where it may. Tried with a write that is undone."""
        if self.read_only:
            return "it was asked for to read only"
        rows = self.read(named_query("database_access"), database=self.database)
        if any(row["access"] == "read-only" for row in rows):
            return "the database is read-only"
        try:
            with self._errors(), self._session() as session, session.begin_transaction(timeout=self.timeout) as change:
                change.run("CREATE ()").consume()
                change.rollback()
        except GraphUnavailable:
            raise
        except GraphError:
            return "this user may not write"
        return ""

    def _work(
        self, query: str, parameters: Mapping[str, Any], timeout: float | None
    ) -> Callable[[neo4j.ManagedTransaction], list[Row]]:
        """What a managed transaction does to have all rows of a query."""
        longest, metadata = bounds(timeout or self.timeout)

        @neo4j.unit_of_work(timeout=longest, metadata=metadata or None)
        def work(transaction: neo4j.ManagedTransaction) -> list[Row]:
            return [_row(record) for record in transaction.run(query, dict(parameters))]

        return work

    def _session(self, mode: str = neo4j.WRITE_ACCESS) -> neo4j.Session:
        """In a cluster, what one session wrote the next one must read, whichever member it asks. Sessions that read
        leave no bookmark behind: one of another database, into which queries like SHOW DATABASES look, would be part of
        every later bookmark, and marks of the same state would differ (`last_change`)."""
        if mode == neo4j.WRITE_ACCESS:
            return self._driver.session(database=self.database, fetch_size=FETCHED, bookmark_manager=self._written)
        return self._driver.session(
            database=self.database,
            default_access_mode=mode,
            fetch_size=FETCHED,
            bookmarks=neo4j.Bookmarks.from_raw_values(self._written.get_bookmarks()),
        )

    @contextmanager
    def _reading(self, timeout: float, mark: str) -> Iterator[neo4j.Transaction]:
        with (
            self._session(neo4j.READ_ACCESS) as session,
            session.begin_transaction(timeout=timeout, metadata={MARK: mark}) as transaction,
        ):
            yield transaction

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except exceptions.AuthError as error:
            raise LoginRefused(
                f"Neo4j at {self.address} refused the login: {_first_line(error)}",
                hint="Set NEO4J_USERNAME and NEO4J_PASSWORD (or --username and NEO4J_PASSWORD) to a user it knows.",
            ) from error
        except (exceptions.ServiceUnavailable, exceptions.SessionExpired, OSError) as error:
            raise GraphUnavailable(
                f"Neo4j at {self.address or 'the given driver'} cannot be reached: {_first_line(error)}",
                hint="Check that the server runs and that the address is right; without --uri, kgneo starts its own.",
            ) from error
        except exceptions.Neo4jError as error:
            work = current_work()
            if work is not None and work.ended:
                raise WorkEnded("The question was ended before it was answered.") from error
            raise _translate(error, self) from error
        except (UnicodeEncodeError, OverflowError) as error:
            found = "a whole number of more than 64 bits" if isinstance(error, OverflowError) else "half of a character"
            raise StatementInvalid(
                f"A value or the text of the query cannot be sent to Neo4j: it holds {found}.",
                hint="Whole numbers are from -2^63 to 2^63 - 1; texts are Unicode without lone surrogates.",
            ) from error
        except exceptions.DriverError as error:
            raise GraphError(f"The connection to Neo4j failed: {_first_line(error)}") from error


def _row(record: neo4j.Record) -> Row:
    return dict(zip(record.keys(), record.values(), strict=True))


def _plan(record: Mapping[str, Any], query_type: str) -> Plan:
    operator = re.split(r"[(@]", str(record.get("operatorType", "nothing")))[0].strip()
    details = str(record.get("args", {}).get("Details", ""))
    children = tuple(_plan(child, query_type) for child in record.get("children", ()))
    return Plan(operator, details, children, query_type)


NOT_TAKEN: Mapping[str, Callable[[], LoginRefused]] = {
    "AuthenticationRateLimit": lambda: LoginRefused(
        "Neo4j takes no login of this user for some seconds, after several wrong ones.",
        hint="Try again.",
        wrong=False,
        retry=True,
    ),
    "CredentialsExpired": lambda: LoginRefused(
        "The password of this user has to be changed before anything can be asked.",
        hint="ALTER CURRENT USER SET PASSWORD FROM … TO …, in cypher-shell on the database system.",
        wrong=False,
    ),
}
"""What is said of logins that are right, or may be, and are not taken, by the ends of their errors' codes."""


def _translate(error: exceptions.Neo4jError, graph: Graph) -> GraphError:
    code = error.code or ""
    if code.endswith(tuple(NOT_TAKEN)):
        return NOT_TAKEN[code.rpartition(".")[2]]()
    if graph.store is not None and free_bytes(graph.store) < ROOM and not code.startswith("Neo.ClientError"):
        return GraphError(f"The disk is full: {free_space(graph.store)}. {_first_line(error)}", hint=STOPPED)
    if "TransactionStartFailed" in code:
        return GraphError(f"The database stopped: {_first_line(error)}", hint=STOPPED)
    if "TransactionTimedOut" in code:
        return GraphTimeout(
            f"Neo4j ended a query after its timeout of {graph.timeout:g} s.",
            hint="Allow it more time with --timeout SECONDS, or ask for fewer hops with --hops.",
        )
    if "Memory" in code:
        return GraphError(
            f"Neo4j ended a query that takes more memory than it allows: {_first_line(error)}",
            hint="Ask for less at once: name labels, types and values (db.memory.transaction.max is the bound).",
        )
    if code.endswith("DatabaseNotFound"):
        return GraphError(
            f"Neo4j at {graph.address} has no database {graph.database!r}.",
            hint="Name another with --database, or leave it out for the server's default.",
        )
    if any(word in code for word in ("Security", "AccessMode", "ReadOnly")):
        return GraphError(
            f"Neo4j does not allow this: {_first_line(error)}",
            hint="Check the user's rights; where none may be had, `kgneo index` keeps embeddings on this machine.",
        )
    if code.startswith("Neo.ClientError.Statement."):
        return StatementInvalid(f"Neo4j refused a query: {_first_line(error)} [{code}]")
    if error.is_retryable():
        return GraphUnavailable(f"Neo4j could not finish a transaction: {_first_line(error)}", hint="Try again.")
    return GraphError(f"Neo4j refused a query: {_first_line(error)} [{code}]")


def _first_line(error: BaseException) -> str:
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0][:300]


def _without_secret(uri: str) -> str:
    """The address without a user and password that someone put into it."""
    parts = urlsplit(uri)
    return uri if "@" not in parts.netloc else uri.replace(parts.netloc, parts.netloc.rsplit("@", 1)[1])
