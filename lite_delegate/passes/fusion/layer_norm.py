"""LayerNormFusionPass: normalization over the last axes, spelled out."""

from __future__ import annotations

from math import prod
from typing import ClassVar

import numpy as np

from ...ir import Node, Primitive, Value, constant, make_primitive
from ..draft import Array
from ..patterns import inner_maker_of, is_activated, maker_of, scalar_of
from .pattern import PatternPass, Scene


class LayerNormFusionPass(PatternPass):
    """Makes one LayerNormFusion of ``(x - mean(x)) / sqrt(mean((x - mean(x))**2) + epsilon) * gamma + beta``.

    1. The means are ReduceFusion with ``keep_dims`` over the same axes, which are the last of ``x``.
    2. The square is a power, a product, Square, or SquaredDifference of ``x`` and its mean; the root Sqrt or a power of
       0.5, divided by, or Rsqrt, multiplied by.
    3. Behind it, a product with a constant gamma and then a sum with a constant beta, each of the dimensions that are
       normalized, become part of it, nodes that only they read; one alone gets ones or zeros for the other.
    4. ``epsilon`` is a constant of one element.
    """

    name: ClassVar[str] = "layer-norm-fusion"
    needs = frozenset({"DivFusion", "LayerNormFusion", "MulFusion"})

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """LayerNormFusion of ``x``, or with gamma or beta where it has been fused already."""
        return _normalized(node, scene) or _with_parameter(node, scene)


def _normalized(node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
    found = _centered_and_root(node, scene)
    if found is None:
        return None
    centered, mean_square, epsilon = found
    center = _center(centered, scene)
    variance = _mean(mean_square, scene)
    if center is None or variance is None:
        return None
    x, mean, axes = center
    inside, variance_axes = variance
    rank = scene.rank(x)
    if rank is None or axes != variance_axes or sorted(a % rank for a in axes) != list(range(rank - len(axes), rank)):
        return None
    if not _is_square(inside, centered, x, mean, scene):
        return None
    begin = rank - len(axes)
    return make_primitive("LayerNormFusion", begin_norm_axis=begin, begin_params_axis=begin, epsilon=epsilon), [x]


def _centered_and_root(node: Node, scene: Scene) -> tuple[Value, Value, float] | None:
    """``(d, m, epsilon)`` where a node gives ``d / sqrt(m + epsilon)``."""
    if node.op_type not in ("DivFusion", "MulFusion") or is_activated(node):
        return None
    left, right = node.inputs
    pairs = [(left, right)] if node.op_type == "DivFusion" else [(left, right), (right, left)]
    for centered, scale in pairs:
        inside = _under_root(scale, scene, is_inverse=node.op_type == "MulFusion")
        total = None if inside is None else scene.sum_with_number(inside)
        if centered is not None and total is not None and total[1] >= 0:
            return centered, total[0], total[1]
    return None


def _under_root(value: Value | None, scene: Scene, *, is_inverse: bool) -> Value | None:
    """The value that this one is the square root of, or one over it."""
    root = maker_of(scene.draft, value, "Rsqrt" if is_inverse else "Sqrt")
    if root is not None:
        return root.inputs[0]
    power = maker_of(scene.draft, value, "PowFusion")
    if power is None or scalar_of(scene.draft, power.inputs[1]) != (-0.5 if is_inverse else 0.5):
        return None
    attributes = power.primitive.attributes()
    return power.inputs[0] if (attributes["scale"], attributes["shift"]) == (1.0, 0.0) else None


def _center(value: Value, scene: Scene) -> tuple[Value, Value, tuple[int, ...]] | None:
    """``(x, mean, axes)`` where a value is ``x - mean(x)``."""
    node = maker_of(scene.draft, value, "SubFusion")
    if node is None or is_activated(node) or node.inputs[0] is None or node.inputs[1] is None:
        return None
    mean = _mean(node.inputs[1], scene)
    return (node.inputs[0], node.inputs[1], mean[1]) if mean is not None and mean[0] is node.inputs[0] else None


def _mean(value: Value, scene: Scene) -> tuple[Value, tuple[int, ...]] | None:
    """The value that this one is the mean of, and over which axes, counted from the front."""
    node = maker_of(scene.draft, value, "ReduceFusion")
    if node is None or len(node.inputs) != 2 or node.inputs[0] is None:
        return None
    attributes, axes, rank = (
        node.primitive.attributes(),
        scene.draft.constant(node.inputs[1]),
        scene.rank(node.inputs[0]),
    )
    if attributes["mode"] != "ReduceMean" or not attributes["keep_dims"] or attributes["reduce_to_end"]:
        return None
    if axes is None or not axes.size or rank is None:
        return None
    return node.inputs[0], tuple(sorted(int(a) % rank for a in axes.reshape(-1)))


def _is_square(value: Value, centered: Value, x: Value, mean: Value, scene: Scene) -> bool:
    difference = maker_of(scene.draft, value, "SquaredDifference")
    if difference is not None:
        return set(difference.inputs) == {x, mean}
    product = scene.product(value)
    return product is not None and product.number == 1.0 and product.factors == (centered, centered)


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
