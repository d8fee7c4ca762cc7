"""ActivationFusionPass: RELU and RELU6 as part of the operator before."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ...ir import Graph, Node
from ...ir.traits import REARRANGING
from ...ir.types.enums import ActivationType
from ..clamp import activation_of, clamp_of
from ..framework.base import PassResult
from ..framework.draft import Draft
from ..framework.graph_pass import GraphPass
from ..framework.patterns import FLOATS, is_activated
from ..framework.provenance import hand_down
from ..framework.rewriting import rewrite_drafts

FUSABLE = frozenset(
    {
        "AddFusion",
        "AvgPoolFusion",
        "Conv2DFusion",
        "Conv2dTransposeFusion",
        "DivFusion",
        "FullConnection",
        "MatMulFusion",
        "MaxPoolFusion",
        "MulFusion",
        "ScaleFusion",
        "SubFusion",
    }
)
"""Operators whose kernels honor RELU and RELU6, and nothing else."""


class ActivationFusionPass(GraphPass):
    """Lets operators apply RELU and RELU6 themselves. The same bit for bit.

    1. A clamp to 0 and above, or to 0..6, behind an operator in ``FUSABLE`` that nobody else reads is fused into the
       operator: Activation RELU and RELU6, or Clip with these bounds, as attributes or as constants.
       Operators in ``REARRANGING``, each read by nobody else, may stand between: they stay behind the operator.
    2. An operator that has an activation already keeps it, and the clamp stays.
    3. A clamp that cannot be fused stays; ``ActivationFormsPass`` gives it its name.
    4. Only floats: clamps of quantized and of whole numbers stay.
    """

    name: ClassVar[str] = "activation-fusion"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with activations fused; idempotent."""
        return rewrite_drafts(graph, _fused)


def _fused(draft: Draft) -> None:
    for node in draft.nodes():
        kind = _kind(node, draft)
        path = [] if kind is None else _path_to_taker(node, draft)
        if kind is not None and path:
            _fuse(path, node, kind, draft)


def _kind(node: Node, draft: Draft) -> ActivationType | None:
    """The activation that a clamp of floats is, if other operators can apply it."""
    if node.op_type not in ("Activation", "Clip") or not draft.is_plain(node) or node.outputs[0].dtype not in FLOATS:
        return None
    clamp = clamp_of(node, draft)
    made = None if clamp is None else activation_of(clamp, node.outputs[0].dtype)
    name = None if made is None else made.attributes()["activation_type"]
    return ActivationType[name] if name in ("RELU", "RELU6") else None


def _path_to_taker(node: Node, draft: Draft) -> list[Node]:
    """The node that can apply a clamp, and the nodes between, which only move elements; empty without such a node."""
    path: list[Node] = []
    before = draft.producer(node.inputs[0])
    while before is not None and not _takes(before, draft):
        if (
            before.op_type not in REARRANGING
            or not draft.is_plain(before)
            or draft.only_reader(before.outputs[0]) is None
        ):
            return []
        path.insert(0, before)
        before = draft.producer(before.inputs[0])
    return [] if before is None else [before, *path]


def _fuse(path: list[Node], clamp: Node, activation: ActivationType, draft: Draft) -> None:
    taker = replace(path[0], primitive=path[0].primitive.replace(activation_type=activation))
    hand_down([clamp], [taker])
    made = [taker, *path[1:]]
    made[-1] = replace(made[-1], outputs=list(clamp.outputs))
    draft.replace([*path, clamp], made)


def _takes(node: Node, draft: Draft) -> bool:
    if node.op_type not in FUSABLE or is_activated(node) or len(node.outputs) != 1 or not draft.is_plain(node):
        return False
    return node.outputs[0].dtype in FLOATS and draft.only_reader(node.outputs[0]) is not None
