import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.repetition import Broadcast, Repeat
from lite_delegate.npu.device.programs.instruction import Work
from tests.npu.device.reordering import assert_follows, permuted
from tests.npu.graphs import half


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 1, 3), (1, 4, 1)])
@pytest.mark.parametrize("dtype", [np.float16, np.int32, np.bool_])
def test_repeat_starts_over_after_each_axis(counts, dtype):
    x = (half((2, 3, 2), 0) * 4).astype(dtype)
    got = Repeat(counts).run([x])
    assert got.shape == tuple(c * d for c, d in zip(counts, x.shape, strict=True))
    assert got.dtype == dtype
    for index in np.ndindex(got.shape):
        assert got[index] == x[tuple(i % d for i, d in zip(index, x.shape, strict=True))]


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 1, 4), (5, 3, 4)])
def test_broadcast_repeats_axes_of_one_position(shape):
    x = half((1 if shape[0] == 5 else 2, 1, 4), 1)
    got = Broadcast(shape).run([x])
    assert got.shape == shape
    assert got.flags.c_contiguous
    for index in np.ndindex(shape):
        assert got[index] == x[tuple(0 if d == 1 else i for i, d in zip(index, x.shape, strict=True))]


@pytest.mark.parametrize("instruction", [Repeat((2, 1)), Broadcast((2, 3))])
def test_repetitions_are_moved_by_the_dma_engines(instruction):
    assert instruction.work([(1, 3)], (2, 3)) == Work(moved=6)


@given(operand=permuted(), data=st.data())
def test_repeat_follows_a_permutation(operand, data):
    x, axes = operand
    assert_follows(Repeat(tuple(data.draw(st.integers(1, 3)) for _ in axes)), x, axes)


@given(operand=permuted(), data=st.data())
def test_broadcast_follows_a_permutation(operand, data):
    x, axes = operand
    shape = (x.shape[axis] if x.shape[axis] > 1 else data.draw(st.integers(1, 3)) for axis in axes)
    assert_follows(Broadcast(tuple(shape)), x, axes)
