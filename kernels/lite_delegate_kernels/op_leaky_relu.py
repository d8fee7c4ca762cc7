"""LeakyRelu: the positive part, and a fraction of the negative one."""

from __future__ import annotations

import numpy as np

from . import _activations as formulas
from ._dtypes import FLOATS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._unary import elementwise, infer_unary


@np.errstate(all="ignore")
def leaky_relu(x: Array, *, negative_slope: float = 0.0) -> Array:
    """``x`` above 0, else ``negative_slope * x``.

    NOTE: ``negative_slope`` is 0 where a file does not give it, as in MindSpore Lite; ONNX's default is 0.01,
    TensorFlow's 0.2.

    Args:
        x: any shape, float.
        negative_slope: any finite number, above 1 and below 0 too.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    return elementwise(lambda v: formulas.leaky_relu(v, negative_slope), x)


def infer_leaky_relu(x: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for other dtypes than floats."""
    return infer_unary(x, FLOATS)


KERNEL = ReferenceKernel("LeakyRelu", leaky_relu, infer_leaky_relu, FLOATS)
