"""ONNX models run node by node on our reference kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from lite_delegate_kernels import Array

from . import (
    mapping_activation,
    mapping_dense,
    mapping_elementwise,
    mapping_indexing,
    mapping_movement,
    mapping_normalization,
    mapping_pooling,
    mapping_quantization,
    mapping_recurrent,
    mapping_resize,
    mapping_signal,
)
from .function_bodies import BY_FUNCTION_BODY, body_of, default_attributes
from .node import TYPE_IDS, OnnxNode, Outputs, Refused, Why
from .unmapped import UNMAPPED

MAPPINGS: dict[str, Callable[[OnnxNode], Outputs]] = {
    **mapping_activation.MAPPINGS,
    **mapping_dense.MAPPINGS,
    **mapping_elementwise.MAPPINGS,
    **mapping_indexing.MAPPINGS,
    **mapping_movement.MAPPINGS,
    **mapping_normalization.MAPPINGS,
    **mapping_pooling.MAPPINGS,
    **mapping_quantization.MAPPINGS,
    **mapping_recurrent.MAPPINGS,
    **mapping_resize.MAPPINGS,
    **mapping_signal.MAPPINGS,
}


def qualified(node: onnx.NodeProto) -> str:
    """The operator's name, with its domain where that is not ONNX's own."""
    return f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def as_arrays(values: Iterable[Any]) -> list[Array]:
    """The arrays that a case holds, which are arrays, numpy scalars or tensors in a message.

    Raises:
        Refused: one is of a type that no kernel computes with, or no array at all.
    """
    tensors = [onnx.numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v for v in values]
    for value in tensors:
        if not isinstance(value, np.ndarray | np.generic):
            raise Refused(Why.TYPE, "sequence or optional")
        if value.dtype.name not in TYPE_IDS:
            raise Refused(Why.TYPE, "string" if value.dtype.kind in "OSU" else value.dtype.name)
    return [np.asarray(value) for value in tensors]


def run_model(model: onnx.ModelProto, inputs: Mapping[str, Array], calls: list[str]) -> list[Array]:
    """The outputs of a model, its nodes mapped in order."""
    opsets = {entry.domain: entry.version for entry in model.opset_import}
    values = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    values |= inputs
    run_nodes(model.graph.node, values, opsets, {}, calls)
    return [np.asarray(values[output.name]) for output in model.graph.output]


def run_nodes(
    nodes: Sequence[onnx.NodeProto],
    values: dict[str, Array],
    opsets: Mapping[str, int],
    attributes: Mapping[str, onnx.AttributeProto],
    calls: list[str],
) -> None:
    """Runs nodes and puts their outputs among ``values``; ``attributes`` are those of the function they belong to."""
    for proto in nodes:
        own = _attributes(proto, attributes)
        inputs = [values.get(name) for name in proto.input]
        if proto.op_type == "Constant":
            outputs: Sequence[Array | None] = (_constant(own),)
        elif qualified(proto) in BY_FUNCTION_BODY:
            outputs = _run_body(proto, inputs, own, opsets, calls)
        else:
            outputs = _run_node(proto, inputs, own, opsets.get(proto.domain, 1), calls)
        values |= {name: y for name, y in zip(proto.output, outputs, strict=False) if name and y is not None}


def _run_node(
    proto: onnx.NodeProto,
    inputs: Sequence[Array | None],
    attributes: dict[str, onnx.AttributeProto],
    opset: int,
    calls: list[str],
) -> Sequence[Array]:
    name = qualified(proto)
    if name not in MAPPINGS:
        raise Refused(Why.OPERATOR, f"{name} ({UNMAPPED.get(name, 'not looked at')})")
    plain = {key: _plain(attribute) for key, attribute in attributes.items()}
    outputs = MAPPINGS[name](OnnxNode(name, opset, inputs, plain, proto.output, calls))
    return outputs if isinstance(outputs, tuple) else (outputs,)


def _run_body(
    proto: onnx.NodeProto,
    inputs: Sequence[Array | None],
    attributes: dict[str, onnx.AttributeProto],
    opsets: Mapping[str, int],
    calls: list[str],
) -> Sequence[Array | None]:
    opset = opsets.get(proto.domain, 1)
    body = body_of(proto, attributes, inputs, opset)
    values = {name: x for name, x in zip(body.input, inputs, strict=False) if x is not None}
    defaults = default_attributes(proto, opset)
    inner = {**opsets, **{entry.domain: entry.version for entry in body.opset_import}}
    run_nodes(body.node, values, inner, defaults | attributes, calls)
    return [values.get(name) for name in body.output]


def _attributes(proto: onnx.NodeProto, function: Mapping[str, onnx.AttributeProto]) -> dict[str, onnx.AttributeProto]:
    """A node's attributes, those that refer to the function's replaced by these, or left out with them."""
    pairs = ((a.name, function.get(a.ref_attr_name) if a.ref_attr_name else a) for a in proto.attribute)
    return {name: attribute for name, attribute in pairs if attribute is not None}


def _plain(attribute: onnx.AttributeProto) -> Any:
    if attribute.type == onnx.AttributeProto.TENSOR:
        return onnx.numpy_helper.to_array(attribute.t)
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode()
    if attribute.type == onnx.AttributeProto.STRINGS:
        return [text.decode() for text in value]
    return list(value) if attribute.type in (onnx.AttributeProto.INTS, onnx.AttributeProto.FLOATS) else value


_CONSTANT_DTYPES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


def _constant(attributes: Mapping[str, onnx.AttributeProto]) -> Array:
    ((name, attribute),) = attributes.items()
    (value,) = as_arrays([np.asarray(_plain(attribute), dtype=_CONSTANT_DTYPES.get(name))])
    return value
