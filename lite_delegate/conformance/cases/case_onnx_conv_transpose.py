"""Conformance cases of ai.onnx.ConvTranspose, expected values by a direct loop over elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.ConvTranspose"


def cases() -> Iterator[ConformanceCase]:
    """One to three spatial axes, pads that differ, strides, dilations, output padding, groups, bias, dtypes."""
    rng = np.random.default_rng(64)

    def case(name: str, x: Any, weight: Any, bias: int = 0, dtype: Any = np.float32, **attributes: Any) -> Any:
        image, kernels = (rng.normal(size=shape).astype(dtype) for shape in (x, weight))
        operands = (image, kernels, rng.normal(size=bias).astype(dtype)) if bias else (image, kernels)
        expected = _conv_transpose(*operands, **attributes)
        tolerance = 2e-3 if dtype == np.float16 else 1e-5
        constants = frozenset(range(1, len(operands)))
        return ConformanceCase(name, OP, operands, (expected,), attributes, constants, tolerance, tolerance)

    yield case("line", (2, 3, 5), (3, 2, 3))
    yield case("image", (1, 2, 3, 4), (2, 3, 2, 3), bias=3)
    yield case("volume", (1, 2, 3, 2, 4), (2, 3, 2, 3, 2))
    yield case("volume_bias", (2, 2, 2, 3, 2), (2, 3, 2, 2, 2), bias=3)
    yield case("strides", (1, 2, 3, 2, 2), (2, 2, 2, 3, 2), strides=[2, 1, 3])
    yield case("dilations", (1, 2, 3, 2, 2), (2, 2, 2, 2, 2), dilations=[1, 3, 2])
    yield case("pads_that_differ", (1, 2, 3, 3, 3), (2, 2, 2, 3, 2), pads=[1, 0, 1, 0, 2, 0])
    yield case("output_padding", (1, 2, 2, 2, 2), (2, 2, 2, 2, 2), strides=[2, 2, 3], output_padding=[1, 0, 2])
    yield case("groups", (1, 4, 2, 2, 2), (4, 3, 2, 2, 2), bias=6, group=2)
    yield case("float16", (1, 2, 2, 2, 2), (2, 2, 2, 2, 2), dtype=np.float16)
    yield case("float64", (1, 2, 2, 2, 2), (2, 2, 2, 2, 2), dtype=np.float64)


def _conv_transpose(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    pads: Any = None,
    strides: Any = None,
    dilations: Any = None,
    output_padding: Any = None,
    group: int = 1,
) -> Array:
    axes = x.ndim - 2
    ends, steps = pads or [0] * 2 * axes, strides or [1] * axes
    gaps, extra = dilations or [1] * axes, output_padding or [0] * axes
    sizes = [
        (x.shape[2 + i] - 1) * steps[i] + (weight.shape[2 + i] - 1) * gaps[i] + 1 + extra[i] - ends[i] - ends[axes + i]
        for i in range(axes)
    ]
    y = np.zeros((x.shape[0], weight.shape[1] * group, *sizes))
    for n, channel, *place in np.ndindex(x.shape):
        first = channel // (x.shape[1] // group) * weight.shape[1]
        for out, *offset in np.ndindex(weight.shape[1:]):
            at = [p * s + o * d - e for p, s, o, d, e in zip(place, steps, offset, gaps, ends, strict=False)]
            if all(0 <= a < size for a, size in zip(at, sizes, strict=True)):
                y[(n, first + out, *at)] += float(x[(n, channel, *place)]) * float(weight[(channel, out, *offset)])
    if bias is not None:
        y += bias.astype(np.float64).reshape(-1, *[1] * axes)
    return y.astype(x.dtype)
