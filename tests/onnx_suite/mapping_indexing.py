"""ONNX operators that read, write, search and count at indices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import Array

from .node import OnnxNode, Outputs, Why, ints, number
from .onnx_types import dtype_name


def _gather(node: OnnxNode) -> Array:
    return node.run("Gather", node.x(0), node.x(1), np.array(node.get("axis", 0), np.int32))


def _gather_elements(node: OnnxNode) -> Array:
    return node.run("GatherD", node.x(0), np.array(node.get("axis", 0), np.int32), node.x(1))


def _gather_nd(node: OnnxNode) -> Array:
    node.refuse_unless(not node.get("batch_dims", 0), Why.ATTRIBUTE, "batch_dims")
    return node.run("GatherNd", node.x(0), node.x(1))


def _scatter_elements(node: OnnxNode) -> Array:
    reduction = node.get("reduction", "none")
    node.refuse_unless(reduction == "none", Why.ATTRIBUTE, f"reduction {reduction}")
    return node.run("ScatterElements", node.x(0), node.x(1), node.x(2), axis=node.get("axis", 0))


_SCATTER_ND = {"none": "ScatterNdUpdate", "add": "TensorScatterAdd"}


def _scatter_nd(node: OnnxNode) -> Array:
    reduction = node.get("reduction", "none")
    node.refuse_unless(reduction in _SCATTER_ND, Why.ATTRIBUTE, f"reduction {reduction}")
    return node.run(_SCATTER_ND[reduction], node.x(0), node.x(1), node.x(2))


def _one_hot(node: OnnxNode) -> Array:
    indices = node.x(0) if node.x(0).dtype.kind in "iu" else node.cast(node.x(0), "int64")
    return node.run("OneHot", indices, node.x(1), node.x(2), axis=node.get("axis", -1))


def _eye_like(node: OnnxNode) -> Array:
    """Row i is the one-hot vector of i + k, all zeros where that is no column."""
    rows, columns = node.x().shape
    dtype = dtype_name(node.get("dtype", 0)) if "dtype" in node.attributes else node.x().dtype.name
    places = ints([i if i >= 0 else columns for i in range(node.get("k", 0), node.get("k", 0) + rows)])
    on, off = np.ones(1, dtype), np.zeros(1, dtype)
    return node.run("OneHot", places, ints([columns]), on, off, axis=-1)


def _arg(op_type: str) -> Callable[[OnnxNode], Array]:
    """The first of equal elements; the last one is the first from behind."""

    def place(node: OnnxNode) -> Array:
        x, axis = node.x(), node.get("axis", 0)
        last = node.get("select_last_index", 0)
        if last:
            x = node.run("ReverseV2", x, axis=[axis])
        found = node.run(op_type, x, axis=axis, top_k=1, keep_dims=bool(node.get("keepdims", 1)))
        if last:
            found = node.run("SubFusion", number(x.shape[axis] - 1, found), found)
        return node.cast(found, "int64")

    return place


def _hardmax(node: OnnxNode) -> Array:
    x, axis = node.x(), node.get("axis", -1)
    place = node.run("ArgMaxFusion", x, axis=axis, top_k=1)
    return node.run("OneHot", place, ints([x.shape[axis]]), np.ones(1, x.dtype), np.zeros(1, x.dtype), axis=axis)


def _top_k(node: OnnxNode) -> Outputs:
    x, axis = node.x(), node.get("axis", -1)
    largest = node.get("largest", 1)
    values, places = node.run_all("TopKFusion", 2, x if largest else node.run("Neg", x), node.x(1), axis=axis)
    return values if largest else node.run("Neg", values), node.cast(places, "int64")


def _non_zero(node: OnnxNode) -> Array:
    return node.cast(node.run("NonZero", node.x()), "int64")


def _compress(node: OnnxNode) -> Array:
    x, axis = node.x(), node.get("axis", None)
    kept = node.run("NonZero", node.x(1))[0]
    data = x.reshape(-1) if axis is None else x
    return node.run("Gather", data, kept, np.array(0 if axis is None else axis, np.int32))


def _unique(node: OnnxNode) -> Outputs:
    node.refuse_unless(not node.get("sorted", 1), Why.SEMANTICS, "sorted, where ours keep the order of appearance")
    node.refuse_unless("axis" not in node.attributes, Why.ATTRIBUTE, "axis")
    node.refuse_unless(not node.wants(1) and not node.wants(3), Why.OUTPUT, "first places or counts")
    values, places = node.run_all("Unique", 2, node.x())
    return values, np.empty(0, np.int64), node.cast(places, "int64")


def _cum_sum(node: OnnxNode) -> Array:
    flags = {"exclusive": bool(node.get("exclusive", 0)), "reverse": bool(node.get("reverse", 0))}
    return node.run("CumSum", node.x(0), node.x(1), **flags)


def _non_max_suppression(node: OnnxNode) -> Array:
    inputs = [node.optional(i) for i in range(5)]
    places = node.run("NonMaxSuppression", *inputs, center_point_box=node.get("center_point_box", 0))
    return node.cast(places, "int64")


MAPPINGS: dict[str, Callable[[OnnxNode], Outputs]] = {
    "ArgMax": _arg("ArgMaxFusion"),
    "ArgMin": _arg("ArgMinFusion"),
    "Compress": _compress,
    "CumSum": _cum_sum,
    "EyeLike": _eye_like,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "Hardmax": _hardmax,
    "NonMaxSuppression": _non_max_suppression,
    "NonZero": _non_zero,
    "OneHot": _one_hot,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TopK": _top_k,
    "Unique": _unique,
}
