"""Operators that move elements: shapes, joins, orders, copies."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....semantics.operands import normalized
from ..node import DirectNode
from ..table import Direct


def reshape(node: DirectNode) -> None:
    """RESHAPE to the result's dimensions; SQUEEZE where no dimension stays."""
    x, shape = node.x(), node.shape
    if not shape:
        node.wanted(x.rank > 0, RejectCode.SHAPE, "a dimension that goes")
        node.move("SQUEEZE", [x], "SqueezeOptions", squeeze_dims=np.arange(x.rank, dtype=np.int32))
        return
    node.move("RESHAPE", [x, node.builtins.ints(shape)], "ReshapeOptions", new_shape=np.array(shape, np.int32))


def squeeze(node: DirectNode) -> None:
    """SQUEEZE."""
    x = node.x()
    gone = sorted(normalized(axis, x.rank) for axis in node.attribute("axis") or ())
    gone = gone or [axis for axis, dim in enumerate(x.shape) if dim == 1]
    if not gone or node.shape != tuple(dim for axis, dim in enumerate(x.shape) if axis not in gone) or x.rank > 8:
        reshape(node)
        return
    node.move("SQUEEZE", [x], "SqueezeOptions", squeeze_dims=np.array(gone, np.int32))


def expand_dims(node: DirectNode) -> None:
    """EXPAND_DIMS along one constant axis."""
    (axis,) = node.ints(1, "the axis")
    node.move("EXPAND_DIMS", [node.x(), node.builtins.constant(np.array(axis, np.int32))], "ExpandDimsOptions")


def transpose(node: DirectNode) -> None:
    """TRANSPOSE by a constant order."""
    x, order = node.x(), node.ints(1, "the order")
    plain = sorted(axis % max(x.rank, 1) for axis in order) == list(range(x.rank)) and x.rank > 0
    node.wanted(plain and x.rank <= 6, RejectCode.ATTRIBUTE, "an order of all axes", f"{order}")
    node.move("TRANSPOSE", [x, node.builtins.ints([axis % x.rank for axis in order])], "TransposeOptions")


def concat(node: DirectNode) -> None:
    """CONCATENATION."""
    node.one_meaning()
    xs = node.xs()
    axis = normalized(node.attribute("axis"), xs[0].rank)
    node.write("CONCATENATION", xs, "ConcatenationOptions", axis=axis)


def stack(node: DirectNode) -> None:
    """PACK."""
    node.one_meaning()
    xs = node.xs()
    axis = normalized(node.attribute("axis"), xs[0].rank + 1)
    node.write("PACK", xs, "PackOptions", axis=axis, values_count=len(xs))


def tile(node: DirectNode) -> None:
    """TILE by constant multiples."""
    x, times = node.x(), node.ints(1, "multiples")
    axes = node.attribute("dims") or range(len(times))
    repeats = [1] * x.rank
    for axis, count in zip(axes, times, strict=True):
        repeats[normalized(axis, x.rank)] = count
    node.move("TILE", [x, node.builtins.ints(repeats)], "TileOptions")


def broadcast_to(node: DirectNode) -> None:
    """BROADCAST_TO the result's dimensions."""
    node.wanted(0 < len(node.shape) <= 8, RejectCode.RANK, "1 to 8 dimensions")
    node.move("BROADCAST_TO", [node.x(), node.builtins.ints(node.shape)], "BroadcastToOptions")


def depend(node: DirectNode) -> None:
    """No operator: the first operand."""
    node.give(node.x())


WRITERS: dict[str, Direct] = {
    "Reshape": reshape,
    "Flatten": reshape,
    "Unsqueeze": reshape,
    "Squeeze": squeeze,
    "ExpandDims": expand_dims,
    "Transpose": transpose,
    "Concat": concat,
    "Stack": stack,
    "TileFusion": tile,
    "BroadcastTo": broadcast_to,
    "Depend": depend,
}
"""Writers of this file by our names of operators."""
