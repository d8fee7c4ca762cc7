"""Conformance cases of TopKFusion, expected values by choosing the largest of every line again and again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.selection import NUMBER_DTYPES, best_along, with_ties
from .samples import exact, ints, sample


def cases() -> Iterator[ConformanceCase]:
    """Every axis from either end, k from 0 to all, ties, special values, attributes without effect, every dtype."""
    rng = np.random.default_rng(161)
    for name, shape, axis, k in [
        ("rank_1", (9,), 0, 3),
        ("rank_1_one", (9,), -1, 1),
        ("rank_1_all", (5,), 0, 5),
        ("rank_1_none", (5,), 0, 0),
        ("rank_2_last", (3, 17), -1, 5),
        ("rank_2_axis_0", (7, 3), 0, 2),
        ("rank_3_middle", (2, 8, 3), 1, 3),
        ("rank_4_channels_16", (1, 2, 2, 16), 3, 4),
        ("rank_5", (2, 1, 3, 4, 2), -2, 2),
        ("few_of_many", (2, 150), 1, 4),
        ("few_of_many_axis_0", (90, 3), 0, 3),
        ("none_of_many", (2, 100), 1, 0),
        ("one_of_many", (1, 99), 1, 1),
        ("one_element", (1, 1), 1, 1),
        ("empty_batch", (0, 5), 1, 2),
        ("empty_axis", (3, 0), 1, 0),
    ]:
        x = _apart(rng, shape)
        expected = best_along(x, axis % len(shape), k, largest=True)
        yield exact("TopKFusion", name, (x, ints(k)), expected, {"axis": axis}, {1})
        tied = with_ties(rng, shape)
        expected = best_along(tied, axis % len(shape), k, largest=True)
        yield exact("TopKFusion", f"{name}_ties", (tied, ints(k)), expected, {"axis": axis}, {1})
    x = with_ties(rng, (4, 3))
    expected = best_along(x, 0, 2, largest=True)
    scalar = np.array(2, dtype=np.int64)
    yield exact("TopKFusion", "default_axis_is_0", (x, scalar), expected, constants={1})
    yield exact("TopKFusion", "k_not_constant", (x, ints(2)), expected, {"axis": 0})
    without_effect: list[tuple[str, dict[str, Any]]] = [("sorted", {"sorted": False}), ("largest", {"largest": 1})]
    for name, attributes in without_effect:
        yield exact("TopKFusion", f"{name}_has_no_effect", (x, ints(2)), expected, attributes, {1})
    special = np.array([1.0, np.nan, -np.inf, np.inf, np.nan, 0.0, -0.0], dtype=np.float32)
    for k in (1, 3, 7):
        expected = best_along(special, 0, k, largest=True)
        yield exact("TopKFusion", f"special_values_{k}", (special, ints(k)), expected, constants={1})
    many = np.concatenate([special, with_ties(rng, (90,)), special])
    for k in (1, 3, 7):
        expected = best_along(many, 0, k, largest=True)
        yield exact("TopKFusion", f"special_values_among_many_{k}", (many, ints(k)), expected, constants={1})
    infinite = np.where(np.isnan(many), np.float32(np.inf), many)
    expected = best_along(infinite, 0, 5, largest=True)
    yield exact("TopKFusion", "infinities_among_many", (infinite, ints(5)), expected, constants={1})
    for dtype in NUMBER_DTYPES:
        for name, x in _lines(rng, dtype):
            expected = best_along(x, 1, 4, largest=True)
            yield exact("TopKFusion", f"dtype_{dtype}_{name}", (x, ints(4)), expected, {"axis": -1}, {1})


def _lines(rng: np.random.Generator, dtype: str) -> Iterator[tuple[str, Array]]:
    yield "range", sample(rng, (2, 9), dtype)
    yield "ties", with_ties(rng, (2, 9), dtype)
    yield "many", sample(rng, (2, 60), dtype)
    yield "many_ties", with_ties(rng, (2, 60), dtype)


def _apart(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers of either sign that float16 holds, no two of them equal."""
    count = math.prod(shape)
    return ((rng.permutation(count) - count // 2) / np.float32(8)).astype(np.float32).reshape(shape)
