"""Constant matrices read by products in both orders: OpenVINO's CPU packs such a matrix once, for the first product."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....tensors.tensor import Array
from ...lowering import Attributes, Term

PRODUCTS = frozenset({"MatMul", "Gemm"})
RIGHT = 1
"""The position of the factor that OpenVINO lays out when it compiles."""


class Factors:
    """Gives a square matrix that is also read transposed to the second way of reading it as a copy.

    OpenVINO knows what it has laid out by the address of the numbers and by sizes, not by whether it was transposed.

    Args:
        constant: the output of a new constant.
    """

    def __init__(self, constant: Callable[[Array], Any]) -> None:
        self._constant = constant
        self._handles: dict[tuple[int, tuple[int, ...], bool], Any] = {}
        self._kept: list[Array] = []  # no other matrix comes to lie where one of them lies

    def apart(self, op: str, operands: Sequence[Term | None], attributes: Attributes) -> Sequence[Term | None]:
        """The operands, with a copy of a matrix that an earlier product has read in the other order."""
        right = operands[RIGHT] if op in PRODUCTS else None
        if right is None or right.constant is None or not _is_square(right.constant):
            return operands
        matrix = right.constant
        is_transposed = op == "Gemm" and bool(attributes.get("transB", 0))
        place = matrix.__array_interface__["data"][0], matrix.strides
        if (*place, is_transposed) not in self._handles:
            self._kept.append(matrix)
            is_first = (*place, not is_transposed) not in self._handles
            self._handles[(*place, is_transposed)] = right.handle if is_first else self._constant(np.array(matrix))
        instead = replace(right, handle=self._handles[(*place, is_transposed)])
        return [instead if position == RIGHT else term for position, term in enumerate(operands)]


def _is_square(matrix: Array) -> bool:
    return matrix.ndim > 1 and matrix.shape[-1] == matrix.shape[-2]
