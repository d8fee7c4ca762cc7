"""A resize as matrix products: along each axis a matrix of weights, worked out by nodes of the graph.

It takes every mode, any rank, and factors or sizes that are known only when the model runs.
"""

from __future__ import annotations

import numpy as np

from ....ir import Value
from ...rejection import Why
from ..conversion import OnnxNode
from .plan import Plan, ResizedAxis


def resample(node: OnnxNode, plan: Plan) -> Value:
    """The resized input, axis by axis."""
    modes = ("nearest", "linear", "cubic")
    node.reject_unless(plan.mode in modes, Why.ATTRIBUTE, f"mode must be one of {', '.join(modes)}, found {plan.mode}")
    y = node.x()
    is_float = node.dtype(y).kind == "f"
    node.reject_unless(
        plan.mode == "nearest" or is_float, Why.DTYPE, f"mode {plan.mode} takes floats, found {node.dtype(y)}"
    )
    places = [_coordinates(node, plan, axis) for axis in plan.axes]
    for axis, place in zip(plan.axes, places, strict=True):
        if plan.mode == "nearest":
            y = node.emit("Gather", y, _nearest(node, plan, axis, place), node.axis_operand(axis.axis))
        else:
            y = _product(node, y, axis.axis, _weights(node, plan, axis, place))
    if plan.coordinates == "tf_crop_and_resize":
        for axis, place in zip(plan.axes, places, strict=True):
            y = _extrapolated(node, plan, axis, place, y)
    return y


class _Reckoner:
    """Arithmetic of float64 values of the graph."""

    def __init__(self, node: OnnxNode) -> None:
        self._node = node

    def number(self, value: float) -> Value:
        return self._node.builder.small_constant(np.float64(value))

    def add(self, a: Value, b: Value | float) -> Value:
        return self._two("AddFusion", a, b)

    def sub(self, a: Value | float, b: Value | float) -> Value:
        return self._two("SubFusion", a, b)

    def mul(self, a: Value, b: Value | float) -> Value:
        return self._two("MulFusion", a, b)

    def div(self, a: Value, b: Value | float) -> Value:
        return self._two("DivFusion", a, b)

    def least(self, a: Value, b: Value | float) -> Value:
        return self._two("Minimum", a, b)

    def most(self, a: Value, b: Value | float) -> Value:
        return self._two("Maximum", a, b)

    def _two(self, op_type: str, a: Value | float, b: Value | float) -> Value:
        left = a if isinstance(a, Value) else self.number(a)
        return self._node.emit(op_type, left, b if isinstance(b, Value) else self.number(b))


def _coordinates(node: OnnxNode, plan: Plan, axis: ResizedAxis) -> Value:
    """Where in the input each output position lies, float64 (length,), by the formulas of ONNX's Resize."""
    r = _Reckoner(node)
    limit = node.cast(axis.length, "float64")
    o = node.emit("Range", r.number(0), limit, r.number(1))
    real_length = r.mul(axis.scale, axis.size)
    centers = r.sub(r.div(r.add(o, 0.5), axis.scale), 0.5)
    is_one = node.emit("Equal", real_length, r.number(1))
    match plan.coordinates:
        case "half_pixel":
            return centers
        case "asymmetric":
            return r.div(o, axis.scale)
        case "pytorch_half_pixel":
            return node.emit("Where", is_one, r.number(-0.5), centers)
        case "half_pixel_symmetric":
            offset = r.mul(r.sub(1, r.div(limit, real_length)), axis.size / 2)
            return r.add(centers, offset)
        case "align_corners":
            steps = node.emit("Where", is_one, r.number(1), r.sub(real_length, 1))
            along = r.div(r.mul(o, axis.size - 1), steps)
            return node.emit("Where", is_one, r.number(0), along)
        case "tf_crop_and_resize":
            return _within_part(node, axis, o, real_length, is_one)
    node.reject(Why.ATTRIBUTE, f"coordinate_transformation_mode {plan.coordinates}")


def _within_part(node: OnnxNode, axis: ResizedAxis, o: Value, real_length: Value, is_one: Value) -> Value:
    r = _Reckoner(node)
    assert axis.start is not None
    assert axis.end is not None
    part = r.mul(r.sub(axis.end, axis.start), axis.size - 1)
    steps = node.emit("Where", is_one, r.number(1), r.sub(real_length, 1))
    along = node.emit("Where", is_one, r.div(part, 2), r.div(r.mul(o, part), steps))
    return r.add(along, r.mul(axis.start, axis.size - 1))


def _nearest(node: OnnxNode, plan: Plan, axis: ResizedAxis, place: Value) -> Value:
    r = _Reckoner(node)
    match plan.rounding:
        case "round_prefer_floor":
            whole = node.emit("Ceil", r.sub(place, 0.5))
        case "round_prefer_ceil":
            whole = node.emit("Floor", r.add(place, 0.5))
        case "floor":
            whole = node.emit("Floor", place)
        case "ceil":
            whole = node.emit("Ceil", place)
        case _:
            node.reject(Why.ATTRIBUTE, f"nearest_mode {plan.rounding}")
    return node.cast(r.least(r.most(whole, 0), axis.size - 1), "int32")


def _weights(node: OnnxNode, plan: Plan, axis: ResizedAxis, place: Value) -> Value:
    """The matrix (length, size): the kernel at the distance of every element, the border repeated outside."""
    r = _Reckoner(node)
    reach = 1 if plan.mode == "linear" else 2
    squeeze = r.least(axis.scale, 1) if plan.antialias else r.number(1)
    margin = node.emit("Ceil", r.add(r.div(r.number(reach), squeeze), 1))
    elements = node.emit("Range", r.sub(0, margin), r.add(margin, axis.size), r.number(1))
    distances = node.emit("Abs", r.sub(node.unsqueeze(elements, [0]), node.unsqueeze(place, [1])))
    scaled = r.mul(distances, squeeze)
    kernel = _hat(r, scaled) if plan.mode == "linear" else _cubic(node, scaled, plan.cubic_coefficient)
    inside = r.least(r.most(elements, 0), axis.size - 1)
    if plan.exclude_outside:
        kernel = r.mul(kernel, node.cast(node.emit("Equal", inside, elements), "float64"))
    if plan.exclude_outside or plan.antialias:
        total = node.emit("ReduceFusion", kernel, node.ints([1]), mode="ReduceSum", keep_dims=True)
        kernel = r.div(kernel, total)
    one, zero = (node.builder.small_constant(np.full(1, n, np.float64)) for n in (1, 0))
    folding = node.emit("OneHot", node.cast(inside, "int32"), node.ints([axis.size]), one, zero, axis=-1)
    # Products of matrices are in float32 at least: the weights are exact to its last place.
    y = node.emit("MatMulFusion", node.cast(kernel, "float32"), node.cast(folding, "float32"))
    return node.cast(y, node.dtype(node.x()))


def _hat(r: _Reckoner, t: Value) -> Value:
    """1 - t, not below 0."""
    return r.most(r.sub(1, t), 0)


def _cubic(node: OnnxNode, t: Value, a: float) -> Value:
    """``(a + 2) t^3 - (a + 3) t^2 + 1`` up to 1, ``a t^3 - 5a t^2 + 8a t - 4a`` up to 2, then 0 (R. Keys, 1981)."""
    r = _Reckoner(node)
    square = r.mul(t, t)
    cube = r.mul(square, t)
    near = r.add(r.sub(r.mul(cube, a + 2), r.mul(square, a + 3)), 1)
    far = r.sub(r.add(r.sub(r.mul(cube, a), r.mul(square, 5 * a)), r.mul(t, 8 * a)), 4 * a)
    beyond = node.emit("Where", node.emit("Less", t, r.number(2)), far, r.number(0))
    return node.emit("Where", node.emit("LessEqual", t, r.number(1)), near, beyond)


def _product(node: OnnxNode, x: Value, axis: int, weights: Value) -> Value:
    """``weights`` (length, size) times ``x`` along an axis."""
    rank = node.rank(x)
    order = [a for a in range(rank) if a != axis]
    last = node.transpose(x, [*order, axis])
    y = node.emit("MatMulFusion", last if rank > 1 else node.unsqueeze(last, [0]), weights, transpose_b=True)
    back = np.argsort([*order, axis]).tolist()
    return node.transpose(y, back) if rank > 1 else node.squeeze(y, [0])


def _extrapolated(node: OnnxNode, plan: Plan, axis: ResizedAxis, place: Value, y: Value) -> Value:
    """``y`` with the extrapolation value wherever the coordinate of this axis is outside the input."""
    r = _Reckoner(node)
    outside = node.emit(
        "LogicalOr", node.emit("Less", place, r.number(0)), node.emit("Greater", place, r.number(axis.size - 1))
    )
    after = node.rank(y) - axis.axis - 1
    mask = node.unsqueeze(outside, list(range(1, after + 1))) if after else outside
    return node.emit("Where", mask, node.scalar(plan.extrapolation, y), y)
