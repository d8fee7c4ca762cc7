"""Clip: every element moved into a range."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import vector_length


def clip(x: Array, low: Array | None = None, high: Array | None = None, *, max: float = 0.0, min: float = 0.0) -> Array:
    """``x`` where it is in the range, else the bound that is nearer.

    Args:
        x: any shape, float or integer.
        low: one number, replaces ``min``.
        high: one number, replaces ``max``.
        max: the upper bound.
        min: the lower bound. For integers, bounds are whole numbers or infinite; a bound that the dtype cannot hold
            counts as the nearest number that it can.

    Returns:
        The shape and dtype of ``x``; NaN stays NaN.

    Raises:
        KernelInputError: the lower bound is not below the upper one (ONNX allows both), or a fraction bounds integers.
    """
    lowest, highest = _bound(low, min), _bound(high, max)
    _check_order(lowest, highest)
    return np.asarray(np.clip(x, _in_dtype(lowest, x.dtype), _in_dtype(highest, x.dtype)))


def infer_clip(
    x: ArraySpec, low: ArraySpec | None = None, high: ArraySpec | None = None, *, max: float, min: float
) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError as ``clip`` where the bounds are known."""
    check_dtype(x, NUMBERS)
    bounds = [_known_bound("low", low, min), _known_bound("high", high, max)]
    known = [b for b in bounds if b is not None]
    if len(known) == len(bounds):
        _check_order(*known)
    for bound in known:
        _in_dtype(bound, x.dtype)
    return ArraySpec(x.dtype, x.shape)


def _known_bound(name: str, spec: ArraySpec | None, attribute: float) -> float | None:
    if spec is None:
        return attribute
    check_dtype(spec, NUMBERS, name)
    if vector_length(spec) not in (None, 1):
        raise KernelInputError(f"a bound must hold exactly one value, got shape {spec.shape}")
    return None if spec.value is None else _bound(spec.value, attribute)


def _bound(given: Array | None, attribute: float) -> float:
    if given is None:
        return attribute
    if given.size != 1:
        raise KernelInputError(f"a bound must hold exactly one value, got shape {given.shape}")
    value: float = given.item()
    return value


def _check_order(lowest: float, highest: float) -> None:
    if not lowest < highest:
        raise KernelInputError(f"min must be below max, got min {lowest} and max {highest}")


@np.errstate(over="ignore")
def _in_dtype(bound: float, dtype: np.dtype[np.generic]) -> Array:
    """A bound as an array of rank 0."""
    if dtype.kind == "f":
        return np.asarray(bound, dtype=np.float64).astype(dtype)
    limits = np.iinfo(dtype.name)
    if limits.min < bound < limits.max and bound != int(bound):
        raise KernelInputError(f"a bound of {dtype.name} must be a whole number, got {bound}")
    held = limits.min if bound <= limits.min else limits.max if bound >= limits.max else int(bound)
    return np.asarray(held, dtype=dtype)


KERNEL = ReferenceKernel("Clip", clip, infer_clip, NUMBERS)
