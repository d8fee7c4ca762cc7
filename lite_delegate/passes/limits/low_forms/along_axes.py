"""Low forms of operators that compute along axes; these axes stay apart from the other axes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from ....ir import Node, make_primitive
from ....ir.primitives import (
    ArgMaxFusion,
    ArgMinFusion,
    Concat,
    LayerNormFusion,
    MatMulFusion,
    ReduceFusion,
    Softmax,
    Stack,
)
from ..facts import RewriteFacts
from ..grouping import grouped, merged_shape, place_of
from ..movement import Shape
from .form import LowForm, LowFormRule, freed, labels_around


def _softmax(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    assert isinstance(node.primitive, Softmax)
    shape, axes = facts.shape(node.inputs[0]), node.primitive.axis or (-1,)
    if shape is None or len(axes) != 1:
        return None
    axis = axes[0] % len(shape)
    groups = grouped(labels_around(shape, axis), most)
    if groups is None:
        return None
    low = merged_shape(shape, groups)
    return LowForm(replace(node.primitive, axis=(place_of(axis, groups),)), {0: low}, (low,))


def _concat(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    assert isinstance(node.primitive, Concat)
    result = facts.shape(node.outputs[0])
    shapes = [shape for value in node.inputs if (shape := facts.shape(value)) is not None]
    if result is None or len(shapes) != len(node.inputs):
        return None
    axis = node.primitive.axis % len(result)
    groups = grouped(labels_around(result, axis), most)
    if groups is None:
        return None
    low = {i: merged_shape(shape, groups) for i, shape in enumerate(shapes)}
    return LowForm(replace(node.primitive, axis=place_of(axis, groups)), low, (merged_shape(result, groups),))


def _stack(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    """A Concat of operands with an axis of 1."""
    assert isinstance(node.primitive, Stack)
    result, shape = facts.shape(node.outputs[0]), facts.shape(node.inputs[0])
    if result is None or shape is None:
        return None
    axis = node.primitive.axis % len(result)
    groups = grouped(labels_around(result, axis), most)
    if groups is None:
        return None
    low = merged_shape((*shape[:axis], 1, *shape[axis:]), groups)
    primitive = make_primitive("Concat", axis=place_of(axis, groups))
    return LowForm(primitive, dict.fromkeys(range(len(node.inputs)), low), (merged_shape(result, groups),))


def _arg(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    assert isinstance(node.primitive, ArgMaxFusion | ArgMinFusion)
    shape = facts.shape(node.inputs[0])
    if shape is None or len(node.outputs) != 1 or node.primitive.top_k != 1:
        return None
    axis = node.primitive.axis % len(shape)
    groups = grouped(labels_around(shape, axis), most)
    if groups is None:
        return None
    low, place = merged_shape(shape, groups), place_of(axis, groups)
    return LowForm(replace(node.primitive, axis=place, keep_dims=True), {0: low}, (_with(low, {place: 1}),))


def _reduced(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    """The reduction with neighboring reduced axes merged, and neighboring kept axes merged."""
    assert isinstance(node.primitive, ReduceFusion)
    shape, given = facts.shape(node.inputs[0]), facts.ints(node.inputs[1] if len(node.inputs) > 1 else None)
    if shape is None or not given or node.primitive.reduce_to_end:
        return None
    over = {axis % len(shape) for axis in given}
    groups = grouped(freed([axis in over for axis in range(len(shape))], shape), most)
    if groups is None:
        return None
    low = merged_shape(shape, groups)
    places = [place for place, axes in enumerate(groups) if any(a in over and shape[a] > 1 for a in axes)]
    places = places or [place_of(min(over), groups)]
    result = _with(low, dict.fromkeys(places, 1))
    return LowForm(replace(node.primitive, keep_dims=True), {0: low}, (result,), {1: places})


def _layer_norm(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    """The axes that are not normalized are merged."""
    assert isinstance(node.primitive, LayerNormFusion)
    shape = facts.shape(node.inputs[0])
    if shape is None or len(node.outputs) != 1:
        return None
    first, params = (axis % len(shape) for axis in (node.primitive.begin_norm_axis, node.primitive.begin_params_axis))
    labels = freed([axis if axis >= first else "before" for axis in range(len(shape))], shape, range(first, len(shape)))
    groups = grouped(labels, most)
    if groups is None or params < first:
        return None
    low, less = merged_shape(shape, groups), len(shape) - len(groups)
    primitive = replace(node.primitive, begin_norm_axis=first - less, begin_params_axis=params - less)
    return LowForm(primitive, {0: low}, (low,))


def _product(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    """The product with the stack axes merged that both operands have, or one lacks; for one matrix, with its rows."""
    assert isinstance(node.primitive, MatMulFusion)
    result = facts.shape(node.outputs[0])
    shapes = [facts.shape(value) for value in node.inputs[:2]]
    if result is None or shapes[0] is None or shapes[1] is None or len(result) < 3:
        return None
    wide = [(1,) * (len(result) - len(shape)) + shape for shape in shapes if shape is not None]
    stacks: list[Hashable] = [tuple(shape[axis] == 1 for shape in wide) for axis in range(len(result) - 2)]
    is_one = len(shapes[1]) <= 2 and not node.primitive.transpose_a
    rows: Hashable = (False, True) if is_one else "rows"
    last = range(len(result) - 2, len(result))
    groups = grouped(freed([*stacks, rows, "columns"], result, last), most)
    if groups is None or len(groups) < 2:
        return None
    low = {i: merged_shape(shape, groups) for i, shape in enumerate(wide) if len(shapes[i] or ()) > 2}
    return LowForm(node.primitive, low, (merged_shape(result, groups),))


def _padded(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    """Axes without a border are merged."""
    shape, result = facts.shape(node.inputs[0]), facts.shape(node.outputs[0])
    pads = facts.ints(node.inputs[1])
    if shape is None or result is None or pads is None or len(pads) != 2 * len(shape):
        return None
    edges = [tuple(pads[2 * axis : 2 * axis + 2]) for axis in range(len(shape))]
    labels: list[Any] = ["none" if edge == (0, 0) else axis for axis, edge in enumerate(edges)]
    groups = grouped(freed(labels, shape, [axis for axis, edge in enumerate(edges) if edge != (0, 0)]), most)
    if groups is None:
        return None
    numbers = [n for axes in groups for n in next((edges[a] for a in axes if edges[a] != (0, 0)), (0, 0))]
    return LowForm(node.primitive, {0: merged_shape(shape, groups)}, (merged_shape(result, groups),), {1: numbers})


def _with(shape: Shape, sizes: dict[int, int]) -> Shape:
    return tuple(sizes.get(axis, size) for axis, size in enumerate(shape))


ALONG_AXES: dict[str, LowFormRule] = {
    "ArgMaxFusion": _arg,
    "ArgMinFusion": _arg,
    "Concat": _concat,
    "LayerNormFusion": _layer_norm,
    "MatMulFusion": _product,
    "PadFusion": _padded,
    "ReduceFusion": _reduced,
    "Softmax": _softmax,
    "Stack": _stack,
}
"""By operator."""
