"""Transformers with seeded random weights as ONNX models, in the way that exporters write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

Array = np.ndarray[Any, Any]
OPSET = 17
IR_VERSION = 9


class OnnxNet:
    """Collects the nodes of one model; values are named by strings.

    Args:
        name: of the graph.
        seed: of the weights.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        self.name = name
        self._random = np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, shape: Sequence[int | str], dtype: Any = np.float32) -> str:
        """An input; dimensions that are strings are open."""
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self._inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def op(self, kind: str, *inputs: str, outputs: int = 0, **attributes: Any) -> Any:
        """Adds a node; gives the name of its output, or a list of ``outputs`` names."""
        names = [f"{kind}_{len(self._nodes)}_{i}" for i in range(max(1, outputs))]
        self._nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        return names if outputs else names[0]

    def const(self, data: Any, dtype: Any = np.float32) -> str:
        """A constant."""
        name = f"w{len(self._weights)}"
        self._weights.append(onnx.numpy_helper.from_array(np.asarray(data, dtype), name))
        return name

    def ints(self, *values: int) -> str:
        """An int64 constant, as shapes and axes are."""
        return self.const(values, np.int64)

    def weight(self, *shape: int, terms: int) -> str:
        """Normal numbers that keep the size of sums over ``terms`` products."""
        return self.const(self._random.standard_normal(shape, np.float32) / np.sqrt(terms))

    def vector(self, size: int, around: float = 0.0) -> str:
        """Normal numbers of deviation 0.1."""
        return self.const(around + 0.1 * self._random.standard_normal(size, np.float32))

    def dense(self, x: str, terms: int, units: int) -> str:
        """A matrix product and a bias over the last axis."""
        product = self.op("MatMul", x, self.weight(terms, units, terms=terms))
        return str(self.op("Add", product, self.vector(units)))

    def layer_norm(self, x: str, size: int) -> str:
        """Layer normalization over the last axis, as one node."""
        scale, offset = self.vector(size, 1.0), self.vector(size)
        return str(self.op("LayerNormalization", x, scale, offset, axis=-1, epsilon=1e-6))

    def spelled_layer_norm(self, x: str, size: int) -> str:
        """Layer normalization over the last axis, as exporters wrote it before opset 17."""
        centered = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1], keepdims=1))
        squared = self.op("Pow", centered, self.const(2.0))
        variance = self.op("Add", self.op("ReduceMean", squared, axes=[-1], keepdims=1), self.const(1e-5))
        normal = self.op("Div", centered, self.op("Sqrt", variance))
        return str(self.op("Add", self.op("Mul", normal, self.vector(size, 1.0)), self.vector(size)))

    def gelu(self, x: str) -> str:
        """GELU by the error function, as exporters write it."""
        erf = self.op("Erf", self.op("Div", x, self.const(np.sqrt(2.0))))
        return str(self.op("Mul", self.op("Mul", x, self.op("Add", erf, self.const(1.0))), self.const(0.5)))

    def attention(self, x: str, tokens: int, width: int, heads: int, mask: str = "") -> str:
        """Self-attention: one product for queries, keys and values; ``mask`` is added to the scores."""
        each = width // heads
        split = self.op("Reshape", self.dense(x, width, 3 * width), self.ints(1, tokens, 3, heads, each))
        turned = self.op("Transpose", split, perm=[2, 0, 3, 1, 4])
        q, k, v = (self.op("Gather", turned, self.const(i, np.int64), axis=0) for i in range(3))
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scaled = self.op("Mul", scores, self.const(each**-0.5))
        shares = self.op("Softmax", self.op("Add", scaled, mask) if mask else scaled, axis=-1)
        joined = self.op("Transpose", self.op("MatMul", shares, v), perm=[0, 2, 1, 3])
        return self.dense(self.op("Reshape", joined, self.ints(1, tokens, width)), width, width)

    def model(self, *outputs: str, opset: int = OPSET) -> onnx.ModelProto:
        """The model with these outputs, whose types are worked out."""
        infos = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self._nodes, self.name, self._inputs, infos, self._weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True)


def vision_transformer(
    *, size: int = 224, patch: int = 16, width: int = 192, depth: int = 12, heads: int = 3, classes: int = 1000
) -> onnx.ModelProto:
    """ViT-tiny: (1, 3, size, size) to (1, classes); Dosovitskiy et al., 2021, sizes of Touvron et al., 2021."""
    net = OnnxNet("vision_transformer")
    x = net.input("image", (1, 3, size, size))
    kernels, bias = net.weight(width, 3, patch, patch, terms=3 * patch * patch), net.vector(width)
    patches = net.op("Conv", x, kernels, bias, kernel_shape=[patch, patch], strides=[patch, patch])
    tokens = (size // patch) ** 2
    rows = net.op("Transpose", net.op("Reshape", patches, net.ints(1, width, tokens)), perm=[0, 2, 1])
    x = net.op("Concat", net.weight(1, 1, width, terms=1), rows, axis=1)
    x = net.op("Add", x, net.weight(1, tokens + 1, width, terms=25))
    for _ in range(depth):
        x = net.op("Add", x, net.attention(net.layer_norm(x, width), tokens + 1, width, heads))
        inner = net.gelu(net.dense(net.layer_norm(x, width), width, 4 * width))
        x = net.op("Add", x, net.dense(inner, 4 * width, width))
    first = net.op("Gather", net.layer_norm(x, width), net.const(0, np.int64), axis=1)
    weight = net.weight(classes, width, terms=width)
    return net.model(net.op("Gemm", first, weight, net.vector(classes), transB=1))
