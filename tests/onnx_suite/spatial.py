"""Layouts and paddings of ONNX's windowed operators, in the terms of ours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import Array

from .node import OnnxNode, Why

Pairs = list[tuple[int, int]]


def to_nhwc(x: Array) -> Array:
    """(N, C, H, W) as (N, H, W, C), contiguous; (N, C, L) as one row, (N, 1, L, C)."""
    return np.ascontiguousarray(np.moveaxis(x if x.ndim == 4 else x[:, :, None], 1, 3))


def from_nhwc(y: Array, rank: int) -> Array:
    """The way back: (N, C, H, W), or (N, C, L) for rank 3."""
    moved = np.moveaxis(y, 3, 1)
    return moved if rank == 4 else moved[:, :, 0]


def check_two_spatial_axes(node: OnnxNode) -> None:
    """Raises Refused for volumes: our windows have rows and columns, and one axis counts as one row of columns."""
    node.refuse_unless(node.x().ndim in (3, 4), Why.RANK, f"{node.x().ndim - 2} spatial axes")


def two(values: Sequence[int], filler: int) -> list[int]:
    """[h, w] of values per spatial axis; a single axis is the columns, beside ``filler`` for the row."""
    return list(values) if len(values) == 2 else [filler, *values]


def explicit_pads(node: OnnxNode) -> Pairs:
    """(before, after) per spatial axis [h, w] of the attribute ``pads``."""
    pads = node.get("pads", [0] * 2 * (node.x().ndim - 2))
    half = len(pads) // 2
    pairs = list(zip(pads[:half], pads[half:], strict=True))
    return pairs if half == 2 else [(0, 0), *pairs]


def window_pads(node: OnnxNode, sizes: Sequence[int], extents: Sequence[int], strides: Sequence[int]) -> Pairs:
    """(before, after) per axis under ``auto_pad``, where a window reaches over ``extents`` elements."""
    mode = node.get("auto_pad", "NOTSET")
    if mode == "NOTSET":
        return explicit_pads(node)
    if mode == "VALID":
        return [(0, 0), (0, 0)]
    totals = [
        max(0, (-(-size // stride) - 1) * stride + extent - size)
        for size, extent, stride in zip(sizes, extents, strides, strict=True)
    ]
    smaller = [(t // 2, t - t // 2) for t in totals]
    return smaller if mode == "SAME_UPPER" else [(b, a) for a, b in smaller]


def flat(pairs: Pairs) -> list[int]:
    """[up, down, left, right]."""
    return [p for pair in pairs for p in pair]
