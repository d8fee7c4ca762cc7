"""Matrix products: MatMulFusion and FullConnection."""

from __future__ import annotations

import math

from ....delegate import Kernel, RejectCode
from ....ir.primitives import FullConnection, MatMulFusion
from ....semantics.operands import operand, primitive_of, required
from ..lowering import Lowering, wanted
from ..term import Lowered, Shape, Term, identity
from .fused import fused, fused_or_none
from .reshaping import reshaped
from .results import as_model, given_shape


def lower_matmul_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``a @ b + bias`` over the last two axes; the other axes broadcast."""
    primitive = primitive_of(kernel, MatMulFusion)
    a, b = (lowering.value(required(kernel, position)) for position in (0, 1))
    a, b = _matrices(lowering, a, b)
    bias = operand(kernel, 2)
    c = None if bias is None else lowering.in_order(lowering.value(bias))
    shape = given_shape(kernel) or (1, 1)
    if a.rank == b.rank == 2 and a.dtype.kind == "f":
        y = _gemm(lowering, (a, primitive.transpose_a), (b, primitive.transpose_b), c, shape)
    else:
        factors = [_matrix(lowering, a, primitive.transpose_a), _matrix(lowering, b, primitive.transpose_b)]
        y = lowering.emit("MatMul", factors, a.dtype, shape)
        y = y if c is None else lowering.emit("Add", [y, c], a.dtype, shape)
    return reshaped(lowering, as_model(fused(lowering, y, primitive.activation_type)), given_shape(kernel))


def _matrices(lowering: Lowering, a: Lowered, b: Lowered) -> tuple[Lowered, Lowered]:
    """Factors of 2 dimensions and more: a vector is a row, the second of two a column."""
    if a.rank == b.rank == 1:
        return reshaped(lowering, a, (1, *a.shape)), reshaped(lowering, b, (*b.shape, 1))
    first, second = (value if value.rank > 1 else reshaped(lowering, value, (1, *value.shape)) for value in (a, b))
    return first, second


def lower_full_connection(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``x @ weight.T + bias`` with the rows and columns that the weight (Cout, Cin) asks for."""
    primitive = primitive_of(kernel, FullConnection)
    x, weight, bias = lowering.value(required(kernel, 0)), lowering.value(required(kernel, 1)), operand(kernel, 2)
    wanted(weight.rank == 2, RejectCode.RANK, "the weight has 2 dimensions", f"has {weight.rank}")
    shape = given_shape(kernel)
    columns, depth = weight.shape
    rows = math.prod(shape) // max(columns, 1)
    flat = lowering.in_order(x)
    if flat.shape != (rows, depth):
        flat = lowering.emit("Reshape", [flat, lowering.ints((rows, depth))], x.dtype, (rows, depth))
    c = None if bias is None else lowering.in_order(lowering.value(bias))
    y = _gemm(lowering, (Lowered(flat.shape, x.dtype, identity(2), flat), False), (weight, True), c, (rows, columns))
    y = fused_or_none(lowering, y, primitive.activation_type)
    if y.shape != shape:
        y = lowering.emit("Reshape", [y, lowering.ints(shape)], x.dtype, shape)
    return as_model(y)


def _gemm(
    lowering: Lowering, a: tuple[Lowered, bool], b: tuple[Lowered, bool], bias: Term | None, shape: Shape
) -> Term:
    (first, transposed_a), (second, transposed_b) = (_as_it_lies(lowering, *factor) for factor in (a, b))
    flags = {"transA": int(transposed_a), "transB": int(transposed_b)}
    return lowering.emit("Gemm", [first, second, bias], first.dtype, shape, **flags)


def _as_it_lies(lowering: Lowering, value: Lowered, transposed: bool) -> tuple[Term, bool]:
    """A matrix without the transpose that is pending on it, and whether it is to be transposed then."""
    if value.term is not None and value.order == (1, 0):
        return value.term, not transposed
    return lowering.in_order(value), transposed


def _matrix(lowering: Lowering, value: Lowered, transposed: bool) -> Term:
    """A factor whose last two axes are in the product's order."""
    if not transposed:
        return lowering.in_order(value)
    *rest, rows, columns = identity(value.rank)
    return lowering.in_order(value, (*rest, columns, rows))


LOWERINGS = {"MatMulFusion": lower_matmul_fusion, "FullConnection": lower_full_connection}
