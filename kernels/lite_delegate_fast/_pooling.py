"""Shared by the two poolings: windows reduced by tap, rows before columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._pooling import pool_windows
from lite_delegate_kernels._window import SlidingWindow


def windows_of(x: Array, **attributes: Any) -> tuple[SlidingWindow, SlidingWindow]:
    """The windows along rows and columns of ``x`` (N, H, W, ...), from the attributes of a pooling."""
    return pool_windows(
        x.shape[1:3],
        attributes.get("kernel_size"),
        attributes.get("strides"),
        attributes.get("pad"),
        attributes.get("pad_mode", "PAD"),
        attributes.get("round_mode", "FLOOR"),
        attributes.get("global_", False),
    )


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
