"""Operands with positions or lengths: the operators that have them, and the range of their numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ...basics.data_class import dataclass
from ...delegate import RejectCode
from ...tensors.tensor import Array
from .emitter import Attributes
from .not_lowered import NotLowered
from .term import Term

Axes: TypeAlias = Callable[[Term, Attributes], int | range]


@dataclass(frozen=True, slots=True)
class Bound:
    """The range that the integers in an operand of an ONNX operator must be in.

    Attributes:
        operand: its position.
        axes: of the first operand, given the operand itself and the attributes: the axis that all numbers are for, or
            one axis for each column.
        is_length: numbers are 0 to the size of the axis; otherwise they are places, -size to size - 1.
    """

    operand: int
    axes: Axes
    is_length: bool = False

    def limits(self, sizes: Array) -> tuple[Array, Array]:
        """The smallest and the largest number, for sizes of axes."""
        return (np.zeros_like(sizes), sizes) if self.is_length else (-sizes, sizes - 1)


def _along(name: str) -> Axes:
    def axis(_: Term, attributes: Attributes) -> int:
        found = attributes.get(name, 0)
        assert isinstance(found, int)
        return found

    return axis


def _columns(places: Term, attributes: Attributes) -> range:
    first = attributes.get("batch_dims", 0)
    assert isinstance(first, int)
    return range(first, first + places.shape[-1])


_PLACES, _LENGTHS = Bound(1, _along("axis")), Bound(4, _along("time_axis"), is_length=True)
BOUNDS: Mapping[str, Bound] = {
    **dict.fromkeys(("Gather", "GatherElements", "ScatterElements"), _PLACES),
    **dict.fromkeys(("GatherND", "ScatterND"), Bound(1, _columns)),
    **dict.fromkeys(("RNN", "GRU", "LSTM"), _LENGTHS),
    "ReverseSequence": Bound(1, _along("time_axis"), is_length=True),
}
"""By operator. The rest of a lowering has to make places that its kernel does not take such as these do not take."""


def bounded(op: str, operands: Sequence[Term | None]) -> tuple[Bound, Term] | None:
    """The bound of an operator, and the operand that it is for; None without a bound."""
    bound = BOUNDS.get(op)
    if bound is None or bound.operand >= len(operands):
        return None
    term = operands[bound.operand]
    return None if term is None else (bound, term)


def check_constant_places(op: str, operands: Sequence[Term | None], attributes: Attributes) -> None:
    """Checks places and lengths that are constant.

    Raises:
        NotLowered: a place is outside: the CPU kernel has an error for it.
    """
    found, x = bounded(op, operands), operands[0] if operands else None
    if found is None or x is None or found[1].constant is None:
        return
    bound, term = found
    axes = bound.axes(term, attributes)
    sizes = np.array(x.shape[axes] if isinstance(axes, int) else [x.shape[axis] for axis in axes])
    said = outside(found[1].constant, *bound.limits(sizes))
    if said:
        raise NotLowered(RejectCode.ATTRIBUTE, "positions and lengths must be inside of their axes", said)


def outside(array: Array | None, low: Array, high: Array) -> str:
    """A message about the first number outside of two bounds, "" where all numbers are inside.

    Args:
        array: integers.
        low, high: the bounds: one number, or one number for each column.
    """
    if array is None or array.size == 0:
        return ""
    if low.ndim == 0:  # half of what the methods of arrays take
        smallest, largest = np.minimum.reduce(array, axis=None), np.maximum.reduce(array, axis=None)
        if low.item() <= smallest and largest <= high.item():
            return ""
    wrong = (array < low) | (array > high)
    if not wrong.any():
        return ""
    place = int(np.argmax(wrong))
    ends = (np.broadcast_to(end, array.shape).flat[place] for end in (low, high))
    return "{} is out of range, expected {}..{}".format(array.flat[place], *ends)
