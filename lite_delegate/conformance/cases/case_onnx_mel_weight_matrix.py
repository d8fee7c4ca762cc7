"""Conformance cases of ai.onnx.MelWeightMatrix, expected values column by column from the definition."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, log10

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.MelWeightMatrix"
ROWS: list[tuple[str, int, int, int, float, float]] = [
    ("eight_bands", 8, 16, 8192, 0.0, 4096.0),
    ("one_band", 1, 32, 8000, 0.0, 4000.0),
    ("speech", 20, 256, 16000, 125.0, 7500.0),
    ("low_edge", 4, 64, 8000, 300.0, 3400.0),
    ("bands_in_one_bin", 12, 16, 16000, 0.0, 800.0),
    ("odd_length", 5, 31, 8000, 0.0, 3900.0),
]


def cases() -> Iterator[ConformanceCase]:
    """Counts of bands, lengths, edges; constants; element types of the result."""
    for row in ROWS:
        yield _case(*row)
    first = ROWS[0][1:]
    yield _case("constants", *first, constants=frozenset(range(5)))
    yield _case("float64", *first, target=(11, "float64"))
    yield _case("float16", *first, target=(10, "float16"))


def _case(
    name: str,
    bands: int,
    length: int,
    rate: int,
    low: float,
    high: float,
    *,
    target: tuple[int, str] = (1, "float32"),
    constants: frozenset[int] = frozenset(),
) -> ConformanceCase:
    whole: list[Array] = [np.array(n, np.int64) for n in (bands, length, rate)]
    operands = (*whole, np.array(low, np.float32), np.array(high, np.float32))
    y = np.zeros((length // 2 + 1, bands), target[1])
    first, last = _mel(low), _mel(high)
    edges = [_bin(first + (last - first) / (bands + 2) * i, length, rate) for i in range(bands + 2)]
    for band in range(bands):
        left, middle, right = edges[band : band + 3]
        for row in range(left, middle + 1):
            y[row, band] = 1.0 if left == middle else (row - left) / (middle - left)
        for row in range(middle, right):
            y[row, band] = (right - row) / (right - middle)
    given = {"output_datatype": target[0]}
    return ConformanceCase(name, OP, operands, (y,), given, constants, rtol=1e-6, atol=1e-6)


def _mel(hertz: float) -> float:
    return 2595 * log10(1 + hertz / 700)


def _bin(mel: float, length: int, rate: int) -> int:
    return floor((length + 1) * 700 * (10 ** (mel / 2595) - 1) / rate)
