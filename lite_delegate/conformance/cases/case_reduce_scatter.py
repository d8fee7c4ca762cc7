"""Conformance cases of ReduceScatter on one rank: the output is the input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import FLOATS, SHAPES
from .loops.scalars import INTEGERS


def _case(name: str, x: Array, constants: frozenset[int] = frozenset(), **attributes: Any) -> ConformanceCase:
    return ConformanceCase(
        name, "ReduceScatter", (x,), (x.copy(),), attributes, constants, rtol=0, atol=0, source="hand"
    )


def cases() -> Iterator[ConformanceCase]:
    """Shapes, every dtype, the modes that communication has, what the file may say of the ranks, special values."""
    rng = np.random.default_rng(202)
    for name, shape in SHAPES:
        yield _case(name, np.asarray(rng.normal(size=shape)).astype(np.float32), rank_size=1, mode="ReduceSum")
    for dtype in (*FLOATS, *INTEGERS):
        yield _case(dtype, rng.integers(0, 100, size=(2, 3)).astype(dtype), rank_size=1, mode="ReduceSum")
    x = np.array([[np.nan, np.inf, -0.0, -3.5]], dtype=np.float32)
    for mode in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum"):
        yield _case(mode, x, rank_size=1, mode=mode)
    yield _case("attributes_absent", x)
    yield _case("rank_size_0", x, rank_size=0, mode="ReduceSum")
    yield _case("group", x, rank_size=1, group="hccl_world_group")
    yield _case("constant", x, frozenset({0}), rank_size=1)
