"""DivFusion: the quotient of two arrays and a fused activation."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_fused, truncated_divide
from ._dtypes import NUMBERS
from ._fused import fuse
from ._kernel import Array, ArraySpec, ReferenceKernel


@np.errstate(all="ignore")
def div_fusion(a: Array, b: Array, *, activation_type: str = "NO_ACTIVATION") -> Array:
    """``a / b``, broadcast, then the fused activation. Integers truncate toward zero, as in C.

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.
        activation_type: NO_ACTIVATION, RELU or RELU6.

    Returns:
        The broadcast shape, the dtype of the inputs. Floats over zero give infinities and NaN.

    Raises:
        KernelInputError: an integer division by zero.
    """
    quotient = np.divide(a, b) if a.dtype.kind == "f" else truncated_divide(a, b)
    return np.asarray(fuse(quotient, activation_type))


def infer_div_fusion(a: ArraySpec, b: ArraySpec, *, activation_type: str) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes, shapes or activations that do not fit."""
    return infer_fused(a, b, activation_type)


KERNEL = ReferenceKernel("DivFusion", div_fusion, infer_div_fusion, NUMBERS)
