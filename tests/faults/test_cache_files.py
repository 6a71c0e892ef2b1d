"""Each file of the cache, broken in each way: the next question is answered all the same, and makes it anew."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice, product
from pathlib import Path

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cache_files import CacheWarning, damaged_databases
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.encoders.onnx import load_exported
from kgneo.encoders.static import load_static
from kgneo.errors import EncoderError
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.thesaurus_data import load_thesaurus
from tests.conftest import load_orders, on_one_version
from tests.faults import ALL, drawn
from tests.faults.damage import DAMAGES, cut_off, with_another_beginning

QUESTION = "which clients are in Austria?"
"""With a word that the graph does not have, so that the thesaurus is asked, and a value, so that the dictionary is."""
Damage = Callable[[Path], None]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of this test, with the thesaurus of the user's, so that nothing is fetched."""
    for file in cache_folder().glob("wordnet-*.sqlite"):
        shutil.copyfile(file, tmp_path / file.name)
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    load_thesaurus.cache_clear()
    yield tmp_path
    load_thesaurus.cache_clear()


def answered(graph: Graph) -> tuple[str, ...]:
    """What a process that has read nothing yet answers."""
    load_thesaurus.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        return ask(open_context(graph), QUESTION).answers


def each_once(files: Sequence[Path], damages: Sequence[Damage]) -> list[tuple[Path, Damage]]:
    """Each file with some damage, and each damage done to some file."""
    order = drawn(files, len(files))
    return list(islice(zip(cycle(order), cycle(damages), strict=False), max(len(files), len(damages))))


def files_of(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*")) if file.is_file() and file.suffix != ".lock"]


@on_one_version
def test_a_question_is_answered_whatever_became_of_the_cache(
    graph: Graph, own_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    load_orders(graph)
    right = answered(graph)
    assert right
    good = tmp_path_factory.mktemp("good") / "cache"
    shutil.copytree(own_cache, good)
    files = [file.relative_to(own_cache) for file in files_of(own_cache)]
    assert len(files) >= 5
    for file, damage in product(files, DAMAGES) if ALL else each_once(files, DAMAGES):
        shutil.rmtree(own_cache)
        shutil.copytree(good, own_cache)
        damage(own_cache / file)
        assert answered(graph) == right, f"{file} {damage.__name__}"


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda item: item.__name__)
def test_an_encoder_whose_files_are_broken_is_made_anew(own_cache: Path, damage: Damage) -> None:
    made = load_exported("minilm")
    vector = made.encode(["a text"])
    for file in drawn(files_of(own_cache / "encoders"), 1):
        damage(file)
        assert load_exported("minilm").encode(["a text"]).tolist() == vector.tolist()


def test_an_encoder_whose_file_was_broken_under_its_hands_says_what_to_remove(own_cache: Path) -> None:
    encoder = load_exported("minilm")
    assert own_cache in encoder.folder.parents
    with_another_beginning(encoder.folder / "tokenizer.json")
    with pytest.raises(EncoderError) as caught:
        encoder.encode(["a text"])
    assert str(encoder.folder) in caught.value.hint


@pytest.mark.skipif(not ALL, reason="a table takes ten seconds to be made: `make faults` does it")
def test_a_static_encoder_whose_table_was_cut_off_is_made_anew(own_cache: Path, encoder: OnnxEncoder) -> None:
    made = load_static(encoder, name="fast")
    assert own_cache in made.folder.parents
    vector = made.encode(["a text"])
    cut_off(made.folder / "table.npy")
    assert load_static(encoder, name="fast").encode(["a text"]).tolist() == vector.tolist()


def test_a_database_of_the_cache_that_does_not_hold_together_is_found(own_cache: Path) -> None:
    file = next(own_cache.glob("wordnet-*.sqlite"))
    assert damaged_databases() == []
    content = bytearray(file.read_bytes())
    content[4096:12_288] = b"x" * 8192
    file.write_bytes(content)
    assert damaged_databases() == [file]
