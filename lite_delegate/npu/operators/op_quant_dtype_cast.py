"""QuantDTypeCast: from real numbers to integers, back, and between signed and unsigned ones."""

from __future__ import annotations

import numpy as np

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import QuantDTypeCast
from ...ir.types.data_type import DataType
from ...semantics.operands import normalized, primitive_of, required
from ...semantics.quantization import LIMITS, STORED, params_of, per_channel
from ...tensors.tensor import Tensor
from ..device.instructions.quantized_conversion import Dequantize, Quantize
from ..device.instructions.quantized_lookup import ByteLookup
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import FLOATING, check_axis, check_magnitude, check_operands, check_output_shape, check_tensors
from .quantized.gate import check_scales
from .quantized.tables import every_integer
from .record import Form, NpuOperator

SIGN_BIT = 128


def check_quant_dtype_cast(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 1, 1)
        or check_tensors(kernel, profile, more_dtypes=profile.quantized, mixed=True)
        or check_output_shape(kernel, kernel.inputs[0].shape)
        or _check_parameters(kernel)
        or _check_real_range(kernel, profile)
    )


def _check_parameters(kernel: Kernel) -> Rejected | None:
    x, out = required(kernel, 0), kernel.outputs[0]
    if {x.dtype, out.dtype} <= STORED or x.dtype == out.dtype:
        return None
    if {x.dtype, out.dtype} <= FLOATING:
        return Rejected.by_rule(
            RejectCode.DTYPE, "one type must be an integer type", f"are {x.dtype.name} and {out.dtype.name}"
        )
    tensor, axis = parameter_tensor(kernel), primitive_of(kernel, QuantDTypeCast).axis
    if len(params_of(tensor)) == 1:
        return check_scales("the tensor with parameters", tensor, most=1)
    rejected = check_axis("axis", axis, len(x.shape)) if x.shape else None
    most = x.shape[normalized(axis, len(x.shape))] if x.shape and rejected is None else 1
    return rejected or check_scales("the tensor with parameters", tensor, most)


def _check_real_range(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Rejects a cast whose real numbers exceed the range in which the device keeps them."""
    x, out = required(kernel, 0), kernel.outputs[0]
    if x.dtype not in STORED or out.dtype in STORED:
        return None
    ends = [(end - p.zero_point) * p.scale for p in params_of(parameter_tensor(kernel)) for end in LIMITS[x.dtype]]
    return check_magnitude("the real numbers of the integers", np.array(ends), profile)


def parameter_tensor(kernel: Kernel) -> Tensor:
    """The tensor whose parameters count: the output, or the input where the output has none."""
    out = kernel.outputs[0]
    return out if params_of(out) else required(kernel, 0)


def channel_axis(kernel: Kernel) -> int:
    """The axis along which several scales go."""
    return normalized(primitive_of(kernel, QuantDTypeCast).axis, max(1, len(kernel.outputs[0].shape)))


def lower_quant_dtype_cast(kernel: Kernel, builder: Builder) -> None:
    """Emits the conversion; nothing where both types are one on the device.

    Real numbers that come from the host cross as float32, so that no other rounding precedes that to integers.
    """
    x, out = required(kernel, 0), kernel.outputs[0]
    if x.dtype == out.dtype:
        return builder.alias(out, builder.read(x))
    if x.dtype in STORED and out.dtype in STORED:
        return builder.define(out, _other_sign(x.dtype, out.dtype, builder), [builder.read(x)])
    parameters, axis = per_channel(parameter_tensor(kernel)), channel_axis(kernel)
    scales, points = tuple(p.scale for p in parameters), tuple(p.zero_point for p in parameters)
    if out.dtype in STORED:
        quantize = Quantize(scales, points, builder.element(out.dtype), axis)
        return builder.define(out, quantize, [builder.read_float32(x)])
    return builder.define(out, Dequantize(scales, points, axis), [builder.read(x)])


def _other_sign(source: DataType, target: DataType, builder: Builder) -> ByteLookup:
    step = SIGN_BIT if target == DataType.UINT8 else -SIGN_BIT
    return ByteLookup(tuple(int(v) + step for v in every_integer(source)), builder.element(target))


OPERATOR = NpuOperator(
    "QuantDTypeCast",
    check_quant_dtype_cast,
    lower_quant_dtype_cast,
    takes="float32, float16, int8, uint8",
    condition=(
        "between real numbers and 8-bit integers, with one scale or one per index of the axis, "
        "and between signed and unsigned integers"
    ),
    quantized=Form(check_quant_dtype_cast, lower_quant_dtype_cast),  # whichever way it converts
)
