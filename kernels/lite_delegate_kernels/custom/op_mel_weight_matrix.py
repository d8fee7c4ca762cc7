"""MelWeightMatrix: the weights that take a spectrum to bands of the mel scale."""

from __future__ import annotations

import numpy as np

from .._dtypes import INTS, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import one_integer
from .element_types import dtype_of_elem_type


def mel_weight_matrix(
    num_mel_bins: Array,
    dft_length: Array,
    sample_rate: Array,
    lower_edge_hertz: Array,
    upper_edge_hertz: Array,
    *,
    output_datatype: int = 1,
) -> Array:
    """Triangles over neighboring bands, as ONNX's reference has them.

    Returns:
        (dft_length // 2 + 1, num_mel_bins) of the element type with ONNX's number ``output_datatype``.
    """
    bands, length, rate = (
        one_integer(x, name)
        for x, name in ((num_mel_bins, "num_mel_bins"), (dft_length, "dft_length"), (sample_rate, "sample_rate"))
    )
    if min(bands, length, rate) < 1:
        raise KernelInputError(f"bins, length and rate must be at least 1, got {bands}, {length}, {rate}")
    low, high = (2595 * np.log10(1 + float(edge.reshape(-1)[0]) / 700) for edge in (lower_edge_hertz, upper_edge_hertz))
    mels = np.arange(bands + 2) * (high - low) / (bands + 2) + low
    bins = np.floor((length + 1) * (700 * (10 ** (mels / 2595) - 1)) / rate).astype(np.int64)
    y = np.zeros((length // 2 + 1, bands))
    if bins.min() < 0 or bins.max() > len(y):
        raise KernelInputError(f"edges {float(low)} to {float(high)} mel lie outside of the spectrum")
    for band, (left, middle, right) in enumerate(zip(bins[:-2], bins[1:-1], bins[2:], strict=True)):
        if left == middle:
            y[middle, band] = 1
        else:
            rising = np.arange(left, min(middle + 1, len(y)))
            y[rising, band] = (rising - left) / (middle - left)
        falling = np.arange(middle, right)
        y[falling, band] = (right - falling) / max(right - middle, 1)
    return y.astype(dtype_of_elem_type(output_datatype))


def infer_mel_weight_matrix(
    num_mel_bins: ArraySpec,
    dft_length: ArraySpec,
    sample_rate: ArraySpec,
    lower_edge_hertz: ArraySpec,
    upper_edge_hertz: ArraySpec,
    *,
    output_datatype: int,
) -> ArraySpec:
    """(dft_length // 2 + 1, num_mel_bins), as far as these are known."""
    check_dtype(num_mel_bins, INTS)
    length = UNKNOWN if dft_length.value is None else one_integer(dft_length.value, "dft_length") // 2 + 1
    bands = UNKNOWN if num_mel_bins.value is None else one_integer(num_mel_bins.value, "num_mel_bins")
    return ArraySpec(dtype_of_elem_type(output_datatype), (length, bands))


KERNEL = ReferenceKernel("ai.onnx.MelWeightMatrix", mel_weight_matrix, infer_mel_weight_matrix, INTS)
