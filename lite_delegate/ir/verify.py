"""The rules that every graph keeps, checked after reading and, in tests, after every pass."""

from __future__ import annotations

from ..errors import GraphError
from .graph import Graph
from .order import topological_order
from .types.data_type import has_numpy, to_numpy
from .value import Value

MAX_RANK = 8
"""Most dimensions a tensor may have (the format's MAX_SHAPE_SIZE)."""


def verify(graph: Graph) -> None:
    """Checks a graph and its subgraphs.

    Rules: every value has one producer at most, and constants and graph inputs none; whatever a node or
    the graph's outputs read is a constant, a graph input or given by a node; nodes form no cycle; dimensions
    are >= -1 and at most ``MAX_RANK``; a constant's data has the value's dtype and shape; subgraphs have no
    subgraphs of their own; ``sub_graph_index`` names an existing graph other than the node's own.

    Raises:
        GraphError: a rule is broken; the message names the graph, the node or value, and the expected and the found.
    """
    for position, each in enumerate(graph.all_graphs()):
        for value in each.values():
            _check_value(each, value)
        _check_producers(each)
        _check_reads(each)
        _check_partials(graph, each, position)
        topological_order(each)
        if each is not graph and each.subgraphs:
            raise GraphError(f"Graph '{each.name}': a subgraph must have no subgraphs, found {len(each.subgraphs)}.")


def _check_value(graph: Graph, value: Value) -> None:
    where = f"Graph '{graph.name}', value '{value.name}'"
    if value.shape is not None and (len(value.shape) > MAX_RANK or min(value.shape, default=0) < -1):
        raise GraphError(f"{where}: expected at most {MAX_RANK} dimensions, each >= -1, got {value.shape}.")
    if value.data is None:
        return
    if value.data.shape != value.shape:
        raise GraphError(f"{where}: constant data must have shape {value.shape}, got {value.data.shape}.")
    if has_numpy(value.dtype) and value.data.dtype != to_numpy(value.dtype):
        raise GraphError(f"{where}: constant data must be {value.dtype.name}, got {value.data.dtype}.")


def _check_producers(graph: Graph) -> None:
    given: dict[Value, str] = dict.fromkeys(graph.inputs, "the graph's inputs")
    if len(given) != len(graph.inputs):
        raise GraphError(f"Graph '{graph.name}': a value is listed twice among the inputs.")
    for node in graph.nodes:
        for value in node.outputs:
            if value.is_constant or value in given:
                wrong = "must not be a constant" if value.is_constant else f"is given by {given[value]} already"
                raise GraphError(
                    f"Graph '{graph.name}', node '{node.name}' ({node.op_type}): output '{value.name}' {wrong}."
                )
            given[value] = f"node '{node.name}'"


def _check_reads(graph: Graph) -> None:
    available = set(graph.inputs).union(*[node.outputs for node in graph.nodes])

    for node in graph.nodes:
        for i, value in enumerate(node.inputs):
            if value is not None and value not in available and _is_missing(value):
                raise GraphError(
                    f"Graph '{graph.name}', node '{node.name}' ({node.op_type}): input {i} '{value.name}' must be a "
                    f"constant, a graph input or given by a node, found none of them."
                )
    for value in graph.outputs:
        if value not in available and _is_missing(value):
            raise GraphError(
                f"Graph '{graph.name}': output '{value.name}' must come from a node, an input or a constant."
            )


def _is_missing(value: Value) -> bool:
    """True for a value that has to be given and is not."""
    return not value.is_constant and not value.is_parameter


def _check_partials(main: Graph, graph: Graph, position: int) -> None:
    for node in graph.nodes:
        if node.op_type != "PartialFusion":
            continue
        index = node.primitive.attributes()["sub_graph_index"]
        last = len(main.subgraphs)
        if not isinstance(index, int) or not 0 <= index <= last or index == position:
            raise GraphError(
                f"Graph '{graph.name}', node '{node.name}' (PartialFusion): sub_graph_index must be 0..{last} and "
                f"not the node's own graph {position}, got {index}."
            )
