"""FakeQuantWithMinMaxVarsPerChannel: floats moved to the levels of a quantized range, one range per channel."""

from __future__ import annotations

import numpy as np

from ._channels import check_per_channel
from ._dtypes import FLOATS
from ._fake_quantization import check_attributes, fake_quantize
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise


@np.errstate(all="ignore")
def fake_quant_with_min_max_vars_per_channel(
    x: Array, low: Array, high: Array, *, num_bits: int = 0, narrow_range: bool = False
) -> Array:
    """``x`` on the ``2 ** num_bits`` levels of its channel's range; ``_fake_quantization.py`` has the formulas.

    NOTE: ``num_bits`` is 0 where a file does not give it, which is rejected; TensorFlow's default is 8.

    Args:
        x: (..., C), float.
        low: (C,), any float dtype.
        high: (C,), each above its ``low``, or 0 as it; any float dtype.
        num_bits: 2 to 16.
        narrow_range: whether the lowest level is left out.

    Returns:
        The shape and dtype of ``x``; NaN stays NaN. float16 is computed in float32.

    Raises:
        KernelInputError: a range is empty or upside down.
    """
    return elementwise(lambda v: fake_quantize(v, low, high, num_bits, narrow_range), x)


def infer_fake_quant_with_min_max_vars_per_channel(
    x: ArraySpec, low: ArraySpec, high: ArraySpec, *, num_bits: int
) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for dtypes, bits or ranges that do not fit."""
    check_per_channel(x, min=low, max=high)
    check_attributes(x, low, high, num_bits)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel(
    "FakeQuantWithMinMaxVarsPerChannel",
    fake_quant_with_min_max_vars_per_channel,
    infer_fake_quant_with_min_max_vars_per_channel,
    FLOATS,
)
