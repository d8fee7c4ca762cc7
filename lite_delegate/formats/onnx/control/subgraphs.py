"""Graphs inside nodes (branches, bodies of loops) as subgraphs, with the values they read and give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ....basics.counted import counted
from ....flatbuffer.problem import FormatProblem
from ....ir import DataType, Graph, Node, Value, make_primitive
from ...rejection import NotConvertible, Why
from ..builder import UNKNOWN, ArraySpec, GraphBuilder
from ..conversion import OnnxNode
from ..scope import declared_types
from .free_names import free_names
from .lost import Lost
from .sequences import NoElement, SequenceValue, is_sequence, no_element

if TYPE_CHECKING:
    import onnx


class Inside:
    """A subgraph in the making.

    A subgraph sees its own inputs and constants only: what a node in it reads from outside becomes an input.

    Args:
        outside: the node that the subgraph belongs to.
        label: what names of its nodes have after the node's.

    Attributes:
        node: adds nodes of ours to the subgraph; its scope is that of the subgraph.
        captured: the subgraph's value for each value from outside that it takes.
    """

    def __init__(self, outside: OnnxNode, label: str) -> None:
        builder = GraphBuilder(outside.builder.sources)
        scope = replace(
            outside.inner_scope(label), builder=builder, values={}, lost=set(), depth=outside.scope.depth + 1
        )
        self._outside = outside
        self._builder = builder
        self.node = replace(outside, builder=builder, scope=scope)
        self.captured: dict[Value, Value] = {}

    def parameter(self, name: str, spec: ArraySpec) -> Value:
        """A value that will be an input of the subgraph."""
        return self._builder.input(f"{self.node.scope.prefix}{name}", spec.dtype, spec.shape)

    def take(self, outer: Value) -> Value:
        """The subgraph's value for one from outside; constants are the same inside and outside."""
        if is_sequence(outer):
            return SequenceValue.of(outer.name, [self.take(item) for item in outer.items], self._builder)
        if isinstance(outer, NoElement):
            return no_element(outer.name, self._builder)
        if outer.is_constant:
            return outer
        if outer not in self.captured:
            spec = self._outside.spec(outer)
            inner = self._builder.input(outer.name, spec.dtype, spec.shape)
            self._builder.set_spec(inner, spec)
            self.captured[outer] = inner
        return self.captured[outer]

    def convert(self, graph: onnx.GraphProto, given: Sequence[Value]) -> list[Value]:
        """Converts the nodes of a graph whose inputs are ``given``; its outputs.

        Raises:
            Lost: a node of it was rejected, or reads what was lost outside.
            FormatProblem: another number of inputs, or an output that nothing gives.
        """
        outer = self._outside.scope
        for name in free_names(graph):
            if name in outer.values:
                self.node.scope.values[name] = self.take(outer.values[name])
            elif name in outer.lost:
                self.node.scope.lost.add(name)
        return convert_graph(self.node, graph, given)

    def finish(self, name: str, inputs: Sequence[Value], outputs: Sequence[Value]) -> Graph:
        """The subgraph. An output that no node of it gives is copied."""
        given = {value for node in self._builder.nodes for value in node.outputs}
        results = [value if value in given else self._copy(value) for value in outputs]
        return self._builder.graph(name, list(inputs), results)

    def _copy(self, value: Value) -> Value:
        copy = Value(f"{value.name}/copy", value.dtype, value.shape)
        node = Node(copy.name, make_primitive("Depend"), [value], [copy])
        self._builder.add_node(node, [None if value.dtype == DataType.TENSOR_LIST else self._builder.spec(value)])
        return copy


def convert_graph(node: OnnxNode, graph: onnx.GraphProto, given: Sequence[Value]) -> list[Value]:
    """Converts a graph in the scope of ``node``, with ``given`` as its inputs; its outputs.

    Raises:
        Lost, FormatProblem: as ``Inside.convert``.
    """
    importer, scope = node.importer, node.scope
    if len(graph.input) != len(given):
        raise FormatProblem(
            f"graph '{graph.name}' has {counted(len(graph.input), 'input')}, expected {len(given)}",
            f"node '{node.name}'",
        )
    scope.declared = declared_types(graph.value_info, graph.output)
    before = len(importer.rejections)
    importer.initializers(graph.initializer, scope)
    scope.values.update((info.name, value) for info, value in zip(graph.input, given, strict=True))
    importer.convert(graph.node, scope)
    names = [info.name for info in graph.output]
    if len(importer.rejections) > before or any(name in scope.lost for name in names):
        raise Lost
    missing = next((name for name in names if name not in scope.values), None)
    if missing is not None:
        raise FormatProblem(f"nothing gives output '{missing}' of graph '{graph.name}'", f"node '{node.name}'")
    return [scope.values[name] for name in names]


def partial(node: OnnxNode, name: str, index: int, bound: Sequence[Value]) -> Value:
    """Adds a PartialFusion: subgraph ``index`` with its first inputs bound."""
    return _handle(node, name, "PartialFusion", bound, sub_graph_index=index)


def switch(node: OnnxNode, condition: Value, if_true: Value, if_false: Value) -> Value:
    """Adds a Switch between two subgraphs."""
    return _handle(node, "switch", "Switch", [condition, if_true, if_false])


def call(node: OnnxNode, target: Value, specs: Sequence[ArraySpec]) -> list[Value]:
    """Adds a Call; ``specs`` are those of its outputs."""
    outputs = [node.builder.input(f"{node.name}:{i}", s.dtype, s.shape) for i, s in enumerate(specs)]
    node.builder.add_node(Node(node.name, make_primitive("Call"), [target], outputs), list(specs))
    return outputs


def joined(a: ArraySpec, b: ArraySpec) -> ArraySpec:
    """The spec of an array that has either spec: -1 for dimensions that differ, no rank where ranks differ.

    Raises:
        NotConvertible: their element types differ.
    """
    if a.dtype != b.dtype:
        raise NotConvertible(Why.DTYPE, f"one value is {a.dtype} here and {b.dtype} there")
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return ArraySpec(a.dtype, None)
    return ArraySpec(a.dtype, tuple(m if m == n else UNKNOWN for m, n in zip(a.shape, b.shape, strict=True)))


def without_value(spec: ArraySpec) -> ArraySpec:
    """Dtype and shape alone."""
    return ArraySpec(spec.dtype, spec.shape)


def truth(value: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None) -> bool | None:
    """A known condition of one element; None for other values."""
    return bool(value.item()) if value is not None and value.size == 1 else None


def _handle(node: OnnxNode, name: str, op_type: str, inputs: Sequence[Value], **attributes: int) -> Value:
    # The format knows no type of its own for a subgraph to call; it says a number.
    handle = Value(f"{node.name}/{name}:0", DataType.INT32, ())
    node.builder.add_node(
        Node(f"{node.name}/{name}", make_primitive(op_type, **attributes), list(inputs), [handle]), [None]
    )
    return handle
