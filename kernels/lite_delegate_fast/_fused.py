"""The way out of a kernel, written over its own result: the bias, the fused activation."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ._row_blocks import Row, row_of


class RealFinish:
    """Real results of sums: a bias, the fused activation, the dtype of the results.

    Args:
        bias: ``(C,)`` or None.
        activation_type: RELU, RELU6, or another, which does nothing.
        dtype: of the sums.
    """

    def __init__(self, bias: Array | None, activation_type: str, dtype: np.dtype[Any]) -> None:
        self._bias = None if bias is None else Row(bias.astype(np.result_type(bias, dtype), copy=False))
        ends = {"RELU": (0,), "RELU6": (0, 6)}.get(activation_type, ())
        self._ends = tuple(zip((np.maximum, np.minimum), (row_of(end, dtype) for end in ends), strict=False))

    def __call__(self, sums: Array, results: Array) -> None:
        """As ``Finish``."""
        if self._bias is not None:
            self._bias.apply(np.add, sums)
        for function, row in self._ends:
            row.apply(function, sums.reshape(-1, 1))
        if results.dtype != sums.dtype:
            np.copyto(results, sums, casting="unsafe")


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
