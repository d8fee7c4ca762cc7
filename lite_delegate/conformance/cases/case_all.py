"""Conformance cases of All, expected values by a direct loop over every element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import ints


def _loop(x: Array, axes: tuple[int, ...], keep: bool) -> Array:
    """True until an element that lands in the place is False."""
    kept_shape = tuple(1 if i in axes else dim for i, dim in enumerate(x.shape))
    out = np.ones(kept_shape, dtype=bool)
    for index in np.ndindex(*x.shape):
        place = tuple(0 if i in axes else at for i, at in enumerate(index))
        if not x[index]:
            out[place] = False
    return out if keep else out.reshape(tuple(dim for i, dim in enumerate(x.shape) if i not in axes))


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, several, none, all; keep_dims; forms of the axes; ranks, no elements."""
    rng = np.random.default_rng(9)
    for name, shape, axes in [
        ("axis_0", (5, 3), (0,)),
        ("last_axis", (4, 2), (-1,)),
        ("middle_axis", (2, 3, 4), (1,)),
        ("two_axes", (2, 3, 4), (0, 2)),
        ("two_axes_unsorted", (2, 3, 4), (-1, 0)),
        ("all_axes_listed", (2, 3), (0, 1)),
        ("no_axes_reduce_nothing", (2, 3), ()),
        ("rank_1", (7,), (0,)),
        ("rank_4_channels", (2, 2, 3, 17), (3,)),
        ("rank_5", (1, 2, 2, 1, 3), (1, 3)),
        ("rank_0", (), ()),
        ("empty_axis", (3, 0), (1,)),
        ("empty_batch", (0, 3), (1,)),
    ]:
        x = np.asarray(rng.uniform(size=shape) < 0.75)
        over = tuple(a % len(shape) for a in axes)
        for keep in (0, 1):
            outputs = (_loop(x, over, bool(keep)),)
            attributes = {"keep_dims": keep}
            yield _case(f"{name}_keep_{keep}", (x, ints(*axes)), outputs, attributes)
    x = np.array([[True, True], [True, False]])
    yield _case("without_axes", (x,), (np.array(False),), {})
    yield _case("axes_of_rank_0", (x, np.array(1, dtype=np.int32)), (np.array([True, False]),), {})
    yield _case("int64_axes", (x, ints(0, dtype="int64")), (np.array([True, False]),), {})
    outputs = (np.array([[True], [False]]),)
    yield _case("keep_dims_other_than_1", (x, ints(1)), outputs, {"keep_dims": 2})
    yield ConformanceCase("axes_not_constant", "All", (x, ints(1)), (np.array([True, False]),))


def _case(
    name: str, inputs: tuple[Array, ...], outputs: tuple[Array, ...], attributes: dict[str, int]
) -> ConformanceCase:
    return ConformanceCase(name, "All", inputs, outputs, attributes, frozenset({1}))
