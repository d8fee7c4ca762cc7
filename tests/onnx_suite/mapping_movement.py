"""ONNX operators that move elements without looking at them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import Array

from .node import TYPE_IDS, OnnxNode, Outputs, Why, ints


def _axes(node: OnnxNode) -> list[int] | None:
    """Axes from input 1, or from the attribute in older versions; None when neither is given."""
    given = node.optional(1)
    if given is not None:
        return [int(a) for a in given.reshape(-1)]
    values: list[int] | None = node.get("axes", None)
    return values


def _reshape(node: OnnxNode) -> Array:
    x, shape = node.x(0), node.x(1)
    keeps_zero = node.get("allowzero", 0) and 0 in shape
    node.refuse_unless(not keeps_zero, Why.ATTRIBUTE, "allowzero")
    return node.run("Reshape", x, shape)


def _flatten(node: OnnxNode) -> Array:
    axis = node.get("axis", 1)
    return node.run("Flatten", node.x(), axis=axis + node.x().ndim if axis < 0 else axis)


def _squeeze(node: OnnxNode) -> Array:
    return node.run("Squeeze", node.x(), axis=_axes(node))


def _unsqueeze(node: OnnxNode) -> Array:
    return node.run("Unsqueeze", node.x(), axis=_axes(node))


def _transpose(node: OnnxNode) -> Array:
    return node.run("Transpose", node.x(), ints(node.get("perm", [])))


def _concat(node: OnnxNode) -> Array:
    return node.run("Concat", *node.given(), axis=node.get("axis", 0))


def _split(node: OnnxNode) -> Outputs:
    x, axis, sizes = node.x(), node.get("axis", 0), node.optional(1)
    count = len(node.outputs)
    listed = node.get("split", None) if sizes is None else [int(s) for s in sizes]
    if listed is None:
        # All parts ceil(size / count) long but the last.
        size = x.shape[axis]
        each = -(-size // node.get("num_outputs", count))
        listed = [min(each, max(0, size - i * each)) for i in range(count)]
    return node.run_all("Split", count, x, output_num=count, size_splits=listed, axis=axis)


def _slice(node: OnnxNode) -> Array:
    x, starts, ends, axes, steps = node.x(0), node.x(1), node.x(2), node.optional(3), node.optional(4)
    along = ints(range(len(starts))) if axes is None else axes
    return node.run("StridedSlice", x, starts, ends, along, np.ones_like(starts) if steps is None else steps)


_PADDING_MODES = {"constant": "CONSTANT", "reflect": "REFLECT"}


def _pad(node: OnnxNode) -> Array:
    x, pads, constant, axes = node.x(0), node.x(1), node.optional(2), node.optional(3)
    mode = node.get("mode", "constant")
    node.refuse_unless(mode in _PADDING_MODES, Why.ATTRIBUTE, f"mode {mode}")
    node.refuse_unless((pads >= 0).all(), Why.SEMANTICS, "negative pads")
    paddings = np.zeros((x.ndim, 2), np.int32)
    paddings[np.arange(x.ndim) if axes is None else axes] = pads.reshape(2, -1).T
    return node.run("PadFusion", x, paddings.reshape(-1), constant, padding_mode=_PADDING_MODES[mode])


def _center_crop_pad(node: OnnxNode) -> Array:
    x, wanted = node.x(0), [int(n) for n in node.x(1)]
    axes = [a % x.ndim for a in node.get("axes", range(x.ndim))]
    spare = [(n - x.shape[a]) for a, n in zip(axes, wanted, strict=True)]
    begin = [max(0, -s) // 2 for s in spare]
    end = [b + min(n, x.shape[a]) for b, n, a in zip(begin, wanted, axes, strict=True)]
    cropped = node.run("StridedSlice", x, ints(begin), ints(end), ints(axes), ints([1] * len(axes)))
    paddings = np.zeros((x.ndim, 2), np.int32)
    paddings[axes] = [(max(0, s) // 2, max(0, s) - max(0, s) // 2) for s in spare]
    return node.run("PadFusion", cropped, paddings.reshape(-1))


def _expand(node: OnnxNode) -> Array:
    x = node.x()
    return node.run("BroadcastTo", x, shape=np.broadcast_shapes(x.shape, tuple(int(n) for n in node.x(1))))


def _shape(node: OnnxNode) -> Array:
    dims = node.cast(node.run("Shape", node.x()), "int64")
    if "start" not in node.attributes and "end" not in node.attributes:
        return dims
    start, end = node.get("start", 0), node.get("end", len(dims))
    return node.run("StridedSlice", dims, ints([start]), ints([end]), ints([0]), ints([1]))


def _size(node: OnnxNode) -> Array:
    return node.cast(node.run("Size", node.x()), "int64")


def _constant_of_shape(node: OnnxNode) -> Array:
    value = node.get("value", np.zeros(1, np.float32))
    node.refuse_unless(value.dtype.name in TYPE_IDS, Why.TYPE, f"a value of {value.dtype.name}")
    return node.run(
        "ConstantOfShape", node.x(), data_type=TYPE_IDS[value.dtype.name], value=(float(value.reshape(())),)
    )


def _reverse_sequence(node: OnnxNode) -> Array:
    axes = {"seq_dim": node.get("time_axis", 0), "batch_dim": node.get("batch_axis", 1)}
    return node.run("ReverseSequence", node.x(0), node.x(1), **axes)


def _trilu(node: OnnxNode) -> Array:
    return node.run("Triu" if node.get("upper", 1) else "Tril", node.x(), node.optional(1))


def _range(node: OnnxNode) -> Array:
    return node.run("Range", node.x(0), node.x(1), node.x(2))


def _tile(node: OnnxNode) -> Array:
    return node.run("TileFusion", node.x(0), node.x(1))


def _dropout(node: OnnxNode) -> Outputs:
    training = node.optional(2)
    node.refuse_unless(training is None or not training, Why.TRAINING, "training_mode")
    if not node.wants(1):
        return node.run("Dropout", node.x())
    y, mask = node.run_all("Dropout", 2, node.x())
    return y, node.cast(mask, "bool")


MAPPINGS: dict[str, Callable[[OnnxNode], Outputs]] = {
    "CenterCropPad": _center_crop_pad,
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "Dropout": _dropout,
    "Expand": _expand,
    "Flatten": _flatten,
    "Pad": _pad,
    "Range": _range,
    "Reshape": _reshape,
    "ReverseSequence": _reverse_sequence,
    "Shape": _shape,
    "Size": _size,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "Trilu": _trilu,
    "Unsqueeze": _unsqueeze,
}
