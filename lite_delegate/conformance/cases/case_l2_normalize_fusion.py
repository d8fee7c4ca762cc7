"""Conformance cases of L2NormalizeFusion, expected values by a direct loop over every element."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import fused

_USUAL = 1e-6


def loop(x: Array, axes: Sequence[int], epsilon: float, activation: str) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    sums: dict[tuple[int, ...], list[float]] = {}
    for index in np.ndindex(x.shape):
        kept = tuple(i for d, i in enumerate(index) if d not in axes)
        sums.setdefault(kept, []).append(float(x[index]) ** 2)
    y = np.empty(x.shape, dtype=x.dtype)
    for index in np.ndindex(x.shape):
        kept = tuple(i for d, i in enumerate(index) if d not in axes)
        length = math.sqrt(max(math.fsum(sums[kept]), epsilon if epsilon > 0 else _USUAL))
        y[index] = fused(float(x[index]) / length, activation)
    return y


def _case(name: str, x: Array, axis: Sequence[int] | None, epsilon: float = 0.0, **more: Any) -> ConformanceCase:
    axes = [a % x.ndim for a in axis] if axis else range(x.ndim)
    activation = str(more.get("activation_type", "NO_ACTIVATION"))
    expected = loop(x, axes, epsilon, activation if activation in ("RELU", "RELU6") else "NO_ACTIVATION")
    attributes: dict[str, Any] = {"axis": axis, "epsilon": epsilon, **more}
    tolerance = {"float16": 1e-3, "float64": 1e-12}.get(x.dtype.name, 1e-5)
    return ConformanceCase(
        name, "L2NormalizeFusion", (x,), (expected,), attributes, rtol=tolerance, atol=tolerance / 10
    )


def cases() -> Iterator[ConformanceCase]:
    """Every axis and several, all axes, ranks 0 to 5, epsilons that bind, activations, dtypes, special values."""
    rng = np.random.default_rng(88)
    for name, shape, axis in [
        ("last_axis", (2, 3, 17), (2,)),
        ("axis_minus_1", (4, 8), (-1,)),
        ("axis_0", (3, 5), (0,)),
        ("middle_axis", (2, 7, 3), (1,)),
        ("two_axes", (2, 3, 4, 5), (1, 2)),
        ("axes_in_any_order", (2, 3, 4), (-1, 0)),
        ("all_axes_by_name", (2, 3), (0, 1)),
        ("axis_absent_means_all", (2, 3, 2), None),
        ("axis_empty_means_all", (2, 3, 2), ()),
        ("rank_1", (7,), (0,)),
        ("rank_5", (2, 1, 2, 3, 2), (4,)),
        ("channels_1", (2, 2, 1), (-1,)),
        ("channels_16", (1, 2, 2, 16), (3,)),
        ("rank_0", (), None),
    ]:
        yield _case(name, np.asarray(rng.normal(size=shape) * 3, dtype=np.float32), axis)
    x = (rng.normal(size=(3, 4)) * 2).astype(np.float32)
    yield _case("epsilon_binds", x * np.float32(0.01), (1,), 0.5)
    yield _case("epsilon_does_not_bind", x, (1,), 1e-12)
    yield _case("epsilon_below_a_millionth", x * np.float32(1e-5), (1,), 1e-12)
    # What vision processors take: the channels alone, and this epsilon.
    for name, shape in [("rank_4", (1, 3, 4, 8)), ("rank_3", (2, 5, 6)), ("rank_2", (3, 17))]:
        channels = (rng.normal(size=shape) * 2).astype(np.float32)
        yield _case(f"epsilon_1e-09_{name}", channels, (-1,), 1e-9)
    yield _case("epsilon_1e-09_float16", channels.astype(np.float16), (1,), 1e-9)
    yield _case("zeros", np.zeros((2, 3), dtype=np.float32), (1,))
    for activation in ("RELU", "RELU6", "TANH"):
        yield _case(f"activation_{activation.lower()}", x, (1,), activation_type=activation)
    yield _case("relu6_rank_0", np.array(-2, dtype=np.float32), None, activation_type="RELU6")
    yield _case("float16", x.astype(np.float16), (1,))
    yield _case("float16_sum_beyond_its_range", (x * 200).astype(np.float16), (1,))
    yield _case("float64", x.astype(np.float64), (0,))
    for name, shape in [("empty_batch", (0, 3)), ("empty_axis", (3, 0))]:
        yield _case(name, np.zeros(shape, dtype=np.float32), (1,))
    special = np.array([[np.nan, 1, 2], [np.inf, 1, -2], [3, 4, 0]], dtype=np.float32)
    wanted = np.array([[np.nan] * 3, [np.nan, 0, 0], [0.6, 0.8, 0]], dtype=np.float32)
    yield ConformanceCase("nan_and_infinity", "L2NormalizeFusion", (special,), (wanted,), {"axis": (1,)}, source="hand")
