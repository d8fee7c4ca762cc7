"""Contracts of Reshape and Flatten."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from lite_delegate_kernels import UNKNOWN

from ...basics.data_class import dataclass
from ...ir import Node, Primitive, Value, constant, index_array, make_primitive
from ...ir.axes import Axes
from .contract import Contract, Facts, Label, first_operand
from .groups import Group, Shape, across, groups_of


@dataclass(frozen=True, slots=True)
class Sizes:
    """The facts of a reshape.

    Attributes:
        source: the operand's shape, as the file declares it; UNKNOWN at most in front.
        target: the result's shape.
        wanted: the numbers of the reshape's second input: sizes, 0 and -1.
        certain: the dimensions of the operand that are the same for any shapes of the model's inputs.
    """

    source: Shape
    target: Shape
    wanted: Shape
    certain: Shape

    @property
    def holds_always(self) -> bool:
        """True when the groups of axes are the same whatever shapes the model's inputs have."""
        left = 0
        while left < min(len(self.wanted), len(self.certain)) and self._copies(left, left):
            left += 1
        right = 0
        while right < min(len(self.wanted), len(self.certain)) - left and self._copies(-1 - right, -1 - right):
            right += 1
        inside = self.certain[left : len(self.certain) - right]
        return self.wanted[left : len(self.wanted) - right] == (-1,) or UNKNOWN not in inside

    def _copies(self, target: int, source: int) -> bool:
        number = self.wanted[target]
        return (number == 0 and target >= 0) or (number > 0 and number == self.certain[source])


class Regrouped(Contract):
    """Runs in any order of axes that leaves groups of axes together.

    1. Axes of one element go anywhere.
    2. Axes that become one axis, or that one axis becomes, stay next to each other, in order.
    3. Numbers that held for one order alone (0, -1) are replaced by the sizes that they stood for, unless they hold in
       the new order, too, for any shapes that a model is resized to.
    """

    def __init__(self, node: Node, sizes: Sizes, groups: tuple[Group, ...]) -> None:
        super().__init__(node, (0,), len(sizes.source))
        self._sizes = sizes
        self._groups = groups

    def from_operands(self, axes: Axes) -> Label | None:
        """The order of the groups."""
        results = across(axes, self._groups, self._sizes.target)
        return None if results is None else Label(axes, results)

    def from_results(self, axes: Axes) -> Label | None:
        """The order of the groups, for the operand; axes of one element of the result come out where they are asked."""
        operands = across(axes, [(outs, ins) for ins, outs in self._groups], self._sizes.source)
        return None if operands is None else Label(operands, axes)

    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """A Reshape to the permuted shape."""
        numbers = self._kept(label) if self._sizes.holds_always else None
        shape = index_array(self._declared(label) if numbers is None else numbers)
        return make_primitive("Reshape"), {1: constant(f"{self.node.name}/shape", shape)}

    def _kept(self, label: Label) -> list[int] | None:
        """The numbers that hold for all shapes, in the new order; None where two would be open."""
        numbers = []
        for place, axis in enumerate(label.results):
            number = self._sizes.wanted[axis]
            if number == 0 and label.operands.index(axis) != place:
                number = self._sizes.certain[axis]
            numbers.append(number)
        return numbers if numbers.count(-1) <= 1 else None

    def _declared(self, label: Label) -> list[int]:
        """The shape that the file declares; a batch in front, of any size, is copied."""
        numbers = [self._sizes.target[axis] for axis in label.results]
        if not numbers:
            return []
        is_batch = (0,) in [ins for ins, outs in self._groups if outs == (0,)] or self._sizes.target[0] == 1
        same_place = label.results[0] == label.operands[0] == 0 and self._sizes.source[0] == self._sizes.target[0]
        if is_batch and same_place and self._sizes.wanted[0] <= 0:
            numbers[0] = 0
        return [-1 if n == UNKNOWN else n for n in numbers]


def reshape_contract(node: Node, facts: Facts) -> Contract | None:
    """The contract of Reshape to a constant shape, and of Flatten; None where sizes are not known."""
    if first_operand(node, facts) is None:
        return None
    sizes = _sizes(node, facts)
    if sizes is None:
        return None
    source, target = sizes.source, sizes.target
    if UNKNOWN in source[:1] and UNKNOWN in target[:1]:
        # A batch of unknown size, alone in front on both sides: a number that no other axes make stands for it.
        batch = 1 + prod(source[1:]) + prod(target[1:])
        source, target = (batch, *source[1:]), (batch, *target[1:])
    if min((*source, *target), default=1) < 1 or prod(source) != prod(target):
        return None
    return Regrouped(node, sizes, groups_of(source, target))


def _sizes(node: Node, facts: Facts) -> Sizes | None:
    source, certain = facts.specs[node.inputs[0]].shape, facts.any_shape[node.inputs[0]].shape  # type: ignore[index]
    result = facts.specs.get(node.outputs[0])
    if source is None or certain is None or result is None or result.shape is None:
        return None
    if node.op_type == "Flatten":
        axis = node.primitive.attributes()["axis"]
        wanted: list[int] | None = [0, -1] if axis == 1 else None
    else:
        wanted = facts.ints(node, 1)
    if wanted is None or len(wanted) != len(result.shape):
        return None
    return Sizes(source, result.shape, tuple(wanted), certain)
