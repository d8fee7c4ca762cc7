"""Mean and variance over some axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ._kernel import Array


def center(x: Array, axes: Sequence[int]) -> tuple[Array, Array]:
    """``x`` minus its mean over ``axes``, a new array, and the biased variance over them, with dims of 1 kept.

    Args:
        x: a floating dtype, never float16.
        axes: at least one, counted from the start. Callers silence numpy's warnings: over no elements both are NaN.
    """
    centered: Array = x - _mean(x, axes)
    return centered, _mean(np.square(centered), axes)


def _mean(x: Array, axes: Sequence[int]) -> Array:
    # One axis after the other: sums of sums lose less than one long sum does, which matters in float32.
    total = x
    for axis in sorted(axes, reverse=True):
        total = np.add.reduce(total, axis=axis, keepdims=True)
    mean: Array = total / x.dtype.type(math.prod(x.shape[axis] for axis in axes))
    return mean
