"""Precision of floating-point types, against numpy's own words and the package ``ml_dtypes``."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import DataType
from lite_delegate.compare.subgraphs.tolerance import default_tolerance
from lite_delegate.numerics.precision import precision_of
from lite_delegate.numerics.rounding import as_stored, coarse
from lite_delegate.tensors.tensor import Tensor

ml_dtypes = pytest.importorskip("ml_dtypes", reason="the package ml_dtypes is not installed")
BF16 = DataType.BFLOAT16


@pytest.mark.parametrize(("storage", "dtype"), [(DataType.FLOAT16, np.float16), (DataType.FLOAT32, np.float32)])
def test_precision_of_types_that_numpy_has(storage: DataType, dtype: type[np.floating]) -> None:
    limits = np.finfo(dtype)
    for found in (precision_of(storage), precision_of(np.dtype(dtype))):
        assert (2 * found.rounding, found.smallest) == (float(limits.eps), float(limits.smallest_subnormal))
        assert found.digits == limits.nmant


def test_bfloat16_has_no_subnormal_numbers() -> None:
    limits, found = ml_dtypes.finfo(ml_dtypes.bfloat16), precision_of(BF16)
    assert (2 * found.rounding, found.digits) == (float(limits.eps), limits.nmant)
    assert found.smallest == float(limits.smallest_normal)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_arrays_are_rounded_to_bfloat16(dtype: type[np.floating]) -> None:
    x = np.random.default_rng(0).standard_normal(200).astype(np.float32).astype(dtype)
    x[:3] = np.inf, np.nan, 0
    expected = x.astype(np.float32).astype(ml_dtypes.bfloat16).astype(dtype)
    for found in (as_stored(x, BF16), coarse(x, BF16)):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected)
    with np.errstate(all="raise"):
        assert as_stored(np.array([3.4e38], np.float32), BF16) == [np.inf]


def test_a_device_of_bfloat16_is_granted_its_roundings() -> None:
    want, rounded = np.array([1.0, -8.0], np.float32), np.array([1.0, -8.25], np.float32)
    tolerance = default_tolerance(Tensor.describe("t", DataType.FLOAT32, None), want, rounded, BF16)
    assert tolerance.rtol == 4 * 2**-8
    assert tolerance.atol == pytest.approx(4 * 2**-8 * 8 + 2 * 0.25, rel=1e-12)
