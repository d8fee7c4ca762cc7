"""MatMulFusion: the product of matrices or of stacks of them."""

from __future__ import annotations

import numpy as np

from ._dense import FLOATS, check_dtype, compute_dtype, finish
from ._fused import check_fused
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._shapes import broadcast_shapes

DTYPES = (*FLOATS, "int32", "int64", "uint32", "uint64")


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
    """``a @ b + bias`` over the last two dimensions, the others broadcast.

    Args:
        a: (..., M, K), or (..., K, M) with ``transpose_a``; float or integer. float16 is computed in float32,
            integers wrap around.
        b: (..., K, N), or (..., N, K) with ``transpose_b``; any float when ``a`` is one, else the dtype of ``a``.
        bias: (N,), dimensions of 1 may come before; or None.
        transpose_a, transpose_b: swap the last two dimensions.
        activation_type: NO_ACTIVATION, RELU or RELU6.

    The operand of lower rank gets leading ones, so (K,) x (K, N) is (1, N), and (M, K) x (K,) works only with
    ``transpose_b``. Two vectors give their product as a scalar.

    Returns:
        (..., M, N) in the dtype of ``a``.

    NOTE: MindSpore Lite hands the number of any other activation to its kernels, which do not all know it; here
    other activations are rejected rather than left out.
    """
    wide = compute_dtype(a.dtype)
    left, right = leading_ones(a.shape, b.shape)
    lhs = _matrices(a.astype(wide, copy=False).reshape(left), transpose_a)
    rhs = _matrices(b.astype(wide, copy=False).reshape(right), transpose_b)
    y = np.matmul(lhs, rhs)
    y = finish(y, None if bias is None else bias.reshape(y.shape[-1]), activation_type, a.dtype)
    return y.reshape(()) if a.ndim == b.ndim == 1 else y


def infer_matmul_fusion(
    a: ArraySpec,
    b: ArraySpec,
    bias: ArraySpec | None = None,
    *,
    transpose_a: bool,
    transpose_b: bool,
    activation_type: str,
) -> ArraySpec:
    """The shape of ``matmul_fusion``, None when the rank of an operand is not known.

    Raises:
        KernelInputError: dtypes, ranks, inner dimensions, stacks or a bias that do not fit, a fused activation
            other than RELU and RELU6.
    """
    check_fused(activation_type)
    check_dtype("a", a, DTYPES)
    accepted = FLOATS if a.dtype.kind == "f" else (a.dtype.name,)
    check_dtype("b", b, accepted)
    if () in (a.shape, b.shape):
        raise KernelInputError(f"a and b must be at least 1-D, got shapes {a.shape} and {b.shape}")
    if a.shape is None or b.shape is None:
        return ArraySpec(a.dtype, None)
    rows, columns, stack = _check_shapes(a.shape, b.shape, transpose_a, transpose_b)
    if bias is not None:
        check_dtype("bias", bias, accepted)
        _check_bias_shape(bias.shape, columns)
    return ArraySpec(a.dtype, () if len(a.shape) == len(b.shape) == 1 else (*stack, rows, columns))


def _check_shapes(a: Shape, b: Shape, transpose_a: bool, transpose_b: bool) -> tuple[int, int, Shape]:
    if len(a) == len(b) == 1 and (transpose_a or transpose_b):
        raise KernelInputError("transpose_a and transpose_b must not be set for two vectors")
    left, right = leading_ones(a, b)
    rows, terms = left[:-3:-1] if transpose_a else left[-2:]
    inner, columns = right[:-3:-1] if transpose_b else right[-2:]
    if UNKNOWN not in (terms, inner) and terms != inner:
        raise KernelInputError(
            f"a must have as many columns as b has rows, got {terms} and {inner} in shapes {a} and {b}"
            f" with transpose_a {transpose_a}, transpose_b {transpose_b}"
        )
    stack = broadcast_shapes(left[:-2], right[:-2])
    assert stack is not None
    return rows, columns, stack


def _check_bias_shape(shape: Shape | None, columns: int) -> None:
    if shape is None:
        return
    ones, count = shape[:-1], shape[-1] if shape else 0
    if any(d not in (1, UNKNOWN) for d in ones) or (UNKNOWN not in (count, columns) and count != columns):
        raise KernelInputError(f"bias must have shape ({columns},) after leading ones, got {shape}")


def leading_ones(a: Shape, b: Shape) -> tuple[Shape, Shape]:
    """Both shapes at one rank of at least 2, a vector as the row of ``a`` and the column of ``b``."""
    if len(a) == len(b) == 1:
        return (1, *a), (*b, 1)
    rank = max(len(a), len(b))
    return (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b


def _matrices(x: Array, transpose: bool) -> Array:
    return x.swapaxes(-1, -2) if transpose else x


KERNEL = ReferenceKernel("MatMulFusion", matmul_fusion, infer_matmul_fusion, DTYPES)
