"""Conformance cases of ai.onnx.DFT, expected values by the sum that defines it."""

from __future__ import annotations

from cmath import exp, pi
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "ai.onnx.DFT"


def cases() -> Iterator[ConformanceCase]:
    """Real and complex numbers, lengths that cut and fill, axes, one side, the way back, dtypes."""
    rng = np.random.default_rng(407)

    def case(
        name: str,
        shape: tuple[int, ...],
        axis: int = 1,
        length: int | None = None,
        dtype: Any = np.float32,
        **given: int,
    ) -> ConformanceCase:
        x = rng.normal(size=shape).astype(dtype)
        operands = (x, None if length is None else np.array(length, np.int64), np.array(axis, np.int64))
        outputs = (_loop(x, axis, length, **given),)
        constants = frozenset({1, 2} if length is not None else {2})
        return ConformanceCase(name, OP, operands, outputs, given, constants, rtol=1e-4, atol=1e-4)

    yield case("real", (2, 8, 1))
    yield case("complex", (2, 7, 2))
    yield case("one_element", (3, 1, 1))
    yield case("cut", (1, 9, 1), length=6)
    yield case("filled", (1, 5, 2), length=8)
    yield case("onesided", (2, 8, 1), onesided=1)
    yield case("onesided_odd", (2, 7, 1), onesided=1)
    yield case("inverse", (1, 6, 2), inverse=1)
    yield case("first_axis", (5, 3, 1), axis=0)
    yield case("negative_axis", (2, 3, 4, 2), axis=-2)
    yield case("float64", (1, 8, 1), dtype=np.float64)
    x = rng.normal(size=(2, 6, 1)).astype(np.float32)
    yield ConformanceCase("axis_as_attribute", OP, (x,), (_loop(x, 1, None),), {"axis": 1}, rtol=1e-4, atol=1e-4)
    half = _loop(x, 1, None, onesided=1)
    given = {"inverse": 1, "onesided": 1}
    operands = (half, np.array(6, np.int64), np.array(1, np.int64))
    yield ConformanceCase("back_from_one_side", OP, operands, (x,), given, frozenset({1, 2}), 1e-4, 1e-4)


def _loop(x: Array, axis: int, length: int | None, *, inverse: int = 0, onesided: int = 0) -> Array:
    """The transform along an axis, the last of which has real and imaginary part."""
    lines = np.moveaxis(x, axis, -2)
    size = lines.shape[-2] if length is None else length
    bins = size // 2 + 1 if onesided else size
    y = np.zeros((*lines.shape[:-2], bins, 2), x.dtype)
    for place in np.ndindex(lines.shape[:-2]):
        numbers = [complex(*(float(part) for part in pair)) for pair in lines[place]][:size]
        for k in range(bins):
            turn = (2j if inverse else -2j) * pi * k / size
            total = sum((v * exp(turn * i) for i, v in enumerate(numbers)), 0j) / (size if inverse else 1)
            y[(*place, k)] = total.real, total.imag
    return np.ascontiguousarray(np.moveaxis(y, -2, axis))
