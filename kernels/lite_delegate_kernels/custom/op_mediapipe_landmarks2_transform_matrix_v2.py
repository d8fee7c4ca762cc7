"""Landmarks2TransformMatrix, version 2: where a turned crop around landmarks lies in the image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._landmarks import LANDMARK_DTYPES, affine, check_sizes, infer_matrix, points, rotation


def landmarks2_transform_matrix_v2(
    landmarks: Array,
    *,
    subset_idxs: Sequence[int],
    left_rotation_idx: int,
    right_rotation_idx: int,
    output_height: int,
    output_width: int,
    scale_x: float,
    scale_y: float,
    target_rotation_radians: float = 0.0,
) -> Array:
    """The map from places of a crop of ``output_height`` times ``output_width`` to those of the image.

    Args:
        landmarks: x, y, z of each in a row; float32.
        subset_idxs: the landmarks that the crop holds.
        left_rotation_idx, right_rotation_idx: the landmarks whose connection has the angle
            ``target_rotation_radians`` in the crop.
        output_height, output_width: of the crop.
        scale_x, scale_y: how much larger than the landmarks' extent it is.
        target_rotation_radians: the angle.

    Returns:
        (1, 4, 4). Source: MediaPipe's ``landmarks_to_transform_matrix.cc``.
    """
    left, right = points(landmarks, [left_rotation_idx, right_rotation_idx])
    angle = target_rotation_radians - np.arctan2(right[1] - left[1], right[0] - left[0])
    turned = points(landmarks, subset_idxs) @ rotation(angle)[:2, :2].T
    low, high = turned.min(axis=0), turned.max(axis=0)
    center = rotation(-angle)[:2, :2] @ ((low + high) / 2)
    width, height = high - low
    found = (
        affine(1, 1, center[0], center[1])
        @ rotation(-angle)
        @ affine(scale_x * width / output_width, scale_y * height / output_height, 0, 0)
        @ affine(1, 1, -output_width / 2, -output_height / 2)
    )
    matrix = np.eye(4)
    matrix[:2, :2], matrix[:2, 3] = found[:2, :2], found[:2, 2]
    return matrix.reshape(1, 4, 4).astype(landmarks.dtype)


def infer_landmarks2_transform_matrix_v2(
    landmarks: ArraySpec,
    *,
    subset_idxs: Sequence[int],
    left_rotation_idx: int,
    right_rotation_idx: int,
    output_height: int,
    output_width: int,
    scale_x: float,
    scale_y: float,
) -> ArraySpec:
    """(1, 4, 4); raises KernelInputError for attributes that are out of range or name landmarks that are not there."""
    check_sizes(output_height=output_height, output_width=output_width, scale_x=scale_x, scale_y=scale_y)
    if not len(subset_idxs):
        raise KernelInputError("subset_idxs must not be empty")
    return infer_matrix(landmarks, [*subset_idxs, left_rotation_idx, right_rotation_idx])


KERNEL = ReferenceKernel(
    "mediapipe.Landmarks2TransformMatrixV2",
    landmarks2_transform_matrix_v2,
    infer_landmarks2_transform_matrix_v2,
    LANDMARK_DTYPES,
)
