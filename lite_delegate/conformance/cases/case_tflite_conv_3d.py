"""Conformance cases of tflite.CONV_3D, expected values by a direct loop over windows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import ceil

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "tflite.CONV_3D"
BOUNDS = ((-np.inf, np.inf), (0.0, np.inf), (-1.0, 1.0), (0.0, 6.0))
"""By fused activation: none, RELU, RELU_N1_TO_1, RELU6."""


def cases() -> Iterator[ConformanceCase]:
    """Both paddings, strides, dilations, bias, every fused activation, several channels and batches."""
    rng = np.random.default_rng(421)

    def case(
        name: str,
        x: tuple[int, ...],
        weight: tuple[int, ...],
        *,
        valid: int = 0,
        bias: bool = True,
        activation: int = 0,
        strides: tuple[int, int, int] = (1, 1, 1),
        dilations: tuple[int, int, int] = (1, 1, 1),
    ) -> ConformanceCase:
        image, kernel = (rng.normal(size=shape).astype(np.float32) for shape in (x, weight))
        added = rng.normal(size=weight[-1]).astype(np.float32) if bias else None
        y = np.clip(_loop(image, kernel, added, valid, strides, dilations), *BOUNDS[activation]).astype(np.float32)
        options = {"padding": valid, "fused_activation_function": activation}
        for axis, stride, dilation in zip("dhw", strides, dilations, strict=True):
            options |= {f"stride_{axis}": stride, f"dilation_{axis}_factor": dilation}
        operands = (image, kernel) if added is None else (image, kernel, added)
        constants = frozenset(range(1, len(operands)))
        return ConformanceCase(name, OP, operands, (y,), options, constants, rtol=1e-5, atol=1e-5)

    yield case("same", (1, 3, 4, 5, 2), (2, 3, 2, 2, 3))
    yield case("valid", (1, 3, 4, 5, 2), (2, 3, 2, 2, 3), valid=1)
    yield case("one_by_one", (2, 2, 3, 2, 4), (1, 1, 1, 4, 5))
    yield case("without_bias", (1, 3, 3, 3, 1), (2, 2, 2, 1, 2), bias=False)
    yield case("strides_same", (1, 5, 6, 7, 2), (3, 2, 3, 2, 2), strides=(2, 3, 2))
    yield case("strides_valid", (1, 5, 6, 7, 2), (3, 2, 3, 2, 2), valid=1, strides=(1, 2, 3))
    yield case("dilations", (1, 5, 6, 5, 1), (2, 2, 2, 1, 2), valid=1, dilations=(2, 3, 1))
    for activation, name in ((1, "relu"), (2, "relu_n1_to_1"), (3, "relu6")):
        yield case(name, (1, 3, 3, 3, 4), (2, 2, 2, 4, 3), activation=activation)


def _loop(
    x: Array,
    weight: Array,
    bias: Array | None,
    valid: int,
    strides: tuple[int, int, int],
    dilations: tuple[int, int, int],
) -> Array:
    reach = [(k - 1) * d + 1 for k, d in zip(weight.shape[:3], dilations, strict=True)]
    sizes, before = [], []
    for size, window, stride in zip(x.shape[1:4], reach, strides, strict=True):
        count = ceil((size - window + 1) / stride) if valid else ceil(size / stride)
        sizes.append(count)
        before.append(0 if valid else max((count - 1) * stride + window - size, 0) // 2)
    y = np.zeros((x.shape[0], *sizes, weight.shape[-1]))
    for n, *place, out in np.ndindex(y.shape):
        total = 0.0 if bias is None else float(bias[out])
        for *offset, channel in product(*map(range, weight.shape[:4])):
            at = [p * s - b + o * d for p, s, b, o, d in zip(place, strides, before, offset, dilations, strict=True)]
            if all(0 <= a < size for a, size in zip(at, x.shape[1:4], strict=True)):
                total += float(x[(n, *at, channel)]) * float(weight[(*offset, channel, out)])
        y[(n, *place, out)] = total
    return y
