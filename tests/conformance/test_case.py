"""The tolerance of a case that states none follows from its operator and its outputs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate.conformance import ConformanceCase, all_cases
from lite_delegate.numerics.tolerance import ATOL, RTOL

X = np.array([1.5, -2.0], np.float32)


def tolerance(op_type: str, *outputs: Array, rtol: float = math.nan, atol: float = math.nan) -> tuple[float, float]:
    case = ConformanceCase("one", op_type, (X,), outputs, rtol=rtol, atol=atol)
    return case.rtol, case.atol


@pytest.mark.parametrize("op_type", ["Transpose", "Gather", "Abs", "AddFusion", "Where"])
def test_operators_that_move_or_round_once_are_exact(op_type: str) -> None:
    assert tolerance(op_type, X) == (0, 0)


@pytest.mark.parametrize("op_type", ["Softmax", "Conv2DFusion", "ai.onnx.Einsum", "an operator of somebody"])
def test_results_that_are_rounded_have_the_default(op_type: str) -> None:
    assert tolerance(op_type, X) == (RTOL, ATOL)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool", "str"])
def test_outputs_without_real_numbers_are_exact(dtype: str) -> None:
    assert tolerance("Softmax", X.astype(dtype)) == (0, 0)
    assert tolerance("Softmax", X, X.astype(dtype)) == (RTOL, ATOL)


def test_what_a_case_states_counts() -> None:
    assert tolerance("Softmax", X, rtol=0) == (0, ATOL)
    assert tolerance("Abs", X, rtol=1e-3) == (1e-3, 0)
    assert tolerance("Abs", X.astype(np.int8), atol=1) == (0, 1)


def test_a_copy_keeps_the_tolerance() -> None:
    case = replace(ConformanceCase("one", "Softmax", (X,), (X,)), outputs=(X.astype(np.int8),))
    assert (case.rtol, case.atol) == (RTOL, ATOL)


def test_no_packaged_case_is_without_a_tolerance() -> None:
    assert all(case.rtol >= 0 and case.atol >= 0 for case in all_cases())
