"""SubFusion: the difference of two arrays and a fused activation."""

from __future__ import annotations

import numpy as np

from ._arithmetic import infer_fused
from ._dtypes import NUMBERS
from ._fused import fuse
from ._kernel import Array, ArraySpec, ReferenceKernel


@np.errstate(all="ignore")
def sub_fusion(a: Array, b: Array, *, activation_type: str = "NO_ACTIVATION") -> Array:
    """``a - b``, broadcast, then the fused activation. Integers wrap around.

    Args:
        a: any shape, float or integer.
        b: the dtype of ``a``, a shape that broadcasts with it.
        activation_type: NO_ACTIVATION, RELU or RELU6.

    Returns:
        The broadcast shape, the dtype of the inputs.
    """
    return np.asarray(fuse(np.subtract(a, b), activation_type))


def infer_sub_fusion(a: ArraySpec, b: ArraySpec, *, activation_type: str) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for mixed dtypes, shapes or activations that do not fit."""
    return infer_fused(a, b, activation_type)


KERNEL = ReferenceKernel("SubFusion", sub_fusion, infer_sub_fusion, NUMBERS)
