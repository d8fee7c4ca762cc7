"""Box: a block of positions of a tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import sub

from ....basics.data_class import dataclass
from ...device.instructions.slicing import Slice
from ...device.programs.instruction import Array, Shape


@dataclass(frozen=True, slots=True)
class Box:
    """Of each axis a the positions from ``starts[a]`` to ``stops[a]``, the last not included."""

    starts: Shape
    stops: Shape

    @property
    def shape(self) -> Shape:
        """The number of positions along each axis."""
        return tuple(map(sub, self.stops, self.starts))

    @property
    def elements(self) -> int:
        """The number of elements."""
        return math.prod(map(sub, self.stops, self.starts))

    def along(self, axis: int) -> tuple[int, int]:
        """First position, and the one after the last, along an axis."""
        return self.starts[axis], self.stops[axis]

    def with_along(self, axis: int, start: int, stop: int) -> Box:
        """The box with other positions along one axis."""
        after = axis + 1
        return Box((*self.starts[:axis], start, *self.starts[after:]), (*self.stops[:axis], stop, *self.stops[after:]))

    def slice(self) -> Slice:
        """The instruction that takes it."""
        return Slice(self.starts, self.shape, (1,) * len(self.starts))

    def of(self, array: Array) -> Array:
        """A view of its elements."""
        view: Array = array[tuple(slice(*pair) for pair in zip(self.starts, self.stops, strict=True))]
        return view


def whole(shape: Sequence[int]) -> Box:
    """Every position of a tensor."""
    return Box((0,) * len(shape), tuple(shape))
