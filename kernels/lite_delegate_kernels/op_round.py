"""Round: every element rounded to the nearest whole number."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import infer_unary


@np.errstate(all="ignore")
def round_(x: Array) -> Array:
    """The whole number nearest to ``x``, the even one of two that are equally near.

    NOTE: half to even, as TensorFlow and ONNX define it. MindSpore Lite's scalar code rounds halves away from zero,
    its vector code to even.

    Args:
        x: any shape, float.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.asarray(np.rint(x))


def infer_round(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a dtype that the kernel does not take."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Round", round_, infer_round, FLOATS)
