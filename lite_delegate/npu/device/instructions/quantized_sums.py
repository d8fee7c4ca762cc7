"""Exact sums of products of whole numbers, in floating point.

Products of 8-bit integers are whole numbers. As long as the sum of their sizes stays below 2**24 every partial sum is
exact in float32, in any order; below 2**53 in float64. So the simulator uses the host's floating multipliers, and the
sums equal the sums of integer hardware.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....delegate import cancel_point
from ..programs.instruction import Array
from ..programs.window import Window
from .products import BLOCK_MACS

EXACT_IN_FLOAT32 = 2**24
COLUMN_BYTES = 8 * 2**20
"""Size of the column buffer at most, unless one row of windows needs more."""


def exact_type(x: Array, zero_point: int, weight: Array, terms_axes: tuple[int, ...]) -> np.dtype[Any]:
    """The float type in which ``sum (x - zero_point) * weight`` is exact.

    Args:
        x: 8-bit integers; only the type is looked at.
        weight: whole numbers, centered already.
        terms_axes: of the weight, along which the products are added up.
    """
    limits = np.iinfo(x.dtype)
    largest = max(abs(limits.min - zero_point), abs(limits.max - zero_point))
    sizes = np.abs(weight).sum(axis=terms_axes, dtype=np.float64)
    return np.dtype(np.float32 if largest * float(sizes.max(initial=0.0)) < EXACT_IN_FLOAT32 else np.float64)


def centered(stored: Array, zero_points: tuple[int, ...], axis: int, dtype: np.dtype[Any]) -> Array:
    """Stored integers minus the zero point, or their channel's along ``axis``: whole numbers in a float type."""
    points = np.array(zero_points, dtype)
    if points.size == 1:
        return np.asarray(np.subtract(stored, points[0], dtype=dtype))
    shape = [1] * stored.ndim
    shape[axis] = -1
    return np.asarray(np.subtract(stored, points.reshape(shape), dtype=dtype))


def convolved(padded: Array, weight: Array, window: Window, group: int) -> Array:
    """Sums (N, Cout, *window.output), int64, of padded x (N, Cin, H, W) with weight (Cout, Kh, Kw, Cin/group)."""
    batch, channels_out = padded.shape[0], weight.shape[0]
    matrix = weight.reshape(group, channels_out // group, -1)
    out = np.empty((batch, group, channels_out // group, *window.output), np.int64)
    row_bytes = batch * group * matrix.shape[2] * window.output[1] * padded.itemsize
    macs = batch * weight.size * window.output[1]
    block = max(1, min(COLUMN_BYTES // row_bytes, BLOCK_MACS // macs))
    for start in range(0, window.output[0], block):
        cancel_point()
        rows = slice(start, min(start + block, window.output[0]))
        sums = np.matmul(matrix, _columns(padded, window, group, rows))
        out[:, :, :, rows] = sums.reshape(*sums.shape[:3], -1, window.output[1])
    return out.reshape(batch, channels_out, *window.output)


def _columns(padded: Array, window: Window, group: int, rows: slice) -> Array:
    """(N, group, Kh*Kw*Cin/group, windows): a column per window, in the order of the weight's last three axes."""
    batch, channels = padded.shape[0], padded.shape[1] // group
    taps, height = window.size[0] * window.size[1], rows.stop - rows.start
    columns = np.empty((batch, group, taps, channels, height, window.output[1]), padded.dtype)
    for number, tap in enumerate(window.taps(padded, rows)):
        columns[:, :, number] = tap.reshape(batch, group, channels, height, -1)
    return columns.reshape(batch, group, taps * channels, -1)
