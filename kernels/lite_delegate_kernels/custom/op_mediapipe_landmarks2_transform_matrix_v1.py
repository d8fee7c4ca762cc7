"""Landmarks2TransformMatrix, version 1: where an upright crop around landmarks lies in the image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._landmarks import LANDMARK_DTYPES, affine, check_sizes, infer_matrix, points, rotation


def landmarks2_transform_matrix_v1(
    landmarks: Array,
    *,
    subset: Sequence[int],
    left_rotation_idx: int,
    right_rotation_idx: int,
    bbox_size_multiplier: float,
    landmarks_range: int,
    input_hw: Sequence[int],
    output_hw: Sequence[int],
) -> Array:
    """The map from places of a crop of ``output_hw`` to those of an image of ``input_hw``.

    Args:
        landmarks: x, y, z of each in a row, from 0 to ``landmarks_range``; float32.
        subset: the landmarks that the crop holds.
        left_rotation_idx, right_rotation_idx: the landmarks whose connection is level in the crop.
        bbox_size_multiplier: of the crop's size.
        landmarks_range: the extent of coordinates.
        input_hw, output_hw: height and width.

    Returns:
        (1, 4, 4). Source: MediaPipe's ``landmarks_to_transform_matrix.cc``.
        NOTE: as there, the angle is an arctangent of a quotient, and row 2 has its 1 in column 2.
    """
    left, right = points(landmarks, [left_rotation_idx, right_rotation_idx])
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = -np.arctan((right[1] - left[1]) / (right[0] - left[0]))
    turned = points(landmarks, subset) @ rotation(angle)[:2, :2].T
    low, high = turned.min(axis=0), turned.max(axis=0)
    size = (high - low) * bbox_size_multiplier / landmarks_range
    back = rotation(-angle)
    back[:2, 2] = back[:2, :2] @ ((high + low) / 2) / landmarks_range * 2 - 1
    (in_h, in_w), (out_h, out_w) = input_hw, output_hw
    to_relative = affine(2 / (out_w - 1), 2 / (out_h - 1), -1, -1)
    to_absolute = affine((in_w - 1) / 2, (in_h - 1) / 2, (in_w - 1) / 2, (in_h - 1) / 2)
    found = to_absolute @ back @ affine(size[0], size[1], 0, 0) @ to_relative
    matrix = np.zeros((4, 4))
    matrix[:2, :2], matrix[:2, 3], matrix[2, :3], matrix[3, 3] = found[:2, :2], found[:2, 2], found[2], 1
    return matrix.reshape(1, 4, 4).astype(landmarks.dtype)


def infer_landmarks2_transform_matrix_v1(
    landmarks: ArraySpec,
    *,
    subset: Sequence[int],
    left_rotation_idx: int,
    right_rotation_idx: int,
    bbox_size_multiplier: float,
    landmarks_range: int,
    input_hw: Sequence[int],
    output_hw: Sequence[int],
) -> ArraySpec:
    """(1, 4, 4); raises KernelInputError for attributes that are out of range or name landmarks that are not there."""
    check_sizes(landmarks_range=landmarks_range)
    if len(input_hw) != 2 or len(output_hw) != 2 or min(input_hw) < 1 or min(output_hw) < 2:
        raise KernelInputError(
            f"input_hw {list(input_hw)} must be two sizes from 1, output_hw {list(output_hw)} from 2"
        )
    if bbox_size_multiplier == 0 or not len(subset):
        raise KernelInputError("bbox_size_multiplier must not be 0 and subset must not be empty")
    return infer_matrix(landmarks, [*subset, left_rotation_idx, right_rotation_idx])


KERNEL = ReferenceKernel(
    "mediapipe.Landmarks2TransformMatrixV1",
    landmarks2_transform_matrix_v1,
    infer_landmarks2_transform_matrix_v1,
    LANDMARK_DTYPES,
)
