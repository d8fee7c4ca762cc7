"""ONNX's operators on bits, by arithmetic: the ``.ms`` format has none."""

from __future__ import annotations

import numpy as np

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode


def _shift(node: OnnxNode) -> Value:
    """Numbers times, or divided by, a power of 2; what leaves the type is dropped by wrapping around.

    A count outside the type's bits gives what the sign bit's copies make: 0, or -1 for a negative number to the right.
    """
    x, count = node.x(0), node.x(1)
    direction, dtype = node.get("direction", ""), node.dtype(x)
    node.reject_unless(direction in ("LEFT", "RIGHT"), Why.ATTRIBUTE, f"direction {direction}")
    bits = np.iinfo(dtype).bits
    below = node.emit("LessEqual", count, node.scalar(bits - 1, count))
    valid = node.emit("LogicalAnd", below, node.emit("GreaterEqual", count, node.scalar(0, count)))
    steps = node.emit("Where", valid, count, node.scalar(bits - 1, count))
    # In two steps, because 2 to the power of all bits but one does not fit a signed type.
    first = node.emit("FloorDiv", steps, node.scalar(2, steps))
    for part in (first, node.emit("SubFusion", steps, first)):
        power = node.emit("PowFusion", node.scalar(2, part), part)
        x = node.emit("MulFusion" if direction == "LEFT" else "FloorDiv", x, power)
    if direction == "RIGHT" and dtype.kind == "i":
        return x
    return node.emit("Where", valid, x, node.scalar(0, x))


def _not(node: OnnxNode) -> Value:
    """-1 - x, or the largest number less x where there are no negative ones."""
    x = node.x()
    dtype = node.dtype(x)
    return node.emit("SubFusion", node.scalar(-1 if dtype.kind == "i" else np.iinfo(dtype).max, x), x)


def _combined(op_type: str) -> Converter:
    """Both operands bit by bit along a new last dimension, combined, and put together again."""

    def combine(node: OnnxNode) -> Value:
        a, b = node.x(0), node.x(1)
        dtype = node.dtype(a)
        wide = np.dtype(np.int64) if dtype.kind == "i" else np.dtype(np.uint64)
        count = np.iinfo(dtype).bits
        bits = node.emit(op_type, _bits(node, node.cast(a, wide), count), _bits(node, node.cast(b, wide), count))
        powers = np.array([1 << i for i in range(count)], np.uint64).view(wide)
        if dtype.kind == "i":
            powers[-1] = -(1 << (count - 1))
        values = node.emit("MulFusion", node.cast(bits, wide), node.builder.small_constant(powers))
        axis = node.ints([node.rank(values) - 1])
        return node.cast(node.emit("ReduceFusion", values, axis, mode="ReduceSum", keep_dims=False), dtype)

    return combine


def _bits(node: OnnxNode, x: Value, count: int) -> Value:
    """The lowest ``count`` bits, from the lowest on; the highest of a signed number says whether it is negative."""
    dtype = node.dtype(x)
    column = node.unsqueeze(x, [node.rank(x)])
    plain = count if dtype.kind == "u" else count - 1
    powers = node.builder.small_constant(np.array([1 << i for i in range(plain)], dtype))
    bits = node.emit("FloorMod", node.emit("FloorDiv", column, powers), node.scalar(2, x))
    if dtype.kind == "i":
        sign = node.cast(node.emit("Less", column, node.scalar(0, x)), dtype)
        bits = node.emit("Concat", bits, sign, axis=node.rank(bits) - 1)
    return bits


CONVERTERS: dict[str, Converter] = {
    "BitShift": _shift,
    "BitwiseAnd": _combined("MulFusion"),
    "BitwiseNot": _not,
    "BitwiseOr": _combined("Maximum"),
    "BitwiseXor": _combined("SquaredDifference"),
}
