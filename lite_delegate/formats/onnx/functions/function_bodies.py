"""Operators that ONNX defines by a function body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lite_delegate_kernels import UNKNOWN, ArraySpec

from ..protobuf.messages import AttributeProto, FunctionProto, NodeProto, TypeProto


def body_of(
    node: NodeProto,
    attributes: Mapping[str, AttributeProto],
    inputs: Sequence[ArraySpec | None],
    opset: int,
) -> FunctionProto | None:
    """The function that ``node`` with ``attributes`` stands for, None where ONNX defines none.

    It may depend on the attributes and on the dtypes and shapes of the inputs. ONNX gives an empty one where it would
    have to know more of these.
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
    given = NodeProto(op_type=node.op_type, domain=node.domain, input=node.input, output=node.output)
    given.attribute.extend(_named(attribute, name) for name, attribute in attributes.items())
    types = [TypeProto() if x is None else type_of_spec(x) for x in inputs]
    message = schema.get_context_dependent_function_with_opset_version(
        max(built), given.SerializeToString(), [t.SerializeToString() for t in types]
    )
    return _parsed(message)


def defaults(node: NodeProto, opset: int) -> dict[str, AttributeProto]:
    """The attributes of the operator that have a default value."""
    schema = schema_of(node, opset)
    pairs = [] if schema is None else [(name, a.default_value) for name, a in schema.attributes.items()]
    return {name: value for name, value in pairs if value.type != AttributeProto.UNDEFINED}


def schema_of(node: NodeProto, opset: int) -> Any:
    """ONNX's definition of an operator, None where it has none."""
    import onnx

    # The type stub lacks the functions of a schema.
    try:
        return onnx.defs.get_schema(node.op_type, opset, node.domain)
    except onnx.defs.SchemaError:
        return None


def _parsed(message: bytes) -> FunctionProto:
    function = FunctionProto()
    function.ParseFromString(message)
    return function


def _named(attribute: AttributeProto, name: str) -> AttributeProto:
    renamed = AttributeProto()
    renamed.CopyFrom(attribute)
    renamed.name = name
    return renamed


def type_of_spec(x: ArraySpec) -> TypeProto:
    """ONNX's type of an array."""
    import onnx

    shape = None if x.shape is None else [None if d == UNKNOWN else d for d in x.shape]
    return onnx.helper.make_tensor_type_proto(onnx.helper.np_dtype_to_tensor_dtype(x.dtype), shape)
