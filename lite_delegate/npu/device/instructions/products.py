"""Products of matrices in blocks, between which a run that was cancelled ends."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import cancel_point
from ..programs.instruction import Array

BLOCK_MACS = 64 * 10**6
"""Products summed in one block at most, unless one matrix or one row of windows needs more: bounds what a cancelled run
waits for."""


def products(left: Array, right: Array) -> Array:
    """left (..., M, K) times right (..., K, N), whose leading axes broadcast.

    The bits are the bits of ``numpy.matmul``, which multiplies the matrices of the leading axes one by one. One matrix
    is never cut: the math library sums a matrix of another size in another order.

    Raises:
        RequestCancelled: the run was cancelled.
    """
    leading = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(left, (*leading, *left.shape[-2:]))
    right = np.broadcast_to(right, (*leading, *right.shape[-2:]))
    out = np.empty((*left.shape[:-1], right.shape[-1]), np.result_type(left, right))
    _fill(out, left, right)
    return out


def _fill(out: Array, left: Array, right: Array) -> None:
    leading = out.shape[:-2]
    macs = out.size * left.shape[-1]
    if macs <= BLOCK_MACS or math.prod(leading) == 1:
        cancel_point()
        np.matmul(left, right, out=out)
        return
    axis = next(axis for axis, size in enumerate(leading) if size > 1)
    step = max(BLOCK_MACS // (macs // leading[axis]), 1)
    for start in range(0, leading[axis], step):
        block = (*(slice(None),) * axis, slice(start, start + step))
        _fill(out[block], left[block], right[block])
