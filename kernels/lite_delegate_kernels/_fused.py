"""The activation that is fused into another operator: none, RELU or RELU6."""

from __future__ import annotations

import numpy as np

from ._kernel import Array, KernelInputError

FUSED_ACTIVATIONS = ("NO_ACTIVATION", "RELU", "RELU6")


def fuse(y: Array, activation_type: str) -> Array:
    """``y`` after its fused activation, written over ``y`` (which is the calling kernel's own array).

    NOTE: like MindSpore Lite's CPU kernels, any name other than RELU and RELU6 counts as none here;
    operators that must reject other names call ``check_fused`` in their inference.
    """
    if activation_type == "NO_ACTIVATION":
        return y
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


def check_fused(activation_type: str) -> None:
    """Raises KernelInputError unless ``activation_type`` is one that every CPU kernel honors."""
    if activation_type not in FUSED_ACTIVATIONS:
        raise KernelInputError(
            f"activation_type must be one of {', '.join(FUSED_ACTIVATIONS)} when fused, got {activation_type}"
        )
