"""Conformance cases of mediapipe.MaxUnpooling2D, expected values by a loop over elements."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "mediapipe.MaxUnpooling2D"


def cases() -> Iterator[ConformanceCase]:
    """Windows side by side, overlapping and apart; places that are not in a window."""
    rng = np.random.default_rng(736)

    def case(
        name: str,
        shape: tuple[int, ...],
        window: tuple[int, int],
        strides: tuple[int, int] | None = None,
        *,
        places: Array | None = None,
    ) -> ConformanceCase:
        x = rng.normal(size=shape).astype(np.float32)
        if places is None:
            places = (rng.integers(0, window[0] * window[1], shape) + 0.1).astype(np.float32)
        steps = window if strides is None else strides
        attributes = {"kernel_size": list(window), "strides": list(steps)}
        return ConformanceCase(name, OP, (x, places), (_loop(x, places, window, steps),), attributes)

    wrong = np.array([4.0, -1.0, 1e30, np.nan, np.inf, 3.9, -0.5, 0.0], np.float32).reshape(1, 2, 4, 1)
    yield case("two_by_two", (1, 4, 3, 3), (2, 2))
    yield case("batch", (2, 3, 3, 2), (2, 2))
    yield case("line", (1, 3, 4, 1), (1, 3))
    yield case("column", (1, 3, 4, 2), (4, 1))
    yield case("overlapping", (1, 4, 4, 2), (3, 3), (2, 2))
    yield case("apart", (1, 4, 4, 2), (2, 2), (3, 3))
    yield case("places_outside", (1, 2, 4, 1), (2, 2), places=wrong)
    yield case("one_by_one", (1, 3, 3, 2), (1, 1))


def _loop(x: Array, places: Array, window: tuple[int, int], strides: tuple[int, int]) -> Array:
    batch, height, width, channels = x.shape
    y = np.zeros((batch, height * window[0], width * window[1], channels), np.float32)
    before = [
        max(0, ((count - 1) * stride + extent - count * extent) // 2)
        for count, stride, extent in zip((height, width), strides, window, strict=True)
    ]
    for n, line, column, channel in np.ndindex(x.shape):
        place = float(places[n, line, column, channel])
        if not -1 < place < window[0] * window[1]:
            continue
        down = line * strides[0] - before[0] + int(place) // window[1]
        across = column * strides[1] - before[1] + int(place) % window[1]
        if 0 <= down < y.shape[1] and 0 <= across < y.shape[2]:
            y[n, down, across, channel] = x[n, line, column, channel]
    return y
