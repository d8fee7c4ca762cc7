"""TransformTensorBilinear: a crop of an image, taken where a map of the plane says."""

from __future__ import annotations

import numpy as np

from .._dtypes import check_dtype, check_same_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._landmarks import LANDMARK_DTYPES, check_sizes
from ._shared import check_rank
from .op_mediapipe_transform_landmarks import check_matrix


def transform_tensor_bilinear(
    x: Array, matrix: Array, *, output_height: int, output_width: int, half_pixels: bool = True
) -> Array:
    """Each element of the crop between the four elements of ``x`` around its place; 0 where that lies outside.

    Args:
        x: (1, H, W, C), float32.
        matrix: (1, 4, 4), whose first two rows map a place (x, y) of the crop to one of ``x``.
        output_height, output_width: of the crop.
        half_pixels: places are the middles of elements (version 2), otherwise their corners (version 1).

    Returns:
        (1, output_height, output_width, C). Source: MediaPipe's ``transform_tensor_bilinear.cc``.
    """
    height, width = x.shape[1:3]
    rows = matrix.reshape(4, 4)[:2]
    if half_pixels:
        rows = rows.copy()
        rows[:, 3] += rows[:, 0] * 0.5 + rows[:, 1] * 0.5 - 0.5
    across, down = np.meshgrid(np.arange(output_width, dtype=x.dtype), np.arange(output_height, dtype=x.dtype))
    places = [row[0] * across + row[1] * down + row[3] for row in rows]
    inside = (places[0] >= 0) & (places[0] <= width - 1) & (places[1] >= 0) & (places[1] <= height - 1)
    column, line = (np.where(inside, place, 0) for place in places)
    left, top = np.floor(column).astype(int), np.floor(line).astype(int)
    right, bottom = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    by_column, by_line = (column - left)[..., None], (line - top)[..., None]
    image = x[0]
    upper = (1 - by_column) * image[top, left] + by_column * image[top, right]
    lower = (1 - by_column) * image[bottom, left] + by_column * image[bottom, right]
    crop = (1 - by_line) * upper + by_line * lower
    return np.where(inside[..., None], crop, 0).astype(x.dtype)[None]


def infer_transform_tensor_bilinear(
    x: ArraySpec, matrix: ArraySpec, *, output_height: int, output_width: int
) -> ArraySpec:
    """The crop's shape; raises KernelInputError for operands or attributes that do not fit."""
    check_dtype(x, LANDMARK_DTYPES)
    check_same_dtype(x, matrix)
    check_rank(x, 4, 4)
    check_matrix(matrix)
    check_sizes(output_height=output_height, output_width=output_width)
    batch, height, width, channels = x.shape or (UNKNOWN,) * 4
    if batch not in (UNKNOWN, 1) or 0 in (height, width):
        raise KernelInputError(f"x must be one image with elements, got shape {x.shape}")
    return ArraySpec(x.dtype, (1, output_height, output_width, channels))


KERNEL = ReferenceKernel(
    "mediapipe.TransformTensorBilinear", transform_tensor_bilinear, infer_transform_tensor_bilinear, LANDMARK_DTYPES
)
