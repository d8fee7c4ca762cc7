"""QuantDTypeCast: real numbers to integers of 8 bits in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dtypes import dtype_of_type_id
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._quantization import NodeQuantization
from lite_delegate_kernels.op_quant_dtype_cast import KERNEL as REFERENCE

from .fast_kernel import Inputs, fast_form

BLOCK = 1 << 14
"""The elements that are converted at a time: 128 KiB of float64 stay in a core's second-level cache."""


def bind(inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    """The function of a node that makes int8 of float32 by one scale; None for other nodes."""
    x, quantization = inputs[0], attributes["quantization"]
    assert isinstance(quantization, NodeQuantization)
    output = quantization.outputs[0] if quantization.outputs else None
    target = dtype_of_type_id(attributes["dst_t"])
    if x is None or x.dtype_name != "float32" or target != np.int8 or output is None or not output.is_per_tensor:
        return None
    return partial(_quantized, output.scales[0], float(output.zero_points[0]))


@np.errstate(all="ignore")
def _quantized(scale: float, zero_point: float, x: Array) -> Array:
    """As ``quantize`` of the reference kernels: in float64, halves away from zero, NaN as the zero point."""
    flat = np.ascontiguousarray(x).reshape(-1)
    out = np.empty(flat.shape, np.int8)
    size = min(BLOCK, flat.size)
    q, whole = np.empty(size), np.empty(size)
    for first in range(0, flat.size, BLOCK):
        part = flat[first : first + BLOCK]
        real, cut = q[: len(part)], whole[: len(part)]
        np.divide(part, scale, out=real)
        np.add(real, zero_point, out=real)
        np.clip(real, -128.0, 127.0, out=real)
        np.trunc(real, out=cut)
        np.subtract(real, cut, out=real)
        np.add(real, real, out=real)
        np.trunc(real, out=real)
        np.add(real, cut, out=real)
        if np.isnan(real.min()):
            real[np.isnan(real)] = zero_point
        np.copyto(out[first : first + BLOCK], real, casting="unsafe")
    return out.reshape(x.shape)


KERNEL = fast_form(REFERENCE, REFERENCE.run, bind=bind)
