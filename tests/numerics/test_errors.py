"""The numbers of an operator, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite_delegate.conformance.judging.case import Array
from lite_delegate.numerics.errors import measure


def f32(*values: float) -> Array:
    return np.array(values, np.float32)


def test_exact_outputs_have_no_error_and_an_infinite_ratio() -> None:
    errors = measure([f32(1, -2)], [f32(1, -2)])
    assert (errors.max_abs, errors.max_rel, errors.max_ulp, errors.snr_db) == (0.0, 0.0, 0, math.inf)


def test_the_numbers_of_a_small_difference() -> None:
    errors = measure([f32(3.0, 4.5)], [f32(3.0, 4.0)])
    assert errors.max_abs == 0.5
    assert errors.max_rel == 0.125
    assert errors.max_ulp == 2**20  # 4.0 to 4.5 is an eighth of a binade of 2**23 numbers
    assert errors.snr_db == pytest.approx(10 * math.log10((9 + 16) / 0.25))


def test_ulps_are_steps_between_neighbors_across_zero() -> None:
    one = np.nextafter(np.float32(1), np.float32(2))
    assert measure([f32(float(one))], [f32(1)]).max_ulp == 1
    tiny = np.float32(1e-45)
    assert measure([np.array([-tiny])], [np.array([tiny])]).max_ulp == 2
    assert measure([f32(-0.0)], [f32(0.0)]).max_ulp == 0
    half = np.array([1.0], np.float16)
    assert measure([half + np.float16(2**-10)], [half]).max_ulp == 1
    wide = np.array([-np.finfo(np.float64).max]), np.array([np.finfo(np.float64).max])
    assert measure([wide[0]], [wide[1]]).max_ulp == 2 * (0x7FEFFFFFFFFFFFFF)


def test_relative_errors_leave_out_an_expected_zero() -> None:
    errors = measure([f32(1, 2)], [f32(0, 4)])
    assert (errors.max_abs, errors.max_rel) == (2.0, 0.5)
    assert measure([f32(1)], [f32(0)]).max_rel is None
    assert measure([f32(1)], [f32(0)]).snr_db == -math.inf


def test_integers_do_not_overflow_and_have_no_ulps() -> None:
    errors = measure([np.array([127, 5], np.int8)], [np.array([-128, 5], np.int8)])
    assert (errors.max_abs, errors.max_ulp) == (255.0, None)
    top = np.array([2**64 - 1], np.uint64)
    assert measure([top - np.uint64(1)], [top]).max_abs == 1.0
    assert measure([np.array([True])], [np.array([False])]).max_abs == 1.0


def test_infinities_and_nan_count_where_they_differ() -> None:
    nan, inf = math.nan, math.inf
    assert measure([f32(nan, inf, 1)], [f32(nan, inf, 1)]).snr_db == math.inf
    for got in (f32(nan, 1), f32(-inf, 1), f32(2, 1)):
        errors = measure([got], [f32(inf, 1)])
        assert (errors.max_abs, errors.snr_db) == (0.0, None)


def test_several_outputs_give_the_worst_of_each() -> None:
    errors = measure([f32(1), f32(2.5)], [f32(1), f32(2)])
    assert (errors.max_abs, errors.max_rel) == (0.5, 0.25)
    assert errors.snr_db == pytest.approx(20 * math.log10(4))


def test_large_and_small_numbers_stay_in_range() -> None:
    want = np.array([1e300, 1e300])
    assert measure([want * (1 + 1e-3)], [want]).snr_db == pytest.approx(60)
    assert measure([want * 1e-320 * 2], [want * 1e-320]).snr_db == pytest.approx(0, abs=0.01)


def test_differences_beyond_the_range_of_float64() -> None:
    largest = float(np.finfo(np.float64).max)
    errors = measure([np.array([largest, 1, 5e-324])], [np.array([-largest, 1, 1e-323])])
    assert (errors.max_abs, errors.max_rel) == (math.inf, 2)
    assert errors.snr_db == pytest.approx(20 * math.log10(1 / 2))
    assert measure([np.array([0.0, 1.0])], [np.array([-5e-324, 5e-324])]).snr_db == pytest.approx(
        20 * math.log10(5e-324) + 10 * math.log10(2)
    )


def test_nothing_to_compare() -> None:
    empty = np.zeros((0, 3), np.float32)
    errors = measure([empty], [empty])
    assert (errors.max_abs, errors.max_rel, errors.max_ulp, errors.snr_db) == (0.0, None, None, None)
