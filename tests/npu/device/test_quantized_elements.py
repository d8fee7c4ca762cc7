"""Element-wise instructions on quantized integers, pools and conversions, against loops over whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.quantized_arithmetic import HEADROOM, QuantizedProduct, QuantizedSum
from lite_delegate.npu.device.instructions.quantized_conversion import Dequantize, Quantize
from lite_delegate.npu.device.instructions.quantized_lookup import ByteLookup
from lite_delegate.npu.device.instructions.quantized_pooling import QuantizedAveragePool, QuantizedMaxPool
from lite_delegate.npu.device.instructions.quantized_scaling import Requantization, fixed_point
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from tests.npu.device.reordering import assert_follows
from tests.npu.quantized_loops import half_away, integers, requantized, scaled, windows

INT8, UINT8 = ElementType.INT8, ElementType.UINT8
PARAMS = [((0.05, -7), (0.02, 31), (0.06, -20)), ((0.003, 5), (1.5, 0), (1.5, 3)), ((2.0, 0), (0.5, -128), (0.01, 9))]


@pytest.mark.parametrize("subtract", [False, True])
@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_sums_and_differences(subtract: bool, params: Any, dtype: Any) -> None:
    (a_scale, a_zero), (b_scale, b_zero), (scale, zero) = params
    common = 2 * max(a_scale, b_scale)
    element = ElementType(np.dtype(dtype).name)
    low, high = (int(v) for v in (np.iinfo(dtype).min, np.iinfo(dtype).max))
    to = Requantization(fixed_point([common / (2**HEADROOM * scale)]), zero, low + 3, high, element)
    factors = fixed_point([a_scale / common]), fixed_point([b_scale / common])
    a, b = integers((4, 1, 17), 1, dtype), integers((3, 17), 2, dtype)
    got = QuantizedSum((a_zero, b_zero), factors, to, subtract).run([a, b])
    want = np.zeros((4, 3, 17), dtype)
    for i, j, k in np.ndindex(*want.shape):
        left = scaled((int(a[i, 0, k]) - a_zero) << HEADROOM, factors[0])
        right = scaled((int(b[j, k]) - b_zero) << HEADROOM, factors[1])
        want[i, j, k] = requantized(left - right if subtract else left + right, to)
    np.testing.assert_array_equal(got, want)
    assert got.dtype == dtype


@pytest.mark.parametrize("params", PARAMS)
def test_a_sum_is_the_nearest_integer_to_the_real_one(params: Any) -> None:
    """Within half a step and what is lost at the common scale: 2**-20 of its step, twice."""
    (a_scale, a_zero), (b_scale, b_zero), (scale, zero) = params
    common = 2 * max(a_scale, b_scale)
    to = Requantization(fixed_point([common / (2**HEADROOM * scale)]), zero, -128, 127, INT8)
    a, b = integers((300,), 3), integers((300,), 4)
    factors = fixed_point([a_scale / common]), fixed_point([b_scale / common])
    got = QuantizedSum((a_zero, b_zero), factors, to).run([a, b])
    real = ((a.astype(float) - a_zero) * a_scale + (b.astype(float) - b_zero) * b_scale) / scale + zero
    bound = 0.5 + 2 * common / (2**HEADROOM * scale) + 2.0**-20 * np.abs(real)
    assert (np.abs(got - np.clip(real, -128, 127)) <= bound).all()


@pytest.mark.parametrize("params", PARAMS)
def test_products(params: Any) -> None:
    (a_scale, a_zero), (b_scale, b_zero), (scale, zero) = params
    to = Requantization(fixed_point([a_scale * b_scale / scale]), zero, -128, 120, INT8)
    a, b = integers((5, 60), 5), integers((60,), 6)
    got = QuantizedProduct((a_zero, b_zero), to).run([a, b])
    want = [[requantized((int(u) - a_zero) * (int(v) - b_zero), to) for u, v in zip(row, b, strict=True)] for row in a]
    assert got.tolist() == want


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_lookup_gives_the_entry_that_the_bits_name(dtype: Any) -> None:
    entries = tuple(int(v) for v in np.random.default_rng(7).integers(-128, 128, 256))
    x = integers((3, 50), 8, dtype)
    got = ByteLookup(entries, INT8).run([x])
    assert got.tolist() == [[entries[int(v) % 256] for v in row] for row in x]
    assert got.dtype == np.int8
    assert ByteLookup(tuple(range(256)), UINT8).run([x]).dtype == np.uint8


WINDOWS = [
    Window((2, 3), (2, 1), (1, 1), (0, 1), (3, 5)),
    Window((3, 3), (1, 2), (2, 1), (2, 1), (7, 3)),
    Window((7, 6), (1, 1), (1, 1), (0, 0), (1, 1)),
]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_pools(window: Window, dtype: Any) -> None:
    x, (low, high) = integers((2, 3, 7, 6), 9, dtype), (3, 90)
    largest, mean = (kind(window, low, high).run([x]) for kind in (QuantizedMaxPool, QuantizedAveragePool))
    assert largest.dtype == mean.dtype == dtype
    for index, elements in windows(x, window):
        assert largest[index] == min(max(max(elements), low), high)
        assert mean[index] == min(max(half_away(Fraction(sum(elements), len(elements))), low), high)


def test_means_round_halves_away_from_zero() -> None:
    x = np.array([[[[1, 2, -1, -2, 127, 126]]]], np.int8)
    window = Window((1, 2), (1, 2), (1, 1), (0, 0), (1, 3))
    assert QuantizedAveragePool(window, -128, 127).run([x]).tolist() == [[[[2, -2, 127]]]]


def test_padding_is_never_the_largest() -> None:
    x = np.full((1, 1, 2, 2), -128, np.int8)
    window = Window((3, 3), (1, 1), (1, 1), (1, 1), (2, 2))
    assert (QuantizedMaxPool(window, -128, 127).run([x]) == -128).all()


REALS = st.floats(-1e6, 1e6, width=32)


@given(st.lists(REALS, min_size=1, max_size=20), st.floats(0.001, 100.0), st.integers(-200, 300))
def test_quantize_is_the_nearest_integer(reals: list[float], scale: float, zero: int) -> None:
    got = Quantize((scale,), (zero,), INT8).run([np.array(reals, np.float32)])
    want = [min(max(half_away(v / scale + zero), -128), 127) for v in reals]
    assert got.tolist() == want


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_quantize_of_halves_infinities_and_nan(dtype: Any) -> None:
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, np.inf, -np.inf, np.nan], dtype)
    assert Quantize((1.0,), (0,), INT8).run([x]).tolist() == [1, 2, 3, -1, -2, -3, 127, -128, 0]
    assert Quantize((1.0,), (9,), UINT8).run([x]).tolist() == [10, 11, 12, 9, 8, 7, 255, 255, 9]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_conversions_per_channel(axis: int) -> None:
    x = np.random.default_rng(10).normal(size=(2, 3, 4)).astype(np.float32)
    count = x.shape[axis]
    scales, points = tuple(0.01 * (c + 1) for c in range(count)), tuple(5 * c - 4 for c in range(count))
    stored = Quantize(scales, points, INT8, axis).run([x])
    reals = Dequantize(scales, points, axis).run([stored])
    assert (stored.dtype, reals.dtype) == (np.int8, np.float32)
    for index in np.ndindex(*x.shape):
        scale, point = scales[index[axis]], points[index[axis]]
        q = min(max(half_away(float(x[index]) / scale + point), -128), 127)
        assert stored[index] == q
        assert math.isclose(reals[index], (q - point) * scale, rel_tol=2.0**-22)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_dequantize_takes_integers_of_any_size(dtype: Any) -> None:
    x = integers((40,), 11, dtype)
    got = Dequantize((0.25,), (17,)).run([x])
    np.testing.assert_allclose(got, [(int(v) - 17) * 0.25 for v in x], rtol=2.0**-23)


@pytest.mark.parametrize("axes", [(2, 0, 1), (0, 2, 1), (1, 0, 2)])
def test_instructions_on_elements_follow_a_permutation(axes: tuple[int, ...]) -> None:
    to = Requantization(fixed_point([0.01]), 1, -128, 127, INT8)
    x = integers((2, 3, 4), 12)
    assert_follows(ByteLookup(tuple(range(-128, 128)), INT8), x, axes)
    scales, points = (0.5, 0.25, 0.125, 0.1)[: x.shape[1]], (1, 2, 3, 4)[: x.shape[1]]
    moved = axes.index(1)
    assert_follows(Dequantize(scales, points, moved), x, axes)
    assert_follows(Quantize(scales, points, INT8, moved), x.astype(np.float32), axes)
    assert_follows(Dequantize((0.5,), (1,)), x, axes)
    for instruction in (QuantizedProduct((1, 2), to), QuantizedSum((1, 2), (fixed_point([0.5]),) * 2, to)):
        assert instruction.reordered(axes) == instruction
