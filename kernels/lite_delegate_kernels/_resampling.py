"""The reading positions of resizing along one axis: source positions and interpolation weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._kernel import Array

COORDINATE_MODES = ("ASYMMETRIC", "ALIGN_CORNERS", "HALF_PIXEL")


def source_coordinates(size_in: int, size_out: int, mode: str) -> tuple[Array, int]:
    """The place in the input of every output position, as an exact fraction.

    ASYMMETRIC ``o * in / out``; ALIGN_CORNERS ``o * (in - 1) / (out - 1)``, 0 where out is 1; HALF_PIXEL
    ``(o + 0.5) * in / out - 0.5``, not below 0.

    Returns:
        The numerators, int64, shape (size_out,), all >= 0, and their common denominator.
    """
    o = np.arange(size_out, dtype=np.int64)
    if mode == "ALIGN_CORNERS":
        return o * (size_in - 1), max(size_out - 1, 1)
    if mode == "HALF_PIXEL":
        return np.maximum((2 * o + 1) * size_in - size_out, 0), 2 * size_out
    return o * size_in, size_out


def nearest_positions(size_in: int, size_out: int, mode: str) -> Array:
    """The input position that each output position copies, shape (size_out,).

    The coordinate rounded down, with ALIGN_CORNERS rounded half up.
    """
    numerator, denominator = source_coordinates(size_in, size_out, mode)
    if mode == "ALIGN_CORNERS":
        return (2 * numerator + denominator) // (2 * denominator)
    return numerator // denominator


def linear_taps(size_in: int, size_out: int, mode: str, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """The two neighbors of each output position and their weights.

    Returns:
        Positions and weights (of ``dtype``), both of shape (2, size_out); the upper neighbor stays inside.
    """
    floor, fraction = _floor_and_fraction(size_in, size_out, mode)
    positions = np.minimum(np.stack([floor, floor + 1]), size_in - 1)
    return positions, np.stack([1 - fraction, fraction]).astype(dtype)


def cubic_taps(size_in: int, size_out: int, mode: str, coefficient: float, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """The four neighbors of each output position and their weights by Keys' kernel with a = ``coefficient``.

    ``(a + 2) t^3 - (a + 3) t^2 + 1`` for distances t <= 1, ``a t^3 - 5a t^2 + 8a t - 4a`` for 1 < t < 2 (R. Keys,
    "Cubic Convolution Interpolation for Digital Image Processing", 1981).

    Returns:
        Positions and weights (of ``dtype``), both of shape (4, size_out); outside the input the border repeats.
    """
    floor, fraction = _floor_and_fraction(size_in, size_out, mode)
    positions = np.clip(floor + np.arange(-1, 3)[:, None], 0, size_in - 1)
    a = coefficient
    near = np.stack([fraction, 1 - fraction])
    far = near + 1
    near = ((a + 2) * near - (a + 3)) * near**2 + 1
    far = ((far - 5) * far + 8) * far * a - 4 * a
    return positions, np.stack([far[0], near[0], near[1], far[1]]).astype(dtype)


def _floor_and_fraction(size_in: int, size_out: int, mode: str) -> tuple[Array, Array]:
    numerator, denominator = source_coordinates(size_in, size_out, mode)
    floor = numerator // denominator
    return floor, (numerator - floor * denominator) / denominator


def weighted_taps(x: Array, axis: int, positions: Array, weights: Array) -> Array:
    """``sum over k of x[positions[k]] * weights[k]`` along ``axis``, a new array.

    Args:
        x: any floating dtype.
        axis: counted from the start.
        positions: shape (taps, size_out).
        weights: shape (taps, size_out), the dtype of ``x``.
    """
    spread = (-1,) + (1,) * (x.ndim - 1 - axis)
    total: Array | None = None
    for position, weight in zip(positions, weights, strict=True):
        part = x.take(position, axis=axis)
        part *= weight.reshape(spread)
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    return total
