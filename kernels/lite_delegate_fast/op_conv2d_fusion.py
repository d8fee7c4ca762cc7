"""Conv2DFusion: sums in blocks that stay in the cache, each with its bias and activation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from lite_delegate_kernels import Array
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels.op_conv2d_fusion import KERNEL as REFERENCE

from ._convolution import Convolution, is_depthwise
from ._fused import RealDense, has_constants
from .fast_kernel import Inputs, fast_form


def conv2d_fusion(x: Array, weight: Array, bias: Array | None = None, **attributes: Any) -> Array:
    """As the reference kernel, sums in another order."""
    return _function(attributes)(x, weight, bias)


def bind(inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    """The function of a node whose weight and bias are constants; None for other nodes."""
    return _function(attributes) if has_constants(inputs) else None


def _function(attributes: Mapping[str, Any]) -> RealDense:
    return RealDense(partial(Convolution, **attributes), attributes.get("activation_type", "NO_ACTIVATION"))


def quantized_sums(
    weight: Array, parts: Sequence[slice], zero_point: int, attributes: Mapping[str, Any]
) -> Convolution | None:
    """As ``MakeSums``."""
    if len(parts) > 1 and is_depthwise(weight.shape, attributes.get("group", 0)):
        return None
    return Convolution(weight, fill=zero_point, parts=parts, **attributes)


KERNEL = fast_form(REFERENCE, conv2d_fusion, bind=bind)
