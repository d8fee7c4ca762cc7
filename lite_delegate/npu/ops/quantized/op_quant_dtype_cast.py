"""QuantDTypeCast: from real numbers to integers, back, and between signed and unsigned ones."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir.data_type import DataType
from ....ir.primitives import QuantDTypeCast
from ....tensor import Tensor
from ...device.quantized_conversion import Dequantize, Quantize
from ...device.quantized_lookup import ByteLookup
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.operands import normalized, primitive_of, required
from ...semantics.quantization import STORED, params_of, per_channel
from ._tables import every_integer

SIGN_BIT = 128


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


LOWERING = Lowering("QuantDTypeCast", lower_quant_dtype_cast)
