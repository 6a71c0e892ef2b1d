"""Encrypted connections, a server that goes away and comes back, and one that allows no writing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kgneo.cli.eval import probe
from kgneo.errors import GraphError, GraphUnavailable
from kgneo.graph import Graph
from kgneo.server import RunningServer, start, status, stop
from kgneo.settings import Settings
from tests.conftest import VERSIONS

TLS = """
server.bolt.tls_level=OPTIONAL
dbms.ssl.policy.bolt.enabled=true
dbms.ssl.policy.bolt.base_directory={folder}
dbms.ssl.policy.bolt.private_key=private.key
dbms.ssl.policy.bolt.public_certificate=public.crt
dbms.ssl.policy.bolt.client_auth=NONE
"""


@dataclass
class Encrypted:
    """A server with a certificate of ours, and the certificate."""

    store: Path
    certificate: Path
    running: RunningServer

    def restart(self, settings: str = "") -> None:
        """Stop it, add settings, start it at the same address."""
        with (self.store / "neo4j.extra.conf").open("a", encoding="utf-8") as file:
            file.write(settings)
        stop(self.store)
        self.running = start(self.store, heap="600m", page_cache="100m")

    def connect(self, scheme: str) -> Graph:
        """A connection over this scheme."""
        uri = self.running.uri.replace("bolt://", f"{scheme}://")
        return Graph.connect(uri, username=self.running.username, password=self.running.password)


@pytest.fixture(scope="module", params=VERSIONS)
def encrypted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    """A server of each version with a certificate that this test signs itself."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    store = folder / "store"
    store.mkdir()
    certificate = folder / "public.crt"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(folder / "private.key"),
        "-out",
        str(certificate),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (store / "neo4j.extra.conf").write_text(TLS.format(folder=folder), encoding="utf-8")
    running = start(store, version=request.param, heap="600m", page_cache="100m")
    yield Encrypted(store, certificate, running)
    stop(store)


def test_a_certificate_of_ones_own_is_accepted_where_that_was_asked_for(encrypted: Encrypted) -> None:
    with encrypted.connect("bolt+ssc") as graph:
        assert graph.read("RETURN 1 AS one") == [{"one": 1}]


def test_a_certificate_that_nobody_vouches_for_is_refused(encrypted: Encrypted) -> None:
    with pytest.raises(GraphUnavailable, match="cannot be reached"):
        encrypted.connect("bolt+s")


def test_a_certificate_is_accepted_whose_authority_is_known(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(encrypted.certificate))
    with encrypted.connect("bolt+s") as graph:
        assert graph.read("RETURN 1 AS one") == [{"one": 1}]


@pytest.mark.parametrize("encrypted", VERSIONS[:1], indirect=True)
def test_an_evaluation_starts_a_stopped_local_server_again_at_its_address(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgneo.graph.connection.RETRY_SECONDS", 2.0)
    with encrypted.connect("bolt") as graph:
        alive = probe(graph, Settings(store=str(encrypted.store)))
        alive()
        stop(encrypted.store)
        alive()
        again = status(encrypted.store)
    assert again is not None
    assert (again.uri, again.pid == encrypted.running.pid) == (encrypted.running.uri, False)


def test_a_server_that_went_away_is_used_again_when_it_is_back_and_says_that_it_is_read_only(
    encrypted: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgneo.graph.connection.RETRY_SECONDS", 2.0)
    with encrypted.connect("bolt") as graph:
        assert graph.refuses_writes() == ""
        graph.write("CREATE (:Film {title: 'Heat'})")
        stop(encrypted.store)
        with pytest.raises(GraphUnavailable):
            graph.read("RETURN 1")
        encrypted.restart("server.databases.default_to_read_only=true\n")
        assert graph.read("MATCH (f:Film) RETURN f.title AS title") == [{"title": "Heat"}]
        assert graph.refuses_writes() == "the database is read-only"
        with pytest.raises(GraphError, match="not allow"):
            graph.write("CREATE ()")
