"""Complex numbers as pairs: the last dim holds the real and the imaginary part."""

from __future__ import annotations

from ._dtypes import FLOATS, check_dtype
from ._kernel import UNKNOWN, ArraySpec, KernelInputError


def infer_part(x: ArraySpec) -> ArraySpec:
    """One part of every pair: the shape without its last dim.

    Raises:
        KernelInputError: the last dim is not 2.
    """
    check_dtype(x, FLOATS)
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    if not x.shape or x.shape[-1] not in (2, UNKNOWN):
        raise KernelInputError(f"input 0 must have a last dim of 2, real and imaginary part, got shape {x.shape}")
    return ArraySpec(x.dtype, x.shape[:-1])
