"""The way out of a kernel, written over its own result: the bias, the fused activation."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array


def finish(y: Array, bias: Array | None, activation_type: str, dtype: np.dtype[Any]) -> Array:
    """``y`` plus bias, through the fused activation, in ``dtype``. Writes over ``y``, the caller's own array."""
    if bias is not None:
        y += bias
    return fuse(y, activation_type).astype(dtype, copy=False)


def fuse(y: Array, activation_type: str) -> Array:
    """``y`` after its fused activation, written over ``y`` (the caller's own array) where its rank is not 0."""
    if activation_type == "RELU":
        return relu(y, out=y) if y.ndim else relu(y)
    if activation_type == "RELU6":
        return np.clip(y, 0, 6, out=y) if y.ndim else np.clip(y, y.dtype.type(0), y.dtype.type(6))
    return y


def relu(x: Array, out: Array | None = None) -> Array:
    """``maximum(x, 0)``, against rows of zeros: numpy takes four times as long against a single number.

    Pages of zeros that are only read take no memory.
    """
    y: Array = np.maximum(x, np.zeros(x.shape[-2:], x.dtype), out=out)
    return y
