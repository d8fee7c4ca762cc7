"""Sliding windows over the last two axes, shared by convolution and pooling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....basics.data_class import dataclass
from ....tensors.tensor import Array

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """The places of a window. The padding below and right of the input follows from the output's size.

    Attributes:
        size: taps (vertical, horizontal).
        strides: steps between windows.
        dilations: steps between taps.
        before: padding (above, left of) the input.
        output: number of windows.
    """

    size: Pair
    strides: Pair
    dilations: Pair
    before: Pair
    output: Pair

    @property
    def extent(self) -> Pair:
        """Rows and columns that the windows cover, padding included."""
        parts = zip(self.output, self.strides, self.size, self.dilations, strict=True)
        vertical, horizontal = [(out - 1) * stride + (size - 1) * tap + 1 for out, stride, size, tap in parts]
        return vertical, horizontal

    def padded(self, x: Array, fill: float) -> Array:
        """``x`` (N, C, H, W) cut or filled to (N, C, *extent)."""
        height, width = self.extent
        top, left = self.before
        if (top, left) == (0, 0) and x.shape[2] >= height and x.shape[3] >= width:
            return x[:, :, :height, :width]
        inside = x[:, :, : max(height - top, 0), : max(width - left, 0)]
        padded = np.full((*x.shape[:2], height, width), fill, dtype=x.dtype)
        padded[:, :, top : top + inside.shape[2], left : left + inside.shape[3]] = inside
        return padded

    def taps(self, padded: Array, rows: slice = slice(None)) -> Iterator[Array]:
        """For each tap, row by row, its element of every window in ``rows``: a view (N, C, rows, output width)."""
        (kernel_h, kernel_w), (stride_h, stride_w), (step_h, step_w) = self.size, self.strides, self.dilations
        start, stop, _ = rows.indices(self.output[0])
        for i in range(kernel_h):
            top = i * step_h + start * stride_h
            bottom = i * step_h + (stop - 1) * stride_h + 1
            for j in range(kernel_w):
                right = j * step_w + (self.output[1] - 1) * stride_w + 1
                yield padded[:, :, top:bottom:stride_h, j * step_w : right : stride_w]

    def counts(self, height: int, width: int) -> Array:
        """The number of taps of each window that lie on the input: int64 (output height, output width)."""
        vertical, horizontal = (_valid_taps(self, axis, size) for axis, size in ((0, height), (1, width)))
        return np.outer(vertical, horizontal)

    def misses(self, height: int, width: int) -> bool:
        """Whether a window has no tap on the input. Windows that begin on it need not be gone through."""
        return any(_misses(self, axis, size) for axis, size in ((0, height), (1, width)))


def _misses(window: Window, axis: int, size: int) -> bool:
    before, stride, last_tap = (
        window.before[axis],
        window.strides[axis],
        (window.size[axis] - 1) * window.dilations[axis],
    )
    if window.output[axis] and ((window.output[axis] - 1) * stride - before >= size or before > last_tap):
        return True
    first = min(window.output[axis], -(-before // stride))  # windows that begin before the input
    return first > 0 and not _valid_taps(replace(window, output=(first, first)), axis, size).all()


def _valid_taps(window: Window, axis: int, size: int) -> Array:
    starts = np.arange(window.output[axis]) * window.strides[axis] - window.before[axis]
    taps = starts[:, None] + np.arange(window.size[axis]) * window.dilations[axis]
    return np.asarray(((taps >= 0) & (taps < size)).sum(axis=1))
