"""Reshape: the same elements in the same order, under another shape."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import constant_ints, int_list, unknown_shape, vector_length
from ._shapes import element_count


def reshape(x: Array, shape: Array) -> Array:
    """``x`` with the dimensions that ``shape`` holds.

    Args:
        x: any rank, any dtype.
        shape: integers, or floats that are whole; 0 copies the dimension of ``x`` at the same position, -1 (at
            most once) takes what is left; no values make a scalar of a one-element ``x``.

    Raises:
        KernelInputError: the element counts differ, -1 appears twice or does not come out whole, 0 has no
            dimension to copy.
    """
    return x.reshape(_target(x.shape, int_list(shape, "shape", whole_floats=True)))


def infer_reshape(x: ArraySpec, shape: ArraySpec) -> ArraySpec:
    """The target dimensions; the rank alone where ``shape`` is not constant."""
    wanted = constant_ints(shape, "shape", whole_floats=True)
    if wanted is None:
        return ArraySpec(x.dtype, unknown_shape(vector_length(shape)))
    if x.shape is None:
        _check_values(wanted)
        return ArraySpec(x.dtype, tuple(UNKNOWN if d <= 0 else d for d in wanted))
    return ArraySpec(x.dtype, _target(x.shape, wanted))


def _target(source: Shape, wanted: Sequence[int]) -> Shape:
    _check_values(wanted)
    if any(d == 0 and i >= len(source) for i, d in enumerate(wanted)):
        raise KernelInputError(f"shape {list(wanted)} copies a dimension that input shape {source} does not have")
    target = tuple(source[i] if d == 0 else d for i, d in enumerate(wanted))
    if -1 not in wanted:
        _check_counts(source, target)
        return target
    # A copied dimension stands on both sides: it cancels out, even where it is unknown or 0.
    uncopied = tuple(d for i, d in enumerate(source) if i >= len(wanted) or wanted[i] != 0)
    rest = _divide(uncopied, [d for d in wanted if d > 0], wanted)
    open_at = wanted.index(-1)
    return (*target[:open_at], rest, *target[open_at + 1 :])


def _check_values(wanted: Sequence[int]) -> None:
    if wanted.count(-1) > 1 or min(wanted, default=0) < -1:
        raise KernelInputError(f"shape must hold sizes, 0 and at most one -1, got {list(wanted)}")


def _divide(source: Shape, fixed: Sequence[int], wanted: Sequence[int]) -> int:
    count = element_count(source)
    if count == UNKNOWN:
        return UNKNOWN
    rest, left_over = divmod(count, math.prod(fixed))
    if left_over:
        raise KernelInputError(f"{count} elements do not fill shape {list(wanted)}")
    return rest


def _check_counts(source: Shape, target: Shape) -> None:
    have, want = element_count(source), element_count(target)
    if UNKNOWN in (have, want):
        known = math.prod(d for d in source if d != UNKNOWN)
        mismatch = want != UNKNOWN and want % known != 0
    else:
        mismatch = have != want
    if mismatch:
        raise KernelInputError(f"input shape {source} cannot become {target}, the element counts differ")


KERNEL = ReferenceKernel("Reshape", reshape, infer_reshape, ALL_DTYPES)
