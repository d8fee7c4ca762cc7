"""Conformance cases of ai.onnx.Conv, expected values by a direct loop over windows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.Conv"


def cases() -> Iterator[ConformanceCase]:
    """One to three spatial axes, pads that differ, strides, dilations, groups, bias, dtypes."""
    rng = np.random.default_rng(62)

    def case(name: str, x: Any, weight: Any, bias: bool = False, dtype: Any = np.float32, **attributes: Any) -> Any:
        image, kernels = (rng.normal(size=shape).astype(dtype) for shape in (x, weight))
        operands = (image, kernels, rng.normal(size=weight[0]).astype(dtype)) if bias else (image, kernels)
        expected = _conv(*operands, **attributes) if bias else _conv(image, kernels, None, **attributes)
        tolerance = 2e-3 if dtype == np.float16 else 1e-5
        constants = frozenset(range(1, len(operands)))
        return ConformanceCase(name, OP, operands, (expected,), attributes, constants, tolerance, tolerance)

    yield case("line", (2, 3, 9), (4, 3, 3))
    yield case("image", (1, 3, 5, 6), (2, 3, 2, 3), bias=True)
    yield case("volume", (1, 2, 4, 5, 3), (3, 2, 2, 3, 2))
    yield case("volume_bias", (2, 2, 4, 4, 4), (3, 2, 3, 3, 3), bias=True)
    yield case("pads_that_differ", (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), pads=[1, 0, 2, 0, 1, 1])
    yield case("strides", (1, 2, 6, 7, 5), (2, 2, 2, 2, 2), strides=[2, 3, 1])
    yield case("dilations", (1, 2, 6, 7, 5), (2, 2, 2, 2, 2), dilations=[2, 1, 3])
    yield case("groups", (1, 4, 4, 4, 4), (6, 2, 2, 2, 2), bias=True, group=2)
    yield case("depthwise", (1, 3, 4, 4, 4), (3, 1, 2, 2, 2), group=3)
    yield case("float16", (1, 2, 4, 4, 4), (2, 2, 2, 2, 2), dtype=np.float16)
    yield case("float64", (1, 2, 4, 4, 4), (2, 2, 2, 2, 2), dtype=np.float64)


def _conv(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    pads: Any = None,
    strides: Any = None,
    dilations: Any = None,
    group: int = 1,
) -> Array:
    axes = x.ndim - 2
    ends = pads or [0] * 2 * axes
    steps, gaps = strides or [1] * axes, dilations or [1] * axes
    sizes = [
        (x.shape[2 + i] + ends[i] + ends[axes + i] - (weight.shape[2 + i] - 1) * gaps[i] - 1) // steps[i] + 1
        for i in range(axes)
    ]
    y = np.zeros((x.shape[0], weight.shape[0], *sizes), x.dtype)
    per_group = weight.shape[0] // group
    for n, out, *place in np.ndindex(y.shape):
        total = 0.0 if bias is None else float(bias[out])
        for channel, offset in product(range(weight.shape[1]), np.ndindex(weight.shape[2:])):
            at = [p * s - e + o * d for p, s, e, o, d in zip(place, steps, ends, offset, gaps, strict=False)]
            if all(0 <= a < size for a, size in zip(at, x.shape[2:], strict=True)):
                source = out // per_group * weight.shape[1] + channel
                total += float(x[(n, source, *at)]) * float(weight[(out, channel, *offset)])
        y[(n, out, *place)] = total
    return y
