"""Passes: graph to graph, with a contract that is checked."""

from .activation_forms import ActivationFormsPass
from .align_constants import AlignConstantsPass
from .base import PassResult
from .dead_code import DeadCodePass
from .dequantize_weights import DequantizeWeightsPass
from .draft import Draft
from .effects import SIDE_EFFECTS, variables_of
from .graph_pass import GraphPass, check_order, run_passes
from .patterns import inner_maker_of, is_activated, maker_of, scalar_of
from .provenance import with_removed
from .rewriting import rewrite_constants, rewrite_drafts, rewrite_graphs
from .unpack_constants import UnpackConstantsPass

__all__ = [
    "SIDE_EFFECTS",
    "ActivationFormsPass",
    "AlignConstantsPass",
    "DeadCodePass",
    "DequantizeWeightsPass",
    "Draft",
    "GraphPass",
    "PassResult",
    "UnpackConstantsPass",
    "check_order",
    "inner_maker_of",
    "is_activated",
    "maker_of",
    "rewrite_constants",
    "rewrite_drafts",
    "rewrite_graphs",
    "run_passes",
    "scalar_of",
    "variables_of",
    "with_removed",
]
