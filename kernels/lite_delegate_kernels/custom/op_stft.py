"""STFT: the Fourier transforms of frames of a signal."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import check_rank, one_integer


def stft(
    signal: Array,
    frame_step: Array,
    window: Array | None = None,
    frame_length: Array | None = None,
    *,
    onesided: int = 1,
) -> Array:
    """The transform of each frame of ``signal``, times ``window``; computed in float64.

    Args:
        signal: (N, L, 1) real numbers or (N, L, 2) pairs of real and imaginary part, float; also (N, L) real numbers.
        frame_step: from frame to frame.
        window: (length of a frame,).
        frame_length: that of ``window`` where absent, and of the signal without one.
        onesided: only the first half of the frequencies.

    Returns:
        (N, frames, frequencies, 2).
    """
    length, step = _length(signal, window, frame_length), one_integer(frame_step, "frame_step")
    frames = _frames(signal.shape[1], length, step)
    parts = signal.reshape(*signal.shape[:2], -1).astype(np.float64)
    numbers = parts[..., 0] if parts.shape[2] == 1 else parts[..., 0] + 1j * parts[..., 1]
    places = np.arange(frames)[:, None] * step + np.arange(length)
    y = np.fft.fft(numbers[:, places] * (1.0 if window is None else window.astype(np.float64)))
    if onesided:
        y = y[..., : length // 2 + 1]
    return np.stack([y.real, y.imag], axis=-1).astype(signal.dtype)


def infer_stft(
    signal: ArraySpec,
    frame_step: ArraySpec,
    window: ArraySpec | None = None,
    frame_length: ArraySpec | None = None,
    *,
    onesided: int,
) -> ArraySpec:
    """(N, frames, frequencies, 2), as far as the operands are known; raises KernelInputError where they do not fit."""
    check_dtype(signal, FLOATS)
    check_rank(signal, 2, 3, "signal")
    batch, size, last = (UNKNOWN, UNKNOWN, UNKNOWN) if signal.shape is None else (*signal.shape, 1)[:3]
    if last not in (1, 2, UNKNOWN):
        raise KernelInputError(f"the last dimension must be 1 or 2, got shape {signal.shape}")
    length = UNKNOWN
    if frame_length is not None and frame_length.value is not None:
        length = one_integer(frame_length.value, "frame_length")
    elif frame_length is None and window is not None:
        length = UNKNOWN if window.shape is None else window.shape[0]
    elif frame_length is None:
        length = size
    bins = length // 2 + 1 if onesided and length != UNKNOWN else length
    frames = UNKNOWN
    if frame_step.value is not None and UNKNOWN not in (size, length):
        frames = _frames(size, length, one_integer(frame_step.value, "frame_step"))
    return ArraySpec(signal.dtype, (batch, frames, bins, 2))


def _length(signal: Array, window: Array | None, frame_length: Array | None) -> int:
    if frame_length is not None:
        return one_integer(frame_length, "frame_length")
    return signal.shape[1] if window is None else len(window)


def _frames(size: int, length: int, step: int) -> int:
    if not 1 <= length <= size or step < 1:
        raise KernelInputError(f"frames of {length} every {step} do not fit a signal of {size}")
    return 1 + (size - length) // step


KERNEL = ReferenceKernel("ai.onnx.STFT", stft, infer_stft, FLOATS)
