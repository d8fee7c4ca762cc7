"""Conformance cases of SplitWithOverlap, expected values by a direct loop over every element of every part."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, sample


def _loop(x: Array, axis: int, ratio: tuple[int, ...], top: tuple[int, ...], bottom: tuple[int, ...]) -> list[Array]:
    dim = x.shape[axis]
    parts = []
    for i in range(len(ratio)):
        start = math.ceil(Fraction(dim * sum(ratio[:i]), sum(ratio))) - top[i]
        stop = math.ceil(Fraction(dim * sum(ratio[: i + 1]), sum(ratio))) + bottom[i]
        part = np.empty((*x.shape[:axis], stop - start, *x.shape[axis + 1 :]), dtype=x.dtype)
        for place in np.ndindex(*part.shape):
            part[place] = x[(*place[:axis], start + place[axis], *place[axis + 1 :])]
        parts.append(part)
    return parts


def _attributes(axis: int, ratio: tuple[int, ...], top: tuple[int, ...], bottom: tuple[int, ...]) -> dict[str, Any]:
    return {
        "split_dim": axis,
        "number_split": len(ratio),
        "ratio": ratio,
        "extend_top": top,
        "extend_bottom": bottom,
    }


def cases() -> Iterator[ConformanceCase]:
    """Even and uneven ratios, borders that round up, overlaps, every axis, one part, empty parts, every dtype."""
    rng = np.random.default_rng(193)
    for name, shape, axis, ratio, top, bottom in [
        ("two_halves", (6,), 0, (1, 1), (0, 0), (0, 0)),
        ("two_halves_of_an_odd_size", (7,), 0, (1, 1), (0, 0), (0, 0)),
        ("overlap_of_one", (8, 3), 0, (1, 1), (0, 1), (1, 0)),
        ("three_parts", (1, 9, 4, 3), 1, (1, 1, 1), (0, 1, 1), (1, 1, 0)),
        ("uneven_ratios", (1, 16, 2, 2), 1, (3, 5, 2), (0, 2, 1), (2, 1, 0)),
        ("borders_round_up", (10,), 0, (1, 1, 1), (0, 0, 0), (0, 0, 0)),
        ("last_axis_channels_17", (2, 17), 1, (2, 1), (0, 3), (2, 0)),
        ("rank_5", (1, 2, 6, 1, 2), 2, (1, 2), (0, 1), (2, 0)),
        ("one_part", (5, 2), 0, (7,), (0,), (0,)),
        ("more_parts_than_positions", (2,), 0, (1, 1, 1), (0, 0, 0), (0, 0, 0)),
        ("a_ratio_of_0", (4,), 0, (0, 1), (0, 0), (0, 0)),
        ("negative_extension_shortens", (8,), 0, (1, 1), (-1, 0), (0, -2)),
        ("no_overlap_with_other_axis_empty", (4, 0), 0, (1, 1), (0, 1), (1, 0)),
    ]:
        x = sample(rng, shape)
        expected = _loop(x, axis, ratio, top, bottom)
        yield exact("SplitWithOverlap", name, (x,), expected, _attributes(axis, ratio, top, bottom))
    x = sample(rng, (6, 2))
    attributes = {"number_split": 2, "ratio": (1, 2)}
    yield exact("SplitWithOverlap", "absent_extensions", (x,), _loop(x, 0, (1, 2), (0, 0), (0, 0)), attributes)
    for dtype in OTHER_DTYPES:
        x = sample(rng, (4, 3), dtype)
        expected = _loop(x, 0, (1, 1), (0, 1), (1, 0))
        yield exact("SplitWithOverlap", f"dtype_{dtype}", (x,), expected, _attributes(0, (1, 1), (0, 1), (1, 0)))
