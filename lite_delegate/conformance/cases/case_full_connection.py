"""Conformance cases of FullConnection, one output at a time over the flattened input; shapes worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import fused


def loop(x: Array, weight: Array, bias: Array | None, shape: tuple[int, ...], activation_type: str) -> Array:
    """``shape``: of the output."""
    outputs, count = weight.shape
    elements = x.flatten().tolist()
    y = []
    for row in range(len(elements) // count):
        for k in range(outputs):
            total = 0.0 if bias is None else float(bias[k])
            for c in range(count):
                total += elements[row * count + c] * float(weight[k, c])
            y.append(fused(total, activation_type))
    return np.array(y, dtype=np.float64).reshape(shape).astype(x.dtype)


# name, x, weight, output, attributes besides has_bias
GEOMETRY: list[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ("matrix", (3, 8), (7, 8), (3, 7), {}),
    ("one_row", (1, 16), (17, 16), (1, 17), {}),
    ("vector", (8,), (3, 8), (1, 3), {}),
    ("rows_of_weight_columns", (2, 3, 4), (5, 4), (6, 5), {}),
    ("rows_across_dimensions", (2, 3, 4), (5, 8), (3, 5), {}),
    ("axis_1", (2, 3, 2, 2), (7, 12), (2, 7), {"use_axis": True, "axis": 1}),
    ("axis_1_channels_first", (1, 8, 3, 3), (4, 72), (1, 4), {"use_axis": True, "axis": 1}),
    ("axis_0", (2, 3), (4, 6), (4,), {"use_axis": True, "axis": 0}),
    ("axis_2", (2, 3, 4), (5, 4), (2, 3, 5), {"use_axis": True, "axis": 2}),
    ("axis_negative", (2, 3, 2, 4), (5, 8), (2, 3, 5), {"use_axis": True, "axis": -2}),
    ("axis_without_use_axis", (2, 3, 4), (5, 4), (6, 5), {"use_axis": False, "axis": 1}),
    ("one_element", (1, 1), (1, 1), (1, 1), {}),
    ("empty_batch", (0, 8), (3, 8), (0, 3), {}),
    ("empty_batch_axis_1", (0, 2, 4), (3, 8), (0, 3), {"use_axis": True, "axis": 1}),
    ("relu", (2, 8), (7, 8), (2, 7), {"activation_type": "RELU"}),
    ("relu6", (2, 8), (7, 8), (2, 7), {"activation_type": "RELU6"}),
    ("other_activations_count_as_none", (2, 8), (7, 8), (2, 7), {"activation_type": "SIGMOID"}),
]


def cases() -> Iterator[ConformanceCase]:
    """With and without axis and bias, activations, float types, NaN and infinity, empty."""
    rng = np.random.default_rng(67)
    for index, (name, x_shape, w_shape, shape, attributes) in enumerate(GEOMETRY):
        x, weight = rng.normal(size=x_shape).astype(np.float32), rng.normal(size=w_shape).astype(np.float32)
        bias = rng.normal(size=w_shape[0]).astype(np.float32) * 3 if index % 3 else None
        yield _case(name, x, weight, bias, shape, attributes)
    for dtype, rtol in [(np.float16, 1e-3), (np.float64, 1e-12)]:
        x, weight = rng.normal(size=(2, 8)).astype(dtype), rng.normal(size=(3, 8)).astype(dtype)
        yield _case(np.dtype(dtype).name, x, weight, weight[:, 0], (2, 3), {}, rtol)
    x = np.array([[np.nan, 1, 2], [np.inf, 1, 2], [-np.inf, 1, 2], [3, 1, 2]], dtype=np.float32)
    yield _case("nan_and_infinity", x, np.ones((2, 3), dtype=np.float32), None, (4, 2), {"activation_type": "RELU6"})


def _case(
    name: str,
    x: Array,
    weight: Array,
    bias: Array | None,
    shape: tuple[int, ...],
    attributes: dict[str, Any],
    rtol: float = 1e-5,
) -> ConformanceCase:
    inputs = (x, weight) if bias is None else (x, weight, bias)
    y = loop(x, weight, bias, shape, attributes.get("activation_type", "NO_ACTIVATION"))
    named = {**attributes, "has_bias": bias is not None}
    return ConformanceCase(
        name, "FullConnection", inputs, (y,), named, constants=frozenset({1, 2}), rtol=rtol, atol=rtol
    )
