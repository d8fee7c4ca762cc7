"""Contracts of operators with one constant entry for each axis, and of operators that need their last axis last."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Node, Primitive, Value
from ...ir.axes import Axes
from .contract import Contract, Facts, Label, changed, constant_input, first_operand, normalized, whole_numbers


class PerAxis(Contract):
    """Runs in any order of axes; constant inputs with as many rows as axes have their rows permuted.

    Args:
        node, rank: as for every contract; the first input moves.
        positions: of the inputs with a row for each axis.
    """

    def __init__(self, node: Node, rank: int, positions: tuple[int, ...]) -> None:
        super().__init__(node, (0,), rank)
        self._positions = positions

    def from_operands(self, axes: Axes) -> Label | None:
        """The label that permutes the results as the operands."""
        return Label(axes, axes)

    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """Rows in the order of the axes."""
        found: dict[int, Value] = {}
        for position in self._positions:
            value = constant_input(self.node, position)
            assert value.data is not None
            rows = value.data.reshape(self.rank, -1)[list(label.operands)]
            found[position] = changed(value, rows.reshape(value.data.shape))
        return self.node.primitive, found


class Strided(Contract):
    """StridedSlice without new or dropped axes; it names its axes afterwards.

    Args:
        node, rank: as for every contract; the first input moves.
        axes: the named axes, in the order of the entries.
    """

    def __init__(self, node: Node, rank: int, axes: list[int]) -> None:
        super().__init__(node, (0,), rank)
        self._axes = axes

    def from_operands(self, axes: Axes) -> Label | None:
        """The label that permutes the results as the operands."""
        return Label(axes, axes)

    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """The axes where they are now."""
        new = [label.operands.index(a) for a in self._axes]
        return self.node.primitive, {3: whole_numbers(constant_input(self.node, 3), new)}


class LastStays(Contract):
    """Runs in any order of axes in which the last axis stays the last."""

    def from_operands(self, axes: Axes) -> Label | None:
        """The label that permutes the results as the operands; None where the last axis does not stay last."""
        return Label(axes, axes) if axes and axes[-1] == self.rank - 1 else None

    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """The operator without changes."""
        return self.node.primitive, {}


def slice_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of SliceFusion with constant begin and size, and no list of axes."""
    rank, begin, size = first_operand(node, facts), facts.ints(node, 1), facts.ints(node, 2)
    if rank is None or begin is None or size is None or node.primitive.attributes()["axes"]:
        return None
    return PerAxis(node, rank, (1, 2)) if len(begin) == len(size) == rank else None


def tile_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of TileFusion with a constant multiple for each axis."""
    rank, multiples = first_operand(node, facts), facts.ints(node, 1)
    if rank is None or multiples is None or len(multiples) != rank or node.primitive.attributes()["dims"]:
        return None
    return PerAxis(node, rank, (1,))


def pad_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of PadFusion with constant paddings and a constant fill."""
    rank, pads = first_operand(node, facts), facts.ints(node, 1)
    if rank is None or pads is None or len(pads) != 2 * rank or not rank:
        return None
    if len(node.inputs) > 2 and node.inputs[2] is not None and facts.constant(node, 2) is None:
        return None
    return PerAxis(node, rank, (1,))


def strided_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of StridedSlice in the form that names axes, without masks."""
    rank, axes = first_operand(node, facts), facts.ints(node, 3)
    attributes = node.primitive.attributes()
    if rank is None or not axes or len(node.inputs) != 5 or any(attributes.values()):
        return None
    if any(facts.constant(node, i) is None for i in (1, 2, 4)):
        return None
    return Strided(node, rank, [normalized(a, rank) for a in axes])


def last_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of an operator with parameters for the last axis, which are constants."""
    rank = first_operand(node, facts)
    if rank is None or any(facts.constant(node, i) is None for i in range(1, len(node.inputs))):
        return None
    if len(node.outputs) != 1:
        return None
    return LastStays(node, (0,), rank)
