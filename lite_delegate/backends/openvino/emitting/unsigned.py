"""Twins: a uint8 tensor beside an int8 tensor that stands for real numbers, for OpenVINO's integer kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...lowering import Attributes, Spec, Term

INT8, UINT8 = np.dtype(np.int8), np.dtype(np.uint8)
HALF = 128
"""The distance between the integers of both types that stand for the same number."""
MOVING = frozenset({"Transpose", "Reshape"})
Write = Callable[[str, Sequence[Term | None], Sequence[Spec], Attributes], Sequence[Any]]


class Twins:
    """Quantizes int8 tensors to uint8 as well, for readers that dequantize them.

    OpenVINO's passes for integer kernels move a quantization before a join of tensors in front of it, and make uint8 of
    int8 whose zero point is not 0 there: numbers below 0 are lost then. Unread twins are not computed.

    Args:
        write: writes a node as it is.
        constant: gives a constant.
    """

    def __init__(self, write: Write, constant: Callable[[np.ndarray], Any]) -> None:
        self._write, self._constant = write, constant
        self._twins: dict[int, tuple[Any, Term]] = {}  # by ids of handles, which are kept

    def instead(self, op: str, operands: Sequence[Term | None]) -> Sequence[Term | None]:
        """The operands that a node is to read: DequantizeLinear reads the twin where it exists."""
        twin = self._twin(operands)
        if op != "DequantizeLinear" or twin is None:
            return operands
        return [twin, operands[1], self._moved(operands[2])]

    def see(
        self,
        op: str,
        operands: Sequence[Term | None],
        results: Sequence[Spec],
        attributes: Attributes,
        made: Sequence[Any],
    ) -> None:
        """Writes the twin of a node's result, if it is int8 and stands for real numbers."""
        given, twin = operands, self._twin(operands)
        if op == "QuantizeLinear" and results[0][0] == INT8:
            given = [*operands[:2], self._moved(operands[2])]
        elif op in MOVING and twin is not None:
            given = [twin, *operands[1:]]
        else:
            return
        spec = (UINT8, results[0][1])
        (handle,) = self._write(op, given, [spec], attributes)
        self._twins[id(made[0])] = made[0], Term(handle, *spec)

    def _twin(self, operands: Sequence[Term | None]) -> Term | None:
        found = self._twins.get(id(operands[0].handle)) if operands and operands[0] is not None else None
        return None if found is None else found[1]

    def _moved(self, zero: Term | None) -> Term:
        assert zero is not None
        assert zero.constant is not None
        array = (zero.constant.astype(np.int16) + HALF).astype(UINT8)
        return Term(self._constant(array), UINT8, array.shape, array)
