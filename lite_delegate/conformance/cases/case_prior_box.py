"""Conformance cases of PriorBox, one box of one cell at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

Size = tuple[int, int]


def _ratios(attributes: Mapping[str, Any]) -> list[float]:
    known = [1.0]
    for ratio in attributes.get("aspect_ratios") or ():
        if min(abs(ratio - k) for k in known) < 1e-6:
            continue
        known.append(ratio)
        if attributes.get("flip", False):
            known.append(1 / ratio)
    return known[1:]


def _pixel_sizes(attributes: Mapping[str, Any]) -> list[tuple[float, float]]:
    sizes: list[tuple[float, float]] = []
    for i, least in enumerate(attributes["min_sizes"]):
        sizes.append((least, least))
        if attributes.get("max_sizes"):
            side = math.sqrt(least * attributes["max_sizes"][i])
            sizes.append((side, side))
        for ratio in _ratios(attributes):
            sizes.append((least * math.sqrt(ratio), least / math.sqrt(ratio)))
    return sizes


def _loop(cells: Size, steps: tuple[float, float], attributes: Mapping[str, Any]) -> Array:
    """``cells`` and ``steps`` are down, across."""
    flat: list[float] = []
    offset = attributes.get("offset", 0.0)
    for i, j in np.ndindex(*cells):
        for width, height in _pixel_sizes(attributes):
            half = width / steps[1] / 2, height / steps[0] / 2
            center = j + offset, i + offset
            flat += [(center[0] - half[0]) / cells[1], (center[1] - half[1]) / cells[0]]
            flat += [(center[0] + half[0]) / cells[1], (center[1] + half[1]) / cells[0]]
    flat += list(attributes["variances"]) * (len(flat) // 4)
    return np.array(flat, dtype=np.float32).reshape(1, len(flat) // 2, 1, 2)


def _case(
    name: str,
    cells: Size,
    image: Size,
    steps: tuple[float, float],
    dtype: str = "float32",
    channels: int = 3,
    **attributes: Any,
) -> ConformanceCase:
    given: dict[str, Any] = {"min_sizes": (8,), "variances": (0.1, 0.1, 0.2, 0.2), "offset": 0.5, **attributes}
    inputs = (np.zeros((1, *cells, channels), dtype=dtype), np.zeros((1, *image, 3), dtype=dtype))
    expected = (_loop(cells, steps, given),)
    return ConformanceCase(name, "PriorBox", inputs, expected, given, rtol=1e-5, atol=1e-6)


def cases() -> Iterator[ConformanceCase]:
    """Sizes, ratios, flips, steps and image sizes given and taken from the inputs, offsets, clip, dtypes."""
    yield _case("min_size", (2, 3), (16, 24), (8.0, 8.0))
    yield _case("max_size", (2, 2), (16, 16), (8.0, 8.0), max_sizes=(16,))
    yield _case("max_sizes_empty", (2, 2), (16, 16), (8.0, 8.0), max_sizes=())
    yield _case("aspect_ratio", (2, 2), (16, 16), (8.0, 8.0), aspect_ratios=(2.0,))
    yield _case("flip", (2, 2), (16, 16), (8.0, 8.0), aspect_ratios=(2.0, 3.0), flip=True)
    yield _case("ratio_1_counts_once", (1, 2), (16, 16), (16.0, 8.0), aspect_ratios=(1.0, 2.0, 1.0))
    yield _case("ratio_listed_twice", (1, 2), (16, 16), (16.0, 8.0), aspect_ratios=(2.0, 2.0), flip=True)
    yield _case("inverse_is_there_already", (1, 2), (16, 16), (16.0, 8.0), aspect_ratios=(2.0, 0.5), flip=True)
    yield _case("flip_without_ratios", (1, 2), (16, 16), (16.0, 8.0), flip=True)
    sizes: dict[str, Any] = {"min_sizes": (8, 20), "max_sizes": (16, 30), "aspect_ratios": (2.0, 3.0)}
    yield _case("everything", (3, 2), (30, 30), (10.0, 15.0), flip=True, **sizes)
    yield _case("two_min_sizes", (2, 2), (16, 16), (8.0, 8.0), min_sizes=(4, 12), aspect_ratios=(2.0,))
    yield _case("not_square", (2, 5), (20, 35), (10.0, 7.0), aspect_ratios=(2.0,))
    yield _case("image_not_divisible", (3, 4), (17, 19), (17 / 3, 19 / 4))
    yield _case("steps_given", (2, 3), (16, 24), (4.0, 6.0), step_h=4.0, step_w=6.0)
    yield _case("step_of_one_axis_given", (2, 3), (16, 24), (8.0, 6.0), step_w=6.0)
    yield _case("image_size_given", (2, 2), (16, 16), (50.0, 20.0), image_size_h=100, image_size_w=40)
    yield _case("offset_0", (2, 2), (16, 16), (8.0, 8.0), offset=0.0)
    yield _case("clip_has_no_effect", (2, 2), (16, 16), (8.0, 8.0), min_sizes=(40,), clip=True)
    yield _case("variances_differ", (1, 2), (16, 16), (16.0, 8.0), variances=(0.1, 0.2, 0.3, 0.4))
    yield _case("one_cell", (1, 1), (7, 7), (7.0, 7.0), channels=17)
    yield _case("int8", (2, 2), (16, 16), (8.0, 8.0), dtype="int8")
    yield _case("float16", (2, 2), (16, 16), (8.0, 8.0), dtype="float16")
