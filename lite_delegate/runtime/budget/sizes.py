"""Sizes of arrays that need not exist, from their shapes alone."""

from __future__ import annotations

from math import prod

from lite_delegate_kernels import ArraySpec

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def nbytes_of(spec: ArraySpec) -> int | None:
    """The bytes of an array, whatever their number; None where a dimension is not known."""
    if spec.shape is None or not spec.known:
        return None
    return prod(spec.shape) * spec.dtype.itemsize


def shown_bytes(count: int) -> str:
    """A number of bytes for people: "12.0 GiB"."""
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{count} bytes" if unit == 0 else f"{size:,.1f} {_UNITS[unit]}"
