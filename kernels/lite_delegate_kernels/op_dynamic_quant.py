"""DynamicQuant: real numbers to int8, with scales worked out from the numbers themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import check_dtype, dtype_of_type_id, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._quantization import round_half_away, to_stored
from ._quantized_dynamic import QuantizedArray
from ._shapes import normalize_axis

FLOATS = ("float32", "float16")
MAX_AXES = 8
NO_RANGE = 0.01
"""The range of numbers that are all the same."""


def dynamic_quant(
    x: Array,
    *,
    symmetric: bool = False,
    dst_type: int = 32,
    activation_channel: bool = False,
    prefer_axis: int = 0,
    transpose: bool = False,
    prefer_axes: Sequence[int] | None = None,
) -> Array:
    """``round(x / scale + zero_point)``, halves away from zero, clamped to int8.

    Symmetric: ``scale = max(|x|) / 127``, zero point 0. Otherwise ``scale = (max - min) / 255`` and
    ``zero_point = round(-128 - min / scale)``.

    Args:
        x: any shape, float.
        symmetric: whether the zero point is 0.
        dst_type: type id of the result, only int8.
        activation_channel: one scale for each index along ``prefer_axis``, unless ``prefer_axes`` are given.
        prefer_axis: see ``activation_channel``.
        transpose: no effect; the axes say what is a channel.
        prefer_axes: one scale for each combination of indices along these axes, at most 8.

    Returns:
        int8, the shape of ``x``: a ``QuantizedArray``, which carries scales and zero points.

    NOTE: as in MindSpore Lite, numbers that are all the same have a range of 0.01; here also zeros when
    symmetric, whose scale is 0 there.
    """
    kept = _axes(x.ndim, activation_channel, prefer_axis, prefer_axes)
    rest = tuple(i for i in range(x.ndim) if i not in kept)
    wide = widen(x).astype(np.float64)
    low = wide.min(axis=rest, keepdims=True, initial=np.inf)
    high = wide.max(axis=rest, keepdims=True, initial=-np.inf)
    with np.errstate(all="ignore"):
        if symmetric:
            largest = np.maximum(np.abs(low), np.abs(high))
            scale = np.where(largest > 0, largest / 127, NO_RANGE / 255)
            zero_point = np.zeros_like(scale)
        else:
            scale = np.where(high > low, high - low, NO_RANGE) / 255
            zero_point = round_half_away(-128 - low / scale)
        q = round_half_away(wide / scale + zero_point)
    return QuantizedArray.of(to_stored(np.nan_to_num(q), np.dtype(np.int8)), scale, zero_point)


def infer_dynamic_quant(
    x: ArraySpec, *, dst_type: int, activation_channel: bool, prefer_axis: int, prefer_axes: Sequence[int] | None
) -> ArraySpec:
    """int8, the shape of ``x``; raises KernelInputError for another ``dst_type``, and axes that ``x`` does not have."""
    check_dtype(x, FLOATS, "x")
    if dtype_of_type_id(dst_type) != np.int8:
        raise KernelInputError(f"dst_type must be int8 (32), got {dst_type}")
    if x.rank is not None:
        _axes(x.rank, activation_channel, prefer_axis, prefer_axes)
    return ArraySpec(np.dtype(np.int8), x.shape)


def _axes(rank: int, activation_channel: bool, prefer_axis: int, prefer_axes: Sequence[int] | None) -> set[int]:
    if prefer_axes and len(prefer_axes) > MAX_AXES:
        raise KernelInputError(f"prefer_axes may name {MAX_AXES} axes at most, names {len(prefer_axes)}")
    named = prefer_axes or ((prefer_axis,) if activation_channel else ())
    return {normalize_axis(axis, rank) for axis in named}


KERNEL = ReferenceKernel("DynamicQuant", dynamic_quant, infer_dynamic_quant, FLOATS)
