"""LRN: local response normalization over neighboring channels."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel


@np.errstate(all="ignore")
def lrn(
    x: Array,
    *,
    depth_radius: int = 0,
    bias: float = 0.0,
    alpha: float = 0.0,
    beta: float = 0.0,
    norm_region: str | None = None,
) -> Array:
    """``x * (bias + alpha * s) ** -beta``, s the sum of squares of the channels at most ``depth_radius`` away.

    Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural Networks" (2012), section 3.3.

    Args:
        x: (..., C), float.
        depth_radius: channels to either side; those beyond the ends count as 0.
        bias, alpha, beta: see the formula; ``alpha`` is not divided by the number of channels.
        norm_region: ACROSS_CHANNELS, or None or empty, which mean the same.

    Returns:
        The shape and dtype of ``x``, float16 computed in float32.
    """
    wide = widen(x)
    squares = np.square(wide)
    sums = squares.copy()
    for distance in range(1, min(depth_radius, x.shape[-1] - 1) + 1):
        sums[..., distance:] += squares[..., :-distance]
        sums[..., :-distance] += squares[..., distance:]
    sums *= alpha
    sums += bias
    np.power(sums, -beta, out=sums)
    sums *= wide
    return sums.astype(x.dtype, copy=False)


def infer_lrn(x: ArraySpec, *, depth_radius: int, norm_region: str | None) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for rank 0, a negative radius or another region."""
    check_dtype(x, FLOATS)
    if x.rank == 0:
        raise KernelInputError("input 0 must have a channel dim, got rank 0")
    if depth_radius < 0:
        raise KernelInputError(f"depth_radius must not be negative, got {depth_radius}")
    if norm_region not in (None, "", "ACROSS_CHANNELS"):
        raise KernelInputError(f"norm_region must be ACROSS_CHANNELS, got {norm_region}")
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("LRN", lrn, infer_lrn, FLOATS)
