"""Spectrograms of sounds, and their cepstral coefficients."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import AudioSpectrogram, Mfcc
from ....semantics.operands import primitive_of, required
from ....tensors.tensor import Array
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .elementwise import cast, where_a_number
from .reshaping import reshaped
from .results import as_model, given_shape
from .spectra import check_factors, frames

FLOOR = 1e-12
"""The least of a band, whose logarithm is finite; TensorFlow's."""


def lower_audio_spectrogram(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Magnitudes of the transforms of windows: two convolutions along the sound, by cosines and by sines."""
    primitive, x = primitive_of(kernel, AudioSpectrogram), lowering.value(required(kernel, 0))
    samples, channels = x.shape
    _, windows, bins = given_shape(kernel)
    size = primitive.window_size
    check_factors(2 * size * bins)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    waves = np.fft.rfft(np.diag(hann), n=2 * (bins - 1))
    image = lowering.in_order(reshaped(lowering, x, (samples, channels, 1)), (1, 2, 0))
    squares = []
    for part in (waves.real, waves.imag):
        y = frames(lowering, image, part.T[:, None], primitive.stride, windows)
        squares.append(lowering.emit("Mul", [y, y], y.dtype, y.shape))
    total = lowering.emit("Add", squares, x.dtype, squares[0].shape)
    term = total if primitive.mag_square else lowering.emit("Sqrt", [total], x.dtype, total.shape)
    return Lowered((channels, windows, bins), x.dtype, (0, 2, 1), term)


def lower_mfcc(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Mel bands of square roots, and cosines of their logarithms: products with two constants."""
    primitive, x = primitive_of(kernel, Mfcc), lowering.value(required(kernel, 0))
    rate = required(kernel, 1)
    wanted(rate.is_const, RejectCode.NOT_CONSTANT, "the sample rate must be constant", f"'{rate.name}' is not")
    bank = _bands(primitive, x.shape[2], float(rate.data.reshape(())))
    dtype = np.promote_types(x.dtype, np.float32)  # the least of a band is smaller than all of float16
    y = cast(lowering, lowering.in_order(x), dtype)
    y = lowering.emit("Sqrt", [y], dtype, y.shape)
    used = bank.any(axis=1)  # a root that is NaN counts in bands that it has weight in
    if not used.all():
        shape = (*y.shape[:-1], int(used.sum()))
        y = lowering.emit("Gather", [y, lowering.ints(np.flatnonzero(used).tolist())], dtype, shape, axis=2)
    bands = _times(lowering, y, bank[used])
    most = lowering.emit("Max", [bands, lowering.scalar(FLOOR, dtype)], dtype, bands.shape)
    y = lowering.emit("Log", [where_a_number(lowering, bands, most)], dtype, bands.shape)
    y = _times(lowering, y, _cosines(primitive))
    return as_model(cast(lowering, y, x.dtype))


def _bands(primitive: Mfcc, bins: int, rate: float) -> Array:
    """The weight of each frequency in each band (bins, bands): triangles over three neighbors on the mel scale.

    As TensorFlow has them, ``mfcc_mel_filterbank.cc``: the lowest frequency is rounded up by half a bin, and the
    constant part is left out.

    Raises:
        NotLowered: the spectrum ends below the last band.
    """
    step, count = rate / 2 / (bins - 1), primitive.filter_bank_channel_num
    first, last = int(1.5 + primitive.freq_lower_limit / step), int(primitive.freq_upper_limit / step)
    wanted(last < bins, RejectCode.ATTRIBUTE, "bands end in the spectrum", f"of {bins} bins, ends in bin {last}")
    edges = np.linspace(_mel(primitive.freq_lower_limit), _mel(primitive.freq_upper_limit), count + 2)
    mels = _mel(np.arange(bins) * step)[:, None]
    weights = 1 - np.abs(mels - edges[1:-1]) / (edges[1] - edges[0])
    inside = (np.arange(bins) >= first) & (np.arange(bins) <= last)
    return np.asarray(np.maximum(weights, 0) * inside[:, None])


def _mel(hertz: float | Array) -> Array:
    return np.asarray(1127 * np.log1p(np.asarray(hertz) / 700))


def _cosines(primitive: Mfcc) -> Array:
    """The cosine transform (bands, coefficients), orthonormal but for its first coefficient."""
    bands, coefficients = primitive.filter_bank_channel_num, primitive.dct_coeff_num
    angles = np.pi / bands * np.outer(np.arange(bands) + 0.5, np.arange(coefficients))
    return np.asarray(np.sqrt(2 / bands) * np.cos(angles))


def _times(lowering: Lowering, x: Term, matrix: Array) -> Term:
    factor = lowering.array(matrix.astype(x.dtype))
    return lowering.emit("MatMul", [x, factor], x.dtype, (*x.shape[:-1], matrix.shape[1]))


LOWERINGS = {"AudioSpectrogram": lower_audio_spectrogram, "Mfcc": lower_mfcc}
