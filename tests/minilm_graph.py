"""Write `kgneo/minilm.onnx`: what all-MiniLM-L6-v2 computes, with weights that are byte ranges of its safetensors file.

    python -m tests.minilm_graph

The graph is BERT's encoder with the mean over the text's tokens and length 1 behind it, in ONNX's own operators:
onnxruntime fuses attention, GELU and normalisation by itself. A test writes it again and compares the two.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from kgneo.encoders.onnx import load_exported
from kgneo.encoders.weights import GRAPH, WEIGHTS

LAYERS, HEADS, WIDTH = 6, 12, 384
EPSILON = 1e-12
OPERATORS, FORMAT = 18, 9
"""Versions of ONNX's operators and of its file format, which onnxruntime 1.18 knows."""


class Drawing:
    """A graph that grows by nodes, each named by its number."""

    def __init__(self, weights: Path) -> None:
        with weights.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            self._header: dict[str, Any] = json.loads(file.read(size))
        self._start = 8 + size
        self.nodes: list[NodeProto] = []
        self.values: dict[str, TensorProto] = {}

    def weight(self, name: str) -> str:
        """A tensor of the file, by its place there."""
        entry = self._header[name]
        first, last = entry["data_offsets"]
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=entry["shape"])
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", WEIGHTS), ("offset", self._start + first), ("length", last - first)):
            tensor.external_data.add(key=key, value=str(value))
        self.values[name] = tensor
        return name

    def constant(self, *numbers: float, kind: type[np.generic] = np.int64, scalar: bool = False) -> str:
        """Numbers of the graph's own."""
        array: NDArray[Any] = np.array(numbers[0] if scalar else numbers, dtype=kind)
        name = f"{array.dtype}{'' if scalar else 's'} {' '.join(map(str, numbers))}"
        self.values[name] = numpy_helper.from_array(array, name)
        return name

    def number(self, number: float) -> str:
        """One number."""
        return self.constant(number, kind=np.float32, scalar=True)

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """A node; gives the name of what it computes."""
        output = output or f"{operator} {len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def linear(self, values: str, layer: str) -> str:
        """Weights times values, and the bias."""
        weights = self.add("Transpose", self.weight(f"{layer}.weight"), perm=[1, 0])
        return self.add("Add", self.add("MatMul", values, weights), self.weight(f"{layer}.bias"))

    def normalised(self, values: str, layer: str) -> str:
        """Layer normalisation."""
        parts = self.weight(f"{layer}.weight"), self.weight(f"{layer}.bias")
        return self.add("LayerNormalization", values, *parts, axis=-1, epsilon=EPSILON)


def build(weights: Path) -> ModelProto:
    """The graph over the file `weights`."""
    drawing = Drawing(weights)
    mask = drawing.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = _embedded(drawing)
    penalty = drawing.add("Mul", drawing.add("Sub", drawing.number(1), mask), drawing.number(-3e38))
    penalty = drawing.add("Unsqueeze", penalty, drawing.constant(1, 2))
    for layer in range(LAYERS):
        hidden = _layer(drawing, hidden, penalty, f"encoder.layer.{layer}.")
    drawing.add("Identity", hidden, output="token_embeddings")
    _pooled(drawing, hidden, mask)
    return _model(drawing)


def _embedded(drawing: Drawing) -> str:
    """Words, their places, and the one kind of text that there is."""
    zero, one = drawing.constant(0), drawing.constant(1)
    words = drawing.add("Gather", drawing.weight("embeddings.word_embeddings.weight"), "input_ids")
    length = drawing.add("Slice", drawing.add("Shape", "input_ids"), one, drawing.constant(2))
    places = drawing.add("Slice", drawing.weight("embeddings.position_embeddings.weight"), zero, length, zero)
    kind = drawing.add("Slice", drawing.weight("embeddings.token_type_embeddings.weight"), zero, one, zero)
    summed = drawing.add("Add", drawing.add("Add", words, kind), drawing.add("Unsqueeze", places, zero))
    return drawing.normalised(summed, "embeddings.LayerNorm")


def _layer(drawing: Drawing, hidden: str, penalty: str, name: str) -> str:
    """Attention and the two linear layers behind it, each added to what came in."""
    attended = drawing.linear(
        _attention(drawing, hidden, penalty, f"{name}attention.self."), f"{name}attention.output.dense"
    )
    hidden = drawing.normalised(drawing.add("Add", attended, hidden), f"{name}attention.output.LayerNorm")
    wide = drawing.linear(hidden, f"{name}intermediate.dense")
    erf = drawing.add("Erf", drawing.add("Div", wide, drawing.number(2**0.5)))
    gelu = drawing.add("Mul", drawing.add("Mul", wide, drawing.add("Add", erf, drawing.number(1))), drawing.number(0.5))
    narrow = drawing.linear(gelu, f"{name}output.dense")
    return drawing.normalised(drawing.add("Add", narrow, hidden), f"{name}output.LayerNorm")


def _attention(drawing: Drawing, hidden: str, penalty: str, name: str) -> str:
    """Every token's mean of the others' values, by how much it heeds them; padding is heeded by none."""

    def heads(part: str, order: list[int]) -> str:
        split = drawing.constant(0, 0, HEADS, WIDTH // HEADS)
        return drawing.add("Transpose", drawing.add("Reshape", drawing.linear(hidden, name + part), split), perm=order)

    query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
    scores = drawing.add("Mul", drawing.add("MatMul", query, key), drawing.number((WIDTH // HEADS) ** -0.5))
    shares = drawing.add("Softmax", drawing.add("Add", scores, penalty), axis=-1)
    means = drawing.add("Transpose", drawing.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    return drawing.add("Reshape", means, drawing.constant(0, 0, WIDTH))


def _pooled(drawing: Drawing, hidden: str, mask: str) -> None:
    """The mean over a text's tokens, as long as 1."""
    axis = drawing.constant(1)
    weights = drawing.add("Unsqueeze", mask, drawing.constant(2))
    total = drawing.add("ReduceSum", drawing.add("Mul", hidden, weights), axis, keepdims=0)
    number = drawing.add("Max", drawing.add("ReduceSum", weights, axis, keepdims=0), drawing.number(1e-9))
    mean = drawing.add("Div", total, number)
    length = drawing.add("Max", drawing.add("ReduceL2", mean, axis, keepdims=1), drawing.number(1e-12))
    drawing.add("Div", mean, length, output="sentence_embedding")


def _model(drawing: Drawing) -> ModelProto:
    def tensor(name: str, kind: int, *shape: str | int) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(
        drawing.nodes,
        "all-MiniLM-L6-v2",
        [tensor(name, TensorProto.INT64, "batch", "tokens") for name in ("input_ids", "attention_mask")],
        [
            tensor("sentence_embedding", TensorProto.FLOAT, "batch", WIDTH),
            tensor("token_embeddings", TensorProto.FLOAT, "batch", "tokens", WIDTH),
        ],
        list(drawing.values.values()),
    )
    operators = [helper.make_opsetid("", OPERATORS)]
    return helper.make_model(graph, opset_imports=operators, ir_version=FORMAT, producer_name="kgneo")


if __name__ == "__main__":
    GRAPH.write_bytes(build(load_exported("minilm").folder / WEIGHTS).SerializeToString())
