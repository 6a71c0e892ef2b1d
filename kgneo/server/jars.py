"""Neo4j's jars: downloaded by jgo once, then found again through a small file without the network."""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock

from kgneo.cache_files import in_cache
from kgneo.errors import ServerError
from kgneo.folders import cache_folder

DIGESTS = "jars.sha256"
"""Made by `python -m tests.jar_digests`, as `sha256sum` writes it."""
BROWSER_VERSION = "5.24.0"
_DOWNLOAD_SIZE = "about 190 MB"
_MAIN_CLASSES = ("org.neo4j.server.Neo4jCommunity", "org.neo4j.server.CommunityEntryPoint")


@dataclass(frozen=True, slots=True)
class Distribution:
    """A version of Neo4j on this machine: its jars and the class that starts the server."""

    version: str
    jars: tuple[Path, ...]
    main_class: str


def find_distribution(version: str, report: Callable[[str], None]) -> Distribution:
    """The jars of an exact version, downloaded when they are not all there.

    Needs no network when they are. Raises ServerError when they cannot be had.
    """
    name = f"neo4j-{version}-browser-{BROWSER_VERSION}.json"

    def find(folder: Path) -> Distribution:
        folder.mkdir(parents=True, exist_ok=True)
        # Two downloads at once would hand each other half-written jars.
        with FileLock(folder / "download.lock"):
            if known := _read(folder / name):
                return known
            found = _resolve(version, report)
            _write(folder / name, found)
            return found

    return _read(cache_folder() / name) or in_cache(cache_folder(), find)


def _read(file: Path) -> Distribution | None:
    try:
        fields = json.loads(file.read_text(encoding="utf-8"))
        jars = tuple(Path(jar) for jar in fields["jars"])
        found = Distribution(fields["version"], jars, fields["main_class"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if jars and all(jar.exists() for jar in jars) else None


def _write(file: Path, found: Distribution) -> None:
    fields = {
        "version": found.version,
        "main_class": found.main_class,
        "jars": [str(jar) for jar in found.jars],
    }
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(fields, indent=1), encoding="utf-8")
    draft.replace(file)


def _resolve(version: str, report: Callable[[str], None]) -> Distribution:
    context, repositories = _context(timeout=30)
    report(f"Looking for Neo4j {version} ({_DOWNLOAD_SIZE} from {repositories['central']} the first time).")
    try:
        artifacts = _artifacts(context, version)
        jars = _download(artifacts, version, report)
    except (KeyboardInterrupt, SystemExit):
        raise
    # jgo lets everything through that requests, its POM parser and its own checks raise.
    except Exception as error:
        raise ServerError(
            f"Neo4j {version} is not on this machine yet and could not be downloaded: {_one_line(error)}",
            hint=f"The first start needs {_DOWNLOAD_SIZE} from {repositories['central']}; later ones need no "
            "network. Connect to the network, or name a mirror as central under [repositories] in jgo.conf, "
            "and run the same command again.",
        ) from error
    return Distribution(version, tuple(jars), _main_class(jars))


def find_jar(coordinate: str, *, timeout: int) -> Path:
    """A single jar ("group:artifact:version"), downloaded when it is not there; `timeout` in seconds without an answer.

    Raises ServerError when it cannot be had.
    """
    from jgo.parse import Coordinate

    context, repositories = _context(timeout=timeout)
    try:
        return whole_jar(context.create_dependency(Coordinate.parse(coordinate)).artifact)
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:  # whatever jgo lets through
        raise ServerError(
            f"{coordinate} is not on this machine yet and could not be downloaded: {_one_line(error)}",
            hint=f"Connect to the network ({repositories['central']}), or name a mirror as central under "
            "[repositories] in jgo.conf, and run `kgneo prepare`.",
        ) from error


def _context(*, timeout: int) -> tuple[Any, dict[str, str]]:
    """Where jars are kept and got from, with the repositories by name."""
    from jgo.config import GlobalSettings
    from jgo.constants import MAVEN_CENTRAL_URL
    from jgo.maven import MavenContext

    settings = GlobalSettings.load()
    repositories = {"central": MAVEN_CENTRAL_URL, **settings.repositories}
    return MavenContext(repo_cache=settings.repo_cache, remote_repos=repositories, timeout=timeout), repositories


def _artifacts(context: Any, version: str) -> list[Any]:
    from jgo.parse import Coordinate

    coordinates = (
        f"org.neo4j.app:neo4j-server:{version}",
        f"org.neo4j:neo4j:{version}",
        f"org.neo4j.client:neo4j-browser:{BROWSER_VERSION}",
    )
    wanted = [
        context.create_dependency(replace(Coordinate.parse(coordinate), scope="compile")) for coordinate in coordinates
    ]
    inputs, transitive = context.resolver.resolve(wanted)
    needed = [*inputs, *(item for item in transitive if item.scope in ("compile", "runtime"))]
    return [item.artifact for item in needed]


def _download(artifacts: Iterable[Any], version: str, report: Callable[[str], None]) -> list[Path]:
    artifacts = list(artifacts)
    jars: dict[int, Path] = {}
    size, told = 0, time.monotonic()
    pool = ThreadPoolExecutor(max_workers=8)
    try:
        waiting = {pool.submit(whole_jar, artifact): index for index, artifact in enumerate(artifacts)}
        for done in as_completed(waiting):
            jar = done.result()
            jars[waiting[done]] = jar
            size += jar.stat().st_size
            if time.monotonic() - told > 2:
                told = time.monotonic()
                report(f"Neo4j {version}: {len(jars)} of {len(artifacts)} jars, {size / 1e6:.0f} MB.")
    finally:
        # A jar that is being written is finished, so that none is left half.
        pool.shutdown(wait=True, cancel_futures=True)
    return [jars[index] for index in range(len(artifacts))]


def whole_jar(artifact: Any) -> Path:
    """The jar of an artifact, downloaded when it is missing or was cut off in an earlier download. Raises RuntimeError
    for one that is another file than the one of its name that kgneo was made with."""
    path = Path(artifact.cached_path)
    if path.exists() and zipfile.is_zipfile(path):
        check_jar(path)
        return path
    for _ in range(2):
        path.unlink(missing_ok=True)
        try:
            path = Path(artifact.resolve())
            with zipfile.ZipFile(path) as jar:
                damaged = jar.testzip()
        except zipfile.BadZipFile:
            continue
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        if damaged is None:
            try:
                check_jar(path)
            except RuntimeError:
                path.unlink(missing_ok=True)
                raise
            return path
    path.unlink(missing_ok=True)
    raise RuntimeError(f"{path.name} arrived damaged twice")


@cache
def digests() -> dict[str, str]:
    """The SHA-256 of each jar of the pinned versions of Neo4j, and of what else is got from Maven Central, by the names
    of the files."""
    lines = Path(__file__).with_name(DIGESTS).read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def check_jar(path: Path) -> None:
    """Raises RuntimeError for a jar that is another file than the one of its name that kgneo was made with. Jars of
    versions that were asked for by their number, and are not pinned, are not known."""
    wanted = digests().get(path.name)
    if wanted is None:
        return
    with path.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != wanted:
        raise RuntimeError(f"{path} is not the file that kgneo was made with: its SHA-256 is {found}, not {wanted}")


def _main_class(jars: Iterable[Path]) -> str:
    """The class that starts the server, which differs between the lines of versions."""
    for jar in jars:
        if jar.name.startswith("neo4j-"):
            with zipfile.ZipFile(jar) as archive:
                names = set(archive.namelist())
            for main_class in _MAIN_CLASSES:
                if main_class.replace(".", "/") + ".class" in names:
                    return main_class
    raise ServerError(f"None of Neo4j's jars holds {' or '.join(_MAIN_CLASSES)}.")


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."
