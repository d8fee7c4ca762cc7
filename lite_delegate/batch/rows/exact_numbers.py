"""Numbers in another element type, and which of them lose nothing there."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array


def in_type(values: Array, wanted: np.dtype[Any]) -> tuple[Array, Array]:
    """Numbers in another element type.

    Args:
        values: of bool, integers or real numbers, ``(N, ...)``.
        wanted: such a type.

    Returns:
        The numbers, and ``(N,)`` of bool: whether each row is the same in the wanted type.
    """
    with np.errstate(all="ignore"):
        made = values.astype(wanted)
        is_same = _within(values, wanted)
        is_same &= (made.astype(values.dtype) == values) | ((values != values) & (made != made))
        if wanted.kind == "f" and values.dtype.kind in "iu":
            is_same &= np.isfinite(made) & (made < 2.0 ** (8 * values.dtype.itemsize - (values.dtype.kind == "i")))
    return made, is_same.reshape(len(values), -1).all(axis=1)


def _within(values: Array, wanted: np.dtype[Any]) -> Any:
    """Whether each number is in the range of a type of integers: numbers beyond it wrap, and wrap back."""
    if wanted.kind == "b":
        return (values == 0) | (values == 1)
    if wanted.kind not in "iu" or values.dtype.kind == "b":
        return np.ones(values.shape, np.bool_)
    limits = np.iinfo(wanted)
    if values.dtype.kind == "f":
        above = values >= float(limits.min)
        return np.isfinite(values) & above & (values < float(limits.max // 2 + 1) * 2)
    own = np.iinfo(values.dtype)
    return (values >= max(limits.min, own.min)) & (values <= min(limits.max, own.max))
