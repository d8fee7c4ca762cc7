"""ONNX operators that add borders or cut them off: Pad, CenterCropPad."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import Array

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode

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
    """Repeats the edge, or the elements of the other end: each axis is gathered at clamped or wrapped places."""
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
        node.reject_unless(size > 0, Why.SHAPE, f"mode {mode} needs a known dimension {axis}, found {size}")
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


CONVERTERS: dict[str, Converter] = {"CenterCropPad": _center_crop_pad, "Pad": _pad}
