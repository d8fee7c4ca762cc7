"""PadFusion: a border on every axis that has one."""

from __future__ import annotations

import numpy as np

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import PadFusion
from ...ir.types.data_type import DataType, to_numpy
from ...ir.types.enums import PaddingMode
from ...semantics.borders import border_value
from ...semantics.fitting import DoesNotFit
from ...semantics.operands import int_values, operand, primitive_of, required, shape_of
from ..device.instructions.padding import Border, Pad
from ..ir.builder import Builder
from ..profiles import OperatorLimits, Profile
from .gate import (
    FLOATING,
    MOVABLE,
    check_constants,
    check_fits,
    check_magnitude,
    check_operands,
    check_range,
    check_rank,
    check_tensors,
)
from .quantized.reals import through_reals
from .record import NpuOperator

BORDERS: dict[PaddingMode, Border] = {
    PaddingMode.CONSTANT: Border.CONSTANT,
    PaddingMode.REFLECT: Border.REFLECT,
    PaddingMode.SYMMETRIC: Border.SYMMETRIC,
}
INTEGERS = frozenset({DataType.INT32, DataType.INT8, DataType.UINT8})


def check_pad_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    rank = profile.limits.pad_only_rank
    return (
        check_operands(kernel, 2, 3)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or (None if rank is None else check_rank(kernel, 0, {rank}))
        or check_constants(kernel, {1: "paddings", 2: "constant"})
        or _check_mode(primitive_of(kernel, PadFusion).padding_mode, profile.limits)
        or check_fits(kernel, lambda: [padded_shape(kernel)])
        or _check_value(kernel, profile)
        or check_range(kernel, profile)
    )


def _check_mode(mode: PaddingMode, limits: OperatorLimits) -> Rejected | None:
    if mode not in BORDERS:
        known = ", ".join(m.name for m in BORDERS)
        return Rejected.by_rule(RejectCode.ATTRIBUTE, f"padding_mode must be one of {known}", f"is {mode.name}")
    if limits.pad_constant_only and mode != PaddingMode.CONSTANT:
        return Rejected.by_rule(RejectCode.LIMIT, "padding_mode may be CONSTANT only", f"is {mode.name}")
    return None


def _check_value(kernel: Kernel, profile: Profile) -> Rejected | None:
    if required(kernel, 0).dtype not in FLOATING:
        return None
    return check_magnitude("constant_value", np.array([pad_of(kernel).value]), profile)


def pad_of(kernel: Kernel) -> Pad:
    """The instruction, of which the attribute ``paddings`` is no part: the second input holds them.

    Raises:
        DoesNotFit: not two paddings >= 0 for each axis, a mirrored border that is wider than the mirrored axis, or a
            value that the element type cannot hold.
    """
    shape, pads = shape_of(required(kernel, 0)), int_values(required(kernel, 1))
    border = BORDERS[primitive_of(kernel, PadFusion).padding_mode]
    if len(pads) != 2 * len(shape) or min(pads, default=0) < 0:
        raise DoesNotFit(f"paddings must be {2 * len(shape)} numbers >= 0, are {list(pads)}")
    if border is Border.CONSTANT:
        return Pad(pads[::2], pads[1::2], border, _value(kernel))
    edge = 0 if border is Border.SYMMETRIC else 1
    if any(max(pads[2 * axis : 2 * axis + 2]) > dim - edge for axis, dim in enumerate(shape)):
        raise DoesNotFit(f"paddings {list(pads)} are wider than shape {list(shape)} can mirror ({border})")
    return Pad(pads[::2], pads[1::2], border)


def _value(kernel: Kernel) -> float:
    """The value of a constant border: the third input, or else the attribute; integers drop the fraction."""
    given, dtype = operand(kernel, 2), required(kernel, 0).dtype
    if given is not None and given.data.size != 1:
        raise DoesNotFit(f"constant must hold one value, has shape {given.shape}")
    value = float(border_value(kernel))
    if dtype == DataType.BOOL:
        return float(value != 0)
    if dtype not in INTEGERS:
        return value
    limits = np.iinfo(to_numpy(dtype))
    if not limits.min <= value < limits.max + 1.0:
        raise DoesNotFit(f"constant {value:g} must be in the range of {dtype.name}")
    return float(int(value))


def padded_shape(kernel: Kernel) -> tuple[int, ...]:
    """The shape of the output.

    Raises:
        DoesNotFit: as ``pad_of``.
    """
    pad = pad_of(kernel)
    return tuple(sum(parts) for parts in zip(shape_of(required(kernel, 0)), pad.before, pad.after, strict=True))


def lower_pad_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the pad; no instruction for an empty border."""
    x, pad = required(kernel, 0), pad_of(kernel)
    if not any(pad.before + pad.after):
        return builder.alias(kernel.outputs[0], builder.read(x))
    return builder.define(kernel.outputs[0], pad, [builder.read(x)])


OPERATOR = NpuOperator(
    "PadFusion",
    check_pad_fusion,
    lower_pad_fusion,
    takes="any",
    condition=(
        "for constant paddings, CONSTANT, REFLECT or SYMMETRIC, where a mirrored border fits the "
        "dimension and the constant the element type"
    ),
    limits=("pad_constant_only", "pad_only_rank"),
    quantized=through_reals(check_pad_fusion, lower_pad_fusion),
)
