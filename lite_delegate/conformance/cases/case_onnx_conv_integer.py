"""Conformance cases of ai.onnx.ConvInteger, one product after another in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.ConvInteger"


def _case(
    name: str,
    x: Array,
    weight: Array,
    points: tuple[Array | None, Array | None] = (None, None),
    *,
    strides: Sequence[int] = (1, 1),
    dilations: Sequence[int] = (1, 1),
    pads: Sequence[int] = (0, 0, 0, 0),
    group: int = 1,
    constants: frozenset[int] = frozenset({1, 2, 3}),
) -> ConformanceCase:
    (batch, _, height, width), (outs, depth, rows, columns) = x.shape, weight.shape
    high = (height + pads[0] + pads[2] - dilations[0] * (rows - 1) - 1) // strides[0] + 1
    wide = (width + pads[1] + pads[3] - dilations[1] * (columns - 1) - 1) // strides[1] + 1
    y = np.zeros((batch, outs, high, wide), np.int32)
    x_point = 0 if points[0] is None else int(points[0].reshape(-1)[0])
    for n, m, i, j in np.ndindex(*y.shape):
        w_point = 0 if points[1] is None else int(points[1].reshape(-1)[m if points[1].size > 1 else 0])
        first, total = m // (outs // group) * depth, 0
        for c, r, s in np.ndindex(depth, rows, columns):
            down, right = i * strides[0] + r * dilations[0] - pads[0], j * strides[1] + s * dilations[1] - pads[1]
            if 0 <= down < height and 0 <= right < width:
                total += (int(x[n, first + c, down, right]) - x_point) * (int(weight[m, c, r, s]) - w_point)
        y[n, m, i, j] = total
    inputs = [x, weight, *points]
    while inputs[-1] is None:
        inputs.pop()
    given = frozenset(place for place in constants if place < len(inputs) and inputs[place] is not None)
    attributes: dict[str, Any] = {"strides": [*strides], "dilations": [*dilations], "pads": [*pads], "group": group}
    return ConformanceCase(name, OP, tuple(inputs), (y,), attributes, given, 0, 0)


def cases() -> Iterator[ConformanceCase]:
    """Zero points of all kinds, strides, dilations, borders, groups, sums beyond 24 bits."""
    rng = np.random.default_rng(418)

    def numbers(dtype: str, *shape: int) -> Array:
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)

    x, weight = numbers("uint8", 1, 3, 5, 6), numbers("int8", 4, 3, 3, 2)
    one, two, each = np.array(117, np.uint8), np.array(-5, np.int8), np.array([3, -5, 100, 0], np.int8)
    yield _case("plain", x, weight)
    yield _case("points", x, weight, (one, two))
    yield _case("points_by_channel", x, weight, (one, each))
    yield _case("borders_are_the_zero_point", x, weight, (one, None), pads=(1, 0, 2, 1))
    yield _case("strides_and_dilations", x, weight, (one, None), strides=(2, 1), dilations=(1, 2))
    yield _case("groups", numbers("uint8", 2, 4, 4, 4), numbers("int8", 4, 2, 2, 2), (one, None), group=2)
    yield _case("uint8_by_uint8", x, numbers("uint8", 4, 3, 3, 2), (one, np.array(128, np.uint8)))
    yield _case("int8_by_int8", numbers("int8", 1, 3, 5, 6), weight, (np.array(3, np.int8), None))
    yield _case("point_given", x, weight, (one, None), constants=frozenset({1}))
    yield _case("everything_given", x, weight, (one, two), constants=frozenset())
    extreme = np.where(rng.random((1, 40, 4, 4)) < 0.9, 255, 0).astype(np.uint8)
    large = np.where(rng.random((2, 40, 3, 3)) < 0.9, 127, -128).astype(np.int8)
    yield _case("sums_beyond_24_bits", extreme, large, (np.array(1, np.uint8), None))
