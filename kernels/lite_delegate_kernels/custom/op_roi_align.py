"""RoiAlign: regions of images, each as a grid of cells that hold what is in them."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS, check_dtype, check_same_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import check_rank


def roi_align(
    x: Array,
    rois: Array,
    batch_indices: Array,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Array:
    """The mean or the largest of points in each cell of each region, linear between the image's elements.

    NOTE: the largest is that of the four elements around each point, each times its weight, as ONNX's reference has it.

    Args:
        x: (N, C, H, W), float.
        rois: (R, 4): left, top, right, bottom of each region; ``spatial_scale`` takes them to elements of ``x``.
        batch_indices: (R,): the image of each region.
        sampling_ratio: points per row and column of a cell; 0: as many as the cell has elements, rounded up.

    Returns:
        (R, C, output_height, output_width) in the dtype of ``x``.
    """
    shift = 0.5 if coordinate_transformation_mode == "half_pixel" else 0.0
    y = np.zeros((len(rois), x.shape[1], output_height, output_width), np.float64)
    for number, (roi, image) in enumerate(zip(rois.astype(np.float64), batch_indices, strict=True)):
        if not 0 <= image < x.shape[0]:
            raise KernelInputError(f"batch_indices must be 0 to {x.shape[0] - 1}, got {image}")
        left, top, right, bottom = roi * spatial_scale - shift
        width, height = right - left, bottom - top
        if not shift:
            width, height = max(width, 1.0), max(height, 1.0)
        rows, weights_down = _points(top, height / output_height, output_height, sampling_ratio, x.shape[2])
        columns, weights_right = _points(left, width / output_width, output_width, sampling_ratio, x.shape[3])
        # (C, 2, cells, points) down, then the same to the right: each point has two rows and two columns.
        around = x[image].astype(np.float64)[:, rows[..., None, None, None], columns[None, None, None]]
        weighted = around * weights_down[..., None, None, None] * weights_right[None, None, None]
        if mode == "avg":
            y[number] = weighted.sum(axis=(1, 4)).mean(axis=(2, 4)) if weighted.size else 0
        else:
            y[number] = weighted.max(axis=(1, 3, 4, 6))
    return y.astype(x.dtype)


def infer_roi_align(
    x: ArraySpec,
    rois: ArraySpec,
    batch_indices: ArraySpec,
    *,
    coordinate_transformation_mode: str,
    mode: str,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
) -> ArraySpec:
    """(R, C, output_height, output_width); raises KernelInputError for shapes or modes that do not fit."""
    check_dtype(x, FLOATS)
    check_same_dtype(x, rois)
    check_rank(x, 4, 4)
    check_rank(rois, 2, 2, "rois")
    if mode not in ("avg", "max") or coordinate_transformation_mode not in ("half_pixel", "output_half_pixel"):
        raise KernelInputError(f"mode {mode}, coordinate_transformation_mode {coordinate_transformation_mode}")
    if min(output_height, output_width) < 1 or sampling_ratio < 0:
        raise KernelInputError(f"{output_height} x {output_width} cells, sampling_ratio {sampling_ratio}")
    count = UNKNOWN if rois.shape is None else rois.shape[0]
    channels = UNKNOWN if x.shape is None else x.shape[1]
    return ArraySpec(x.dtype, (count, channels, output_height, output_width))


def _points(start: float, cell: float, cells: int, ratio: int, size: int) -> tuple[Array, Array]:
    """The two elements on both sides of each point along an axis, and their weights: (2, cells, points)."""
    points = ratio or max(0, int(np.ceil(cell)))
    places = start + (np.arange(cells)[:, None] + (np.arange(points)[None, :] + 0.5) / max(points, 1)) * cell
    outside = (places < -1) | (places > size)
    places = np.maximum(places, 0)
    first = np.minimum(np.floor(places), size - 1)
    places = np.where(first >= size - 1, first, places)
    second = np.minimum(first + 1, size - 1)
    weights = np.stack([1 - (places - first), places - first]) * ~outside
    return np.stack([first, second]).astype(np.int64), weights


KERNEL = ReferenceKernel("ai.onnx.RoiAlign", roi_align, infer_roi_align, FLOATS)
