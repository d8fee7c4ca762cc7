from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.resize import Coordinates, ResizeLinear, ResizeNearest
from lite_delegate.npu.device.programs.instruction import Work
from tests.npu.device.reordering import assert_follows, permuted
from tests.npu.graphs import half

SIZES = [(1, 1), (2, 2), (3, 4), (4, 8), (5, 7), (9, 3), (1, 5), (8, 1), (3, 11)]


def coordinate(position: int, size_in: int, size_out: int, mode: Coordinates) -> Fraction:
    """Where an output position lies in the input."""
    if mode is Coordinates.ASYMMETRIC:
        return Fraction(position * size_in, size_out)
    if mode is Coordinates.HALF_PIXEL:
        return max((position + Fraction(1, 2)) * size_in / size_out - Fraction(1, 2), Fraction(0))
    return Fraction(0) if size_out == 1 else Fraction(position * (size_in - 1), size_out - 1)


@pytest.mark.parametrize("mode", Coordinates)
@pytest.mark.parametrize(("size_in", "size_out"), SIZES)
def test_nearest_copies_the_element_below(mode, size_in, size_out):
    x = np.arange(size_in, dtype=np.int32)
    got = ResizeNearest(mode, (0,), (size_out,)).run([x])
    assert got.dtype == np.int32
    for position in range(size_out):
        place = coordinate(position, size_in, size_out, mode)
        rounded = place + Fraction(1, 2) if mode is Coordinates.ALIGN_CORNERS else place
        assert got[position] == x[rounded.__floor__()]


@pytest.mark.parametrize("mode", Coordinates)
@pytest.mark.parametrize(("size_in", "size_out"), SIZES)
def test_linear_mixes_the_two_elements_around(mode, size_in, size_out):
    x = half((size_in, 2), 3)
    got = ResizeLinear(mode, (0,), (size_out,)).run([x])
    assert got.dtype == np.float32
    for position, channel in np.ndindex(size_out, 2):
        place = coordinate(position, size_in, size_out, mode)
        below = place.__floor__()
        above = min(below + 1, size_in - 1)
        share = float(place - below)
        want = float(x[below, channel]) * (1 - share) + float(x[above, channel]) * share
        assert abs(got[position, channel] - want) <= 2.0**-22 * np.abs(x[:, channel]).max()


@pytest.mark.parametrize("kind", [ResizeLinear, ResizeNearest])
def test_two_axes_are_resized_one_after_another(kind):
    x = half((2, 3, 4, 2), 4)
    got = kind(Coordinates.HALF_PIXEL, (1, 2), (5, 3)).run([x])
    rows = kind(Coordinates.HALF_PIXEL, (1,), (5,)).run([x])
    np.testing.assert_array_equal(got, kind(Coordinates.HALF_PIXEL, (2,), (3,)).run([rows]))
    assert got.shape == (2, 5, 3, 2)


def test_resizing_to_the_same_size_gives_infinities_back():
    x = np.array([np.inf, 1.0, -np.inf], np.float16)
    got = ResizeLinear(Coordinates.ASYMMETRIC, (0,), (3,)).run([x])
    np.testing.assert_array_equal(got, x)


def test_work():
    operands, output = [(1, 2, 2, 3)], (1, 4, 4, 3)
    nearest = ResizeNearest(Coordinates.ASYMMETRIC, (1, 2), (4, 4))
    linear = ResizeLinear(Coordinates.ASYMMETRIC, (1, 2), (4, 4))
    assert nearest.work(operands, output) == Work(moved=48)
    assert linear.work(operands, output) == Work(vector=4 * 48)


@given(operand=permuted(2), kind=st.sampled_from([ResizeLinear, ResizeNearest]), data=st.data())
def test_resizes_follow_a_permutation(operand, kind, data):
    x, axes = operand
    first, second = data.draw(st.permutations(range(x.ndim)))[:2]
    sizes = (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6)))
    assert_follows(kind(data.draw(st.sampled_from(Coordinates)), (first, second), sizes), x, axes)
