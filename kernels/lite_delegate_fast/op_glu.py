"""GLU: the gate in place."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._movement import along
from lite_delegate_kernels._shapes import normalize_axis
from lite_delegate_kernels._unary import elementwise
from lite_delegate_kernels.op_glu import KERNEL as REFERENCE
from lite_delegate_kernels.op_glu import half_of

from ._activations import sigmoid
from .fast_kernel import fast_form


@np.errstate(all="ignore")
def glu(x: Array, *, axis: int = -1) -> Array:
    """As the reference kernel."""
    a = normalize_axis(axis, x.ndim)
    half = half_of(x.shape[a])

    def gated(v: Array) -> Array:
        gate = sigmoid(v[along(a, slice(half, None))])
        gate *= v[along(a, slice(half))]
        return gate

    return elementwise(gated, x)


KERNEL = fast_form(REFERENCE, glu)
