"""ONNX operators that move elements without looking at them."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array

from ...ir import Value
from .node import Converter, OnnxNode, Outputs
from .refusal import Why
from .types import type_id


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
    node.refuse_unless(known is not None, Why.NOT_CONSTANT, "shape with allowzero must be a constant")
    assert known is not None
    if 0 not in known:
        return node.emit("Reshape", x, shape)
    # A shape with a 0 has no elements: nothing is moved, so an array of that shape is made.
    node.refuse_unless(-1 not in known, Why.ATTRIBUTE, f"allowzero with -1, found {known.tolist()}")
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
    inserted = node.emit("ScatterElements", node.ints([0] * rank), axes, node.ints([1] * node.shape(axes)[0]))
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
        node.refuse_unless(size != UNKNOWN, Why.SHAPE, f"dimension {axis} must be known to be split evenly")
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
    (count,) = node.shape(starts)
    along = node.ints(range(count)) if axes is None else axes
    return node.emit("StridedSlice", node.x(), starts, ends, along, node.ints([1] * count) if steps is None else steps)


_PADDING_MODES = {"constant": "CONSTANT", "reflect": "REFLECT"}


def _pad(node: OnnxNode) -> Value:
    x, mode = node.x(), node.get("mode", "constant")
    rank = node.rank(x)
    if mode in ("edge", "wrap"):
        return _pad_by_indices(node, mode)
    constant: Value | None
    if "pads" in node.attributes:
        values, constant = np.asarray(node.attributes["pads"]), node.scalar(node.get("value", 0.0), x)
        pairs = values.reshape(2, rank).T
    else:
        constant, known = node.optional(2), node.known(node.x(1))
        axes = None if node.optional(3) is None else node.known(node.x(3))
        if known is None or (node.optional(3) is not None and axes is None):
            return _pad_unknown(node, mode)
        pairs = np.zeros((rank, 2), np.int64)
        pairs[np.arange(rank) if axes is None else axes] = known.reshape(2, -1).T
    return _padded(node, x, pairs, constant, mode)


def _padded(node: OnnxNode, x: Value, pairs: Array, constant: Value | None, mode: str) -> Value:
    """Negative pads cut off what is there, before the others add to it."""
    if (pairs < 0).any():
        ends = [np.iinfo(np.int32).max if e >= 0 else e for e in pairs[:, 1]]
        begins = [max(0, -b) for b in pairs[:, 0]]
        axes = range(len(pairs))
        x = node.emit(
            "StridedSlice", x, node.ints(begins), node.ints(ends), node.ints(axes), node.ints([1] * len(pairs))
        )
    pads = node.ints(np.maximum(pairs, 0).reshape(-1).tolist())
    return node.emit("PadFusion", x, pads, constant, padding_mode=_PADDING_MODES[mode])


def _pad_unknown(node: OnnxNode, mode: str) -> Value:
    """Pads that are known when the model runs: all befores, then all afters become pairs. They must be >= 0."""
    x, pads = node.x(), node.cast(node.x(1), "int32")
    rank = node.rank(x)
    axes = node.optional(3)
    pairs = node.emit("Transpose", node.reshape(pads, [2, -1]), node.ints([1, 0]))
    if axes is not None:
        (count,) = node.shape(axes)
        rows = node.emit("BroadcastTo", node.unsqueeze(axes, [1]), node.ints([count, 2]))
        zeros = node.constant(np.zeros((rank, 2), np.int32), "no_pads")
        pairs = node.emit("ScatterElements", zeros, rows, pairs)
    return node.emit(
        "PadFusion", x, node.reshape(pairs, [2 * rank]), node.optional(2), padding_mode=_PADDING_MODES[mode]
    )


def _pad_by_indices(node: OnnxNode, mode: str) -> Value:
    """Repeats the edge, or what is at the other end: each axis is gathered at clamped or wrapped places."""
    x = node.x()
    listed = node.optional(3)
    axes = list(range(node.rank(x))) if listed is None else node.constant_input(3, "axes").tolist()
    pads = node.ints(node.attributes["pads"]) if "pads" in node.attributes else node.cast(node.x(1), "int32")
    first, count = node.axis_operand(0), len(axes)
    for position, axis in enumerate(axes):
        before, after = (
            node.emit("Gather", pads, node.builder.small_constant(np.int32(i)), first)
            for i in (position, position + count)
        )
        size = node.dims(x)[axis]
        node.refuse_unless(size > 0, Why.SHAPE, f"mode {mode} needs a known dimension {axis}, found {size}")
        whole = node.scalar(size, pads)
        ends = node.emit("Neg", before), node.emit("AddFusion", after, whole)
        wanted = node.emit("Range", *ends, node.scalar(1, pads))
        if mode == "wrap":
            taken = node.emit("FloorMod", wanted, whole)
        else:
            above = node.emit("Maximum", wanted, node.scalar(0, pads))
            taken = node.emit("Minimum", above, node.scalar(size - 1, pads))
        x = node.emit("Gather", x, taken, node.axis_operand(axis))
    return x


def _center_crop_pad(node: OnnxNode) -> Value:
    """Cuts off where there is too much, adds zeros where there is too little; an odd one goes to the end."""
    x, wanted = node.x(0), node.cast(node.x(1), "int32")
    rank = node.rank(x)
    axes = [node.axis(a, rank) for a in node.get("axes", None) or range(rank)]
    zero, two = node.scalar(0, wanted), node.scalar(2, wanted)
    dims = node.emit("Gather", node.emit("Shape", x), node.ints(axes), node.axis_operand(0))
    spare = node.emit("SubFusion", wanted, dims)
    begin = node.emit("FloorDiv", node.emit("Maximum", node.emit("Neg", spare), zero), two)
    end = node.emit("AddFusion", begin, node.emit("Minimum", wanted, dims))
    cropped = node.emit("StridedSlice", x, begin, end, node.ints(axes), node.ints([1] * len(axes)))
    added = node.emit("Maximum", spare, zero)
    before = node.emit("FloorDiv", added, two)
    pairs = node.emit("Stack", before, node.emit("SubFusion", added, before), axis=1)
    rows = node.constant(np.repeat(np.array(axes, np.int32)[:, None], 2, axis=1), "axes")
    none = node.constant(np.zeros((rank, 2), np.int32), "no_pads")
    paddings = node.reshape(node.emit("ScatterElements", none, rows, pairs), [2 * rank])
    return node.emit("PadFusion", cropped, paddings)


def _expand(node: OnnxNode) -> Value:
    x, shape = node.x(), node.x(1)
    known, dims = node.known(shape), node.spec(x).shape
    if known is not None and dims is not None and UNKNOWN not in dims:
        target = np.broadcast_shapes(dims, tuple(int(n) for n in known))
        return node.emit("BroadcastTo", x, node.ints(target))
    # Broadcasts both ways: the larger of each pair of dimensions, aligned at the last one.
    rank, (length,) = node.rank(x), node.shape(shape)
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
    node.refuse_unless(count == 1, Why.ATTRIBUTE, f"one value must be given, found {count}")
    ((name, value),) = node.attributes.items()
    node.refuse_unless(name == "value" or name in dtypes, Why.DTYPE, f"{name} has no counterpart")
    return node.constant(np.asarray(value, dtype=dtypes.get(name)), "value")


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
        node.refuse_unless(not node.constant_input(2, "training_mode"), Why.ATTRIBUTE, "training_mode must be false")
    if not node.wants(1):
        return node.x()
    mask_dtype = np.dtype(np.bool_) if node.opset >= 10 else node.dtype(node.x())
    return node.x(), node.cast(node.emit("OnesLike", node.x()), mask_dtype)


CONVERTERS: dict[str, Converter] = {
    "CenterCropPad": _center_crop_pad,
    "Concat": _concat,
    "Constant": _constant,
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
