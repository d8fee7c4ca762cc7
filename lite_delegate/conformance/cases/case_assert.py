"""Conformance cases of Assert where the condition holds: nothing comes out, or the condition itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _case(name: str, outputs: tuple[Array, ...], *inputs: Array, summarize: int = 0) -> ConformanceCase:
    attributes = {"summarize": summarize}
    return ConformanceCase(name, "Assert", inputs, outputs, attributes, source="hand")


def cases() -> Iterator[ConformanceCase]:
    """Conditions of several ranks, with and without data, with and without an output."""
    data = np.array([1.5, 2.5], dtype=np.float32)
    for name, shape in [("scalar", ()), ("one_element", (1,)), ("rank_2", (2, 3)), ("empty", (0,))]:
        condition = np.full(shape, True)
        yield _case(name, (), condition)
        yield _case(f"{name}_with_data", (), condition, data)
        yield _case(f"{name}_as_output", (np.full(shape, True),), condition, data)
    condition = np.array(True)
    yield _case("data_of_two_dtypes", (), condition, data, np.array([[1, 2]], dtype=np.int32))
    for summarize in (-1, 1, 100):
        yield _case(f"summarize_{summarize}", (), condition, data, summarize=summarize)
