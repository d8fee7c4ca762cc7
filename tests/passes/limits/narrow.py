"""A delegate of few dimensions, and small ONNX models of the patterns that exceed them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from lite_delegate.delegate import DelegateLimits, Kernel, RejectCode, Rejected, SupportResult
from lite_delegate.testing.delegates import NamedDelegate

Array = np.ndarray[Any, Any]


class NarrowDelegate(NamedDelegate):
    """Takes every operator, but no tensor and no permutation beyond its limits."""

    name = "narrow"

    def __init__(self, limits: DelegateLimits, missing: Sequence[str] = ()) -> None:
        super().__init__()
        self._limits = limits
        self._missing = missing

    def limits(self) -> DelegateLimits:
        return self._limits

    def supports(self, kernel: Kernel) -> SupportResult | None:
        if kernel.type in self._missing:
            return Rejected(RejectCode.OPERATOR, f"no {kernel.type}")
        tall = [t.shape for t in (*kernel.inputs, *kernel.outputs) if not self._limits.allows_rank(len(t.shape))]
        if tall:
            return Rejected(RejectCode.RANK, f"at most {self._limits.max_rank} dimensions, has {tall[0]}")
        if kernel.type == "Transpose" and not self._limits.allows(tuple(map(int, kernel.inputs[1].data))):
            return Rejected(RejectCode.ATTRIBUTE, "not this permutation")
        return super().supports(kernel)


class Onnx:
    """Makes an ONNX model node by node."""

    def __init__(self, *shape: int) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.shape = shape
        self.rng = np.random.default_rng(1)

    def const(self, data: Any, dtype: Any = np.int64) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(data, dtype), name))
        return name

    def weights(self, *shape: int) -> str:
        return self.const(self.rng.normal(size=shape), np.float32)

    def node(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"{op}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}{len(self.nodes)}", **attributes))
        return names if outputs > 1 else names[0]

    def model(self, *outputs: str) -> onnx.ModelProto:
        x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, self.shape)
        ys = [helper.make_value_info(name, onnx.TypeProto()) for name in outputs]
        graph = helper.make_graph(self.nodes, "pattern", [x], ys, self.constants)
        return onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))


def attention(how: str) -> onnx.ModelProto:
    """Two heads over 5 tokens: query, key and value out of one projection, taken apart in one of several ways."""
    b = Onnx(1, 5, 6)
    rows = b.node("MatMul", "x", b.weights(6, 24))
    wide = b.node("Reshape", rows, b.const([1, 5, 3, 2, 4]))
    if how == "transpose, split, squeeze":
        wide = b.node("Transpose", wide, perm=[2, 0, 3, 1, 4])
        parts = b.node("Split", wide, outputs=3, axis=0)
        q, k, v = (b.node("Squeeze", part, b.const([0])) for part in parts)
    elif how == "transpose, gather":
        wide = b.node("Transpose", wide, perm=[2, 0, 3, 1, 4])
        q, k, v = (b.node("Gather", wide, b.const(i), axis=0) for i in range(3))
    elif how == "slice, squeeze, transpose":
        cuts = [b.node("Slice", wide, b.const([i]), b.const([i + 1]), b.const([2])) for i in range(3)]
        q, k, v = (b.node("Transpose", b.node("Squeeze", c, b.const([2])), perm=[0, 2, 1, 3]) for c in cuts)
    else:
        parts = b.node("Split", wide, outputs=3, axis=2)
        q, k, v = (b.node("Transpose", b.node("Squeeze", p, b.const([2])), perm=[0, 2, 1, 3]) for p in parts)
    scores = b.node("Softmax", b.node("MatMul", q, b.node("Transpose", k, perm=[0, 1, 3, 2])), axis=-1)
    heads = b.node("Transpose", b.node("MatMul", scores, v), perm=[0, 2, 1, 3])
    return b.model(b.node("Reshape", heads, b.const([1, 5, 8])))


ATTENTIONS = (
    "transpose, split, squeeze",
    "transpose, gather",
    "slice, squeeze, transpose",
    "split, squeeze, transpose",
)


def channel_shuffle() -> onnx.ModelProto:
    """Two groups of four channels, behind a convolution and before the two halves of the next block."""
    b = Onnx(1, 3, 6, 6)
    x = b.node("Conv", "x", b.weights(8, 3, 1, 1))
    x = b.node("Transpose", b.node("Reshape", x, b.const([1, 2, 4, 6, 6])), perm=[0, 2, 1, 3, 4])
    x = b.node("Reshape", x, b.const([1, 8, 6, 6]))
    left, right = b.node("Split", x, outputs=2, axis=1)
    return b.model(b.node("Concat", left, b.node("Relu", right), axis=1))


def pixel_shuffle(op: str) -> onnx.ModelProto:
    """Twice as many rows and columns out of channels, or back: as operators, and as six dimensions."""
    b = Onnx(1, 12, 4, 6)
    x = b.node("Relu", "x")
    if op == "six dimensions":
        x = b.node("Transpose", b.node("Reshape", x, b.const([1, 3, 2, 2, 4, 6])), perm=[0, 1, 4, 2, 5, 3])
        x = b.node("Reshape", x, b.const([1, 3, 8, 12]))
    elif op == "SpaceToDepth":
        x = b.node("SpaceToDepth", x, blocksize=2)
    else:
        x = b.node("DepthToSpace", x, blocksize=2, mode=op)
    return b.model(b.node("Relu", x))


SHUFFLES = ("six dimensions", "SpaceToDepth", "DCR", "CRD")


def windows() -> onnx.ModelProto:
    """Windows of 2 x 3 of an image, each a row of tokens, and back, as Swin has them."""
    b = Onnx(1, 4, 6, 5)
    x = b.node("Transpose", b.node("Reshape", "x", b.const([1, 2, 2, 2, 3, 5])), perm=[0, 1, 3, 2, 4, 5])
    x = b.node("MatMul", b.node("Reshape", x, b.const([4, 6, 5])), b.weights(5, 5))
    x = b.node("Transpose", b.node("Reshape", x, b.const([1, 2, 2, 2, 3, 5])), perm=[0, 1, 3, 2, 4, 5])
    return b.model(b.node("Relu", b.node("Reshape", x, b.const([1, 4, 6, 5]))))


def detection_head() -> onnx.ModelProto:
    """Three anchors of seven numbers: five dimensions with arithmetic on parts of the last one, as YOLOv5 has it."""
    b = Onnx(1, 4, 5, 5)
    x = b.node("Conv", "x", b.weights(21, 4, 1, 1))
    x = b.node("Transpose", b.node("Reshape", x, b.const([1, 3, 7, 5, 5])), perm=[0, 1, 3, 4, 2])
    xy, wh, c = b.node("Split", b.node("Sigmoid", x), b.const([2, 2, 3]), outputs=3, axis=4)
    xy = b.node("Add", b.node("Mul", xy, b.const(2, np.float32)), b.weights(1, 1, 5, 5, 2))
    wh = b.node("Mul", b.node("Mul", wh, wh), b.weights(1, 3, 1, 1, 2))
    return b.model(b.node("Reshape", b.node("Concat", xy, wh, c, axis=4), b.const([1, 75, 7])))


def chain_of_ones() -> onnx.ModelProto:
    """Axes of one that come, move and go."""
    b = Onnx(3, 4)
    x = b.node("Unsqueeze", b.node("Relu", "x"), b.const([0, 3]))
    x = b.node("Transpose", x, perm=[3, 1, 0, 2])
    x = b.node("Flatten", b.node("Unsqueeze", x, b.const([0])), axis=3)
    return b.model(b.node("Relu", b.node("Reshape", x, b.const([3, 4]))))


PATTERNS: dict[str, Callable[[], onnx.ModelProto]] = {
    **{f"attention: {how}": partial(attention, how) for how in ATTENTIONS},
    **{f"shuffle: {op}": partial(pixel_shuffle, op) for op in SHUFFLES},
    "channel shuffle": channel_shuffle,
    "windows": windows,
    "detection head": detection_head,
    "ones": chain_of_ones,
}
"""By name."""
