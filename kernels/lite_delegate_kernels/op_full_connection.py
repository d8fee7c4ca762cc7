"""FullConnection: a matrix product of the flattened input with a weight of one row per output."""

from __future__ import annotations

import numpy as np

from ._dense import FLOATS, check_bias, check_dtype, compute_dtype, dims, finish
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._shapes import element_count, normalize_axis


@np.errstate(over="ignore", invalid="ignore")
def full_connection(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    has_bias: bool = False,
    use_axis: bool = False,
    axis: int = 0,
    activation_type: str = "NO_ACTIVATION",
) -> Array:
    """``x`` as a matrix of K columns, times the transposed weight, plus bias.

    Args:
        x: float, any rank >= 1, flattened in the order of its memory. float16 is computed in float32.
        weight: (N, K), float.
        bias: (N,) exactly when ``has_bias``.
        has_bias: whether ``bias`` is there.
        use_axis: flatten from ``axis`` on; otherwise K elements after each other make a row.
        axis: negative counts from the end; no effect without ``use_axis``.
        activation_type: RELU and RELU6 are applied, any other counts as none.

    Returns:
        The dimensions of ``x`` before ``axis`` and then N, or (elements / K, N), in the dtype of ``x``.
    """
    wide = compute_dtype(x.dtype)
    rows, columns = _matrix(x.shape, weight.shape[1], use_axis, axis)
    data = x.astype(wide, copy=False).reshape(element_count(rows), columns)
    y = data @ weight.astype(wide, copy=False).T
    return finish(y, bias, activation_type, x.dtype).reshape(*rows, weight.shape[0])


def infer_full_connection(
    x: ArraySpec, weight: ArraySpec, bias: ArraySpec | None = None, *, has_bias: bool, use_axis: bool, axis: int
) -> ArraySpec:
    """The shape of ``full_connection``.

    Raises:
        KernelInputError: dtypes or ranks that do not fit, an axis out of range, elements that do not make rows
            of K, a bias that is missing or not expected.
    """
    check_dtype("x", x, FLOATS)
    check_dtype("weight", weight, FLOATS)
    outputs, columns = dims("weight", weight, 2)
    if has_bias != (bias is not None):
        raise KernelInputError(f"bias must be given exactly when has_bias is set, has_bias is {has_bias}")
    check_bias(bias, outputs)
    if x.shape is None:
        return ArraySpec(x.dtype, None if use_axis else (UNKNOWN, outputs))
    rows, _ = _matrix(x.shape, columns, use_axis, axis)
    return ArraySpec(x.dtype, (*rows, outputs))


def _matrix(shape: Shape, columns: int, use_axis: bool, axis: int) -> tuple[Shape, int]:
    """The dimensions that stay as rows, and K."""
    if use_axis:
        start = normalize_axis(axis, len(shape))
        count = element_count(shape[start:])
        if UNKNOWN not in (count, columns) and count != columns:
            raise KernelInputError(f"x must have {columns} elements from axis {axis} on, got shape {shape}")
        return shape[:start], count
    count = element_count(shape)
    if UNKNOWN in (count, columns):
        return (UNKNOWN,), columns
    if columns < 1 or count % columns:
        raise KernelInputError(f"x must hold a multiple of {columns} elements, got shape {shape}")
    return (count // columns,), columns


KERNEL = ReferenceKernel("FullConnection", full_connection, infer_full_connection, FLOATS)
