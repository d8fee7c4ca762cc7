"""Conformance cases of ai.onnx.DeformConv, expected values by a direct loop over windows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import floor
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.DeformConv"


def cases() -> Iterator[ConformanceCase]:
    """Offsets that are whole and not, bias, mask, pads, strides, dilations, groups of both kinds, dtypes."""
    rng = np.random.default_rng(408)

    def case(
        name: str,
        x: tuple[int, ...],
        weight: tuple[int, ...],
        bias: bool = False,
        mask: bool = False,
        dtype: Any = np.float32,
        **given: Any,
    ) -> ConformanceCase:
        rows, columns = _counts(x[2:], weight[2:], **given)
        taps = given.get("offset_group", 1) * weight[2] * weight[3]
        operands = (
            rng.normal(size=x).astype(dtype),
            rng.normal(size=weight).astype(dtype),
            rng.normal(size=(x[0], 2 * taps, rows, columns)).astype(dtype),
            rng.normal(size=weight[0]).astype(dtype) if bias else None,
            rng.uniform(size=(x[0], taps, rows, columns)).astype(dtype) if mask else None,
        )
        outputs = (_loop(*operands, **given),)
        count = 5 if mask else 4 if bias else 3  # absent operands at the end are left out in files
        return ConformanceCase(name, OP, operands[:count], outputs, given, frozenset({1}), rtol=1e-4, atol=1e-4)

    yield case("image", (1, 1, 4, 5), (1, 1, 2, 2))
    yield case("channels_and_batch", (2, 3, 4, 4), (2, 3, 3, 2))
    yield case("bias", (1, 2, 4, 4), (3, 2, 2, 2), bias=True)
    yield case("mask", (1, 2, 4, 4), (3, 2, 2, 2), mask=True)
    yield case("bias_and_mask", (1, 2, 4, 4), (2, 2, 2, 2), bias=True, mask=True)
    yield case("pads", (1, 1, 3, 3), (1, 1, 3, 3), pads=[1, 0, 1, 1])
    yield case("strides", (1, 2, 6, 7), (2, 2, 2, 3), strides=[2, 3])
    yield case("dilations", (1, 2, 6, 6), (2, 2, 2, 2), dilations=[3, 2])
    yield case("groups", (1, 4, 3, 3), (4, 2, 2, 2), group=2)
    yield case("groups_of_offsets", (1, 4, 3, 3), (2, 4, 2, 2), mask=True, offset_group=2)
    yield case("float64", (1, 1, 3, 3), (1, 1, 2, 2), dtype=np.float64)


def _counts(
    sizes: tuple[int, ...],
    window: tuple[int, ...],
    *,
    pads: Any = None,
    strides: Any = None,
    dilations: Any = None,
    **_: int,
) -> list[int]:
    ends, steps, gaps = pads or [0] * 4, strides or [1, 1], dilations or [1, 1]
    return [(sizes[i] + ends[i] + ends[2 + i] - gaps[i] * (window[i] - 1) - 1) // steps[i] + 1 for i in range(2)]


def _loop(
    x: Array,
    weight: Array,
    offset: Array,
    bias: Array | None,
    mask: Array | None,
    *,
    pads: Any = None,
    strides: Any = None,
    dilations: Any = None,
    group: int = 1,
    offset_group: int = 1,
) -> Array:
    ends, steps, gaps = pads or [0] * 4, strides or [1, 1], dilations or [1, 1]
    y = np.zeros((x.shape[0], weight.shape[0], *offset.shape[2:]), x.dtype)
    height, width = weight.shape[2:]
    for n, out, row, column in np.ndindex(y.shape):
        total = 0.0 if bias is None else float(bias[out])
        for channel, i, j in product(range(weight.shape[1]), range(height), range(width)):
            source = out // (weight.shape[0] // group) * weight.shape[1] + channel
            tap = source // (x.shape[1] // offset_group) * height * width + i * width + j
            down = row * steps[0] - ends[0] + i * gaps[0] + float(offset[n, 2 * tap, row, column])
            right = column * steps[1] - ends[1] + j * gaps[1] + float(offset[n, 2 * tap + 1, row, column])
            factor = 1.0 if mask is None else float(mask[n, tap, row, column])
            total += float(weight[out, channel, i, j]) * factor * _between(x[n, source], down, right)
        y[n, out, row, column] = total
    return y


def _between(plane: Array, down: float, right: float) -> float:
    total = 0.0
    for r, c in product((floor(down), floor(down) + 1), (floor(right), floor(right) + 1)):
        if 0 <= r < plane.shape[0] and 0 <= c < plane.shape[1]:
            total += float(plane[r, c]) * (1 - abs(down - r)) * (1 - abs(right - c))
    return total
