"""The keywords that a reference kernel takes for a node."""

from __future__ import annotations

from typing import Any

from lite_delegate_kernels import ReferenceKernel

from ..ir import Node, custom_attributes
from ..ir.custom import INTERNAL
from .quantization import node_quantization


def kernel_attributes(node: Node, kernel: ReferenceKernel) -> dict[str, Any]:
    """The node's attributes, and what else the kernel asks for: how many outputs, what integers stand for."""
    attributes: dict[str, Any] = dict(node.primitive.attributes())
    if node.op_type == "Custom":
        attributes = {n: v for n, v in custom_attributes(node.primitive).items() if not n.startswith(INTERNAL)}
    if kernel.needs_output_count:
        attributes["output_count"] = len(node.outputs)
    if kernel.needs_quantization:
        attributes["quantization"] = node_quantization(node)
    return attributes
