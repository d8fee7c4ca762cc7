"""Conformance cases of Rfft, one frequency at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, length: int) -> Array:
    y = np.zeros((*x.shape[:-1], length // 2 + 1, 2), dtype=x.dtype)
    for *line, k in np.ndindex(*y.shape[:-1]):
        values = [float(v) for v in x[tuple(line)]][:length]
        angles = [-2 * math.pi * k * t / length for t in range(len(values))]
        y[(*line, k, 0)] = math.fsum(v * math.cos(a) for v, a in zip(values, angles, strict=True))
        y[(*line, k, 1)] = math.fsum(v * math.sin(a) for v, a in zip(values, angles, strict=True))
    return y


def _case(name: str, x: Array, length: int) -> ConformanceCase:
    tolerance = 1e-12 if x.dtype == np.float64 else 1e-5
    attributes = {"fft_length": length}
    return ConformanceCase(name, "Rfft", (x,), (_loop(x, length),), attributes, rtol=tolerance, atol=tolerance)


def cases() -> Iterator[ConformanceCase]:
    """Lengths even, odd, prime and 1, signals too long and too short, ranks 1 to 4, both types, empty arrays."""
    rng = np.random.default_rng(123)
    for length in (1, 2, 3, 7, 8, 15, 16, 17):
        yield _case(f"length_{length}", rng.normal(size=(2, length)).astype(np.float32), length)
    x = rng.normal(size=(3, 10)).astype(np.float32)
    yield _case("signal_cut_off", x, 6)
    yield _case("signal_filled_up", x, 13)
    yield _case("signal_of_one_sample", x[:, :1], 4)
    yield _case("rank_1", x[0], 10)
    yield _case("rank_3", rng.normal(size=(2, 3, 8)).astype(np.float32), 8)
    yield _case("rank_4", rng.normal(size=(2, 1, 3, 4)).astype(np.float32), 4)
    yield _case("constant_signal", np.full((1, 8), 2.5, dtype=np.float32), 8)
    yield _case("float64", x.astype(np.float64), 12)
    yield _case("empty_batch", np.zeros((0, 8), dtype=np.float32), 8)
