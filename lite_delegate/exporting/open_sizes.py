"""Other sizes for the open dimensions of a graph."""

from __future__ import annotations

from collections.abc import Sequence

from ..formats.input_shapes import OPEN, close_shapes
from ..ir import Graph, Value

FURTHER = (1, 6)
"""What is added to each open dimension."""


def other_sizes(graph: Graph) -> list[dict[str, Sequence[int]]]:
    """Shapes of the inputs with open dimensions, by name: all of these dimensions are larger, by one number."""
    closed = close_shapes(graph.inputs).shapes
    return [{value.name: _larger(value, dims, more) for value, dims in closed.items()} for more in FURTHER]


def _larger(value: Value, dims: Sequence[int], more: int) -> list[int]:
    assert value.shape is not None
    return [dim + more if declared == OPEN else dim for declared, dim in zip(value.shape, dims, strict=True)]
