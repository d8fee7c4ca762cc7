"""FullConnection: the input flattened to a matrix, times the transposed weight, with bias and activation."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import FullConnection
from ...semantics.operands import normalized, operand, primitive_of, required, shape_of
from ...semantics.quantization import per_tensor
from ..device.instructions.matmul import MatMul
from ..device.instructions.movement import View
from ..device.instructions.quantized_matmul import QuantizedMatMul
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.activations import fused_or_none
from .gate import (
    check_axis,
    check_constants,
    check_operands,
    check_output_shape,
    check_range,
    check_rank,
    check_tensors,
)
from .quantized.dense import check_dense, dense_requantization, zero_points_of
from .record import Form, NpuOperator
from .rules import BIAS_OF_CHANNELS


def check_full_connection(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Fused activations other than RELU and RELU6 count as none, on the CPU as here."""
    primitive = primitive_of(kernel, FullConnection)
    return (
        check_operands(kernel, 3 if primitive.has_bias else 2, 3 if primitive.has_bias else 2)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 1, {2})
        or check_constants(kernel, {1: "weight"})
        or (check_axis("axis", primitive.axis, len(kernel.inputs[0].shape)) if primitive.use_axis else None)
        or check_output_shape(kernel, _output_shape(kernel, primitive))
        or _check_bias(kernel)
        or check_range(kernel, profile)
    )


def _output_shape(kernel: Kernel, primitive: FullConnection) -> tuple[int, ...] | None:
    x, (units, terms) = required(kernel, 0).shape, required(kernel, 1).shape
    if not primitive.use_axis:
        return (math.prod(x) // terms, units) if math.prod(x) % terms == 0 else None
    axis = normalized(primitive.axis, len(x))
    return (*x[:axis], units) if math.prod(x[axis:]) == terms else None


def _check_bias(kernel: Kernel) -> Rejected | None:
    bias, units = operand(kernel, 2), required(kernel, 1).shape[0]
    if bias is None or bias.shape == [units]:
        return None
    return Rejected(RejectCode.SHAPE, f"bias must have shape [{units}], has {bias.shape}", BIAS_OF_CHANNELS)


def lower_full_connection(kernel: Kernel, builder: Builder) -> None:
    """Emits view, product, and a view to an output of more than two dimensions."""
    primitive = primitive_of(kernel, FullConnection)
    x, weight, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    terms, units = weight.shape[1], weight.shape[0]
    rows = math.prod(x.shape) // terms
    matrix = builder.emit(View((rows, terms)), [builder.read(x)], (rows, terms))
    buffers = [matrix, builder.read(weight)]
    if primitive.has_bias:
        buffers.append(builder.read(required(kernel, 2)))
    instruction = MatMul(transpose_b=True, fused=fused_or_none(primitive.activation_type))
    product = builder.emit(instruction, buffers, (rows, units))
    builder.define(out, View(shape_of(out)), [product])


def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
    activation = primitive_of(kernel, FullConnection).activation_type
    return check_dense(kernel, profile, check_full_connection, activation, channel_axis=-2)


def lower_quantized(kernel: Kernel, builder: Builder) -> None:
    """Emits view, product, and a view to the output's shape."""
    primitive = primitive_of(kernel, FullConnection)
    x, weight, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    units, terms = weight.shape
    rows = math.prod(x.shape) // terms
    matrix = builder.emit(View((rows, terms)), [builder.read(x)], (rows, terms), builder.element(x.dtype))
    buffers = [matrix, builder.read(weight)]
    if primitive.has_bias:
        buffers.append(builder.read(required(kernel, 2)))
    requantization = dense_requantization(kernel, builder, primitive.activation_type)
    instruction = QuantizedMatMul(per_tensor(x).zero_point, zero_points_of(weight), requantization, transpose_b=True)
    product = builder.emit(instruction, buffers, (rows, units), builder.element(out.dtype))
    builder.define(out, View(shape_of(out)), [product])


OPERATOR = NpuOperator(
    "FullConnection",
    check_full_connection,
    lower_full_connection,
    takes="real",
    condition=(
        "for a constant weight of rank 2; other fused activations than RELU and RELU6 count as none, as on the CPU"
    ),
    quantized=Form(check_quantized, lower_quantized),
)
