"""Models quantized by casts around float operators, as operators on integers."""

from .quantized_fusion import QuantizedFusionPass

__all__ = ["QuantizedFusionPass"]
