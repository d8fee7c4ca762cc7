"""NodeParts: the nodes that compute a node's result, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..ir import Node, Value, constant, make_primitive, to_numpy

Shape = tuple[int, ...]


class NodeParts:
    """Nodes for one node of one output, in order; the last one takes its name and gives its output.

    Attributes:
        x: the node's first operand.
        shape: of its output.
    """

    def __init__(self, node: Node, x: Value, shape: Shape) -> None:
        self.x = x
        self.shape = shape
        self._node = node
        self._nodes: list[Node] = []
        self._constants = 0

    @property
    def last(self) -> Value:
        """The result of the last node so far."""
        return self._nodes[-1].outputs[0]

    def of(self, op_type: str, *inputs: Value, shape: Shape | None = None, **attributes: object) -> Value:
        """The result of one more node; of the shape of the whole one's where none is given."""
        name = f"{self._node.name}/{op_type}{len(self._nodes)}"
        result = Value(f"{name}:0", self.x.dtype, self.shape if shape is None else shape)
        self._nodes.append(Node(name, make_primitive(op_type, **attributes), list(inputs), [result]))
        return result

    def number(self, value: float) -> Value:
        """A number of the element type of ``x``; the nearest one that it has, where it is an integer's."""
        dtype = np.dtype(to_numpy(self.x.dtype))
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return self.constant(np.array(min(max(int(value), limits.min), limits.max), dtype))
        with np.errstate(over="ignore"):
            return self.constant(np.array(value, np.float64).astype(dtype))

    def ints(self, *numbers: int) -> Value:
        """Whole numbers: axes, sizes, counts."""
        return self.constant(np.array(numbers, np.int32))

    def constant(self, data: np.ndarray[Any, Any]) -> Value:
        """A constant operand."""
        self._constants += 1
        return constant(f"{self._node.name}/constant{self._constants}", data)

    def done(self) -> Sequence[Node]:
        """The nodes."""
        *before, last = self._nodes
        return [*before, replace(last, name=self._node.name, outputs=self._node.outputs)]
