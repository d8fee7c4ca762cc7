"""Models that are read again for known shapes: the graph that a plan is of."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import GraphError, InputError, ModelFormatError, ShapeError, UnsupportedOperatorError
from ...formats.input_shapes import OPEN
from ...ir import DataType, Graph, Value

InputShapes = Mapping[Value, tuple[int, ...]]
NO_SHAPES: InputShapes = {}


def read_for(graph: Graph, input_shapes: InputShapes) -> tuple[Graph, InputShapes]:
    """The graph for shapes of its inputs, and the shapes that its inputs do not declare.

    1. A graph that cannot be read again (``Graph.reading``), or of which a shape is not known: what is given.
    2. Else it is read again; its inputs declare the shapes then.

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
        return graph.reading(known), NO_SHAPES
    except (GraphError, InputError, ModelFormatError, UnsupportedOperatorError) as e:
        raise ShapeError(str(e)) from e
