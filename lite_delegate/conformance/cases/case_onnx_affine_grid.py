"""Conformance cases of ai.onnx.AffineGrid, expected values place by place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import ints

OP = "ai.onnx.AffineGrid"


def cases() -> Iterator[ConformanceCase]:
    """Images and volumes, corners that are aligned or not, one element along an axis, several batches, dtypes."""
    rng = np.random.default_rng(401)
    for align in (0, 1):
        for name, size in (("image", (2, 3, 4, 5)), ("volume", (1, 2, 3, 2, 4)), ("narrow", (1, 1, 5, 1))):
            theta = rng.normal(size=(size[0], len(size) - 2, len(size) - 1)).astype(np.float32)
            yield _case(f"{name}{'_aligned' * align}", theta, size, align)
    exactly = rng.normal(size=(1, 2, 3))
    yield _case("float64", exactly, (1, 1, 2, 3), 0)
    yield _case("size_not_constant", exactly.astype(np.float32), (1, 1, 3, 2), 1, constants=frozenset())


def _case(
    name: str, theta: Array, size: tuple[int, ...], align: int, constants: frozenset[int] = frozenset({1})
) -> ConformanceCase:
    y = np.zeros((size[0], *size[2:], len(size) - 2), theta.dtype)
    for n, *place in np.ndindex(y.shape[:-1]):
        # The last axis comes first.
        at = [_position(i, count, align) for i, count in zip(place, size[2:], strict=True)][::-1]
        for axis in range(len(at)):
            row = [float(v) for v in theta[n, axis]]
            y[(n, *place, axis)] = sum(a * b for a, b in zip(row, at, strict=False)) + row[-1]
    operands = (theta, ints(*size, dtype="int64"))
    return ConformanceCase(name, OP, operands, (y,), {"align_corners": align}, constants, rtol=1e-5, atol=1e-6)


def _position(i: int, count: int, align: int) -> float:
    if align:
        return -1 + 2 * i / (count - 1) if count > 1 else -1.0
    return (2 * i + 1) / count - 1
