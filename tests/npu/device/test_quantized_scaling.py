"""Factors in fixed point, their two roundings and saturation, against Python's fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.quantized_scaling import (
    FixedPoint,
    Requantization,
    ResultRounding,
    fixed_point,
)
from lite_delegate.npu.device.programs.program import ElementType
from tests.npu.quantized_loops import half_away, requantized, scaled

SUMS = st.integers(-(2**31), 2**31 - 1)
FACTORS = st.floats(2.0**-31, 2.0**6)


@given(FACTORS)
def test_a_factor_is_kept_with_31_bits(factor: float) -> None:
    made = fixed_point([factor])
    kept = Fraction(made.multipliers[0], 2**31) * Fraction(2) ** made.shifts[0]
    assert 2**30 <= made.multipliers[0] < 2**31
    assert abs(kept / Fraction(factor) - 1) <= Fraction(1, 2**31)


def test_the_next_number_below_a_power_of_two_rounds_up_to_it() -> None:
    assert fixed_point([float(np.nextafter(1.0, 0.0))]) == FixedPoint((2**30,), (1,))


def test_factors_below_the_smallest_shift_are_zero() -> None:
    assert fixed_point([2.0**-32]) == FixedPoint((2**30,), (-31,))
    assert fixed_point([2.0**-33]) == FixedPoint((0,), (0,))


def test_factors_can_be_rounded_to_float32_first() -> None:
    assert fixed_point([1 / 3], single_precision=True) == fixed_point([float(np.float32(1 / 3))])
    assert fixed_point([1 / 3], single_precision=True) != fixed_point([1 / 3])


@given(st.lists(SUMS, min_size=1, max_size=20), FACTORS, st.sampled_from(list(ResultRounding)))
def test_scaling_equals_the_fractions(sums: list[int], factor: float, rounding: ResultRounding) -> None:
    made = fixed_point([factor], rounding)
    got = made.scaled(np.array(sums, np.int64), -1)
    assert got.tolist() == [scaled(value, made) for value in sums]


@given(st.lists(SUMS, min_size=12, max_size=12), st.lists(FACTORS, min_size=3, max_size=3))
def test_each_channel_has_its_factor(sums: list[int], factors: list[float]) -> None:
    made = fixed_point(factors)
    got = made.scaled(np.array(sums, np.int64).reshape(2, 3, 2), -2)
    want = [scaled(value, made, position // 2 % 3) for position, value in enumerate(sums)]
    assert got.reshape(-1).tolist() == want


@pytest.mark.parametrize(
    ("rounding", "want"),
    [
        (ResultRounding.HALF_AWAY, [-2, -1, -1, 0, 1, 1, 2]),
        (ResultRounding.HALF_UP, [-1, -1, 0, 0, 1, 1, 2]),
        (ResultRounding.DOWN, [-2, -1, -1, 0, 0, 1, 1]),
    ],
)
def test_halves(rounding: ResultRounding, want: list[int]) -> None:
    sums = np.array([-3, -2, -1, 0, 1, 2, 3], np.int64)
    half = FixedPoint((2**30,), (0,), rounding)
    assert half.scaled(2 * sums, -1).tolist() == sums.tolist()
    quarter = FixedPoint((2**30,), (-1,), rounding)
    assert quarter.scaled(2 * sums, -1).tolist() == want


@given(SUMS, st.floats(2.0**-20, 4.0), st.sampled_from(list(ResultRounding)))
def test_a_requantized_number_is_within_a_step_of_the_real_one(
    value: int, factor: float, rounding: ResultRounding
) -> None:
    """Half a step of the last rounding (a whole one where it goes down), and 2**-31 of the number for the first."""
    made = fixed_point([factor], rounding)
    got, real = int(made.scaled(np.array([value], np.int64), -1)[0]), value * Fraction(factor)
    if abs(value) * 2 ** max(0, made.shifts[0]) < 2**31:  # else it saturates when it is shifted
        last = Fraction(1) if rounding is ResultRounding.DOWN else Fraction(1, 2)
        assert abs(got - real) <= last + Fraction(1, 2) + abs(real) / 2**30
        if factor <= 2.0**-4 and rounding is not ResultRounding.DOWN:
            assert abs(got - real) <= last + Fraction(1, 16) + abs(real) / 2**30


def test_sums_beyond_32_bits_end_at_their_limit() -> None:
    to = Requantization(fixed_point([2.0**-26]), -3, -128, 127, ElementType.INT8)
    sums = [2**31 - 1, 2**31, 2**40, -(2**31), -(2**31) - 1, -(2**40)]
    assert to.applied(np.array(sums, np.int64), -1).tolist() == [29, 29, 29, -35, -35, -35]


@given(SUMS, FACTORS, st.integers(-128, 127), st.integers(-128, 127), st.integers(0, 255))
def test_the_zero_point_is_added_before_the_bounds(value: int, factor: float, point: int, low: int, room: int) -> None:
    to = Requantization(fixed_point([factor]), point, low, min(127, low + room), ElementType.INT8)
    got = to.applied(np.array([value], np.int64), -1)
    assert got.dtype == np.int8
    assert got.tolist() == [requantized(value, to)]


def test_unsigned_results() -> None:
    to = Requantization(fixed_point([1.0]), 128, 0, 255, ElementType.UINT8)
    got = to.applied(np.array([-200, -128, 0, 127, 200], np.int64), -1)
    assert (got.dtype, got.tolist()) == (np.uint8, [0, 0, 128, 255, 255])


def test_a_scalar_is_scaled_like_any_other_array() -> None:
    to = Requantization(fixed_point([0.25]), 1, -128, 127, ElementType.INT8)
    got = to.applied(np.array(10, np.int64), -1)
    assert (got.shape, got.item()) == ((), half_away(2.5) + 1)
