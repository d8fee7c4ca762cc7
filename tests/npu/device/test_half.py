"""Rounding by a large addend against numpy's conversion, which goes element by element."""

import numpy as np
import pytest

from lite_delegate.npu.device.programs.half import BLOCK, from_half, round_to_half, to_half
from lite_delegate.npu.device.programs.instruction import narrow

PATTERNS = np.arange(2**16, dtype=np.uint16)
HALVES = PATTERNS.view(np.float16)


def assert_same_numbers(got: np.ndarray, want: np.ndarray) -> None:
    """Bit for bit; what is not a number may differ in its payload."""
    assert got.dtype == want.dtype == np.float32
    same = (got.view(np.uint32) == want.view(np.uint32)) | (np.isnan(got) & np.isnan(want))
    assert same.all(), (got[~same][:5], want[~same][:5])


def rounded(values: np.ndarray) -> np.ndarray:
    result = values.copy()
    round_to_half(result)
    return result


def by_numpy(values: np.ndarray) -> np.ndarray:
    return narrow(values).astype(np.float32)


def neighbors() -> np.ndarray:
    """Every float16 number, the middle to the next one, and float32 numbers around both."""
    numbers = np.sort(HALVES[np.isfinite(HALVES)].astype(np.float64))
    top = 65536.0
    points = np.concatenate([[-top], numbers, [top]])
    middles = (points[1:] + points[:-1]) / 2
    exact = np.concatenate([points, middles]).astype(np.float32)
    assert (exact == np.concatenate([points, middles])).all()
    below, above = (np.nextafter(exact, np.float32(to)) for to in (-np.inf, np.inf))
    return np.concatenate([exact, below, above, -exact])


def test_every_number_its_neighbors_and_every_tie_round_as_numpy_rounds_them():
    values = neighbors()
    assert values.size > 4 * 2 * 63000
    assert_same_numbers(rounded(values), by_numpy(values))
    finite = np.abs(values) < 2.0**15  # blocks without large numbers, which take the vectorized way alone
    assert_same_numbers(rounded(values[finite]), by_numpy(values[finite]))


@pytest.mark.parametrize("exponent", range(0, 256, 3))
def test_numbers_of_every_size_round_as_numpy_rounds_them(exponent):
    mantissas = np.random.default_rng(exponent).integers(0, 2**23, 4096, np.uint32)
    bits = (np.uint32(exponent) << np.uint32(23)) | mantissas
    values = np.concatenate([bits, bits | np.uint32(2**31)]).view(np.float32)
    assert_same_numbers(rounded(values), by_numpy(values))


def test_ties_go_to_even_and_zero_keeps_its_sign():
    values = np.array([1 + 2.0**-11, 1 + 3 * 2.0**-11, 2.0**-25, 1.5 * 2.0**-24, -0.0, -(2.0**-26)], np.float32)
    want = np.array([1, 1 + 2 * 2.0**-10, 0, 2.0**-23, -0.0, -0.0], np.float32)
    assert_same_numbers(rounded(values), want)


def test_beyond_the_range_numbers_become_infinite_from_65520_on():
    values = np.array([65504, np.nextafter(np.float32(65520), np.float32(0)), 65520, -1e30, np.inf, np.nan], np.float32)
    assert_same_numbers(rounded(values), np.array([65504, 65504, np.inf, -np.inf, np.inf, np.nan], np.float32))


@pytest.mark.parametrize("size", [0, 1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_arrays_of_any_size_are_rounded_to_their_end(size):
    values = np.random.default_rng(size).standard_normal(size, np.float32)
    if size > BLOCK:
        values[BLOCK + 3 if size > BLOCK + 3 else 3] = 70000.0
    assert_same_numbers(rounded(values), by_numpy(values))
    assert_same_numbers(to_half(rounded(values)).astype(np.float32), by_numpy(values))


def test_a_scalar_and_an_empty_array_are_rounded():
    assert rounded(np.array(1.0003, np.float32)) == np.float32(np.float16(1.0003))
    assert rounded(np.empty((2, 0), np.float32)).shape == (2, 0)


def test_float16_numbers_go_to_float32_arrays_and_back():
    wide = from_half(HALVES)
    assert_same_numbers(wide, HALVES.astype(np.float32))
    finite = np.isfinite(HALVES)
    assert (to_half(wide[finite]).view(np.uint16) == PATTERNS[finite]).all()
    back = to_half(wide)
    assert ((back.view(np.uint16) == PATTERNS) | (np.isnan(back) & np.isnan(HALVES))).all()
    assert to_half(wide.reshape(256, 256).T).shape == (256, 256)
    assert (to_half(wide[finite][::-1]).view(np.uint16) == PATTERNS[finite][::-1]).all()
