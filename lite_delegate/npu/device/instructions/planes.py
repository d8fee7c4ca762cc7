"""Sliding windows for the simulator's speed: blocks of planes that fit the caches, taps as contiguous stretches.

A plane is one channel of one image. It is copied once, padded, and cut into one plane for each remainder of the
strides; in such a plane the element that a tap has in each window lies in a row as wide as the plane. So a tap of all
windows is one stretch of memory, a few elements of which, at the ends of the rows, belong to no window.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from ....delegate import cancel_point
from ..programs.instruction import Array
from ..programs.window import Window
from .functions import Fused, apply_fused

BLOCK_ELEMENTS = 2**16
"""Of the padded planes that are worked on together, unless one plane has more."""

Combine = Callable[[slice, Iterator[Array]], Array]
"""From a block of planes and its taps, each (planes, windows), to a new array (planes, windows)."""


def over_planes(x: Array, window: Window, fill: float, combine: Combine) -> Array:
    """The result of ``combine`` on each window of x (N, C, H, W), padded with ``fill``: (N, C, *window.output).

    The taps come row by row; the arrays are reused from one tap to the next call of ``combine`` on.

    Raises:
        RequestCancelled: the run was cancelled; that is looked at before each block.
    """
    planes, (rows, columns) = x.reshape(math.prod(x.shape[:2]), *x.shape[2:]), window.output
    out = np.empty((len(planes), rows, columns), np.float32)
    step = max(1, BLOCK_ELEMENTS // math.prod(window.extent))
    for start in range(0, len(planes), step):
        cancel_point()
        block = slice(start, min(start + step, len(planes)))
        made = combine(block, _taps(window, planes[block], fill))
        out[block] = made.reshape(made.shape[0], rows, -1)[:, :, :columns]
    return out.reshape(*x.shape[:2], rows, columns)


def finish(sums: Array, addends: Array | None, fused: Fused) -> None:
    """Adds a number to each plane of sums (planes, elements), then applies the fused function; in place."""
    step = max(1, BLOCK_ELEMENTS // max(1, sums.shape[1]))
    for start in range(0, len(sums), step):
        block = sums[start : start + step]
        if addends is not None:
            block += addends[start : start + step, None]
        apply_fused(fused, block)


def _taps(window: Window, planes: Array, fill: float) -> Iterator[Array]:
    """For each tap, row by row, its element of every window: (planes, rows * width of a part)."""
    parts: dict[tuple[int, int], Array] = {}
    (stride_h, stride_w), (step_h, step_w) = window.strides, window.dilations
    height, width = (-(-extent // stride) for extent, stride in zip(window.extent, window.strides, strict=True))
    for i in range(0, window.size[0] * step_h, step_h):
        for j in range(0, window.size[1] * step_w, step_w):
            remainder = i % stride_h, j % stride_w
            if remainder not in parts:
                parts[remainder] = _part(window, planes, remainder, (height, width), fill)
            first = i // stride_h * width + j // stride_w
            yield parts[remainder][:, first : first + window.output[0] * width]


def _part(window: Window, planes: Array, remainder: tuple[int, int], size: tuple[int, int], fill: float) -> Array:
    """Every stride-th element of the padded planes from ``remainder`` on: (planes, (height + 1) * width).

    The last row is there for the stretches that end behind the last window.
    """
    (height, width), strides = size, window.strides
    part = np.full((len(planes), height + 1, width), fill, np.float32)
    starts = [left - before for left, before in zip(remainder, window.before, strict=True)]
    skipped = [max(0, -(start // stride)) for start, stride in zip(starts, strides, strict=True)]
    rows, columns = (
        slice(start + skip * stride, max(0, start + count * stride), stride)
        for start, skip, stride, count in zip(starts, skipped, strides, size, strict=True)
    )
    inside = planes[:, rows, columns]
    part[:, skipped[0] : skipped[0] + inside.shape[1], skipped[1] : skipped[1] + inside.shape[2]] = inside
    return part.reshape(len(planes), -1)
