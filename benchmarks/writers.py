"""Triples through Bolt: `kgneo load` against the writers of neo4j-graphrag and langchain-neo4j, on one server.

    KGNEO_METAQA=… python -m benchmarks.writers

Their writers need APOC, so all three write into a store of Neo4j 5.26 with APOC's jars, which come from Maven Central
the first time; the two packages come from PyPI into an environment of their own (build/writers). All get the same
triples and an empty graph, in turn. Of theirs, the call that writes is timed, with objects made before; ours
checks, digests and folds names within its time, writes so that it can be repeated and resumed, and makes the indexes
by which names are found.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.common import Line, empty, metaqa_folder, report, scratch_graph, seconds
from kgneo.graph.load import load
from kgneo.loader import LoadedTriple, open_source, read_triples
from kgneo.server import RunningServer, lifecycle, start, stop, store_path
from kgneo.server.configuration import EXTRA
from kgneo.server.jars import Distribution, find_distribution, whole_jar
from kgneo.server.stores import Store
from kgneo.server.versions import LINES

TRIPLES, QUICK_TRIPLES = 40_000, 10_000
WARMING = 4_000
"""Triples of a first round, which does not count."""
ROUNDS = 3
VERSION = "5.26"
ENVIRONMENT = Path("build/writers")
PACKAGES = {"neo4j-graphrag": "graphrag", "langchain-neo4j": "langchain"}
"""The packages, and what `writers_reference.py` calls them."""


def start_with_apoc(store: Store) -> RunningServer:
    """A server of `store` with APOC: its jars are where procedures are looked for, and on the class path, as in Neo4j's
    own installations."""
    jars = apoc_jars()
    plugins = store.home / "plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    for jar in jars:
        copy(jar, plugins)
    (store.folder / EXTRA).write_text("dbms.security.procedures.unrestricted=apoc.*\n", encoding="utf-8")

    def find(version: str, tell: Callable[[str], None]) -> Distribution:
        found = find_distribution(version, tell)
        return replace(found, jars=(*found.jars, *jars))

    with patch.object(lifecycle, "find_distribution", find):
        return start(store.folder, version=VERSION, report=report)


def apoc_jars() -> list[Path]:
    """APOC's jars and those that they need, downloaded the first time."""
    from jgo.config import GlobalSettings
    from jgo.constants import MAVEN_CENTRAL_URL
    from jgo.maven import MavenContext
    from jgo.parse import Coordinate

    settings = GlobalSettings.load()
    repositories = {"central": MAVEN_CENTRAL_URL, **settings.repositories}
    context = MavenContext(repo_cache=settings.repo_cache, remote_repos=repositories, timeout=30)
    coordinates = (f"org.neo4j.procedure:{name}:{LINES[VERSION]}" for name in ("apoc-core", "apoc-common"))
    wanted = [context.create_dependency(replace(Coordinate.parse(text), scope="compile")) for text in coordinates]
    direct, transitive = context.resolver.resolve(wanted)
    needed = [item for item in transitive if item.scope in ("compile", "runtime")]
    return [whole_jar(item.artifact) for item in (*direct, *needed)]


def environment() -> Path:
    """The Python of an environment with both packages, made the first time."""
    python = ENVIRONMENT / "bin" / "python"
    ready = ENVIRONMENT / "ready"
    if not ready.exists():
        report("Installing neo4j-graphrag and langchain-neo4j …")
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        ready.touch()
    return python


def theirs(package: str, file: Path, address: Mapping[str, str]) -> float:
    """Seconds that one of the two takes to write the triples of `file`."""
    script = Path(__file__).with_name("writers_reference.py")
    done = subprocess.run(
        [environment(), script, PACKAGES[package], file],
        env={**os.environ, **address},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{package} failed: {done.stderr[-1000:]}")
    return float(done.stdout)


def lines(*, quick: bool) -> list[Line]:
    """All three in turn, after a first time each that does not count."""
    source = read_triples(open_source(metaqa_folder() / "kb.txt"))
    triples = list(islice(source, QUICK_TRIPLES if quick else TRIPLES))
    place = store_path("benchmark-writers")
    store = Store(place)
    store.create()
    stop(place)
    running = start_with_apoc(store)
    address = {"NEO4J_URI": running.uri, "NEO4J_PASSWORD": running.password}
    with TemporaryDirectory(prefix="kgneo-writers-") as folder, scratch_graph("writers") as graph:

        def measured(number: int) -> dict[str, float]:
            part = triples[:number]
            file = write_tsv(Path(folder) / "triples.tsv", part)
            times = {}
            for package in PACKAGES:
                empty(graph)
                times[package] = theirs(package, file, address)
                held = graph.read("MATCH ()-[r]->() RETURN count(r) AS number")[0]["number"]
                if held != len({loaded.triple for loaded in part}):
                    sys.exit(f"{package} wrote {held} of {len(part)} triples.")
            empty(graph)
            return {"kgneo": seconds(lambda: load(graph, part, name="benchmark")), **times}

        measured(WARMING)
        rounds = [measured(len(triples)) for _ in range(1 if quick else ROUNDS)]
    return compared(rounds, len(triples))


def write_tsv(file: Path, triples: Sequence[LoadedTriple]) -> Path:
    """The triples as lines of three names with tabs between them."""
    names = (loaded.triple for loaded in triples)
    file.write_text("".join(f"{one.subject}\t{one.relation}\t{one.object}\n" for one in names), encoding="utf-8")
    return file


def compared(rounds: Sequence[Mapping[str, float]], number: int) -> list[Line]:
    """Triples a second, ours against each of theirs."""
    ours = number / statistics.median(times["kgneo"] for times in rounds)
    found = []
    for package in PACKAGES:
        rate = number / statistics.median(times[package] for times in rounds)
        ratio = statistics.median(times[package] / times["kgneo"] for times in rounds)
        what = f"`kgneo load --no-index` through Bolt, triples a second ({number:,} triples)"
        found.append(Line(what, f"{package}'s writer", ours, rate, "/s", ratio, 5.0, at_least=True))
    return found


if __name__ == "__main__":
    print(*lines(quick="--quick" in sys.argv[1:]), sep="\n")
