"""ConvTranspose: ONNX's transposed convolution over any number of spatial axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._dtypes import FLOATS, check_dtype, check_same_dtype, widen
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import at, check_rank, listed
from ._windows import Windows


def conv_transpose(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """Every element of ``x`` times its window of ``weight``, summed where windows overlap, plus ``bias``.

    Args:
        x: (N, C, ...), float.
        weight: (C, M / group, ...).
        bias: (M,).

    Returns:
        (N, M, ...) in the dtype of ``x``.
    """
    _check(x.shape, weight.shape, group)
    sizes = x.shape[2:]
    windows, outs = _windows(sizes, weight.shape[2:], auto_pad, dilations, output_padding, output_shape, pads, strides)
    image, kernels = widen(x), widen(weight)
    batch, channels, per_group = x.shape[0], x.shape[1], weight.shape[1]
    whole = [max(o + b, (n - 1) * s + e) for o, b, n, s, e in zip(
        outs, windows.before, sizes, windows.strides, windows.extents, strict=True
    )]  # fmt: skip
    y = np.zeros((batch, group * per_group, *whole), image.dtype)
    columns = image.reshape(batch, group, channels // group, -1)
    for place in windows.places():
        factors = kernels[at(..., *place)].reshape(1, group, channels // group, per_group).swapaxes(-1, -2)
        y[at(..., *windows.slices(place, sizes))] += (factors @ columns).reshape(batch, -1, *sizes)
    y = y[at(..., *(slice(b, b + o) for b, o in zip(windows.before, outs, strict=True)))]
    if bias is not None:
        y = y + widen(bias).reshape(-1, *[1] * len(sizes))
    return np.asarray(y, x.dtype)


def infer_conv_transpose(
    x: ArraySpec,
    weight: ArraySpec,
    bias: ArraySpec | None = None,
    *,
    auto_pad: str,
    dilations: Sequence[int] | None,
    group: int,
    output_padding: Sequence[int] | None,
    output_shape: Sequence[int] | None,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> ArraySpec:
    """(N, M, ...); raises KernelInputError for dtypes, shapes or attributes that do not fit."""
    check_dtype(x, FLOATS)
    check_same_dtype(x, weight, bias)
    check_rank(x, 3)
    if weight.shape is None or UNKNOWN in weight.shape:
        return ArraySpec(x.dtype, None)
    shape = (UNKNOWN,) * len(weight.shape) if x.shape is None else x.shape
    _check(shape, weight.shape, group)
    _, outs = _windows(shape[2:], weight.shape[2:], auto_pad, dilations, output_padding, output_shape, pads, strides)
    return ArraySpec(x.dtype, (shape[0], weight.shape[1] * group, *outs))


def _windows(
    sizes: Sequence[int],
    kernel: Sequence[int],
    auto_pad: str,
    dilations: Sequence[int] | None,
    output_padding: Sequence[int] | None,
    output_shape: Sequence[int] | None,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> tuple[Windows, list[int]]:
    """The windows with what is cut off at both ends, and the sizes of the output."""
    count = len(sizes)
    steps, gaps = listed(strides, count, 1, "strides", 1), listed(dilations, count, 1, "dilations", 1)
    extra = listed(output_padding, count, 0, "output_padding")
    whole = [
        UNKNOWN if n == UNKNOWN else (n - 1) * s + (k - 1) * d + 1 + e
        for n, s, k, d, e in zip(sizes, steps, kernel, gaps, extra, strict=True)
    ]
    if auto_pad not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
        raise KernelInputError(f"auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got '{auto_pad}'")
    wanted = listed(output_shape, count, 0, "output_shape") if output_shape else None
    if wanted is None and auto_pad.startswith("SAME"):
        wanted = [UNKNOWN if n == UNKNOWN else n * s for n, s in zip(sizes, steps, strict=True)]
    if wanted is None:
        ends = listed(pads if auto_pad == "NOTSET" else None, 2 * count, 0, "pads")
        first, last = ends[:count], ends[count:]
        outs = [UNKNOWN if w == UNKNOWN else w - a - b for w, a, b in zip(whole, first, last, strict=True)]
        return Windows(list(kernel), steps, gaps, first, last), outs
    totals = [0 if UNKNOWN in (w, o) else max(0, w - o) for w, o in zip(whole, wanted, strict=True)]
    first, last = [t // 2 for t in totals], [t - t // 2 for t in totals]
    if auto_pad != "SAME_UPPER":
        first, last = last, first
    return Windows(list(kernel), steps, gaps, first, last), wanted


def _check(x: Sequence[int], weight: Sequence[int], group: int) -> None:
    if len(x) != len(weight):
        raise KernelInputError(f"the image has {len(x)} dimensions, the weight {len(weight)}")
    if group < 1 or weight[0] % group or x[1] not in (UNKNOWN, weight[0]):
        raise KernelInputError(f"{x[1]} channels in {group} groups do not fit a weight of shape {tuple(weight)}")


KERNEL = ReferenceKernel("ai.onnx.ConvTranspose", conv_transpose, infer_conv_transpose, FLOATS)
