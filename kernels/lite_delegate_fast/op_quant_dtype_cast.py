"""QuantDTypeCast: real numbers to integers of 8 bits and back, in few passes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from lite_delegate_kernels._dtypes import dtype_of_type_id
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._quantization import BYTES, NodeQuantization
from lite_delegate_kernels.op_quant_dtype_cast import KERNEL as REFERENCE

from ._real_bytes import byte_quantization, dequantized
from .fast_kernel import Inputs, fast_form


def bind(inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    """The function of a node between float32 and integers of 8 bits with one scale; None for other nodes.

    Real numbers do not become uint8 here: there, either infinity is 255.
    """
    x, quantization = inputs[0], attributes["quantization"]
    assert isinstance(quantization, NodeQuantization)
    found = next((q for q in (*quantization.outputs, *quantization.inputs) if q is not None), None)
    target = dtype_of_type_id(attributes["dst_t"])
    if x is None or found is None or not found.is_per_tensor:
        return None
    if x.dtype_name in BYTES and target == np.float32:
        scale, zero_point = np.float32(found.scales[0]), np.float32(found.zero_points[0])
        return partial(dequantized, scale=scale, zero_point=zero_point)
    return byte_quantization(found, target) if x.dtype_name == "float32" and target == np.int8 else None


KERNEL = fast_form(REFERENCE, REFERENCE.run, bind=bind)
