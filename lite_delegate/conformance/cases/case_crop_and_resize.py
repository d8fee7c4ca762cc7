"""Conformance cases of CropAndResize, one sample at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

Box = Sequence[float]


def _position(first: float, last: float, size_in: int, i: int, size_out: int) -> float:
    if size_out == 1:
        return (first + last) / 2 * (size_in - 1)
    return first * (size_in - 1) + i * (last - first) * (size_in - 1) / (size_out - 1)


def _sample(plane: Array, row: float, column: float, method: str, outside: float) -> float:
    height, width = plane.shape
    if not (0 <= row <= height - 1 and 0 <= column <= width - 1):
        return outside
    if method == "NEAREST":
        return float(plane[math.floor(row + 0.5), math.floor(column + 0.5)])
    top, left = math.floor(row), math.floor(column)
    total = 0.0
    for r, c in ((top, left), (top, left + 1), (top + 1, left), (top + 1, left + 1)):
        weight = (1 - abs(row - r)) * (1 - abs(column - c))
        if weight > 0:
            total += weight * float(plane[r, c])
    return total


def _loop(x: Array, boxes: Array, index: Array, size: Sequence[int], method: str, outside: float) -> Array:
    y = np.empty((len(boxes), *size, x.shape[3]), dtype=x.dtype)
    for n, i, j, c in np.ndindex(*y.shape):
        y1, x1, y2, x2 = (float(v) for v in boxes[n])
        row = _position(y1, y2, x.shape[1], i, size[0])
        column = _position(x1, x2, x.shape[2], j, size[1])
        y[n, i, j, c] = _sample(x[index[n], :, :, c], row, column, method, outside)
    return y


def _case(
    name: str,
    x: Array,
    boxes: Sequence[Box],
    size: Sequence[int],
    index: Sequence[int] | None = None,
    *,
    method: str = "LINEAR",
    outside: float = 0.0,
    index_dtype: str = "int32",
    box_dtype: str = "float32",
) -> ConformanceCase:
    corners = np.array(boxes, dtype=box_dtype).reshape(len(boxes), 4)
    images = np.array([0] * len(boxes) if index is None else index, dtype=index_dtype)
    attributes: dict[str, Any] = {"method": method, "extrapolation_value": outside}
    expected = (_loop(x, corners, images, size, method, outside),)
    inputs = (x, corners, images, np.array(size, dtype=np.int32))
    tolerance = {"float16": 2e-3, "float64": 1e-10}.get(x.dtype.name, 2e-5)
    return ConformanceCase(
        name, "CropAndResize", inputs, expected, attributes, frozenset({3}), rtol=tolerance, atol=tolerance
    )


WHOLE = (0.0, 0.0, 1.0, 1.0)
BOXES = [(0.1, 0.2, 0.8, 0.9), (0.25, 0.5, 0.75, 1.0), (0.9, 0.7, 0.2, 0.1), (0.5, 0.5, 0.5, 0.5)]


def cases() -> Iterator[ConformanceCase]:
    """Both methods, boxes inside, outside, flipped and empty, sizes of 1, several images, channel counts, dtypes."""
    rng = np.random.default_rng(177)
    x = rng.normal(size=(2, 5, 6, 3)).astype(np.float32)
    for method in ("LINEAR", "NEAREST"):
        prefix = method.lower()
        yield _case(f"{prefix}_same_size", x, [WHOLE], (5, 6), method=method)
        yield _case(f"{prefix}_larger", x, [WHOLE], (9, 11), method=method)
        yield _case(f"{prefix}_smaller", x, [WHOLE], (3, 2), method=method)
        yield _case(f"{prefix}_boxes_of_two_images", x, BOXES, (4, 3), [0, 1, 1, 0], method=method)
        yield _case(f"{prefix}_one_row", x, BOXES, (1, 4), method=method)
        yield _case(f"{prefix}_one_pixel", x, BOXES, (1, 1), method=method)
        beyond = [(-0.5, -0.25, 1.5, 1.25), (1.5, 0.0, 2.0, 1.0)]
        yield _case(f"{prefix}_beyond_the_image", x, beyond, (7, 5), method=method, outside=-7.5)
        yield _case(f"{prefix}_float16", x.astype(np.float16), BOXES, (3, 3), method=method)
        yield _case(f"{prefix}_float64", x.astype(np.float64), BOXES, (3, 3), method=method, box_dtype="float64")
    yield _case("nearest_halves_round_up", x, [(0.125, 0.1, 0.625, 0.9)], (3, 5), method="NEAREST")
    yield _case("extrapolation_value_0", x, [(-1.0, -1.0, 2.0, 2.0)], (4, 4))
    for channels in (1, 7, 8, 16, 17):
        image = rng.normal(size=(1, 4, 4, channels)).astype(np.float32)
        yield _case(f"channels_{channels}", image, BOXES[:2], (3, 2))
    yield _case("image_of_one_pixel", x[:, :1, :1], [WHOLE, (0.0, 0.0, 2.0, 2.0)], (2, 3), [1, 0])
    yield _case("index_int64", x, BOXES[:2], (2, 2), [1, 0], index_dtype="int64")
    yield _case("no_boxes", x, [], (2, 3))
    holed = x.copy()
    holed[0, 2, 2, 0], holed[0, 0, 0, 1] = np.nan, np.inf
    # Samples that lie on pixels: neighbors of weight 0 do not count, so no expected value is NaN by 0 * infinity.
    boxes, size = np.array([WHOLE], dtype=np.float32), np.array([5, 6], dtype=np.int32)
    inputs = (holed, boxes, np.zeros(1, dtype=np.int32), size)
    attributes: dict[str, Any] = {"method": "NEAREST"}
    yield ConformanceCase(
        "nan_and_infinity", "CropAndResize", inputs, (holed[:1],), attributes, frozenset({3}), source="hand"
    )
    inputs = (x, np.full((1, 4), np.nan, dtype=np.float32), np.zeros(1, dtype=np.int32), np.array([2, 2]))
    wanted = np.full((1, 2, 2, 3), 4, dtype=np.float32)
    attributes = {"extrapolation_value": 4.0}
    yield ConformanceCase(
        "a_box_of_nan_is_outside", "CropAndResize", inputs, (wanted,), attributes, frozenset({3}), source="hand"
    )
