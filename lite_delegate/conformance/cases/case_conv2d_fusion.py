"""Conformance cases of Conv2DFusion, one output value at a time; output sizes and paddings are worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.convolution import Pair, convolution_case
from .loops.scalars import fused


def loop(x: Array, weight: Array, bias: Array | None, out: Pair, start: Pair, attributes: Mapping[str, Any]) -> Array:
    """``start``: rows and columns of padding before the input."""
    (sh, sw), (dh, dw) = attributes.get("stride", (1, 1)), attributes.get("dilation", (1, 1))
    cout, kh, kw, per_group = weight.shape
    outputs_per_group = cout // (attributes.get("group", 0) or cout)
    pixels, taps = x.tolist(), weight.tolist()
    y = np.empty((x.shape[0], *out, cout), dtype=np.float64)
    for n, p, q, k in np.ndindex(*y.shape):
        first = k // outputs_per_group * per_group
        total = 0.0 if bias is None else float(bias[k])
        for i, j in np.ndindex(kh, kw):
            row, column = p * sh - start[0] + i * dh, q * sw - start[1] + j * dw
            if 0 <= row < x.shape[1] and 0 <= column < x.shape[2]:
                pixel = pixels[n][row][column][first : first + per_group]
                total += sum(a * b for a, b in zip(pixel, taps[k][i][j], strict=True))
        y[n, p, q, k] = fused(total, attributes.get("activation_type", "NO_ACTIVATION"))
    return y.astype(x.dtype)


# name, x, weight, output rows and columns, padding above and left, attributes
GEOMETRY: list[tuple[str, tuple[int, ...], tuple[int, ...], Pair, Pair, dict[str, Any]]] = [
    ("pointwise", (1, 5, 5, 8), (16, 1, 1, 8), (5, 5), (0, 0), {"group": 1}),
    ("pointwise_stride_2", (1, 5, 6, 3), (7, 1, 1, 3), (3, 3), (0, 0), {"group": 1, "stride": (2, 2)}),
    ("pointwise_padded", (1, 2, 3, 3), (2, 1, 1, 3), (4, 6), (1, 0), {"group": 1, "pad_list": (1, 1, 0, 3)}),
    ("kernel_3", (1, 6, 7, 3), (8, 3, 3, 3), (4, 5), (0, 0), {"group": 1, "kernel_size": (3, 3)}),
    ("pad_1", (1, 5, 4, 7), (8, 3, 3, 7), (5, 4), (1, 1), {"group": 1, "pad_list": (1, 1, 1, 1)}),
    ("pads_asymmetric", (1, 6, 5, 3), (4, 5, 2, 3), (4, 5), (2, 0), {"group": 1, "pad_list": (2, 0, 0, 1)}),
    ("pads_beyond_kernel", (1, 3, 3, 2), (3, 2, 2, 2), (8, 2), (4, 0), {"group": 1, "pad_list": (4, 2, 0, 0)}),
    ("pad_list_too_short", (1, 4, 4, 3), (3, 3, 3, 3), (2, 2), (0, 0), {"group": 1, "pad_list": (1, 1)}),
    ("row_kernel", (1, 4, 9, 3), (2, 1, 7, 3), (4, 3), (0, 0), {"group": 1}),
    ("column_kernel", (1, 9, 4, 3), (2, 7, 1, 3), (3, 4), (0, 0), {"group": 1}),
    ("whole_image_kernel", (2, 4, 5, 3), (8, 4, 5, 3), (1, 1), (0, 0), {"group": 1}),
    (
        "stride_2_pad_1",
        (1, 7, 8, 3),
        (8, 3, 3, 3),
        (4, 4),
        (1, 1),
        {"group": 1, "stride": (2, 2), "pad_list": (1,) * 4},
    ),
    ("stride_above_kernel", (1, 9, 10, 3), (4, 2, 2, 3), (3, 3), (0, 0), {"group": 1, "stride": (3, 4)}),
    ("stride_leaves_remainder", (1, 8, 9, 3), (4, 3, 3, 3), (2, 2), (0, 0), {"group": 1, "stride": (4, 5)}),
    ("dilation", (1, 7, 9, 3), (4, 3, 3, 3), (3, 3), (0, 0), {"group": 1, "dilation": (2, 3)}),
    (
        "dilation_stride_pads",
        (1, 8, 8, 2),
        (3, 3, 2, 2),
        (4, 8),
        (2, 0),
        {"group": 1, "dilation": (2, 3), "stride": (2, 1), "pad_list": (2, 1, 0, 3)},
    ),
    ("same", (1, 5, 6, 3), (4, 3, 3, 3), (5, 6), (1, 1), {"group": 1, "pad_mode": "SAME"}),
    ("same_even_kernel", (1, 5, 5, 3), (4, 2, 2, 3), (5, 5), (0, 0), {"group": 1, "pad_mode": "SAME"}),
    ("same_kernel_4", (1, 5, 5, 3), (2, 4, 4, 3), (5, 5), (1, 1), {"group": 1, "pad_mode": "SAME"}),
    (
        "same_ignores_pad_list",
        (1, 5, 5, 3),
        (4, 2, 2, 3),
        (5, 5),
        (0, 0),
        {"group": 1, "pad_mode": "SAME", "pad_list": (3, 3, 3, 3)},
    ),
    ("same_stride_2", (1, 6, 7, 3), (4, 3, 3, 3), (3, 4), (0, 1), {"group": 1, "pad_mode": "SAME", "stride": (2, 2)}),
    (
        "same_stride_2_dilation_2",
        (1, 7, 8, 3),
        (4, 3, 3, 3),
        (4, 4),
        (2, 1),
        {"group": 1, "pad_mode": "SAME", "stride": (2, 2), "dilation": (2, 2)},
    ),
    (
        "same_stride_above_kernel",
        (1, 7, 8, 3),
        (4, 1, 1, 3),
        (3, 3),
        (0, 0),
        {"group": 1, "pad_mode": "SAME", "stride": (3, 3)},
    ),
    ("valid", (1, 7, 8, 3), (4, 3, 3, 3), (3, 3), (0, 0), {"group": 1, "pad_mode": "VALID", "stride": (2, 2)}),
    (
        "valid_still_adds_pad_list",
        (1, 5, 5, 3),
        (4, 3, 3, 3),
        (4, 6),
        (1, 2),
        {"group": 1, "pad_mode": "VALID", "pad_list": (1, 0, 2, 1)},
    ),
    ("depthwise", (1, 5, 6, 8), (8, 3, 3, 1), (5, 6), (1, 1), {"group": 8, "pad_list": (1, 1, 1, 1)}),
    ("depthwise_no_pads_batch_2", (2, 5, 6, 7), (7, 3, 3, 1), (3, 4), (0, 0), {"group": 7}),
    (
        "depthwise_same_stride_2",
        (1, 6, 7, 17),
        (17, 3, 3, 1),
        (3, 4),
        (0, 1),
        {"group": 17, "pad_mode": "SAME", "stride": (2, 2)},
    ),
    (
        "depthwise_stride_3_dilation_2",
        (2, 11, 12, 3),
        (3, 3, 3, 1),
        (3, 3),
        (0, 0),
        {"group": 3, "stride": (3, 3), "dilation": (2, 2)},
    ),
    (
        "depthwise_stride_4_dilation_6",
        (1, 4, 20, 3),
        (3, 2, 3, 1),
        (3, 2),
        (0, 0),
        {"group": 3, "stride": (1, 4), "dilation": (1, 6)},
    ),
    ("depthwise_stride_above_kernel", (1, 7, 7, 3), (3, 2, 2, 1), (2, 2), (0, 0), {"group": 3, "stride": (4, 4)}),
    ("depthwise_pointwise", (1, 3, 3, 7), (7, 1, 1, 1), (3, 3), (0, 0), {"group": 7}),
    ("depthwise_group_absent", (1, 4, 4, 8), (8, 3, 3, 1), (2, 2), (0, 0), {}),
    ("depthwise_multiplier_2", (1, 5, 5, 3), (6, 3, 3, 1), (3, 3), (0, 0), {"group": 3}),
    (
        "depthwise_multiplier_3_same",
        (2, 5, 4, 2),
        (6, 3, 3, 1),
        (3, 2),
        (1, 0),
        {"group": 2, "pad_mode": "SAME", "stride": (2, 2)},
    ),
    ("grouped_2", (2, 5, 5, 6), (4, 3, 3, 3), (5, 5), (1, 1), {"group": 2, "pad_list": (1, 1, 1, 1)}),
    ("grouped_3_stride_2", (1, 7, 5, 6), (9, 3, 3, 2), (3, 2), (0, 0), {"group": 3, "stride": (2, 2)}),
    ("grouped_4_pointwise", (1, 3, 3, 16), (8, 1, 1, 4), (3, 3), (0, 0), {"group": 4}),
    ("group_absent_one_output", (1, 4, 4, 4), (1, 3, 3, 4), (2, 2), (0, 0), {}),
    ("one_input_channel", (1, 5, 5, 1), (8, 3, 3, 1), (3, 3), (0, 0), {"group": 1}),
    ("batch_3_channels_17", (3, 3, 3, 17), (7, 2, 2, 17), (2, 2), (0, 0), {"group": 1}),
    ("one_element", (1, 1, 1, 1), (1, 1, 1, 1), (1, 1), (0, 0), {"group": 1}),
    ("empty_batch", (0, 4, 4, 3), (2, 3, 3, 3), (2, 2), (0, 0), {"group": 1}),
    ("relu", (1, 4, 4, 3), (8, 3, 3, 3), (2, 2), (0, 0), {"group": 1, "activation_type": "RELU"}),
    ("relu6", (1, 4, 4, 3), (8, 3, 3, 3), (2, 2), (0, 0), {"group": 1, "activation_type": "RELU6"}),
    ("depthwise_relu6", (1, 4, 4, 8), (8, 3, 3, 1), (2, 2), (0, 0), {"group": 8, "activation_type": "RELU6"}),
    (
        "attributes_without_effect",
        (1, 4, 4, 3),
        (2, 3, 3, 3),
        (2, 2),
        (0, 0),
        {"group": 1, "format": "NHWC", "mode": 1, "in_channel": 5, "out_channel": 9},
    ),
]


_case = partial(convolution_case, "Conv2DFusion", loop)


def cases() -> Iterator[ConformanceCase]:
    """Pad modes, strides, dilations, groups, activations, float types, with and without bias, NaN and infinity."""
    rng = np.random.default_rng(35)
    for index, (name, x_shape, w_shape, out, start, attributes) in enumerate(GEOMETRY):
        x, weight = rng.normal(size=x_shape).astype(np.float32), rng.normal(size=w_shape).astype(np.float32)
        bias = rng.normal(size=w_shape[0]).astype(np.float32) * 3 if index % 3 else None
        yield _case(name, x, weight, bias, out, start, attributes)
    for name, dtype, rtol in [("float16", np.float16, 1e-3), ("float64", np.float64, 1e-12)]:
        x, weight = rng.normal(size=(1, 5, 5, 8)).astype(dtype), rng.normal(size=(4, 3, 3, 8)).astype(dtype)
        bias = rng.normal(size=4).astype(dtype)
        yield _case(name, x, weight, bias, (3, 3), (0, 0), {"group": 1}, tolerance=rtol)
        depthwise = rng.normal(size=(8, 3, 3, 1)).astype(dtype)
        yield _case(f"depthwise_{name}", x, depthwise, None, (3, 3), (0, 0), {"group": 8}, tolerance=rtol)
    x, half = rng.normal(size=(1, 4, 4, 3)).astype(np.float32), rng.normal(size=(2, 3, 3, 3)).astype(np.float16)
    yield _case("float16_weight_of_a_float32_input", x, half, half[:, 0, 0, 0], (2, 2), (0, 0), {"group": 1})
    yield from _special_values(rng)


def _special_values(rng: np.random.Generator) -> Iterator[ConformanceCase]:
    x = rng.normal(size=(1, 6, 6, 3)).astype(np.float32)
    x[0, 0, 0, 0], x[0, 5, 5, 1], x[0, 0, 5, 2] = np.nan, np.inf, -np.inf
    weight = rng.uniform(0.5, 1, size=(2, 3, 3, 3)).astype(np.float32)
    for activation in ("NO_ACTIVATION", "RELU6"):
        attributes = {"group": 1, "activation_type": activation}
        yield _case(f"nan_and_infinity_{activation.lower()}", x, weight, None, (4, 4), (0, 0), attributes)
    depthwise = rng.uniform(0.5, 1, size=(3, 3, 3, 1)).astype(np.float32)
    yield _case("nan_and_infinity_depthwise", x, depthwise, None, (4, 4), (0, 0), {"group": 3})
