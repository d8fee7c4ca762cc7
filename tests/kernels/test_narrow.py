"""Element types that numpy does not have, against the package ``ml_dtypes``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import KernelInputError
from lite_delegate_kernels.custom.narrow import bits_of, decoded, limits, narrowed, wide_dtype

ml_dtypes = pytest.importorskip("ml_dtypes")

TYPES = {
    16: "bfloat16",
    17: "float8_e4m3fn",
    18: "float8_e4m3fnuz",
    19: "float8_e5m2",
    20: "float8_e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4_e2m1fn",
    24: "float8_e8m0fnu",
    25: "uint2",
    26: "int2",
}
LARGEST = {17: 448.0, 18: 240.0, 19: 57344.0, 20: 57344.0}
RNG = np.random.default_rng(3)
SPREAD = (RNG.normal(size=4000) * 10 ** RNG.uniform(-6, 6, 4000)).astype(np.float32)
EDGES = np.array(
    [0, -0.0, np.inf, -np.inf, 448, 464, 464.01, 480, 57344, 61440, 61441, 6, 7, 5, 2.5, -2.5, 0.25, -0.25, 0.75, 1e-9],
    np.float32,
)
NUMBERS = np.concatenate([SPREAD, EDGES])


def _same(found: Any, wanted: Any) -> None:
    np.testing.assert_array_equal(found, wanted)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])


@pytest.mark.parametrize("elem_type", TYPES)
def test_every_code(elem_type: int) -> None:
    codes = np.arange(1 << bits_of(elem_type)).astype(np.uint16 if elem_type == 16 else np.uint8)
    found = decoded(codes, elem_type)
    assert found.dtype == wide_dtype(elem_type)
    _same(found.astype(np.float32), codes.view(getattr(ml_dtypes, TYPES[elem_type])).astype(np.float32))


@pytest.mark.parametrize("elem_type", [t for t in TYPES if t != 24])
def test_rounding(elem_type: int) -> None:
    with np.errstate(all="ignore"):
        wanted = NUMBERS.astype(getattr(ml_dtypes, TYPES[elem_type])).astype(np.float32)
    _same(narrowed(NUMBERS, elem_type, saturate=False).astype(np.float32), wanted)


@pytest.mark.parametrize("elem_type", LARGEST)
def test_saturating(elem_type: int) -> None:
    clipped = np.clip(NUMBERS, -LARGEST[elem_type], LARGEST[elem_type])
    _same(narrowed(NUMBERS, elem_type), clipped.astype(getattr(ml_dtypes, TYPES[elem_type])).astype(np.float32))


@pytest.mark.parametrize("elem_type", TYPES)
def test_what_is_not_a_number(elem_type: int) -> None:
    (found,) = narrowed(np.array([np.nan], np.float32), elem_type)
    assert (found == 0) if elem_type in (21, 22, 23, 25, 26) else np.isnan(found)


@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
def test_powers_of_two(mode: str) -> None:
    onnx = pytest.importorskip("onnx")
    wanted = onnx.numpy_helper.to_float8e8m0(NUMBERS, True, mode).astype(np.float32)
    np.testing.assert_array_equal(narrowed(NUMBERS, 24, round_mode=mode), wanted)
    with pytest.raises(KernelInputError, match="round_mode must be up, down or nearest, got 'even'"):
        narrowed(NUMBERS, 24, round_mode="even")


def test_whole_numbers_lose_their_upper_bits() -> None:
    numbers = np.array([200, -200, 7, 8, -8, -9], np.int32)
    for elem_type in (21, 22, 25, 26):
        wanted = numbers.astype(getattr(ml_dtypes, TYPES[elem_type])).astype(np.int32)
        np.testing.assert_array_equal(narrowed(numbers, elem_type), wanted)
    assert [limits(t) for t in (21, 22, 25, 26)] == [(0, 15), (-8, 7), (0, 3), (-2, 1)]
