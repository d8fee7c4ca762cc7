"""Fourier transforms: linear maps of numbers whose count is known, and so products with a matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import Rfft
from ....semantics.operands import primitive_of, required
from ....tensors.tensor import Array, Tensor
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .onnx_operators import attributes_of, operands_of
from .reshaping import reshaped
from .results import as_model, given_shape

MOST_FACTORS = 2**23
"""Of a matrix: 32 MiB of float32, which transform 1,448 pairs, or 2,895 numbers to one side of their spectrum."""


def lower_dft(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The transform along an axis; all other axes are rows of the product."""
    x, length, place = (*operands_of(kernel), None, None)[:3]
    assert x is not None
    given, value = dict(attributes_of(kernel)), lowering.value(x)
    axis = (int(given.pop("axis", -2)) if place is None else int(_known(place, "the axis"))) % value.rank
    inverse, onesided = (int(given.get(name, 0)) for name in ("inverse", "onesided"))
    last, (pairs, made) = value.rank - 1, (value.shape[-1], given_shape(kernel))
    units = _units(value.shape[axis], pairs, made[axis] * made[last])
    whole = 2 * (units.shape[1] - 1) if inverse and onesided else units.shape[1]
    size = whole if length is None else int(_known(length, "the length"))
    matrix = _transformed(units, size, inverse=inverse, onesided=onesided)
    return _product(lowering, value, axis, matrix.reshape(len(units), -1), made)


def lower_rfft(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The transform of real numbers along the last axis, as pairs."""
    x, made = lowering.value(required(kernel, 0)), given_shape(kernel)
    units = _units(x.shape[-1], 1, math.prod(made[-2:]))
    matrix = _transformed(units, primitive_of(kernel, Rfft).fft_length, onesided=1)
    return _product(lowering, _pairs(lowering, x, x.rank + 1), x.rank - 1, matrix.reshape(len(units), -1), made)


def lower_stft(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The transforms of frames: a convolution along the signal, one filter for each number of a spectrum."""
    signal, step, window, length = (*operands_of(kernel), None, None)[:4]
    assert signal is not None
    assert step is not None
    x, (batch, count, bins, parts) = _pairs(lowering, lowering.value(signal), 3), given_shape(kernel)
    onesided = int(attributes_of(kernel).get("onesided", 1))
    weights = None if window is None else _known(window, "the window")
    size = x.shape[1] if weights is None else len(weights)
    size = size if length is None else int(_known(length, "the length of a frame"))
    units = _units(size, x.shape[2], bins * parts)
    matrix = _transformed(units if weights is None else units * weights[:, None], size, onesided=onesided)
    filters = matrix.reshape(size, x.shape[2], bins * parts).transpose(2, 1, 0)
    y = frames(lowering, lowering.in_order(x, (0, 2, 1)), filters, int(_known(step, "the step")), count)
    lies = (batch, bins, parts, count)
    term = lowering.emit("Reshape", [y, lowering.ints(lies)], x.dtype, lies)
    return Lowered(given_shape(kernel), x.dtype, (0, 2, 3, 1), term)


def lower_part(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The real or the imaginary part of pairs."""
    x, position = lowering.value(required(kernel, 0)), int(kernel.type == "FftImag")
    operands = [lowering.in_order(x), lowering.scalar(position, np.dtype(np.int64))]
    return as_model(lowering.emit("Gather", operands, x.dtype, given_shape(kernel), axis=x.rank - 1))


def _transformed(x: Array, length: int, *, inverse: int = 0, onesided: int = 0) -> Array:
    """The spectra (n, frequencies, 2) of signals (n, t, 1 or 2), or the signals of spectra.

    Real signals, (n, length, 1), of one side of spectra.
    """
    numbers = x[..., 0] if x.shape[2] == 1 else x[..., 0] + 1j * x[..., 1]
    if inverse and onesided:
        return np.asarray(np.fft.irfft(numbers, length, 1)[..., None])
    y = (np.fft.ifft if inverse else np.fft.fft)(numbers, length, 1)
    kept = y[:, : length // 2 + 1] if onesided else y
    return np.stack([kept.real, kept.imag], axis=-1)


def _pairs(lowering: Lowering, x: Lowered, rank: int) -> Lowered:
    """Real numbers as pairs with an imaginary part of 0."""
    return x if x.rank == rank else reshaped(lowering, x, (*x.shape, 1))


def frames(lowering: Lowering, x: Term, filters: Array, step: int, count: int) -> Term:
    """The sums of frames of signals (N, C, L) by filters (K, C, size), every ``step`` numbers: (N, K, count)."""
    operands = [x, lowering.array(np.ascontiguousarray(filters.astype(x.dtype)))]
    window: dict[str, Sequence[int]] = {"kernel_shape": filters.shape[2:], "strides": (step,), "dilations": (1,)}
    return lowering.emit("Conv", operands, x.dtype, (x.shape[0], len(filters), count), group=1, pads=(0, 0), **window)


def check_factors(factors: int) -> None:
    """Checks that a transform's matrix has not too many factors.

    Raises:
        NotLowered: it does.
    """
    rule = f"at most {MOST_FACTORS:,} factors in a transform"
    wanted(factors <= MOST_FACTORS, RejectCode.SHAPE, rule, f"has {factors:,}")


def _units(count: int, parts: int, made: int) -> Array:
    """All signals (count * parts, count, parts) of a single 1: the results of a linear map for them are its matrix.

    Raises:
        NotLowered: the matrix would be too large.
    """
    check_factors(count * parts * made)
    return np.eye(count * parts).reshape(count * parts, count, parts)


def _known(tensor: Tensor | None, what: str) -> Array:
    """The contents of an operand that must be constant.

    Raises:
        NotLowered: it is not.
    """
    is_there = tensor is not None and tensor.is_const
    wanted(is_there, RejectCode.NOT_CONSTANT, f"{what} must be constant", "" if tensor is None else f"'{tensor.name}'")
    assert tensor is not None
    return np.asarray(tensor.data)


def _product(lowering: Lowering, x: Lowered, axis: int, matrix: Array, shape: tuple[int, ...]) -> Lowered:
    """A matrix, from numbers along an axis and the last one to as many as the result has along these."""
    order = (*(i for i in range(x.rank - 1) if i != axis), axis, x.rank - 1)
    rows = math.prod(x.shape[i] for i in order[:-2])
    source = lowering.emit(
        "Reshape", [lowering.in_order(x, order), lowering.ints((rows, len(matrix)))], x.dtype, (rows, len(matrix))
    )
    wide = (rows, matrix.shape[1])
    y = lowering.emit("MatMul", [source, lowering.array(matrix.astype(x.dtype))], x.dtype, wide)
    lies = tuple(shape[i] for i in order)
    return Lowered(shape, x.dtype, order, lowering.emit("Reshape", [y, lowering.ints(lies)], x.dtype, lies))


LOWERINGS = {
    "ai.onnx.DFT": lower_dft,
    "ai.onnx.STFT": lower_stft,
    "Rfft": lower_rfft,
    "FftReal": lower_part,
    "FftImag": lower_part,
}
