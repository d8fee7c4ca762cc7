from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.integer import IntegerFunction, IntegerUnary
from tests.npu.device.reordering import assert_follows, permuted

LEAST, MOST = -(2**31), 2**31 - 1
SCALAR = {
    IntegerFunction.ABS: ((), abs),
    IntegerFunction.CLAMP: ((-3, 70000), lambda v: min(max(v, -3), 70000)),
    IntegerFunction.NEG: ((), lambda v: -v),
    IntegerFunction.SIGN: ((), lambda v: (v > 0) - (v < 0)),
    IntegerFunction.SQUARE: ((), lambda v: v * v),
}


@pytest.mark.parametrize("function", IntegerFunction)
def test_each_number(function):
    parameters, scalar = SCALAR[function]
    x = np.array([[LEAST, LEAST + 1, -65536, -4], [-3, 0, 7, MOST]], np.int32)
    with np.errstate(all="ignore"):
        got = IntegerUnary(function, parameters).run([x])
    assert got.dtype == np.int32
    for index in np.ndindex(x.shape):
        assert got[index] == (scalar(x[index].item()) - LEAST) % 2**32 + LEAST


@given(permuted(), st.sampled_from(IntegerFunction))
def test_after_a_permutation(operand, function):
    x, axes = operand
    assert_follows(IntegerUnary(function, SCALAR[function][0]), np.rint(x * 9).astype(np.int32), axes)
