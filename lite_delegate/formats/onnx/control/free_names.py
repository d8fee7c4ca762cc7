"""Free names: values that graphs of nodes read from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def inner_graphs(attribute: onnx.AttributeProto) -> list[onnx.GraphProto]:
    """The graphs that an attribute holds."""
    return [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]


def names_read_inside(node: onnx.NodeProto) -> list[str]:
    """The names that the graphs of a node read from outside."""
    return [name for a in node.attribute for g in inner_graphs(a) for name in free_names(g)]


def free_names(graph: onnx.GraphProto) -> list[str]:
    """The names that a graph and the graphs inside it read and do not give themselves, each once."""
    given = {info.name for info in graph.input} | {tensor.name for tensor in graph.initializer}
    free: dict[str, None] = {}
    for node in graph.node:
        free.update((name, None) for name in (*node.input, *names_read_inside(node)) if name and name not in given)
        given.update(node.output)
    free.update((info.name, None) for info in graph.output if info.name not in given)
    return list(free)
