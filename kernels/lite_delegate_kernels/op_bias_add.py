"""BiasAdd: one value per channel added to every position."""

from __future__ import annotations

import numpy as np

from ._dense import FLOATS, check_bias, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel

DTYPES = (*FLOATS, "int32", "int64")


@np.errstate(over="ignore", invalid="ignore")
def bias_add(x: Array, bias: Array, *, format: str = "NCHW") -> Array:
    """``x + bias`` along the last dimension.

    Args:
        x: (..., C), rank >= 1, float or integer.
        bias: (C,), for a float ``x`` any float, for an integer ``x`` its dtype.
        format: no effect, channels come last.

    Returns:
        The shape and dtype of ``x``.
    """
    return np.add(x, bias).astype(x.dtype, copy=False)


def infer_bias_add(x: ArraySpec, bias: ArraySpec) -> ArraySpec:
    """The spec of ``x``; see ``bias_add``.

    Raises:
        KernelInputError: dtypes that do not fit, rank 0, a bias that is not one value per channel.
    """
    check_dtype("x", x, DTYPES)
    accepted = FLOATS if x.dtype.kind == "f" else (x.dtype.name,)
    if x.shape == ():
        raise KernelInputError("x must be at least 1-D, got shape ()")
    check_bias(bias, -1 if x.shape is None else x.shape[-1], accepted)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("BiasAdd", bias_add, infer_bias_add, DTYPES)
