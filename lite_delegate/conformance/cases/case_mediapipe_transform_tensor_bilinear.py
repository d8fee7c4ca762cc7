"""Conformance cases of mediapipe.TransformTensorBilinear, expected values by a loop over places."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase
from .loops.transforms import bilinear

OP = "mediapipe.TransformTensorBilinear"


def cases() -> Iterator[ConformanceCase]:
    """Both rules for places; maps that keep, scale, turn, mirror, and leave the image."""
    rng = np.random.default_rng(734)

    def case(
        name: str,
        rows: tuple[tuple[float, float, float], tuple[float, float, float]],
        size: tuple[int, int],
        *,
        shape: tuple[int, int, int] = (9, 7, 3),
        half_pixels: bool | None = None,
    ) -> ConformanceCase:
        image = rng.normal(size=(1, *shape)).astype(np.float32)
        matrix = rng.normal(size=(1, 4, 4)).astype(np.float32)
        for row, (a, b, shift) in enumerate(rows):
            matrix[0, row] = (a, b, 7.0, shift)  # The third is of z, which is 0.
        attributes: dict[str, int | bool] = {"output_height": size[0], "output_width": size[1]}
        if half_pixels is not None:
            attributes["half_pixels"] = half_pixels
        y = _loop(image[0], matrix[0], size, half_pixels is not False)
        return ConformanceCase(name, OP, (image, matrix), (y[None],), attributes, rtol=1e-4, atol=1e-4)

    turn = (math.cos(0.5), -math.sin(0.5), 2.3), (math.sin(0.5), math.cos(0.5), 0.7)
    yield case("whole", ((1, 0, 0), (0, 1, 0)), (9, 7))
    yield case("shifted", ((1, 0, 1.25), (0, 1, 0.5)), (6, 5))
    yield case("larger", ((0.5, 0, 0), (0, 0.25, 0)), (16, 12))
    yield case("turned", turn, (6, 6))
    yield case("mirrored", ((-1, 0, 6.5), (0, 1, 0.25)), (8, 6))
    yield case("outside", ((1, 0, 40.0), (0, 1, 0)), (3, 3))
    yield case("one_channel", turn, (5, 4), shape=(8, 8, 1))
    yield case("corners", ((1, 0, 0.25), (0, 1, 0.75)), (7, 6), half_pixels=False)
    yield case("corners_to_the_edge", ((2, 0, 0), (0, 2, 0)), (5, 4), half_pixels=False)
    yield case("corners_turned", turn, (6, 6), half_pixels=False)


def _loop(image: Array, matrix: Array, size: tuple[int, int], half_pixels: bool) -> Array:
    y = np.zeros((*size, image.shape[2]), np.float32)
    shift = 0.5 if half_pixels else 0.0
    for line in range(size[0]):
        for column in range(size[1]):
            x_from, y_from = (
                float(row[0]) * (column + shift) + float(row[1]) * (line + shift) + float(row[3]) - shift
                for row in matrix[:2]
            )
            y[line, column] = bilinear(image.astype(np.float64), x_from, y_from)
    return y
