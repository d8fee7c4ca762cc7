"""Conformance cases of AllGather on one rank: the output is the input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import FLOATS, SHAPES
from .loops.scalars import INTEGERS


def _case(name: str, x: Array, constants: frozenset[int] = frozenset(), **attributes: Any) -> ConformanceCase:
    return ConformanceCase(name, "AllGather", (x,), (x.copy(),), attributes, constants, source="hand")


def cases() -> Iterator[ConformanceCase]:
    """Shapes, every dtype, what the file may say of the ranks, special values, a constant."""
    rng = np.random.default_rng(201)
    for name, shape in SHAPES:
        yield _case(name, np.asarray(rng.normal(size=shape)).astype(np.float32), rank_size=1)
    for dtype in ("bool", *FLOATS, *INTEGERS):
        yield _case(dtype, rng.integers(0, 2, size=(2, 3)).astype(dtype), rank_size=1)
    x = np.array([[np.nan, np.inf, -0.0]], dtype=np.float32)
    yield _case("attributes_absent", x)
    yield _case("rank_size_0", x, rank_size=0)
    yield _case("group", x, rank_size=1, group="hccl_world_group")
    yield _case("constant", x, frozenset({0}), rank_size=1)
