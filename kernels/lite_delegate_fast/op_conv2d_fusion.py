"""Conv2DFusion: sums in blocks that stay in the cache, each with its bias and activation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels.op_conv2d_fusion import KERNEL as REFERENCE

from ._convolution import Convolution, is_depthwise
from ._fused import RealFinish
from .fast_kernel import Inputs, fast_form


class RealConvolution:
    """A convolution of real numbers: a function of its arrays, whose weight and bias are the same at every call.

    They are laid out by the first call, as views where possible: a constant that is not read in place has a copy then.

    Args:
        activation_type: the fused one.
        attributes: as ``Convolution`` has them.
    """

    def __init__(self, activation_type: str = "NO_ACTIVATION", **attributes: Any) -> None:
        self._activation_type, self._attributes = activation_type, attributes
        self._laid_out: tuple[Convolution, RealFinish] | None = None

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, x: Array, weight: Array, bias: Array | None = None) -> Array:
        if self._laid_out is None:
            wide = compute_dtype(x.dtype)
            convolution = Convolution(weight.astype(wide, copy=False), **self._attributes)
            self._laid_out = convolution, RealFinish(bias, self._activation_type, wide)
        convolution, finish = self._laid_out
        return convolution(x, x.dtype, finish)


def conv2d_fusion(x: Array, weight: Array, bias: Array | None = None, **attributes: Any) -> Array:
    """As the reference kernel, sums in another order."""
    return RealConvolution(**attributes)(x, weight, bias)


def bind(inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    """The function of a node whose weight and bias are constants; None for other nodes."""
    constants = inputs[1:3]
    if any(spec is not None and spec.value is None for spec in constants):
        return None
    return RealConvolution(**attributes)


def quantized_sums(
    weight: Array, parts: Sequence[slice], zero_point: int, attributes: Mapping[str, Any]
) -> Convolution | None:
    """As ``MakeSums``."""
    if len(parts) > 1 and is_depthwise(weight.shape, attributes.get("group", 0)):
        return None
    return Convolution(weight, fill=zero_point, parts=parts, **attributes)


KERNEL = fast_form(REFERENCE, conv2d_fusion, bind=bind)
