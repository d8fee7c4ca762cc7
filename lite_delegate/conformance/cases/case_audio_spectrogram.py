"""Conformance cases of AudioSpectrogram, one window and one frequency at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _strength(samples: list[float], k: int, length: int) -> float:
    size = len(samples)
    weighted = [v * (0.5 - 0.5 * math.cos(2 * math.pi * t / size)) for t, v in enumerate(samples)]
    real = math.fsum(v * math.cos(2 * math.pi * k * t / length) for t, v in enumerate(weighted))
    imaginary = math.fsum(v * math.sin(2 * math.pi * k * t / length) for t, v in enumerate(weighted))
    return real * real + imaginary * imaginary


def _loop(x: Array, size: int, stride: int, length: int, squared: bool) -> Array:
    """``length``: what a window is filled up to."""
    starts = range(0, x.shape[0] - size + 1, stride)
    y = np.zeros((x.shape[1], len(starts), length // 2 + 1), dtype=x.dtype)
    for c, w, k in np.ndindex(*y.shape):
        samples = [float(v) for v in x[starts[w] : starts[w] + size, c]]
        strength = _strength(samples, k, length)
        y[c, w, k] = strength if squared else math.sqrt(strength)
    return y


def _case(name: str, x: Array, size: int, stride: int, length: int, squared: bool = True) -> ConformanceCase:
    attributes = {"window_size": size, "stride": stride, "mag_square": squared}
    tolerance = {"float16": 1e-3, "float64": 1e-10}.get(x.dtype.name, 1e-5)
    expected = (_loop(x, size, stride, length, squared),)
    return ConformanceCase(name, "AudioSpectrogram", (x,), expected, attributes, rtol=tolerance, atol=tolerance)


def cases() -> Iterator[ConformanceCase]:
    """Windows that are powers of two and not, strides small and large, channels, both magnitudes, short sounds."""
    rng = np.random.default_rng(16)
    x = rng.normal(size=(50, 2)).astype(np.float32)
    yield _case("window_16", x, 16, 8, 16)
    yield _case("window_17_fills_up_to_32", x, 17, 8, 32)
    yield _case("window_15_fills_up_to_16", x, 15, 7, 16)
    yield _case("window_2", x, 2, 5, 2)
    yield _case("window_3", x, 3, 11, 4)
    yield _case("magnitude", x, 16, 8, 16, False)
    yield _case("magnitude_window_9", x, 9, 4, 16, False)
    yield _case("stride_1", x[:20], 8, 1, 8)
    yield _case("stride_above_window", x, 8, 20, 8)
    yield _case("stride_leaves_samples", x, 16, 9, 16)
    yield _case("one_window", x[:16], 16, 4, 16)
    yield _case("sound_shorter_than_a_window", x[:10], 16, 4, 16)
    yield _case("no_samples", x[:0], 16, 4, 16)
    yield _case("one_channel", x[:, :1], 16, 8, 16)
    yield _case("channels_7", rng.normal(size=(20, 7)).astype(np.float32), 8, 6, 8)
    yield _case("no_channels", x[:, :0], 16, 8, 16)
    yield _case("float16", x.astype(np.float16), 16, 8, 16)
    yield _case("float64", x.astype(np.float64), 16, 8, 16, False)
    holed = x.copy()
    holed[20, 0] = np.nan
    clean = _case("nan_stays_in_its_windows", np.nan_to_num(holed), 16, 8, 16)
    expected = clean.outputs[0].copy()
    expected[0, 1:3] = np.nan
    yield ConformanceCase(clean.name, "AudioSpectrogram", (holed,), (expected,), clean.attributes, rtol=1e-5, atol=1e-5)
