"""MatMulInteger: products of 8-bit integers less their zero points, in int32."""

from __future__ import annotations

import numpy as np

from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from .._shapes import broadcast_shapes
from ._whole import BYTES, INT32, centered, check_bytes, check_points, to_int32


def mat_mul_integer(a: Array, b: Array, a_zero_point: Array | None = None, b_zero_point: Array | None = None) -> Array:
    """``(a - a_zero_point) @ (b - b_zero_point)``, stacks and vectors as ``numpy.matmul`` has them; sums wrap around.

    Args:
        a: (..., M, K), int8 or uint8.
        b: (..., K, N), int8 or uint8.
        a_zero_point: one, or one for each row of ``a``; 0 where it is left out.
        b_zero_point: one, or one for each column of ``b``.
    """
    return to_int32(np.asarray(centered(a, a_zero_point, -2) @ centered(b, b_zero_point, -1)))


def infer_mat_mul_integer(
    a: ArraySpec, b: ArraySpec, a_zero_point: ArraySpec | None = None, b_zero_point: ArraySpec | None = None
) -> ArraySpec:
    """int32 of the product's shape; raises KernelInputError for operands that do not fit."""
    check_bytes(a, b, a_zero_point, b_zero_point)
    check_points("a", a, a_zero_point, -2)
    check_points("b", b, b_zero_point, -1)
    if a.shape is None or b.shape is None:
        return ArraySpec(INT32, None)
    return ArraySpec(INT32, _product(a.shape, b.shape))


def _product(a: Shape, b: Shape) -> Shape:
    if not a or not b:
        raise KernelInputError(f"operands must have dimensions, got shapes {a} and {b}")
    left, right = (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b
    if UNKNOWN not in (left[-1], right[-2]) and left[-1] != right[-2]:
        raise KernelInputError(f"{left[-1]} columns of a do not fit {right[-2]} rows of b, shapes {a} and {b}")
    stack = broadcast_shapes(left[:-2], right[:-2]) or ()
    return (*stack, *left[-2:-1][: len(a) > 1], *right[-1:][: len(b) > 1])


KERNEL = ReferenceKernel("ai.onnx.MatMulInteger", mat_mul_integer, infer_mat_mul_integer, BYTES)
