"""DFT: the discrete Fourier transform of real or complex numbers along an axis, and the way back."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import axis_of, check_rank, one_integer


def dft(
    x: Array,
    dft_length: Array | None = None,
    axis_operand: Array | None = None,
    *,
    axis: int = -2,
    inverse: int = 0,
    onesided: int = 0,
) -> Array:
    """The transform of ``x``, computed in float64.

    Args:
        x: (..., 1) real numbers or (..., 2) pairs of real and imaginary part, float.
        dft_length: the length along the axis, to which ``x`` is cut or filled with zeros; that of ``x`` where absent.
        axis_operand: one integer, in place of the attribute ``axis``, which older versions have.
        onesided: only the first half of the frequencies, which tells all of real numbers; ``inverse`` reads that.

    Returns:
        (..., 2) pairs, or (..., 1) for ``inverse`` with ``onesided``.
    """
    place = _axis(x.ndim, axis if axis_operand is None else one_integer(axis_operand, "axis"))
    numbers = x[..., 0].astype(np.float64) if x.shape[-1] == 1 else x[..., 0] + 1j * x[..., 1].astype(np.float64)
    length = _length(x.shape[place], inverse, onesided) if dft_length is None else one_integer(dft_length, "dft_length")
    _check(length)
    if inverse and onesided:
        return np.fft.irfft(numbers, length, place)[..., None].astype(x.dtype)
    y = np.fft.ifft(numbers, length, place) if inverse else np.fft.fft(numbers, length, place)
    if onesided:
        y = np.take(y, np.arange(length // 2 + 1), place)
    return np.stack([y.real, y.imag], axis=-1).astype(x.dtype)


def infer_dft(
    x: ArraySpec,
    dft_length: ArraySpec | None = None,
    axis_operand: ArraySpec | None = None,
    *,
    axis: int,
    inverse: int,
    onesided: int,
) -> ArraySpec:
    """The shape, as far as axis and length are known; raises KernelInputError for shapes that do not fit."""
    check_dtype(x, FLOATS)
    check_rank(x, 2)
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    if x.shape[-1] not in (1, 2, UNKNOWN):
        raise KernelInputError(f"the last dimension must be 1 or 2, got shape {x.shape}")
    last = 1 if inverse and onesided else 2
    if axis_operand is not None:
        if axis_operand.value is None:
            return ArraySpec(x.dtype, (*(UNKNOWN,) * (len(x.shape) - 1), last))
        axis = one_integer(axis_operand.value, "axis")
    place = _axis(len(x.shape), axis)
    length = UNKNOWN
    if dft_length is None and x.shape[place] != UNKNOWN:
        length = _length(x.shape[place], inverse, onesided)
    elif dft_length is not None and dft_length.value is not None:
        length = one_integer(dft_length.value, "dft_length")
    if length != UNKNOWN:
        _check(length)
    size = length // 2 + 1 if onesided and not inverse and length != UNKNOWN else length
    return ArraySpec(x.dtype, (*x.shape[:place], size, *x.shape[place + 1 : -1], last))


def _axis(rank: int, axis: int) -> int:
    place = axis_of(axis, rank)
    if place == rank - 1:
        raise KernelInputError(f"axis {axis} is the one of real and imaginary parts")
    return place


def _check(length: int) -> None:
    if length < 1:
        raise KernelInputError(f"dft_length must be at least 1, got {length}")


def _length(size: int, inverse: int, onesided: int) -> int:
    return 2 * (size - 1) if inverse and onesided else size


KERNEL = ReferenceKernel("ai.onnx.DFT", dft, infer_dft, FLOATS)
