"""Tolerances, what is beyond them, and the figures that they are made of."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import STRING_DTYPE, Array

from ..basics.data_class import dataclass
from ..ir import DataType
from .precision import precision_of

RTOL = 1e-5
"""The error that one operator is granted, relative to an expected value: sums may be added up in another order."""
ATOL = 1e-6
"""The same, absolute."""
ROUNDINGS = 4
"""Roundings of the result that are granted: one for each step of an operator that a device computes in several.

Counted against the largest expected value, because the rounding errors of a sum's terms do not cancel with the terms.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Tolerance:
    """The error that is granted for one output: ``|got - want| <= atol + rtol * |want|``.

    NaN is within tolerance of NaN alone, and an infinity of the same infinity alone, whatever the tolerance is: a NaN
    or an infinity in one of the two arrays only is beyond every finite tolerance.

    Attributes:
        rtol: relative to the expected value.
        atol: absolute, a number per element or one for all.
    """

    rtol: float
    atol: Array | float

    def accepts(self, got: Array, want: Array) -> Array:
        """Whether each element of real numbers is within tolerance; ``beyond`` compares integers exactly.

        Args:
            got: an array of real numbers of any shape.
            want: the expected numbers, of the same shape.

        Returns:
            An array of bool of that shape.
        """
        a, b = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            close = np.isfinite(b) & (np.abs(a - b) <= self.atol + self.rtol * np.abs(b))
        return np.asarray(close | (a == b) | (np.isnan(a) & np.isnan(b)))


def chain_tolerance(want: Array, rounded: Array | None, storage: DataType | None) -> Tolerance:
    """The tolerance of floats that several operators made, one after another.

    Relative to each value and to the largest one, the relative tolerance of one operator or its roundings of the stored
    type, whichever is more; and twice the largest difference that rounding every tensor makes.

    Args:
        want: what is expected.
        rounded: the same by the reference kernels with every tensor rounded, see ``rounding``; None: not known.
        storage: the type in which the device stores floats; None for that of what is expected.
    """
    precision = precision_of(want.dtype if storage is None else storage)
    granted = max(RTOL, ROUNDINGS * precision.rounding)
    largest = float(np.abs(want[np.isfinite(want)], dtype=np.float64).max(initial=0.0))
    floor = granted * largest + precision.smallest
    if rounded is None or rounded.shape != want.shape:
        return Tolerance(granted, floor)
    return Tolerance(granted, floor + 2 * float(finite_distance(rounded, want).max(initial=0.0)))


def beyond(tolerance: Tolerance, got: Array, want: Array) -> int:
    """The number of elements that are further away than is granted; of strings, of all bytes where any differ."""
    if want.dtype == STRING_DTYPE:
        return 0 if got.tobytes() == want.tobytes() else max(got.size, want.size)
    if want.dtype.kind in "iu":  # exactly, also where float64 cannot hold the numbers
        distance = (np.maximum(got, want) - np.minimum(got, want)).astype(f"u{want.dtype.itemsize}")
        return int((distance > tolerance.atol + tolerance.rtol * np.abs(want.astype(np.float64))).sum())
    return int((~tolerance.accepts(got, want)).sum())


def finite_distance(a: Array, b: Array) -> Array:
    """The absolute difference in float64, element by element; 0 where it is infinite or not a number."""
    with np.errstate(invalid="ignore"):
        distance = np.abs(a.astype(np.float64) - b.astype(np.float64))
    return np.asarray(np.where(np.isfinite(distance), distance, 0.0))
