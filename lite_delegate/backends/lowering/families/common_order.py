"""The order of axes in which operands come together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..term import Axes, Lowered, identity, moving


def common_order(values: Sequence[Lowered], rank: int) -> Axes:
    """The order that leaves the most elements of the variable operands of full rank where they are.

    An operand may already exist in several orders: its own, and the orders that earlier operators needed. Of equally
    good orders the function takes the order that most operands have for their own, and the first of these.
    """
    full = [value for value in values if not value.is_constant and value.rank == rank and math.prod(value.shape) > 1]
    own = [value.order for value in full]
    candidates = [*own, *(order for value in full for order in value.made)]

    def badness(order: Axes) -> tuple[int, int]:
        moved = sum(math.prod(value.shape) for value in full if not _is_there(value, order))
        return moved, -own.count(order)

    return min(candidates, key=badness, default=identity(rank))


def _is_there(value: Lowered, order: Axes) -> bool:
    return order in value.made or moving(order, value.shape) == moving(value.order, value.shape)
