"""ReduceFusion: mean, maximum, minimum, product, sum and the like over some axes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ._arithmetic import truncated_divide
from ._dtypes import FLOATS, NUMBERS, check_dtype, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._reduction import Axes, reduced_axes, reduced_shape

_COEFF_THRESHOLD = 1e-5


@np.errstate(all="ignore")
def reduce_fusion(
    x: Array,
    axes: Array | None = None,
    *,
    keep_dims: bool = False,
    mode: str = "ReduceMean",
    reduce_to_end: bool = False,
    coeff: float = 0.0,
) -> Array:
    """``x`` reduced over ``axes``.

    ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceSum, ReduceSumSquare (sum of ``x * x``), ReduceASum (sum of
    ``|x|``), ReduceL2 (square root of the sum of ``x * x``, floats only), ReduceAll (logical and, bool only).
    Integer sums and products wrap around, the integer mean truncates toward zero.

    Args:
        x: any rank; float, integer, or bool for ReduceAll.
        axes: integers, 1-D or a scalar, negative ones count from the end; None or empty means all axes.
        keep_dims: whether reduced dims stay as 1; no effect with ``reduce_to_end``.
        mode: a name of the schema's ReduceMode.
        reduce_to_end: whether the one axis stands for itself and all after it; the dims are removed.
        coeff: multiplies the result when ``reduce_to_end`` is set and ``|coeff| > 1e-5``; else no effect. Floats only.

    Returns:
        The dtype of ``x``, float16 computed in float32. Over no elements: sum 0, product 1, maximum and minimum the
        lowest and the highest value of the dtype, a float's mean NaN.

    Raises:
        KernelInputError: an axis out of range or named twice, other than one axis with ``reduce_to_end``, an integer
            mean over no elements.
    """
    over = reduced_axes(axes, x.ndim, reduce_to_end)
    y = _REDUCTIONS[mode](widen(x), over)
    if reduce_to_end and abs(coeff) > _COEFF_THRESHOLD:
        y = y * coeff
    rounded = np.asarray(y, dtype=x.dtype)
    return rounded if keep_dims and not reduce_to_end else rounded.squeeze(over)


def infer_reduce_fusion(
    x: ArraySpec, axes: ArraySpec | None = None, *, keep_dims: bool, mode: str, reduce_to_end: bool, coeff: float
) -> ArraySpec:
    """The reduced shape; dims are unknown, or the rank is, where ``axes`` is not a constant.

    Raises:
        KernelInputError: a mode or coefficient that the dtype lacks, axes that are not integers or do not fit.
    """
    _check_mode(x, mode, coeff if reduce_to_end else 0.0)
    keep = keep_dims and not reduce_to_end
    return ArraySpec(x.dtype, reduced_shape(x.shape, axes, keep, reduce_to_end))


def _check_mode(x: ArraySpec, mode: str, coeff: float) -> None:
    if mode not in _REDUCTIONS:
        raise KernelInputError(f"mode must be one of {', '.join(_REDUCTIONS)}, got {mode}")
    scaled = abs(coeff) > _COEFF_THRESHOLD
    allowed = ("bool",) if mode == "ReduceAll" else FLOATS if mode == "ReduceL2" or scaled else NUMBERS
    check_dtype(x, allowed, f"input 0 of {mode}{f' with coeff {coeff}' if scaled else ''}")


def _sum(x: Array, axes: Axes) -> Array:
    return np.add.reduce(x, axis=axes, keepdims=True)


def _mean(x: Array, axes: Axes) -> Array:
    count = math.prod(x.shape[a] for a in axes)
    total = _sum(x, axes)
    if x.dtype.kind == "f":
        mean: Array = np.divide(total, x.dtype.type(count))
        return mean
    return truncated_divide(total, np.asarray(count, dtype=total.dtype))


def _maximum(x: Array, axes: Axes) -> Array:
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return np.maximum.reduce(x, axis=axes, keepdims=True, initial=lowest)


def _minimum(x: Array, axes: Axes) -> Array:
    highest = np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max
    return np.minimum.reduce(x, axis=axes, keepdims=True, initial=highest)


_REDUCTIONS: dict[str, Callable[[Array, Axes], Array]] = {
    "ReduceMean": _mean,
    "ReduceMax": _maximum,
    "ReduceMin": _minimum,
    "ReduceProd": lambda x, axes: np.multiply.reduce(x, axis=axes, keepdims=True),
    "ReduceSum": _sum,
    "ReduceSumSquare": lambda x, axes: _sum(np.square(x), axes),
    "ReduceASum": lambda x, axes: _sum(np.abs(x), axes),
    "ReduceAll": lambda x, axes: np.logical_and.reduce(x, axis=axes, keepdims=True),
    "ReduceL2": lambda x, axes: np.sqrt(_sum(np.square(x), axes)),
}

KERNEL = ReferenceKernel("ReduceFusion", reduce_fusion, infer_reduce_fusion, (*NUMBERS, "bool"))
