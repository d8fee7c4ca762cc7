"""Conformance cases of ai.onnx.GridSample, expected values by a direct loop over places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.GridSample"


def cases() -> Iterator[ConformanceCase]:
    """Images and volumes; every mode with every padding, corners that are aligned or not; one element, one place."""
    rng = np.random.default_rng(63)
    for mode, padding, align in product(("linear", "nearest", "cubic"), ("zeros", "border", "reflection"), (0, 1)):
        grid = rng.uniform(-1.6, 1.6, (1, 2, 4, 2)).astype(np.float32)
        name = f"{mode}_{padding}{'_aligned' * align}"
        yield _case(name, rng.normal(size=(1, 2, 4, 5)).astype(np.float32), grid, mode, padding, align)
    for mode in ("linear", "nearest"):
        grid = rng.uniform(-1.2, 1.2, (2, 2, 2, 2, 3)).astype(np.float32)
        yield _case(f"volume_{mode}", rng.normal(size=(2, 2, 3, 4, 2)).astype(np.float32), grid, mode, "zeros", 0)
    x, grid = np.array([[[[3.0]]]], np.float32), np.array([[[[0.0, 0.0]]]], np.float32)
    yield _case("one_element", x, grid, "linear", "border", 0)


def _case(name: str, x: Array, grid: Array, mode: str, padding: str, align: int) -> ConformanceCase:
    y = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    sizes = x.shape[2:]
    for n, channel, *place in np.ndindex(y.shape):
        found = [float(v) for v in reversed(grid[(n, *place)])]
        points = [_point(v, size, mode, padding, align) for v, size in zip(found, sizes, strict=True)]
        total = 0.0
        for taps in product(*points):
            weight = math.prod(w for _, w in taps)
            at = [_element(i, size, padding, align) for (i, _), size in zip(taps, sizes, strict=True)]
            total += 0.0 if -1 in at else weight * float(x[(n, channel, *at)])
        y[(n, channel, *place)] = total
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
    return ConformanceCase(name, OP, (x, grid), (y,), attributes, rtol=1e-4, atol=1e-5)


def _point(v: float, size: int, mode: str, padding: str, align: int) -> Sequence[tuple[int, float]]:
    """The elements around a place from -1 to 1, each with its weight."""
    at = (v + 1) / 2 * (size - 1) if align else ((v + 1) * size - 1) / 2
    at = float(round(at)) if mode == "nearest" else at
    low, high = (0.0, size - 1.0) if align else (-0.5, size - 0.5)
    if not low <= at <= high and padding == "border":
        at = min(max(at, 0.0), size - 1.0)
    if padding == "reflection":
        at = _mirrored(at, low, high)
    if mode == "nearest":
        return [(int(at), 1.0)]
    first = math.floor(at)
    t = at - first
    if mode == "linear":
        return [(first, 1 - t), (first + 1, t)]
    return [(first + i, _cubic(abs(t - i))) for i in (-1, 0, 1, 2)]


def _cubic(d: float) -> float:
    if d <= 1:
        return 1.25 * d**3 - 2.25 * d**2 + 1
    return -0.75 * d**3 + 3.75 * d**2 - 6 * d + 3


def _mirrored(at: float, low: float, high: float) -> float:
    while high > low and not low <= at <= high:
        at = 2 * low - at if at < low else 2 * high - at
    return at if high > low else low


def _element(i: int, size: int, padding: str, align: int) -> int:
    """The element for an index, -1 for none."""
    if 0 <= i < size:
        return i
    if padding == "zeros":
        return -1
    if padding == "border":
        return min(max(i, 0), size - 1)
    return min(max(int(_mirrored(i, *((0.0, size - 1.0) if align else (-0.5, size - 0.5)))), 0), size - 1)
