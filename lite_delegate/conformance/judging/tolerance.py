"""The distance that a delegate's outputs may have from the expected ones.

A case's own tolerance is for arithmetic in the tensors' type. A device that stores tensors in a coarser type rounds
the inputs before it computes anything, so it cannot do better than the exact operator on rounded inputs; that
difference is measured with the reference kernel and granted, together with a few roundings of the result.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ir import DataType
from ...numerics.precision import precision_of
from ...numerics.rounding import as_stored
from ...numerics.tolerance import ROUNDINGS, Tolerance, finite_distance
from .case import Array, ConformanceCase


def rounded_inputs(case: ConformanceCase, storage: DataType) -> tuple[Array | None, ...] | None:
    """The case's inputs as a device with that storage type sees them, in their own type.

    None: a number of the case, in or out, is beyond the type's range, so the case says nothing about the device.
    """
    if any(overflows(x, storage) for x in (*case.inputs, *case.outputs) if x is not None):
        return None
    return tuple(None if x is None else as_stored(x, storage) for x in case.inputs)


def tolerance_of(
    case: ConformanceCase, index: int, storage: DataType | None, achievable: Sequence[Array], steps: int = 0
) -> Tolerance:
    """The tolerance of one output.

    Args:
        case: the case.
        index: which output.
        storage: the type the device stores tensors in, None for their own.
        achievable: the reference kernel's outputs for the rounded inputs; empty without a storage type.
        steps: that the device's 8-bit outputs may be off.
    """
    want = case.outputs[index]
    if storage is None or want.dtype.kind != "f":
        return Tolerance(case.rtol, max(case.atol, steps_of(want, steps)))
    precision = precision_of(storage)
    granted = ROUNDINGS * precision.rounding
    finite = np.where(np.isfinite(want), np.abs(want.astype(np.float64)), 0.0)
    floor = max(case.atol, granted * float(finite.max(initial=0.0)), precision.smallest)
    return Tolerance(max(case.rtol, granted), floor + 2 * finite_distance(achievable[index], want))


def steps_of(want: Array, steps: int) -> int:
    """The steps granted to an output of 8-bit integers, 0 for other types."""
    return steps if want.dtype.name in ("int8", "uint8") else 0


def overflows(x: Array, storage: DataType) -> bool:
    """Whether a finite number of the array is beyond a storage type's range."""
    return x.dtype.kind == "f" and bool((np.isfinite(x) & ~np.isfinite(as_stored(x, storage))).any())
