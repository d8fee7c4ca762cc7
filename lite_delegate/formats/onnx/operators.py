"""Names and versions of ONNX operators, and names of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def domain_name(domain: str) -> str:
    """The domain, empty for ONNX's own under either of its names."""
    return "" if domain == "ai.onnx" else domain


def qualified(node: onnx.NodeProto) -> str:
    """The operator's name, with its domain where that is not ONNX's own."""
    domain = domain_name(node.domain)
    return f"{domain}.{node.op_type}" if domain else node.op_type


def opset_of(node: onnx.NodeProto, opsets: Mapping[str, int]) -> int:
    """The version of the node's domain that the model asks for."""
    return opsets.get(domain_name(node.domain), 1)


def name_of(node: onnx.NodeProto) -> str:
    """The node's name; without one, the name of its first output, which is unique in its graph."""
    return node.name or next((name for name in node.output if name), node.op_type)
