"""Makes a GGUF file small enough for a test: two layers of random weights and a real tokenizer.

What such a model says is noise; everything around what it says (loading, template, grammar, stop strings,
seeds, streaming, counting) is real.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

CONTEXT = 512
VOCABULARY = 353
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NO_SYSTEM = (
    "{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('Only user and assistant roles are supported') }}{% endif %}"
    "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
)
_SPECIAL = ["<unk>", "<|im_start|>", "<|im_end|>"]
_TEXT = [
    "Which films did the director of the first film also direct, and who wrote them?",
    "The films directed by that person are listed in the triples: (film, directed by, person).",
    "Split the question into sub-questions. Answer from the triples alone.",
]


def make_tiny_gguf(path: Path, *, template: str | None = CHATML, context: int = CONTEXT, seed: int = 0) -> Path:
    """Writes a model of the architecture "llama" to `path`, with `context` tokens; gives `path`."""
    import gguf

    tokens, merges = _tokenizer()
    width, hidden, heads, layers = 32, 64, 4, 2
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_token_types([control if token in _SPECIAL else normal for token in tokens])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(tokens.index("<|im_start|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_add_bos_token(False)
    if template is not None:
        writer.add_chat_template(template)
    random = np.random.default_rng(seed)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.3, shape).astype(np.float32))

    tensor("token_embd.weight", len(tokens), width)
    tensor("output.weight", len(tokens), width)
    writer.add_tensor("output_norm.weight", np.ones(width, dtype=np.float32))
    for layer in range(layers):
        for part in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{part}.weight", np.ones(width, dtype=np.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"blk.{layer}.{part}.weight", width, width)
        tensor(f"blk.{layer}.ffn_gate.weight", hidden, width)
        tensor(f"blk.{layer}.ffn_up.weight", hidden, width)
        tensor(f"blk.{layer}.ffn_down.weight", width, hidden)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _tokenizer() -> tuple[list[str], list[str]]:
    """The tokens in the order of their numbers, and the merges, of a byte-level BPE."""
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=_SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXT, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    return tokens, merges
