"""Conformance cases of mediapipe.Landmarks2TransformMatrixV1, expected values by products of matrices, sum by sum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.transforms import Matrix, extent, product, turned

OP = "mediapipe.Landmarks2TransformMatrixV1"


def cases() -> Iterator[ConformanceCase]:
    """Angles in all quadrants, one landmark, many, multipliers, sizes that differ."""
    rng = np.random.default_rng(731)

    def case(
        name: str,
        *,
        count: int = 12,
        subset: Sequence[int] = (0, 1, 2, 3, 4, 5),
        turn: tuple[int, int] = (6, 7),
        multiplier: float = 1.5,
        extent_of: int = 128,
        input_hw: tuple[int, int] = (64, 96),
        output_hw: tuple[int, int] = (16, 24),
        swapped: bool = False,
    ) -> ConformanceCase:
        landmarks = rng.uniform(0, extent_of, (1, 1, 1, 3 * count)).astype(np.float32)
        left, right = turn[::-1] if swapped else turn
        attributes = {
            "subset": list(subset),
            "left_rotation_idx": left,
            "right_rotation_idx": right,
            "bbox_size_multiplier": multiplier,
            "landmarks_range": extent_of,
            "input_hw": list(input_hw),
            "output_hw": list(output_hw),
        }
        y = _loop(landmarks.ravel(), subset, (left, right), multiplier, extent_of, input_hw, output_hw)
        return ConformanceCase(name, OP, (landmarks,), (y,), attributes, rtol=1e-4, atol=1e-3)

    yield case("crop")
    yield case("other_way_round", swapped=True)
    yield case("two_landmarks", subset=(3, 9))
    yield case("odd_number", subset=(3, 9, 1))
    yield case("many", count=40, subset=tuple(range(0, 40, 3)))
    yield case("tight", multiplier=1.0)
    yield case("small_range", extent_of=1)
    yield case("large_crop", output_hw=(48, 32), input_hw=(32, 32))


def _loop(
    landmarks: Array,
    subset: Sequence[int],
    turn: tuple[int, int],
    multiplier: float,
    extent_of: int,
    input_hw: tuple[int, int],
    output_hw: tuple[int, int],
) -> Array:
    left, right = ([float(n) for n in landmarks[3 * i : 3 * i + 2]] for i in turn)
    angle = -math.atan((right[1] - left[1]) / (right[0] - left[0]))
    x_least, x_most, y_least, y_most = extent([float(n) for n in landmarks], subset, angle)
    x, y = turned((x_most + x_least) / 2, (y_most + y_least) / 2, -angle)
    to_relative: Matrix = [[2 / (output_hw[1] - 1), 0, -1], [0, 2 / (output_hw[0] - 1), -1], [0, 0, 1]]
    scaled: Matrix = [
        [(x_most - x_least) * multiplier / extent_of, 0, 0],
        [0, (y_most - y_least) * multiplier / extent_of, 0],
        [0, 0, 1],
    ]
    placed: Matrix = [
        [math.cos(angle), math.sin(angle), x / extent_of * 2 - 1],
        [-math.sin(angle), math.cos(angle), y / extent_of * 2 - 1],
        [0, 0, 1],
    ]
    across, down = (input_hw[1] - 1) / 2, (input_hw[0] - 1) / 2
    (a, b, c), (d, e, f), last = product([[across, 0, across], [0, down, down], [0, 0, 1]], placed, scaled, to_relative)
    return np.array([[[a, b, 0, c], [d, e, 0, f], [*last, 0], [0, 0, 0, 1]]], np.float32)
