"""Passes: graph to graph, with a contract that is checked."""

from typing import TYPE_CHECKING

from ..basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from ..ir.traits import SIDE_EFFECTS
    from .activation_forms import ActivationFormsPass
    from .constants.dequantize_weights import DequantizeWeightsPass
    from .constants.unpack_constants import UnpackConstantsPass
    from .dead_code import DeadCodePass
    from .framework.base import PassResult
    from .framework.draft import Draft
    from .framework.graph_pass import GraphPass, check_order, run_passes
    from .framework.patterns import inner_maker_of, is_activated, maker_of, scalar_of
    from .framework.provenance import with_removed
    from .framework.rewriting import rewrite_constants, rewrite_drafts, rewrite_graphs
    from .framework.variables import variables_of
else:
    __getattr__ = _deferred(
        __name__,
        {
            "ActivationFormsPass": "activation_forms",
            "PassResult": "framework.base",
            "DeadCodePass": "dead_code",
            "DequantizeWeightsPass": "constants.dequantize_weights",
            "Draft": "framework.draft",
            "SIDE_EFFECTS": ".ir.traits",
            "variables_of": "framework.variables",
            "GraphPass": "framework.graph_pass",
            "check_order": "framework.graph_pass",
            "run_passes": "framework.graph_pass",
            "inner_maker_of": "framework.patterns",
            "is_activated": "framework.patterns",
            "maker_of": "framework.patterns",
            "scalar_of": "framework.patterns",
            "with_removed": "framework.provenance",
            "rewrite_constants": "framework.rewriting",
            "rewrite_drafts": "framework.rewriting",
            "rewrite_graphs": "framework.rewriting",
            "UnpackConstantsPass": "constants.unpack_constants",
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
