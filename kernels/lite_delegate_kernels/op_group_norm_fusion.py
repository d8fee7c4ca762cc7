"""GroupNormFusion: groups of channels of each image normalized together."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._moments import center


@np.errstate(all="ignore")
def group_norm_fusion(
    x: Array, scale: Array, bias: Array, *, num_groups: int = 0, epsilon: float = 0.00001, affine: bool = True
) -> Array:
    """``(x - mean) / sqrt(variance + epsilon) * scale + bias`` with the mean and variance of each (n, group).

    NOTE: the channels are dim 1, as in MindSpore Lite's kernel and in ONNX, though other operators work on NHWC.

    Args:
        x: (N, C, ...), float.
        scale: (C,).
        bias: (C,).
        num_groups: how many groups of equally many neighboring channels; at least 1.
        epsilon: added to the biased variance.
        affine: no effect; scale and bias are always there.

    Returns:
        The shape and dtype of ``x``, float16 computed in float32.
    """
    batch, channels = x.shape[:2]
    per_group = math.prod(x.shape[1:]) // num_groups
    per_channel = (channels,) + (1,) * (x.ndim - 2)
    groups, variance = center(widen(x).reshape(batch, num_groups, per_group), [2])
    groups /= np.sqrt(variance + epsilon)
    y = groups.reshape(x.shape)
    y *= scale.reshape(per_channel)
    y += bias.reshape(per_channel)
    return y.astype(x.dtype, copy=False)


def infer_group_norm_fusion(x: ArraySpec, scale: ArraySpec, bias: ArraySpec, *, num_groups: int) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for groups that do not divide C and parameters that are not (C,)."""
    for name, spec in {"input 0": x, "scale": scale, "bias": bias}.items():
        check_dtype(spec, FLOATS, name)
    if x.rank is not None and x.rank < 2:
        raise KernelInputError(f"input 0 must be (N, C, ...), got shape {x.shape}")
    channels = UNKNOWN if x.shape is None else x.shape[1]
    (channels,) = expect_shape("scale", scale, (channels,))
    (channels,) = expect_shape("bias", bias, (channels,))
    if num_groups < 1 or (channels != UNKNOWN and channels % num_groups):
        raise KernelInputError(f"num_groups must be at least 1 and divide the {channels} channels, got {num_groups}")
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("GroupNormFusion", group_norm_fusion, infer_group_norm_fusion, FLOATS)
