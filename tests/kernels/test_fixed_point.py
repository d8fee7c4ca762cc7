"""Fixed-point factors: written down by hand, and against fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lite_delegate_kernels._fixed_point import fixed_point, scale
from lite_delegate_kernels._quantization import Quantization, dequantize, quantize, round_half_away

from lite_delegate.conformance.cases.loops.quantized import half_away, half_up, times

ROUNDING: list[tuple[int, Callable[[Fraction], int]]] = [(1, half_away), (2, half_up), (0, floor)]


@pytest.mark.parametrize(
    ("factor", "single", "fraction", "shift"),
    [
        (0.5, False, 1 << 30, 0),
        (1.0, False, 1 << 30, 1),
        (0.1, False, 1717986918, -3),
        (0.1, True, 0xCCCCCD << 7, -3),
        (1 - 2.0**-40, False, 1 << 30, 1),
        (2.0**-32, False, 1 << 30, -31),
        (2.0**-33, False, 0, 0),
        (0.0, False, 0, 0),
    ],
)
def test_factors(factor: float, single: bool, fraction: int, shift: int) -> None:
    found = fixed_point((factor,), single)
    assert (int(found.fraction), int(found.shift)) == (fraction, shift)


def test_several_factors_lie_along_the_last_dimension() -> None:
    x = np.array([[8, 8], [-20, -20]], np.int64)
    assert scale(x, fixed_point((0.5, 0.25))).tolist() == [[4, 2], [-10, -5]]


@given(st.integers(-(2**30), 2**30 - 1), st.floats(1e-9, 1.9), st.sampled_from(ROUNDING))
def test_products_against_fractions(value: int, factor: float, rounding: tuple[int, Callable[[Fraction], int]]) -> None:
    round_type, last = rounding
    assert int(scale(np.array(value, np.int64), fixed_point((factor,)), round_type)) == times(value, factor, last)


@pytest.mark.parametrize("factor", [2.0**20, 2.0**40, 1e30])
def test_what_is_too_large_ends_at_the_limit(factor: float) -> None:
    found = scale(np.array([2**40, 2**20, 0, -(2**20), -(2**40)], np.int64), fixed_point((factor,)))
    assert np.sign(found).tolist() == [1, 1, 0, -1, -1]
    assert (np.abs(found[[0, 1, 3, 4]]) >= 2**30).all()
    assert scale(np.array([2**40, -(2**40)]), fixed_point((0.5,))).tolist() == [2**30, -(2**30)]


@pytest.mark.parametrize(("round_type", "expected"), [(1, [3, -3, 2, -2]), (2, [3, -2, 2, -1]), (0, [2, -3, 1, -2])])
def test_halves(round_type: int, expected: list[int]) -> None:
    x = np.array([5, -5, 3, -3], np.int64) * 2
    assert scale(x, fixed_point((0.25,)), round_type).tolist() == expected


@given(st.floats(-(2.0**40), 2.0**40))
def test_halves_of_real_numbers_go_away_from_zero(value: float) -> None:
    assert float(round_half_away(np.array(value))) == half_away(value)


def test_the_number_below_a_half_is_rounded_to_zero() -> None:
    below = np.nextafter(0.5, 0)
    assert round_half_away(np.array([below, -below, 0.5, -0.5])).tolist() == [0, 0, 1, -1]


@given(st.floats(1e-3, 1e3), st.integers(-128, 127))
def test_every_integer_survives_the_way_there_and_back(size: float, zero_point: int) -> None:
    quantization, every = Quantization((size,), (zero_point,)), np.arange(-128, 128).astype(np.int8)
    np.testing.assert_array_equal(quantize(dequantize(every, quantization), quantization, every.dtype), every)
