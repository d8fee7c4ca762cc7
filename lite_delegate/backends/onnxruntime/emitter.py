"""The emitter of ONNX models whose large constants the session shares with us."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...formats.onnx.export import ModelWriter, Outside, elem_type_of
from ...tensor import Array
from ..lowering import OPSET, Attributes, Dtype, Shape, Spec, Term

INLINE_BYTES = 1024
"""Smaller constants are in the model: ONNX Runtime looks at shapes and axes before it has the others."""
IN_MEMORY = "*/lite_delegate"
"""The place that is written for constants which are handed over beside the model."""


class OnnxEmitter:
    """Writes one ONNX model.

    Args:
        name: of the graph.
    """

    def __init__(self, name: str) -> None:
        self._writer = ModelWriter(name, OPSET)
        self._made = 0
        self._offset = 0
        self.layer = ""
        self.outside: dict[str, Array] = {}

    def check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        """Every operator of ONNX is taken."""

    def input(self, name: str, dtype: Dtype, shape: Shape) -> str:
        """The name of an input."""
        given = self._name("x")
        self._writer.input(given, dtype, shape)
        return given

    def constant(self, array: Array) -> str:
        """The name of a constant."""
        name = self._name("c")
        if array.nbytes < INLINE_BYTES:
            self._writer.initializer(name, array)
            return name
        self.outside[name] = np.ascontiguousarray(array)
        self._writer.initializer(name, array, Outside(IN_MEMORY, self._offset))
        self._offset += array.nbytes
        return name

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> list[str]:
        """The names of an operator's results."""
        made = [self._name("v") for _ in results]
        name = f"{self.layer or op}/{made[0]}"
        self._writer.node(op, names_of(operands), made, with_cast(op, results, attributes), name)
        return made

    def finish(self, outputs: Sequence[Term]) -> bytes:
        """The model's bytes. Each output is made by a node of its own, so that two may be one tensor, or an input."""
        for number, term in enumerate(outputs):
            name = f"y{number}"
            self._writer.node("Identity", [str(term.handle)], [name], {})
            self._writer.output(name, term.dtype, term.shape)
        return self._writer.content()

    def _name(self, letter: str) -> str:
        self._made += 1
        return f"{letter}{self._made}"


def with_cast(op: str, results: Sequence[Spec], attributes: Attributes) -> Attributes:
    """A node's attributes in the file: those of Cast say the element type of its result."""
    return {**attributes, "to": elem_type_of(results[0][0])} if op == "Cast" else attributes


def names_of(operands: Sequence[Term | None]) -> list[str]:
    """A node's inputs in the file: "" for absent ones, none at the end."""
    names = ["" if term is None else str(term.handle) for term in operands]
    while names and not names[-1]:
        names.pop()
    return names
