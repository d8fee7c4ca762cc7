"""Views: the combined effect of a chain of operators that move elements and scale all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ...basics.data_class import dataclass
from ...tensors.tensor import Array
from ..lowering import Inner, Term
from .recorder import WrittenOperator

SLICE_NUMBERS = 4
"""Operands of a Slice behind the tensor: starts, ends, axes, steps."""


@dataclass(frozen=True, slots=True)
class TermView:
    """A term as elements of another one.

    Attributes:
        source: the term that the chain begins with.
        memory: an array of the source's shape, of one byte an element, whose contents are nobody's.
        taken: the same memory as the term has it: its shape and strides say which elements it is made of.
        scale: that all of them are multiplied by.
    """

    source: Term
    memory: Array
    taken: Array
    scale: float

    @property
    def offset(self) -> int:
        """The position of the first element in the source."""
        return int(self.taken.ctypes.data - self.memory.ctypes.data)


def view_of(term: Term) -> TermView | None:
    """A term as a view of its source; None where its elements do not lie at even distances there."""
    moves: list[tuple[WrittenOperator, int]] = []
    scale, source = 1.0, term
    while (node := source.handle.maker) is not None:
        factor = scaled_by(node)
        if factor is not None:
            scale *= factor[1]
            source = factor[0]
        elif node.op in MOVES and node.operands[0] is not None:
            moves.append((node, source.handle.place))
            source = node.operands[0]
        else:
            break
    memory = np.empty(source.shape, np.int8)
    taken: Array | None = memory
    for node, place in reversed(moves):
        taken = None if taken is None else MOVES[node.op](taken, node, place)
    return None if taken is None else TermView(source, memory, taken, scale)


def lies_like(one: Array, other: Array) -> bool:
    """True where two views of one memory are the same elements in the same order."""
    return one.ctypes.data == other.ctypes.data and _steps(one) == _steps(other)


def scaled_by(node: WrittenOperator) -> tuple[Term, float] | None:
    """The term that a node multiplies by one number, and the number; None for any other node."""
    if node.op not in {"Mul", "Div"}:
        return None
    first, second = node.operands
    if node.op == "Mul" and first is not None and _is_number(first):
        first, second = second, first
    if first is None or second is None or second.constant is None or not _is_number(second):
        return None
    number = float(second.constant.item())
    if first.shape != node.results[0].shape or not number:
        return None
    return first, number if node.op == "Mul" else 1.0 / number


def permuted(array: Array, node: WrittenOperator) -> Array:
    """An array with its axes permuted as a Transpose does."""
    perm = node.attributes["perm"]
    assert not isinstance(perm, int | float | str | Inner)
    return array.transpose([int(axis) for axis in perm])


def _is_number(term: Term) -> bool:
    return term.constant is not None and term.constant.size == 1


def _steps(array: Array) -> list[tuple[int, int]]:
    return [(size, step) for size, step in zip(array.shape, array.strides, strict=True) if size != 1]


def _reshaped(array: Array, node: WrittenOperator, place: int) -> Array | None:
    made = array.reshape(node.results[0].shape)
    return made if np.may_share_memory(made, array) else None


def _transposed(array: Array, node: WrittenOperator, place: int) -> Array:
    return permuted(array, node)


def _part(array: Array, node: WrittenOperator, place: int) -> Array:
    axis = _axis(node, array.ndim)
    start = sum(term.shape[axis] for term in node.results[:place])
    return array[(slice(None),) * axis + (slice(start, start + node.results[place].shape[axis]),)]


def _one(array: Array, node: WrittenOperator, place: int) -> Array | None:
    index = node.operands[1]
    if index is None or index.constant is None or index.constant.ndim:
        return None
    return array[(slice(None),) * _axis(node, array.ndim) + (int(index.constant),)]


def _sliced(array: Array, node: WrittenOperator, place: int) -> Array | None:
    numbers = [None if term is None else term.constant for term in node.operands[1:]]
    if len(numbers) != SLICE_NUMBERS or any(each is None for each in numbers):
        return None
    taken = [slice(None)] * array.ndim
    for start, stop, axis, step in zip(*(each.tolist() for each in numbers if each is not None), strict=True):
        if start < 0 or stop < 0 or step < 1:
            return None
        taken[axis] = slice(start, stop, step)
    return array[tuple(taken)]


def _axis(node: WrittenOperator, rank: int) -> int:
    axis = node.attributes["axis"]
    assert isinstance(axis, int)
    return axis % rank


MOVES: Mapping[str, Callable[[Array, WrittenOperator, int], Array | None]] = {
    "Reshape": _reshaped,
    "Transpose": _transposed,
    "Split": _part,
    "Gather": _one,
    "Slice": _sliced,
}
"""What an operator makes of the view that it gets."""
