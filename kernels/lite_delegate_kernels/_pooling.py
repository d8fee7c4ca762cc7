"""Shared by the two poolings: the windows of each pad and round mode, and how much of them is no padding."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ._dense import FLOATS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape
from ._window import SlidingWindow, check_pad_mode, pad_pairs, pair, same_window

ROUND_MODES = ("FLOOR", "CEIL")


def pool_windows(
    sizes: tuple[int, ...],
    kernel_size: Sequence[int] | None,
    strides: Sequence[int] | None,
    pad: Sequence[int] | None,
    pad_mode: str,
    round_mode: str,
    global_: bool,
) -> tuple[SlidingWindow, SlidingWindow]:
    """The windows along rows and columns of ``sizes`` (H, W).

    NOTE: as in MindSpore Lite, VALID uses ``pad`` just as PAD does, and an output below 1 becomes 1.

    Raises:
        KernelInputError: a name that is no pad or round mode, no kernel size, values that are out of range.
    """
    if 0 in sizes:
        raise KernelInputError(f"x must have at least one row and one column, got {sizes}")
    if global_:
        return _whole(sizes[0]), _whole(sizes[1])
    check_pad_mode(pad_mode)
    if round_mode not in ROUND_MODES:
        raise KernelInputError(f"round_mode must be FLOOR or CEIL, got {round_mode}")
    if kernel_size is None:
        raise KernelInputError("kernel_size must be given unless global is set")
    kernels, steps = pair("kernel_size", kernel_size), pair("strides", strides)
    pads = pad_pairs("pad", pad)
    h, w = (
        same_window(sizes[i], kernels[i], steps[i], 1)
        if pad_mode == "SAME"
        else _padded(sizes[i], kernels[i], steps[i], pads[i], round_mode)
        for i in (0, 1)
    )
    return h, w


def _whole(size: int) -> SlidingWindow:
    return SlidingWindow(size, size, 1, 1, 0, 1)


def _padded(size: int, kernel: int, stride: int, pads: tuple[int, int], round_mode: str) -> SlidingWindow:
    if size == UNKNOWN:
        return SlidingWindow(size, kernel, stride, 1, pads[0], UNKNOWN)
    room = size + sum(pads) - kernel
    steps = room // stride if round_mode == "FLOOR" else -(-room // stride)
    return SlidingWindow(size, kernel, stride, 1, pads[0], max(1, steps + 1))


def infer_pool(x: ArraySpec) -> tuple[tuple[int, int], Shape]:
    """((H, W), the dimensions after them) of ``x``; see ``as_nhwc``.

    Raises:
        KernelInputError: the dtype is no float, or the rank is below 3.
    """
    check_dtype("x", x, FLOATS)
    if x.shape is None:
        return (UNKNOWN, UNKNOWN), ()
    if len(x.shape) < 3:
        raise KernelInputError(f"x must be at least 3-D (N, H, W, ...), got shape {x.shape}")
    return (x.shape[1], x.shape[2]), x.shape[3:]


def as_nhwc(x: Array) -> Array:
    """``x`` (N, H, W, ...) with all dimensions after the columns as one: (N, H, W, C)."""
    return x if x.ndim == 4 else x.reshape(*x.shape[:3], prod(x.shape[3:]))


def window_counts(h: SlidingWindow, w: SlidingWindow) -> Array:
    """Elements of every window that are not padding, (Hout, Wout, 1); (1, 1, 1) when all have the same number.

    Raises:
        KernelInputError: a window holds nothing but padding.
    """
    counts = np.multiply.outer(axis_counts(h), axis_counts(w))[:, :, None]
    return counts[:1, :1] if counts.min() == counts.max() else counts


def axis_counts(axis: SlidingWindow) -> Array:
    """Elements of every window along one axis that are not padding; raises KernelInputError where one has none."""
    check_counts(axis)
    first = np.arange(axis.out) * axis.stride - axis.before
    counts: Array = np.minimum(first + axis.kernel, axis.size) - np.maximum(first, 0)
    return counts


def check_counts(axis: SlidingWindow) -> None:
    """Raises KernelInputError where a window along the axis holds nothing but padding.

    The number of elements is concave over the windows, so the first or the last one has the fewest.
    """
    last = (axis.out - 1) * axis.stride - axis.before
    counts = [min(first + axis.kernel, axis.size) - max(first, 0) for first in (-axis.before, last)]
    if min(counts) < 1:
        fewest = 0 if counts[0] <= counts[1] else axis.out - 1
        raise KernelInputError(f"window {fewest} of {axis.out} holds only padding and has no mean")
