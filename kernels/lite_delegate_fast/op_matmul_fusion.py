"""MatMulFusion: a stack of matrices times a single one as one product."""

from __future__ import annotations

from math import prod

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels.op_matmul_fusion import KERNEL as REFERENCE
from lite_delegate_kernels.op_matmul_fusion import leading_ones

from ._fused import finish
from .fast_kernel import fast_form


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


KERNEL = fast_form(REFERENCE, matmul_fusion)
