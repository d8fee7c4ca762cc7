import numpy as np
import pytest

from lite_delegate.npu.device import ElementType
from lite_delegate.npu.device.instructions.cast import ConvertElements
from lite_delegate.npu.device.instructions.movement import Concatenate, Permute, View
from tests.npu.graphs import half


@pytest.mark.parametrize("axes", [(0, 3, 1, 2), (0, 2, 3, 1), (3, 2, 1, 0), (1, 0, 3, 2)])
def test_permute_moves_each_element(axes):
    x = half((2, 3, 4, 5), 0)
    got = Permute(axes).run([x])
    assert got.flags.c_contiguous
    for index in np.ndindex(got.shape):
        source = [0] * 4
        for position, axis in enumerate(axes):
            source[axis] = index[position]
        assert got[index] == x[tuple(source)]


def test_view_moves_nothing():
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    got = View((3, 1, 2)).run([x])
    assert np.shares_memory(got, x)
    assert got.ravel().tolist() == list(range(6))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_concatenate_puts_operands_one_after_another(axis):
    parts = [np.moveaxis(half((size, 2, 3), size), 0, axis) for size in (1, 3, 2)]
    got = np.moveaxis(Concatenate(axis).run(parts), axis, 0)
    row = 0
    for part in parts:
        for plane in np.moveaxis(part, axis, 0):
            np.testing.assert_array_equal(got[row], plane)
            row += 1
    assert row == got.shape[0]


@pytest.mark.parametrize(
    ("values", "dtype", "element", "want"),
    [
        ([1.9, -1.9, 0.0], np.float16, ElementType.INT32, [1, -1, 0]),
        ([0.5, 0.0, np.nan], np.float16, ElementType.BOOL, [True, False, True]),
        ([True, False], np.bool_, ElementType.FLOAT16, [1.0, 0.0]),
        ([7, -3], np.int32, ElementType.FLOAT16, [7.0, -3.0]),
        ([100000], np.int32, ElementType.FLOAT16, [np.inf]),
    ],
)
def test_convert_elements(values, dtype, element, want):
    with np.errstate(all="ignore"):
        got = ConvertElements(element).run([np.array(values, dtype)])
    assert got.dtype == element.numpy
    assert got.tolist() == want
