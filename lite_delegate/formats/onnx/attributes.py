"""Attributes of nodes as Python values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx

from ...flatbuffer.problem import FormatProblem
from .tensors import TensorData

Attributes = dict[str, onnx.AttributeProto]


def resolved(node: onnx.NodeProto, function: Mapping[str, onnx.AttributeProto]) -> Attributes:
    """A node's attributes; those that refer to the function's replaced by these, or left out with them."""
    pairs = ((a.name, function.get(a.ref_attr_name) if a.ref_attr_name else a) for a in node.attribute)
    return {name: attribute for name, attribute in pairs if attribute is not None}


def plain(attributes: Attributes, tensors: TensorData) -> dict[str, Any]:
    """The values by name: str for text, arrays for tensors, lists for lists, messages for graphs and types.

    Raises:
        FormatProblem: text that is not UTF-8, or a tensor that is damaged.
        NotConvertible: a tensor of a type that no kernel computes with.
    """
    return {name: plain_attribute(attribute, tensors) for name, attribute in attributes.items()}


def plain_attribute(attribute: onnx.AttributeProto, tensors: TensorData) -> Any:
    """The value of an attribute; see ``plain``."""
    kind = onnx.AttributeProto
    if attribute.type == kind.TENSOR:
        return tensors.array(attribute.t)
    try:
        value = onnx.helper.get_attribute_value(attribute)
        if attribute.type == kind.STRING:
            return value.decode()
        if attribute.type == kind.STRINGS:
            return [text.decode() for text in value]
    except (UnicodeDecodeError, ValueError) as e:
        raise FormatProblem(f"cannot be read: {e}", f"attribute '{attribute.name}'") from e
    return list(value) if attribute.type in (kind.INTS, kind.FLOATS) else value
