"""Conformance cases of Conv2dTransposeFusion, one contribution at a time; sizes and paddings worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.convolution import Pair, convolution_case
from .loops.scalars import fused


def loop(x: Array, weight: Array, bias: Array | None, out: Pair, start: Pair, attributes: Mapping[str, Any]) -> Array:
    """``start``: how far up and left of the first contribution the output begins; negative: after it."""
    (sh, sw), (dh, dw) = attributes.get("stride", (1, 1)), attributes.get("dilation", (1, 1))
    cin, kh, kw, per_group = weight.shape
    groups = attributes.get("group", 0) or cin
    y = np.zeros((x.shape[0], *out, groups * per_group), dtype=np.float64)
    if bias is not None:
        y += bias
    for n, row, column, c in np.ndindex(*x.shape):
        first = c // (cin // groups) * per_group
        for i, j in np.ndindex(kh, kw):
            p, q = row * sh + i * dh - start[0], column * sw + j * dw - start[1]
            if 0 <= p < out[0] and 0 <= q < out[1]:
                for k in range(per_group):
                    y[n, p, q, first + k] += float(x[n, row, column, c]) * float(weight[c, i, j, k])
    for place in np.ndindex(*y.shape):
        y[place] = fused(float(y[place]), attributes.get("activation_type", "NO_ACTIVATION"))
    return y.astype(x.dtype)


# name, x, weight, output rows and columns, where the output begins, attributes
GEOMETRY: list[tuple[str, tuple[int, ...], tuple[int, ...], Pair, Pair, dict[str, Any]]] = [
    ("stride_1", (1, 4, 5, 3), (3, 3, 3, 8), (6, 7), (0, 0), {"group": 1, "kernel_size": (3, 3)}),
    ("stride_2", (1, 3, 4, 7), (7, 3, 3, 3), (7, 9), (0, 0), {"group": 1, "stride": (2, 2)}),
    ("stride_is_kernel", (1, 3, 3, 8), (8, 2, 2, 3), (6, 6), (0, 0), {"group": 1, "stride": (2, 2)}),
    ("stride_above_kernel", (1, 3, 2, 3), (3, 2, 2, 2), (8, 5), (0, 0), {"group": 1, "stride": (3, 3)}),
    ("pads", (1, 4, 4, 3), (3, 3, 3, 2), (7, 7), (1, 1), {"group": 1, "stride": (2, 2), "pad_list": (1, 1, 1, 1)}),
    ("pads_asymmetric", (1, 4, 5, 2), (2, 4, 3, 3), (5, 6), (2, 0), {"group": 1, "pad_list": (2, 0, 0, 1)}),
    ("pad_list_too_short", (1, 2, 2, 3), (3, 3, 3, 2), (4, 4), (0, 0), {"group": 1, "pad_list": (1, 1)}),
    ("pad_has_no_effect", (1, 2, 2, 3), (3, 3, 3, 2), (4, 4), (0, 0), {"group": 1, "pad": (1, 1, 1, 1)}),
    ("dilation", (1, 3, 3, 3), (3, 3, 2, 2), (7, 6), (0, 0), {"group": 1, "dilation": (2, 3)}),
    (
        "dilation_stride_pads",
        (1, 3, 4, 2),
        (2, 3, 3, 2),
        (6, 8),
        (1, 3),
        {"group": 1, "dilation": (2, 2), "stride": (2, 2), "pad_list": (1, 2, 3, 0)},
    ),
    ("same_stride_1", (1, 4, 5, 3), (3, 3, 3, 2), (4, 5), (1, 1), {"group": 1, "pad_mode": "SAME"}),
    ("same_stride_2", (1, 3, 4, 3), (3, 3, 3, 2), (6, 8), (0, 0), {"group": 1, "pad_mode": "SAME", "stride": (2, 2)}),
    (
        "same_stride_2_kernels_4_5",
        (1, 3, 3, 3),
        (3, 4, 5, 2),
        (6, 6),
        (1, 1),
        {"group": 1, "pad_mode": "SAME", "stride": (2, 2)},
    ),
    (
        "same_stride_2_kernel_1",
        (1, 3, 3, 3),
        (3, 1, 1, 2),
        (6, 6),
        (0, 0),
        {"group": 1, "pad_mode": "SAME", "stride": (2, 2)},
    ),
    (
        "same_stride_3_kernel_1",
        (1, 2, 3, 3),
        (3, 1, 1, 2),
        (6, 9),
        (-1, -1),
        {"group": 1, "pad_mode": "SAME", "stride": (3, 3)},
    ),
    (
        "same_dilation_2",
        (1, 4, 4, 2),
        (2, 3, 3, 2),
        (4, 4),
        (2, 2),
        {"group": 1, "pad_mode": "SAME", "dilation": (2, 2)},
    ),
    (
        "same_ignores_pad_list",
        (1, 3, 3, 2),
        (2, 3, 3, 2),
        (3, 3),
        (1, 1),
        {"group": 1, "pad_mode": "SAME", "pad_list": (2, 2, 2, 2)},
    ),
    ("valid", (1, 3, 4, 3), (3, 3, 2, 2), (7, 8), (0, 0), {"group": 1, "pad_mode": "VALID", "stride": (2, 2)}),
    (
        "valid_ignores_pad_list",
        (1, 3, 3, 2),
        (2, 3, 3, 2),
        (5, 5),
        (0, 0),
        {"group": 1, "pad_mode": "VALID", "pad_list": (1, 1, 1, 1)},
    ),
    (
        "valid_leaves_dilation_out_of_the_size",
        (1, 4, 3, 2),
        (2, 3, 2, 2),
        (6, 4),
        (0, 0),
        {"group": 1, "pad_mode": "VALID", "dilation": (2, 3)},
    ),
    (
        "output_paddings",
        (1, 3, 3, 3),
        (3, 3, 3, 2),
        (6, 5),
        (1, 1),
        {"group": 1, "stride": (2, 2), "pad_list": (1, 1, 1, 1), "output_paddings": (1, 0)},
    ),
    (
        "output_paddings_beyond_all_taps",
        (1, 2, 2, 3),
        (3, 2, 2, 2),
        (5, 6),
        (0, 0),
        {"group": 1, "stride": (2, 2), "output_paddings": (1, 2)},
    ),
    (
        "output_paddings_same",
        (1, 3, 3, 2),
        (2, 3, 3, 2),
        (7, 7),
        (0, 0),
        {"group": 1, "stride": (2, 2), "pad_mode": "SAME", "output_paddings": (1, 1)},
    ),
    (
        "output_paddings_valid",
        (1, 2, 2, 2),
        (2, 3, 3, 2),
        (6, 5),
        (0, 0),
        {"group": 1, "stride": (2, 2), "pad_mode": "VALID", "output_paddings": (1, 0)},
    ),
    ("depthwise", (1, 3, 4, 8), (8, 3, 3, 1), (7, 9), (0, 0), {"group": 8, "stride": (2, 2)}),
    ("depthwise_group_absent", (2, 3, 3, 7), (7, 2, 2, 1), (4, 4), (0, 0), {}),
    (
        "depthwise_same",
        (1, 3, 3, 17),
        (17, 4, 4, 1),
        (6, 6),
        (1, 1),
        {"group": 17, "stride": (2, 2), "pad_mode": "SAME"},
    ),
    ("grouped_2", (2, 3, 3, 4), (4, 3, 3, 3), (5, 5), (0, 0), {"group": 2}),
    ("grouped_3_stride_2", (1, 2, 3, 6), (6, 2, 3, 2), (4, 7), (0, 0), {"group": 3, "stride": (2, 2)}),
    ("group_per_channel_two_outputs_each", (1, 3, 3, 3), (3, 2, 2, 2), (4, 4), (0, 0), {"group": 3}),
    ("one_input_channel", (1, 3, 3, 1), (1, 3, 3, 4), (5, 5), (0, 0), {"group": 1}),
    ("batch_3_pointwise", (3, 2, 3, 7), (7, 1, 1, 16), (2, 3), (0, 0), {"group": 1}),
    ("one_element", (1, 1, 1, 1), (1, 1, 1, 1), (1, 1), (0, 0), {"group": 1}),
    ("empty_batch", (0, 2, 2, 3), (3, 3, 3, 2), (4, 4), (0, 0), {"group": 1}),
    ("relu", (1, 2, 3, 3), (3, 3, 3, 4), (4, 5), (0, 0), {"group": 1, "activation_type": "RELU"}),
    ("relu6", (1, 2, 3, 3), (3, 3, 3, 4), (4, 5), (0, 0), {"group": 1, "activation_type": "RELU6"}),
    (
        "attributes_without_effect",
        (1, 2, 2, 3),
        (3, 2, 2, 2),
        (3, 3),
        (0, 0),
        {"group": 1, "format": "NHWC", "mode": 1, "in_channel": 5, "out_channel": 9},
    ),
]


_case = partial(convolution_case, "Conv2dTransposeFusion", loop)


def cases() -> Iterator[ConformanceCase]:
    """Pad modes, output paddings, strides, dilations, groups, activations, float types, bias or none, NaN."""
    rng = np.random.default_rng(36)
    for index, (name, x_shape, w_shape, out, start, attributes) in enumerate(GEOMETRY):
        x, weight = rng.normal(size=x_shape).astype(np.float32), rng.normal(size=w_shape).astype(np.float32)
        outputs = w_shape[3] * (attributes.get("group", 0) or w_shape[0])
        bias = rng.normal(size=outputs).astype(np.float32) * 3 if index % 3 else None
        yield _case(name, x, weight, bias, out, start, attributes)
    for name, dtype, rtol in [("float16", np.float16, 1e-3), ("float64", np.float64, 1e-12)]:
        x, weight = rng.normal(size=(1, 3, 3, 8)).astype(dtype), rng.normal(size=(8, 3, 3, 2)).astype(dtype)
        attributes = {"group": 1, "stride": (2, 2)}
        yield _case(name, x, weight, weight[0, 0, 0], (7, 7), (0, 0), attributes, tolerance=rtol)
    x = rng.normal(size=(1, 3, 3, 2)).astype(np.float32)
    x[0, 0, 0, 0], x[0, 2, 2, 1] = np.nan, np.inf
    weight = rng.uniform(0.5, 1, size=(2, 2, 2, 2)).astype(np.float32)
    yield _case("nan_and_infinity", x, weight, None, (4, 4), (0, 0), {"group": 1})
