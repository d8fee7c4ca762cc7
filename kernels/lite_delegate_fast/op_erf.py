"""Erf: float32 by a polynomial."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._unary import elementwise
from lite_delegate_kernels.op_erf import KERNEL as REFERENCE

from . import _erf as formula
from .fast_kernel import fast_form


@np.errstate(all="ignore")
def erf(x: Array) -> Array:
    """As the reference kernel, within the bound of ``_erf.erf``."""
    return elementwise(formula.erf, x)


KERNEL = fast_form(REFERENCE, erf)
