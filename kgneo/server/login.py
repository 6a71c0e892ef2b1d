"""Ready means that a login through Bolt succeeds. The only place of this package that speaks Bolt."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from kgneo.errors import ServerError


def can_log_in(uri: str, username: str, password: str) -> bool:
    """Whether the server at `uri` answers a query of this user; False while it is still starting.

    Raises ServerError when it refuses the password.
    """
    address = urlsplit(uri)
    try:
        # The driver would wait and retry; a port that nobody listens on needs no driver.
        socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=1).close()
    except OSError:
        return False
    from neo4j import GraphDatabase
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    try:
        with GraphDatabase.driver(uri, auth=(username, password), connection_timeout=5) as driver:
            driver.execute_query("RETURN 1", database_="neo4j")
    except AuthError as error:
        raise ServerError(
            "Neo4j refuses the password in the store's password file.",
            hint="Put the password that was last set into that file.",
        ) from error
    except (DriverError, Neo4jError, OSError):
        return False
    return True
