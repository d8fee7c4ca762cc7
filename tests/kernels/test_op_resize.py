"""What Resize promises beyond its conformance cases."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels.op_resize import resize

RNG = np.random.default_rng(120)


@pytest.mark.parametrize("method", ["LINEAR", "CUBIC"])
def test_float16_is_rounded_once(method: str) -> None:
    x = RNG.normal(size=(1, 5, 6, 8)).astype(np.float16)
    size = np.array([7, 9], dtype=np.int32)
    wide = resize(x.astype(np.float32), size, method=method, cubic_coeff=-0.75)
    half = resize(x, size, method=method, cubic_coeff=-0.75)
    np.testing.assert_array_equal(half, wide.astype(np.float16), strict=True)


@pytest.mark.parametrize("mode", ["ASYMMETRIC", "HALF_PIXEL"])
def test_nearest_positions_are_exact_at_any_size(mode: str) -> None:
    # 49 * (1 / 49) is below 1 in floating point: a coordinate must not fall to the pixel before.
    x = np.arange(49.0).reshape(1, 49, 1, 1)
    out = resize(x, np.array([49 * 3, 1]), method="NEAREST", coordinate_transform_mode=mode)
    offset = 0 if mode == "ASYMMETRIC" else 1
    expected = [max((2 * o + offset) * 49 - offset * 147, 0) // (2 * 147) for o in range(49 * 3)]
    assert out.ravel().tolist() == expected


@pytest.mark.parametrize("method", ["LINEAR", "NEAREST", "CUBIC"])
def test_the_same_size_gives_the_same_values(method: str) -> None:
    x = np.array([[[[1.0], [np.inf]], [[np.nan], [-2.0]]]], dtype=np.float32)
    out = resize(x, np.array([2, 2]), method=method, cubic_coeff=-0.5)
    np.testing.assert_array_equal(out, x, strict=True)


def test_linear_spreads_infinity_to_its_neighbors_only() -> None:
    x = np.zeros((1, 1, 6, 1), dtype=np.float32)
    x[0, 0, 0, 0] = np.inf
    out = resize(x, np.array([1, 12]), method="LINEAR").ravel()
    assert out[:2].tolist() == [np.inf, np.inf]
    assert np.isfinite(out[2:]).all()
