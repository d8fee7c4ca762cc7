import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.slicing import Slice
from lite_delegate.npu.device.programs.instruction import Work
from tests.npu.device.reordering import assert_follows, permuted
from tests.npu.graphs import half


@pytest.mark.parametrize(
    ("starts", "counts", "strides"),
    [
        ((0, 0, 0), (3, 4, 5), (1, 1, 1)),
        ((1, 2, 0), (2, 1, 5), (1, 1, 1)),
        ((0, 1, 4), (2, 2, 3), (2, 2, -2)),
        ((2, 3, 4), (3, 4, 5), (-1, -1, -1)),
        ((2, 0, 1), (1, 4, 2), (7, 1, -1)),
    ],
)
@pytest.mark.parametrize("dtype", [np.float16, np.int32, np.bool_])
def test_slice_takes_each_position(starts, counts, strides, dtype):
    x = (half((3, 4, 5), 0) * 4).astype(dtype)
    got = Slice(starts, counts, strides).run([x])
    assert got.shape == counts
    assert got.dtype == dtype
    assert got.flags.c_contiguous
    for index in np.ndindex(counts):
        source = tuple(start + i * stride for start, i, stride in zip(starts, index, strides, strict=True))
        assert got[index] == x[source]


def test_a_slice_is_moved_by_the_dma_engines():
    assert Slice((0, 1), (2, 3), (1, 1)).work([(2, 4)], (2, 3)) == Work(moved=6)


@given(operand=permuted(), data=st.data())
def test_slice_follows_a_permutation(operand, data):
    x, axes = operand
    shape = [x.shape[axis] for axis in axes]
    starts, counts, strides = [], [], []
    for size in shape:
        first, last = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
        step = data.draw(st.integers(1, 2))
        starts.append(first)
        counts.append(abs(last - first) // step + 1)
        strides.append(step if last >= first else -step)
    assert_follows(Slice(tuple(starts), tuple(counts), tuple(strides)), x, axes)
