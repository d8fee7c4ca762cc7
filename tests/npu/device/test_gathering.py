import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.errors import DelegateExecuteError
from lite_delegate.npu.device.instructions.gathering import GatherAlong, Take
from lite_delegate.npu.device.programs.instruction import Work
from tests.npu.device.reordering import assert_follows, permuted
from tests.npu.graphs import half


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", [np.float16, np.int32, np.bool_])
def test_take_copies_the_named_positions(axis, dtype):
    x = (half((3, 4, 5), 0) * 4).astype(dtype)
    got = Take(axis, (2, 0, 2)).run([x])
    assert got.dtype == dtype
    assert got.shape == tuple(3 if a == axis else d for a, d in enumerate(x.shape))
    for index in np.ndindex(got.shape):
        source = list(index)
        source[axis] = (2, 0, 2)[index[axis]]
        assert got[index] == x[tuple(source)]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("indices", [1, [0, 2], [[2, -1], [-3, 0]]])
def test_gather_replaces_the_axis_by_those_of_the_indices(axis, indices):
    x, positions = half((3, 3), 1), np.array(indices, np.int32)
    got = GatherAlong(axis).run([x, positions])
    assert got.shape == (*x.shape[:axis], *positions.shape, *x.shape[axis + 1 :])
    for index in np.ndindex(got.shape):
        inner = index[axis : axis + positions.ndim]
        found = int(positions[inner]) % 3
        rest = index[axis + positions.ndim :]
        assert got[index] == x[(*index[:axis], found, *rest)]


@pytest.mark.parametrize(("inside", "outside"), [(2, 3), (-3, -4)])
def test_an_index_outside_stops_the_run(inside, outside):
    x = half((3,), 2)
    GatherAlong(0).run([x, np.array([0, inside], np.int32)])
    with pytest.raises(DelegateExecuteError, match=f"index {outside} is out of range for a dimension of 3"):
        GatherAlong(0).run([x, np.array([0, outside], np.int32)])


@pytest.mark.parametrize(("instruction", "operands"), [(Take(0, (1, 1)), [(2, 3)]), (GatherAlong(0), [(5, 3), (2,)])])
def test_gathers_are_moved_by_the_dma_engines(instruction, operands):
    assert instruction.work(operands, (2, 3)) == Work(moved=6)


@given(operand=permuted(), data=st.data())
def test_take_follows_a_permutation(operand, data):
    x, axes = operand
    axis = data.draw(st.integers(0, x.ndim - 1))
    positions = data.draw(st.lists(st.integers(0, x.shape[axes[axis]] - 1), min_size=1, max_size=4))
    assert_follows(Take(axis, tuple(positions)), x, axes)


def test_a_gather_with_computed_positions_follows_none():
    assert GatherAlong(0).reordered((1, 0)) is None
