"""Custom nodes for ONNX nodes without an operator in the schema; all their contents are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ir import Node, Value, custom_primitive, from_numpy
from ...ir.custom import INPUTS, NO_KERNEL, ONNX, REASON, VERSION, onnx_message
from ..rejection import NotConvertible
from .builder import kernel_specs
from .control.free_names import free_names, inner_graphs
from .control.sequences import NoElement, SequenceValue
from .declarations import check_numbers, given_specs
from .operators import domain_name, name_of, opset_of
from .protobuf.attributes import Attributes, plain_attribute
from .protobuf.messages import AttributeProto, NodeProto
from .protobuf.tensors import TensorData
from .scope import Scope

LAST_AXIS_BUT_ONE = 20
"""The version of DFT from which that is the axis where none is given; before, it is axis 1."""
CAPTURED = "@captured"
"""The attribute with the names that graphs of the node read from outside; they are its last operands."""


def add_custom(
    proto: NodeProto, attributes: Attributes, scope: Scope, tensors: TensorData, rejected: NotConvertible
) -> None:
    """Adds a Custom node for a node of the file; its outputs are among the scope's values afterwards.

    Args:
        proto: the node.
        attributes: the attributes, with the attributes of functions around the node filled in.
        scope: the names that the node sees.
        tensors: reads the model's tensors.
        rejected: why the node has no counterpart.

    Raises:
        NotConvertible: ``rejected``: an operand or an output is no tensor of elements that kernels compute with.
        FormatProblem: the operator cannot have this number of operands or outputs.
    """
    captured = [name for name in _captured(attributes) if name in scope.values]
    operands = [scope.values[name] if name else None for name in proto.input]
    given = [*operands, *(scope.values[name] for name in captured)]
    if any(isinstance(value, SequenceValue | NoElement) for value in given):
        raise rejected
    check_numbers(proto, scope)
    version = opset_of(proto, scope.opsets)
    kept: dict[str, Any] = {name: _kept(attribute, tensors) for name, attribute in attributes.items()}
    if proto.op_type == "DFT" and not proto.domain and version < LAST_AXIS_BUT_ONE:
        kept.setdefault("axis", 1)
    kept[VERSION] = version
    present = [i for i, value in enumerate(given) if value is not None]
    if present != list(range(len(present))):
        kept[INPUTS] = present
    if captured:
        kept[CAPTURED] = captured
    kept[REASON] = f"{rejected.why}: {rejected.reason}"
    name = scope.prefix + name_of(proto)
    type = f"{domain_name(proto.domain) or ONNX}.{proto.op_type}"
    made = Node(name, custom_primitive(type, kept), [v for v in given if v is not None], [])
    try:
        specs = kernel_specs(made, len(proto.output), scope.builder)
    except NotConvertible as misfit:
        made.primitive = custom_primitive(type, {**kept, NO_KERNEL: f"{misfit.why}: {misfit.reason}"})
        specs = None
    try:
        specs = given_specs(proto, operands, scope) if specs is None else specs
    except NotConvertible:
        raise rejected from None
    names = [scope.prefix + n if n else f"{name}:{i}" for i, n in enumerate(proto.output)]
    made.outputs = [Value(n, from_numpy(s.dtype), s.shape) for n, s in zip(names, specs, strict=True)]
    scope.builder.add_node(made, specs)
    scope.values.update((n, value) for n, value in zip(proto.output, made.outputs, strict=True) if n)


def _kept(attribute: AttributeProto, tensors: TensorData) -> Any:
    """An attribute as ``ir.custom`` stores it; a value that is neither numbers, text nor an array stays a message."""
    kind = AttributeProto
    if attribute.type in (kind.INT, kind.INTS, kind.FLOAT, kind.FLOATS, kind.STRING, kind.STRINGS):
        return plain_attribute(attribute, tensors)
    try:
        if attribute.type == kind.TENSOR:
            return tensors.array(attribute.t)
    except NotConvertible:
        return onnx_message("TensorProto", tensors.whole(attribute.t).SerializeToString())
    if attribute.type == kind.GRAPH:
        return onnx_message("GraphProto", tensors.whole(attribute.g).SerializeToString())
    return onnx_message("AttributeProto", tensors.whole(attribute).SerializeToString())


def _captured(attributes: Attributes) -> Iterator[str]:
    names = (name for attribute in attributes.values() for g in inner_graphs(attribute) for name in free_names(g))
    yield from dict.fromkeys(names)
