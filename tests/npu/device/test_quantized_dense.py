"""Convolutions and products of quantized integers, bit for bit against loops over whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.quantized_convolution import QuantizedConvolution
from lite_delegate.npu.device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from lite_delegate.npu.device.instructions.quantized_matmul import QuantizedMatMul
from lite_delegate.npu.device.instructions.quantized_scaling import Requantization, ResultRounding, fixed_point
from lite_delegate.npu.device.instructions.quantized_sums import exact_type
from lite_delegate.npu.device.instructions.quantized_transposed_convolution import QuantizedTransposedConvolution
from lite_delegate.npu.device.programs.instruction import Work
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from tests.npu import quantized_loops as loops
from tests.npu.quantized_loops import integers

WINDOW = Window((3, 2), (2, 1), (1, 2), (1, 1), (3, 4))
"""Over 5 x 4: a row of padding above and below, a column of it on the left and on the right."""


def to_int8(
    channels: int, factor: float = 0.003, rounding: ResultRounding = ResultRounding.HALF_AWAY
) -> Requantization:
    factors = [factor * (1 + k) for k in range(channels)]
    return Requantization(fixed_point(factors, rounding), -5, -100, 90, ElementType.INT8)


def bias(channels: int, seed: int = 9) -> np.ndarray:
    return np.random.default_rng(seed).integers(-9000, 9000, channels).astype(np.int32)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize(("zero", "zeros"), [(0, (0,)), (-7, (3,)), (200, (1, -2, 3, -4, 5, 100))])
def test_convolution(dtype: Any, group: int, with_bias: bool, zero: int, zeros: tuple[int, ...]) -> None:
    x, weight = integers((2, 4, 5, 4), 1, dtype), integers((6, 3, 2, 4 // group), 2, dtype)
    added = [bias(6)] if with_bias else []
    want = loops.convolution(x, weight, added[0] if with_bias else None, WINDOW, (zero, zeros), group)
    to = to_int8(6, 50 / max(map(abs, want.values())))
    got = QuantizedConvolution(WINDOW, zero, zeros, to, group).run([x, weight, *added])
    np.testing.assert_array_equal(got, loops.stored(want, (2, 6, 3, 4), to, 1))
    assert len(np.unique(got)) > 20


@pytest.mark.parametrize("rounding", list(ResultRounding))
@pytest.mark.parametrize(("zero", "zeros"), [(-7, (3,)), (11, (1, -2, 3))])
def test_depthwise_convolution(rounding: ResultRounding, zero: int, zeros: tuple[int, ...]) -> None:
    x, weight, added = integers((2, 3, 5, 4), 3), integers((3, 3, 2, 1), 4), bias(3)
    to = to_int8(3, 0.005, rounding)
    got = QuantizedDepthwiseConvolution(WINDOW, zero, zeros, to).run([x, weight, added])
    want = loops.convolution(x, weight, added, WINDOW, (zero, zeros), 3)
    np.testing.assert_array_equal(got, loops.stored(want, (2, 3, 3, 4), to, 1))
    unbiased = QuantizedDepthwiseConvolution(WINDOW, zero, zeros, to).run([x, weight])
    want = loops.convolution(x, weight, None, WINDOW, (zero, zeros), 3)
    np.testing.assert_array_equal(unbiased, loops.stored(want, (2, 3, 3, 4), to, 1))


@pytest.mark.parametrize(("group", "zeros"), [(1, (0,)), (1, (1, -2, 30)), (2, (5,))])
@pytest.mark.parametrize("zero", [0, -9])
def test_transposed_convolution(group: int, zeros: tuple[int, ...], zero: int) -> None:
    x, weight = integers((2, 4, 3, 4), 13), integers((4, 3, 2, 3), 14)
    window, added, to = Window((3, 2), (2, 1), (1, 2), (1, 0), (6, 6)), bias(3 * group), to_int8(3 * group, 0.0004)
    got = QuantizedTransposedConvolution(window, zero, zeros, to, group).run([x, weight, added])
    want = loops.transposed(x, weight, added, window, (zero, zeros), group)
    np.testing.assert_array_equal(got, loops.stored(want, (2, 3 * group, 6, 6), to, 1))
    assert len(np.unique(got)) > 20


@pytest.mark.parametrize(("transpose_a", "transpose_b"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("zero", "zeros"), [(0, (0,)), (-7, (1, -2, 3, -4, 5))])
def test_matmul(transpose_a: bool, transpose_b: bool, zero: int, zeros: tuple[int, ...]) -> None:
    a, b, added, to = integers((4, 30), 5), integers((30, 5), 6), bias(5), to_int8(5, 0.001)
    instruction = QuantizedMatMul(zero, zeros, to, transpose_a, transpose_b)
    got = instruction.run([a.T if transpose_a else a, b.T if transpose_b else b, added])
    want = loops.matmul(a, b, added, (zero, zeros))
    np.testing.assert_array_equal(got, loops.stored(want, (4, 5), to, 1))


def test_batches_of_matrices_broadcast() -> None:
    a, b, to = integers((2, 1, 3, 6), 7), integers((4, 6, 2), 8), to_int8(1, 0.002)
    got = QuantizedMatMul(3, (0,), to).run([a, b])
    assert got.shape == (2, 4, 3, 2)
    for i, j in np.ndindex(2, 4):
        want = loops.matmul(a[i, 0], b[j], None, (3, (0,)))
        np.testing.assert_array_equal(got[i, j], loops.stored(want, (3, 2), to, 1))


@pytest.mark.parametrize("terms", [257, 258, 259, 5000])
def test_sums_stay_exact_where_float32_is_not(terms: int) -> None:
    """Sums of 255 * 255 products reach 2**24 with 259 of them; odd sums beyond are no float32 numbers."""
    a, b = np.full((1, terms), 127, np.int8), np.full((terms, 1), 127, np.int8)
    a[0, 0] = 126
    total = (254 + 255 * (terms - 1)) * 255
    to = Requantization(fixed_point([1.0]), -total, -128, 127, ElementType.INT8)
    assert QuantizedMatMul(-128, (-128,), to).run([a, b]).tolist() == [[0]]


def test_the_narrow_type_is_used_up_to_its_limit() -> None:
    x = np.zeros(1, np.int8)
    within, beyond = np.full((258, 1), 255.0), np.full((259, 1), 255.0)
    assert exact_type(x, -128, within, (0,)) == np.float32
    assert exact_type(x, -128, beyond, (0,)) == np.float64


def test_sums_beyond_32_bits_saturate() -> None:
    terms = 33100  # of 255 * 255: just beyond 2**31
    a, b = np.full((1, terms), 127, np.int8), np.full((terms, 1), 127, np.int8)
    to = Requantization(fixed_point([2.0**-25]), 0, -128, 127, ElementType.INT8)
    assert QuantizedMatMul(-128, (-128,), to).run([a, b]).tolist() == [[64]]
    wrapped = np.array([255 * 255 * terms], np.int64).astype(np.int32)
    assert wrapped[0] < 0


def test_work_counts_the_products_and_the_requantization() -> None:
    to = to_int8(1)
    dense = QuantizedConvolution(WINDOW, 0, (0,), to).work([(2, 4, 5, 4), (6, 3, 2, 4)], (2, 6, 3, 4))
    assert dense == Work(macs=144 * 24, vector=144)
    product = QuantizedMatMul(0, (0,), to, transpose_a=True).work([(30, 4), (30, 5)], (4, 5))
    assert product == Work(macs=20 * 30, vector=20)


@pytest.mark.parametrize("rows", [1, 3])
def test_large_inputs_are_worked_on_in_blocks_of_rows(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x, weight, to = integers((2, 4, 7, 6), 11), integers((5, 3, 3, 4), 12), to_int8(5)
    window = Window((3, 3), (1, 1), (1, 1), (1, 1), (7, 6))
    instruction = QuantizedConvolution(window, 4, (0,), to)
    whole = instruction.run([x, weight])
    row_bytes = 2 * 36 * 6 * 4
    monkeypatch.setattr("lite_delegate.npu.device.instructions.quantized_sums.COLUMN_BYTES", rows * row_bytes)
    np.testing.assert_array_equal(instruction.run([x, weight]), whole)
