"""A private Neo4j Community server for a store, without Docker or a package manager.

A store is a folder. `start` takes it to a server that answers on Bolt, `status` says what runs on it and
`stop` ends that. In the order in which a start happens:

1. `stores`         the folder, its files and the lock that lets one command at a time start or stop it
2. `versions`       which Neo4j: what was asked for, what the store was made with, what is pinned here
3. `jars`           that version's jars, from Maven Central the first time, from the disk after that
4. `java`           a Java that is new enough, from the machine or from the wheel
5. `configuration`  memory, ports and neo4j.conf, listening on 127.0.0.1 only
6. `process`        the server's process, in a session of its own, so that it outlives the command
7. `login`          ready means that a login through Bolt succeeded
8. `logs`           a failed start's cause in one line

`lifecycle` strings these together. `archive` has servers start faster once `prepare` was called.
"""

from kgneo.folders import store_path
from kgneo.server.lifecycle import RunningServer, fetch, healthy, prepare, start, status, stop
from kgneo.server.stores import require_store

__all__ = ["RunningServer", "fetch", "healthy", "prepare", "require_store", "start", "status", "stop", "store_path"]
