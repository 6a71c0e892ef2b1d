"""An archive of Neo4j's classes, loaded and linked, which a server starts from in about half of the time.

Java writes one when a process ends that was told to, and reads it at later starts: from version 25 on what it linked
and profiled as well (JEP 514), before that the classes (JEP 350). What does not fit (other jars, another Java) Java
passes over, so that a server never depends on it. It is made on a store of its own, by `kgneo server prepare`: the
process that writes it takes half a minute longer to end, which no user's server may.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from kgneo.folders import cache_folder
from kgneo.server.jars import Distribution
from kgneo.server.java import Java

FROM_JAVA = 13
"""The first Java that writes an archive when a process ends."""
LINKED_FROM_JAVA = 25
"""The first one whose archive holds more than classes."""
QUIET = ("-Xlog:cds*=error", "-Xlog:aot*=error")
"""Java would say of each class why it is not in the archive. Only from LINKED_FROM_JAVA on it knows the second."""


def archive_of(java: Java, distribution: Distribution) -> Path:
    """Where the archive of this Neo4j on this Java is, or would be."""
    modules = java.path.resolve().parent.parent / "lib" / "modules"
    changed = modules.stat().st_mtime_ns if modules.is_file() else 0
    text = "\n".join([str(java.path), str(changed), *map(str, distribution.jars)])
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return cache_folder() / "archives" / f"neo4j-{distribution.version}-{digest}.aot"


def archive_options(java: Java, distribution: Distribution) -> list[str]:
    """The options with which Java starts from the archive; none where there is no archive."""
    archive = archive_of(java, distribution)
    return _options(java, "AOTCache", "SharedArchiveFile", archive) if archive.is_file() else []


def training_options(java: Java, draft: Path) -> list[str]:
    """The options with which Java writes an archive to `draft` when the process ends."""
    return _options(java, "AOTCacheOutput", "ArchiveClassesAtExit", draft)


def _options(java: Java, linked: str, classes: str, file: Path) -> list[str]:
    if java.version >= LINKED_FROM_JAVA:
        return [f"-XX:{linked}={file}", *QUIET]
    return [f"-XX:{classes}={file}", QUIET[0]]


TRAINING = (
    "CREATE CONSTRAINT kgneo_key IF NOT EXISTS FOR (n:Entity) REQUIRE n.key IS UNIQUE",
    "CREATE FULLTEXT INDEX kgneo_names IF NOT EXISTS FOR (n:Entity) ON EACH [n.name]",
    "UNWIND range(1, 200) AS i MERGE (n:Entity {key: i}) SET n.name = 'name ' + toString(i)",
    "MATCH (a:Entity), (b:Entity) WHERE a.key = b.key + 1 MERGE (a)-[:NEXT]->(b)",
    "CREATE VECTOR INDEX kgneo_triples IF NOT EXISTS FOR ()-[r:NEXT]-() ON r.embedding "
    "OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}",
    "MATCH ()-[r:NEXT]->() CALL db.create.setRelationshipVectorProperty(r, 'embedding', [1.0, 2.0, 3.0])",
    "CALL db.awaitIndexes()",
    "MATCH (a) WHERE a.key = 3 MATCH walk = (a)-[*0..2]-(n) WITH n, min(length(walk)) AS depth MATCH (n)-[r]-() "
    "WITH r, min(depth) AS hop, vector.similarity.cosine(r.embedding, [1.0, 2.0, 3.0]) AS score "
    "RETURN elementId(r) AS id, hop, score ORDER BY score DESC, id LIMIT 30",
    "CALL db.index.fulltext.queryNodes('kgneo_names', 'name') YIELD node RETURN count(node)",
    "SHOW INDEXES YIELD name, type",
    "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS",
)
"""What the server does before its classes are kept: about what it does for kgneo."""
