from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.selection import TopPlaces, TopValues
from tests.npu.device.reordering import assert_follows, permuted


def best(values, count):
    """Places of the largest, largest first: by repeated search."""
    left, found = list(range(len(values))), []
    for _ in range(count):
        place = left[0]
        for other in left:
            if values[other] > values[place]:
                place = other
        found.append(place)
        left.remove(place)
    return found


@pytest.mark.parametrize("dtype", [np.float16, np.int32])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_largest_of_each_row(dtype, axis, count):
    x = np.random.default_rng(axis).integers(-3, 4, (3, 4, 5)).astype(dtype)
    places, values = TopPlaces(axis, count).run([x]), TopValues(axis, count).run([x])
    assert (places.dtype, values.dtype) == (np.int32, dtype)
    rows = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    for row, where, what in zip(
        rows, *(np.moveaxis(a, axis, -1).reshape(-1, count) for a in (places, values)), strict=True
    ):
        assert where.tolist() == best(row.tolist(), count)
        assert what.tolist() == [row[i] for i in where]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_nan_comes_first(count):
    x = np.array([1, np.nan, np.inf, np.nan], np.float16)
    assert TopPlaces(0, count).run([x]).tolist() == [1, 3, 2, 0][:count]


@pytest.mark.parametrize("kind", [TopPlaces, TopValues])
@given(permuted(), st.data())
def test_after_a_permutation(kind, operand, data):
    x, axes = operand
    axis = data.draw(st.integers(0, len(axes) - 1))
    count = data.draw(st.integers(1, x.shape[axes[axis]]))
    assert_follows(kind(axis, count), np.rint(x), axes)


def test_work_counts_a_pass_for_each():
    assert TopPlaces(1, 3).work([(2, 5)], (2, 3)).vector == TopValues(1, 3).work([(2, 5)], (2, 3)).vector == 30
