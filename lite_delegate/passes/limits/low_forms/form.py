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
        primitive: what is applied.
        inputs: the shapes that operands get, by position; the others stay as they are.
        outputs: the shapes of the results.
        numbers: whole numbers that take the place of constant operands, by position.
    """

    primitive: Primitive
    inputs: Mapping[int, Shape]
    outputs: tuple[Shape, ...]
    numbers: Mapping[int, Sequence[int]] = field(default_factory=dict)


Lowering = Callable[[Node, RewriteFacts, int], LowForm | None]
"""Node, facts, and the number of dimensions at most, to the form; None where there is none."""


def labels_around(shape: Shape, axis: int) -> list[Hashable]:
    """Labels that keep an axis apart: what is before it may be merged, and what is behind it."""
    labels = ["before"] * axis + ["axis"] + ["behind"] * (len(shape) - axis - 1)
    return freed(labels, shape, but=(axis,))


def freed(labels: Sequence[Hashable], shape: Shape, but: Sequence[int] = ()) -> list[Hashable]:
    """Labels, ``FREE`` for axes of 1 that are not named."""
    return [FREE if shape[a] == 1 and a not in but else label for a, label in enumerate(labels)]
