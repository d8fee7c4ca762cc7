"""L2NormalizeFusion: division by the Euclidean length along some axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._fused import fuse
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._shapes import normalize_axes

_USUAL_EPSILON = 1e-6


@np.errstate(all="ignore")
def l2_normalize_fusion(
    x: Array, *, axis: Sequence[int] | None = None, epsilon: float = 0.0, activation_type: str = "NO_ACTIVATION"
) -> Array:
    """``x / sqrt(max(sum(x * x), epsilon))`` with the sum along ``axis``, then the fused activation.

    Args:
        x: any rank, float.
        axis: the axes, negative ones count from the end; None or none of them means all.
        epsilon: the least sum; 1e-6 where it is not above 0, which means that none is given.
        activation_type: RELU or RELU6; any other name counts as none, as in MindSpore Lite.

    Returns:
        The shape and dtype of ``x``, float16 computed in float32.

    NOTE: MindSpore Lite takes all axes or the last one; here, as in TensorFlow, any will do. It also raises epsilon to
    1e-6 at least; here a smaller one is what the file says, as vision processors with 1e-9 have it.
    """
    wide = widen(x)
    sums = np.add.reduce(np.square(wide), axis=_axes(axis, x.ndim), keepdims=True)
    least = wide.dtype.type(epsilon if epsilon > 0 else _USUAL_EPSILON)
    y = np.asarray(wide / np.sqrt(np.maximum(sums, least)))
    return np.asarray(fuse(y, activation_type)).astype(x.dtype, copy=False)


def infer_l2_normalize_fusion(x: ArraySpec, *, axis: Sequence[int] | None) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for axes that are out of range or named twice."""
    check_dtype(x, FLOATS)
    if x.rank is not None:
        _axes(axis, x.rank)
    return ArraySpec(x.dtype, x.shape)


def _axes(axis: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    return normalize_axes(axis, rank) if axis else tuple(range(rank))


KERNEL = ReferenceKernel("L2NormalizeFusion", l2_normalize_fusion, infer_l2_normalize_fusion, FLOATS)
