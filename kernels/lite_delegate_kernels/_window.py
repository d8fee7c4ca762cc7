"""Sliding windows over the rows and columns of (N, H, W, C): where they lie, padding, a view of them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ._kernel import UNKNOWN, Array, KernelInputError

Pair = tuple[int, int]
PAD_MODES = ("PAD", "SAME", "VALID")


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """The windows along one spatial axis.

    Attributes:
        size: length of the axis.
        kernel: taps of a window.
        stride: distance between windows.
        dilation: distance between the taps of one window.
        before: padding in front of the axis.
        out: number of windows.
    """

    size: int
    kernel: int
    stride: int
    dilation: int
    before: int
    out: int

    @property
    def span(self) -> int:
        """Length of the padded axis that the windows cover, from the first tap to the last."""
        return (self.out - 1) * self.stride + (self.kernel - 1) * self.dilation + 1

    def tap(self, index: int) -> slice:
        """Positions of tap ``index`` of every window on the padded axis."""
        start = index * self.dilation
        return slice(start, start + (self.out - 1) * self.stride + 1, self.stride)


def pair(name: str, value: Sequence[int] | None) -> Pair:
    """An attribute that holds [h, w], each at least 1; absent means (1, 1).

    Raises:
        KernelInputError: not two values, or one below 1.
    """
    if value is None:
        return 1, 1
    if len(value) != 2 or min(value) < 1:
        raise KernelInputError(f"{name} must hold [h, w], each at least 1, got {list(value)}")
    return value[0], value[1]


def pad_pairs(name: str, value: Sequence[int] | None) -> tuple[Pair, Pair]:
    """((up, down), (left, right)) of [up, down, left, right]; fewer than four values mean zeros.

    Raises:
        KernelInputError: a negative value.
    """
    if value is None or len(value) < 4:
        return (0, 0), (0, 0)
    up, down, left, right = value[:4]
    if min(up, down, left, right) < 0:
        raise KernelInputError(f"{name} must not be negative, got {list(value)}")
    return (up, down), (left, right)


def check_pad_mode(pad_mode: str) -> None:
    """Raises KernelInputError for a name that is not a pad mode."""
    if pad_mode not in PAD_MODES:
        raise KernelInputError(f"pad_mode must be one of {', '.join(PAD_MODES)}, got {pad_mode}")


def check_kernel(found: Pair, kernel_size: Sequence[int] | None) -> Pair:
    """The kernel's [h, w]: ``found`` in the weight, or ``kernel_size`` where that is not known.

    Raises:
        KernelInputError: the two differ.
    """
    if kernel_size is None:
        return found
    named = pair("kernel_size", kernel_size)
    if any(f not in (UNKNOWN, k) for f, k in zip(found, named, strict=True)):
        raise KernelInputError(f"kernel_size must be that of the weight, {list(found)}, got {list(kernel_size)}")
    return named


def same_window(size: int, kernel: int, stride: int, dilation: int) -> SlidingWindow:
    """SAME: ``ceil(size / stride)`` windows, the padding they need split evenly, the odd element at the end."""
    if size == UNKNOWN:
        return SlidingWindow(size, kernel, stride, dilation, 0, UNKNOWN)
    out = -(-size // stride)
    total = max(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return SlidingWindow(size, kernel, stride, dilation, total // 2, out)


def conv_windows(
    sizes: tuple[int, ...],
    kernels: tuple[int, ...],
    stride: Sequence[int] | None,
    dilation: Sequence[int] | None,
    pad_mode: str,
    pad_list: Sequence[int] | None,
) -> tuple[SlidingWindow, SlidingWindow]:
    """The windows of a convolution down and across, from its attributes.

    Args:
        sizes: rows and columns of the input.
        kernels: rows and columns of the kernel.
        stride, dilation: [h, w]; absent means 1.
        pad_mode: SAME works the padding out and ignores ``pad_list``; PAD and VALID both use ``pad_list``.
        pad_list: [up, down, left, right]; absent or shorter means zeros.

    Raises:
        KernelInputError: an input without rows or columns, attributes that do not fit, a kernel larger than the padded
            input.
    """
    check_pad_mode(pad_mode)
    if 0 in sizes:
        raise KernelInputError(f"x must have at least one row and one column, got {sizes}")
    strides, dilations = pair("stride", stride), pair("dilation", dilation)
    pads = pad_pairs("pad_list", pad_list)
    h, w = (
        same_window(sizes[i], kernels[i], strides[i], dilations[i])
        if pad_mode == "SAME"
        else padded_window(sizes[i], kernels[i], strides[i], dilations[i], pads[i])
        for i in (0, 1)
    )
    return h, w


def padded_window(size: int, kernel: int, stride: int, dilation: int, pads: tuple[int, int]) -> SlidingWindow:
    """As many windows as fit into an axis with ``pads`` before and after it.

    Raises:
        KernelInputError: none fits.
    """
    if UNKNOWN in (size, kernel):
        return SlidingWindow(size, kernel, stride, dilation, pads[0], UNKNOWN)
    extent = (kernel - 1) * dilation + 1
    room = size + sum(pads) - extent
    if room < 0:
        raise KernelInputError(f"the kernel spans {extent} elements, the padded input has only {size + sum(pads)}")
    return SlidingWindow(size, kernel, stride, dilation, pads[0], room // stride + 1)


def pad_spatial(x: Array, h: SlidingWindow, w: SlidingWindow, fill: float) -> Array:
    """The part of ``x`` (N, H, W, C) that the windows cover, with ``fill`` where they reach beyond it.

    Returns:
        (N, h.span, w.span, C): a view of ``x`` where no padding is needed, else a new contiguous array.
    """
    if h.before == w.before == 0 and h.span <= h.size and w.span <= w.size:
        return x[:, : h.span, : w.span]
    padded = np.full((x.shape[0], h.span, w.span, x.shape[3]), fill, dtype=x.dtype)
    inner = padded[:, h.before : h.before + h.size, w.before : w.before + w.size]
    inner[...] = x[:, : inner.shape[1], : inner.shape[2]]
    return padded


def window_view(padded: Array, h: SlidingWindow, w: SlidingWindow) -> Array:
    """Every window of ``padded`` (N, h.span, w.span, C): a read-only view (N, h.out, w.out, h.kernel, w.kernel, C)."""
    n, row, column, channel = padded.strides
    return as_strided(
        padded,
        (padded.shape[0], h.out, w.out, h.kernel, w.kernel, padded.shape[3]),
        (n, row * h.stride, column * w.stride, row * h.dilation, column * w.dilation, channel),
        writeable=False,
    )
