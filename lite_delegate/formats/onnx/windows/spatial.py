"""Layouts and paddings of ONNX's windowed operators, in the terms of the schema."""

from __future__ import annotations

from collections.abc import Sequence

from lite_delegate_kernels import UNKNOWN

from ....basics.counted import counted
from ....ir import Value
from ...rejection import Why
from ..conversion import OnnxNode

IntPairs = list[tuple[int, int]]


def to_nhwc(node: OnnxNode, x: Value) -> Value:
    """(N, C, H, W) as (N, H, W, C); (N, C, L) as one row, (N, 1, L, C)."""
    if node.rank(x) == 3:
        return node.unsqueeze(node.transpose(x, [0, 2, 1]), [1])
    return node.transpose(x, [0, 2, 3, 1])


def from_nhwc(node: OnnxNode, y: Value, rank: int) -> Value:
    """The way back: (N, C, H, W), or (N, C, L) for rank 3."""
    if rank == 3:
        return node.transpose(node.squeeze(y, [1]), [0, 2, 1])
    return node.transpose(y, [0, 3, 1, 2])


def check_two_spatial_axes(node: OnnxNode) -> None:
    """Rejects volumes: our windows have rows and columns, and one axis counts as one row of columns."""
    rank = node.rank(node.x())
    node.reject_unless(rank in (3, 4), Why.RANK, f"1 or 2 spatial axes are supported, found {rank - 2}")


def two(values: Sequence[int], filler: int) -> list[int]:
    """[h, w] of values per spatial axis; a single axis is the columns, beside ``filler`` for the row."""
    return list(values) if len(values) == 2 else [filler, *values]


def per_axis(node: OnnxNode, name: str, default: int) -> list[int]:
    """[h, w] of an attribute with a value per spatial axis."""
    count = node.rank(node.x()) - 2
    values = node.get(name, None) or [default] * count
    node.reject_unless(
        len(values) == count, Why.ATTRIBUTE, f"{name} must have {counted(count, 'value')}, found {values}"
    )
    return two(values, default)


def explicit_pads(node: OnnxNode) -> IntPairs:
    """(before, after) per spatial axis [h, w] of the attribute ``pads``."""
    count = node.rank(node.x()) - 2
    pads = node.get("pads", None) or [0] * 2 * count
    node.reject_unless(
        len(pads) == 2 * count, Why.ATTRIBUTE, f"pads must have {counted(2 * count, 'value')}, found {pads}"
    )
    node.reject_unless(min(pads) >= 0, Why.ATTRIBUTE, f"pads must be >= 0, found {pads}")
    pairs = list(zip(pads[:count], pads[count:], strict=True))
    return pairs if count == 2 else [(0, 0), *pairs]


def window_pads(node: OnnxNode, sizes: Sequence[int], extents: Sequence[int], strides: Sequence[int]) -> IntPairs:
    """(before, after) per axis under ``auto_pad``, where a window reaches over ``extents`` elements."""
    mode = node.get("auto_pad", "NOTSET")
    if mode == "NOTSET":
        return explicit_pads(node)
    if mode == "VALID":
        return [(0, 0), (0, 0)]
    node.reject_unless(UNKNOWN not in sizes, Why.SHAPE, f"auto_pad {mode} needs known image sizes, found {list(sizes)}")
    totals = [
        max(0, (-(-size // stride) - 1) * stride + extent - size)
        for size, extent, stride in zip(sizes, extents, strides, strict=True)
    ]
    smaller = [(t // 2, t - t // 2) for t in totals]
    return smaller if mode == "SAME_UPPER" else [(b, a) for a, b in smaller]


def flat(pairs: IntPairs) -> list[int]:
    """[up, down, left, right]."""
    return [p for pair in pairs for p in pair]
