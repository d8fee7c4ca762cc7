"""DeformConv: a convolution over images whose windows have their elements where offsets say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._dtypes import FLOATS, check_dtype, check_same_dtype, widen
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import check_rank
from ._windows import Windows, windows_of


def deform_conv(
    x: Array,
    weight: Array,
    offset: Array,
    bias: Array | None = None,
    mask: Array | None = None,
    *,
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    offset_group: int = 1,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """The sum over channels and window of ``weight`` times ``x`` between its elements, plus ``bias``.

    Args:
        x: (N, C, H, W), float; zeros around it.
        weight: (M, C / group, KH, KW).
        offset: (N, offset_group * KH * KW * 2, OH, OW): rows and columns by which each element is off.
        bias: (M,).
        mask: (N, offset_group * KH * KW, OH, OW): a factor for each of them.

    Returns:
        (N, M, OH, OW) in the dtype of ``x``.
    """
    _check(x.shape, weight.shape, group, offset_group)
    windows = windows_of(x.shape[2:], weight.shape[2:], "NOTSET", dilations, pads, strides)
    rows, columns = windows.counts(x.shape[2:])
    batch, channels, outs = x.shape[0], x.shape[1], weight.shape[0]
    image, kernels = widen(x).reshape(batch, offset_group, channels // offset_group, *x.shape[2:]), widen(weight)
    offsets = offset.reshape(batch, offset_group, -1, 2, rows, columns).astype(image.dtype)
    factors = None if mask is None else mask.reshape(batch, offset_group, -1, rows, columns)
    y = np.zeros((batch, group, outs // group, rows * columns), image.dtype)
    for number, (i, j) in enumerate(windows.places()):
        top = _starts(windows, 0, rows)[:, None] + i * windows.dilations[0] + offsets[:, :, number, 0]
        left = _starts(windows, 1, columns)[None, :] + j * windows.dilations[1] + offsets[:, :, number, 1]
        seen = _between(image, top, left)
        if factors is not None:
            seen = seen * factors[:, :, None, number]
        taken = kernels[..., i, j].reshape(1, group, outs // group, channels // group)
        y += taken @ seen.reshape(batch, group, channels // group, -1)
    y = y.reshape(batch, outs, rows, columns)
    return (y if bias is None else y + widen(bias).reshape(-1, 1, 1)).astype(x.dtype)


def infer_deform_conv(
    x: ArraySpec,
    weight: ArraySpec,
    offset: ArraySpec,
    bias: ArraySpec | None = None,
    mask: ArraySpec | None = None,
    *,
    dilations: Sequence[int] | None,
    group: int,
    offset_group: int,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> ArraySpec:
    """(N, M, OH, OW); raises KernelInputError for dtypes or shapes that do not fit."""
    check_dtype(x, FLOATS)
    check_same_dtype(x, weight, offset, bias, mask)
    for spec, name in ((x, "input 0"), (weight, "weight"), (offset, "offset")):
        check_rank(spec, 4, 4, name)
    if x.shape is None or weight.shape is None or UNKNOWN in weight.shape:
        return ArraySpec(x.dtype, None)
    _check(x.shape, weight.shape, group, offset_group)
    counts = windows_of(x.shape[2:], weight.shape[2:], "NOTSET", dilations, pads, strides).counts(x.shape[2:])
    shape = (UNKNOWN, offset_group * 2 * weight.shape[2] * weight.shape[3], *counts)
    found = offset.shape or shape
    if any(UNKNOWN not in (a, b) and a != b for a, b in zip(found, shape, strict=True)):
        raise KernelInputError(f"offset must be {shape}, got {found}")
    return ArraySpec(x.dtype, (x.shape[0], weight.shape[0], *counts))


def _starts(windows: Windows, axis: int, count: int) -> Array:
    return np.arange(count) * windows.strides[axis] - windows.before[axis]


def _between(image: Array, top: Array, left: Array) -> Array:
    """The image (N, G, C, H, W) at places (N, G, OH, OW), linear between its elements: (N, G, C, OH, OW)."""
    height, width = image.shape[-2:]
    up, before = np.floor(top), np.floor(left)
    planes = np.moveaxis(image, 2, -1)
    batch = np.arange(image.shape[0])[:, None, None, None]
    groups = np.arange(image.shape[1])[None, :, None, None]
    y = np.zeros((*top.shape, image.shape[2]), image.dtype)
    for row, by_row in ((up, 1 - (top - up)), (up + 1, top - up)):
        for column, by_column in ((before, 1 - (left - before)), (before + 1, left - before)):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            r = np.clip(row, 0, height - 1).astype(np.int64)
            c = np.clip(column, 0, width - 1).astype(np.int64)
            y += planes[batch, groups, r, c] * (by_row * by_column * inside)[..., None]
    return np.moveaxis(y, -1, 2)


def _check(x: Sequence[int], weight: Sequence[int], group: int, offset_group: int) -> None:
    fits = group >= 1 and offset_group >= 1 and x[1] in (UNKNOWN, weight[1] * group) and weight[0] % group == 0
    if not fits or (x[1] != UNKNOWN and x[1] % offset_group):
        raise KernelInputError(f"{group} groups, {offset_group} for offsets do not fit {x[1]} channels and {weight}")


KERNEL = ReferenceKernel("ai.onnx.DeformConv", deform_conv, infer_deform_conv, FLOATS)
