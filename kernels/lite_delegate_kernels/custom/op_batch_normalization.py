"""BatchNormalization with the statistics of the batch itself, as in training."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS, check_dtype
from .._kernel import Array, ArraySpec, ReferenceKernel
from ._shared import check_rank


def batch_normalization(
    x: Array,
    scale: Array,
    bias: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
) -> tuple[Array, Array, Array]:
    """``x`` with mean and variance of each channel taken out, and the running statistics after it.

    Args:
        x: (N, C, ...), float.
        scale, bias, mean, variance: (C,).
        momentum: how much of ``mean`` and ``variance`` stays; all of it without ``training_mode``, whose statistics
            are then those that are taken out.

    Returns:
        The shape of ``x``; twice (C,).
    """
    axes = (0, *range(2, x.ndim))
    numbers = x.astype(np.float64)
    used = (numbers.mean(axes), numbers.var(axes)) if training_mode else (mean, variance)
    keep = momentum if training_mode else 1.0
    wide = (-1, *[1] * (x.ndim - 2))
    middle, spread = (np.asarray(each, np.float64).reshape(wide) for each in used)
    y = scale.reshape(wide) * (numbers - middle) / np.sqrt(spread + epsilon) + bias.reshape(wide)
    running = [old * keep + new * (1 - keep) for old, new in zip((mean, variance), used, strict=True)]
    return y.astype(x.dtype), running[0].astype(mean.dtype), running[1].astype(variance.dtype)


def infer_batch_normalization(
    x: ArraySpec, scale: ArraySpec, bias: ArraySpec, mean: ArraySpec, variance: ArraySpec
) -> tuple[ArraySpec, ArraySpec, ArraySpec]:
    """The specs of ``x``, ``mean`` and ``variance``."""
    check_dtype(x, FLOATS)
    check_rank(x, 2)
    return ArraySpec(x.dtype, x.shape), ArraySpec(mean.dtype, mean.shape), ArraySpec(variance.dtype, variance.shape)


KERNEL = ReferenceKernel("ai.onnx.BatchNormalization", batch_normalization, infer_batch_normalization, FLOATS)
