"""AvgPoolFusion: the mean of every window, padding not counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dense import FLOATS, compute_dtype
from ._fused import fuse
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel
from ._pooling import as_nhwc, check_counts, infer_pool, pool_windows, window_counts
from ._window import pad_spatial, window_view


@np.errstate(over="ignore", invalid="ignore")
def avg_pool_fusion(
    x: Array,
    *,
    kernel_size: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    pad: Sequence[int] | None = None,
    pad_mode: str = "PAD",
    round_mode: str = "FLOOR",
    format: str = "NCHW",
    global_: bool = False,
    activation_type: str = "NO_ACTIVATION",
) -> Array:
    """The mean over windows of axes 1 and 2: the sum divided by the number of elements that are not padding.

    Args:
        x: (N, H, W, C), float; also without the channels, or with more dimensions after them. float16 is computed
            in float32.
        kernel_size, strides: [h, w]; strides absent means 1.
        pad: [up, down, left, right]; absent means zeros.
        pad_mode: SAME works the padding out, ``ceil(H / stride)`` rows; PAD and VALID both use ``pad``.
        round_mode: FLOOR or CEIL of ``(H + pads - kernel) / stride``, to which 1 is added.
        format: no effect, the array is (N, H, W, C).
        global_: one window over all of H and W; kernel, strides and pads are not looked at.
        activation_type: RELU and RELU6 are applied, any other counts as none.

    Returns:
        (N, Hout, Wout, C) in the dtype of ``x``.
    """
    h, w = pool_windows(x.shape[1:3], kernel_size, strides, pad, pad_mode, round_mode, global_)
    data = as_nhwc(x.astype(compute_dtype(x.dtype), copy=False))
    total = window_view(pad_spatial(data, h, w, 0), h, w).sum(axis=(3, 4))
    y = fuse(total / window_counts(h, w).astype(data.dtype), activation_type)
    return y.reshape(x.shape[0], h.out, w.out, *x.shape[3:]).astype(x.dtype, copy=False)


def infer_avg_pool_fusion(
    x: ArraySpec,
    *,
    kernel_size: Sequence[int] | None,
    strides: Sequence[int] | None,
    pad: Sequence[int] | None,
    pad_mode: str,
    round_mode: str,
    global_: bool,
) -> ArraySpec:
    """The shape (N, Hout, Wout, C); see ``avg_pool_fusion``.

    Raises:
        KernelInputError: the dtype, the rank, an attribute that is missing or out of range, or a window that
            holds nothing but padding.
    """
    sizes, rest = infer_pool(x)
    h, w = pool_windows(sizes, kernel_size, strides, pad, pad_mode, round_mode, global_)
    for axis in (h, w):
        if axis.size != UNKNOWN:
            check_counts(axis)
    return ArraySpec(x.dtype, None if x.shape is None else (x.shape[0], h.out, w.out, *rest))


KERNEL = ReferenceKernel("AvgPoolFusion", avg_pool_fusion, infer_avg_pool_fusion, FLOATS)
