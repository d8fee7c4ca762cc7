"""The way out of a kernel, written over its own result: the bias, the fused activation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype

from ._row_blocks import Row, Sums, row_of
from .fast_kernel import Inputs


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


class RealDense:
    """A convolution or matrix product of real numbers: a function of its arrays, whose weight and bias are the same at
    every call.

    They are laid out by the first call, as views where possible: a constant that is not read in place has a copy then.

    Args:
        make_sums: given the weight in the dtype of the sums, makes what adds up.
        activation_type: the fused one.
    """

    def __init__(self, make_sums: Callable[[Array], Sums], activation_type: str) -> None:
        self._make_sums, self._activation_type = make_sums, activation_type
        self._laid_out: tuple[Sums, RealFinish] | None = None

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, x: Array, weight: Array, bias: Array | None = None) -> Array:
        if self._laid_out is None:
            wide = compute_dtype(x.dtype)
            finish = RealFinish(None if bias is None else bias.reshape(-1), self._activation_type, wide)
            self._laid_out = self._make_sums(weight.astype(wide, copy=False)), finish
        sums, finish = self._laid_out
        return sums(x, x.dtype, finish)


def has_constants(inputs: Inputs) -> bool:
    """Whether the weight and the bias of a node, where there are any, are constants."""
    return all(spec is None or spec.value is not None for spec in inputs[1:3])


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
