"""Export a sentence-transformers model to one ONNX file, once, in a process of its own.

    python -m kgneo.encoders.export SOURCE TARGET

SOURCE is a folder or a hub name, TARGET the folder that is made. It gets `model.onnx` (token ids in; the sentence
embedding after pooling and normalisation, and the token embeddings before it, out), `tokenizer.json` and
`encoder.json`. Importing torch takes seconds and a gigabyte, so this module is never imported by a command: it
is run by `kgneo.encoders.encoder` when an encoder is met for the first time, and every later start reads its output.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

SIMILARITIES = {"dot": "dot", "cosine": "cosine", "dot_score": "dot", "cos_sim": "cosine"}


def export(source: str, target: Path) -> None:
    """Write the ONNX form of the model `source` into the new folder `target`."""
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(source, device="cpu").eval()
    tokenizer: Any = model.tokenizer
    target.mkdir(parents=True, exist_ok=True)

    class Flat(torch.nn.Module):
        """The model as a function of plain tensors, since ONNX knows no dictionaries."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            features = self.model({"input_ids": input_ids, "attention_mask": attention_mask})
            return features["sentence_embedding"], features["token_embeddings"]

    example = tokenizer(["a short text", "another text of some more words"], padding=True, return_tensors="pt")
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Flat(),
            (example["input_ids"], example["attention_mask"]),
            str(target / "model.onnx"),
            input_names=["input_ids", "attention_mask"],
            output_names=["sentence_embedding", "token_embeddings"],
            dynamic_axes={
                "input_ids": {0: "batch", 1: "tokens"},
                "attention_mask": {0: "batch", 1: "tokens"},
                "sentence_embedding": {0: "batch"},
                "token_embeddings": {0: "batch", 1: "tokens"},
            },
            opset_version=17,
            dynamo=False,
        )
        probe = model.encode(["kgneo"])
    tokenizer.backend_tokenizer.save(str(target / "tokenizer.json"))
    description = {
        "dimensions": int(probe.shape[1]),
        "similarity": SIMILARITIES.get(str(model.similarity_fn_name), "cosine")
        if _normalises(model) or str(model.similarity_fn_name) == "cosine"
        else "dot",
        "max_tokens": int(model.max_seq_length or 512),
        "padding_id": int(tokenizer.pad_token_id or 0),
        "padding_token": str(tokenizer.pad_token or "[PAD]"),
        "prompts": {key: value for key, value in dict(model.prompts).items() if value},
        "fingerprint": fingerprint(model),
    }
    (target / "encoder.json").write_text(json.dumps(description, indent=1))


def _normalises(model: Any) -> bool:
    return any(type(module).__name__ == "Normalize" for module in model)


def fingerprint(model: Any) -> str:
    """A digest of weights and module names: two encoders agree on it when they give the same vectors."""
    digest = hashlib.sha256("/".join(type(module).__name__ for module in model).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    export(sys.argv[1], Path(sys.argv[2]))
