"""Conformance cases of AdderFusion, one output value at a time; output sizes and paddings are worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import fused

Pair = tuple[int, int]


def _loop(x: Array, weight: Array, bias: Array | None, out: Pair, start: Pair, attributes: Mapping[str, Any]) -> Array:
    """``start``: rows and columns of padding before the input."""
    (sh, sw), (dh, dw) = attributes.get("stride", (1, 1)), attributes.get("dilation", (1, 1))
    cout, kh, kw, cin = weight.shape
    y = np.empty((x.shape[0], *out, cout), dtype=x.dtype)
    for n, p, q, k in np.ndindex(*y.shape):
        total = 0.0
        for i, j, c in np.ndindex(kh, kw, cin):
            row, column = p * sh - start[0] + i * dh, q * sw - start[1] + j * dw
            inside = 0 <= row < x.shape[1] and 0 <= column < x.shape[2]
            pixel = float(x[n, row, column, c]) if inside else 0.0
            total += abs(pixel - float(weight[k, i, j, c]))
        value = (0.0 if bias is None else float(bias[k])) - total
        y[n, p, q, k] = fused(value, attributes.get("activation_type", "NO_ACTIVATION"))
    return y


# name, x, weight, output rows and columns, padding above and left, attributes
GEOMETRY: list[tuple[str, tuple[int, ...], tuple[int, ...], Pair, Pair, dict[str, Any]]] = [
    ("pointwise", (1, 4, 5, 8), (16, 1, 1, 8), (4, 5), (0, 0), {}),
    ("kernel_3", (1, 6, 7, 3), (8, 3, 3, 3), (4, 5), (0, 0), {"kernel_size": (3, 3)}),
    ("kernel_2_by_3_batch_2", (2, 4, 5, 7), (3, 2, 3, 7), (3, 3), (0, 0), {}),
    ("padding_counts", (1, 4, 4, 3), (5, 3, 3, 3), (4, 4), (1, 1), {"pad_list": (1, 1, 1, 1)}),
    ("pads_asymmetric", (1, 5, 4, 3), (4, 3, 2, 3), (5, 5), (2, 0), {"pad_list": (2, 0, 0, 2)}),
    ("stride_2", (1, 7, 8, 3), (4, 3, 3, 3), (3, 3), (0, 0), {"stride": (2, 2)}),
    ("stride_above_kernel", (1, 7, 8, 3), (4, 2, 2, 3), (2, 2), (0, 0), {"stride": (4, 5)}),
    ("dilation", (1, 7, 8, 3), (4, 3, 3, 3), (3, 2), (0, 0), {"dilation": (2, 3)}),
    ("same", (1, 5, 6, 3), (4, 3, 3, 3), (5, 6), (1, 1), {"pad_mode": "SAME"}),
    ("same_stride_2", (1, 6, 7, 3), (4, 3, 3, 3), (3, 4), (0, 1), {"pad_mode": "SAME", "stride": (2, 2)}),
    ("valid", (1, 6, 6, 3), (4, 3, 3, 3), (4, 4), (0, 0), {"pad_mode": "VALID"}),
    ("group_1", (1, 4, 4, 3), (2, 2, 2, 3), (3, 3), (0, 0), {"group": 1}),
    ("one_channel", (1, 4, 4, 1), (2, 2, 2, 1), (3, 3), (0, 0), {}),
    ("channels_17", (1, 3, 3, 17), (16, 2, 2, 17), (2, 2), (0, 0), {}),
    ("whole_image", (2, 4, 5, 3), (8, 4, 5, 3), (1, 1), (0, 0), {}),
    ("one_element", (1, 1, 1, 1), (1, 1, 1, 1), (1, 1), (0, 0), {}),
    ("empty_batch", (0, 4, 4, 3), (2, 3, 3, 3), (2, 2), (0, 0), {}),
    ("relu", (1, 4, 4, 3), (6, 2, 2, 3), (3, 3), (0, 0), {"activation_type": "RELU"}),
    ("relu6", (1, 4, 4, 3), (6, 2, 2, 3), (3, 3), (0, 0), {"activation_type": "RELU6"}),
    (
        "attributes_without_effect",
        (1, 4, 4, 3),
        (2, 3, 3, 3),
        (2, 2),
        (0, 0),
        {"format": "NHWC", "in_channel": 5, "out_channel": 9},
    ),
]


def _case(
    name: str, x: Array, weight: Array, bias: Array | None, out: Pair, start: Pair, attributes: Mapping[str, Any]
) -> ConformanceCase:
    inputs = (x, weight) if bias is None else (x, weight, bias)
    expected = (_loop(x, weight, bias, out, start, attributes),)
    tolerance = {"float16": 2e-3, "float64": 1e-12}.get(x.dtype.name, 1e-5)
    return ConformanceCase(
        name, "AdderFusion", inputs, expected, attributes, frozenset({1, 2}), rtol=tolerance, atol=tolerance
    )


def cases() -> Iterator[ConformanceCase]:
    """Paddings that count, strides, dilations, pad modes, activations, float types, with and without bias, NaN."""
    rng = np.random.default_rng(6)
    for index, (name, x_shape, w_shape, out, start, attributes) in enumerate(GEOMETRY):
        x, weight = rng.normal(size=x_shape).astype(np.float32), rng.normal(size=w_shape).astype(np.float32)
        bias = (rng.normal(size=w_shape[0]) * 5 + 10).astype(np.float32) if index % 3 else None
        yield _case(name, x, weight, bias, out, start, attributes)
    for dtype in ("float16", "float64"):
        x, weight = rng.normal(size=(1, 5, 5, 8)).astype(dtype), rng.normal(size=(4, 3, 3, 8)).astype(dtype)
        yield _case(dtype, x, weight, weight[:, 0, 0, 0], (3, 3), (0, 0), {})
    x, weight = rng.normal(size=(1, 4, 4, 2)).astype(np.float32), rng.normal(size=(3, 2, 2, 2)).astype(np.float32)
    x[0, 0, 0, 0], x[0, 3, 3, 1] = np.nan, np.inf
    yield _case("nan_and_infinity", x, weight, None, (3, 3), (0, 0), {})
