"""ArgMaxFusion: where the largest elements along an axis lie, or what they are."""

from __future__ import annotations

from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._selection import infer_select, select


def arg_max_fusion(
    x: Array,
    *,
    axis: int = 0,
    top_k: int = 1,
    keep_dims: bool = False,
    out_max_value: bool = False,
    output_count: int | None = None,
) -> Array | tuple[Array, ...]:
    """The ``top_k`` largest elements along ``axis``, largest first, of equals the one with the lower index first.

    Args:
        x: rank >= 1, float or integer. NaN comes before every number.
        axis: negative counts from the end.
        top_k: how many, 1 to the size of the axis.
        keep_dims: whether the axis stays where ``top_k`` is 1.
        out_max_value: whether a single output holds the values.
        output_count: how many outputs the node has, None means 1.

    Returns:
        int32 indices, or values; with two outputs indices and values. The axis has ``top_k`` elements, or is removed.

    Raises:
        KernelInputError: ``axis`` is out of range, or ``top_k`` is not 1 to its size.
    """
    return select(x, axis, top_k, keep_dims, out_max_value, output_count, largest=True)


def infer_arg_max_fusion(
    x: ArraySpec, *, axis: int, top_k: int, keep_dims: bool, out_max_value: bool, output_count: int | None
) -> ArraySpec | tuple[ArraySpec, ...]:
    """The specs of ``arg_max_fusion``; raises KernelInputError as it does."""
    return infer_select(x, axis, top_k, keep_dims, out_max_value, output_count)


KERNEL = ReferenceKernel("ArgMaxFusion", arg_max_fusion, infer_arg_max_fusion, NUMBERS, needs_output_count=True)
