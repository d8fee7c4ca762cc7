"""Comparing what a delegate gave with what a case expects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import STRING_DTYPE

from ..numerics.errors import measure
from ..numerics.tolerance import Tolerance
from .case import Array, ConformanceCase
from .results import CaseOutcome, CaseResult


def compare(case: ConformanceCase, outputs: Sequence[Array], tolerances: Sequence[Tolerance]) -> CaseResult:
    """PASSED with the errors, or WRONG with the first output that is."""
    unlike = _unlike(outputs, case.outputs)
    if unlike:
        return CaseResult(case.op_type, case.name, CaseOutcome.WRONG, None, unlike)
    given, expected = [_numbers(y) for y in outputs], [_numbers(y) for y in case.outputs]
    errors = measure(given, expected)
    for i, (got, want, tolerance) in enumerate(zip(given, expected, tolerances, strict=True)):
        accepted = tolerance.accepts(got, want)
        if not accepted.all():
            detail = f"output {i}: {_mismatch(got, want, accepted, tolerance)}"
            return CaseResult.compared(case.op_type, case.name, errors, detail)
    return CaseResult.compared(case.op_type, case.name, errors, "")


def _unlike(outputs: Sequence[Array], expected: Sequence[Array]) -> str:
    for i, (got, want) in enumerate(zip(outputs, expected, strict=True)):
        if (got.dtype, got.shape) != (want.dtype, want.shape):
            return f"output {i}: expected {want.dtype} {want.shape}, got {got.dtype} {got.shape}"
    return ""


def _numbers(x: Array) -> Array:
    """The array itself; of strings the bytes."""
    return x.view(np.uint8) if x.dtype == STRING_DTYPE else x


def _mismatch(got: Array, want: Array, accepted: Array, tolerance: Tolerance) -> str:
    index = tuple(int(i) for i in np.argwhere(~accepted)[0])
    atol = float(np.broadcast_to(tolerance.atol, want.shape)[index])
    return (
        f"{int((~accepted).sum())} of {accepted.size} elements differ, first at {index}: "
        f"expected {want[index]}, got {got[index]} (rtol {tolerance.rtol:g}, atol {atol:g})"
    )
