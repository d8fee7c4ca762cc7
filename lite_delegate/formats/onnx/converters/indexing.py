"""ONNX operators that read and write at indices."""

from __future__ import annotations

from math import prod

import numpy as np

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode
from ..protobuf.types import numpy_type


def _gather(node: OnnxNode) -> Value:
    return node.emit("Gather", node.x(0), node.x(1), node.axis_operand(node.get("axis", 0)))


def _gather_elements(node: OnnxNode) -> Value:
    return node.emit("GatherD", node.x(0), node.axis_operand(node.get("axis", 0)), node.x(1))


def _gather_nd(node: OnnxNode) -> Value:
    """With ``batch_dims``, the place in the batch is put before each index: batches are one dimension meanwhile."""
    x, indices, batch = node.x(0), node.x(1), node.get("batch_dims", 0)
    if not batch:
        return node.emit("GatherNd", x, indices)
    data, wanted = node.shape(x), node.shape(indices)
    count, rows = prod(data[:batch]), prod(wanted[batch:-1])
    node.check_table(count, rows)
    rest = data[batch + wanted[-1] :]
    places = np.broadcast_to(np.arange(count).reshape(-1, 1, 1), (count, rows, 1)).astype(node.dtype(indices))
    flat = node.reshape(indices, [count, rows, wanted[-1]])
    full = node.emit("Concat", node.constant(np.ascontiguousarray(places), "batch"), flat, axis=2)
    y = node.emit("GatherNd", node.reshape(x, [count, *data[batch:]]), full)
    return node.reshape(y, [*data[:batch], *wanted[batch:-1], *rest])


def _scatter_elements(node: OnnxNode) -> Value:
    reduction, axis = node.get("reduction", "none"), node.get("axis", 0)
    if reduction == "none":
        return node.emit("ScatterElements", node.x(0), node.x(1), node.x(2), axis=axis)
    node.reject_unless(reduction == "add", Why.ATTRIBUTE, f"reduction {reduction}")
    return _scatter_add(node, node.axis(axis, node.rank(node.x())))


def _scatter_add(node: OnnxNode, axis: int) -> Value:
    """Elements as whole coordinates: the coordinates of the other axes are the position of the index."""
    x, indices, updates = node.x(0), node.x(1), node.x(2)
    shape = node.shape(indices)
    node.check_table(len(shape), *shape)
    grid = np.indices(shape).astype(node.dtype(indices))
    parts = [node.constant(np.ascontiguousarray(g[..., None]), f"at_{a}") for a, g in enumerate(grid)]
    parts[axis] = node.unsqueeze(indices, [len(shape)])
    places = parts[0] if len(parts) == 1 else node.emit("Concat", *parts, axis=len(shape))
    return node.emit("TensorScatterAdd", x, places, updates)


_SCATTER_ND = {"none": "ScatterNdUpdate", "add": "TensorScatterAdd"}


def _scatter_nd(node: OnnxNode) -> Value:
    reduction = node.get("reduction", "none")
    node.reject_unless(reduction in _SCATTER_ND, Why.ATTRIBUTE, f"reduction {reduction}")
    return node.emit(_SCATTER_ND[reduction], node.x(0), node.x(1), node.x(2))


def _tensor_scatter(node: OnnxNode) -> Value:
    """Writes ``update`` into a cache along an axis, for each of a batch from its own place on."""
    cache, update = node.x(0), node.x(1)
    shape, part = node.shape(cache), node.shape(update)
    axis = node.axis(node.get("axis", -2), len(shape))
    node.reject_unless(axis > 0, Why.ATTRIBUTE, "axis must not be the batch's")
    node.check_table(part[axis])
    node.check_table(part[0])
    steps = np.arange(part[axis], dtype=np.int64)
    start = node.optional(2)
    first = node.longs([0] * part[0]) if start is None else node.cast(start, "int64")
    places = node.emit("AddFusion", node.unsqueeze(first, [1]), node.constant(steps[None], "steps"))
    if node.get("mode", "linear") == "circular":
        places = node.emit("FloorMod", places, node.scalar(shape[axis], places))
    column = node.reshape(places, [part[0], *(part[a] if a == axis else 1 for a in range(1, len(part)))])
    indices = node.emit("BroadcastTo", column, node.ints(part))
    return node.emit("ScatterElements", cache, indices, update, axis=axis)


def _one_hot(node: OnnxNode) -> Value:
    indices = node.x(0)
    if node.dtype(indices).kind not in "iu" or node.dtype(indices) == np.uint64:
        indices = node.cast(indices, "int64")
    return node.emit("OneHot", indices, node.x(1), node.x(2), axis=node.get("axis", -1))


def _eye_like(node: OnnxNode) -> Value:
    """A matrix whose row i is the one-hot vector of i + k, all zeros where i + k is no column."""
    rows, columns = node.shape(node.x())
    dtype = numpy_type(node.get("dtype", 0)) if "dtype" in node.attributes else node.dtype(node.x())
    first = node.get("k", 0)
    node.check_table(rows)
    places = node.ints([i if i >= 0 else columns for i in range(first, first + rows)])
    on, off = (node.builder.small_constant(np.full(1, n, dtype)) for n in (1, 0))
    return node.emit("OneHot", places, node.ints([columns]), on, off, axis=-1)


def _compress(node: OnnxNode) -> Value:
    x, axis = node.x(), node.get("axis", None)
    kept = node.reshape(node.emit("NonZero", node.x(1)), [-1])
    data = node.reshape(x, [-1]) if axis is None else x
    return node.emit("Gather", data, kept, node.axis_operand(0 if axis is None else axis))


def _cum_sum(node: OnnxNode) -> Value:
    flags = {"exclusive": bool(node.get("exclusive", 0)), "reverse": bool(node.get("reverse", 0))}
    return node.emit("CumSum", node.x(0), node.x(1), **flags)


MAX_PRODUCTS = 2048
"""Longest dimension of a CumProd, which takes the square of it."""


def _cum_prod(node: OnnxNode) -> Value:
    """Products of the elements up to each place: those after it are replaced by 1. It takes the square of the size."""
    x = node.x()
    only = node.rank(x) == 1
    axis = 0 if only else node.axis(int(node.constant_input(1, "axis").reshape(())), node.rank(x))
    size = node.dims(x)[axis]
    fits = 0 <= size <= MAX_PRODUCTS
    node.reject_unless(fits, Why.SHAPE, f"dimension {axis} must be known and at most {MAX_PRODUCTS}, found {size}")
    counted = np.tri(size, size, -1 if node.get("exclusive", 0) else 0, dtype=np.bool_)
    counted = counted.T if node.get("reverse", 0) else counted
    after = node.rank(x) - axis - 1
    mask = node.constant(np.ascontiguousarray(counted).reshape(size, size, *([1] * after)), "counted")
    factors = node.emit("Where", mask, node.unsqueeze(x, [axis]), node.scalar(1, x))
    return node.emit("ReduceFusion", factors, node.ints([axis + 1]), mode="ReduceProd", keep_dims=False)


CONVERTERS: dict[str, Converter] = {
    "Compress": _compress,
    "CumProd": _cum_prod,
    "CumSum": _cum_sum,
    "EyeLike": _eye_like,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
}
