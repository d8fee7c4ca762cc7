"""OperatorCall: one node of ONNX's operators, to be written as nodes of OpenVINO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ....tensors.tensor import Array
from ...lowering import Attributes, Dtype, Shape, Spec, Term


def never(_: Array) -> bool:
    """False."""
    return False


@dataclass(frozen=True, slots=True)
class OperatorCall:
    """One operator with its operands.

    Attributes:
        constant: the output of a constant that shares the array's memory.
        operands: by position; None is absent.
        results: element types and shapes that it has to give.
        attributes: as ONNX has them.
        stays_integer: whether weights of 8 bits are multiplied as the integers that they are.
        fixed: positions of the operands that depend on no input.
    """

    constant: Callable[[Array], Any]
    operands: Sequence[Term | None]
    results: Sequence[Spec]
    attributes: Attributes
    stays_integer: Callable[[Array], bool] = never
    fixed: frozenset[int] = frozenset()

    @property
    def inputs(self) -> list[Any]:
        """The handles of all operands that are there."""
        return [term.handle for term in self.operands if term is not None]

    @property
    def dtype(self) -> Dtype:
        """The element type of the first result."""
        return self.results[0][0]

    @property
    def shape(self) -> Shape:
        """The shape of the first result."""
        return self.results[0][1]

    def term(self, position: int) -> Term:
        """An operand that must be there."""
        found = self.operands[position]
        assert found is not None
        return found

    def has(self, position: int) -> bool:
        """Whether an operand is there."""
        return position < len(self.operands) and self.operands[position] is not None

    def ints(self, name: str, default: Sequence[int]) -> list[int]:
        """An attribute of several integers."""
        found: Any = self.attributes.get(name, default)
        return [int(each) for each in found]

    def number(self, name: str, default: float) -> float:
        """An attribute of one number."""
        found: Any = self.attributes.get(name, default)
        return float(found)

    def integer(self, name: str, default: int) -> int:
        """An attribute of one integer."""
        return int(self.number(name, default))

    def text(self, name: str, default: str) -> str:
        """An attribute of text."""
        return str(self.attributes.get(name, default))

    def scalar(self, value: float) -> Array:
        """A number of the first result's element type."""
        return np.array(value, self.dtype)

    def positions(self, values: Sequence[int]) -> Array:
        """Axes, sizes or positions (n,)."""
        return np.array(values, np.int64)

    def position(self, value: int) -> Array:
        """One axis or position, without dimensions."""
        return np.array(value, np.int64)
