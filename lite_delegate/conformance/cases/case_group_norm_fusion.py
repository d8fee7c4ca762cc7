"""Conformance cases of GroupNormFusion, expected values group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, scale: Array, bias: Array, groups: int, epsilon: float) -> Array:
    y = np.empty(x.shape, dtype=x.dtype)
    width = x.shape[1] // groups
    for n, g in np.ndindex(x.shape[0], groups):
        members = [(n, g * width + k, *pixel) for k in range(width) for pixel in np.ndindex(x.shape[2:])]
        values = [float(x[m]) for m in members]
        mean = math.fsum(values) / len(values)
        variance = math.fsum((v - mean) ** 2 for v in values) / len(values)
        for m, value in zip(members, values, strict=True):
            y[m] = (value - mean) / math.sqrt(variance + epsilon) * float(scale[m[1]]) + float(bias[m[1]])
    return y


def _case(
    name: str, x: Array, groups: int, constants: frozenset[int] = frozenset({1, 2}), epsilon: float = 1e-5, **more: Any
) -> ConformanceCase:
    rng = np.random.default_rng(x.size + 211)
    scale, bias = rng.normal(size=(2, x.shape[1])).astype(x.dtype)
    tolerance = {"float16": 3e-3, "float64": 1e-10}.get(x.dtype.name, 3e-5)
    expected = _loop(x, scale, bias, groups, epsilon)
    attributes = {"num_groups": groups, "epsilon": epsilon, **more}
    return ConformanceCase(
        name, "GroupNormFusion", (x, scale, bias), (expected,), attributes, constants, tolerance, tolerance
    )


def cases() -> Iterator[ConformanceCase]:
    """Channels on dim 1: group counts from one to C, ranks, epsilons, dtypes, empty batches, NaN."""
    rng = np.random.default_rng(211)
    for name, shape, groups in [
        ("one_group", (2, 6, 3, 4), 1),
        ("two_groups", (2, 6, 3, 4), 2),
        ("as_many_groups_as_channels", (2, 7, 3, 3), 7),
        ("groups_of_two", (1, 16, 2, 3), 8),
        ("channels_17", (2, 17, 2, 2), 1),
        ("one_channel", (3, 1, 4, 4), 1),
        ("rank_2", (4, 6), 3),
        ("rank_3", (2, 8, 5), 4),
        ("rank_5", (2, 4, 2, 3, 2), 2),
        ("one_element_groups", (2, 3), 3),
        ("batch_3_channels_3", (3, 3, 2, 2), 3),
    ]:
        yield _case(name, (rng.normal(size=shape) * 3 + 1).astype(np.float32), groups)
    x = (rng.normal(size=(2, 6, 3, 3)) * 2).astype(np.float32)
    for epsilon in (0.0, 1e-12, 0.5):
        yield _case(f"epsilon_{epsilon}", x, 3, epsilon=epsilon)
    yield _case("affine_has_no_effect", x, 2, affine=False)
    yield _case("parameters_not_constant", x, 2, frozenset())
    yield _case("equal_elements", np.full((1, 4, 2, 2), 3.5, dtype=np.float32), 2)
    yield _case("large_mean", x + np.float32(300), 3)
    yield _case("float16", x.astype(np.float16), 2)
    yield _case("float16_sum_beyond_its_range", (rng.normal(size=(1, 2, 8, 8)) * 40 + 1000).astype(np.float16), 1)
    yield _case("float64", x.astype(np.float64), 3)
    yield _case("empty_batch", np.zeros((0, 4, 2, 2), dtype=np.float32), 2)
    holed = x.copy()
    holed[0, 1, 1, 2] = np.nan
    clean = _case("nan_stays_in_its_group", x, 3)
    expected = clean.outputs[0].copy()
    expected[0, :2] = np.nan
    yield ConformanceCase(
        clean.name,
        "GroupNormFusion",
        (holed, *clean.inputs[1:]),
        (expected,),
        clean.attributes,
        clean.constants,
        3e-5,
        3e-5,
    )
