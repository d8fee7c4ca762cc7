"""LowForm: an operator over fewer axes that computes the same, element for element."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field

from ....basics.data_class import dataclass
from ....ir import Node, Primitive
from ..facts import RewriteFacts
from ..grouping import FREE
from ..movement import Shape


@dataclass(frozen=True, slots=True)
class LowForm:
    """An operator over fewer axes.

    Attributes:
        primitive: the operator.
        inputs: the new shapes of operands, by position; operands without an entry keep their shape.
        outputs: the shapes of the results.
        numbers: whole numbers that replace constant operands, by position.
    """

    primitive: Primitive
    inputs: Mapping[int, Shape]
    outputs: tuple[Shape, ...]
    numbers: Mapping[int, Sequence[int]] = field(default_factory=dict)


LowFormRule = Callable[[Node, RewriteFacts, int], LowForm | None]
"""Maps a node, the facts, and the largest number of dimensions to the form; None where no form exists."""


def labels_around(shape: Shape, axis: int) -> list[Hashable]:
    """Labels that keep an axis apart: the axes before it may be merged, and the axes behind it."""
    labels = ["before"] * axis + ["axis"] + ["behind"] * (len(shape) - axis - 1)
    return freed(labels, shape, but=(axis,))


def freed(labels: Sequence[Hashable], shape: Shape, but: Sequence[int] = ()) -> list[Hashable]:
    """Labels, ``FREE`` for axes of 1 that are not named."""
    return [FREE if shape[a] == 1 and a not in but else label for a, label in enumerate(labels)]
