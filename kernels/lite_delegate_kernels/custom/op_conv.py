"""Conv: ONNX's convolution over any number of spatial axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._dtypes import FLOATS, check_dtype, check_same_dtype, widen
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import at, check_rank
from ._windows import windows_of


def conv(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """The sum over channels and window of ``x`` times ``weight``, plus ``bias``.

    Args:
        x: (N, C, ...), float.
        weight: (M, C / group, ...): a window for each channel of the output.
        bias: (M,).

    Returns:
        (N, M, ...) in the dtype of ``x``.
    """
    _check(x.shape, weight.shape, group)
    windows = windows_of(x.shape[2:], weight.shape[2:], auto_pad, dilations, pads, strides)
    counts = windows.counts(x.shape[2:])
    ends = [(0, 0), (0, 0), *zip(windows.before, windows.after, strict=True)]
    image, kernels = np.pad(widen(x), ends), widen(weight)
    batch, channels, outs = x.shape[0], x.shape[1], weight.shape[0]
    y = np.zeros((batch, group, outs // group, int(np.prod(counts))), image.dtype)
    for place in windows.places():
        seen = image[at(..., *windows.slices(place, counts))].reshape(batch, group, channels // group, -1)
        y += kernels[at(..., *place)].reshape(1, group, outs // group, channels // group) @ seen
    y = y.reshape(batch, outs, *counts)
    if bias is not None:
        y += widen(bias).reshape(-1, *[1] * len(counts))
    return y.astype(x.dtype)


def infer_conv(
    x: ArraySpec,
    weight: ArraySpec,
    bias: ArraySpec | None = None,
    *,
    auto_pad: str,
    dilations: Sequence[int] | None,
    group: int,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> ArraySpec:
    """(N, M, ...); raises KernelInputError for dtypes, shapes or attributes that do not fit."""
    check_dtype(x, FLOATS)
    check_same_dtype(x, weight, bias)
    check_rank(x, 3)
    if weight.shape is None:
        return ArraySpec(x.dtype, None)
    shape = (UNKNOWN,) * len(weight.shape) if x.shape is None else x.shape
    _check(shape, weight.shape, group)
    if UNKNOWN in weight.shape:
        return ArraySpec(x.dtype, (shape[0], weight.shape[0], *[UNKNOWN] * (len(shape) - 2)))
    windows = windows_of(shape[2:], weight.shape[2:], auto_pad, dilations, pads, strides)
    return ArraySpec(x.dtype, (shape[0], weight.shape[0], *windows.counts(shape[2:])))


def _check(x: Sequence[int], weight: Sequence[int], group: int) -> None:
    if len(x) != len(weight):
        raise KernelInputError(f"the image has {len(x)} dimensions, the weight {len(weight)}")
    if group < 1 or (UNKNOWN not in (x[1], weight[1]) and x[1] != weight[1] * group) or weight[0] % group:
        raise KernelInputError(f"{x[1]} channels in {group} groups do not fit a weight of shape {tuple(weight)}")


KERNEL = ReferenceKernel("ai.onnx.Conv", conv, infer_conv, FLOATS)
