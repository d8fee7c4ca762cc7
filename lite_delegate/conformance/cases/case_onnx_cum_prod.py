"""Conformance cases of ai.onnx.CumProd, expected values by multiplying one element after another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.scalars import INTEGERS, store

OP = "ai.onnx.CumProd"


def cases() -> Iterator[ConformanceCase]:
    """Axes, both directions, with and without the element itself, dtypes, nothing at all."""
    rng = np.random.default_rng(406)
    for exclusive in (0, 1):
        for reverse in (0, 1):
            name = f"rank_3{'_exclusive' * exclusive}{'_reverse' * reverse}"
            x = rng.normal(size=(2, 5, 3)).astype(np.float32)
            yield _case(name, x, 1, exclusive, reverse)
    x = rng.normal(size=(3, 4)).astype(np.float32)
    yield _case("rank_1", rng.normal(size=7).astype(np.float32), 0)
    yield _case("negative_axis", x, -2)
    yield _case("axis_not_constant", x, 1, constants=frozenset())
    yield _case("one_element", x[:1, :1], 0, 1, 1)
    yield _case("empty", x[:0], 1)
    yield _case("float64", x.astype(np.float64), 1)
    for dtype in INTEGERS:
        yield _case(f"{dtype}_wraps", rng.integers(1, 30, (2, 9)).astype(dtype), 1, 0, 1)


def _case(
    name: str, x: Array, axis: int, exclusive: int = 0, reverse: int = 0, constants: frozenset[int] = frozenset({1})
) -> ConformanceCase:
    y = np.empty_like(x)
    lines = np.moveaxis(x, axis, -1)
    for place in np.ndindex(lines.shape[:-1]):
        total = 1
        line = list(enumerate(lines[place].tolist()))
        for i, value in reversed(line) if reverse else line:
            before, total = total, total * value
            np.moveaxis(y, axis, -1)[(*place, i)] = store(before if exclusive else total, x.dtype)
    attributes = {"exclusive": exclusive, "reverse": reverse}
    exactly = x.dtype.kind in "iu"
    tolerance = 0.0 if exactly else 1e-5
    return ConformanceCase(name, OP, (x, np.array(axis, np.int32)), (y,), attributes, constants, tolerance, tolerance)
