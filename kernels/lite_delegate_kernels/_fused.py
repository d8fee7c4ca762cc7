"""The activation that is fused into another operator: none, RELU or RELU6."""

from __future__ import annotations

import numpy as np

from ._kernel import Array, KernelInputError

FUSED_ACTIVATIONS = ("NO_ACTIVATION", "RELU", "RELU6")


def fuse(y: Array, activation_type: str) -> Array:
    """``y`` after its fused activation.

    NOTE: like MindSpore Lite's CPU kernels, any name other than RELU and RELU6 counts as none here;
    operators that must reject other names call ``check_fused`` in their inference.
    """
    if activation_type == "RELU":
        return np.asarray(np.maximum(y, 0))
    if activation_type == "RELU6":
        return np.asarray(np.clip(y, 0, 6))
    return y


def check_fused(activation_type: str) -> None:
    """Raises KernelInputError unless ``activation_type`` is one that every CPU kernel honors."""
    if activation_type not in FUSED_ACTIVATIONS:
        raise KernelInputError(
            f"activation_type must be one of {', '.join(FUSED_ACTIVATIONS)} when fused, got {activation_type}"
        )
