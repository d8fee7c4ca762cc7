"""Passes: graph to graph, with a contract that is checked."""

from typing import TYPE_CHECKING

from ..deferred import deferred as _deferred

if TYPE_CHECKING:
    from .activation_forms import ActivationFormsPass
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
else:
    __getattr__ = _deferred(
        __name__,
        {
            "ActivationFormsPass": "activation_forms",
            "PassResult": "base",
            "DeadCodePass": "dead_code",
            "DequantizeWeightsPass": "dequantize_weights",
            "Draft": "draft",
            "SIDE_EFFECTS": "effects",
            "variables_of": "effects",
            "GraphPass": "graph_pass",
            "check_order": "graph_pass",
            "run_passes": "graph_pass",
            "inner_maker_of": "patterns",
            "is_activated": "patterns",
            "maker_of": "patterns",
            "scalar_of": "patterns",
            "with_removed": "provenance",
            "rewrite_constants": "rewriting",
            "rewrite_drafts": "rewriting",
            "rewrite_graphs": "rewriting",
            "UnpackConstantsPass": "unpack_constants",
        },
    )

__all__ = [
    "SIDE_EFFECTS",
    "ActivationFormsPass",
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
