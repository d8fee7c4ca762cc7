"""Arrays as a device has them that stores floating-point tensors in a coarser type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels.custom.narrow import bfloat16

from ..ir import DataType, to_numpy
from .precision import precision_of

BITS = 18
"""Significant bits that a device has at most, however fine its type: ``tolerance.ROUNDINGS`` roundings to so many,
0.8e-5, are about ``tolerance.RTOL``, which covers sums that are added up in another order."""


def is_coarse(dtype: DataType | np.dtype[Any]) -> bool:
    """Whether numbers in a type have fewer digits than ``BITS``: float16 and bfloat16 have, float32 does not."""
    return precision_of(dtype).digits < BITS


def as_stored(x: Array, storage: DataType) -> Array:
    """An array of floats as a device with that storage type sees it, in its own type; any other as it is."""
    if x.dtype.kind != "f":
        return x
    with np.errstate(over="ignore"):
        rounded = bfloat16(x) if storage == DataType.BFLOAT16 else x.astype(to_numpy(storage))
        return np.asarray(rounded.astype(x.dtype))


def coarse(x: Array, storage: DataType | None) -> Array:
    """Floats rounded to the type in which the device stores them, to ``BITS`` bits at most; others as they are."""
    if x.dtype.kind != "f":
        return x
    if is_coarse(x.dtype if storage is None else storage):
        return x if storage is None else as_stored(x, storage)
    mantissa, exponent = np.frexp(x)
    return np.asarray(np.ldexp(np.rint(mantissa * 2.0**BITS) / 2.0**BITS, exponent), dtype=x.dtype)


def rounding(function: Callable[..., Any], storage: DataType | None) -> Callable[..., Any]:
    """A reference kernel's function on a device that rounds floats, what it reads and what it gives, see ``coarse``."""

    def rounded(*arrays: Any) -> Any:
        result = function(*[_coarse(x, storage) for x in arrays])
        return tuple(_coarse(x, storage) for x in result) if type(result) is tuple else _coarse(result, storage)

    return rounded


def _coarse(x: Any, storage: DataType | None) -> Any:
    return coarse(np.asanyarray(x), storage) if isinstance(x, (np.ndarray, np.generic)) else x
