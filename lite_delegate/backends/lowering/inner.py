"""Inner: a graph inside of an operator, a branch or the body of a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...data_class import dataclass
from .term import Dtype, Shape, Term


@dataclass(frozen=True, slots=True, eq=False)
class Inner:
    """A graph that is written when the operator that it belongs to is.

    Attributes:
        inputs: element types and shapes of what the operator gives it.
        write: writes it to an emitter, given the terms of its inputs and the operands of the operator, which it may
            read, too; returns the terms of its outputs, each with a node of its own where the emitter needs one.
    """

    inputs: Sequence[tuple[Dtype, Shape]]
    write: Callable[[Any, Sequence[Term], Sequence[Term | None]], list[Term]]
