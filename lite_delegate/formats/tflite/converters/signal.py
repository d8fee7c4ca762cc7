"""Fourier transforms. Complex numbers are pairs on a last dimension of 2."""

from __future__ import annotations

from ....ir import DataType
from ...rejection import Why
from ..conversion import Converter, OperatorConversion


def rfft_2d(c: OperatorConversion) -> None:
    """Rfft over the last dimension; the first length must be 1, over a dimension of 1."""
    lengths = c.integers(1, "the transform's lengths")
    fits = len(lengths) == 2 and lengths[0] == 1 and c.dim(c.x(), -2) == 1
    reason = f"the first length must be 1, over a dimension of 1; found lengths {lengths} of {c.x().shape}"
    c.reject_unless(fits, Why.ATTRIBUTE, reason)
    c.node("Rfft", [c.x()], c.y(), fft_length=lengths[1])


def part(op_type: str) -> Converter:
    """A converter to FftReal or FftImag."""

    def convert(c: OperatorConversion) -> None:
        c.reject_unless(c.x() in c.operator.tensors.complex, Why.DTYPE, "the input must be of COMPLEX64")
        c.node(op_type, [c.x()], c.y())

    convert.__doc__ = f"{op_type} of complex numbers."
    return convert


def complex_abs(c: OperatorConversion) -> None:
    """ReduceFusion L2 over the two parts of each number."""
    c.reject_unless(c.x() in c.operator.tensors.complex, Why.DTYPE, "the input must be of COMPLEX64")
    c.reject_unless(c.y().dtype == DataType.FLOAT32, Why.DTYPE, f"the output must be FLOAT32, is {c.y().dtype.name}")
    c.node("ReduceFusion", [c.x(), c.constant("axis", [-1])], c.y(), mode="ReduceL2", keep_dims=False)


CONVERTERS: dict[str, Converter] = {
    "RFFT2D": rfft_2d,
    "REAL": part("FftReal"),
    "IMAG": part("FftImag"),
    "COMPLEX_ABS": complex_abs,
}
"""Converters of this file by the schema's names."""
COMPLEX = frozenset(CONVERTERS)
"""Operators that may read or give complex numbers."""
