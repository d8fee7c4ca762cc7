"""Conformance cases of StridedSlice; the positions that each slice picks are written down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

Ints = tuple[int, ...]


def _loop(x: Array, positions: Sequence[Sequence[int]], shape: Ints) -> Array:
    """The elements at ``positions`` of every dimension of ``x``, counted off into ``shape``."""
    out = np.empty(shape, dtype=x.dtype)
    counts = np.ndindex(*(len(p) for p in positions))
    for source, target in zip(counts, np.ndindex(*shape), strict=True):
        out[target] = x[tuple(p[i] for p, i in zip(positions, source, strict=True))]
    return out


def _ints(*values: Ints) -> tuple[Array, ...]:
    return tuple(np.array(v, dtype=np.int32) for v in values)


# name, input shape, begin, end, strides, masks, positions per input dimension, output shape
_FOUR_INPUTS: list[tuple[str, Ints, Ints, Ints, Ints, dict[str, int], list[list[int]], Ints]] = [
    ("rank_1", (6,), (1,), (5,), (1,), {}, [[1, 2, 3, 4]], (4,)),
    ("stride_2", (6,), (1,), (6,), (2,), {}, [[1, 3, 5]], (3,)),
    ("stride_past_the_end", (5,), (0,), (5,), (7,), {}, [[0]], (1,)),
    ("rank_2", (4, 5), (1, 0), (3, 5), (1, 2), {}, [[1, 2], [0, 2, 4]], (2, 3)),
    (
        "rank_4",
        (1, 4, 4, 8),
        (0, 0, 1, 0),
        (1, 4, 4, 8),
        (1, 2, 2, 3),
        {},
        [[0], [0, 2], [1, 3], [0, 3, 6]],
        (1, 2, 2, 3),
    ),
    ("trailing_dimensions_whole", (3, 2, 2), (1,), (3,), (1,), {}, [[1, 2], [0, 1], [0, 1]], (2, 2, 2)),
    ("no_entries", (2, 2), (), (), (), {}, [[0, 1], [0, 1]], (2, 2)),
    ("negative_begin", (5,), (-2,), (5,), (1,), {}, [[3, 4]], (2,)),
    ("negative_end", (5,), (0,), (-1,), (1,), {}, [[0, 1, 2, 3]], (4,)),
    ("both_negative", (5,), (-4,), (-1,), (2,), {}, [[1, 3]], (2,)),
    ("negative_stride", (5,), (4,), (1,), (-1,), {}, [[4, 3, 2]], (3,)),
    ("negative_stride_2", (6,), (5,), (0,), (-2,), {}, [[5, 3, 1]], (3,)),
    ("reversed_whole", (4,), (-1,), (-5,), (-1,), {}, [[3, 2, 1, 0]], (4,)),
    ("empty_range", (5,), (3,), (3,), (1,), {}, [[]], (0,)),
    ("begin_after_end", (5,), (4,), (2,), (1,), {}, [[]], (0,)),
    ("begin_at_the_end", (5,), (5,), (5,), (1,), {}, [[]], (0,)),
    ("backwards_from_before", (5,), (1,), (3,), (-1,), {}, [[]], (0,)),
    ("end_before_the_first", (5,), (0,), (-6,), (1,), {}, [[]], (0,)),
    ("empty_input", (0, 2), (0, 0), (0, 2), (1, 1), {}, [[], [0, 1]], (0, 2)),
    ("begin_mask", (4, 5), (2, 3), (3, 5), (1, 1), {"begin_mask": 1}, [[0, 1, 2], [3, 4]], (3, 2)),
    ("end_mask", (4, 5), (2, 3), (3, 4), (1, 1), {"end_mask": 2}, [[2], [3, 4]], (1, 2)),
    (
        "begin_and_end_mask",
        (4, 5),
        (2, 3),
        (0, 0),
        (1, 2),
        {"begin_mask": 2, "end_mask": 3},
        [[2, 3], [0, 2, 4]],
        (2, 3),
    ),
    ("end_mask_ignores_a_wrong_end", (4,), (1,), (99,), (1,), {"end_mask": 1}, [[1, 2, 3]], (3,)),
    ("opened_with_negative_stride", (4,), (0,), (0,), (-1,), {"begin_mask": 1, "end_mask": 1}, [[]], (0,)),
    ("begin_mask_negative_stride", (4,), (3,), (-5,), (-1,), {"begin_mask": 1}, [[0]], (1,)),
    ("ellipsis_opens_one", (3, 4), (1, 1), (2, 2), (1, 1), {"ellipsis_mask": 1}, [[0, 1, 2], [1]], (3, 1)),
    ("ellipsis_keeps_its_stride", (3, 4), (1, 1), (2, 2), (1, 2), {"ellipsis_mask": 2}, [[1], [0, 2]], (1, 2)),
    ("lowest_ellipsis_counts", (3, 4), (1, 1), (2, 2), (1, 1), {"ellipsis_mask": 3}, [[0, 1, 2], [1]], (3, 1)),
    ("new_axis_first", (3,), (9, 1), (9, 3), (9, 1), {"new_axis_mask": 1}, [[1, 2]], (1, 2)),
    ("new_axis_last", (3,), (1, 0), (3, 0), (1, 1), {"new_axis_mask": 2}, [[1, 2]], (2, 1)),
    ("new_axis_middle", (2, 3), (0, 0, 1), (2, 0, 3), (1, 1, 1), {"new_axis_mask": 2}, [[0, 1], [1, 2]], (2, 1, 2)),
    ("new_axis_on_a_scalar", (), (0,), (1,), (1,), {"new_axis_mask": 1}, [], (1,)),
    ("two_new_axes", (2,), (0, 0, 0), (0, 0, 2), (1, 1, 1), {"new_axis_mask": 3}, [[0, 1]], (1, 1, 2)),
    ("shrink_first", (3, 4), (1, 0), (2, 4), (1, 2), {"shrink_axis_mask": 1}, [[1], [0, 2]], (2,)),
    ("shrink_last", (3, 4), (0, -1), (3, 0), (1, 1), {"shrink_axis_mask": 2}, [[0, 1, 2], [3]], (3,)),
    ("shrink_all", (3, 4), (2, 1), (3, 2), (1, 1), {"shrink_axis_mask": 3}, [[2], [1]], ()),
    ("shrink_ignores_the_end", (5,), (3,), (0,), (1,), {"shrink_axis_mask": 1}, [[3]], ()),
    ("shrink_of_an_opened_begin", (5,), (3,), (4,), (1,), {"shrink_axis_mask": 1, "begin_mask": 1}, [[0]], ()),
    (
        "new_axis_wins_over_shrink",
        (3,),
        (0, 1),
        (1, 3),
        (1, 1),
        {"new_axis_mask": 1, "shrink_axis_mask": 1},
        [[1, 2]],
        (1, 2),
    ),
    (
        "new_axis_and_shrink",
        (3, 2),
        (0, 1, 0),
        (1, 2, 2),
        (1, 1, 1),
        {"new_axis_mask": 1, "shrink_axis_mask": 2},
        [[1], [0, 1]],
        (1, 2),
    ),
    (
        "mask_bits_past_the_entries",
        (3, 2),
        (1,),
        (2,),
        (1,),
        {"begin_mask": 2, "shrink_axis_mask": 4},
        [[1], [0, 1]],
        (1, 2),
    ),
]

# name, input shape, begin, end, axes, strides, masks, positions per input dimension, output shape
_FIVE_INPUTS: list[tuple[str, Ints, Ints, Ints, Ints, Ints, dict[str, int], list[list[int]], Ints]] = [
    ("one_axis", (2, 5), (1,), (4,), (1,), (1,), {}, [[0, 1], [1, 2, 3]], (2, 3)),
    ("axis_0", (5, 2), (1,), (4,), (0,), (2,), {}, [[1, 3], [0, 1]], (2, 2)),
    ("negative_axis", (2, 5), (1,), (4,), (-1,), (1,), {}, [[0, 1], [1, 2, 3]], (2, 3)),
    ("unordered_axes", (3, 4), (1, 0), (3, 2), (1, 0), (1, 1), {}, [[0, 1], [1, 2]], (2, 2)),
    ("empty_axes", (3, 4), (1, 0), (3, 2), (), (1, 1), {}, [[1, 2], [0, 1]], (2, 2)),
    ("empty_axes_fewer_entries", (3, 2), (1,), (3,), (), (1,), {}, [[1, 2], [0, 1]], (2, 2)),
    ("end_clamped", (2, 5), (3,), (2**31 - 1,), (1,), (1,), {}, [[0, 1], [3, 4]], (2, 2)),
    ("begin_clamped_low", (5,), (-99,), (2,), (0,), (1,), {}, [[0, 1]], (2,)),
    ("begin_clamped_high", (5,), (99,), (100,), (0,), (1,), {}, [[]], (0,)),
    ("backwards_from_a_high_begin", (4,), (2**31 - 1,), (-(2**31),), (0,), (-1,), {}, [[3, 2, 1, 0]], (4,)),
    ("backwards_from_minus_one", (4,), (-1,), (-(2**31),), (0,), (-2,), {}, [[3, 1]], (2,)),
    ("backwards_to_the_first", (4,), (3,), (0,), (0,), (-1,), {}, [[3, 2, 1]], (3,)),
    ("empty_input", (0,), (0,), (5,), (0,), (1,), {}, [[]], (0,)),
    ("masks_speak_of_dimensions", (3, 4), (1,), (2,), (1,), (1,), {"end_mask": 2}, [[0, 1, 2], [1, 2, 3]], (3, 3)),
    ("shrink_by_dimension", (3, 4), (2,), (3,), (1,), (1,), {"shrink_axis_mask": 2}, [[0, 1, 2], [2]], (3,)),
    (
        "four_axes",
        (1, 4, 4, 3),
        (0, 1, 0, 1),
        (1, 4, 9, 3),
        (0, 1, 2, 3),
        (1, 2, 3, 1),
        {},
        [[0], [1, 3], [0, 3], [1, 2]],
        (1, 2, 2, 2),
    ),
]


def _case(
    name: str, inputs: tuple[Array, ...], masks: dict[str, Any], expected: Array, *, constant: bool = True
) -> ConformanceCase:
    constants = frozenset(range(1, len(inputs))) if constant else frozenset[int]()
    return ConformanceCase(name, "StridedSlice", inputs, (expected,), masks, constants=constants, source="hand")


def cases() -> Iterator[ConformanceCase]:
    """Both forms: every mask, negative and clamped values, negative strides, empty results, every dtype."""
    rng = np.random.default_rng(151)
    for name, shape, begin, end, strides, masks, positions, out_shape in _FOUR_INPUTS:
        x = rng.normal(size=shape).astype(np.float32)
        yield _case(name, (x, *_ints(begin, end, strides)), masks, _loop(x, positions, out_shape))
    for name, shape, begin, end, axes, strides, masks, positions, out_shape in _FIVE_INPUTS:
        x = rng.normal(size=shape).astype(np.float32)
        inputs = (x, *_ints(begin, end, axes, strides))
        yield _case(f"five_inputs_{name}", inputs, masks, _loop(x, positions, out_shape))
    x = rng.normal(size=(3, 4)).astype(np.float32)
    expected = _loop(x, [[1, 2], [0, 2]], (2, 2))
    yield _case("not_constant", (x, *_ints((1, 0), (3, 4), (1, 2))), {}, expected, constant=False)
    five = (x, *_ints((1, 0), (3, 4), (0, 1), (1, 2)))
    yield _case("five_inputs_not_constant", five, {}, expected, constant=False)
    long = tuple(np.array(v, dtype=np.int64) for v in ((1, 0), (3, 4), (1, 2)))
    yield _case("int64_values", (x, *long), {}, expected)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        y = rng.integers(0, 2 if dtype == "bool" else 100, size=(3, 4)).astype(dtype)
        yield _case(f"dtype_{dtype}", (y, *_ints((1, 0), (3, 4), (1, 2))), {}, _loop(y, [[1, 2], [0, 2]], (2, 2)))
