"""Conformance cases of MaxPoolFusion, the largest of every window's elements one by one, compared bit for bit.

The geometry (output sizes and paddings, worked out by hand) serves AvgPoolFusion too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import fused

Pair = tuple[int, int]

# name, x, output rows and columns, padding above and left, attributes
GEOMETRY: list[tuple[str, tuple[int, ...], Pair, Pair, dict[str, Any]]] = [
    ("kernel_2_stride_2", (1, 4, 6, 3), (2, 3), (0, 0), {"kernel_size": (2, 2), "strides": (2, 2)}),
    ("strides_absent", (1, 4, 5, 3), (3, 3), (0, 0), {"kernel_size": (2, 3)}),
    ("overlapping_kernel_3_stride_2", (2, 7, 9, 8), (3, 4), (0, 0), {"kernel_size": (3, 3), "strides": (2, 2)}),
    ("kernel_1_stride_2", (1, 5, 6, 3), (3, 3), (0, 0), {"kernel_size": (1, 1), "strides": (2, 2)}),
    ("kernel_1_stride_1", (1, 3, 3, 7), (3, 3), (0, 0), {"kernel_size": (1, 1), "strides": (1, 1)}),
    ("stride_above_kernel", (1, 9, 10, 3), (3, 3), (0, 0), {"kernel_size": (2, 2), "strides": (3, 4)}),
    ("row_kernel", (1, 3, 8, 3), (3, 3), (0, 0), {"kernel_size": (1, 4), "strides": (1, 2)}),
    ("column_kernel", (1, 8, 3, 3), (3, 3), (0, 0), {"kernel_size": (4, 1), "strides": (2, 1)}),
    ("floor_drops_the_rest", (1, 6, 8, 3), (2, 3), (0, 0), {"kernel_size": (3, 3), "strides": (2, 2)}),
    (
        "ceil_keeps_the_rest",
        (1, 6, 8, 3),
        (3, 4),
        (0, 0),
        {"kernel_size": (3, 3), "strides": (2, 2), "round_mode": "CEIL"},
    ),
    (
        "ceil_without_rest",
        (1, 7, 5, 3),
        (3, 2),
        (0, 0),
        {"kernel_size": (3, 3), "strides": (2, 2), "round_mode": "CEIL"},
    ),
    (
        "ceil_46_to_23",
        (1, 46, 3, 1),
        (23, 1),
        (0, 0),
        {"kernel_size": (3, 3), "strides": (2, 2), "round_mode": "CEIL"},
    ),
    ("pad_1", (1, 5, 4, 7), (5, 4), (1, 1), {"kernel_size": (3, 3), "strides": (1, 1), "pad": (1, 1, 1, 1)}),
    (
        "pad_1_stride_2",
        (1, 7, 8, 16),
        (4, 4),
        (1, 1),
        {"kernel_size": (3, 3), "strides": (2, 2), "pad": (1, 1, 1, 1)},
    ),
    (
        "pads_asymmetric",
        (1, 5, 6, 3),
        (4, 6),
        (2, 0),
        {"kernel_size": (4, 2), "strides": (1, 1), "pad": (2, 0, 0, 1), "format": "NHWC"},
    ),
    (
        "pads_asymmetric_ceil",
        (1, 5, 6, 3),
        (3, 4),
        (0, 1),
        {"kernel_size": (3, 2), "strides": (2, 2), "pad": (0, 1, 1, 0), "round_mode": "CEIL"},
    ),
    ("pad_too_short", (1, 4, 4, 3), (3, 3), (0, 0), {"kernel_size": (2, 2), "pad": (1, 1)}),
    ("same", (1, 5, 6, 3), (5, 6), (1, 1), {"kernel_size": (3, 3), "strides": (1, 1), "pad_mode": "SAME"}),
    ("same_stride_2", (1, 6, 7, 17), (3, 4), (0, 1), {"kernel_size": (3, 3), "strides": (2, 2), "pad_mode": "SAME"}),
    ("same_even_kernel", (1, 5, 5, 3), (5, 5), (0, 0), {"kernel_size": (2, 2), "pad_mode": "SAME"}),
    (
        "same_stride_above_kernel",
        (1, 7, 8, 3),
        (3, 2),
        (0, 0),
        {"kernel_size": (2, 2), "strides": (3, 4), "pad_mode": "SAME"},
    ),
    (
        "same_ignores_pad_and_round_mode",
        (1, 6, 6, 3),
        (3, 3),
        (0, 0),
        {"kernel_size": (3, 3), "strides": (2, 2), "pad_mode": "SAME", "pad": (2, 2, 2, 2), "round_mode": "CEIL"},
    ),
    ("valid", (1, 6, 8, 3), (2, 3), (0, 0), {"kernel_size": (3, 3), "strides": (2, 2), "pad_mode": "VALID"}),
    (
        "valid_still_uses_pad",
        (1, 4, 4, 3),
        (4, 4),
        (1, 0),
        {"kernel_size": (3, 3), "strides": (1, 1), "pad_mode": "VALID", "pad": (1, 1, 0, 2)},
    ),
    (
        "valid_ceil",
        (1, 6, 8, 3),
        (3, 4),
        (0, 0),
        {"kernel_size": (3, 3), "strides": (2, 2), "pad_mode": "VALID", "round_mode": "CEIL"},
    ),
    ("kernel_above_input_gives_one", (1, 2, 3, 3), (1, 1), (0, 0), {"kernel_size": (5, 4), "strides": (1, 1)}),
    ("whole_image_kernel", (1, 7, 7, 8), (1, 1), (0, 0), {"kernel_size": (7, 7), "strides": (1, 1)}),
    ("global", (2, 5, 4, 7), (1, 1), (0, 0), {"global_": True}),
    (
        "global_looks_at_nothing_else",
        (1, 4, 3, 3),
        (1, 1),
        (0, 0),
        {
            "global_": True,
            "kernel_size": (2, 2),
            "strides": (2, 2),
            "pad": (1, 1, 1, 1),
            "pad_mode": "SAME",
            "round_mode": "CEIL",
        },
    ),
    ("rank_3", (2, 5, 6), (2, 3), (0, 0), {"kernel_size": (2, 2), "strides": (2, 2)}),
    ("rank_3_global", (2, 5, 6), (1, 1), (0, 0), {"global_": True}),
    ("rank_5", (1, 4, 4, 3, 2), (2, 2), (0, 0), {"kernel_size": (2, 2), "strides": (2, 2)}),
    ("one_element", (1, 1, 1, 1), (1, 1), (0, 0), {"kernel_size": (1, 1), "strides": (1, 1)}),
    ("empty_batch", (0, 4, 4, 3), (2, 2), (0, 0), {"kernel_size": (2, 2), "strides": (2, 2)}),
    ("no_channels", (1, 4, 4, 0), (2, 2), (0, 0), {"kernel_size": (2, 2), "strides": (2, 2)}),
    ("relu", (1, 4, 4, 8), (2, 2), (0, 0), {"kernel_size": (2, 2), "strides": (2, 2), "activation_type": "RELU"}),
    ("relu6", (1, 4, 4, 8), (2, 2), (0, 0), {"kernel_size": (2, 2), "strides": (2, 2), "activation_type": "RELU6"}),
    (
        "other_activations_count_as_none",
        (1, 4, 4, 8),
        (2, 2),
        (0, 0),
        {"kernel_size": (2, 2), "strides": (2, 2), "activation_type": "TANH"},
    ),
]


def windows(
    x: Array, out: Pair, start: Pair, attributes: dict[str, Any]
) -> Iterator[tuple[tuple[int, ...], list[float]]]:
    """For every output element its index and the input elements in its window, padding left out."""
    kernel = x.shape[1:3] if attributes.get("global_") else attributes["kernel_size"]
    strides = attributes.get("strides", (1, 1))
    for index in np.ndindex(x.shape[0], *out, *x.shape[3:]):
        n, p, q, *rest = index
        rows = [p * strides[0] - start[0] + i for i in range(kernel[0])]
        columns = [q * strides[1] - start[1] + j for j in range(kernel[1])]
        yield (
            index,
            [
                float(x[n, row, column, *rest])
                for row in rows
                for column in columns
                if 0 <= row < x.shape[1] and 0 <= column < x.shape[2]
            ],
        )


def _loop(x: Array, out: Pair, start: Pair, attributes: dict[str, Any]) -> Array:
    y = np.empty((x.shape[0], *out, *x.shape[3:]), dtype=np.float64)
    for index, elements in windows(x, out, start, attributes):
        best = float(np.finfo(x.dtype).min)
        for element in elements:
            best = element if math.isnan(element) or element > best else best
            if math.isnan(best):
                break
        y[index] = fused(best, attributes.get("activation_type", "NO_ACTIVATION"))
    return y.astype(x.dtype)


def cases() -> Iterator[ConformanceCase]:
    """Pad modes, round modes, global, ranks, activations, float types; NaN, infinities and windows of padding."""
    rng = np.random.default_rng(92)
    for name, shape, out, start, attributes in GEOMETRY:
        yield _case(name, rng.normal(size=shape).astype(np.float32) * 4, out, start, attributes)
    attributes = {"kernel_size": (2, 2), "strides": (2, 2)}
    for dtype in (np.float16, np.float64):
        yield _case(np.dtype(dtype).name, rng.normal(size=(1, 4, 4, 3)).astype(dtype), (2, 2), (0, 0), attributes)
    x = rng.normal(size=(1, 4, 4, 2)).astype(np.float32)
    x[0, 0, 0, 0], x[0, 3, 3, 1], x[0, 0, 3, 0] = np.nan, np.inf, -np.inf
    yield _case("nan_and_infinity", x, (2, 2), (0, 0), attributes)
    yield _case("nan_and_infinity_global", x, (1, 1), (0, 0), {"global_": True})
    low = np.full((1, 2, 2, 1), -np.inf, dtype=np.float32)
    yield _case("only_minus_infinity_gives_the_lowest_number", low, (1, 1), (0, 0), attributes)
    low_half = low.astype(np.float16)
    yield _case("only_minus_infinity_gives_the_lowest_number_float16", low_half, (1, 1), (0, 0), attributes)
    negative = rng.uniform(-9, -1, size=(1, 3, 3, 3)).astype(np.float32)
    padded = {"kernel_size": (2, 2), "strides": (2, 2), "pad": (1, 0, 1, 0)}
    yield _case("padding_never_wins", negative, (2, 2), (1, 1), padded)
    wide = {"kernel_size": (1, 1), "strides": (1, 1), "pad": (1, 0, 0, 0)}
    yield _case("window_of_padding_gives_the_lowest_number", negative, (4, 3), (1, 0), wide)


def _case(name: str, x: Array, out: Pair, start: Pair, attributes: dict[str, Any]) -> ConformanceCase:
    return ConformanceCase(name, "MaxPoolFusion", (x,), (_loop(x, out, start, attributes),), attributes)
