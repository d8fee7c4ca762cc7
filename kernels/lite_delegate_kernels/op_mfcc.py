"""Mfcc: mel-frequency cepstral coefficients of a spectrogram."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import FLOATS, INTS, check_dtype
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import vector_length

_FLOOR = 1e-12
"""The least energy of a mel band, so that its logarithm is finite."""


@np.errstate(all="ignore")
def mfcc(
    spectrogram: Array,
    sample_rate: Array,
    *,
    freq_upper_limit: float = 0.0,
    freq_lower_limit: float = 0.0,
    filter_bank_channel_num: int = 0,
    dct_coeff_num: int = 0,
) -> Array:
    """The cosine transform of the logarithms of mel bands, as TensorFlow's Mfcc defines it.

    A band adds up the square roots of the spectrogram's values with weights that fall to both sides of its center, on
    the mel scale, ``1127 * ln(1 + hertz / 700)``, reaching 0 at the centers of its neighbors. The transform is the
    orthonormal DCT-II but for its first coefficient: ``sqrt(2 / bands) * sum b_j * cos(pi / bands * i * (j + 0.5))``.

    Args:
        spectrogram: (channels, windows, bins), float: squared magnitudes of frequencies from 0 to half the rate.
        sample_rate: one number, in hertz.
        freq_upper_limit: where the last band ends, in hertz.
        freq_lower_limit: where the first band starts, in hertz.
        filter_bank_channel_num: how many bands.
        dct_coeff_num: how many coefficients, at most as many as bands.

    Returns:
        (channels, windows, dct_coeff_num) in the dtype of ``spectrogram``, computed in float64 as in TensorFlow.

    Raises:
        KernelInputError: the upper limit lies above half the sample rate by a bin or more.
    """
    rate = float(sample_rate.reshape(()))
    limits = freq_lower_limit, freq_upper_limit
    bank = _mel_bank(spectrogram.shape[2], rate, limits, filter_bank_channel_num)
    # Bins of no weight are left out altogether: infinity times 0 would be NaN.
    used = bank.any(axis=1)
    bands = np.sqrt(spectrogram[:, :, used].astype(np.float64)) @ bank[used]
    logs = np.log(np.maximum(bands, _FLOOR))
    y: Array = logs @ _cosines(filter_bank_channel_num, dct_coeff_num)
    return y.astype(spectrogram.dtype)


def infer_mfcc(
    spectrogram: ArraySpec,
    sample_rate: ArraySpec,
    *,
    freq_upper_limit: float,
    freq_lower_limit: float,
    filter_bank_channel_num: int,
    dct_coeff_num: int,
) -> ArraySpec:
    """(channels, windows, dct_coeff_num); raises KernelInputError for shapes or attributes that do not fit."""
    check_dtype(spectrogram, FLOATS)
    check_dtype(sample_rate, (*FLOATS, *INTS), "sample_rate")
    if vector_length(sample_rate) not in (None, 1):
        raise KernelInputError(f"sample_rate must hold one value, got shape {sample_rate.shape}")
    if not 0 <= freq_lower_limit < freq_upper_limit:
        raise KernelInputError(f"limits must be rising from 0 on, got {freq_lower_limit} to {freq_upper_limit}")
    if not 1 <= dct_coeff_num <= filter_bank_channel_num:
        raise KernelInputError(
            f"dct_coeff_num must be in 1..{filter_bank_channel_num}, the number of bands, got {dct_coeff_num}"
        )
    channels, windows, bins = expect_shape("input 0", spectrogram, (UNKNOWN,) * 3)
    if UNKNOWN != bins < 2:
        raise KernelInputError(f"input 0 must have at least 2 bins, got {bins}")
    return ArraySpec(spectrogram.dtype, (channels, windows, dct_coeff_num))


def _mel_bank(bins: int, rate: float, limits: tuple[float, float], bands: int) -> Array:
    """The weight of each bin in each band, (bins, bands)."""
    step = rate / 2 / (bins - 1)
    # TensorFlow leaves out the constant part, and rounds the first bin up by half a bin.
    first, last = int(1.5 + limits[0] / step), int(limits[1] / step)
    if last >= bins:
        raise KernelInputError(f"freq_upper_limit {limits[1]} is above half the sample rate {rate}")
    low, high = (_mel(limit) for limit in limits)
    spacing = (high - low) / (bands + 1)
    centers = low + spacing * np.arange(1, bands + 1)
    distances = np.abs(1127 * np.log1p(np.arange(bins) * step / 700)[:, None] - centers) / spacing
    weights = np.maximum(1 - distances, 0)
    weights[:first] = weights[last + 1 :] = 0
    return np.asarray(weights)


def _mel(hertz: float) -> float:
    return 1127 * math.log1p(hertz / 700)


def _cosines(bands: int, coefficients: int) -> Array:
    angles = np.pi / bands * np.outer(np.arange(bands) + 0.5, np.arange(coefficients))
    return np.asarray(math.sqrt(2 / bands) * np.cos(angles))


KERNEL = ReferenceKernel("Mfcc", mfcc, infer_mfcc, FLOATS)
