"""Inner: a graph inside an operator: a branch, or the body of a loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...basics.data_class import dataclass
from .term import Dtype, Shape, Term

WITH_GRAPHS = frozenset({"If", "Loop"})
"""Operators that have graphs in them."""


@dataclass(frozen=True, slots=True, eq=False)
class Inner:
    """A graph that is written together with the operator that it belongs to.

    Attributes:
        inputs: element types and shapes of its inputs, which the operator gives.
        write: writes it to an emitter, given the terms of its inputs and the operands of the operator, which it may
            read, too; returns the terms of its outputs, each with a node of its own where the emitter needs one.
    """

    inputs: Sequence[tuple[Dtype, Shape]]
    write: Callable[[Any, Sequence[Term], Sequence[Term | None]], list[Term]]


def inner_graphs(attributes: Mapping[str, object]) -> dict[str, Inner]:
    """The graphs of an operator, by the attributes that they are; none where it has none."""
    return {name: inner for name, inner in attributes.items() if isinstance(inner, Inner)}


def own_operands(operands: Sequence[Term | None], graphs: Mapping[str, Inner]) -> Sequence[Term | None]:
    """The operands that a Loop or an If has in ONNX. The operands after them are values that its graphs read by
    name.
    """
    return operands[: max(len(inner.inputs) for inner in graphs.values()) or 1]
