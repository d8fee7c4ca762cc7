"""BatchNorm: each channel minus its mean, divided by its standard deviation."""

from __future__ import annotations

import numpy as np

from ._channels import check_per_channel
from ._dtypes import FLOATS, check_dtype, widen
from ._kernel import Array, ArraySpec, ReferenceKernel


@np.errstate(all="ignore")
def batch_norm(
    x: Array, mean: Array, variance: Array, *, epsilon: float = 0.0, format: str = "NCHW", is_training: bool = False
) -> Array:
    """``(x - mean) / sqrt(variance + epsilon)`` per last dim.

    Args:
        x: ``(..., C)``, float.
        mean: ``(C,)``.
        variance: ``(C,)``.
        epsilon: added to the variance.
        format: no effect; channels are the last dim.
        is_training: no effect; the given statistics are used.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    y: Array = widen(x) - widen(mean)
    y /= np.sqrt(widen(variance) + epsilon)
    return y.astype(x.dtype, copy=False)


def infer_batch_norm(x: ArraySpec, mean: ArraySpec, variance: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for statistics that are not ``(C,)``."""
    for name, spec in (("input 0", x), ("mean", mean), ("variance", variance)):
        check_dtype(spec, FLOATS, name)
    check_per_channel(x, mean=mean, variance=variance)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("BatchNorm", batch_norm, infer_batch_norm, FLOATS)
