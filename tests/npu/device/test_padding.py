import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.padding import Border, Pad
from lite_delegate.npu.device.programs.instruction import Work
from tests.npu.device.reordering import assert_follows, permuted
from tests.npu.graphs import half


def mirrored(place: int, size: int, repeat_edge: bool) -> int:
    """The position that a place outside of [0, size) copies."""
    if repeat_edge:
        return -place - 1 if place < 0 else 2 * size - 1 - place if place >= size else place
    return -place if place < 0 else 2 * size - 2 - place if place >= size else place


@pytest.mark.parametrize("border", Border)
@pytest.mark.parametrize(("before", "after"), [((0, 0), (0, 0)), ((1, 0), (0, 2)), ((2, 3), (2, 1)), ((0, 3), (1, 3))])
def test_pad_copies_the_inside_and_fills_the_border(border, before, after):
    x = half((3, 4), 1)
    got = Pad(before, after, border, 2.5).run([x])
    assert got.shape == (3 + before[0] + after[0], 4 + before[1] + after[1])
    assert got.dtype == np.float16
    for index in np.ndindex(got.shape):
        places = [i - first for i, first in zip(index, before, strict=True)]
        inside = all(0 <= place < size for place, size in zip(places, x.shape, strict=True))
        if border is Border.CONSTANT and not inside:
            assert got[index] == 2.5
            continue
        repeat = border is Border.SYMMETRIC
        assert got[index] == x[tuple(mirrored(p, s, repeat) for p, s in zip(places, x.shape, strict=True))]


@pytest.mark.parametrize(
    ("dtype", "value", "want"), [(np.int32, -7.0, -7), (np.bool_, 1.0, True), (np.bool_, 0.0, False)]
)
def test_pad_of_other_element_types(dtype, value, want):
    got = Pad((1,), (0,), Border.CONSTANT, value).run([np.zeros(2, dtype)])
    assert got.dtype == dtype
    assert got.tolist() == [want, 0, 0]


def test_a_pad_is_moved_by_the_dma_engines():
    assert Pad((1, 0), (0, 0)).work([(2, 3)], (3, 3)) == Work(moved=9)


@given(operand=permuted(), border=st.sampled_from(Border), data=st.data())
def test_pad_follows_a_permutation(operand, border, data):
    x, axes = operand
    widest = [x.shape[axis] - 1 if border is Border.REFLECT else x.shape[axis] for axis in axes]
    before, after = (tuple(data.draw(st.integers(0, w)) for w in widest) for _ in range(2))
    assert_follows(Pad(before, after, border, -1.5), x, axes)
