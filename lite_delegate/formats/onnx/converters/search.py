"""ONNX operators that search: largest, smallest, first, unique, non-zero elements, and boxes."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import UNKNOWN

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode, Outputs


def _arg(op_type: str) -> Converter:
    """The first of equal elements; the last one is the first from behind."""

    def place(node: OnnxNode) -> Value:
        x, axis = node.x(), node.get("axis", 0)
        last = node.get("select_last_index", 0)
        size = node.dims(x)[axis] if last else 0
        node.reject_unless(size != UNKNOWN, Why.SHAPE, f"dimension {axis} must be known for select_last_index")
        if last:
            x = node.emit("ReverseV2", x, axis=[axis])
        found = node.emit(op_type, x, axis=axis, top_k=1, keep_dims=bool(node.get("keepdims", 1)))
        if last:
            found = node.emit("SubFusion", node.scalar(size - 1, found), found)
        return node.cast(found, "int64")

    return place


def _top_k(node: OnnxNode) -> Outputs:
    """Ours gives the largest; the smallest are the largest of the numbers in the opposite order."""
    x, axis = node.x(), node.get("axis", -1)
    k = node.longs([node.get("k", 0)]) if "k" in node.attributes else node.x(1)
    if node.get("largest", 1):
        values, places = node.emit_all("TopKFusion", 2, x, k, axis=axis)
        return values, node.cast(places, "int64")
    values, places = node.emit_all("TopKFusion", 2, _opposite(node, x), k, axis=axis)
    return _opposite(node, values), node.cast(places, "int64")


def _opposite(node: OnnxNode, x: Value) -> Value:
    """Numbers in the opposite order, without loss: negative floats; for integers -1 - x, or largest - x."""
    dtype = node.dtype(x)
    if dtype.kind == "f":
        return node.emit("Neg", x)
    return node.emit("SubFusion", node.scalar(-1 if dtype.kind == "i" else np.iinfo(dtype).max, x), x)


def _non_zero(node: OnnxNode) -> Value:
    return node.cast(node.emit("NonZero", node.x()), "int64")


def _unique(node: OnnxNode) -> Outputs:
    """Ours gives values in the order of appearance, and which value each element has."""
    node.reject_unless("axis" not in node.attributes, Why.ATTRIBUTE, "axis has no counterpart")
    flat = node.reshape(node.x(), [-1])
    in_order = _ascending(node, flat) if node.get("sorted", 1) else flat
    values, own = node.emit_all("Unique", 2, in_order)
    if not any(node.wants(i) for i in (1, 2, 3)):
        return values, None, None, None
    if not node.get("sorted", 1) and not node.wants(1) and not node.wants(3):
        return values, None, node.cast(own, "int64"), None
    # A row per element, a column per value: where they are equal.
    equal = node.cast(node.emit("Equal", node.unsqueeze(flat, [1]), node.unsqueeze(values, [0])), "int32")
    first = node.emit("ArgMaxFusion", equal, axis=0, top_k=1)
    which = node.emit("ArgMaxFusion", equal, axis=1, top_k=1)
    counts = node.emit("ReduceFusion", equal, node.ints([0]), mode="ReduceSum", keep_dims=False)
    return values, *(node.cast(v, "int64") for v in (first, which, counts))


def _ascending(node: OnnxNode, flat: Value) -> Value:
    size = node.emit("Shape", flat)
    descending, _ = node.emit_all("TopKFusion", 2, flat, size, axis=0)
    return node.emit("ReverseV2", descending, axis=[0])


def _non_max_suppression(node: OnnxNode) -> Value:
    inputs = [node.optional(i) for i in range(5)]
    places = node.emit("NonMaxSuppression", *inputs, center_point_box=node.get("center_point_box", 0))
    return node.cast(places, "int64")


CONVERTERS: dict[str, Converter] = {
    "ArgMax": _arg("ArgMaxFusion"),
    "ArgMin": _arg("ArgMinFusion"),
    "NonMaxSuppression": _non_max_suppression,
    "NonZero": _non_zero,
    "TopK": _top_k,
    "Unique": _unique,
}
