"""Shared by kernels on landmarks: reading them, checks, maps of the plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._dtypes import check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError
from ._shared import product

LANDMARK_DTYPES = ("float32",)
MATRIX_SHAPE = (1, 4, 4)
_COORDINATES = 3


def points(landmarks: Array, positions: Sequence[int]) -> Array:
    """(len(positions), 2): x and y of landmarks that are stored as x, y, z in a row; as float64."""
    return landmarks.reshape(-1, _COORDINATES)[list(positions), :2].astype(np.float64)


def infer_matrix(landmarks: ArraySpec, positions: Sequence[int]) -> ArraySpec:
    """(1, 4, 4); raises KernelInputError where the operand has not all the landmarks that are asked for."""
    check_dtype(landmarks, LANDMARK_DTYPES, "landmarks")
    count = UNKNOWN if landmarks.shape is None else product(landmarks.shape)
    wanted = max(positions, default=-1)
    if not positions or min(positions) < 0:
        raise KernelInputError(f"positions of landmarks must be at least one and not negative, got {list(positions)}")
    if count != UNKNOWN and (count % _COORDINATES or wanted >= count // _COORDINATES):
        raise KernelInputError(f"landmark {wanted} must be among the x, y, z of shape {landmarks.shape}")
    return ArraySpec(landmarks.dtype, MATRIX_SHAPE)


def check_sizes(**sizes: float) -> None:
    """Raises KernelInputError for the first that is not above 0."""
    for name, size in sizes.items():
        if not size > 0:
            raise KernelInputError(f"{name} must be above 0, got {size}")


def rotation(angle: float) -> Array:
    """(3, 3): the plane turned by an angle in radians."""
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def affine(x_scale: float, y_scale: float, x: float, y: float) -> Array:
    """(3, 3): the plane scaled, then moved."""
    return np.array([[x_scale, 0, x], [0, y_scale, y], [0, 0, 1.0]])
