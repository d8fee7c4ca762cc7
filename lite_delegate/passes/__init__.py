"""Passes: graph to graph, with a contract that is checked."""

from .align_constants import AlignConstantsPass
from .base import PassResult
from .dead_code import DeadCodePass
from .dequantize_weights import DequantizeWeightsPass
from .effects import SIDE_EFFECTS
from .graph_pass import GraphPass, check_order, run_passes
from .unpack_constants import UnpackConstantsPass

__all__ = [
    "SIDE_EFFECTS",
    "AlignConstantsPass",
    "DeadCodePass",
    "DequantizeWeightsPass",
    "GraphPass",
    "PassResult",
    "UnpackConstantsPass",
    "check_order",
    "run_passes",
]
