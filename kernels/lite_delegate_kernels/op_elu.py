"""Elu: the exponential linear unit."""

from __future__ import annotations

import numpy as np

from . import _activations as formulas
from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def elu(x: Array, *, alpha: float = 0.0) -> Array:
    """``x`` above 0, else ``alpha * (exp(x) - 1)``.

    NOTE: ``alpha`` is 0 where a file does not give it, as in MindSpore Lite; ONNX's and TensorFlow's default is 1.

    Args:
        x: any shape, float.
        alpha: minus the limit at minus infinity.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    return elementwise(lambda v: formulas.elu(v, alpha), x)


def infer_elu(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for other dtypes than floats."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("Elu", elu, infer_elu, FLOATS)
