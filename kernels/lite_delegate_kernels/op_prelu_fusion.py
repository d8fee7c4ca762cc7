"""PReLUFusion: a leaky ReLU whose slope is an input, one for all or one per channel."""

from __future__ import annotations

import numpy as np

from ._activations import leaky_relu
from ._dtypes import FLOATS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shapes import element_count
from ._unary import elementwise


@np.errstate(all="ignore")
def prelu_fusion(x: Array, slope: Array, *, channel_shared: bool = False) -> Array:
    """``x`` above 0, else ``slope * x``.

    Args:
        x: (..., C), float; rank 0 is fine with one slope.
        slope: C elements, or one for all channels, in any shape; any float dtype, finite.
        channel_shared: no effect; the number of slopes decides.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    slopes = slope.reshape(()) if slope.size == 1 else slope.reshape(-1)
    return elementwise(lambda v: leaky_relu(v, slopes.astype(v.dtype, copy=False)), x)


def infer_prelu_fusion(x: ArraySpec, slope: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for other dtypes than floats and another number of slopes."""
    check_dtype(x, FLOATS)
    check_dtype(slope, FLOATS, "slope")
    channels = UNKNOWN if x.shape is None else x.shape[-1] if x.shape else 1
    count = UNKNOWN if slope.shape is None else element_count(slope.shape)
    if UNKNOWN not in (count, channels) and count not in (1, channels):
        raise KernelInputError(f"slope must have 1 element or one per channel, {channels}, got shape {slope.shape}")
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("PReLUFusion", prelu_fusion, infer_prelu_fusion, FLOATS)
