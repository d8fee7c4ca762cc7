"""Rereading: a model file read again for known shapes gives the graph of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ....errors import GraphError, InputError, ModelFormatError, ShapeError, UnsupportedOperatorError
from ....formats.input_shapes import OPEN
from ....ir import DataType, Graph, Node, Value

InputShapes = Mapping[Value, tuple[int, ...]]
NO_SHAPES: InputShapes = {}
LEAST_SHARED = 1024
"""Bytes of the smallest constant that is worth sharing."""


def read_for(graph: Graph, input_shapes: InputShapes) -> tuple[Graph, InputShapes]:
    """The graph for shapes of its inputs, and the shapes that its inputs do not declare.

    1. A graph that cannot be read again (``Graph.reading``), or of which a shape is not known, is returned as given.
    2. Any other graph is read again; its inputs declare the shapes then.

    Args:
        graph: a verified graph.
        input_shapes: shapes of inputs that differ from what the graph declares.

    Raises:
        ShapeError: the model cannot be read for these shapes.
    """
    numbers = [value for value in graph.inputs if value.dtype != DataType.STRING]
    shapes = {value.name: input_shapes.get(value, value.shape) for value in numbers}
    known = {name: shape for name, shape in shapes.items() if shape is not None and OPEN not in shape}
    if graph.reading is None or len(known) < len(numbers):
        return graph, input_shapes
    try:
        read = graph.reading(known)
    except (GraphError, InputError, ModelFormatError, UnsupportedOperatorError) as e:
        raise ShapeError(str(e)) from e
    return _sharing(read, graph), NO_SHAPES


def _sharing(read: Graph, known: Graph) -> Graph:
    """The graph that was read, with the larger constants of another graph of the same file: plans share them."""
    values = (value for each in known.all_graphs() for value in each.values())
    theirs = {v.name: v.data for v in values if v.data is not None and v.data.nbytes >= LEAST_SHARED}
    made: dict[Value, Value] = {}

    from ....passes.framework.rewriting import rewrite_constants  # few models are read again

    def rewrite(node: Node, position: int, value: Value) -> Value:
        data, other = value.data, theirs.get(value.name)
        if data is None or other is None or data.dtype != other.dtype or not np.array_equal(data, other):
            return value
        if value not in made:
            made[value] = replace(value, data=other)
        return made[value]

    return rewrite_constants(read, rewrite).graph
