"""MaxPoolingArgmax2D: where in its window the largest element is, the second result of MaxPoolingWithArgmax2D."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from .._dtypes import check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._argmax_pooling import POOLING_DTYPES, check_windows, padded_before, window_count
from ._shared import check_rank

_ADDED = np.float32(0.1)
"""What is added to each place, so that cutting off a rounded one gives the same integer."""


def max_pooling_argmax_2d(x: Array, *, kernel_size: Sequence[int], strides: Sequence[int], pad_mode: str) -> Array:
    """The places, row by row in the window; of equal elements the first. Elements of the padding are never taken.

    Args:
        x: (N, H, W, C), float32.
        kernel_size, strides: [h, w].
        pad_mode: SAME or VALID.

    Returns:
        (N, OH, OW, C), float32: whole numbers plus 0.1. Source: MediaPipe's ``max_pool_argmax.cc``.
    """
    batch, channels = x.shape[0], x.shape[3]
    counts = [window_count(n, k, s, pad_mode) for n, k, s in zip(x.shape[1:3], kernel_size, strides, strict=True)]
    before = [padded_before(*each) for each in zip(counts, x.shape[1:3], kernel_size, strides, strict=True)]
    least = np.finfo(x.dtype).min
    places, largest = np.zeros((batch, *counts, channels), x.dtype), np.full((batch, *counts, channels), least, x.dtype)
    axes = list(zip(counts, x.shape[1:3], kernel_size, strides, before, strict=True))
    for down, across in product(*(_useful(*axis) for axis in axes)):
        lines, columns = (
            np.arange(count) * stride - pad + offset
            for (count, _, _, stride, pad), offset in zip(axes, (down, across), strict=True)
        )
        inside = _inside(lines, x.shape[1])[:, None] & _inside(columns, x.shape[2])
        candidates = x[:, np.clip(lines, 0, x.shape[1] - 1)][:, :, np.clip(columns, 0, x.shape[2] - 1)]
        larger = (candidates > largest) & inside[..., None]
        place = x.dtype.type(down * kernel_size[1] + across)
        places, largest = np.where(larger, place, places), np.where(larger, candidates, largest)
    return places + _ADDED


def infer_max_pooling_argmax_2d(
    x: ArraySpec, *, kernel_size: Sequence[int], strides: Sequence[int], pad_mode: str
) -> ArraySpec:
    """(N, OH, OW, C); raises KernelInputError for a shape or attributes that do not fit."""
    check_dtype(x, POOLING_DTYPES)
    check_rank(x, 4, 4)
    check_windows(kernel_size, strides)
    if pad_mode not in ("SAME", "VALID"):
        raise KernelInputError(f"pad_mode must be SAME or VALID, got '{pad_mode}'")
    batch, height, width, channels = x.shape or (UNKNOWN,) * 4
    sizes = zip((height, width), kernel_size, strides, strict=True)
    counts = [window_count(*each, pad_mode) for each in sizes]
    if any(n != UNKNOWN and n < 1 for n in counts):
        raise KernelInputError(f"windows {list(kernel_size)} do not fit an image of shape {x.shape}")
    return ArraySpec(x.dtype, (batch, *counts, channels))


def _useful(count: int, size: int, window: int, stride: int, before: int) -> range:
    """The offsets in a window at which any of the windows is on an element: of a huge window, few."""
    return range(max(0, before - (count - 1) * stride), min(window, before + size))


def _inside(positions: Array, size: int) -> Array:
    return np.asarray((positions >= 0) & (positions < size))


KERNEL = ReferenceKernel(
    "mediapipe.MaxPoolingArgmax2D", max_pooling_argmax_2d, infer_max_pooling_argmax_2d, POOLING_DTYPES
)
