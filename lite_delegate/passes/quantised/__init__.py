"""Models quantised by casts around float operators, as operators on integers."""

from .quantised_fusion import QuantisedFusionPass

__all__ = ["QuantisedFusionPass"]
