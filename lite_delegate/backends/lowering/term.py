"""Terms: a backend's tensors. A lowered tensor of the model is a term with an order of axes."""

from __future__ import annotations

from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from ...basics.data_class import dataclass
from ...tensors.tensor import Array

Axes: TypeAlias = tuple[int, ...]
Shape: TypeAlias = tuple[int, ...]
Dtype: TypeAlias = np.dtype[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A tensor as the backend has it.

    Attributes:
        handle: the emitter's handle of it; None with an emitter that emits nothing.
        dtype: its element type.
        shape: its dimensions, in the backend's order of axes.
        constant: its contents where they are known; the emitter has been given them.
    """

    handle: Any
    dtype: Dtype
    shape: Shape
    constant: Array | None = None


@dataclass(slots=True, eq=False)
class Lowered:
    """A tensor of the model while its run is lowered: a term whose axes may be in another order.

    Transposes of the model only relabel: they cost nothing until an operator asks for a certain order.

    Attributes:
        shape: the dimensions in the model's order of axes.
        dtype: the element type.
        order: axis i of the backend's tensor is axis ``order[i]`` of the model's.
        term: the backend's tensor; None for a constant, which is handed over in the order that it is asked for in.
        constant: the contents of a constant, in the model's order of axes.
        made: terms of this tensor in other orders, which operators asked for before.
    """

    shape: Shape
    dtype: Dtype
    order: Axes
    term: Term | None
    constant: Array | None = None
    made: dict[Axes, Term] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def is_constant(self) -> bool:
        """True for contents that are known."""
        return self.constant is not None


def moving(order: Axes, shape: Shape) -> list[int]:
    """The axes of more than one element, in an order: where it is the same, so are the elements in memory."""
    return [axis for axis in order if shape[axis] != 1]


def identity(rank: int) -> Axes:
    """The model's own order of axes."""
    return tuple(range(rank))
