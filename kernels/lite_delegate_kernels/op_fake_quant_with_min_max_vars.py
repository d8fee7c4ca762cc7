"""FakeQuantWithMinMaxVars: floats moved to the levels of a quantized range, one range for all."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._fake_quantization import check_attributes, fake_quantize
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import vector_length
from ._unary import elementwise


@np.errstate(all="ignore")
def fake_quant_with_min_max_vars(
    x: Array, low: Array, high: Array, *, num_bits: int = 0, narrow_range: bool = False
) -> Array:
    """``x`` on the ``2 ** num_bits`` levels from ``low`` to ``high``; ``_fake_quantization.py`` has the formulas.

    NOTE: ``num_bits`` is 0 where a file does not give it, which is rejected; TensorFlow's default is 8.

    Args:
        x: any shape, float.
        low: one number, any float dtype.
        high: one number above ``low``, or 0 as it; any float dtype.
        num_bits: 2 to 16.
        narrow_range: whether the lowest level is left out.

    Returns:
        The shape and dtype of ``x``; NaN stays NaN. float16 is computed in float32.

    Raises:
        KernelInputError: the range is empty or upside down.
    """
    lowest, highest = low.reshape(()), high.reshape(())
    y = elementwise(lambda v: fake_quantize(v, lowest, highest, num_bits, narrow_range), x.reshape(-1))
    return y.reshape(x.shape)


def infer_fake_quant_with_min_max_vars(x: ArraySpec, low: ArraySpec, high: ArraySpec, *, num_bits: int) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for dtypes, bits or a range that do not fit."""
    for name, spec in (("min", low), ("max", high)):
        if vector_length(spec) not in (None, 1):
            raise KernelInputError(f"{name} must hold exactly one value, got shape {spec.shape}")
    check_attributes(x, low, high, num_bits)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel(
    "FakeQuantWithMinMaxVars", fake_quant_with_min_max_vars, infer_fake_quant_with_min_max_vars, FLOATS
)
