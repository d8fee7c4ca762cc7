"""Metrics against loops over Python numbers."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from lite_delegate_kernels import pack_strings

from lite_delegate.compare import Metrics, metrics_of

FLOATS: dict[np.dtype, tuple[str, str, int]] = {
    np.dtype("e"): ("e", "h", 16),
    np.dtype("f"): ("f", "i", 32),
    np.dtype("d"): ("d", "q", 64),
}
INTEGERS = [np.dtype(code) for code in ("i1", "u1", "i2", "i4", "u4", "i8", "u8")]


def number_of(x: float, dtype: np.dtype) -> int:
    """Which number of its type a float is, counted from zero."""
    code, integer, bits = FLOATS[dtype]
    pattern: int = struct.unpack(f"<{integer}", struct.pack(f"<{code}", float(x)))[0]
    return pattern if pattern >= 0 else -(pattern + 2 ** (bits - 1))


def pairs(dtype: np.dtype) -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
    arrays = npst.arrays(dtype, st.integers(0, 6))
    return arrays.flatmap(lambda a: st.tuples(st.just(a), npst.arrays(dtype, a.shape)))


def as_float(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf


def check_largest(found: Metrics, got: Sequence[float], want: Sequence[float]) -> None:
    """Exact absolute and relative errors of finite numbers."""
    exact = [abs(Fraction(a) - Fraction(b)) for a, b in zip(got, want, strict=True)]
    assert found.max_abs == pytest.approx(as_float(max(exact)), rel=1e-12)
    relative = [e / abs(Fraction(b)) for e, b in zip(exact, want, strict=True) if b]
    if not relative:
        assert found.max_rel is None
    elif max(exact) < 10**300:
        assert found.max_rel == pytest.approx(as_float(max(relative)), rel=1e-12)


@given(st.sampled_from(list(FLOATS)).flatmap(pairs))
def test_floats(pair: tuple[np.ndarray, np.ndarray]) -> None:
    got, want = pair
    found = metrics_of(got, want)
    both = list(zip(got.tolist(), want.tolist(), strict=True))
    same = [a == b or (a != a and b != b) for a, b in both]
    finite = [math.isfinite(a) and math.isfinite(b) for a, b in both]
    assert found.elements == len(both)
    assert found.differing == len(both) - sum(same)
    assert found.unlike == sum(not s and not f for s, f in zip(same, finite, strict=True))
    kept = [pair for pair, f in zip(both, finite, strict=True) if f]
    if not kept:
        assert (found.max_abs, found.max_rel, found.max_ulp, found.cosine, found.snr_db) == (None,) * 5
        return
    check_largest(found, [a for a, _ in kept], [b for _, b in kept])
    assert found.max_ulp == max(abs(number_of(a, want.dtype) - number_of(b, want.dtype)) for a, b in kept)
    assert (found.snr_db is None) == (found.unlike > 0)


@given(st.sampled_from(INTEGERS).flatmap(pairs))
def test_integers(pair: tuple[np.ndarray, np.ndarray]) -> None:
    got, want = pair[0].tolist(), pair[1].tolist()
    found = metrics_of(*pair)
    assert found.differing == sum(a != b for a, b in zip(got, want, strict=True))
    assert found.unlike == 0
    if not want:
        assert found.max_ulp is None
        return
    check_largest(found, got, want)
    assert found.max_ulp == max(abs(a - b) for a, b in zip(got, want, strict=True))


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6)] * 2), min_size=1))
def test_signal_to_noise_and_cosine(both: list[tuple[float, float]]) -> None:
    got, want = np.array(both).T
    found = metrics_of(got, want)
    noise = math.fsum((a - b) ** 2 for a, b in both)
    signal, power = math.fsum(b * b for _, b in both), math.fsum(a * a for a, _ in both)
    if noise == 0:
        assert found.snr_db == math.inf
    elif signal == 0:
        assert found.snr_db == -math.inf
    else:
        assert found.snr_db == pytest.approx(10 * math.log10(signal / noise), abs=1e-9)
    if signal and power:
        expected = math.fsum(a * b for a, b in both) / math.sqrt(signal * power)
        assert found.cosine == pytest.approx(expected, abs=1e-12)
    else:
        assert found.cosine == (1.0 if signal == power else 0.0)


def test_bool_counts_as_0_and_1() -> None:
    found = metrics_of(np.array([True, False, True]), np.array([True, True, False]))
    assert (found.differing, found.max_abs, found.max_ulp) == (2, 1.0, None)
    assert metrics_of(np.array([True]), np.array([True])).max_abs == 0


def test_nan_and_infinity_are_compared_by_kind() -> None:
    nan, inf = np.nan, np.inf
    found = metrics_of(np.array([nan, inf, inf, 1.0, nan]), np.array([nan, inf, -inf, nan, 1.0]))
    assert (found.elements, found.differing, found.unlike, found.max_abs) == (5, 3, 3, None)


def test_empty() -> None:
    assert metrics_of(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)) == Metrics(0, 0, 0, *[None] * 5)


def test_numbers_beyond_the_range_of_squares() -> None:
    found = metrics_of(np.array([3e200, 4e200]), np.array([4e200, 3e200]))
    assert found.cosine == pytest.approx(0.96)
    assert found.snr_db == pytest.approx(20 * math.log10(5 / math.sqrt(2)))


def test_strings_are_counted() -> None:
    want = pack_strings([b"one", b"two", b""])
    assert metrics_of(want, want) == Metrics(3, 0, 0, *[None] * 5)
    assert metrics_of(pack_strings([b"one", b"three", b""]), want).differing == 1
    assert metrics_of(pack_strings([b"one"]), want).differing == 2
    assert metrics_of(np.zeros(3, want.dtype), want).differing == 3
