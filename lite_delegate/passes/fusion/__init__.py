"""Fusion: several nodes that one operator can say."""

from .activation import ActivationFusionPass
from .affine import AffineFusionPass
from .gelu import GeluFusionPass
from .hard_swish import HardSwishFusionPass
from .layer_norm import LayerNormFusionPass
from .matmul_transposes import MatMulTransposesPass
from .one_hot import OneHotFusionPass
from .softmax import SoftmaxFusionPass
from .swish import SwishFusionPass

__all__ = [
    "ActivationFusionPass",
    "AffineFusionPass",
    "GeluFusionPass",
    "HardSwishFusionPass",
    "LayerNormFusionPass",
    "MatMulTransposesPass",
    "OneHotFusionPass",
    "SoftmaxFusionPass",
    "SwishFusionPass",
]
