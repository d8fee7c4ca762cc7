"""MatMulFusion: one matrix product with bias and activation."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel, RejectCode, Rejected
from ...errors import DelegateBuildError
from ...ir.axes import Axes
from ...ir.primitives import MatMulFusion
from ...semantics.broadcasting import broadcast_shape
from ...semantics.operands import operand, primitive_of, required, shape_of
from ...semantics.quantization import per_tensor
from ..device.instructions.matmul import MatMul
from ..device.instructions.movement import View
from ..device.instructions.quantized_matmul import QuantizedMatMul
from ..ir.builder import Builder
from ..profiles import Profile
from ..semantics.activations import FUSED
from .gate import check_fused, check_operands, check_output_shape, check_range, check_rank, check_tensors
from .quantized.dense import check_dense, dense_requantization, zero_points_of
from .record import Form, NpuOperator
from .rules import BIAS_OF_CHANNELS


def check_matmul_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 2, 3)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 0, range(1, profile.max_rank + 1))
        or check_rank(kernel, 1, range(1, profile.max_rank + 1))
        or check_fused(primitive_of(kernel, MatMulFusion).activation_type)
        or check_output_shape(kernel, _output_shape(kernel))
        or _check_bias(kernel)
        or _check_dims(kernel, profile.limits.matmul_max_dim)
        or check_range(kernel, profile)
    )


def _output_shape(kernel: Kernel) -> tuple[int, ...] | None:
    """The shape of the product; two vectors give a scalar, and cannot be transposed."""
    if len(required(kernel, 0).shape) == len(required(kernel, 1).shape) == 1:
        primitive = primitive_of(kernel, MatMulFusion)
        fits = product_shape(kernel) is not None and not primitive.transpose_a and not primitive.transpose_b
        return () if fits else None
    return product_shape(kernel)


def _check_bias(kernel: Kernel) -> Rejected | None:
    """The bias has one element per column, after any number of ones."""
    bias, product = operand(kernel, 2), product_shape(kernel)
    if bias is None or product is None:
        return None
    columns = product[-1]
    if bias.shape and bias.shape[-1] == columns and all(size == 1 for size in bias.shape[:-1]):
        return None
    return Rejected(
        RejectCode.SHAPE, f"bias must have shape [{columns}] after ones, has {bias.shape}", BIAS_OF_CHANNELS
    )


def _check_dims(kernel: Kernel, limit: int | None) -> Rejected | None:
    """NOTE: MindSpore Lite's NPU looks at the first operand only."""
    shapes = [required(kernel, 0).shape, required(kernel, 1).shape]
    largest = max(max(shape) for shape in shapes)
    if limit is None or max(map(len, shapes)) <= 2 or largest <= limit:
        return None
    return Rejected.by_rule(
        RejectCode.LIMIT, f"a dimension of batched operands may be {limit} at most", f"is {largest}"
    )


def lower_matmul_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the product, and a view to a scalar for two vectors."""
    primitive, out = primitive_of(kernel, MatMulFusion), kernel.outputs[0]
    a, b, bias = required(kernel, 0), required(kernel, 1), operand(kernel, 2)
    left, right = matrix_shapes(a.shape, b.shape)
    product = product_shape(kernel)
    if product is None:
        raise DelegateBuildError(f"Kernel '{kernel.name}': operands {a.shape} and {b.shape} do not fit together.")
    instruction = MatMul(primitive.transpose_a, primitive.transpose_b, FUSED[primitive.activation_type])
    buffers = [builder.read_as(a, left), builder.read_as(b, right)]
    if bias is not None:
        buffers.append(builder.read_as(bias, product[-1:]))
    if product == shape_of(out):
        return builder.define(out, instruction, buffers)
    return builder.define(out, View(shape_of(out)), [builder.emit(instruction, buffers, product)])


def matrix_shapes(a: Sequence[int], b: Sequence[int]) -> tuple[Axes, Axes]:
    """The operands' shapes as matrices: the one of lower rank gets leading ones; of two vectors b is a column."""
    if len(a) == len(b) == 1:
        return (1, *a), (*b, 1)
    rank = max(len(a), len(b))
    return (*(1,) * (rank - len(a)), *a), (*(1,) * (rank - len(b)), *b)


def product_shape(kernel: Kernel) -> Axes | None:
    """The shape of the product before two vectors become a scalar; None when the operands do not fit together."""
    primitive = primitive_of(kernel, MatMulFusion)
    left, right = matrix_shapes(required(kernel, 0).shape, required(kernel, 1).shape)
    (*batch_a, rows, terms), (*batch_b, terms_b, columns) = left, right
    if primitive.transpose_a:
        rows, terms = terms, rows
    if primitive.transpose_b:
        terms_b, columns = columns, terms_b
    batch = broadcast_shape([tuple(batch_a), tuple(batch_b)])
    return None if batch is None or terms != terms_b else (*batch, rows, columns)


def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
    primitive = primitive_of(kernel, MatMulFusion)
    axis = -2 if primitive.transpose_b else -1
    return check_dense(kernel, profile, check_matmul_fusion, primitive.activation_type, axis)


def lower_quantized(kernel: Kernel, builder: Builder) -> None:
    """Emits the product, and a view to a scalar for two vectors."""
    primitive, out = primitive_of(kernel, MatMulFusion), kernel.outputs[0]
    a, b, bias = required(kernel, 0), required(kernel, 1), operand(kernel, 2)
    left, right = matrix_shapes(a.shape, b.shape)
    instruction = QuantizedMatMul(
        per_tensor(a).zero_point,
        zero_points_of(b),
        dense_requantization(kernel, builder, primitive.activation_type),
        primitive.transpose_a,
        primitive.transpose_b,
    )
    buffers = [builder.read_as(a, left), builder.read_as(b, right)]
    product = product_shape(kernel) or shape_of(out)
    if bias is not None:
        buffers.append(builder.read_as(bias, product[-1:]))
    result = builder.emit(instruction, buffers, product, builder.element(out.dtype))
    builder.define(out, View(shape_of(out)), [result])


OPERATOR = NpuOperator(
    "MatMulFusion",
    check_matmul_fusion,
    lower_matmul_fusion,
    takes="real",
    condition=(
        "for operands of any rank from 1 on whose leading dimensions broadcast, and a bias "
        "(columns,) after any ones; no activation, RELU or RELU6 fused"
    ),
    limits=("matmul_max_dim",),
    quantized=Form(check_quantized, lower_quantized),
)
