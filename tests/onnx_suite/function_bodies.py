"""Operators that ONNX itself defines by a function body: the body's nodes run on our kernels in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from lite_delegate_kernels import Array

BY_FUNCTION_BODY = frozenset(
    {
        "Attention",
        "BlackmanWindow",
        "CausalConvWithState",
        "DynamicQuantizeLinear",
        "HammingWindow",
        "HannWindow",
        "MeanVarianceNormalization",
        "NegativeLogLikelihoodLoss",
        "RMSNormalization",
        "RotaryEmbedding",
        "SoftmaxCrossEntropyLoss",
        "ai.onnx.preview.FlexAttention",
    }
)
"""Those without an operator of ours whose body needs only operators that have one, in some cases at least."""


def body_of(
    node: onnx.NodeProto, attributes: Mapping[str, onnx.AttributeProto], inputs: Sequence[Array | None], opset: int
) -> onnx.FunctionProto:
    """The function that ``node`` with ``attributes`` stands for; it may depend on them and on the input types."""
    # The type stub lacks what a schema says of its functions.
    schema: Any = onnx.defs.get_schema(node.op_type, opset, node.domain)
    if schema.has_function:
        version = max(v for v in schema.function_opset_versions if v <= opset)
        return _parsed(schema.get_function_with_opset_version(version))
    resolved = onnx.NodeProto(op_type=node.op_type, domain=node.domain, input=node.input, output=node.output)
    resolved.attribute.extend(_named(attribute, name) for name, attribute in attributes.items())
    types = [onnx.TypeProto() if x is None else _type(x) for x in inputs]
    version = max(v for v in schema.context_dependent_function_opset_versions if v <= opset)
    body = schema.get_context_dependent_function_with_opset_version(
        version, resolved.SerializeToString(), [t.SerializeToString() for t in types]
    )
    return _parsed(body)


def _parsed(message: bytes) -> onnx.FunctionProto:
    function = onnx.FunctionProto()
    function.ParseFromString(message)
    return function


def default_attributes(node: onnx.NodeProto, opset: int) -> dict[str, onnx.AttributeProto]:
    """The attributes of the operator that have a default value."""
    schema = onnx.defs.get_schema(node.op_type, opset, node.domain)
    defaults = ((name, attribute.default_value) for name, attribute in schema.attributes.items())
    return {name: value for name, value in defaults if value.type != onnx.AttributeProto.UNDEFINED}


def _named(attribute: onnx.AttributeProto, name: str) -> onnx.AttributeProto:
    renamed = onnx.AttributeProto()
    renamed.CopyFrom(attribute)
    renamed.name = name
    return renamed


def _type(x: Array) -> onnx.TypeProto:
    return onnx.helper.make_tensor_type_proto(onnx.helper.np_dtype_to_tensor_dtype(np.dtype(x.dtype)), x.shape)
