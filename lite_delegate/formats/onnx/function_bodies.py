"""Operators that ONNX defines by a function body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from lite_delegate_kernels import UNKNOWN, ArraySpec

from .types import elem_type_of


def body_of(
    node: onnx.NodeProto,
    attributes: Mapping[str, onnx.AttributeProto],
    inputs: Sequence[ArraySpec | None],
    opset: int,
) -> onnx.FunctionProto | None:
    """The function that ``node`` with ``attributes`` stands for, None where ONNX defines none.

    It may depend on the attributes and on the dtypes and shapes of the inputs.
    """
    schema = schema_of(node, opset)
    if schema is None:
        return None
    fixed = [v for v in schema.function_opset_versions if v <= opset] if schema.has_function else []
    if fixed:
        return _parsed(schema.get_function_with_opset_version(max(fixed)))
    built = [v for v in schema.context_dependent_function_opset_versions if v <= opset]
    if not built:
        return None
    given = onnx.NodeProto(op_type=node.op_type, domain=node.domain, input=node.input, output=node.output)
    given.attribute.extend(_named(attribute, name) for name, attribute in attributes.items())
    types = [onnx.TypeProto() if x is None else type_of_spec(x) for x in inputs]
    message = schema.get_context_dependent_function_with_opset_version(
        max(built), given.SerializeToString(), [t.SerializeToString() for t in types]
    )
    return _parsed(message)


def defaults(node: onnx.NodeProto, opset: int) -> dict[str, onnx.AttributeProto]:
    """The attributes of the operator that have a default value."""
    schema = schema_of(node, opset)
    pairs = [] if schema is None else [(name, a.default_value) for name, a in schema.attributes.items()]
    return {name: value for name, value in pairs if value.type != onnx.AttributeProto.UNDEFINED}


def schema_of(node: onnx.NodeProto, opset: int) -> Any:
    """ONNX's definition of an operator, None where it has none."""
    # The type stub lacks what a schema says of its functions.
    try:
        return onnx.defs.get_schema(node.op_type, opset, node.domain)
    except onnx.defs.SchemaError:
        return None


def _parsed(message: bytes) -> onnx.FunctionProto:
    function = onnx.FunctionProto()
    function.ParseFromString(message)
    return function


def _named(attribute: onnx.AttributeProto, name: str) -> onnx.AttributeProto:
    renamed = onnx.AttributeProto()
    renamed.CopyFrom(attribute)
    renamed.name = name
    return renamed


def type_of_spec(x: ArraySpec) -> onnx.TypeProto:
    """ONNX's type of an array."""
    shape = None if x.shape is None else [None if d == UNKNOWN else d for d in x.shape]
    return onnx.helper.make_tensor_type_proto(elem_type_of(x.dtype), shape)
