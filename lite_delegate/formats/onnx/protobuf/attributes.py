"""Attributes of nodes as Python values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....flatbuffer.problem import FormatProblem
from .messages import AttributeProto, NodeProto
from .tensors import TensorData

Attributes = dict[str, AttributeProto]
FIELDS = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g",
    AttributeProto.SPARSE_TENSOR: "sparse_tensor",
    AttributeProto.TYPE_PROTO: "tp",
}
"""Where an attribute has its value, by its type."""
LISTS = {
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
    AttributeProto.TENSORS: "tensors",
    AttributeProto.GRAPHS: "graphs",
    AttributeProto.SPARSE_TENSORS: "sparse_tensors",
    AttributeProto.TYPE_PROTOS: "type_protos",
}
"""The field of each attribute type whose value is a list."""


def resolved(node: NodeProto, function: Mapping[str, AttributeProto]) -> Attributes:
    """A node's attributes; references to the function's attributes are replaced by their values, or left out with
    them.
    """
    pairs = ((a.name, function.get(a.ref_attr_name) if a.ref_attr_name else a) for a in node.attribute)
    return {name: attribute for name, attribute in pairs if attribute is not None}


def plain(attributes: Attributes, tensors: TensorData) -> dict[str, Any]:
    """The values by name: str for text, arrays for tensors, lists for lists, messages for graphs and types.

    Raises:
        FormatProblem: text that is not UTF-8, or a tensor that is damaged.
        NotConvertible: a tensor of a type that no kernel computes with.
    """
    return {name: plain_attribute(attribute, tensors) for name, attribute in attributes.items()}


def plain_attribute(attribute: AttributeProto, tensors: TensorData) -> Any:
    """The value of an attribute; see ``plain``."""
    kind = AttributeProto
    if attribute.type == kind.TENSOR:
        return tensors.array(attribute.t)
    try:
        value = _value(attribute)
        if attribute.type == kind.STRING:
            return value.decode()
        if attribute.type == kind.STRINGS:
            return [text.decode() for text in value]
    except (UnicodeDecodeError, ValueError) as e:
        raise FormatProblem(f"cannot be read: {e}", f"attribute '{attribute.name}'") from e
    return value


def _value(attribute: AttributeProto) -> Any:
    """The contents of the field that the attribute's type names; None where the attribute has no type.

    Raises:
        ValueError: there is no such attribute type.
    """
    kind = attribute.type
    if kind == AttributeProto.UNDEFINED:
        return None
    if kind in FIELDS:
        return getattr(attribute, FIELDS[kind])
    if kind in LISTS:
        return list(getattr(attribute, LISTS[kind]))
    raise ValueError(f"type {kind} of attributes is not known")
