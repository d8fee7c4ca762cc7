"""Conformance cases of ai.onnx.RoiAlign, expected values point by point."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import ceil
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.RoiAlign"
ROIS = [[0.5, 1.0, 5.5, 4.2], [2.0, 0.3, 3.1, 6.8], [-1.5, -0.7, 8.0, 7.5]]


def cases() -> Iterator[ConformanceCase]:
    """Mean and largest, both ways to count coordinates, points given or as many as fit, scales, several images."""
    rng = np.random.default_rng(413)

    def case(name: str, dtype: Any = np.float32, **given: Any) -> ConformanceCase:
        x = rng.uniform(0.1, 2, (2, 3, 7, 8)).astype(dtype)
        operands = (x, np.array(ROIS, dtype), np.array([0, 1, 0], np.int64))
        outputs = (_loop(*operands, **given),)
        return ConformanceCase(name, OP, operands, outputs, given, rtol=1e-4, atol=1e-5)

    for mode, shift in product(("avg", "max"), ("half_pixel", "output_half_pixel")):
        for ratio in (0, 2):
            given = {"mode": mode, "coordinate_transformation_mode": shift, "sampling_ratio": ratio}
            yield case(f"{mode}_{shift}_{ratio}", output_height=2, output_width=3, **given)
    yield case("one_cell")
    yield case("scale", output_height=3, output_width=2, sampling_ratio=1, spatial_scale=0.5)
    yield case("float64", np.float64, output_height=2, output_width=2)


def _loop(
    x: Array,
    rois: Array,
    images: Array,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Array:
    y = np.zeros((len(rois), x.shape[1], output_height, output_width), x.dtype)
    shift = 0.5 if coordinate_transformation_mode == "half_pixel" else 0.0
    for number, roi in enumerate(rois.tolist()):
        left, top, right, bottom = (v * spatial_scale - shift for v in roi)
        height, width = bottom - top, right - left
        if not shift:
            height, width = max(height, 1.0), max(width, 1.0)
        tall, wide = height / output_height, width / output_width
        down, across = sampling_ratio or ceil(tall), sampling_ratio or ceil(wide)
        for channel, row, column in np.ndindex(y.shape[1:]):
            plane = x[images[number], channel]
            terms = []
            for i, j in product(range(down), range(across)):
                at = (top + (row + (i + 0.5) / down) * tall, left + (column + (j + 0.5) / across) * wide)
                terms.append(_four(plane, *at))
            sums = [sum(four) for four in terms]
            y[number, channel, row, column] = sum(sums) / len(sums) if mode == "avg" else max(map(max, terms))
    return y


def _four(plane: Array, down: float, right: float) -> list[float]:
    """The four elements around a point, each times its weight."""
    height, width = plane.shape
    if not (-1 <= down <= height and -1 <= right <= width):
        return [0.0] * 4
    found = []
    for (r, a), (c, b) in product(_two(down, height), _two(right, width)):
        found.append(float(plane[r, c]) * a * b)
    return found


def _two(at: float, size: int) -> list[tuple[int, float]]:
    at = max(at, 0.0)
    if at >= size - 1:
        return [(size - 1, 1.0), (size - 1, 0.0)]
    first = int(at)
    return [(first, 1 - (at - first)), (first + 1, at - first)]
