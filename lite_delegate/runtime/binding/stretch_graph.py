"""A stretch of kernels as a model of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ...basics.data_class import dataclass
from ...delegate import Boundary
from ...ir import Graph, Node, Value
from ...tensors.tensor import Tensor
from .bind import Names
from .node_kernel import NodeKernel

NO_SHAPES: Mapping[Tensor, Sequence[int]] = MappingProxyType({})
"""Every tensor has the shape of the plan."""
RESERVED = ("file", "allow_pickle")
"""Names that ``numpy.savez`` keeps for itself."""


@dataclass(frozen=True, slots=True, eq=False)
class StretchGraph:
    """A graph, and the names of its inputs and outputs, which are unique.

    Attributes:
        graph: the nodes with values of their own; constants are shared with the model.
        names: of the tensors that cross the boundary.
    """

    graph: Graph
    names: Mapping[Tensor, str]


def stretch_graph(
    name: str, nodes: Sequence[NodeKernel], boundary: Boundary, shapes: Mapping[Tensor, Sequence[int]] = NO_SHAPES
) -> StretchGraph:
    """The graph of a stretch.

    Args:
        name: of the graph.
        nodes: of the stretch.
        boundary: the tensors that cross its boundary.
        shapes: the shapes of varying tensors of the stretch, where a run had other shapes than the plan.
    """
    names = Names()
    for reserved in RESERVED:
        names.unique(reserved)
    crossing = {t: names.unique(t.name or kind) for t, kind in _crossing(boundary)}
    values: dict[Tensor, Value] = {}
    for tensor, value in _operands(nodes):
        if tensor not in values:
            values[tensor] = value if tensor.is_const else _value(tensor, crossing.get(tensor, tensor.name), shapes)
    graph = Graph(
        name,
        [values[t] for t in boundary.inputs],
        [values[t] for t in boundary.outputs],
        [_node(node, values) for node in nodes],
    )
    return StretchGraph(graph, crossing)


def _operands(nodes: Sequence[NodeKernel]) -> Iterator[tuple[Tensor, Value]]:
    """Every tensor that the nodes read or make, with the value that it stands for."""
    for each in nodes:
        pairs = (*zip(each.operands, each.node.inputs, strict=True), *zip(each.outputs, each.node.outputs, strict=True))
        yield from ((tensor, value) for tensor, value in pairs if tensor is not None and value is not None)


def _crossing(boundary: Boundary) -> Iterator[tuple[Tensor, str]]:
    yield from ((t, "input") for t in boundary.inputs)
    yield from ((t, "output") for t in boundary.outputs)


def _node(node: NodeKernel, values: Mapping[Tensor, Value]) -> Node:
    inputs = [None if t is None else values[t] for t in node.operands]
    return Node(node.name, node.node.primitive, inputs, [values[t] for t in node.outputs], node.node.quant_type)


def _value(tensor: Tensor, name: str, shapes: Mapping[Tensor, Sequence[int]]) -> Value:
    shape = tuple(shapes.get(tensor, tensor.shape))
    return Value(name, tensor.dtype, shape, tensor.format, quant_params=tensor.quant_params)
