"""Conformance cases of mediapipe.MaxPoolingArgmax2D, expected values by a loop over windows."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "mediapipe.MaxPoolingArgmax2D"


def cases() -> Iterator[ConformanceCase]:
    """Both paddings, windows that overlap or leave gaps, equal elements, padding that must not be taken."""
    rng = np.random.default_rng(735)

    def case(
        name: str,
        shape: tuple[int, ...],
        window: tuple[int, int],
        strides: tuple[int, int] | None = None,
        *,
        pad_mode: str = "SAME",
        x: Array | None = None,
    ) -> ConformanceCase:
        image = rng.normal(size=shape).astype(np.float32) if x is None else x
        steps = window if strides is None else strides
        attributes = {"kernel_size": list(window), "strides": list(steps), "pad_mode": pad_mode}
        return ConformanceCase(name, OP, (image,), (_loop(image, window, steps, pad_mode),), attributes)

    yield case("two_by_two", (1, 8, 6, 3), (2, 2))
    yield case("valid", (1, 7, 5, 3), (2, 2), pad_mode="VALID")
    yield case("overlapping", (1, 7, 6, 2), (3, 3), (2, 2))
    yield case("overlapping_valid", (1, 7, 6, 2), (3, 3), (2, 2), pad_mode="VALID")
    yield case("gaps", (1, 9, 9, 2), (2, 2), (3, 4))
    yield case("line", (2, 5, 9, 1), (1, 3), (1, 2))
    yield case("all_negative", (1, 5, 5, 2), (3, 3), (2, 2), x=-1 - rng.random((1, 5, 5, 2)).astype(np.float32))
    yield case("equal", (1, 4, 4, 1), (2, 2), x=np.ones((1, 4, 4, 1), np.float32))
    yield case("window_larger_than_the_image", (1, 3, 4, 2), (7, 9), (2, 3))
    yield case("one_by_one", (1, 3, 3, 2), (1, 1))


def _loop(x: Array, window: tuple[int, int], strides: tuple[int, int], pad_mode: str) -> Array:
    counts, before = [], []
    for size, extent, stride in zip(x.shape[1:3], window, strides, strict=True):
        counts.append(ceil(size / stride) if pad_mode == "SAME" else (size - extent) // stride + 1)
        before.append(max(0, (counts[-1] - 1) * stride + extent - size) // 2 if pad_mode == "SAME" else 0)
    y = np.zeros((x.shape[0], *counts, x.shape[3]), np.float32)
    for n, line, column, channel in np.ndindex(y.shape):
        found, best = 0, -np.inf
        for place in range(window[0] * window[1]):
            down = line * strides[0] - before[0] + place // window[1]
            across = column * strides[1] - before[1] + place % window[1]
            if 0 <= down < x.shape[1] and 0 <= across < x.shape[2] and x[n, down, across, channel] > best:
                found, best = place, x[n, down, across, channel]
        y[n, line, column, channel] = np.float32(found) + np.float32(0.1)
    return y
