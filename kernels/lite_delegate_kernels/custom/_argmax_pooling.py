"""Shared by MediaPipe's pooling with places: the windows, as TensorFlow Lite lays them."""

from __future__ import annotations

from collections.abc import Sequence

from .._kernel import UNKNOWN, KernelInputError

POOLING_DTYPES = ("float32",)


def padded_before(count: int, size: int, window: int, stride: int) -> int:
    """The padding in front of an axis of ``size`` for ``count`` windows."""
    return max(0, ((count - 1) * stride + window - size) // 2)


def window_count(size: int, window: int, stride: int, pad_mode: str) -> int:
    """The number of windows of an axis."""
    if size == UNKNOWN:
        return UNKNOWN
    return -(-size // stride) if pad_mode == "SAME" else (size - window + stride) // stride


def check_windows(kernel_size: Sequence[int], strides: Sequence[int]) -> None:
    """Raises KernelInputError unless both are two numbers of at least 1."""
    if any(len(each) != 2 or min(each) < 1 for each in (kernel_size, strides)):
        found = f"{list(kernel_size)} and {list(strides)}"
        raise KernelInputError(f"kernel_size and strides must be two numbers of at least 1, got {found}")
