"""Tolerances: the default by hand, rounding against numpy's own types and a loop, integers exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import DataType, Tensor
from lite_delegate.compare.subgraphs.tolerance import AskedTolerance, default_tolerance
from lite_delegate.ir import QuantParam
from lite_delegate.numerics.rounding import BITS, coarse, rounding
from lite_delegate.numerics.tolerance import Tolerance, beyond
from tests.present import present

F16, F32 = DataType.FLOAT16, DataType.FLOAT32


def tensor(dtype: DataType = F32, *, quantized: bool = False) -> Tensor:
    params = (QuantParam(0.1, 3, inited=True),) if quantized else ()
    return Tensor.describe("t", dtype, None, quant_params=params)


def test_a_device_of_float16_is_granted_its_roundings() -> None:
    want, rounded = np.array([1.0, -8.0, np.inf], np.float32), np.array([1.0, -8.25, np.nan], np.float32)
    tolerance = default_tolerance(tensor(), want, rounded, F16)
    assert tolerance.rtol == 4 * 2**-11
    assert tolerance.atol == pytest.approx(4 * 2**-11 * 8 + 2**-24 + 2 * 0.25, rel=1e-12)


@pytest.mark.parametrize("storage", [None, F32])
def test_a_device_of_float32_is_granted_what_the_conformance_suite_does(storage: DataType | None) -> None:
    tolerance = default_tolerance(tensor(), np.array([2.0], np.float32), None, storage)
    assert tolerance.rtol == 1e-5
    assert tolerance.atol == pytest.approx(2e-5)


def test_quantized_integers_may_be_a_step_off_and_others_may_not() -> None:
    want, rounded = np.array([5, 9], np.int8), np.array([5, 12], np.int8)
    quantized = default_tolerance(tensor(DataType.INT8, quantized=True), want, rounded, F16)
    plain = default_tolerance(tensor(DataType.INT8), want, rounded, F16)
    np.testing.assert_array_equal(quantized.atol, [1, 7])
    np.testing.assert_array_equal(plain.atol, [0, 6])
    assert default_tolerance(tensor(DataType.INT8), want, None, F16).accepts(want, want).all()


@given(st.lists(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 2), min_size=1), st.integers(0, 3))
def test_integers_are_compared_exactly(both: list[tuple[int, int]], atol: int) -> None:
    got, want = (np.array(x, np.int64) for x in zip(*both, strict=True))
    assert beyond(Tolerance(0.0, float(atol)), got, want) == sum(abs(a - b) > atol for a, b in both)


def test_integers_that_float64_cannot_tell_apart() -> None:
    got, want = np.array([2**60 + 1, -(2**63)], np.int64), np.array([2**60, 2**63 - 1], np.int64)
    assert beyond(Tolerance(0.0, 0.0), got, want) == 2
    assert beyond(Tolerance(0.0, 1.0), got, want) == 1


@given(st.floats(width=32, allow_nan=False, allow_infinity=False).filter(lambda x: x == 0 or abs(x) > 1e-37))
def test_rounding_to_few_bits(x: float) -> None:
    """To the nearest number with ``BITS`` significant bits, ties to the even one."""
    found = Fraction(coarse(np.array([x], np.float32), None)[0].item()) if abs(x) < 3e38 else None
    if found is None:
        return
    exponent = 0
    while x and abs(Fraction(x)) / Fraction(2) ** exponent >= 2**BITS:
        exponent += 1
    while x and abs(Fraction(x)) / Fraction(2) ** exponent < 2 ** (BITS - 1):
        exponent -= 1
    assert found == round(Fraction(x) / Fraction(2) ** exponent) * Fraction(2) ** exponent


def test_rounding_to_a_coarser_type_and_what_is_no_float() -> None:
    x = np.array([1 + 2**-12, 70000, np.nan], np.float32)
    np.testing.assert_array_equal(coarse(x, F16), np.array([1, np.inf, np.nan], np.float32))
    half, integers = np.array([0.1], np.float16), np.array([3])
    assert coarse(half, None) is half
    assert coarse(integers, F16) is integers


def test_inputs_and_results_of_a_function_are_rounded() -> None:
    seen = []

    def function(x: np.ndarray, absent: None) -> tuple[np.ndarray, np.ndarray]:
        seen.append(x.item())
        return x + np.float32(2**-12), x

    first, second = rounding(function, F16)(np.array(1 + 2**-12, np.float32), None)
    assert (seen, first.item(), second.item()) == ([1.0], 1.0, 1.0)


@pytest.mark.parametrize(
    ("limits", "rule"),
    [
        (AskedTolerance(0.5), (0.5, 0.0)),
        (AskedTolerance(None, 0.25), (0.0, 0.25)),
        (AskedTolerance(0.0, 0.0), (0.0, 0.0)),
    ],
)
def test_the_user_s_limits(limits: AskedTolerance, rule: tuple[float, float]) -> None:
    tolerance = present(limits.tolerance)
    assert (tolerance.rtol, tolerance.atol) == rule


def test_without_limits_the_default_holds() -> None:
    assert AskedTolerance().tolerance is None
