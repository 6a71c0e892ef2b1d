"""Ready means that a login through Bolt succeeds. The only place of this package that speaks Bolt."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from kgneo.errors import ServerError
from kgneo.server.archive import TRAINING


class DatabaseFailed(Exception):
    """The server runs, and its database did not start, or has stopped; in the server's words."""


def answers(uri: str, http_url: str, username: str, password: str) -> bool:
    """Whether the server at `uri` answers a query of this user and its `http_url` takes connections.

    False while it is still starting.

    Raises ServerError when it refuses the password, DatabaseFailed when it runs without its database.
    """
    # The driver would wait and retry; a port that nobody listens on needs no driver.
    if not (_takes_connections(uri) and _takes_connections(http_url)):
        return False
    from neo4j import GraphDatabase
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    try:
        with (
            GraphDatabase.driver(uri, auth=(username, password), connection_acquisition_timeout=10) as driver,
            # Unlike execute_query, this does not retry on its own, and says nothing on the way.
            driver.session(database="neo4j") as session,
        ):
            session.run("RETURN 1").consume()
    except AuthError as error:
        raise ServerError(
            "Neo4j refuses the password in the store's password file.",
            hint="Put the password that was last set into that file.",
        ) from error
    except (DriverError, Neo4jError, OSError) as error:
        code = str(getattr(error, "code", ""))
        if "TransactionStartFailed" in code:  # it has stopped itself
            raise DatabaseFailed(str(error)) from error
        if "DatabaseUnavailable" in code and (why := _failed(uri, username, password)):
            raise DatabaseFailed(why) from error
        return False
    return True


def _failed(uri: str, username: str, password: str) -> str:
    """What the server says of a database that it could not start; empty while it still tries."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import DriverError, Neo4jError

    query = "SHOW DATABASE neo4j YIELD requestedStatus, currentStatus, statusMessage"
    try:
        with (
            GraphDatabase.driver(uri, auth=(username, password), connection_acquisition_timeout=10) as driver,
            driver.session(database="system") as session,
        ):
            for row in session.run(query):
                if row["statusMessage"] and row["currentStatus"] != row["requestedStatus"]:
                    return " ".join(str(row["statusMessage"]).split())
    except (DriverError, Neo4jError, OSError):
        return ""
    return ""


def train(uri: str, username: str, password: str) -> None:
    """Have a server load the classes that kgneo's queries need, before they are kept in an archive."""
    from neo4j import GraphDatabase

    with GraphDatabase.driver(uri, auth=(username, password)) as driver, driver.session(database="neo4j") as session:
        for statement in TRAINING:
            session.run(statement).consume()


def _takes_connections(url: str) -> bool:
    address = urlsplit(url)
    try:
        socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=1).close()
    except OSError:
        return False
    return True
