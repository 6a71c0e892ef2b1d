"""The archive of Neo4j's classes: used where it is there and fits, never needed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kgneo.server import prepare
from kgneo.server.archive import archive_of, training_options
from kgneo.server.configuration import java_command
from kgneo.server.jars import Distribution, find_distribution
from kgneo.server.java import Java, find_java
from kgneo.server.process import child_environment
from kgneo.server.stores import Store
from kgneo.server.versions import choose_version, minimum_java
from tests.conftest import VERSIONS

JAVA = Java(Path("/java/bin/java"), 25, False)
OLDER = Java(Path("/older/bin/java"), 17, False)
NEO4J = Distribution("2026.08.1", (Path("a.jar"), Path("b.jar")), "a.B")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    store.create()
    return store


def write_archive(java: Java, distribution: Distribution) -> Path:
    archive = archive_of(java, distribution)
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"no archive")
    return archive


def options(store: Store, java: Java, distribution: Distribution = NEO4J) -> str:
    java_command(store, java, distribution, "64m", "a.B")
    return (store.configuration_folder / "java.options").read_text(encoding="utf-8")


def test_a_server_without_an_archive_starts_without_one(store: Store) -> None:
    assert "-XX:AOTCache" not in options(store, JAVA)


@pytest.mark.parametrize(("java", "option"), [(JAVA, "-XX:AOTCache"), (OLDER, "-XX:SharedArchiveFile")])
def test_an_archive_is_read_as_this_java_reads_it(store: Store, java: Java, option: str) -> None:
    archive = write_archive(java, NEO4J)
    assert f'"{option}={archive}"' in options(store, java)


@pytest.mark.parametrize(("java", "option"), [(JAVA, "-XX:AOTCacheOutput"), (OLDER, "-XX:ArchiveClassesAtExit")])
def test_an_archive_is_written_as_this_java_writes_it(tmp_path: Path, java: Java, option: str) -> None:
    assert f"{option}={tmp_path}" in training_options(java, tmp_path)


def test_other_jars_and_another_java_have_another_archive() -> None:
    other_jars = Distribution("2026.08.1", (Path("a.jar"), Path("c.jar")), "a.B")
    assert len({archive_of(JAVA, NEO4J), archive_of(JAVA, other_jars), archive_of(OLDER, NEO4J)}) == 3


def test_a_damaged_archive_is_passed_over(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KGNEO_CACHE_DIR")
    version = choose_version(VERSIONS[0], None)
    java, distribution = find_java(minimum_java(version)), find_distribution(version, print)
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "damaged"))
    write_archive(java, distribution)
    command = java_command(store, java, distribution, "64m", "org.neo4j.cli.AdminTool", "--version")
    homes = {"NEO4J_HOME": str(store.home), "NEO4J_CONF": str(store.configuration_folder)}
    done = subprocess.run(command, env={**child_environment(), **homes}, capture_output=True, text=True, check=False)
    assert version in done.stdout, done.stderr


def test_an_archive_that_is_there_is_not_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KGNEO_CACHE_DIR")
    version = choose_version(VERSIONS[0], None)
    java, distribution = find_java(minimum_java(version)), find_distribution(version, print)
    monkeypatch.setattr("kgneo.server.lifecycle.find_distribution", lambda *_: distribution)
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "kept"))
    archive = write_archive(java, distribution)
    assert prepare(version=version) == archive
    assert archive.read_bytes() == b"no archive"
