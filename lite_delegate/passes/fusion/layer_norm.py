"""LayerNormFusionPass: normalization by mean and variance, spelled out."""

from __future__ import annotations

from math import prod
from typing import ClassVar

import numpy as np

from ...ir import Node, Primitive, Value, constant
from ..framework.draft import Array
from ..framework.patterns import inner_maker_of, is_activated
from .forms.normal_forms import normal_form
from .forms.pattern import Scene
from .forms.pattern_pass import PatternPass
from .forms.standardized import standardized


class LayerNormFusionPass(PatternPass):
    """Makes one normalization of ``(x - mean(x)) / sqrt(variance(x) + epsilon) * gamma + beta``.

    1. Mean and variance are taken over the same axes: by ReduceMean, or by ReduceSum over the number of elements; kept
       as axes of one element, or put back by a Reshape or the like. The variance is the mean of ``(x - mean(x))**2``,
       spelled as a power, a product, Square or SquaredDifference, or ``mean(x**2) - mean(x)**2``, also from zero up.
    2. The root is Sqrt or a power of 0.5, divided by, or Rsqrt, a power of -0.5 or one over a root, multiplied by.
    3. Gamma and beta are constants. The factors stand in any order and grouping, such as ``(x - mean) * (root *
       gamma) + beta``, and ``x`` and its mean may be scaled each: ``x * m + (beta - mean * m)``. A missing gamma is
       ones, a missing beta is zeros.
    4. ``epsilon`` is a constant of one element, not negative.
    5. Over the last axes it becomes LayerNormFusion; over all but the first and the last, with parameters for the last,
       InstanceNorm; over other axes LayerNormFusion between two transposes. Parameters of other shapes stay behind
       the normalization.
    6. A product with a constant gamma, or a sum with a constant beta, becomes part of a LayerNormFusion before it that
       has no such parameter.
    """

    name: ClassVar[str] = "layer-norm-fusion"
    needs = frozenset({"LayerNormFusion", "ReduceFusion"})
    outermost_first: ClassVar[bool] = True

    def replacement(self, node: Node, scene: Scene) -> list[Node] | None:
        """A normalization with the nodes it needs around it, or a fused one that takes gamma or beta over."""
        found = standardized(node, scene)
        return super().replacement(node, scene) if found is None else normal_form(node, found, scene)

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """LayerNormFusion with gamma or beta."""
        return _with_parameter(node, scene)


def _with_parameter(node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
    """A LayerNormFusion times gamma, or plus beta, as one."""
    if node.op_type not in ("MulFusion", "AddFusion") or is_activated(node):
        return None
    for side in (0, 1):
        norm = inner_maker_of(scene.draft, node.inputs[1 - side], "LayerNormFusion")
        data = None if norm is None else scene.draft.constant(node.inputs[side])
        if norm is not None and data is not None and node.inputs[side] is not None:
            inputs = _parameters(node, norm, data, scene)
            if inputs is not None:
                return norm.primitive.replace(elementwise_affine=True), inputs
    return None


def _parameters(node: Node, norm: Node, data: Array, scene: Scene) -> list[Value | None] | None:
    x = norm.inputs[0]
    spec = None if x is None else scene.specs.get(x)
    if spec is None or spec.shape is None:
        return None
    covered = spec.shape[norm.primitive.attributes()["begin_params_axis"] :]
    if data.ndim > len(spec.shape) or data.size != prod(covered) or data.shape[-len(covered) :] != covered:
        return None
    given = constant(f"{node.name}/parameter", data.reshape(covered))
    if node.op_type == "MulFusion":
        return [x, given, _filled(given, 0)] if len(norm.inputs) == 1 else None
    if len(norm.inputs) == 1:
        return [x, _filled(given, 1), given]
    beta = scene.draft.constant(norm.inputs[2])
    return [x, norm.inputs[1], given] if beta is not None and not beta.any() else None


def _filled(like: Value, number: int) -> Value:
    assert like.data is not None
    return constant(f"{like.name}/{'zeros' if number == 0 else 'ones'}", np.full_like(like.data, number))
