"""Conformance cases of Range, expected values by counting in Python's own numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import exact


def _count(start: float, limit: float, delta: float, dtype: str) -> Array:
    """All of start, start + delta, ... before the limit; exact for the numbers used here."""
    numbers: list[float] = []
    for i in itertools.count():
        number = start + i * delta
        if number >= limit if delta > 0 else number <= limit:
            break
        numbers.append(number)
    return np.array(numbers, dtype=dtype)


def cases() -> Iterator[ConformanceCase]:
    """Up and down, limits met and passed, empty ranges, every dtype; attributes instead of inputs; rounding."""
    for name, dtype, start, limit, delta in [
        ("int32", "int32", 0, 5, 1),
        ("int32_step_3_met", "int32", 0, 9, 3),
        ("int32_step_3_passed", "int32", 0, 10, 3),
        ("int32_negative_step", "int32", 4, -3, -2),
        ("int32_empty", "int32", 3, 3, 1),
        ("int32_wrong_direction", "int32", 3, 0, 1),
        ("int32_wrong_direction_down", "int32", 0, 3, -1),
        ("int32_one_element", "int32", 5, 6, 100),
        ("int8_to_its_end", "int8", -128, 127, 1),
        ("uint8_more_than_half", "uint8", 0, 255, 1),
        ("int16", "int16", -300, 300, 77),
        ("int64_beyond_32_bits", "int64", 2**40, 2**40 + 5, 2),
        ("uint16", "uint16", 3, 9, 2),
        ("uint32", "uint32", 2**31, 2**31 + 3, 1),
        ("uint64", "uint64", 2**63, 2**63 + 3, 1),
        ("float32", "float32", 0.0, 2.0, 0.5),
        ("float32_passed", "float32", 0.25, 2.0, 0.5),
        ("float32_negative_step", "float32", 1.0, -1.0, -0.25),
        ("float32_empty", "float32", 2.0, 1.0, 0.5),
        ("float16", "float16", -1.0, 1.0, 0.125),
        ("float64", "float64", 1.0, 3.0, 0.75),
    ]:
        inputs = tuple(np.array(v, dtype=dtype) for v in (start, limit, delta))
        expected = (_count(start, limit, delta, dtype),)
        yield exact("Range", name, inputs, expected, constants={0, 1, 2})
    inputs = tuple(np.array([v], dtype=np.int32) for v in (1, 6, 2))
    yield exact("Range", "one_element_inputs_not_constant", inputs, (_count(1, 6, 2, "int32"),))
    # 0.3 / 0.1 is just above 3 in exact arithmetic on these float32 numbers, and 3 after rounding to float32
    tenths = tuple(np.array(v, dtype=np.float32) for v in (0.0, 0.3, 0.1))
    rounded = np.array([0.0, 0.1, 0.2], dtype=np.float32)
    yield exact("Range", "length_is_rounded_in_float32", tenths, (rounded,), constants={0, 1, 2}, source="hand")
    ignored = np.zeros((2, 2), dtype=np.float32)
    for name, start, limit, delta in [("up", 2, 7, 2), ("down", 3, -1, -3), ("empty", 3, 3, 1)]:
        attributes = {"start": start, "limit": limit, "delta": delta}
        expected = (_count(start, limit, delta, "int32"),)
        yield exact("Range", f"attributes_{name}", (ignored,), expected, attributes)
    attributes = {"limit": 3, "d_type": 43}
    yield exact("Range", "attributes_type_has_no_effect", (ignored,), (_count(0, 3, 1, "int32"),), attributes)
