"""Contracts of operators that name axes: the names are rewritten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ir import Node, Primitive, Value
from ...ir.axes import Axes, renumber
from .contract import Contract, Facts, Label, constant_input, first_operand, normalized, whole_numbers


class NamedAxes(Contract):
    """Runs in any order of axes; the attribute ``axis`` names its axes anew."""

    def from_operands(self, axes: Axes) -> Label | None:
        """The label that permutes the results as the operands."""
        return Label(axes, axes)

    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """The axes where they are now."""
        old = self.node.primitive.attributes()["axis"]
        axes = old if isinstance(old, tuple) else (old,)
        return _named(self.node.primitive, [label.operands.index(normalized(a, self.rank)) for a in axes]), {}


class Removed(Contract):
    """Names axes and takes them out of the shape, or leaves dimensions of 1 in their place.

    Args:
        node, rank: as for every contract; the first input moves.
        axes: the named axes.
        keeps: whether the axes stay as dimensions of 1.
        position: the position of the constant input that names them; None for the attribute ``axis``.
    """

    def __init__(self, node: Node, rank: int, axes: Axes, *, keeps: bool, position: int | None = None) -> None:
        super().__init__(node, (0,), rank)
        self._axes = axes
        self._keeps = keeps
        self._position = position

    def from_operands(self, axes: Axes) -> Label | None:
        """The order without the axes that are taken out."""
        return Label(axes, axes if self._keeps else renumber([a for a in axes if a not in self._axes]))

    def from_results(self, axes: Axes) -> Label | None:
        """The axes that are taken out stay where they are among the operand's."""
        if self._keeps:
            return Label(axes, axes)
        kept = [a for a in range(self.rank) if a not in self._axes]
        order = iter([kept[a] for a in axes])
        return Label(tuple(a if a in self._axes else next(order) for a in range(self.rank)), axes)

    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """The axes where they are now, in ascending order."""
        new = sorted(label.operands.index(a) for a in self._axes)
        if self._position is not None:
            return self.node.primitive, {self._position: whole_numbers(constant_input(self.node, self._position), new)}
        return _named(self.node.primitive, new), {}


class Inserted(Contract):
    """Unsqueeze, ExpandDims and Stack: adds axes to the shape, which may come out anywhere.

    Args:
        node, moving, rank: as for every contract.
        axes: where the new axes are, in the output.
        position: the position of the constant input that names the axis; None for the attribute ``axis``.
    """

    def __init__(self, node: Node, moving: tuple[int, ...], rank: int, axes: Axes, position: int | None) -> None:
        super().__init__(node, moving, rank)
        self._axes = axes
        self._position = position

    def from_operands(self, axes: Axes) -> Label | None:
        """The new axes come out where they did."""
        kept = [a for a in range(self.rank + len(self._axes)) if a not in self._axes]
        order = iter([kept[a] for a in axes])
        return Label(axes, tuple(a if a in self._axes else next(order) for a in range(self.rank + len(self._axes))))

    def from_results(self, axes: Axes) -> Label | None:
        """Whatever order the result has."""
        return Label(renumber([a for a in axes if a not in self._axes]), axes)

    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """The new axes where they come out, in ascending order."""
        new = sorted(label.results.index(a) for a in self._axes)
        if self._position is None:
            return _named(self.node.primitive, new), {}
        return self.node.primitive, {self._position: whole_numbers(constant_input(self.node, self._position), new)}


def _named(primitive: Primitive, axes: Sequence[int]) -> Primitive:
    """The primitive with other axes in its attribute ``axis``, which holds several axes or one."""
    several = isinstance(primitive.attributes()["axis"], tuple)
    return primitive.replace(axis=tuple(axes) if several else axes[0])


def named_axes_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of Concat, Split, Softmax and the like; None where ranks or axes are not known."""
    ranks = {facts.rank(v) for v in node.inputs} if node.op_type == "Concat" else {first_operand(node, facts)}
    if len(ranks) != 1 or (rank := ranks.pop()) is None:
        return None
    axis = node.primitive.attributes()["axis"]
    if isinstance(axis, tuple):
        if not axis or not all(-rank <= a < rank for a in axis):
            return None
        return NamedAxes(node, (0,), rank)
    if axis is None or not -rank <= axis < rank:
        return None
    return NamedAxes(node, tuple(range(len(node.inputs))) if node.op_type == "Concat" else (0,), rank)


def reduce_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of ReduceFusion over axes that are constants."""
    rank, axes, attributes = first_operand(node, facts), facts.ints(node, 1), node.primitive.attributes()
    if rank is None or not axes or attributes["reduce_to_end"]:
        return None
    named = tuple(normalized(a, rank) for a in axes)
    return Removed(node, rank, named, keeps=attributes["keep_dims"], position=1)


def select_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of ArgMaxFusion and ArgMinFusion."""
    rank, attributes = first_operand(node, facts), node.primitive.attributes()
    if rank is None or not -rank <= attributes["axis"] < rank:
        return None
    keeps = attributes["keep_dims"] or attributes["top_k"] > 1
    return Removed(node, rank, (normalized(attributes["axis"], rank),), keeps=keeps)


def unstack_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of Unstack."""
    rank, axis = first_operand(node, facts), node.primitive.attributes()["axis"]
    if rank is None or not -rank <= axis < rank:
        return None
    return Removed(node, rank, (normalized(axis, rank),), keeps=False)


def squeeze_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of Squeeze where it names its axes."""
    rank = first_operand(node, facts)
    position = 1 if len(node.inputs) > 1 and node.inputs[1] is not None else None
    axes = facts.ints(node, 1) if position else node.primitive.attributes()["axis"]
    if rank is None or not axes:
        return None
    named = tuple(normalized(a, rank) for a in axes)
    return Removed(node, rank, named, keeps=False, position=position)


def insert_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of Unsqueeze and ExpandDims."""
    rank = first_operand(node, facts)
    position = 1 if node.op_type == "ExpandDims" else None
    axes = facts.ints(node, 1) if position else node.primitive.attributes()["axis"]
    if rank is None or not axes:
        return None
    return Inserted(node, (0,), rank, tuple(normalized(a, rank + len(axes)) for a in axes), position)


def stack_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of Stack, whose inputs move alike."""
    ranks, axis = {facts.rank(v) for v in node.inputs}, node.primitive.attributes()["axis"]
    if len(ranks) != 1 or (rank := ranks.pop()) is None or not -rank - 1 <= axis <= rank:
        return None
    return Inserted(node, tuple(range(len(node.inputs))), rank, (normalized(axis, rank + 1),), None)


def index_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of CumSum, and of Gather with a vector of indices: the axis is a constant input."""
    position = 1 if node.op_type == "CumSum" else 2
    rank, axis = first_operand(node, facts), facts.ints(node, position)
    if rank is None or axis is None or len(axis) != 1:
        return None
    if node.op_type == "Gather" and (facts.constant(node, 1) is None or facts.rank(node.inputs[1]) != 1):
        return None
    return Removed(node, rank, (normalized(axis[0], rank),), keeps=True, position=position)
