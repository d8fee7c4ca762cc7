"""OperatorCall: one node of ONNX's operators, to be written as nodes of OpenVINO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ....tensors.tensor import Array
from ...lowering import Attributes, Dtype, Shape, Spec, Term
from ...lowering.call_reader import CallReader


def never(_: Array) -> bool:
    """False."""
    return False


@dataclass(frozen=True, slots=True)
class OperatorCall(CallReader):
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

    def scalar(self, value: float) -> Array:
        """A number of the first result's element type."""
        return np.array(value, self.dtype)

    def positions(self, values: Sequence[int]) -> Array:
        """Axes, sizes or positions (n,)."""
        return np.array(values, np.int64)

    def position(self, value: int) -> Array:
        """One axis or position, without dimensions."""
        return np.array(value, np.int64)
