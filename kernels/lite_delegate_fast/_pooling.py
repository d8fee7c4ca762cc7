"""Shared by the two poolings: windows reduced by tap, rows before columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._pooling import pool_windows, window_counts
from lite_delegate_kernels._window import SlidingWindow


def windows_of(x: Array, **attributes: Any) -> tuple[SlidingWindow, SlidingWindow]:
    """The windows along rows and columns of ``x`` (N, H, W, ...), from the attributes of a pooling."""
    lists = (attributes.get(name) for name in ("kernel_size", "strides", "pad"))
    return _windows(
        x.shape[1:3],
        *(None if each is None else tuple(each) for each in lists),
        attributes.get("pad_mode", "PAD"),
        attributes.get("round_mode", "FLOOR"),
        attributes.get("global_", False),
    )


_windows = lru_cache(maxsize=256)(pool_windows)


@lru_cache(maxsize=256)
def counts_of(h: SlidingWindow, w: SlidingWindow, dtype: np.dtype[Any]) -> Array:
    """As ``window_counts``, in a dtype."""
    return window_counts(h, w).astype(dtype)


def reduce_windows(padded: Array, h: SlidingWindow, w: SlidingWindow, ufunc: np.ufunc) -> Array:
    """``ufunc`` over every window of ``padded`` (N, h.span, w.span, C): first down the rows, then along the columns.

    Returns:
        (N, h.out, w.out, C), a view of ``padded`` when the windows hold one element each.
    """
    rows = _fold([padded[:, h.tap(i)] for i in range(h.kernel)], ufunc)
    return _fold([rows[:, :, w.tap(j)] for j in range(w.kernel)], ufunc)


def _fold(taps: Sequence[Array], ufunc: np.ufunc) -> Array:
    if len(taps) == 1:
        return taps[0]
    y: Array = ufunc(taps[0], taps[1])
    for tap in taps[2:]:
        ufunc(y, tap, out=y)
    return y
