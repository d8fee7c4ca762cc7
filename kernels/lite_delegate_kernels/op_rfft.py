"""Rfft: the discrete Fourier transform of real signals, its non-negative frequencies."""

from __future__ import annotations

import numpy as np

from ._dtypes import check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel

_DTYPES = ("float32", "float64")


@np.errstate(all="ignore")
def rfft(x: Array, *, fft_length: int = 0) -> Array:
    """``sum over t of x[t] * exp(-2 pi i k t / fft_length)`` along the last dim, for k = 0 .. ``fft_length // 2``.

    Args:
        x: (..., T), float32 or float64; cut off at ``fft_length``, or filled up with zeros.
        fft_length: at least 1.

    Returns:
        (..., fft_length // 2 + 1, 2) in the dtype of ``x``: real and imaginary part.

    NOTE: MindSpore Lite's shape inference appends the dim of 2 as well, and calls the type complex64. Kernels here
    know no complex type; FftReal and FftImag take the dim away again.
    """
    spectrum = np.fft.rfft(x, n=fft_length, axis=-1)
    return np.stack([spectrum.real, spectrum.imag], axis=-1).astype(x.dtype, copy=False)


def infer_rfft(x: ArraySpec, *, fft_length: int) -> ArraySpec:
    """(..., fft_length // 2 + 1, 2); raises KernelInputError for rank 0 and a length below 1."""
    check_dtype(x, _DTYPES)
    if fft_length < 1:
        raise KernelInputError(f"fft_length must be at least 1, got {fft_length}")
    if x.rank == 0:
        raise KernelInputError("input 0 must have at least one dim, got rank 0")
    return ArraySpec(x.dtype, None if x.shape is None else (*x.shape[:-1], fft_length // 2 + 1, 2))


KERNEL = ReferenceKernel("Rfft", rfft, infer_rfft, _DTYPES)
