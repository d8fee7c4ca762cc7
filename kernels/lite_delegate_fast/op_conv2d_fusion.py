"""Conv2DFusion: blocks of window columns through matrix products, depthwise ones by taps of whole rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels._window import SlidingWindow, conv_windows, pad_spatial, window_view
from lite_delegate_kernels.op_conv2d_fusion import KERNEL as REFERENCE
from numpy.lib.stride_tricks import as_strided

from ._fused import finish
from .fast_kernel import fast_form

COLUMN_BYTES = 1 << 20
"""Largest matrix of window columns laid out at once: about a core's second-level cache."""


@np.errstate(over="ignore", invalid="ignore")
def conv2d_fusion(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Sequence[int] | None = None,
    dilation: Sequence[int] | None = None,
    pad_mode: str = "PAD",
    pad_list: Sequence[int] | None = None,
    group: int = 0,
    activation_type: str = "NO_ACTIVATION",
    **without_effect: Any,
) -> Array:
    """As the reference kernel, sums in another order."""
    wide = compute_dtype(x.dtype)
    kernels = weight.astype(wide, copy=False)
    h, w = conv_windows(x.shape[1:3], weight.shape[1:3], stride, dilation, pad_mode, pad_list)
    groups = group or weight.shape[0]
    convolve = _depthwise if groups > 1 and weight.shape[3] == 1 else _grouped
    y = convolve(np.ascontiguousarray(x, dtype=wide), kernels, h, w, groups)
    return finish(y, bias, activation_type, x.dtype)


def _grouped(x: Array, weight: Array, h: SlidingWindow, w: SlidingWindow, groups: int) -> Array:
    """One matrix product per group: window columns (positions, Kh * Kw * Cin / group) times the kernels."""
    batch, cout, terms = x.shape[0], weight.shape[0], weight[0].size
    kernels = weight.reshape(groups, cout // groups, terms).transpose(0, 2, 1)
    if groups == 1 and _is_pointwise(h, w):
        rows: Array = x.reshape(batch * h.out * w.out, terms) @ kernels[0]
        return rows.reshape(batch, h.out, w.out, cout)
    view = window_view(pad_spatial(x, h, w, 0), h, w)
    view = np.moveaxis(view.reshape(*view.shape[:5], groups, weight.shape[3]), 5, 0)
    y = np.empty((batch, h.out, w.out, groups, cout // groups), dtype=x.dtype)
    buffer = np.empty(0, dtype=x.dtype)
    for part in _blocks(batch, h.out, w.out * terms * groups * x.itemsize):
        windows = view[:, *part]
        buffer = buffer if buffer.size >= windows.size else np.empty(windows.size, dtype=x.dtype)
        columns = buffer[: windows.size].reshape(windows.shape)
        columns[...] = windows
        target = y[part].reshape(-1, groups, cout // groups).transpose(1, 0, 2)
        np.matmul(columns.reshape(groups, target.shape[1], terms), kernels, out=target)
    return y.reshape(batch, h.out, w.out, cout)


def _is_pointwise(h: SlidingWindow, w: SlidingWindow) -> bool:
    return all(a.kernel == a.stride == 1 and a.before == 0 and a.out == a.size for a in (h, w))


def _blocks(batch: int, rows: int, row_bytes: int) -> Iterator[tuple[slice, slice]]:
    """(images, output rows) in steps of at most ``COLUMN_BYTES``: whole images, or rows of one image."""
    fitting = COLUMN_BYTES // max(1, row_bytes)
    images, step = max(1, fitting // rows), max(1, min(fitting, rows))
    for n in range(0, batch, images):
        for r in range(0, rows, step):
            yield slice(n, n + images), slice(r, r + step)


def _depthwise(x: Array, weight: Array, h: SlidingWindow, w: SlidingWindow, groups: int) -> Array:
    """Each channel (or each repetition of it) with its own kernel: taps multiplied and added, rows (Wout * C) at once.

    With a stride, taps whose columns agree modulo the stride are taken together from a copy of those columns,
    where the windows lie next to each other.
    """
    channels = weight.shape[0]
    source = x if channels == groups else np.repeat(x, channels // groups, axis=3)
    taps = weight[..., 0].transpose(1, 2, 0)
    common = gcd(w.stride, w.dilation)
    period = w.stride // common
    y: Array | None = None
    for first in range(min(period, w.kernel)):
        phase = taps[:, first::period]
        offset, start = divmod(first * w.dilation, w.stride)
        columns = pad_spatial(source, h, w, 0) if w.stride == 1 else _strided_columns(source, h, w, start)
        part = _row_taps(columns[:, :, offset:], phase, h, w.out, w.dilation // common)
        y = part if y is None else np.add(y, part, out=y)
    assert y is not None
    return y.reshape(x.shape[0], h.out, w.out, channels)


def _strided_columns(x: Array, h: SlidingWindow, w: SlidingWindow, start: int) -> Array:
    """Columns ``start``, ``start + stride``, ... of what ``pad_spatial`` gives, as an array (N, h.span, columns, C)."""
    columns = np.zeros((x.shape[0], h.span, len(range(start, w.span, w.stride)), x.shape[3]), dtype=x.dtype)
    left = max(0, -((start - w.before) // w.stride))
    inside = x[:, :, start - w.before + left * w.stride :: w.stride]
    target = columns[:, h.before : h.before + h.size, left : left + inside.shape[2]]
    target[...] = inside[:, : target.shape[1], : target.shape[2]]
    return columns


def _row_taps(columns: Array, taps: Array, h: SlidingWindow, out: int, step: int) -> Array:
    """Sum over taps (Kh, taps, C) of neighboring windows, ``step`` columns between taps; (N, Hout, out * C)."""
    n, row, column, _ = columns.strides
    kh, kw, channels = taps.shape
    view = as_strided(
        columns,
        (columns.shape[0], h.out, kh, kw, out * channels),
        (n, row * h.stride, row * h.dilation, column * step, columns.itemsize),
        writeable=False,
    )
    kernels = np.broadcast_to(taps[:, :, None, :], (kh, kw, out, channels)).reshape(kh, kw, out * channels)
    total: Array = np.einsum("nhijc,ijc->nhc", view, kernels)
    return total


KERNEL = fast_form(REFERENCE, conv2d_fusion)
