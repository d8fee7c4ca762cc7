"""Range: numbers from a first one on, a step apart, up to a limit."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS, check_dtype, check_same_dtype, widen
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import vector_length
from ._ranges import range_lengths, range_values


def range_between(
    begin: Array,
    end: Array | None = None,
    step: Array | None = None,
    *,
    d_type: int = 0,
    start: int = 0,
    limit: int = 0,
    delta: int = 1,
) -> Array:
    """``first + i * step`` for i from 0, as long as it lies before the limit.

    Args:
        begin: the first number, one element, float or integer; read only where ``end`` and ``step`` are given.
        end: the limit, which is not reached.
        step: the distance, not 0; negative counts down.
        d_type: no effect.
        start, limit, delta: first number, limit and distance where there is one input only.

    Returns:
        1-D: ``max(0, ceil((limit - first) / step))`` numbers of the dtype of ``begin``, int32 where there is one
        input. The length is worked out in that dtype (float16 in float32), so that rounding decides as in C.

    Raises:
        KernelInputError: the step is 0, or floats that give no length.
    """
    if end is None or step is None:
        first, last, distance = _attributes(start, limit, delta)
        return range_values(first, distance, range_lengths(first, last, distance)).astype(np.int32)
    first, last, distance = (widen(a.ravel()) for a in (begin, end, step))
    return range_values(first, distance, range_lengths(first, last, distance)).astype(begin.dtype, copy=False)


def infer_range_between(
    begin: ArraySpec, end: ArraySpec | None = None, step: ArraySpec | None = None, *, start: int, limit: int, delta: int
) -> ArraySpec:
    """The length, where the inputs are constant.

    Raises:
        KernelInputError: two inputs, dtypes that differ, an input of more than one element, and as ``range_between``.
    """
    check_dtype(begin, NUMBERS)
    if end is None and step is None:
        return ArraySpec(np.dtype(np.int32), (int(range_lengths(*_attributes(start, limit, delta))[0]),))
    if end is None or step is None:
        raise KernelInputError("1 or 3 inputs are needed, got 2")
    check_same_dtype(begin, end, step)
    specs = (begin, end, step)
    if any(vector_length(s) not in (None, 1) for s in specs):
        raise KernelInputError(f"inputs must hold one element each, got shapes {[s.shape for s in specs]}")
    if begin.value is None or end.value is None or step.value is None:
        return ArraySpec(begin.dtype, (UNKNOWN,))
    bounds = (widen(v.ravel()) for v in (begin.value, end.value, step.value))
    return ArraySpec(begin.dtype, (int(range_lengths(*bounds)[0]),))


def _attributes(start: int, limit: int, delta: int) -> tuple[Array, Array, Array]:
    return np.array([start]), np.array([limit]), np.array([delta])


KERNEL = ReferenceKernel("Range", range_between, infer_range_between, NUMBERS)
