"""Resize: height and width sampled anew, wherever these axes lie."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import Resize
from ...ir.types.enums import CoordinateTransformMode, ResizeMethod
from ...semantics.operands import operand, primitive_of, required, shape_of
from ...semantics.resizing import SPATIAL_AXES, resized
from ..device.instructions.resize import Coordinates, ResizeLinear, ResizeNearest
from ..ir.builder import Builder
from ..profiles import OperatorLimits, Profile
from .gate import (
    MOVABLE,
    check_constants,
    check_driver,
    check_fits,
    check_operands,
    check_range,
    check_rank,
    check_tensors,
)
from .quantized.reals import through_reals
from .record import NpuOperator

METHODS = (ResizeMethod.LINEAR, ResizeMethod.NEAREST)
COORDINATES: dict[CoordinateTransformMode, Coordinates] = {
    CoordinateTransformMode.ASYMMETRIC: Coordinates.ASYMMETRIC,
    CoordinateTransformMode.ALIGN_CORNERS: Coordinates.ALIGN_CORNERS,
    CoordinateTransformMode.HALF_PIXEL: Coordinates.HALF_PIXEL,
}


def check_resize(kernel: Kernel, profile: Profile) -> Rejected | None:
    """The nearest mode takes integers and bools, too.

    NOTE: MindSpore Lite's NPU ignores coordinate modes that it does not have and resizes with another mode. Here every
    mode is computed.
    """
    primitive = primitive_of(kernel, Resize)
    exact = MOVABLE if primitive.method == ResizeMethod.NEAREST else ()
    return (
        check_operands(kernel, 1, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=exact)
        or check_rank(kernel, 0, {4})
        or _check_attributes(primitive)
        or _check_coordinates(primitive, profile)
        or check_constants(kernel, {1: "size"})
        or check_fits(kernel, lambda: [resized(required(kernel, 0).shape, primitive, operand(kernel, 1))])
        or _check_scale(kernel, profile.limits)
        or check_range(kernel, profile)
    )


def _check_attributes(primitive: Resize) -> Rejected | None:
    if primitive.method not in METHODS:
        known = " or ".join(m.name for m in METHODS)
        return Rejected.by_rule(RejectCode.ATTRIBUTE, f"method must be {known}", f"is {primitive.method.name}")
    if primitive.coordinate_transform_mode not in COORDINATES:
        known, found = ", ".join(m.name for m in COORDINATES), primitive.coordinate_transform_mode
        return Rejected.by_rule(
            RejectCode.ATTRIBUTE, f"coordinate_transform_mode must be one of {known}", f"is {found!r}"
        )
    if primitive.preserve_aspect_ratio:
        return Rejected.by_rule(RejectCode.ATTRIBUTE, "preserve_aspect_ratio must be False", "is True")
    return None


def _check_coordinates(primitive: Resize, profile: Profile) -> Rejected | None:
    mode = primitive.coordinate_transform_mode
    if primitive.method != ResizeMethod.NEAREST or mode == CoordinateTransformMode.ASYMMETRIC:
        return None
    return check_driver(profile, profile.limits.resize_nearest_modes_since, f"nearest with {mode.name}")


def _check_scale(kernel: Kernel, limits: OperatorLimits) -> Rejected | None:
    old, new = required(kernel, 0).shape[1:3], kernel.outputs[0].shape[1:3]
    if not limits.resize_upscale_only or (new[0] >= old[0] and new[1] >= old[1]):
        return None
    reason = f"height and width may not be smaller than {list(old)}, are {list(new)}"
    return Rejected(RejectCode.LIMIT, reason, "height and width may not become smaller")


def lower_resize(kernel: Kernel, builder: Builder) -> None:
    """Emits the resize; nothing where the size stays, at which all coordinates are whole."""
    x, out, primitive = required(kernel, 0), kernel.outputs[0], primitive_of(kernel, Resize)
    if shape_of(x) == shape_of(out):
        return builder.alias(out, builder.read(x))
    kind = ResizeNearest if primitive.method == ResizeMethod.NEAREST else ResizeLinear
    coordinates = COORDINATES[primitive.coordinate_transform_mode]
    return builder.define(out, kind(coordinates, SPATIAL_AXES, shape_of(out)[1:3]), [builder.read(x)])


OPERATOR = NpuOperator(
    "Resize",
    check_resize,
    lower_resize,
    takes="real; NEAREST also any",
    condition=(
        "for rank 4, LINEAR or NEAREST at a constant size, with ASYMMETRIC, ALIGN_CORNERS or "
        "HALF_PIXEL, without preserve_aspect_ratio"
    ),
    limits=("resize_upscale_only", "resize_nearest_modes_since"),
    quantized=through_reals(check_resize, lower_resize),
)
