"""ScaleFusion: each channel times its scale plus its offset, and a fused activation."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype, check_same_dtype, widen
from ._fused import check_fused, fuse
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._shapes import normalize_axis


@np.errstate(all="ignore")
def scale_fusion(
    x: Array, scale: Array, offset: Array | None = None, *, axis: int = 0, activation_type: str = "NO_ACTIVATION"
) -> Array:
    """``x * scale + offset``, with ``scale`` and ``offset`` laid along the dims of ``x`` from ``axis`` on.

    Args:
        x: any rank >= 1, float.
        scale: dims equal to those of ``x`` that start at ``axis``.
        offset: the shape of ``scale``; None counts as 0.
        axis: the first dim that ``scale`` covers, negative counts from the end.
        activation_type: NO_ACTIVATION, RELU or RELU6.

    Returns:
        The shape and dtype of ``x``. float16 is computed in float32.
    """
    start = normalize_axis(axis, x.ndim)
    laid_out = scale.shape + (1,) * (x.ndim - start - scale.ndim)
    y: Array = widen(x) * scale.reshape(laid_out)
    if offset is not None:
        y += offset.reshape(laid_out)
    return fuse(y, activation_type).astype(x.dtype, copy=False)


def infer_scale_fusion(
    x: ArraySpec, scale: ArraySpec, offset: ArraySpec | None = None, *, axis: int, activation_type: str
) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a scale or an offset that does not fit at ``axis``."""
    check_dtype(x, FLOATS)
    check_same_dtype(x, scale, offset)
    check_fused(activation_type)
    covered = None if x.shape is None else x.shape[normalize_axis(axis, len(x.shape)) :]
    if not _starts_with(covered, scale.shape):
        raise KernelInputError(
            f"scale must have the first dims of {covered} (those of x from axis {axis} on), got {scale.shape}"
        )
    if offset is not None and not _same(scale.shape, offset.shape):
        raise KernelInputError(f"offset must have the shape of scale, {scale.shape}, got {offset.shape}")
    return ArraySpec(x.dtype, x.shape)


def _starts_with(dims: Shape | None, start: Shape | None) -> bool:
    if dims is None or start is None:
        return True
    return len(start) <= len(dims) and all(a == b or UNKNOWN in (a, b) for a, b in zip(dims, start, strict=False))


def _same(a: Shape | None, b: Shape | None) -> bool:
    return _starts_with(a, b) and _starts_with(b, a)


KERNEL = ReferenceKernel("ScaleFusion", scale_fusion, infer_scale_fusion, FLOATS)
