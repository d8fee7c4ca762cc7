"""Declared types and shapes: the model's own statements about values, where shape inference does not know a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import UNKNOWN, ArraySpec

from ...flatbuffer.problem import FormatProblem
from ...ir import Value
from ..rejection import NotConvertible, Why
from .functions.function_bodies import schema_of, type_of_spec
from .operators import name_of, opset_of
from .protobuf.messages import NodeProto, TensorProto, TypeProto
from .protobuf.types import Dtype, numpy_type
from .scope import Scope

_USUAL = np.dtype(np.float32)


def spec_of_type(kind: TypeProto) -> ArraySpec:
    """The spec of a tensor of a type.

    Raises:
        NotConvertible: it is no tensor's, or of elements that no kernel computes with.
    """
    name = kind.WhichOneof("value") or "nothing"
    if name != "tensor_type":
        raise NotConvertible(Why.DTYPE, f"a {name.removesuffix('_type')}, expected a tensor")
    tensor = kind.tensor_type
    dims = tuple(_dim(d) for d in tensor.shape.dim) if tensor.HasField("shape") else None
    return ArraySpec(numpy_type(tensor.elem_type), dims)


def given_specs(proto: NodeProto, inputs: Sequence[Value | None], scope: Scope) -> list[ArraySpec]:
    """The specs of a node's outputs: as the model declares them, as ONNX infers them, as their readers need them.

    NOTE: where nothing says, the elements count as float32.

    Raises:
        NotConvertible: an output is no tensor, or of elements that no kernel computes with.
    """
    inferred: dict[str, TypeProto] | None = None
    specs = []
    for name in proto.output:
        known = scope.declared.get(name)
        if known is None or not _is_whole(known):
            inferred = _inferred(proto, inputs, scope) if inferred is None else inferred
            known = inferred.get(name, known)
        if known is None or not _has_elements(known):
            specs.append(ArraySpec(_needed(name, scope) or _USUAL, None))
        else:
            specs.append(spec_of_type(known))
    return specs


def check_numbers(proto: NodeProto, scope: Scope) -> None:
    """Raises FormatProblem for another number of operands or outputs than ONNX's definition of the operator allows."""
    schema = schema_of(proto, opset_of(proto, scope.opsets))
    if schema is None:
        return
    for what, found, least, most in (
        ("inputs", len(proto.input), schema.min_input, schema.max_input),
        ("outputs", len(proto.output), schema.min_output, schema.max_output),
    ):
        if not least <= found <= most:
            where = f"node '{name_of(proto)}' ({proto.op_type})"
            raise FormatProblem(f"takes {least} to {most} {what}, has {found}", where)


def _is_whole(kind: TypeProto) -> bool:
    return _has_elements(kind) and (kind.WhichOneof("value") != "tensor_type" or kind.tensor_type.HasField("shape"))


def _has_elements(kind: TypeProto) -> bool:
    return kind.WhichOneof("value") != "tensor_type" or kind.tensor_type.elem_type != TensorProto.UNDEFINED


def _inferred(proto: NodeProto, inputs: Sequence[Value | None], scope: Scope) -> dict[str, TypeProto]:
    """ONNX's own inference of the node; nothing for operators that it does not know."""
    import onnx

    schema = schema_of(proto, opset_of(proto, scope.opsets))
    if schema is None:
        return {}
    pairs = [(name, value) for name, value in zip(proto.input, inputs, strict=False) if name and value is not None]
    types = {name: type_of_spec(scope.builder.spec(value)) for name, value in pairs}
    imports = [onnx.helper.make_opsetid(domain, version) for domain, version in scope.opsets.items()]
    try:
        found: dict[str, TypeProto] = onnx.shape_inference.infer_node_outputs(
            schema, proto, types, opset_imports=imports
        )
    except Exception:
        # It raises errors of several kinds about a node that it finds wrong; the node has its reason already.
        return {}
    return found


def _needed(name: str, scope: Scope) -> Dtype | None:
    """The element type that a value must have for one of its readers, as far as their other operands say."""
    for reader in scope.readers(name):
        schema = schema_of(reader, opset_of(reader, scope.opsets))
        variables = _variables(reader, schema)
        mine = variables.get(name)
        if mine is None:
            continue
        fixed = _only_type(schema, mine)
        others = [scope.values[n] for n, v in variables.items() if v == mine and n != name and n in scope.values]
        if fixed is not None or others:
            return fixed or scope.builder.spec(others[0]).dtype
    return None


def _variables(reader: NodeProto, schema: Any) -> dict[str, str]:
    """By name of an operand, the type or the variable for types that its operator's definition has for it."""
    formal = [] if schema is None else list(schema.inputs)
    return {name: each.type_str for name, each in zip(reader.input, formal, strict=False) if name}


def _only_type(schema: Any, variable: str) -> Dtype | None:
    allowed: Mapping[str, Sequence[str]] = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    names = allowed.get(variable, [variable])
    if len(names) != 1:
        return None
    text = names[0].removeprefix("tensor(").removesuffix(")").upper()
    try:
        return numpy_type(TensorProto.DataType.Value(text))
    except (ValueError, NotConvertible):
        return None


def _dim(dim: Any) -> int:
    return dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else UNKNOWN
