"""Flatten: a matrix of the dimensions before an axis by those from it on."""

from __future__ import annotations

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._shapes import element_count


def flatten(x: Array, *, axis: int = 1) -> Array:
    """``x`` as a matrix.

    Args:
        x: any rank, any dtype.
        axis: where the second dimension starts, 0 to rank; negative counts from the end.

    Returns:
        Shape (product of the dimensions before ``axis``, product of the others); ``axis=0`` gives (1, size).

    Raises:
        KernelInputError: ``axis`` is out of range.

    NOTE: MindSpore Lite mishandles a negative axis; here it counts from the end, as in ONNX.
    """
    return x.reshape(_matrix(x.shape, axis))


def infer_flatten(x: ArraySpec, *, axis: int) -> ArraySpec:
    """Two dimensions, ``UNKNOWN`` where a factor is."""
    return ArraySpec(x.dtype, (UNKNOWN, UNKNOWN) if x.shape is None else _matrix(x.shape, axis))


def _matrix(shape: Shape, axis: int) -> Shape:
    rank = len(shape)
    if not -rank <= axis <= rank:
        raise KernelInputError(f"axis {axis} is out of range for rank {rank}, expected {-rank}..{rank}")
    split = axis + rank if axis < 0 else axis
    return element_count(shape[:split]), element_count(shape[split:])


KERNEL = ReferenceKernel("Flatten", flatten, infer_flatten, ALL_DTYPES)
