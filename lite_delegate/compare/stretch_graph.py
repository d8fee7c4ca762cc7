"""A stretch of kernels as a model of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lite_delegate_kernels import Array

from ..data_class import dataclass
from ..delegate import Boundary
from ..ir import Graph, Node, Value
from ..runtime.binding.bind import Names
from ..runtime.binding.node_kernel import NodeKernel
from ..tensor import Tensor

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
    name: str, nodes: Sequence[NodeKernel], boundary: Boundary, arrays: Mapping[Tensor, Array]
) -> StretchGraph:
    """The graph of a stretch.

    Args:
        name: of the graph.
        nodes: of the stretch.
        boundary: what crosses its boundary.
        arrays: what every tensor of the stretch that varies was, which gives its shape.
    """
    names = Names()
    for reserved in RESERVED:
        names.unique(reserved)
    crossing = {t: names.unique(t.name or kind) for t, kind in _crossing(boundary)}
    values: dict[Tensor, Value] = {}
    for tensor, value in _operands(nodes):
        if tensor not in values:
            values[tensor] = value if tensor.is_const else _value(tensor, crossing.get(tensor, tensor.name), arrays)
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


def _value(tensor: Tensor, name: str, arrays: Mapping[Tensor, Array]) -> Value:
    return Value(name, tensor.dtype, arrays[tensor].shape, tensor.format, quant_params=tensor.quant_params)
