"""Conformance cases of ai.onnx.BatchNormalization, expected values by exact sums over each channel."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum, sqrt
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.BatchNormalization"


def cases() -> Iterator[ConformanceCase]:
    """Ranks, one channel, momentum, epsilon, dtypes: with the statistics of the batch."""
    rng = np.random.default_rng(402)

    def case(name: str, shape: tuple[int, ...], dtype: Any = np.float32, **attributes: Any) -> ConformanceCase:
        x = rng.normal(1, 2, shape).astype(dtype)
        scale, bias, mean = (rng.normal(size=shape[1]).astype(dtype) for _ in range(3))
        operands = (x, scale, bias, mean, rng.uniform(0.5, 2, shape[1]).astype(dtype))
        outputs = _loop(*operands, **attributes)
        tolerance = 5e-3 if dtype == np.float16 else 2e-5
        numbers = {"training_mode": 1, **attributes}
        constants = frozenset(range(1, 5))
        return ConformanceCase(name, OP, operands, outputs, numbers, constants, tolerance, tolerance)

    yield case("rank_2", (5, 3))
    yield case("line", (2, 3, 7))
    yield case("image", (2, 3, 4, 5))
    yield case("volume", (2, 2, 3, 2, 4))
    yield case("one_channel", (3, 1, 4, 4))
    yield case("channels_17", (1, 17, 3, 2))
    yield case("momentum", (2, 3, 4, 4), momentum=0.25)
    yield case("all_momentum", (2, 3, 2, 2), momentum=1.0)
    yield case("epsilon", (2, 3, 4, 4), epsilon=0.5)
    yield case("float16", (2, 3, 4, 4), np.float16)
    yield case("float64", (2, 3, 4, 4), np.float64)


def _loop(
    x: Array, scale: Array, bias: Array, mean: Array, variance: Array, *, epsilon: float = 1e-5, momentum: float = 0.9
) -> tuple[Array, Array, Array]:
    y, means, variances = np.empty_like(x), np.empty_like(mean), np.empty_like(variance)
    for c in range(x.shape[1]):
        numbers = [float(v) for v in x[:, c].reshape(-1)]
        middle = fsum(numbers) / len(numbers)
        spread = fsum((v - middle) ** 2 for v in numbers) / len(numbers)
        for n, *place in np.ndindex(x.shape[0], *x.shape[2:]):
            at = (n, c, *place)
            y[at] = (float(x[at]) - middle) / sqrt(spread + epsilon) * float(scale[c]) + float(bias[c])
        means[c] = float(mean[c]) * momentum + middle * (1 - momentum)
        variances[c] = float(variance[c]) * momentum + spread * (1 - momentum)
    return y, means, variances
