"""CropAndResize: boxes cut out of images and resampled to one size."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import constant_ints, int_list

_METHODS = ("LINEAR", "NEAREST")


@np.errstate(all="ignore")
def crop_and_resize(
    x: Array, boxes: Array, box_index: Array, size: Array, *, method: str = "LINEAR", extrapolation_value: float = 0.0
) -> Array:
    """Each box sampled at ``size`` points, its corners included, as TensorFlow's CropAndResize defines.

    Args:
        x: (N, H, W, C), float. float16 is computed in float32.
        boxes: (n, 4), the rows y1, x1, y2, x2 where 0 is the first and 1 the last row or column of pixels; y1 above y2
            flips the crop, and a box may reach beyond the image.
        box_index: integers (n,), the image of each box.
        size: two integers, height and width. A height or width of 1 samples the middle of the box.
        method: LINEAR, or NEAREST, which rounds half up.
        extrapolation_value: what a sample outside of the image gives.

    Returns:
        (n, height, width, C) in the dtype of ``x``.

    Raises:
        KernelInputError: a box's image does not exist.
    """
    height, width = _out_size(size)
    images = _checked_index(box_index, x.shape[0])[:, None, None]
    corners = boxes.astype(np.float64)
    rows = _positions(corners[:, 0], corners[:, 2], x.shape[1], height)[:, :, None]
    columns = _positions(corners[:, 1], corners[:, 3], x.shape[2], width)[:, None, :]
    outside = ~((rows >= 0) & (rows <= x.shape[1] - 1) & (columns >= 0) & (columns <= x.shape[2] - 1))
    wide = widen(x)
    if method == "NEAREST":
        y = wide[images, _pixel(rows + 0.5, x.shape[1]), _pixel(columns + 0.5, x.shape[2])]
    else:
        y = _interpolated(wide, images, rows, columns)
    y[outside] = extrapolation_value
    return y.astype(x.dtype, copy=False)


def infer_crop_and_resize(
    x: ArraySpec, boxes: ArraySpec, box_index: ArraySpec, size: ArraySpec, *, method: str
) -> ArraySpec:
    """(n, height, width, C); height and width ``UNKNOWN`` where ``size`` is not constant.

    Raises:
        KernelInputError: dtypes or shapes that do not fit, images without pixels, a size below 1, another method.
    """
    if method not in _METHODS:
        raise KernelInputError(f"method must be one of {', '.join(_METHODS)}, got {method}")
    check_dtype(x, FLOATS)
    check_dtype(boxes, FLOATS, "boxes")
    check_dtype(box_index, ("int32", "int64"), "box_index")
    _, rows, columns, channels = expect_shape("x", x, (UNKNOWN,) * 4)
    if 0 in (rows, columns):
        raise KernelInputError(f"x must have at least one row and one column, got {x.shape}")
    count, _ = expect_shape("boxes", boxes, (UNKNOWN, 4))
    (count,) = expect_shape("box_index", box_index, (count,))
    expect_shape("size", size, (2,))
    known = constant_ints(size, "size")
    height, width = (UNKNOWN, UNKNOWN) if known is None or size.value is None else _out_size(size.value)
    return ArraySpec(x.dtype, (count, height, width, channels))


def _out_size(size: Array) -> tuple[int, int]:
    values = int_list(size, "size")
    if len(values) != 2 or min(values) < 1:
        raise KernelInputError(f"size must hold a height and a width of at least 1, got {values}")
    return values[0], values[1]


def _checked_index(box_index: Array, images: int) -> Array:
    wrong = box_index[(box_index < 0) | (box_index >= images)]
    if wrong.size:
        raise KernelInputError(f"box_index must name one of {images} images, got {wrong[0]}")
    return box_index


def _positions(first: Array, last: Array, size_in: int, size_out: int) -> Array:
    """Sampling positions of each box along one axis, (n, size_out). The last sample is exactly ``last``."""
    if size_out == 1:
        return np.asarray((first + last) * 0.5 * (size_in - 1))[:, None]
    return np.asarray(np.linspace(first * (size_in - 1), last * (size_in - 1), size_out, axis=1))


def _pixel(position: Array, size: int) -> Array:
    """The pixel at or before a position; any pixel will do for one outside of the image, or for NaN."""
    pixel: Array = np.clip(np.nan_to_num(np.floor(position)), 0, size - 1).astype(np.intp)
    return pixel


def _interpolated(x: Array, images: Array, rows: Array, columns: Array) -> Array:
    top, left = _pixel(rows, x.shape[1]), _pixel(columns, x.shape[2])
    bottom, right = _pixel(np.ceil(rows), x.shape[1]), _pixel(np.ceil(columns), x.shape[2])
    down, across = _fraction(rows - top, x.dtype), _fraction(columns - left, x.dtype)
    upper = _between(x[images, top, left], x[images, top, right], across)
    return _between(upper, _between(x[images, bottom, left], x[images, bottom, right], across), down)


def _fraction(distance: Array, dtype: np.dtype[Any]) -> Array:
    return distance.astype(dtype)[..., None]


def _between(a: Array, b: Array, fraction: Array) -> Array:
    return np.asarray(a + (b - a) * fraction)


KERNEL = ReferenceKernel("CropAndResize", crop_and_resize, infer_crop_and_resize, FLOATS)
