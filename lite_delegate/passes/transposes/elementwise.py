"""Contracts of operators that look at each place of their inputs alone, whatever its axes mean."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...ir import Node, Primitive, Value
from ...ir.axes import Axes
from ...ir.traits import ElementPattern, traits_of
from .contract import Contract, Facts, Label, changed


class Elementwise(Contract):
    """Runs in any order of axes, the same for all its operands.

    1. Constants of fewer dimensions get leading ones and are permuted.
    2. Constants of one element stay as they are.
    """

    def from_operands(self, axes: Axes) -> Label | None:
        """The label that permutes the results as the operands."""
        return Label(axes, axes)

    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """Constants permuted."""
        found: dict[int, Value] = {}
        for position, value in enumerate(self.node.inputs):
            if position not in self.moving and value is not None and value.data is not None and value.data.size != 1:
                full = value.data.reshape((1,) * (self.rank - value.data.ndim) + value.data.shape)
                found[position] = changed(value, np.transpose(full, label.operands))
        return self.node.primitive, found


def elementwise_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of an element-wise node; None where an operand is stretched that is no constant."""
    traits = traits_of(node.op_type)
    ranks = [facts.rank(v) for v in node.inputs if v is not None]
    if None in ranks or len(ranks) != len(node.inputs) or not traits.is_elementwise(len(node.inputs)):
        return None
    rank = max((r for r in ranks if r is not None), default=0)
    moving = tuple(i for i in range(len(node.inputs)) if facts.constant(node, i) is None)
    if traits.pattern is ElementPattern.UNARY:
        singles = all((d := facts.constant(node, i)) is not None and d.size == 1 for i in range(1, len(node.inputs)))
        return Elementwise(node, (0,), rank) if singles and moving == (0,) else None
    if traits.pattern is ElementPattern.ALIKE and len(set(ranks)) > 1:
        return None
    if not moving or any(ranks[i] != rank for i in moving):
        return None
    return Elementwise(node, moving, rank)
