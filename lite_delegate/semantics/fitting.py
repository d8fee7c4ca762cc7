"""Attributes that do not fit the shapes of their node, and the axes that they name."""

from __future__ import annotations

from collections.abc import Sequence

from .operands import normalized


class DoesNotFit(ValueError):
    """Attributes, shapes and constants of a node that do not go together; the message is a claim's reason."""


def placed_axes(axes: Sequence[int], rank: int, name: str) -> tuple[int, ...]:
    """``axes`` counted from the front.

    Raises:
        DoesNotFit: one is outside of a tensor of that rank, or named twice.
    """
    placed = tuple(normalized(axis, rank) for axis in axes)
    if len(set(placed)) != len(placed) or any(not 0 <= axis < rank for axis in placed):
        raise DoesNotFit(f"{name} must name different ones of {rank} axes, is {list(axes)}")
    return placed
