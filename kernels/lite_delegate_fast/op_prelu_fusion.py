"""PReLUFusion: both halves added in place of a choice by a mask."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._unary import elementwise
from lite_delegate_kernels.op_prelu_fusion import KERNEL as REFERENCE

from . import _activations as formulas
from .fast_kernel import fast_form


@np.errstate(all="ignore")
def prelu_fusion(x: Array, slope: Array, *, channel_shared: bool = False) -> Array:
    """As the reference kernel."""
    slopes = slope.reshape(()) if slope.size == 1 else slope.reshape(-1)
    return elementwise(lambda v: formulas.leaky_relu(v, slopes.astype(v.dtype, copy=False)), x)


KERNEL = fast_form(REFERENCE, prelu_fusion)
