"""Shared by convolutions, matrix products and bias additions: float types, the bias, the way out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._fused import fuse
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape

FLOATS = ("float32", "float16", "float64")
"""The float types. A weight or bias may be any of them, whichever the activations are."""


def compute_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype to calculate in: float32 for float16, which is rounded once at the end."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def check_dtype(name: str, spec: ArraySpec, accepted: Sequence[str]) -> None:
    """Raises KernelInputError unless the dtype is among ``accepted``."""
    if spec.dtype_name not in accepted:
        raise KernelInputError(f"{name} must be one of {', '.join(accepted)}, got {spec.dtype.name}")


def dims(name: str, spec: ArraySpec, rank: int) -> Shape:
    """The shape, all ``UNKNOWN`` when the rank is not known.

    Raises:
        KernelInputError: the rank is known and is not ``rank``.
    """
    if spec.shape is None:
        return (UNKNOWN,) * rank
    if len(spec.shape) != rank:
        raise KernelInputError(f"{name} must be {rank}-D, got shape {spec.shape}")
    return spec.shape


def check_bias(bias: ArraySpec | None, channels: int, accepted: Sequence[str] = FLOATS) -> None:
    """Raises KernelInputError unless ``bias`` is absent or one value per output channel, shape (channels,)."""
    if bias is None:
        return
    check_dtype("bias", bias, accepted)
    (count,) = dims("bias", bias, 1)
    if UNKNOWN not in (count, channels) and count != channels:
        raise KernelInputError(f"bias must have shape ({channels},), got {bias.shape}")


def weight_dims(weight: ArraySpec, group: int) -> tuple[Shape, int]:
    """The four dimensions of a convolution's weight, and the number of groups: ``group``, or the first dimension for 0.

    Raises:
        KernelInputError: the weight is not 4-D or is empty, or ``group`` does not divide its first dimension.
    """
    check_dtype("weight", weight, FLOATS)
    shape = dims("weight", weight, 4)
    if 0 in shape:
        raise KernelInputError(f"weight must not be empty, got shape {shape}")
    if group < 0 or (group > 0 and shape[0] != UNKNOWN and shape[0] % group):
        raise KernelInputError(
            f"group must be positive and divide the weight's first dimension {shape[0]}, got {group}"
        )
    return shape, group or shape[0]


def finish(y: Array, bias: Array | None, activation_type: str, dtype: np.dtype[Any]) -> Array:
    """``y`` plus bias, through the fused activation, in ``dtype``."""
    return fuse(y if bias is None else y + bias, activation_type).astype(dtype, copy=False)
