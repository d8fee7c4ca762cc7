"""FftImag: the imaginary part of complex numbers."""

from __future__ import annotations

from ._complex import infer_part
from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel


def fft_imag(x: Array) -> Array:
    """The imaginary part of each pair.

    Args:
        x: (..., 2), float: real and imaginary part, as Rfft gives them.

    Returns:
        (...) in the dtype of ``x``.

    NOTE: the pairs stand for a complex type, which kernels do not know; see Rfft.
    """
    part: Array = x[..., 1]
    return part


def infer_fft_imag(x: ArraySpec) -> ArraySpec:
    """The shape of ``x`` without its last dim; raises KernelInputError unless that is 2."""
    return infer_part(x)


KERNEL = ReferenceKernel("FftImag", fft_imag, infer_fft_imag, FLOATS)
