"""MaxUnpooling2D: what a max pool kept, back at its place in each window, zeros elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._dtypes import check_dtype, check_same_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._argmax_pooling import POOLING_DTYPES, check_windows, padded_before
from ._shared import check_rank


def max_unpooling_2d(x: Array, places: Array, *, kernel_size: Sequence[int], strides: Sequence[int]) -> Array:
    """The elements of ``x`` where ``places`` says; where windows overlap, the last one counts.

    Args:
        x: (N, H, W, C), float32.
        places: the same shape, float32: positions in the window row by row, cut off to whole numbers. An element
            whose place is outside of the output, or no number, is left out.
        kernel_size, strides: [h, w].

    Returns:
        (N, H * kernel_size[0], W * kernel_size[1], C). Source: MediaPipe's ``max_unpooling.cc``.
    """
    batch, height, width, channels = x.shape
    sizes = height * kernel_size[0], width * kernel_size[1]
    before = [padded_before(*each) for each in zip(x.shape[1:3], sizes, kernel_size, strides, strict=True)]
    known = (places > -1) & (places < kernel_size[0] * kernel_size[1])
    inner: Array = np.where(known, places, 0).astype(np.int64)
    n, line, column, channel = (np.asarray(each) for each in np.indices(x.shape))
    down = line * strides[0] - before[0] + inner // kernel_size[1]
    across = column * strides[1] - before[1] + inner % kernel_size[1]
    kept = known & (down >= 0) & (down < sizes[0]) & (across >= 0) & (across < sizes[1])
    y = np.zeros((batch, *sizes, channels), x.dtype)
    y[n[kept], down[kept], across[kept], channel[kept]] = x[kept]
    return y


def infer_max_unpooling_2d(
    x: ArraySpec, places: ArraySpec, *, kernel_size: Sequence[int], strides: Sequence[int]
) -> ArraySpec:
    """The output's shape; raises KernelInputError for operands or attributes that do not fit."""
    check_dtype(x, POOLING_DTYPES)
    check_same_dtype(x, places)
    check_rank(x, 4, 4)
    check_windows(kernel_size, strides)
    known = x.shape is not None and places.shape is not None and UNKNOWN not in (*x.shape, *places.shape)
    if known and x.shape != places.shape:
        raise KernelInputError(f"places of shape {places.shape} must have the shape {x.shape} of x")
    batch, height, width, channels = x.shape or (UNKNOWN,) * 4
    sizes = [UNKNOWN if n == UNKNOWN else n * k for n, k in zip((height, width), kernel_size, strict=True)]
    return ArraySpec(x.dtype, (batch, *sizes, channels))


KERNEL = ReferenceKernel("mediapipe.MaxUnpooling2D", max_unpooling_2d, infer_max_unpooling_2d, POOLING_DTYPES)
