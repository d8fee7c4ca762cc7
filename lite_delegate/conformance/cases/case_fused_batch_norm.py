"""Conformance cases of FusedBatchNorm, expected values by a direct loop over every element."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

CONSTANTS = frozenset({1, 2, 3, 4})


def loop(inputs: tuple[Array, ...], epsilon: float) -> Array:
    """The expected values, element by element, in the dtype of the first input."""
    x, scale, offset, mean, variance = inputs
    out = np.empty(x.shape, dtype=x.dtype)
    for index in np.ndindex(x.shape):
        c = index[-1]
        normal = (float(x[index]) - float(mean[c])) / math.sqrt(float(variance[c]) + epsilon)
        out[index] = normal * float(scale[c]) + float(offset[c])
    return out


def _inputs(shape: tuple[int, ...], seed: int, dtype: str = "float32", statistics: str = "") -> tuple[Array, ...]:
    rng = np.random.default_rng(seed)
    channels = shape[-1]
    x, scale, offset, mean = (rng.normal(size=s) * 2 for s in (shape, channels, channels, channels))
    variance = rng.uniform(0.1, 4, size=channels)
    per_channel = (p.astype(statistics or dtype) for p in (scale, offset, mean, variance))
    return (x.astype(dtype), *per_channel)


def _case(
    name: str,
    inputs: tuple[Array, ...],
    constants: frozenset[int] = CONSTANTS,
    outputs: int = 1,
    epsilon: float = 1e-4,
    **more: Any,
) -> ConformanceCase:
    expected = (loop(inputs, epsilon), *inputs[1:])[:outputs]
    tolerance = 3e-3 if inputs[0].dtype == np.float16 else 1e-5
    attributes = {"epsilon": epsilon, **more}
    return ConformanceCase(name, "FusedBatchNorm", inputs, expected, attributes, constants, tolerance, tolerance)


def cases() -> Iterator[ConformanceCase]:
    """Ranks and channel counts, epsilons, attributes without effect, dtypes, more than one output."""
    for seed, (name, shape) in enumerate(
        [
            ("rank_4", (2, 3, 3, 8)),
            ("rank_2", (5, 3)),
            ("rank_1", (7,)),
            ("rank_5", (1, 2, 2, 3, 4)),
            ("channels_1", (2, 3, 1, 1)),
            ("channels_16", (1, 2, 3, 16)),
            ("channels_17", (3, 1, 2, 17)),
            ("empty_batch", (0, 2, 2, 3)),
        ]
    ):
        yield _case(name, _inputs(shape, seed))
    inputs = _inputs((2, 3, 4), 68)
    for epsilon in (0.0, 1e-5, 0.5):
        yield _case(f"epsilon_{epsilon}", inputs, epsilon=epsilon)
    for momentum in (0.0, 1.0):
        yield _case(f"momentum_{momentum}_has_no_effect", inputs, momentum=momentum)
    yield _case("mode_1_uses_the_given_statistics", inputs, mode=1)
    yield _case("not_constant", inputs, constants=frozenset())
    yield _case("three_outputs", inputs, outputs=3)
    yield _case("five_outputs", inputs, outputs=5)
    yield _case("float16", _inputs((2, 3, 3, 4), 69, "float16"))
    yield _case("float16_with_float32_statistics", _inputs((2, 3, 5), 70, "float16", "float32"))
    yield _case("float64", _inputs((2, 3, 5), 71, "float64"))
    x, scale, offset, mean, variance = _inputs((3, 4), 72)
    yield _case("large_mean", (x + np.float32(1000), scale, offset, mean + np.float32(1000), variance))
