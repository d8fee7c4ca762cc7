"""Maps of the plane around landmarks, one matrix product and one element at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...judging.case import Array

Matrix = list[list[float]]


def product(*matrices: Matrix) -> Matrix:
    """The product of square matrices, by sums of single products."""
    made = matrices[0]
    for other in matrices[1:]:
        size = range(len(other))
        made = [[sum(made[i][k] * other[k][j] for k in size) for j in size] for i in size]
    return made


def turned(x: float, y: float, angle: float) -> tuple[float, float]:
    """A point turned around the origin by an angle in radians."""
    return x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)


def extent(landmarks: Sequence[float], positions: Sequence[int], angle: float) -> tuple[float, float, float, float]:
    """The least and largest x, the least and largest y of turned landmarks."""
    found = [turned(landmarks[3 * i], landmarks[3 * i + 1], angle) for i in positions]
    return (
        min(x for x, _ in found),
        max(x for x, _ in found),
        min(y for _, y in found),
        max(y for _, y in found),
    )


def bilinear(image: Array, x: float, y: float) -> Array:
    """The channels of an image (H, W, C) at a place; zeros outside of it."""
    height, width, channels = image.shape
    if not (0 <= x <= width - 1 and 0 <= y <= height - 1):
        return np.zeros(channels)
    total = np.zeros(channels)
    for line in (math.floor(y), math.floor(y) + 1):
        for column in (math.floor(x), math.floor(x) + 1):
            weight = (1 - abs(y - line)) * (1 - abs(x - column))
            if line < height and column < width:
                total += weight * image[line, column]
    return total
