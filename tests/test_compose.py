"""docker-compose.yml: it is read by the client where there is one, and keeps its promises where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FILE = Path(__file__).parent.parent / "docker-compose.yml"


def _has_compose() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0


def test_the_client_takes_the_compose_file() -> None:
    if not _has_compose():
        pytest.skip("no docker client with compose on this machine")
    command = ["docker", "compose", "-f", str(FILE), "config", "--quiet"]
    environment = {**os.environ, "NEO4J_PASSWORD": "not-a-secret"}
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert found.returncode == 0, found.stderr


def test_every_port_is_on_loopback_and_the_password_comes_from_the_environment() -> None:
    text = FILE.read_text(encoding="utf-8")
    ports = text.split("ports:")[1].split("volumes:")[0]
    published = [line.strip() for line in ports.splitlines() if line.strip().startswith("- ")]
    assert len(published) == 2
    assert all(line.startswith('- "127.0.0.1:') for line in published)
    assert "${NEO4J_PASSWORD:?" in text
    assert "healthcheck:" in text
