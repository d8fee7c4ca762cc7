"""Resize: height and width sampled anew, wherever these axes lie."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.enums import ResizeMethod
from ...ir.primitives import Resize
from ..device.resize import ResizeLinear, ResizeNearest
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of, required, shape_of
from ..semantics.resizing import COORDINATES, SPATIAL_AXES


def lower_resize(kernel: Kernel, builder: Builder) -> None:
    """Emits the resize; nothing where the size stays, at which all coordinates are whole."""
    x, out, primitive = required(kernel, 0), kernel.outputs[0], primitive_of(kernel, Resize)
    if shape_of(x) == shape_of(out):
        return builder.alias(out, builder.read(x))
    kind = ResizeNearest if primitive.method == ResizeMethod.NEAREST else ResizeLinear
    coordinates = COORDINATES[primitive.coordinate_transform_mode]
    return builder.define(out, kind(coordinates, SPATIAL_AXES, shape_of(out)[1:3]), [builder.read(x)])


LOWERING = Lowering("Resize", lower_resize)
