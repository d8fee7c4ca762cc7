"""Checks before the conversion: a model must declare its parts, and every operator must be known."""

from __future__ import annotations

from collections.abc import Iterator

from ...flatbuffer.problem import FormatProblem
from ..rejection import NotConvertible, Why
from . import table
from .operators import domain_name
from .protobuf.messages import GraphProto, ModelProto, NodeProto

OLDEST_OPSET = 7
"""The first version of ONNX's operators that is read."""
KNOWN_OPSET = 21
"""The newest version that every package ``onnx`` knows with which we work; of newer ones the package is asked."""
MAX_GRAPH_DEPTH = 32
"""Graphs inside graphs (branches, bodies of loops) up to which a model is looked at."""


def check_model(model: ModelProto) -> dict[str, int]:
    """The version of each domain that the model asks for.

    Raises:
        FormatProblem: no graph, no version of ONNX's operators, names that are not UTF-8, or sparse initializers.
    """
    _check_names(model)
    if not model.HasField("graph"):
        raise FormatProblem("not an ONNX model: it has no graph")
    opsets = {domain_name(entry.domain): entry.version for entry in model.opset_import}
    if not opsets:
        raise FormatProblem("not an ONNX model: opset_import must name a version of the operators, found none")
    for graph in _graphs(model):
        if graph.sparse_initializer:
            name = graph.sparse_initializer[0].values.name
            raise FormatProblem("sparse initializers are not read", f"initializer '{name}'")
    return opsets


def _check_names(model: ModelProto) -> None:
    """The parser gives names that are not UTF-8 as bytes."""
    names: list[object] = [model.graph.name, *(entry.domain for entry in model.opset_import)]
    for function in model.functions:
        names += [function.name, function.domain, *function.input, *function.output, *function.attribute]
    for graph in _graphs(model):
        names += [info.name for info in (*graph.input, *graph.output)] + [t.name for t in graph.initializer]
    for node in _nodes(model):
        names += [node.name, node.op_type, node.domain, node.overload, *node.input, *node.output]
        names += [text for a in node.attribute for text in (a.name, a.ref_attr_name)]
    wrong = next((name for name in names if isinstance(name, bytes)), None)
    if wrong is not None:
        raise FormatProblem(f"names must be UTF-8, found {wrong!r}")


def operator_rejection(node: NodeProto, opset: int) -> NotConvertible | None:
    """The reason that an operator, or this version of it, cannot be imported whatever the node says; None if it may be.

    Args:
        node: no call of one of the model's own functions.
        opset: the version of its domain.
    """
    found = _opset_rejection(node, opset) if domain_name(node.domain) == "" else None
    return found or table.rejection(node)


def _opset_rejection(node: NodeProto, opset: int) -> NotConvertible | None:
    if OLDEST_OPSET <= opset <= KNOWN_OPSET:
        return None
    import onnx

    newest = onnx.defs.onnx_opset_version()
    if OLDEST_OPSET <= opset <= newest or _is_unchanged(node.op_type, opset):
        return None
    return NotConvertible(Why.OPERATOR, f"opset must be {OLDEST_OPSET} to {newest}, found {opset}")


def _is_unchanged(op_type: str, opset: int) -> bool:
    """Whether an old version of an operator is the version that the oldest supported opset still has."""
    import onnx

    try:
        versions = [onnx.defs.get_schema(op_type, v, "").since_version for v in (opset, OLDEST_OPSET)]
    except onnx.defs.SchemaError:
        return False
    return opset < OLDEST_OPSET and versions[0] == versions[1]


def _nodes(model: ModelProto) -> Iterator[NodeProto]:
    for graph in _graphs(model):
        yield from graph.node
    for function in model.functions:
        yield from function.node


def _graphs(model: ModelProto) -> Iterator[GraphProto]:
    waiting = [(model.graph, 0)]
    while waiting:
        graph, depth = waiting.pop()
        if depth > MAX_GRAPH_DEPTH:
            raise FormatProblem(f"graphs are nested more than {MAX_GRAPH_DEPTH} deep")
        yield graph
        for node in graph.node:
            for attribute in node.attribute:
                inner = [attribute.g] if attribute.HasField("g") else []
                waiting += [(g, depth + 1) for g in (*inner, *attribute.graphs)]
