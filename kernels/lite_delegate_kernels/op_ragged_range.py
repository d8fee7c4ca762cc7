"""RaggedRange: several ranges one after another, and where each begins."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS, check_dtype, check_same_dtype, widen
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import merge_shapes
from ._ranges import range_lengths, range_values


def ragged_range(starts: Array, limits: Array, deltas: Array) -> tuple[Array, Array]:
    """Row i holds ``starts[i] + j * deltas[i]`` for j from 0, as long as it lies before ``limits[i]``.

    Args:
        starts, limits, deltas: one dtype, float or integer; each 1-D or a scalar that counts for every row. Three
            scalars make one row.

    Returns:
        int32 (rows + 1,): where each row begins in the values, and where the last ends; and all rows one after
        another in the inputs' dtype.

    Raises:
        KernelInputError: a delta is 0, or floats that give no length.
    """
    first, step, lengths = _lengths(starts, limits, deltas)
    splits = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return splits, range_values(first, step, lengths).astype(starts.dtype, copy=False)


def infer_ragged_range(starts: ArraySpec, limits: ArraySpec, deltas: ArraySpec) -> tuple[ArraySpec, ArraySpec]:
    """Splits for as many rows as are known; the number of values where all inputs are constant.

    Raises:
        KernelInputError: dtypes or numbers of rows that differ, an input of rank 2 or more.
    """
    check_dtype(starts, NUMBERS)
    specs = (starts, limits, deltas)
    check_same_dtype(*specs)
    if any(s.rank not in (None, 0, 1) for s in specs):
        raise KernelInputError(f"inputs must be 1-D or scalars, got shapes {[s.shape for s in specs]}")
    rows = _rows([s.shape for s in specs])
    splits = UNKNOWN if rows == UNKNOWN else rows + 1
    total = UNKNOWN
    if starts.value is not None and limits.value is not None and deltas.value is not None:
        total = int(_lengths(starts.value, limits.value, deltas.value)[2].sum())
    return ArraySpec(np.dtype(np.int32), (splits,)), ArraySpec(starts.dtype, (total,))


def _lengths(starts: Array, limits: Array, deltas: Array) -> tuple[Array, Array, Array]:
    """The first number, the step and the number of elements of every row."""
    first, last, step = np.broadcast_arrays(*(widen(a.reshape(-1)) for a in (starts, limits, deltas)))
    return first, step, range_lengths(first, last, step)


def _rows(shapes: list[Shape | None]) -> int:
    vectors = [s for s in shapes if s]
    if vectors:
        return merge_shapes(vectors)[0]
    return UNKNOWN if None in shapes else 1


KERNEL = ReferenceKernel("RaggedRange", ragged_range, infer_ragged_range, NUMBERS)
