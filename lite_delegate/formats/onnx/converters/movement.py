"""ONNX operators that move elements without looking at them."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode, Outputs
from ..protobuf.types import type_id


def listed_axes(node: OnnxNode, index: int = 1) -> list[int] | None:
    """Axes from an input that is known, or from the attribute in older versions; None when neither is given."""
    given = node.optional(index)
    if given is None:
        values: list[int] | None = node.get("axes", None)
        return values
    return [int(a) for a in node.constant_input(index, "axes").reshape(-1)]


def _reshape(node: OnnxNode) -> Value:
    if node.get("shape", None) is not None:
        return node.emit("Reshape", node.x(), node.ints(node.get("shape", [])))
    x, shape = node.x(0), node.x(1)
    if not node.get("allowzero", 0):
        return node.emit("Reshape", x, shape)
    known = node.known(shape)
    node.reject_unless(known is not None, Why.NOT_CONSTANT, "shape with allowzero must be a constant")
    assert known is not None
    if 0 not in known:
        return node.emit("Reshape", x, shape)
    # A shape with a 0 has no elements: nothing is moved, so an array of that shape is made.
    node.reject_unless(-1 not in known, Why.ATTRIBUTE, f"allowzero with -1, found {known.tolist()}")
    return _filled(node, node.ints(known.tolist()), np.zeros(1, node.dtype(x)))


def _flatten(node: OnnxNode) -> Value:
    axis = node.get("axis", 1)
    return node.emit("Flatten", node.x(), axis=axis + node.rank(node.x()) if axis < 0 else axis)


def _squeeze(node: OnnxNode) -> Value:
    x, axes = node.x(), node.optional(1)
    if axes is not None and node.known(axes) is None:
        return node.emit("Squeeze", x, axes)
    return node.emit("Squeeze", x, axis=listed_axes(node))


def _unsqueeze(node: OnnxNode) -> Value:
    x, axes = node.x(), node.optional(1)
    if axes is None or node.known(axes) is not None:
        return node.unsqueeze(x, sorted(_wrapped(node, listed_axes(node) or [])))
    # Ones at the axes, the dimensions of x at the other places.
    rank = node.rank(x) + node.shape(axes)[0]
    inserted = node.emit("ScatterElements", node.ints([0] * rank), axes, node.ints([1] * node.length(axes)))
    places = node.reshape(node.emit("NonZero", node.emit("Equal", inserted, node.ints([0]))), [node.rank(x)])
    shape = node.emit("ScatterElements", node.ints([1] * rank), places, node.emit("Shape", x))
    return node.emit("Reshape", x, shape)


def _wrapped(node: OnnxNode, axes: list[int]) -> list[int]:
    rank = node.rank(node.x()) + len(axes)
    return [node.axis(a, rank) for a in axes]


def _transpose(node: OnnxNode) -> Value:
    x = node.x()
    return node.transpose(x, node.get("perm", None) or list(range(node.rank(x)))[::-1])


def _concat(node: OnnxNode) -> Value:
    return node.emit("Concat", *node.given(), axis=node.get("axis", 0))


def _split(node: OnnxNode) -> Outputs:
    x, axis, sizes = node.x(), node.get("axis", 0), node.optional(1)
    count = len(node.proto.output)
    if sizes is not None and node.known(sizes) is None:
        return node.emit_all("Split", count, x, sizes, output_num=count, axis=axis)
    listed = node.get("split", None) if sizes is None else node.constant_input(1, "sizes").tolist()
    if listed is None:
        # All parts ceil(size / count) long but the last.
        size = node.dims(x)[axis]
        node.reject_unless(size != UNKNOWN, Why.SHAPE, f"dimension {axis} must be known to be split evenly")
        each = -(-size // node.get("num_outputs", count))
        listed = [min(each, max(0, size - i * each)) for i in range(count)]
    return node.emit_all("Split", count, x, output_num=count, size_splits=listed, axis=axis)


def _slice(node: OnnxNode) -> Value:
    if "starts" in node.attributes:
        starts, ends = node.longs(node.attributes["starts"]), node.longs(node.attributes["ends"])
        listed = node.get("axes", None)
        axes, steps = None if listed is None else node.longs(listed), None
    else:
        starts, ends, axes, steps = node.x(1), node.x(2), node.optional(3), node.optional(4)
    count = node.length(starts)
    along = node.ints(range(count)) if axes is None else axes
    return node.emit("StridedSlice", node.x(), starts, ends, along, node.ints([1] * count) if steps is None else steps)


def _expand(node: OnnxNode) -> Value:
    x, shape = node.x(), node.x(1)
    known, dims = node.known(shape), node.spec(x).shape
    if known is not None and dims is not None and UNKNOWN not in dims:
        target = np.broadcast_shapes(dims, tuple(int(n) for n in known))
        return node.emit("BroadcastTo", x, node.ints(target))
    # Broadcasts both ways: the larger of each pair of dimensions, aligned at the last one.
    rank, length = node.rank(x), node.length(shape)
    both = max(rank, length)
    own = _leading_ones(node, node.emit("Shape", x), both - rank)
    other = _leading_ones(node, node.cast(shape, "int32"), both - length)
    # A dimension of 0 wins over the 1 beside it.
    target_dims = node.emit("Where", node.emit("Equal", own, node.ints([1] * both)), other, own)
    return node.emit("BroadcastTo", x, target_dims)


def _leading_ones(node: OnnxNode, dims: Value, count: int) -> Value:
    return dims if not count else node.emit("Concat", node.ints([1] * count), dims, axis=0)


def _shape(node: OnnxNode) -> Value:
    dims = node.cast(node.emit("Shape", node.x()), "int64")
    if "start" not in node.attributes and "end" not in node.attributes:
        return dims
    rank = node.rank(node.x())
    start, end = node.get("start", 0), node.get("end", rank)
    return node.emit("StridedSlice", dims, node.ints([start]), node.ints([end]), node.ints([0]), node.ints([1]))


def _size(node: OnnxNode) -> Value:
    return node.cast(node.emit("Size", node.x()), "int64")


def _constant(node: OnnxNode) -> Value:
    dtypes = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}
    count = len(node.attributes)
    node.reject_unless(count == 1, Why.ATTRIBUTE, f"one value must be given, found {count}")
    ((name, value),) = node.attributes.items()
    node.reject_unless(name == "value" or name in dtypes, Why.DTYPE, f"{name} has no counterpart")
    made = node.constant(np.asarray(value, dtype=dtypes.get(name)), "value")
    node.builder.mark_narrow(made, next((a.t.data_type for a in node.proto.attribute if a.name == "value"), 0))
    return made


def _constant_of_shape(node: OnnxNode) -> Value:
    return _filled(node, node.x(), node.get("value", np.zeros(1, np.float32)))


def _filled(node: OnnxNode, shape: Value, value: Array) -> Value:
    number = float(value.reshape(()))
    if value.dtype.kind in "iu" and int(np.float32(number)) != value.reshape(()):
        # The attribute holds single precision: a number that does not fit comes as a constant.
        return node.emit("Fill", node.builder.small_constant(value.reshape(())), shape)
    if value.dtype == np.float64 and np.float64(np.float32(number)) != number and number == number:
        return node.emit("Fill", node.builder.small_constant(value.reshape(())), shape)
    return node.emit("ConstantOfShape", shape, data_type=type_id(value.dtype), value=[number])


def _reverse_sequence(node: OnnxNode) -> Value:
    axes = {"seq_dim": node.get("time_axis", 0), "batch_dim": node.get("batch_axis", 1)}
    return node.emit("ReverseSequence", node.x(0), node.x(1), **axes)


def _trilu(node: OnnxNode) -> Value:
    return node.emit("Triu" if node.get("upper", 1) else "Tril", node.x(), node.optional(1))


def _range(node: OnnxNode) -> Value:
    return node.emit("Range", node.x(0), node.x(1), node.x(2))


def _tile(node: OnnxNode) -> Value:
    return node.emit("TileFusion", node.x(0), node.x(1))


def _dropout(node: OnnxNode) -> Outputs:
    training = node.optional(2)
    if training is not None:
        node.reject_unless(not node.constant_input(2, "training_mode"), Why.ATTRIBUTE, "training_mode must be false")
    if not node.wants(1):
        return node.x()
    mask_dtype = np.dtype(np.bool_) if node.opset >= 10 else node.dtype(node.x())
    return node.x(), node.cast(node.emit("OnesLike", node.x()), mask_dtype)


CONVERTERS: dict[str, Converter] = {
    "Concat": _concat,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "Dropout": _dropout,
    "Expand": _expand,
    "Flatten": _flatten,
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
