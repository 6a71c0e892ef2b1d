"""A LoRA adapter trained for a few steps on a tiny model: the loss falls, and llama.cpp takes the adapter."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from kgneo.cli.main import main
from kgneo.errors import DataError, ModelError
from kgneo.llm import Message, Parameters
from kgneo.llm.transformers_model import TransformersModel
from kgneo.tuning.train import Report, Training, train
from tests.tiny_gguf import make_tiny_gguf

for module in ("torch", "transformers", "peft", "accelerate", "gguf", "llama_cpp"):
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed (extra: tune)", allow_module_level=True)

CHAT = [
    {"role": "system", "content": "Names alone."},
    {"role": "user", "content": "Who?"},
    {"role": "assistant", "content": "Keanu Reeves"},
]
TRAINING = Training(rank=4, steps=24, batch=2, learning_rate=0.02, longest=128, every=12, merged=True)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    for name in ("train", "dev"):
        lines = [json.dumps({"messages": CHAT}), json.dumps({"messages": CHAT, "task": "answer"})] * 2
        (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def done(tiny: Path, examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    return train(str(tiny), examples, tmp_path_factory.mktemp("tuned"), TRAINING)


def test_the_loss_on_dev_falls(done: Report) -> None:
    assert done.steps == 24
    assert done.loss_after < 0.7 * done.loss_before


def test_figures_by_task_before_and_after_are_kept_and_drawn(done: Report) -> None:
    kept = json.loads((done.adapter.parent / "figures.json").read_text(encoding="utf-8"))
    assert kept["before"].keys() == kept["after"].keys() == {"answer", "chat", "all"}
    assert kept["after"]["all"] == done.loss_after
    assert kept["before"]["answer"] == pytest.approx(kept["before"]["chat"], rel=1e-3)
    assert "<svg" in (done.adapter.parent / "figures.svg").read_text(encoding="utf-8")


def test_llama_cpp_with_the_adapter_says_what_the_merged_model_says(tiny: Path, done: Report) -> None:
    from kgneo.llm.llama import LlamaModel

    chat = [Message(message["role"], message["content"]) for message in CHAT[:2]]  # type: ignore[arg-type]
    greedy = Parameters(max_tokens=8, temperature=0)
    plain = LlamaModel(tiny, threads=1, repacked=False)
    adapted = LlamaModel(tiny, threads=1, repacked=False, adapter=done.adapter)
    merged = TransformersModel(str(done.adapter.parent / "merged"), threads=1)
    whole = LlamaModel(done.adapter.parent / "merged.gguf", threads=1, repacked=False)
    said = adapted.complete(chat, greedy).text
    assert said == merged.complete(chat, greedy).text == whole.complete(chat, greedy).text
    assert said != plain.complete(chat, greedy).text
    assert adapted.fingerprint != plain.fingerprint


def test_what_was_interrupted_goes_on_at_its_checkpoint(tiny: Path, examples: Path, done: Report) -> None:
    lines: list[str] = []
    again = train(str(tiny), examples, done.adapter.parent, TRAINING, report=lines.append)
    assert "going on at checkpoint-24" in lines
    assert again.steps == 24


def test_training_goes_on_from_an_adapter(tiny: Path, examples: Path, done: Report, tmp_path: Path) -> None:
    further = replace(TRAINING, steps=2, rank=16, learning_rate=1e-6, adapter=done.adapter, merged=False)
    again = train(str(tiny), examples, tmp_path, further)
    assert again.loss_before == pytest.approx(done.loss_after, rel=0.02)
    assert again.adapter.stat().st_size == done.adapter.stat().st_size


def test_a_file_that_is_no_adapter_is_one_error(tiny: Path, examples: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no LoRA adapter that training could go on from"):
        train(str(tiny), examples, tmp_path, replace(TRAINING, adapter=tiny))


def test_the_adapter_that_comes_along_goes_with_its_own_base(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["tune", "train", str(examples), "--base", "other", "--adapter", "shipped", "--out", str(tmp_path)]) == 2
    )
    assert "--adapter shipped goes with --base smollm2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "this is no chat"), ('{"messages": [{"role": "user", "content": "x"}]}', "expected 'assistant'")],
)
def test_a_line_that_is_no_example_is_named(tiny: Path, tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "train.jsonl").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        train(str(tiny), tmp_path, tmp_path / "out", Training())
    assert caught.value.line == 1


def test_a_base_that_is_none_is_one_error(examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ModelError):
        train(str(tmp_path), examples, tmp_path / "out", Training())
    assert main(["tune", "train", str(examples), "--base", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "cannot be loaded by transformers" in capsys.readouterr().err


def test_the_loss_of_a_pack_is_that_of_its_examples_one_by_one(tiny: Path) -> None:
    import torch

    from kgneo.llm.transformers_model import load_transformers
    from kgneo.tuning.packing import Encoded, collate, packs, replies_loss

    model, _ = load_transformers(str(tiny))
    model.float().eval()
    examples = [
        Encoded("", (5, 6, 7, 8), (9, 10)),
        Encoded("", (5, 6, 11), (12,)),
        Encoded("", (5, 6, 7), (13, 14, 15)),
    ]
    (pack,) = packs(examples, 64)
    assert len(pack.beginning) == 2
    with torch.no_grad():
        together = float(replies_loss(model, collate([pack, pack]), None))
        alone = [float(replies_loss(model, collate(packs([item], 64)), 1)) for item in examples]
    assert together == pytest.approx(sum(alone) / 6, rel=1e-4)


def test_a_light_loss_is_the_same_and_its_gradient_ends_where_the_examples_begin(tiny: Path) -> None:
    import torch

    from kgneo.llm.transformers_model import load_transformers
    from kgneo.tuning.packing import Encoded, collate, packs, replies_loss

    model, _ = load_transformers(str(tiny))
    model.float().eval()
    inputs = collate(packs([Encoded("", (5, 6, 7, 8), (9, 10)), Encoded("", (5, 6, 11), (12,))], 64))
    keys = model.model.layers[0].self_attn.k_proj.weight
    whole, light = (replies_loss(model, inputs, None, light=light) for light in (False, True))
    assert whole.item() == pytest.approx(light.item())
    gradients = [torch.autograd.grad(loss, keys)[0] for loss in (whole, light)]
    assert not torch.allclose(*gradients)


def test_examples_that_share_more_than_all_do_are_packed_apart() -> None:
    from kgneo.tuning.packing import Encoded, packs

    shared, schema = tuple(range(50)), tuple(range(1000, 1200))
    of_one_graph = [Encoded("", (*shared, *schema, number), (1,)) for number in range(4)]
    others = [Encoded("", (*shared, 2000 + number), (1,)) for number in range(3)]
    found = packs([*of_one_graph, *others], 400)
    assert sorted((len(pack.beginning), len(pack.rests)) for pack in found) == [(50, 3), (250, 4)]
