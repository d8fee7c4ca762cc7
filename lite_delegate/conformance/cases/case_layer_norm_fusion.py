"""Conformance cases of LayerNormFusion, expected values by a direct loop over every group."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase

Attributes = dict[str, float | int | bool]


def loop(
    x: Array, gamma: Array | None, beta: Array | None, norm_axis: int, params_axis: int, epsilon: float
) -> tuple[Array, Array, Array]:
    """The expected values, element by element, in the dtype of ``x``."""
    split = norm_axis % x.ndim
    y = np.empty(x.shape, dtype=x.dtype)
    means = np.empty(x.shape[:split], dtype=x.dtype)
    variances = np.empty(x.shape[:split], dtype=x.dtype)
    for group in np.ndindex(x.shape[:split]):
        values = [float(v) for v in x[group].reshape(-1)]
        mean = math.fsum(values) / len(values)
        variance = math.fsum((v - mean) ** 2 for v in values) / len(values)
        means[group], variances[group] = mean, variance
        for rest in np.ndindex(x.shape[split:]):
            index = group + rest
            covered = index[params_axis % x.ndim :]
            normal = (float(x[index]) - mean) / math.sqrt(variance + epsilon)
            scaled = normal * (1 if gamma is None else float(gamma[covered]))
            y[index] = scaled + (0 if beta is None else float(beta[covered]))
    return y, means, variances


def _case(
    name: str,
    x: Array,
    norm_axis: int,
    params: tuple[Array, Array, int] | None = None,
    *,
    outputs: int = 1,
    epsilon: float = 1e-5,
    constants: frozenset[int] = frozenset({1, 2}),
    **more: bool,
) -> ConformanceCase:
    gamma, beta, params_axis = params if params is not None else (None, None, 0)
    expected = loop(x, gamma, beta, norm_axis, params_axis, epsilon)[:outputs]
    attributes: Attributes = {
        "begin_norm_axis": norm_axis,
        "begin_params_axis": params_axis,
        "epsilon": epsilon,
        **more,
    }
    inputs = (x,) if gamma is None else (x, gamma, beta)
    known = constants if gamma is not None else frozenset[int]()
    tolerance = 3e-3 if x.dtype == np.float16 else 2e-5
    return ConformanceCase(name, "LayerNormFusion", inputs, expected, attributes, known, tolerance, tolerance)


def _params(rng: np.random.Generator, x: Array, axis: int) -> tuple[Array, Array, int]:
    gamma, beta = rng.normal(size=(2, *x.shape[axis % x.ndim :])).astype(x.dtype)
    return np.asarray(gamma), np.asarray(beta), axis


def cases() -> Iterator[ConformanceCase]:
    """Every axis, with and without gamma and beta, one and three outputs, epsilons, dtypes, a constant group."""
    rng = np.random.default_rng(75)
    for name, shape, norm_axis, params_axis in [
        ("last_axis", (2, 3, 16), 2, 2),
        ("minus_1", (2, 5, 17), -1, -1),
        ("axis_0_everything", (3, 4), 0, 0),
        ("axis_1_of_rank_4", (2, 3, 4, 5), 1, 1),
        ("minus_2", (2, 3, 4), -2, -2),
        ("params_cover_less", (2, 3, 4), 1, 2),
        ("params_cover_more", (2, 3, 4), 2, 1),
        ("rank_1", (8,), 0, 0),
        ("rank_5", (2, 1, 2, 3, 2), 3, -2),
        ("one_element_groups", (3, 1), 1, 1),
    ]:
        x = (rng.normal(size=shape) * 3 + 1).astype(np.float32)
        yield _case(name, x, norm_axis, _params(rng, x, params_axis))
        yield _case(f"{name}_no_params", x, norm_axis)
        yield _case(f"{name}_three_outputs", x, norm_axis, _params(rng, x, params_axis), outputs=3)
    x = (rng.normal(size=(2, 3, 7)) * 3).astype(np.float32)
    for epsilon in (0.0, 1e-12, 1e-9, 0.1):
        yield _case(f"epsilon_{epsilon}", x, -1, epsilon=epsilon)
    yield _case("epsilon_1e-09_with_params", x, -1, _params(np.random.default_rng(76), x, -1), epsilon=1e-9)
    yield _case("no_params_three_outputs", x, 1, outputs=3)
    yield _case("elementwise_affine_has_no_effect", x, 1, _params(rng, x, 1), elementwise_affine=True)
    yield _case("elementwise_affine_without_params", x, 1, elementwise_affine=True)
    yield _case("params_not_constant", x, 2, _params(rng, x, 2), constants=frozenset())
    for dtype in ("float16", "float64"):
        y = x.astype(dtype)
        yield _case(dtype, y, 2, _params(rng, y, 2), outputs=3)
    wide = (rng.normal(size=(2, 128)) * 40 + 1000).astype(np.float16)
    yield _case("float16_sum_beyond_its_range", wide, 1)
    yield _case("large_mean", x + np.float32(300), 2)
    yield _case("equal_elements", np.full((2, 4), 3.5, dtype=np.float32), 1, outputs=3)
    empty = np.zeros((0, 4), dtype=np.float32)
    yield _case("empty_batch", empty, 1, _params(rng, empty, 1), outputs=3)
