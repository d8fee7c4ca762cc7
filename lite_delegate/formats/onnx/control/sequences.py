"""Sequences of a known number of items, and empty optionals: they exist during the import and not in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from ....ir import DataType, Value
from ..builder import ArraySpec, GraphBuilder

_NO_ARRAY = np.dtype(object)
"""The dtype in a sequence's spec: no kernel takes it."""


class NoElement(Value):
    """An optional without an element."""


class SequenceValue(Value):
    """A sequence, which stands for a value while nodes are converted; no node of the graph reads a sequence.

    Attributes:
        items: the tensors of the sequence, in order.
    """

    items: tuple[Value, ...]

    @classmethod
    def of(cls, name: str, items: Sequence[Value], builder: GraphBuilder) -> SequenceValue:
        """A sequence of values of one graph, known to its builder."""
        made = cls(name, DataType.TENSOR_LIST, None)
        made.items = tuple(items)
        builder.set_spec(made, ArraySpec(_NO_ARRAY, None))
        return made


def no_element(name: str, builder: GraphBuilder) -> NoElement:
    """An empty optional, known to a builder."""
    made = NoElement(name, DataType.TENSOR_LIST, None)
    builder.set_spec(made, ArraySpec(_NO_ARRAY, None))
    return made


def is_sequence(value: Any) -> TypeGuard[SequenceValue]:
    """True for a sequence."""
    return isinstance(value, SequenceValue)
