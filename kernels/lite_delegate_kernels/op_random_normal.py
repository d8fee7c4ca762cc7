"""RandomNormal: normally distributed random numbers, as many as an array has elements."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._philox import standard_normal


@np.errstate(over="ignore")
def random_normal(x: Array, *, seed: float = 0.0, mean: float = 0.0, scale: float = 0.0) -> Array:
    """Random numbers of the given mean and standard deviation, the same for the same seed.

    Args:
        x: float; only its shape and dtype count.
        seed: its whole part chooses the sequence; 0 chooses one like any other.
        mean: the mean.
        scale: the standard deviation.

    Returns:
        The shape and dtype of ``x``.

    NOTE: the input is read as MindSpore Lite's shape inference does, like that of ONNX's RandomNormalLike. The
    numbers themselves are not MindSpore Lite's, which come from the C++ library, seeded by the clock when ``seed`` is
    0.
    """
    y: Array = standard_normal(x.size, int(seed), 0).astype(np.float64 if x.dtype.char == "d" else np.float32)
    y *= scale
    y += mean
    return y.reshape(x.shape).astype(x.dtype, copy=False)


def infer_random_normal(x: ArraySpec, *, seed: float, scale: float) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError for a seed that is not finite or a negative scale."""
    check_dtype(x, FLOATS)
    if not np.isfinite(seed):
        raise KernelInputError(f"seed must be finite, got {seed}")
    if not scale >= 0:
        raise KernelInputError(f"scale must not be negative, got {scale}")
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("RandomNormal", random_normal, infer_random_normal, FLOATS)
