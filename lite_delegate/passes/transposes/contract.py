"""Contracts: the orders of axes in which an operator may run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...basics.data_class import dataclass
from ...ir import Node, Primitive, Value, constant
from ...ir.axes import Axes
from ..framework.specs import Specs

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Label:
    """One way to run a node.

    Attributes:
        operands: the permutation of its moving operands, relative to the graph.
        results: the permutation of its outputs that follows.
    """

    operands: Axes
    results: Axes


class Contract(ABC):
    """The orders of axes in which a node may run, and the node's form in each order.

    Attributes:
        node: the node.
        moving: the positions of the inputs that are permuted; other inputs are constants, which ``rewritten`` changes.
        rank: the rank of the moving inputs.
    """

    def __init__(self, node: Node, moving: tuple[int, ...], rank: int) -> None:
        self.node = node
        self.moving = moving
        self.rank = rank

    @abstractmethod
    def from_operands(self, axes: Axes) -> Label | None:
        """The way to run when the moving inputs are permuted by ``axes``; None when they must not be."""

    def from_results(self, axes: Axes) -> Label | None:
        """The label under which the outputs are permuted by ``axes``; None when no label does that."""
        label = self.from_operands(axes)
        return label if label is not None and label.results == axes else None

    @abstractmethod
    def rewritten(self, label: Label) -> tuple[Primitive, Mapping[int, Value]]:
        """The primitive, and the constants by position of the input, under a label."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that contracts are drawn up from.

    Attributes:
        specs: the specs of the values, with the shapes that the file declares.
        any_shape: the specs that hold for any shapes of the inputs.
        variables: values that are no constants.
    """

    specs: Specs
    any_shape: Specs
    variables: frozenset[Value]

    def constant(self, node: Node, position: int) -> Array | None:
        """The elements of a node's constant input; None where it is absent or no constant."""
        value = node.inputs[position] if position < len(node.inputs) else None
        return None if value is None or value in self.variables or value.is_parameter else value.data

    def ints(self, node: Node, position: int) -> list[int] | None:
        """The elements of a constant input of whole numbers, as a list."""
        data = self.constant(node, position)
        return None if data is None or data.dtype.kind not in "iu" else [int(n) for n in data.reshape(-1)]

    def rank(self, value: Value | None) -> int | None:
        """Number of dimensions of a value, None where it is not known."""
        spec = None if value is None else self.specs.get(value)
        return None if spec is None else spec.rank


def first_operand(node: Node, facts: Facts) -> int | None:
    """The rank of a node's first input where that is no constant; else None."""
    if not node.inputs or node.inputs[0] is None or node.inputs[0].is_constant:
        return None
    return facts.rank(node.inputs[0])


def normalized(axis: int, rank: int) -> int:
    """An axis counted from the front."""
    return axis + rank if axis < 0 else axis


def changed(value: Value, data: Array) -> Value:
    """A constant with other elements, and the other properties of the given constant."""
    made = constant(value.name, np.ascontiguousarray(data).reshape(data.shape), value.format)
    return replace(value, data=made.data, shape=made.shape)


def whole_numbers(value: Value, numbers: list[int]) -> Value:
    """A constant with other whole numbers, of its own dtype, as a vector."""
    dtype = np.int32 if value.data is None else value.data.dtype
    return changed(value, np.array(numbers, dtype))


def constant_input(node: Node, position: int) -> Value:
    """An input that is known to be a constant."""
    value = node.inputs[position]
    assert value is not None
    return value
