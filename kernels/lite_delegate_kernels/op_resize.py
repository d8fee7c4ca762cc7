"""Resize: the height and width of an image changed by interpolation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._dtypes import ALL_DTYPES, FLOATS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import int_list, single_int
from ._resampling import COORDINATE_MODES, cubic_taps, linear_taps, nearest_positions, weighted_taps

_METHODS = ("LINEAR", "NEAREST", "CUBIC")


def resize(
    x: Array,
    size: Array | None = None,
    *,
    format: str = "NCHW",
    method: str = "LINEAR",
    new_height: int = 0,
    new_width: int = 0,
    preserve_aspect_ratio: bool = False,
    coordinate_transform_mode: str = "ASYMMETRIC",
    cubic_coeff: float = 0.0,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    nearest_mode: str = "NORMAL",
) -> Array:
    """``x`` (N, H, W, C) resampled to (N, height, width, C).

    Args:
        x: NEAREST takes any dtype, LINEAR and CUBIC the floats; float16 is computed in float32.
        size: (height, width), or one value per dimension of which the second and third count. Integers are sizes,
            floats are factors (``round(factor * size)``, half away from zero). A single integer z is Caffe's zoom
            factor: ``size + (size - 1) * (z - 1)``.
        format: without effect: ``x`` is NHWC.
        method: LINEAR, NEAREST or CUBIC.
        new_height: the height when ``size`` is absent.
        new_width: the width when ``size`` is absent.
        preserve_aspect_ratio: must be False.
        coordinate_transform_mode: see ``_resampling.source_coordinates``.
        cubic_coeff: the a of Keys' kernel, usually -0.75 or -0.5.
        exclude_outside: without effect, the border repeats.
        extrapolation_value: without effect.
        nearest_mode: without effect: rounded down, half up with ALIGN_CORNERS.

    Raises:
        KernelInputError: ``size`` holds another number of values, or a size below 1.

    NOTE: HALF_PIXEL coordinates are cut off at 0 before interpolation, as MindSpore Lite does: with CUBIC the first
    rows and columns differ from ONNX, where they are not.
    """
    height, width = _out_size(x.shape, size, new_height, new_width)
    if method == "NEAREST":
        rows = nearest_positions(x.shape[1], height, coordinate_transform_mode)
        columns = nearest_positions(x.shape[2], width, coordinate_transform_mode)
        return x.take(rows, axis=1).take(columns, axis=2)
    y = x.astype(np.float32) if x.dtype == np.float16 else x
    for axis, out in _cheapest_order(x.shape, height, width):
        if out != x.shape[axis]:
            taps = _taps(x.shape[axis], out, method, coordinate_transform_mode, cubic_coeff, y.dtype)
            y = weighted_taps(y, axis, *taps)
    return y.astype(x.dtype, copy=False)


def infer_resize(
    x: ArraySpec,
    size: ArraySpec | None = None,
    *,
    method: str,
    new_height: int,
    new_width: int,
    preserve_aspect_ratio: bool,
    coordinate_transform_mode: str,
) -> ArraySpec:
    """(N, height, width, C); height and width ``UNKNOWN`` where ``size`` is not constant.

    Raises:
        KernelInputError: also: ``x`` is not 4-D or has no pixels, a method or mode that is not known, a dtype that
            LINEAR and CUBIC do not take, or ``preserve_aspect_ratio``.
    """
    _check_attributes(method, coordinate_transform_mode, preserve_aspect_ratio)
    if method != "NEAREST":
        check_dtype(x, FLOATS, f"input of method {method}")
    shape = (UNKNOWN,) * 4 if x.shape is None else x.shape
    if len(shape) != 4 or 0 in shape[1:3]:
        raise KernelInputError(f"input must be (N, H, W, C) with H and W at least 1, got shape {shape}")
    if size is not None and size.value is None:
        return ArraySpec(x.dtype, (shape[0], UNKNOWN, UNKNOWN, shape[3]))
    height, width = _out_size(shape, None if size is None else size.value, new_height, new_width)
    return ArraySpec(x.dtype, (shape[0], height, width, shape[3]))


def _check_attributes(method: str, coordinate_transform_mode: str, preserve_aspect_ratio: bool) -> None:
    if method not in _METHODS:
        raise KernelInputError(f"method must be one of {', '.join(_METHODS)}, got {method}")
    if coordinate_transform_mode not in COORDINATE_MODES:
        raise KernelInputError(
            f"coordinate_transform_mode must be one of {', '.join(COORDINATE_MODES)}, got {coordinate_transform_mode}"
        )
    if preserve_aspect_ratio:
        raise KernelInputError("preserve_aspect_ratio must be false, got true")


def _out_size(shape: Shape, size: Array | None, new_height: int, new_width: int) -> tuple[int, int]:
    if size is None:
        return _at_least_one(new_height), _at_least_one(new_width)
    if size.size not in (1, 2, 4):
        raise KernelInputError(f"size must hold 1, 2 or 4 values, got shape {size.shape}")
    if size.size == 1:
        zoom = single_int(int_list(size, "a single size"), "size")
        return _zoomed(zoom, shape[1]), _zoomed(zoom, shape[2])
    first, second = size.ravel()[1:3] if size.size == 4 else size.ravel()
    if size.dtype.kind == "f":
        return _scaled(first, shape[1]), _scaled(second, shape[2])
    return _at_least_one(int(first)), _at_least_one(int(second))


def _at_least_one(size: int) -> int:
    if size < 1:
        raise KernelInputError(f"height and width must be at least 1, got {size}")
    return size


def _zoomed(zoom: int, size: int) -> int:
    return UNKNOWN if size == UNKNOWN else _at_least_one(size + (size - 1) * (zoom - 1))


def _scaled(factor: Any, size: int) -> int:
    if size == UNKNOWN:
        return UNKNOWN
    product = float(np.float32(factor) * np.float32(size))
    if not 0 <= product < 2**31:
        raise KernelInputError(f"scale factor {factor} of a size of {size} does not give a size")
    return _at_least_one(math.floor(product + 0.5))


def _cheapest_order(shape: Shape, height: int, width: int) -> tuple[tuple[int, int], tuple[int, int]]:
    # Along a shrinking height the rows go first: less is left for the columns.
    rows, columns = (1, height), (2, width)
    return (rows, columns) if height < shape[1] else (columns, rows)


def _taps(
    size_in: int, size_out: int, method: str, mode: str, cubic_coeff: float, dtype: np.dtype[Any]
) -> tuple[Array, Array]:
    if method == "CUBIC":
        return cubic_taps(size_in, size_out, mode, cubic_coeff, dtype)
    return linear_taps(size_in, size_out, mode, dtype)


KERNEL = ReferenceKernel("Resize", resize, infer_resize, ALL_DTYPES)
