"""ROIPooling: the maximum of each bin of a grid laid over a region of an image."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ._dtypes import FLOATS, check_dtype
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel


def roi_pooling(x: Array, rois: Array, *, pooled_h: int = 0, pooled_w: int = 0, scale: float = 0.0) -> Array:
    """Each region divided into ``pooled_h`` by ``pooled_w`` bins, each bin giving its maximum per channel.

    Girshick, "Fast R-CNN" (2015), section 2.1: bin p of P over h rows spans rows ``floor(p * h / P)`` to
    ``ceil((p + 1) * h / P)``, so neighbors may share a row.

    Args:
        x: (N, H, W, C), float.
        rois: (R, 5), float: the image, then x1, y1, x2, y2, corners included, in units of ``1 / scale`` pixels.
        pooled_h, pooled_w: bins down and across, at least 1.
        scale: corners are multiplied by it and rounded, half away from zero.

    Returns:
        (R, pooled_h, pooled_w, C) in the dtype of ``x``; 0 for a bin that lies outside of the image.

    Raises:
        KernelInputError: a region's image does not exist, or its corners are not finite.

    NOTE: the corners' order is that of Caffe and of ONNX's MaxRoiPool. MindSpore Lite's kernel takes the first of
    each pair as the row.
    """
    y = np.zeros((rois.shape[0], pooled_h, pooled_w, x.shape[3]), dtype=x.dtype)
    for number, (image, x1, y1, x2, y2) in enumerate(_pixel_corners(rois, scale, x.shape[0])):
        rows = _bins(y1, y2, pooled_h, x.shape[1])
        columns = _bins(x1, x2, pooled_w, x.shape[2])
        for q, across in enumerate(columns):
            strip = x[image, :, across]
            if strip.shape[1] == 0:
                continue
            column = strip.max(axis=1)
            for p, down in enumerate(rows):
                if down.stop > down.start:
                    y[number, p, q] = column[down].max(axis=0)
    return y


def infer_roi_pooling(x: ArraySpec, rois: ArraySpec, *, pooled_h: int, pooled_w: int) -> ArraySpec:
    """(R, pooled_h, pooled_w, C); raises KernelInputError for dtypes, shapes or bins that do not fit."""
    check_dtype(x, FLOATS)
    check_dtype(rois, FLOATS, "rois")
    if min(pooled_h, pooled_w) < 1:
        raise KernelInputError(f"pooled_h and pooled_w must be at least 1, got {pooled_h} and {pooled_w}")
    *_, channels = expect_shape("x", x, (UNKNOWN,) * 4)
    count, _ = expect_shape("rois", rois, (UNKNOWN, 5))
    return ArraySpec(x.dtype, (count, pooled_h, pooled_w, channels))


def _pixel_corners(rois: Array, scale: float, images: int) -> list[list[int]]:
    wrong = rois[:, 0][~((rois[:, 0] >= 0) & (rois[:, 0] < images))]
    if wrong.size:
        raise KernelInputError(f"a region must name one of {images} images, got {wrong[0]}")
    if not np.isfinite(rois).all():
        raise KernelInputError("the corners of a region must be finite")
    scaled = rois * rois.dtype.type(scale)
    rounded = np.trunc(scaled + np.copysign(rois.dtype.type(0.5), scaled))
    rounded[:, 0] = rois[:, 0]
    corners: list[list[int]] = rounded.astype(np.int64).tolist()
    return corners


def _bins(first: int, last: int, count: int, size: int) -> list[slice]:
    """The bins of pixels ``first`` to ``last`` on an axis, cut off at its ends."""
    return list(_cut(first, max(last - first + 1, 1), count, size))


def _cut(first: int, length: int, count: int, size: int) -> Iterator[slice]:
    for p in range(count):
        start = first + p * length // count
        stop = first - (-(p + 1) * length // count)
        yield slice(min(max(start, 0), size), min(max(stop, 0), size))


KERNEL = ReferenceKernel("ROIPooling", roi_pooling, infer_roi_pooling, FLOATS)
