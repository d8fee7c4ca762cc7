"""Arrays of every dtype, and exact cases: what case files of operators that pick, move and write elements share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

OTHER_DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float64")
"""Every dtype that operators which only move data take beside float32."""


def sample(rng: np.random.Generator, shape: Sequence[int], dtype: str = "float32") -> Array:
    """Random elements: normally distributed floats, integers from their whole range, both bools."""
    if dtype == "bool":
        return np.asarray(rng.integers(0, 2, size=shape)).astype(np.bool_)
    if np.dtype(dtype).kind == "f":
        return np.asarray(rng.normal(size=shape)).astype(dtype)
    info = np.iinfo(dtype)
    return np.asarray(rng.integers(info.min, info.max, size=shape, dtype=dtype, endpoint=True))


def ints(*values: int, dtype: str = "int32") -> Array:
    """A 1-D array of integers."""
    return np.array(values, dtype=dtype)


def exact(
    op_type: str,
    name: str,
    inputs: Iterable[Array | None],
    outputs: Iterable[Array],
    attributes: Mapping[str, Any] | None = None,
    constants: Iterable[int] = (),
    source: str = "loop",
) -> ConformanceCase:
    """A case whose outputs must match bit for bit."""
    return ConformanceCase(
        name,
        op_type,
        tuple(inputs),
        tuple(outputs),
        attributes or {},
        frozenset(constants),
        rtol=0,
        atol=0,
        source=source,
    )
