"""ONNX's Resize and Upsample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import UNKNOWN

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode
from ..resize.as_operator import as_operator
from ..resize.plan import Plan, ResizedAxis
from ..resize.weights import resample


def _resize(node: OnnxNode) -> Value:
    plan = _plan_10(node) if node.opset < 11 else _plan(node)
    return _convert(node, plan)


def _upsample(node: OnnxNode) -> Value:
    return _convert(node, _plan_10(node))


def _convert(node: OnnxNode, plan: Plan) -> Value:
    done = as_operator(node, plan)
    return resample(node, plan) if done is None else done


def _plan_10(node: OnnxNode) -> Plan:
    """Upsample, and Resize of version 10: factors only, coordinates times factors, rounded down."""
    listed = node.get("scales", None)
    scales = node.x(1) if listed is None else node.constant(np.asarray(listed, np.float32), "scales")
    axes = _scaled(node, scales, range(node.rank(node.x())))
    mode = node.get("mode", "nearest")
    return Plan(axes, "linear" if mode in ("linear", "bilinear") else mode, "asymmetric", "floor")


def _plan(node: OnnxNode) -> Plan:
    rank = node.rank(node.x())
    named = [node.axis(a, rank) for a in node.get("axes", None) or range(rank)]
    sizes = node.optional(3)
    if sizes is not None and node.spec(sizes).shape != (0,):
        axes = _sized(node, sizes, named)
    else:
        axes = _scaled(node, node.x(2), named)
    coordinates = node.get("coordinate_transformation_mode", "half_pixel")
    if coordinates == "tf_crop_and_resize":
        axes = _cropped(node, axes)
    return Plan(
        axes,
        node.get("mode", "nearest"),
        coordinates,
        node.get("nearest_mode", "round_prefer_floor"),
        node.get("cubic_coeff_a", -0.75),
        bool(node.get("antialias", 0)),
        bool(node.get("exclude_outside", 0)),
        node.get("extrapolation_value", 0.0),
    )


def _each(node: OnnxNode, values: Value, count: int) -> list[Value]:
    """The numbers of a vector as scalars, in float64."""
    wide = node.cast(values, "float64")
    return [
        node.emit("Gather", wide, node.builder.small_constant(np.int32(i)), node.axis_operand(0)) for i in range(count)
    ]


def _size(node: OnnxNode, axis: int) -> int:
    size = node.dims(node.x())[axis]
    node.reject_unless(size != UNKNOWN, Why.SHAPE, f"dimension {axis} must be known, found {size}; give input shapes")
    return size


def _scaled(node: OnnxNode, scales: Value, named: Sequence[int]) -> tuple[ResizedAxis, ...]:
    axes = []
    for axis, scale in zip(named, _each(node, scales, len(named)), strict=True):
        known = node.known(scale)
        if known is not None and known == 1:
            continue
        size = _size(node, axis)
        # ONNX multiplies in single precision, and drops the fraction.
        product = node.emit("MulFusion", node.cast(scale, "float32"), node.builder.small_constant(np.float32(size)))
        length = node.cast(node.emit("Floor", product), "int32")
        axes.append(ResizedAxis(axis, size, scale, length))
    return tuple(axes)


def _sized(node: OnnxNode, sizes: Value, named: Sequence[int]) -> tuple[ResizedAxis, ...]:
    lengths = _each(node, sizes, len(named))
    found = [(a, _size(node, a), length) for a, length in zip(named, lengths, strict=True)]
    ratios = [node.emit("DivFusion", length, node.scalar(size, length)) for _, size, length in found]
    policy = node.get("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        common = ratios[0]
        for ratio in ratios[1:]:
            common = node.emit("Minimum" if policy == "not_larger" else "Maximum", common, ratio)
        ratios = [common] * len(found)
        lengths = [_rounded(node, node.emit("MulFusion", common, node.scalar(size, common))) for _, size, _ in found]
    axes = [
        ResizedAxis(a, size, ratio, node.cast(length, "int32"))
        for (a, size, _), ratio, length in zip(found, ratios, lengths, strict=True)
    ]
    keeps = node.get("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize"
    return tuple(axis for axis in axes if not (keeps and _is_one(node, axis)))


def _is_one(node: OnnxNode, axis: ResizedAxis) -> bool:
    known = node.known(axis.scale)
    return known is not None and bool(known == 1)


def _rounded(node: OnnxNode, x: Value) -> Value:
    """Halves up."""
    return node.emit("Floor", node.emit("AddFusion", x, node.scalar(0.5, x)))


def _cropped(node: OnnxNode, axes: tuple[ResizedAxis, ...]) -> tuple[ResizedAxis, ...]:
    """With the part of the input that each axis is taken from: all starts, then all ends."""
    rank = node.rank(node.x())
    named = [node.axis(a, rank) for a in node.get("axes", None) or range(rank)]
    borders = _each(node, node.x(1), 2 * len(named))
    places = {a: i for i, a in enumerate(named)}
    return tuple(
        ResizedAxis(a.axis, a.size, a.scale, a.length, borders[places[a.axis]], borders[places[a.axis] + len(named)])
        for a in axes
    )


CONVERTERS: dict[str, Converter] = {"Resize": _resize, "Upsample": _upsample}
