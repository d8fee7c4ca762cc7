"""TransformLandmarks: landmarks moved by a map of the plane."""

from __future__ import annotations

import numpy as np

from .._dtypes import check_dtype, check_same_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._landmarks import LANDMARK_DTYPES
from ._shared import check_rank


def transform_landmarks(landmarks: Array, matrix: Array, *, dimensions: int, scale: float = 1.0) -> Array:
    """The landmarks with x and y mapped by the first two rows of ``matrix``; z stays.

    Args:
        landmarks: (..., count * ``dimensions``), float32.
        matrix: (1, 4, 4).
        dimensions: 2 or 3, the coordinates of a landmark.
        scale: of the map's shift.

    Returns:
        The shape of ``landmarks``. Source: MediaPipe's ``transform_landmarks.cc``.
    """
    rows = matrix.reshape(4, 4)[:2].astype(np.float64)
    coordinates = landmarks.reshape(-1, dimensions).astype(np.float64)
    coordinates[:, :2] = coordinates[:, :2] @ rows[:, :2].T + rows[:, 3] * scale
    return coordinates.reshape(landmarks.shape).astype(landmarks.dtype)


def infer_transform_landmarks(landmarks: ArraySpec, matrix: ArraySpec, *, dimensions: int) -> ArraySpec:
    """The shape of ``landmarks``; raises KernelInputError for operands or attributes that do not fit."""
    check_dtype(landmarks, LANDMARK_DTYPES, "landmarks")
    check_same_dtype(landmarks, matrix)
    check_rank(landmarks, 3, 4, "landmarks")
    check_matrix(matrix)
    last = UNKNOWN if landmarks.shape is None else landmarks.shape[-1]
    if dimensions not in (2, 3) or (last != UNKNOWN and last % dimensions):
        raise KernelInputError(f"dimensions {dimensions} must be 2 or 3 and divide the last of {landmarks.shape}")
    return ArraySpec(landmarks.dtype, landmarks.shape)


def check_matrix(matrix: ArraySpec) -> None:
    """Raises KernelInputError where the operand is known not to be (1, 4, 4)."""
    check_rank(matrix, 3, 3, "matrix")
    if matrix.shape is not None and any(d not in (UNKNOWN, n) for d, n in zip(matrix.shape, (1, 4, 4), strict=True)):
        raise KernelInputError(f"matrix must have shape (1, 4, 4), got {matrix.shape}")


KERNEL = ReferenceKernel(
    "mediapipe.TransformLandmarks", transform_landmarks, infer_transform_landmarks, LANDMARK_DTYPES
)
