"""ONNX Runtime's activation functions, which its optimizer of transformers writes (domain com.microsoft)."""

from __future__ import annotations

from ....ir import Value
from ..conversion import Converter, OnnxNode
from .activation import scaled_swish

QUICK_GELU_ALPHA = 1.702
"""Default of QuickGelu's factor, by ONNX Runtime's list of its operators."""


def _gelu_of_sum(*, approximate: bool) -> Converter:
    """GELU of x, to which a bias is added where there is one."""

    def convert(node: OnnxNode) -> Value:
        bias = node.optional(1)
        x = node.x() if bias is None else node.emit("AddFusion", node.x(), bias)
        return node.emit("Activation", x, activation_type="GELU", approximate=approximate)

    return convert


def _quick_gelu(node: OnnxNode) -> Value:
    return scaled_swish(node, node.x(), QUICK_GELU_ALPHA)


CONVERTERS: dict[str, Converter] = {
    "com.microsoft.BiasGelu": _gelu_of_sum(approximate=False),
    "com.microsoft.FastGelu": _gelu_of_sum(approximate=True),
    "com.microsoft.Gelu": _gelu_of_sum(approximate=False),
    "com.microsoft.QuickGelu": _quick_gelu,
}
