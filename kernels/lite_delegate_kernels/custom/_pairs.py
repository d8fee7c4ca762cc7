"""Shared by operators of two operands that broadcast."""

from __future__ import annotations

from .._kernel import UNKNOWN, KernelInputError, Shape


def broadcast_shape(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape that two broadcast to, as far as it is known; raises KernelInputError where they do not."""
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    wide = [(*[1] * (rank - len(shape)), *shape) for shape in (a, b)]
    return tuple(_one(m, n, a, b) for m, n in zip(*wide, strict=True))


def _one(m: int, n: int, a: Shape, b: Shape) -> int:
    if m == n or n == 1:
        return m
    if m == 1 or m == UNKNOWN:
        return n
    if n == UNKNOWN:
        return m
    raise KernelInputError(f"shapes {a} and {b} do not broadcast")
