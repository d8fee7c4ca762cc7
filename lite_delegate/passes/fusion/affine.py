"""AffineFusionPass: normalization, scales and offsets for each channel as part of the product before."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from ...ir import DataType, Graph, Node, Value, constant, make_primitive, to_numpy
from ...ir.traits import VIEWS
from ...ir.types.enums import ActivationType
from ..framework.base import PassResult
from ..framework.draft import Draft
from ..framework.graph_pass import GraphPass
from ..framework.patterns import is_activated
from ..framework.provenance import hand_down
from ..framework.rewriting import rewrite_drafts
from ..framework.specs import Specs, infer_specs
from .forms.channels import Channels, channels_of
from .forms.products import PRODUCTS, scaled

SINGLE = (DataType.FLOAT32, DataType.FLOAT16)


class AffineFusionPass(GraphPass):
    """Lets convolutions and matrix products apply the affine maps of their channels that follow them.

    1. BatchNorm, FusedBatchNorm (its first output alone read), ScaleFusion along the last axis, and MulFusion or
       DivFusion by a constant with one number for each channel or one number for all: their factor goes into the
       weights and the bias.
    2. BiasAdd, AddFusion and SubFusion of such a constant: their offset goes into the bias.
    3. The operator before is Conv2DFusion, Conv2dTransposeFusion, MatMulFusion with a constant on the right, or
       ScaleFusion along the last axis; its
       weights and bias are constants that nobody else reads (an offset leaves the weights alone, and may share them),
       it has no activation, and nobody else reads its result. Operators in ``VIEWS``, each read by nobody else, may
       stand between, as they do behind a convolution of one dimension, where the last axis has as many elements before
       them as behind them: they stay behind the product.
    4. A FusedBatchNorm or BatchNorm that stays becomes a ScaleFusion: one multiplication and one addition.
    5. Weights are scaled in float64 and rounded once. Nodes with factors that are not finite, or whose weights would
       not be finite, stay. Quantized nodes stay.

    Results change only by the rounding of the weights and the order of the additions. An offset behind an operator
    without a bias changes no bit of float32.
    """

    name: ClassVar[str] = "affine-fusion"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with such nodes fused; idempotent."""
        return rewrite_drafts(graph, _fused)


def _fused(draft: Draft) -> None:
    specs = infer_specs(draft.graph, draft.variables)
    for node in draft.nodes():
        current = draft.producer(node.outputs[0]) if node.outputs else None
        if current is None or not draft.is_plain(current) or current.outputs[0].dtype not in SINGLE:
            continue
        channels = channels_of(current, draft, specs)
        if channels is not None and not _fuse(current, channels, draft, specs):
            _simplify(current, channels, draft)


def _fuse(node: Node, channels: Channels, draft: Draft, specs: Specs) -> bool:
    before, moves = _product_of(node, channels.source, draft)
    if before is None or before.op_type not in PRODUCTS or not draft.is_plain(before) or is_activated(before):
        return False
    if before.outputs[0].dtype != node.outputs[0].dtype:
        return False
    if moves and not _are_as_many(before.outputs[0], channels.source, specs):
        return False
    made = scaled(before, channels, draft)
    if made is None:
        return False
    activation = node.primitive.attributes().get("activation_type", "NO_ACTIVATION")
    with_bias = {"has_bias": True} if before.op_type == "FullConnection" else {}
    primitive = before.primitive.replace(activation_type=ActivationType[activation], **with_bias)
    product = replace(before, primitive=primitive, inputs=made)
    if moves:
        hand_down([node], [product])
    new = [product, *moves]
    new[-1] = replace(new[-1], outputs=list(node.outputs[:1]))
    draft.replace([before, *moves, node], new)
    return True


def _product_of(node: Node, source: Value, draft: Draft) -> tuple[Node | None, list[Node]]:
    """The product that gives the elements of a node's source and has no other reader, and the nodes between; None
    without such a product.
    """
    moves: list[Node] = []
    reader, value = node, source
    while draft.only_reader(value) is reader:
        before = draft.producer(value)
        if before is None or before.op_type not in VIEWS or not draft.is_plain(before) or before.inputs[0] is None:
            return before, moves
        moves.insert(0, before)
        reader, value = before, before.inputs[0]
    return None, moves


def _are_as_many(value: Value, other: Value, specs: Specs) -> bool:
    """Whether the last axis of two values has as many elements, known ones."""
    last = [spec.shape[-1] for spec in (specs.get(value), specs.get(other)) if spec is not None and spec.shape]
    return len(last) == 2 and last[0] == last[1] > 0


def _simplify(node: Node, channels: Channels, draft: Draft) -> None:
    """Makes a ScaleFusion of a normalization by constants."""
    if node.op_type not in ("BatchNorm", "FusedBatchNorm") or channels.factor is None:
        return
    dtype, names = to_numpy(node.outputs[0].dtype), ("scale", "offset")
    with np.errstate(all="ignore"):
        arrays = [np.ascontiguousarray(a.reshape(-1).astype(dtype)) for a in (channels.factor, channels.offset)]
    if arrays[0].shape != arrays[1].shape or not all(np.isfinite(a).all() for a in arrays):
        return
    values = [constant(f"{node.name}/{name}", array) for name, array in zip(names, arrays, strict=True)]
    made = make_primitive("ScaleFusion", axis=-1)
    draft.replace([node], [replace(node, primitive=made, inputs=[channels.source, *values], outputs=node.outputs[:1])])
