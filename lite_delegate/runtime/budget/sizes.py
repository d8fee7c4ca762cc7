"""Sizes of arrays that need not exist, from their shapes alone."""

from __future__ import annotations

import sys
from math import prod

from lite_delegate_kernels import ArraySpec

from ...basics.counted import counted
from ...errors import LimitError

MOST_BYTES = sys.maxsize
"""Bytes of the largest array that numpy can describe, whether it is there or not. One without elements counts as if its
dimensions of 0 were 1: numpy takes the product of the others."""
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def nbytes_of(spec: ArraySpec) -> int | None:
    """The bytes of an array, whatever their number; None where a dimension is not known."""
    if spec.shape is None or not spec.known:
        return None
    return prod(spec.shape) * spec.dtype.itemsize


def check_describable(what: str, spec: ArraySpec) -> None:
    """Checks that an array of these dimensions can exist, as far as the dimensions are known.

    The dimensions of checked shapes can be multiplied: the product of one shape, or of two, is a number that float64
    holds, and the arrays can be described without being made.

    Args:
        what: the owner of the array, for the message.
        spec: the spec of the array.

    Raises:
        LimitError: the array would have more bytes than an address can name.
    """
    nbytes = prod([max(1, dim) for dim in spec.shape or ()]) * spec.dtype.itemsize
    if nbytes > MOST_BYTES:
        raise LimitError(
            f"{what} would have the shape {list(spec.shape or ())} of {spec.dtype.name}, and no array can be so large."
        )


def shown_bytes(count: int) -> str:
    """A number of bytes for people: "12.0 GiB"."""
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return counted(count, "byte") if unit == 0 else f"{size:,.1f} {_UNITS[unit]}"
