import numpy as np
import pytest

from lite_delegate.npu.device.instructions.functions import RELU, RELU6
from lite_delegate.npu.device.instructions.pooling import AveragePool, MaxPool
from lite_delegate.npu.device.programs.instruction import narrow
from lite_delegate.npu.device.programs.window import Window
from tests.npu import loops
from tests.npu.graphs import half

WINDOWS = [
    Window((2, 2), (2, 2), (1, 1), (0, 0), (3, 3)),
    Window((3, 3), (2, 2), (1, 1), (1, 1), (4, 3)),
    Window((3, 2), (1, 3), (1, 1), (2, 0), (8, 2)),
    Window((7, 6), (1, 1), (1, 1), (0, 0), (1, 1)),
    Window((3, 3), (2, 2), (1, 1), (0, 0), (4, 3)),
    Window((1, 1), (3, 2), (1, 1), (0, 0), (3, 3)),
]


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_max_pool_takes_the_largest_element_on_the_input(window):
    x = half((2, 3, 7, 6), 0) - np.float16(3)
    want = loops.pool(x, window.size, window.output, window.strides, window.before, max)
    np.testing.assert_array_equal(narrow(MaxPool(window).run([x])), want)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_average_pool_divides_by_the_elements_on_the_input(window):
    x = half((2, 3, 7, 6), 1)
    around = (window.size, window.output, window.strides, window.before, lambda values: sum(values) / len(values))
    want, sizes = loops.pool(x, *around), loops.pool(np.abs(x), *around)
    got = narrow(AveragePool(window).run([x])).astype(np.float64)
    bound = 2.0**-11 * np.abs(want) + 2.0**-25 + 45 * 2.0**-24 * sizes
    assert (np.abs(got - want) <= bound).all()


@pytest.mark.parametrize("value", [-65504.0, -np.inf])
def test_the_search_for_the_largest_starts_at_the_lowest_finite_number(value):
    x = np.full((1, 1, 1, 1), value, np.float16)
    assert MaxPool(Window((3, 3), (1, 1), (1, 1), (1, 1), (1, 1))).run([x]).item() == -65504.0


@pytest.mark.parametrize("kind", [MaxPool, AveragePool])
def test_nan_stays_where_its_windows_are(kind):
    x = np.zeros((1, 1, 1, 4), np.float16)
    x[..., 0] = np.nan
    out = kind(Window((1, 2), (1, 2), (1, 1), (0, 0), (1, 2))).run([x])
    assert np.isnan(out[..., 0])
    assert out[..., 1] == 0.0


@pytest.mark.parametrize(("kind", "fused", "want"), [(MaxPool, RELU, 0.0), (AveragePool, RELU6, 6.0)])
def test_activation_is_fused(kind, fused, want):
    x = np.full((1, 1, 2, 2), -5.0 if fused is RELU else 9.0, np.float16)
    assert kind(Window((2, 2), (1, 1), (1, 1), (0, 0), (1, 1)), fused).run([x]).item() == want


def test_inputs_are_not_written_to():
    x = half((1, 1, 2, 2), 2)
    before = x.copy()
    for kind in (MaxPool, AveragePool):
        kind(Window((1, 1), (1, 1), (1, 1), (0, 0), (2, 2)), RELU).run([x])
        kind(Window((1, 1), (1, 1), (1, 1), (0, 0), (2, 2)), RELU).run([x.astype(np.float32)])
    np.testing.assert_array_equal(x, before)
