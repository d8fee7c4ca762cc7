from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.comparison import Compare, ComparisonFunction
from lite_delegate.npu.device.instructions.logic import Logical, LogicalFunction
from tests.npu.device.reordering import permuted

SCALAR = {
    ComparisonFunction.EQUAL: operator.eq,
    ComparisonFunction.NOT_EQUAL: operator.ne,
    ComparisonFunction.LESS: operator.lt,
    ComparisonFunction.LESS_EQUAL: operator.le,
    ComparisonFunction.GREATER: operator.gt,
    ComparisonFunction.GREATER_EQUAL: operator.ge,
}
VALUES = {
    "float16": [-np.inf, -1.5, -0.0, 0.0, 2.0**-24, 65504.0, np.inf, np.nan],
    "int32": [-(2**31), -1, 0, 1, 16777217, 16777216, 2**31 - 1],
    "bool": [False, True],
}


@pytest.mark.parametrize("comparison", ComparisonFunction)
@pytest.mark.parametrize("dtype", VALUES)
def test_compare_each_pair(comparison, dtype):
    x = np.array(VALUES[dtype], dtype)
    got = Compare(comparison).run([x[:, None], x])
    assert got.dtype == np.bool_
    for i, j in np.ndindex(got.shape):
        assert got[i, j] == SCALAR[comparison](x[i].item(), x[j].item())


LOGIC = {
    LogicalFunction.AND: lambda a, b: bool(a) and bool(b),
    LogicalFunction.OR: lambda a, b: bool(a) or bool(b),
}


@pytest.mark.parametrize("function", LOGIC)
@pytest.mark.parametrize("dtype", VALUES)
def test_logic_of_each_pair(function, dtype):
    x = np.array(VALUES[dtype], dtype)
    got = Logical(function).run([x[:, None], x])
    assert got.dtype == (np.float32 if dtype == "float16" else np.dtype(dtype))
    for i, j in np.ndindex(got.shape):
        assert got[i, j] == LOGIC[function](x[i].item(), x[j].item())


@pytest.mark.parametrize("dtype", VALUES)
def test_not_of_each(dtype):
    x = np.array(VALUES[dtype], dtype)
    got = Logical(LogicalFunction.NOT).run([x])
    assert got.dtype == (np.float32 if dtype == "float16" else np.dtype(dtype))
    assert got.tolist() == [not v for v in x.tolist()]


def test_a_function_of_two_zeros_is_a_zero_without_rank():
    zero = np.zeros((), np.float16)
    assert (
        Logical(LogicalFunction.NOT).run([zero]).shape
        == Compare(ComparisonFunction.EQUAL).run([zero, zero]).shape
        == ()
    )


@given(permuted(), st.sampled_from(ComparisonFunction), st.sampled_from(list(LOGIC)))
def test_after_a_permutation(operand, comparison, function):
    x, axes = operand
    y = np.rint(x)
    for instruction in (Compare(comparison), Logical(function)):
        other = instruction.reordered(axes)
        before = instruction.run([x.transpose(axes), y.transpose(axes)])
        np.testing.assert_array_equal(before, other.run([x, y]).transpose(axes))
