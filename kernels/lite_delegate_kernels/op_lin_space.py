"""LinSpace: evenly spaced numbers, both ends included."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype, check_same_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import constant_ints, int_list, single_int, vector_length


@np.errstate(all="ignore")
def lin_space(start: Array, stop: Array, num: Array) -> Array:
    """``start + i * (stop - start) / (num - 1)`` for i in 0..num-1; the last is exactly ``stop``.

    Args:
        start: one float.
        stop: one float of the same dtype.
        num: one integer >= 1; 1 gives ``start`` alone.

    Returns:
        (num,) of the dtype of ``start``, worked out in float64.

    Raises:
        KernelInputError: ``num`` is below 1.
    """
    return np.linspace(start.item(), stop.item(), _count(int_list(num, "num")), dtype=start.dtype)


def infer_lin_space(start: ArraySpec, stop: ArraySpec, num: ArraySpec) -> ArraySpec:
    """(num,), ``UNKNOWN`` where ``num`` is not constant."""
    check_dtype(start, FLOATS)
    check_same_dtype(start, stop)
    if any(vector_length(s) not in (None, 1) for s in (start, stop)):
        raise KernelInputError(f"start and stop must hold one element each, got shapes {start.shape}, {stop.shape}")
    values = constant_ints(num, "num")
    return ArraySpec(start.dtype, (UNKNOWN if values is None else _count(values),))


def _count(values: list[int]) -> int:
    count = single_int(values, "num")
    if count < 1:
        raise KernelInputError(f"num must be at least 1, got {count}")
    return count


KERNEL = ReferenceKernel("LinSpace", lin_space, infer_lin_space, FLOATS)
