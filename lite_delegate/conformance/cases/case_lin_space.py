"""Conformance cases of LinSpace, expected values in exact fractions, rounded once."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact


def _fractions(start: Array, stop: Array, num: int) -> Array:
    first, last = Fraction(start.item()), Fraction(stop.item())
    numbers = [first + (last - first) * i / max(num - 1, 1) for i in range(num)]
    return np.array([float(n) for n in numbers]).astype(start.dtype)


def cases() -> Iterator[ConformanceCase]:
    """Up, down, through zero, one and two numbers, equal ends, every float dtype, scalars and one-element inputs."""
    for name, start, stop, num in [
        ("up", 1.0, 2.0, 5),
        ("down", 3.0, -1.0, 9),
        ("thirds", 0.0, 1.0, 4),
        ("seventeen", -0.1, 0.7, 17),
        ("two_numbers_are_the_ends", 0.1, 0.3, 2),
        ("one_number_is_the_start", 5.0, 9.0, 1),
        ("equal_ends", 2.5, 2.5, 3),
        ("large", -1e30, 1e30, 3),
    ]:
        for dtype, rtol in [("float32", 1e-6), ("float64", 1e-14)]:
            a, b = np.array(start, dtype=dtype), np.array(stop, dtype=dtype)
            inputs = (a, b, np.array(num, dtype=np.int32))
            expected = (_fractions(a, b, num),)
            case = f"{name}_{dtype}"
            yield ConformanceCase(case, "LinSpace", inputs, expected, {}, frozenset({2}), rtol=rtol, atol=1e-16)
    half = (np.array([0.0], dtype=np.float16), np.array([1.0], dtype=np.float16), np.array([5], dtype=np.int64))
    expected = (np.array([0.0, 0.25, 0.5, 0.75, 1.0], dtype=np.float16),)
    yield exact("LinSpace", "float16_one_element_inputs", half, expected, constants={2}, source="hand")
    yield exact("LinSpace", "num_not_constant", half, expected, source="hand")
    ends = (np.array(0.1, dtype=np.float32), np.array(0.7, dtype=np.float32), np.array(2, dtype=np.int32))
    expected = (np.array([0.1, 0.7], dtype=np.float32),)
    yield exact("LinSpace", "ends_are_exact", ends, expected, constants={0, 1, 2}, source="hand")
