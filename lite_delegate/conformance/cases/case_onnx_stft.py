"""Conformance cases of ai.onnx.STFT, expected values by the sum that defines it."""

from __future__ import annotations

from cmath import exp, pi
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.STFT"


def cases() -> Iterator[ConformanceCase]:
    """Real and complex signals, with a window, a length or both, one side and both, frames that overlap or not."""
    rng = np.random.default_rng(414)

    def case(
        name: str,
        shape: tuple[int, ...],
        step: int,
        length: int,
        operands: str = "both",
        dtype: Any = np.float32,
        **given: int,
    ) -> ConformanceCase:
        signal, window = rng.normal(size=shape).astype(dtype), rng.uniform(size=length).astype(dtype)
        used = window if operands in ("both", "window") else None
        size = np.array(length, np.int64) if operands in ("both", "length") else None
        y = _loop(signal.reshape(*shape[:2], -1), step, length, used, given.get("onesided", 1))
        inputs = (signal, np.array(step, np.int64), used, size)
        constants = frozenset(i for i in (1, 2, 3) if inputs[i] is not None)
        count = 1 + max(constants)  # absent operands at the end are left out in files
        return ConformanceCase(name, OP, inputs[:count], (y,), given, constants, rtol=1e-4, atol=1e-4)

    yield case("overlap", (1, 20, 1), 2, 8)
    yield case("side_by_side", (2, 24, 1), 8, 8)
    yield case("gaps", (1, 25, 1), 10, 6)
    yield case("odd_length", (1, 15, 1), 3, 5)
    yield case("one_frame", (1, 8, 1), 1, 8)
    yield case("window_alone", (2, 16, 1), 4, 8, "window")
    yield case("length_alone", (2, 16, 1), 4, 8, "length")
    yield case("neither", (2, 9, 1), 4, 9, "neither")
    yield case("no_parts", (2, 16), 4, 8)
    yield case("both_sides", (1, 16, 1), 4, 8, onesided=0)
    yield case("complex", (1, 16, 2), 4, 8, onesided=0)
    yield case("float64", (1, 16, 1), 4, 8, dtype=np.float64)


def _loop(signal: Array, step: int, length: int, window: Array | None, onesided: int) -> Array:
    frames, bins = (signal.shape[1] - length) // step + 1, length // 2 + 1 if onesided else length
    y = np.zeros((signal.shape[0], frames, bins, 2), signal.dtype)
    for n, frame, k in np.ndindex(y.shape[:-1]):
        total = 0j
        for i in range(length):
            value = complex(*(float(part) for part in signal[n, frame * step + i]))
            total += value * (1.0 if window is None else float(window[i])) * exp(-2j * pi * k * i / length)
        y[n, frame, k] = total.real, total.imag
    return y
