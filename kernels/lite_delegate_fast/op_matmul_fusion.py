"""MatMulFusion: a stack of matrices times a single one as one product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels._kernel import RunFunction, Shape
from lite_delegate_kernels.op_matmul_fusion import KERNEL as REFERENCE
from lite_delegate_kernels.op_matmul_fusion import leading_ones

from ._fused import RealDense, finish, has_constants
from ._row_blocks import Finish, MatrixProduct, multiply_rows
from .fast_kernel import Inputs, fast_form


@np.errstate(over="ignore", invalid="ignore")
def matmul_fusion(
    a: Array,
    b: Array,
    bias: Array | None = None,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    activation_type: str = "NO_ACTIVATION",
) -> Array:
    """As the reference kernel, sums in another order."""
    wide = compute_dtype(a.dtype)
    left, right = leading_ones(a.shape, b.shape)
    lhs = _matrices(a.astype(wide, copy=False).reshape(left), transpose_a)
    rhs = _matrices(b.astype(wide, copy=False).reshape(right), transpose_b)
    y = _product(lhs, rhs)
    y = finish(y, None if bias is None else bias.reshape(y.shape[-1]), activation_type, a.dtype)
    return y.reshape(()) if a.ndim == b.ndim == 1 else y


def _matrices(x: Array, transpose: bool) -> Array:
    return x.swapaxes(-1, -2) if transpose else x


def _product(a: Array, b: Array) -> Array:
    """``a @ b``; as one product when ``b`` is a single matrix and the rows of ``a`` follow each other."""
    if b.ndim > 2 and prod(b.shape[:-2]) == 1 and a.flags.c_contiguous:
        matrix = b.reshape(b.shape[-2:])
        rows = a.reshape(prod(a.shape[:-1]), a.shape[-1])
        return (rows @ matrix).reshape(*a.shape[:-1], matrix.shape[1])
    y: Array = np.matmul(a, b)
    return y


class RowSums:
    """The sums of stacked rows with one matrix.

    Args:
        product: with the matrix.
        shape: of the second operand.
    """

    def __init__(self, product: MatrixProduct, shape: Shape) -> None:
        self._product, self._shape = product, shape

    def __call__(self, a: Array, dtype: np.dtype[Any], finish: Finish) -> Array:
        left, _ = leading_ones(a.shape, self._shape)
        results = np.empty((*left[:-1], self._product.channels), dtype)
        count = prod(left[:-1])
        rows = np.ascontiguousarray(a).reshape(count, self._product.terms)
        multiply_rows(rows, self._product, results.reshape(count, self._product.channels), finish)
        return results


def bind(inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    """The function of a node of floats whose one matrix and bias are constants; None for other nodes."""
    if not has_constants(inputs) or any(spec is not None and spec.dtype.kind != "f" for spec in inputs):
        return None
    matrix = inputs[1]
    if matrix is None or matrix.shape is None or len(matrix.shape) < 2 or not _is_one_matrix(matrix.shape, attributes):
        return None
    return RealDense(partial(_row_sums, attributes), attributes.get("activation_type", "NO_ACTIVATION"))


def quantized_sums(
    weight: Array, parts: Sequence[slice], zero_point: int, attributes: Mapping[str, Any]
) -> RowSums | None:
    """As ``MakeSums``."""
    return _row_sums(attributes, weight, parts) if _is_one_matrix(weight.shape, attributes) else None


def _is_one_matrix(shape: Shape, attributes: Mapping[str, Any]) -> bool:
    """Whether rows, as they follow each other, are multiplied with one matrix of that shape."""
    return not attributes.get("transpose_a") and prod(shape[:-2]) == 1


def _row_sums(attributes: Mapping[str, Any], weight: Array, parts: Sequence[slice] = ()) -> RowSums:
    matrix = _matrices(weight.reshape(weight.shape[-2:]), attributes.get("transpose_b", False))
    return RowSums(MatrixProduct(matrix, parts), weight.shape)


KERNEL = fast_form(REFERENCE, matmul_fusion, bind=bind)
