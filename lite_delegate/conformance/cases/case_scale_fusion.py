"""Conformance cases of ScaleFusion, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import fused


def loop(x: Array, scale: Array, offset: Array | None, axis: int, activation: str) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    start = axis % x.ndim
    out = np.empty(x.shape, dtype=x.dtype)
    for index in np.ndindex(x.shape):
        covered = index[start : start + scale.ndim]
        value = float(x[index]) * float(scale[covered])
        value += 0.0 if offset is None else float(offset[covered])
        out[index] = fused(value, activation)
    return out


def _case(
    name: str,
    inputs: tuple[Array, Array, Array | None],
    axis: int,
    activation: str = "NO_ACTIVATION",
    constants: frozenset[int] = frozenset({1, 2}),
    rtol: float = 1e-5,
    atol: float = 1e-6,
) -> ConformanceCase:
    attributes: dict[str, Any] = {"axis": axis, "activation_type": activation}
    y = loop(*inputs, axis, activation)
    given = inputs if inputs[2] is not None else inputs[:2]
    return ConformanceCase(name, "ScaleFusion", given, (y,), attributes, constants, rtol, atol)


def cases() -> Iterator[ConformanceCase]:
    """Every position and length of the covered dims, with and without offset, activations, dtypes."""
    rng = np.random.default_rng(127)
    for name, shape, axis, covered in [
        ("channels_last", (2, 3, 3, 8), 3, (8,)),
        ("axis_minus_1", (2, 3, 3, 17), -1, (17,)),
        ("channels_first", (2, 7, 3, 2), 1, (7,)),
        ("axis_0_first_dim", (4, 3), 0, (4,)),
        ("axis_0_all_dims", (2, 3, 4), 0, (2, 3, 4)),
        ("two_middle_dims", (2, 3, 4, 5), 1, (3, 4)),
        ("axis_minus_2", (2, 3, 4), -2, (3, 4)),
        ("rank_1", (5,), 0, (5,)),
        ("rank_5", (2, 1, 3, 2, 3), 2, (3, 2)),
        ("scalar_scale", (2, 3), 1, ()),
        ("one_element", (1, 1), 1, (1,)),
        ("empty", (0, 3), 1, (3,)),
    ]:
        x, scale, offset = (rng.normal(size=s).astype(np.float32) for s in (shape, covered, covered))
        inputs = (x, np.asarray(scale, dtype=np.float32), np.asarray(offset, dtype=np.float32))
        yield _case(name, inputs, axis)
        yield _case(f"{name}_no_offset", (*inputs[:2], None), axis, constants=frozenset({1}))
    x, scale, offset = (rng.normal(size=s).astype(np.float32) * 4 for s in ((2, 3, 16), (16,), (16,)))
    for activation in ("RELU", "RELU6"):
        yield _case(activation.lower(), (x, scale, offset), -1, activation)
    yield _case("not_constant", (x, scale, offset), 2, constants=frozenset())
    half = (x.astype(np.float16), scale.astype(np.float16), offset.astype(np.float16))
    yield _case("float16", half, -1, rtol=1e-3, atol=1e-3)
    yield _case("float16_relu6", half, -1, "RELU6", rtol=1e-3, atol=1e-3)
    double = (x.astype(np.float64), scale.astype(np.float64), offset.astype(np.float64))
    yield _case("float64", double, -1, rtol=1e-12, atol=1e-12)
    special = np.array([np.nan, np.inf, -np.inf, 0.0], dtype=np.float32)
    factors = np.array([1.0, -1.0, 2.0, np.inf], dtype=np.float32)
    y = np.array([np.nan, -np.inf, -np.inf, np.nan], dtype=np.float32)
    yield ConformanceCase("special_values", "ScaleFusion", (special, factors), (y,), {"axis": 0}, source="hand")
