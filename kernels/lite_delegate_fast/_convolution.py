"""The sums of a convolution, block by block: products of rows or of window columns with a matrix, or taps of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._window import SlidingWindow, conv_windows, pad_spatial, window_view

from ._depthwise import DepthwiseSums
from ._row_blocks import Finish, MatrixProduct, finish_rows, multiply_rows

COLUMN_BYTES = 1 << 20
"""Largest matrix of window columns laid out at once: about a core's second-level cache."""


class Sums(Protocol):
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
        self._last: tuple[tuple[int, ...], tuple[int, int], Sums] | None = None

    def __call__(self, x: Array, dtype: np.dtype[Any], finish: Finish) -> Array:
        """The results ``(N, Hout, Wout, Cout)`` of that dtype for images ``(N, H, W, Cin)`` of any dtype."""
        last = self._last
        if last is None or last[0] != x.shape[1:]:
            h, w = self._windows(x.shape[1:3])
            last = self._last = (x.shape[1:], (h.out, w.out), self._sums(h, w, x.shape[3]))
        results = np.empty((x.shape[0], *last[1], self._weight.shape[0]), dtype)
        last[2].into(x, results, finish)
        return results

    def _sums(self, h: SlidingWindow, w: SlidingWindow, channels: int) -> Sums:
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
        """As ``Sums``."""
        rows = np.ascontiguousarray(x).reshape(-1, self._product.terms)
        multiply_rows(rows, self._product, results.reshape(-1, self._product.channels), finish)


class ColumnSums:
    """The sums of window columns ``(positions, Kh * Kw * Cin / group)``, laid out in blocks; a product per group."""

    def __init__(self, product: MatrixProduct, h: SlidingWindow, w: SlidingWindow, groups: int, fill: float) -> None:
        self._product, self._h, self._w, self._groups, self._fill = product, h, w, groups, fill

    def into(self, x: Array, results: Array, finish: Finish) -> None:
        """As ``Sums``."""
        h, w, product, groups = self._h, self._w, self._product, self._groups
        view = window_view(pad_spatial(x, h, w, self._fill), h, w)
        view = np.moveaxis(view.reshape(*view.shape[:5], groups, x.shape[3] // groups), 5, 0)
        column_dtype = product.matrix.dtype
        columns = sums = np.empty(0, column_dtype)
        cout, is_apart = results.shape[3], results.dtype != product.dtype
        for part in blocks(x.shape[0], h.out, w.out * product.terms * groups * column_dtype.itemsize):
            windows = view[:, *part]
            if columns.size < windows.size:
                columns = np.empty(windows.size, column_dtype)
            laid_out = columns[: windows.size].reshape(windows.shape)
            np.copyto(laid_out, windows, casting="unsafe")
            target = results[part].reshape(-1, cout)
            if is_apart and sums.size < target.size:
                sums = np.empty(target.size, product.dtype)
            added = sums[: target.size].reshape(target.shape) if is_apart else target
            by_group = added.reshape(-1, groups, cout // groups).transpose(1, 0, 2)
            rows = laid_out.reshape(groups, len(target), product.terms)
            product.into(rows, by_group) if groups > 1 else product.into(rows[0], added)
            finish_rows(added, target, finish)


def blocks(batch: int, rows: int, row_bytes: int) -> Iterator[tuple[slice, slice]]:
    """(images, output rows) in steps of at most ``COLUMN_BYTES``: whole images, or rows of one image."""
    fitting = COLUMN_BYTES // max(1, row_bytes)
    images, step = max(1, fitting // max(1, rows)), max(1, min(fitting, rows))
    for n in range(0, batch, images):
        for r in range(0, rows, step):
            yield slice(n, n + images), slice(r, r + step)
