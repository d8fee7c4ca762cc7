"""CropAndResize: one instruction; the boxes cross with all their digits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import CropAndResize
from ...ir.types.data_type import DataType
from ...ir.types.enums import ResizeMethod
from ...semantics.fitting import DoesNotFit
from ...semantics.operands import int_values, primitive_of, required
from ..device.instructions.crop import CropAndResample, Sampling
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import (
    FLOATING,
    check_constants,
    check_fits,
    check_magnitude,
    check_operands,
    check_range,
    check_rank,
    check_tensors,
)
from .record import NpuOperator
from .rules import KNOWN_SHAPES

METHODS: dict[ResizeMethod, Sampling] = {
    ResizeMethod.LINEAR: Sampling.LINEAR,
    ResizeMethod.NEAREST: Sampling.NEAREST,
}


def check_crop_and_resize(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Boxes reach the device as float32: a box that float16 rounds may leave the image. A box of an image that does
    not exist stops the run with an error, as the reference kernel does.
    """
    primitive = primitive_of(kernel, CropAndResize)
    return (
        check_operands(kernel, 4, 4)
        or check_tensors(kernel, profile, positions=(0,))
        or check_rank(kernel, 0, {4})
        or _check_method(primitive)
        or _check_boxes(kernel)
        or check_constants(kernel, {3: "crop_size"})
        or check_fits(kernel, lambda: [_cropped_shape(kernel)])
        or check_magnitude("extrapolation_value", np.array([primitive.extrapolation_value]), profile)
        or check_range(kernel, profile)
    )


def _check_method(primitive: CropAndResize) -> Rejected | None:
    if primitive.method in METHODS:
        return None
    known = " or ".join(m.name for m in METHODS)
    return Rejected.by_rule(RejectCode.ATTRIBUTE, f"method must be {known}", f"is {primitive.method.name}")


def _check_boxes(kernel: Kernel) -> Rejected | None:
    kinds: Sequence[tuple[str, int, Sequence[DataType]]]
    kinds = [("boxes", 1, sorted(FLOATING)), ("box_index", 2, [DataType.INT32])]
    for name, position, dtypes in kinds:
        tensor = required(kernel, position)
        if not tensor.has_known_shape:
            return Rejected(RejectCode.SHAPE, f"{name} must have a known shape, has {tensor.shape}", KNOWN_SHAPES)
        if tensor.dtype not in dtypes:
            known = " or ".join(d.name for d in dtypes)
            return Rejected.by_rule(
                RejectCode.DTYPE, f"{name} must be {known}", f"is {tensor.dtype.name}", tensor.dtype
            )
    return None


def _cropped_shape(kernel: Kernel) -> tuple[int, ...]:
    x, boxes, images = (required(kernel, position) for position in (0, 1, 2))
    size = int_values(required(kernel, 3))
    if len(images.shape) != 1 or boxes.shape != [*images.shape, 4]:
        raise DoesNotFit(f"boxes must be (n, 4) and box_index (n,), are {boxes.shape} and {images.shape}")
    if len(size) != 2 or min(size) < 1:
        raise DoesNotFit(f"crop_size must be two numbers >= 1, is {list(size)}")
    named = int_values(images) if images.is_const and images.has_data else ()
    outside = [image for image in named if not 0 <= image < x.shape[0]]
    if outside:
        raise DoesNotFit(f"box_index must be in [0, {x.shape[0] - 1}], one is {outside[0]}")
    return (images.shape[0], *size, x.shape[3])


def lower_crop_and_resize(kernel: Kernel, builder: Builder) -> None:
    out, primitive = kernel.outputs[0], primitive_of(kernel, CropAndResize)
    _, height, width, _ = out.shape
    instruction = CropAndResample(METHODS[primitive.method], (height, width), primitive.extrapolation_value)
    x, boxes, images = (required(kernel, position) for position in (0, 1, 2))
    operands = [builder.read_nchw(x), builder.read_float32(boxes), builder.read(images)]
    builder.define_nchw(out, instruction, operands)


OPERATOR = NpuOperator(
    "CropAndResize",
    check_crop_and_resize,
    lower_crop_and_resize,
    takes="real; boxes real, box_index int32",
    condition=(
        "for rank 4, method LINEAR or NEAREST, a constant crop_size; boxes (n, 4), box_index "
        "(n,), inside the batch where constant"
    ),
)
