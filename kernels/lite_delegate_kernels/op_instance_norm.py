"""InstanceNorm: each channel of each image normalized over its pixels."""

from __future__ import annotations

import numpy as np

from ._channels import check_per_channel
from ._dtypes import FLOATS, check_dtype, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._moments import center


@np.errstate(all="ignore")
def instance_norm(x: Array, gamma: Array, beta: Array, *, epsilon: float = 0.0) -> Array:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` with the mean and variance of each (n, c).

    NOTE: the channels are the last dim. MindSpore Lite also takes NCHW and NC4HW4 by the format of the tensor, which
    kernels here do not see; its converter wraps this operator in transposes to NHWC.

    Args:
        x: (N, ..., C) with at least one dim between, (N, H, W, C) for images, float.
        gamma: (C,).
        beta: (C,).
        epsilon: added to the biased variance.

    Returns:
        The shape and dtype of ``x``, float16 computed in float32.
    """
    y, variance = center(widen(x), range(1, x.ndim - 1))
    y *= widen(gamma) / np.sqrt(variance + epsilon)
    y += beta
    return y.astype(x.dtype, copy=False)


def infer_instance_norm(x: ArraySpec, gamma: ArraySpec, beta: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a rank below 3 and for parameters that are not ``(C,)``."""
    for name, spec in {"input 0": x, "gamma": gamma, "beta": beta}.items():
        check_dtype(spec, FLOATS, name)
    if x.rank is not None and x.rank < 3:
        raise KernelInputError(f"input 0 must be (N, ..., C) with dims between, got shape {x.shape}")
    check_per_channel(x, gamma=gamma, beta=beta)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("InstanceNorm", instance_norm, infer_instance_norm, FLOATS)
