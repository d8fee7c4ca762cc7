"""AudioSpectrogram: how strong each frequency is in each stretch of a sound."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel


@np.errstate(all="ignore")
def audio_spectrogram(x: Array, *, window_size: int = 0, stride: int = 0, mag_square: bool = False) -> Array:
    """The magnitudes of the Fourier transforms of windows of ``x``, as TensorFlow's AudioSpectrogram defines them.

    Each window is multiplied by a periodic Hann window, ``0.5 - 0.5 * cos(2 pi t / window_size)``, and filled up with
    zeros to the next power of two.

    Args:
        x: (samples, channels), float.
        window_size: samples of a window, at least 2.
        stride: samples from one window to the next, at least 1.
        mag_square: whether magnitudes are squared.

    Returns:
        (channels, windows, bins) in the dtype of ``x``, computed in float64 as in TensorFlow. A window that does not
        fit into ``x`` is left out; bins is half the filled-up length plus 1.
    """
    if x.shape[0] < window_size:
        return np.zeros((x.shape[1], 0, _bins(window_size)), dtype=x.dtype)
    windows = np.lib.stride_tricks.sliding_window_view(x.T.astype(np.float64), window_size, axis=1)[:, ::stride]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    spectrum = np.fft.rfft(windows * hann, n=2 * (_bins(window_size) - 1), axis=2)
    squares: Array = np.square(spectrum.real) + np.square(spectrum.imag)
    return (squares if mag_square else np.sqrt(squares)).astype(x.dtype)


def infer_audio_spectrogram(x: ArraySpec, *, window_size: int, stride: int) -> ArraySpec:
    """(channels, windows, bins); raises KernelInputError for a rank other than 2, or a window or stride too small."""
    check_dtype(x, FLOATS)
    if window_size < 2:
        raise KernelInputError(f"window_size must be at least 2, got {window_size}")
    if stride < 1:
        raise KernelInputError(f"stride must be at least 1, got {stride}")
    samples, channels = expect_shape("input 0", x, (UNKNOWN, UNKNOWN))
    windows = UNKNOWN if samples == UNKNOWN else max(0, (samples - window_size) // stride + 1)
    return ArraySpec(x.dtype, (channels, windows, _bins(window_size)))


def _bins(window_size: int) -> int:
    length = 1 << (window_size - 1).bit_length()
    return length // 2 + 1


KERNEL = ReferenceKernel("AudioSpectrogram", audio_spectrogram, infer_audio_spectrogram, FLOATS)
