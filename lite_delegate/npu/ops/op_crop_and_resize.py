"""CropAndResize: one instruction; the boxes cross with all their digits."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.enums import ResizeMethod
from ...ir.primitives import CropAndResize
from ..device import crop
from ..device.crop import Sampling
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of, required

METHODS: dict[ResizeMethod, Sampling] = {
    ResizeMethod.LINEAR: Sampling.LINEAR,
    ResizeMethod.NEAREST: Sampling.NEAREST,
}


def lower_crop_and_resize(kernel: Kernel, builder: Builder) -> None:
    """Emits the crop."""
    out, primitive = kernel.outputs[0], primitive_of(kernel, CropAndResize)
    _, height, width, _ = out.shape
    instruction = crop.CropAndResize(METHODS[primitive.method], (height, width), primitive.extrapolation_value)
    x, boxes, images = (required(kernel, position) for position in (0, 1, 2))
    operands = [builder.read_nchw(x), builder.read_float32(boxes), builder.read(images)]
    builder.define_nchw(out, instruction, operands)


LOWERING = Lowering("CropAndResize", lower_crop_and_resize)
