"""erf against ``math.erf``, element by element."""

from __future__ import annotations

import math

import numpy as np
from lite_delegate_fast._erf import erf
from lite_delegate_kernels import Array


def _units_in_the_last_place(x: Array) -> float:
    want = np.array([math.erf(float(v)) for v in x])
    steps = np.spacing(np.abs(want).astype(np.float32)).astype(np.float64)
    return float(np.max(np.abs(erf(x).astype(np.float64) - want) / steps))


def test_float32_is_within_4_units_in_the_last_place() -> None:
    grid = np.linspace(-4.5, 4.5, 90001, dtype=np.float32)
    tiny = np.geomspace(1e-37, 1, 5000).astype(np.float32)
    assert _units_in_the_last_place(np.concatenate([grid, tiny, -tiny])) <= 4


def test_it_meets_1_and_does_not_go_beyond() -> None:
    edge = np.float32(4.2)
    beyond = np.array([np.nextafter(edge, np.float32(5)), 5, 30, 3e38], dtype=np.float32)
    np.testing.assert_array_equal(erf(beyond), np.ones(4, np.float32))
    np.testing.assert_array_equal(erf(-beyond), -np.ones(4, np.float32))
    assert np.abs(erf(np.linspace(3, 4.5, 50001, dtype=np.float32))).max() == 1


def test_float64_equals_the_standard_library() -> None:
    x = np.random.default_rng(1).normal(size=(3, 5)) * 2
    assert erf(x).dtype == np.float64
    np.testing.assert_array_equal(erf(x), [[math.erf(v) for v in row] for row in x])


def test_special_values_and_signed_zero() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], dtype=np.float32)
    np.testing.assert_array_equal(erf(x), np.array([np.nan, 1, -1, 0, 0], dtype=np.float32))
    assert list(np.signbit(erf(x)[3:])) == [False, True]


def test_shapes_larger_than_a_block_not_contiguous_empty_and_rank_0() -> None:
    x = np.random.default_rng(2).normal(size=(300, 70)).astype(np.float32)
    np.testing.assert_array_equal(erf(x.T), erf(x).T)
    np.testing.assert_array_equal(erf(x)[-1], erf(x[-1]))
    assert erf(np.zeros((0, 3), dtype=np.float32)).shape == (0, 3)
    scalar = erf(np.asarray(0.5, dtype=np.float32))
    assert scalar.shape == ()
    assert scalar.dtype == np.float32
