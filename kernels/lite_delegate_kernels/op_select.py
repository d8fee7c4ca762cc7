"""Select: arrays chosen from two lists by a condition."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, check_dtype, check_same_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import merge_shapes, vector_length
from ._shapes import element_count


def select(condition: Array, *sides: Array) -> tuple[Array, ...]:
    """Each array of the first half of ``sides`` where ``condition`` is True, else its partner of the second half.

    Args:
        condition: bool; one element picks a whole side, else as many elements as each of ``sides`` has.
        sides: n arrays for True, then n arrays for False, any dtype. Partners have one dtype, and one shape unless a
            single element picks.

    Returns:
        n arrays, each of the shape and dtype of its pair; ``sides`` themselves where a single element picks.

    Raises:
        KernelInputError: the condition has neither one element nor as many as the arrays, partners differ in shape.
    """
    n = len(sides) // 2
    if condition.size == 1:
        return sides[:n] if condition.item() else sides[n:]
    return tuple(_elements(condition, t, f) for t, f in zip(sides[:n], sides[n:], strict=True))


def infer_select(condition: ArraySpec, *sides: ArraySpec) -> tuple[ArraySpec, ...]:
    """The spec of each pair; where a single element may pick, what the partners' shapes disagree on is unknown.

    Raises:
        KernelInputError: a condition that is not bool, an odd number of arrays, partners that differ in dtype, or what
            ``select`` rejects.
    """
    check_dtype(condition, ("bool",), "the condition")
    if not sides or len(sides) % 2:
        raise KernelInputError(f"as many arrays for True as for False expected, got {len(sides)} in all")
    n = len(sides) // 2
    return tuple(_infer_pair(condition, t, f) for t, f in zip(sides[:n], sides[n:], strict=True))


def _elements(condition: Array, t: Array, f: Array) -> Array:
    shape = merge_shapes((t.shape, f.shape))
    _check_count(condition.size, shape)
    return np.where(condition.reshape(shape), t, f)


def _infer_pair(condition: ArraySpec, t: ArraySpec, f: ArraySpec) -> ArraySpec:
    check_dtype(t, ALL_DTYPES, "each array")
    check_same_dtype(t, f)
    count = vector_length(condition)
    if count == 1 and condition.value is not None:
        return t if condition.value.item() else f
    if count in (None, 1):
        return ArraySpec(t.dtype, _common(t.shape, f.shape))
    known = [s for s in (t.shape, f.shape) if s is not None]
    shape = merge_shapes(known) if known else None
    if count is not None and shape is not None:
        _check_count(count, shape)
    return ArraySpec(t.dtype, shape)


def _common(a: Shape | None, b: Shape | None) -> Shape | None:
    """The part that two shapes agree on."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(m if m == n else UNKNOWN for m, n in zip(a, b, strict=True))


def _check_count(count: int, shape: Shape) -> None:
    if element_count(shape) not in (UNKNOWN, count):
        raise KernelInputError(f"the condition must have one element or those of {shape}, got {count}")


KERNEL = ReferenceKernel("Select", select, infer_select, ALL_DTYPES)
