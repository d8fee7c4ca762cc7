"""The sums of a convolution, block by block: products of rows or of window columns with a matrix, or taps of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import prod
from typing import Any, Protocol

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._window import SlidingWindow, conv_windows, pad_spatial

from ._depthwise import DepthwiseSums
from ._row_blocks import Finish, MatrixProduct, finish_rows, multiply_rows

COLUMN_BYTES = 1 << 20
"""Largest matrix of window columns laid out at once: about a core's second-level cache."""
THIN = 24
"""Elements of a column next to each other, below which a copy of whole rows of positions is quicker."""


class ImageSums(Protocol):
    """What adds up the products for images of one size."""

    def into(self, x: Array, results: Array, finish: Finish) -> None:
        """Writes the results ``(N, Hout, Wout, Cout)`` of images ``(N, H, W, Cin)``."""


class Convolution:
    """A convolution whose weight is laid out once. Safe for several threads.

    Args:
        weight: ``(Cout, Kh, Kw, Cin / group)``, of the dtype in which products are summed up.
        stride, dilation, pad_mode, pad_list, group: as the attributes of the operator.
        fill: what images have around them.
        parts: ranges of terms, see ``MatrixProduct``.
    """

    def __init__(
        self,
        weight: Array,
        *,
        stride: Sequence[int] | None = None,
        dilation: Sequence[int] | None = None,
        pad_mode: str = "PAD",
        pad_list: Sequence[int] | None = None,
        group: int = 0,
        fill: float = 0,
        parts: Sequence[slice] = (),
        **without_effect: Any,
    ) -> None:
        self._windows = partial(
            conv_windows,
            kernels=weight.shape[1:3],
            stride=stride,
            dilation=dilation,
            pad_mode=pad_mode,
            pad_list=pad_list,
        )
        self._weight, self._groups, self._fill = weight, group or weight.shape[0], fill
        self._is_depthwise = is_depthwise(weight.shape, group)
        groups, cout = (1 if self._is_depthwise else self._groups), weight.shape[0]
        matrices = weight.reshape(groups, cout // groups, -1).transpose(0, 2, 1)
        self._product = MatrixProduct(matrices[0] if groups == 1 else matrices, parts)
        self._last: tuple[tuple[int, ...], tuple[int, int], ImageSums] | None = None

    def __call__(self, x: Array, dtype: np.dtype[Any], finish: Finish) -> Array:
        """The results ``(N, Hout, Wout, Cout)`` of that dtype for images ``(N, H, W, Cin)`` of any dtype."""
        last = self._last
        if last is None or last[0] != x.shape[1:]:
            h, w = self._windows(x.shape[1:3])
            last = self._last = (x.shape[1:], (h.out, w.out), self._sums(h, w, x.shape[3]))
        results = np.empty((x.shape[0], *last[1], self._weight.shape[0]), dtype)
        last[2].into(x, results, finish)
        return results

    def _sums(self, h: SlidingWindow, w: SlidingWindow, channels: int) -> ImageSums:
        if self._is_depthwise:
            taps = np.ascontiguousarray(self._weight[..., 0].transpose(1, 2, 0))
            return DepthwiseSums(taps, h, w, self._weight.shape[0] // channels, self._fill)
        if self._groups == 1 and all(a.kernel == a.stride == 1 and a.before == 0 and a.out == a.size for a in (h, w)):
            return PointSums(self._product)
        return ColumnSums(self._product, h, w, self._groups, self._fill)


def is_depthwise(shape: Sequence[int], group: int) -> bool:
    """Whether each channel has a kernel of its own, of a weight ``(Cout, Kh, Kw, Cin / group)``."""
    return (group or shape[0]) > 1 and shape[3] == 1


class PointSums:
    """The sums of kernels of one point."""

    def __init__(self, product: MatrixProduct) -> None:
        self._product = product

    def into(self, x: Array, results: Array, finish: Finish) -> None:
        """As ``ImageSums``."""
        count = prod(x.shape[:3])
        rows = np.ascontiguousarray(x).reshape(count, self._product.terms)
        multiply_rows(rows, self._product, results.reshape(count, self._product.channels), finish)


class ColumnSums:
    """The sums of window columns ``(positions, Kh * Kw * Cin / group)``, laid out in blocks; a product per group.

    Columns of few elements next to each other are laid out as rows of all positions.
    """

    def __init__(self, product: MatrixProduct, h: SlidingWindow, w: SlidingWindow, groups: int, fill: float) -> None:
        self._product, self._h, self._w, self._groups, self._fill = product, h, w, groups, fill
        self._is_padded = not (h.before == w.before == 0 and h.span <= h.size and w.span <= w.size)
        self._by_position = groups == 1 and product.terms // h.kernel < THIN

    def into(self, x: Array, results: Array, finish: Finish) -> None:
        """As ``ImageSums``."""
        h, w, product, cout = self._h, self._w, self._product, results.shape[3]
        windows = self._windows(x)
        column_bytes = w.out * product.terms * self._groups * product.matrix.dtype.itemsize
        for images, rows in blocks(x.shape[0], h.out, column_bytes):
            target = results[images, rows].reshape(-1, cout)
            sums = target if results.dtype == product.dtype else np.empty(target.shape, product.dtype)
            part = windows[..., images, rows, :] if self._by_position else windows[:, images, rows]
            columns = self._laid_out(part, len(target))
            by_group = sums.reshape(-1, self._groups, cout // self._groups).transpose(1, 0, 2)
            product.into(columns, sums if self._groups == 1 else by_group)
            finish_rows(sums, target, finish)

    def _windows(self, x: Array) -> Array:
        """Every window, with the dimensions in the order of columns: a view ``(..., N, Hout, Wout)`` by position, or
        ``(groups, N, Hout, Wout, Kh, Kw, Cin / group)``.
        """
        h, w, groups = self._h, self._w, self._groups
        given = x.astype(self._product.matrix.dtype, copy=False) if self._by_position else x
        data = pad_spatial(given, h, w, self._fill) if self._is_padded else np.ascontiguousarray(given)
        n, row, column, channel = data.strides
        channels = data.shape[3] // groups
        positions = ((x.shape[0], n), (h.out, row * h.stride), (w.out, column * w.stride))
        taps = ((h.kernel, row * h.dilation), (w.kernel, column * w.dilation), (channels, channel))
        by_group = ((groups, channels * channel),)
        order = (*taps, *positions) if self._by_position else (*by_group, *positions, *taps)
        return np.ndarray([size for size, _ in order], data.dtype, data, strides=[step for _, step in order])

    def _laid_out(self, windows: Array, count: int) -> Array:
        """A copy of windows as columns ``(count, terms)``, of each group where there are several."""
        columns = np.empty(windows.shape, self._product.matrix.dtype)
        np.copyto(columns, windows, casting="unsafe")
        if self._by_position:
            return columns.reshape(-1, count).T
        shape = (count, self._product.terms)
        return columns.reshape(shape if self._groups == 1 else (self._groups, *shape))


def blocks(batch: int, rows: int, row_bytes: int) -> Iterator[tuple[slice, slice]]:
    """(images, output rows) in steps of at most ``COLUMN_BYTES``: whole images, or rows of one image."""
    fitting = COLUMN_BYTES // max(1, row_bytes)
    images, step = max(1, fitting // max(1, rows)), max(1, min(fitting, rows))
    for n in range(0, batch, images):
        for r in range(0, rows, step):
            yield slice(n, n + images), slice(r, r + step)
