"""Fusion: several nodes that one operator can say."""

from .activation import ActivationFusionPass
from .affine import AffineFusionPass
from .gelu import GeluFusionPass
from .hard_swish import HardSwishFusionPass
from .layer_norm import LayerNormFusionPass
from .swish import SwishFusionPass

__all__ = [
    "ActivationFusionPass",
    "AffineFusionPass",
    "GeluFusionPass",
    "HardSwishFusionPass",
    "LayerNormFusionPass",
    "SwishFusionPass",
]
