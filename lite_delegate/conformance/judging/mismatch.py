"""The first difference between outputs and the expected outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import STRING_DTYPE

from ...basics.counted import counted
from ...numerics.tolerance import Tolerance
from .case import Array


def mismatch(outputs: Sequence[Array], expected: Sequence[Array], tolerances: Sequence[Tolerance]) -> str:
    """The first output that is not as expected, and how; "" when all are."""
    other = unlike(outputs, expected)
    if other:
        return other
    for i, tolerance in enumerate(tolerances):
        got, want = numbers(outputs[i]), numbers(expected[i])
        accepted = tolerance.accepts(got, want)
        if not accepted.all():
            return f"output {i}: {_mismatch(got, want, accepted, tolerance)}"
    return ""


def unlike(outputs: Sequence[Array], expected: Sequence[Array]) -> str:
    """The first output of another element type or shape; "" when there is none."""
    for i, (got, want) in enumerate(zip(outputs, expected, strict=True)):
        if (got.dtype, got.shape) != (want.dtype, want.shape):
            return f"output {i}: expected {want.dtype} {want.shape}, got {got.dtype} {got.shape}"
    return ""


def numbers(x: Array) -> Array:
    """The array itself; of strings the bytes."""
    return x.view(np.uint8) if x.dtype == STRING_DTYPE else x


def _mismatch(got: Array, want: Array, accepted: Array, tolerance: Tolerance) -> str:
    index = tuple(int(i) for i in np.argwhere(~accepted)[0])
    atol = float(np.broadcast_to(tolerance.atol, want.shape)[index])
    return (
        f"{int((~accepted).sum()):,} of {counted(accepted.size, 'element')} differ, first at {index}: "
        f"expected {want[index]}, got {got[index]} (rtol {tolerance.rtol:g}, atol {atol:g})"
    )
