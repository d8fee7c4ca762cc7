"""Shapes that an operator demands, compared dimension by dimension with what is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape

T = TypeVar("T", Array, ArraySpec)


def expect_shape(name: str, spec: ArraySpec, expected: Shape) -> Shape:
    """Everything known of an array that must have shape ``expected``.

    Args:
        name: what the array is called in the error.
        spec: the array.
        expected: its dimensions, ``UNKNOWN`` where any size will do.

    Returns:
        ``expected``, its unknown dimensions filled in from ``spec`` where that knows them.

    Raises:
        KernelInputError: another rank, or a known dimension that differs.
    """
    found = (UNKNOWN,) * len(expected) if spec.shape is None else spec.shape
    if len(found) != len(expected) or any(
        UNKNOWN not in (f, e) and f != e for f, e in zip(found, expected, strict=True)
    ):
        raise KernelInputError(f"{name} must have shape {_text(expected)}, got {found}")
    return tuple(f if e == UNKNOWN else e for f, e in zip(found, expected, strict=True))


def _text(shape: Shape) -> str:
    dims = ", ".join("?" if d == UNKNOWN else str(d) for d in shape)
    return f"({dims},)" if len(shape) == 1 else f"({dims})"


def without_gaps(inputs: Sequence[T | None], first: int) -> list[T]:
    """The inputs up to the last one that is there; ``first`` is the position of the first in the node's inputs.

    Raises:
        KernelInputError: one before the last is absent.
    """
    given = list(inputs)
    while given and given[-1] is None:
        given.pop()
    present = [x for x in given if x is not None]
    if len(present) != len(given):
        raise KernelInputError(f"input {given.index(None) + first} must be given")
    return present
