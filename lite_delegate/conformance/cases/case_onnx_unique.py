"""Conformance cases of ai.onnx.Unique, expected values by looking for each element among those before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact

OP = "ai.onnx.Unique"
DTYPES = ("float16", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")


def cases() -> Iterator[ConformanceCase]:
    """Sorted or in order of occurrence, of all elements or along an axis, every dtype, one element, all alike."""
    rng = np.random.default_rng(417)
    for in_order in (1, 0):
        end = "" if in_order else "_by_occurrence"
        for name, shape in (("rank_1", (9,)), ("rank_2", (4, 5)), ("rank_3", (2, 3, 4))):
            yield _case(name + end, rng.integers(0, 6, shape).astype(np.float32), in_order)
        rows = np.array([[3, 1], [0, 2], [3, 1], [0, 1]], np.float32)
        yield _case(f"rows{end}", rows, in_order, 0)
        yield _case(f"columns{end}", rows.T.copy(), in_order, 1)
        yield _case(f"negative_axis{end}", rows.T.copy(), in_order, -1)
        yield _case(f"middle_axis{end}", rng.integers(0, 2, (2, 6, 1)).astype(np.int32), in_order, 1)
    yield _case("one_element", np.array([4.0], np.float32), 1)
    yield _case("all_alike", np.full((3, 3), 2.0, np.float32), 1)
    for dtype in DTYPES:
        yield _case(f"dtype_{dtype}", rng.integers(0, 4, (3, 4)).astype(dtype), 1)


def _case(name: str, x: Array, in_order: int, axis: int | None = None) -> ConformanceCase:
    lines = x.reshape(-1, 1) if axis is None else np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
    slices = [tuple(line) for line in lines.tolist()]
    different = list(dict.fromkeys(slices))
    if in_order:
        different.sort()
    kept: Any = [slices.index(each) for each in different]
    y = x.reshape(-1)[kept] if axis is None else np.take(x, kept, axis)
    counts = [slices.count(each) for each in different]
    back = [different.index(each) for each in slices]
    numbers = [np.array(each, np.int64) for each in (kept, back, counts)]
    attributes = {"sorted": in_order, **({} if axis is None else {"axis": axis})}
    return exact(OP, name, (x,), (y, *numbers), attributes)
