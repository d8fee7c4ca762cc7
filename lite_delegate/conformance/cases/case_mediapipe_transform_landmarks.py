"""Conformance cases of mediapipe.TransformLandmarks, expected values by a loop over landmarks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase

OP = "mediapipe.TransformLandmarks"


def cases() -> Iterator[ConformanceCase]:
    """Both versions' shapes, two and three coordinates, a scale, a matrix whose other rows must not count."""
    rng = np.random.default_rng(733)

    def case(name: str, shape: tuple[int, ...], dimensions: int, scale: float | None = None) -> ConformanceCase:
        landmarks = rng.normal(size=shape).astype(np.float32)
        matrix = rng.normal(size=(1, 4, 4)).astype(np.float32)
        attributes: dict[str, float] = {"dimensions": dimensions}
        if scale is not None:
            attributes["scale"] = scale
        y = _loop(landmarks, matrix[0], dimensions, 1.0 if scale is None else scale)
        return ConformanceCase(name, OP, (landmarks, matrix), (y,), attributes, rtol=1e-5, atol=1e-5)

    yield case("two_coordinates", (1, 80, 2), 2)
    yield case("three_coordinates", (1, 71, 3), 3)
    yield case("one_landmark", (1, 1, 3), 3)
    yield case("no_landmarks", (1, 0, 2), 2)
    yield case("in_a_row_of_two", (1, 1, 1, 20), 2)
    yield case("in_a_row_of_three", (1, 1, 1, 30), 3, 16.0)
    yield case("several_rows", (1, 2, 3, 6), 2, 0.5)
    yield case("shift_the_other_way", (1, 5, 2), 2, -4.0)


def _loop(landmarks: Array, matrix: Array, dimensions: int, scale: float) -> Array:
    flat = landmarks.ravel().astype(np.float64)
    y = flat.copy()
    for start in range(0, flat.size, dimensions):
        for row in range(2):
            moved = float(matrix[row, 0]) * flat[start] + float(matrix[row, 1]) * flat[start + 1]
            y[start + row] = moved + float(matrix[row, 3]) * scale
    return y.reshape(landmarks.shape).astype(np.float32)
