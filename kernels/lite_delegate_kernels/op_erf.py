"""Erf: the error function of every element."""

from __future__ import annotations

import numpy as np

from . import _activations as formulas
from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def erf(x: Array) -> Array:
    """``2 / sqrt(pi)`` times the integral of ``exp(-t * t)`` from 0 to ``x``.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    return elementwise(formulas.erf, x)


def infer_erf(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Erf", erf, infer_erf, FLOATS)
