"""LeakyRelu: both halves added in place of a choice by a mask."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._unary import elementwise
from lite_delegate_kernels.op_leaky_relu import KERNEL as REFERENCE

from . import _activations as formulas
from .fast_kernel import fast_form


@np.errstate(all="ignore")
def leaky_relu(x: Array, *, negative_slope: float = 0.0) -> Array:
    """As the reference kernel."""
    return elementwise(lambda v: formulas.leaky_relu(v, negative_slope), x)


KERNEL = fast_form(REFERENCE, leaky_relu)
