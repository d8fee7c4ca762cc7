"""Conformance cases of mediapipe.Landmarks2TransformMatrixV2, expected values by products of matrices, sum by sum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.transforms import extent, product, turned

OP = "mediapipe.Landmarks2TransformMatrixV2"


def cases() -> Iterator[ConformanceCase]:
    """Angles in all quadrants, target angles, one landmark, many, scales and sizes that differ."""
    rng = np.random.default_rng(732)

    def case(
        name: str,
        *,
        count: int = 12,
        subset: Sequence[int] = (0, 1, 2, 3, 4, 5),
        turn: tuple[int, int] = (6, 7),
        target: float | None = None,
        size: tuple[int, int] = (16, 16),
        scale: tuple[float, float] = (1.5, 1.5),
    ) -> ConformanceCase:
        landmarks = rng.uniform(-20, 200, (1, count, 3)).astype(np.float32)
        attributes = {
            "subset_idxs": list(subset),
            "left_rotation_idx": turn[0],
            "right_rotation_idx": turn[1],
            "output_height": size[0],
            "output_width": size[1],
            "scale_x": scale[0],
            "scale_y": scale[1],
        }
        if target is not None:
            attributes["target_rotation_radians"] = target
        y = _loop(landmarks.ravel(), subset, turn, target or 0.0, size, scale)
        return ConformanceCase(name, OP, (landmarks,), (y,), attributes, rtol=1e-4, atol=1e-3)

    yield case("crop")
    yield case("other_way_round", turn=(7, 6))
    yield case("upright", target=math.pi / 2)
    yield case("turned_back", target=-2.5)
    yield case("two_landmarks", subset=(3, 9))
    yield case("many", count=40, subset=tuple(range(0, 40, 3)))
    yield case("tight", scale=(1.0, 1.0))
    yield case("sizes_and_scales_differ", size=(12, 40), scale=(2.0, 1.25))


def _loop(
    landmarks: Array,
    subset: Sequence[int],
    turn: tuple[int, int],
    target: float,
    size: tuple[int, int],
    scale: tuple[float, float],
) -> Array:
    left, right = ([float(n) for n in landmarks[3 * i : 3 * i + 2]] for i in turn)
    angle = target - math.atan2(right[1] - left[1], right[0] - left[0])
    x_least, x_most, y_least, y_most = extent([float(n) for n in landmarks], subset, angle)
    x, y = turned((x_most + x_least) / 2, (y_most + y_least) / 2, -angle)
    across, down = scale[0] * (x_most - x_least) / size[1], scale[1] * (y_most - y_least) / size[0]
    back = [[math.cos(angle), math.sin(angle), 0, 0], [-math.sin(angle), math.cos(angle), 0, 0]]
    made = product(
        [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, 0], [0, 0, 0, 1]],
        [*back, [0, 0, 1, 0], [0, 0, 0, 1]],
        [[across, 0, 0, 0], [0, down, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        [[1, 0, 0, -size[1] / 2], [0, 1, 0, -size[0] / 2], [0, 0, 1, 0], [0, 0, 0, 1]],
    )
    return np.array([made], np.float32)
