"""MatMulFusion: one matrix product with bias and activation."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel
from ...errors import DelegateBuildError
from ...ir.primitives import MatMulFusion
from ..device.matmul import MatMul
from ..device.movement import View
from ..ir.builder import Builder
from ..ir.layout import Axes
from ..ir.lowering import Lowering
from ..semantics.activations import FUSED
from ..semantics.broadcasting import broadcast_shape
from ..semantics.operands import operand, primitive_of, required, shape_of


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


LOWERING = Lowering("MatMulFusion", lower_matmul_fusion)
