"""Slices that rounds of a loop read, one each."""

from __future__ import annotations

import numpy as np

from ....ir import Value
from ..builder import UNKNOWN
from ..conversion import OnnxNode
from .subgraphs import Inside


def length_along(node: OnnxNode, x: Value, axis: int) -> Value:
    """The size of a dimension, an int64 scalar."""
    size = node.dims(x)[axis]
    if size != UNKNOWN:
        return node.builder.small_constant(np.array(size, np.int64))
    place, first = (node.builder.small_constant(np.array(n, np.int32)) for n in (axis, 0))
    return node.cast(node.emit("Gather", node.emit("Shape", x), place, first), "int64")


def slice_at(inside: Inside, x: Value, number: Value, axis: int, *, backward: bool) -> Value:
    """The slice of ``x``, from outside, for the round ``number``; the last one first when ``backward``."""
    node, taken = inside.node, inside.take(x)
    if backward:
        last = node.emit(
            "SubFusion", length_along(node, taken, axis), node.builder.small_constant(np.array(1, np.int64))
        )
        number = node.emit("SubFusion", last, number)
    return node.emit("Gather", taken, number, node.builder.small_constant(np.array(axis, np.int32)))
