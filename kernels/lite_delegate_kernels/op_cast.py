"""Cast: the same numbers in another dtype."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, DType, check_dtype, dtype_of_type_id
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel


@np.errstate(all="ignore")
def cast(x: Array, type_id: Array) -> Array:
    """``x`` in the dtype that ``type_id`` names.

    Floats become integers by dropping the fraction (what does not fit is not defined, as in C), anything becomes
    bool as "is not 0" (NaN is not 0), a bool becomes 0 or 1. Narrower floats round to nearest even.

    Args:
        x: any shape, bool, integer or float.
        type_id: one integer, the TypeId of the wanted dtype (43 is float32).

    Returns:
        The shape of ``x``; ``x`` itself when it has the dtype already.

    Raises:
        KernelInputError: ``type_id`` does not hold exactly one value, or names no dtype.
    """
    return x.astype(_destination(type_id), copy=False)


def infer_cast(x: ArraySpec, type_id: ArraySpec) -> ArraySpec:
    """The shape of ``x`` in the new dtype; raises KernelInputError unless ``type_id`` is a constant that names one."""
    check_dtype(x, ALL_DTYPES)
    if type_id.value is None:
        raise KernelInputError("input 1 (the type id to cast to) must be a constant")
    return ArraySpec(_destination(type_id.value), x.shape)


def _destination(type_id: Array) -> DType:
    if type_id.size != 1 or type_id.dtype.kind not in "iu":
        raise KernelInputError(
            f"input 1 (the type id) must be one integer, got {type_id.dtype} of shape {type_id.shape}"
        )
    return dtype_of_type_id(int(type_id.item()))


KERNEL = ReferenceKernel("Cast", cast, infer_cast, ALL_DTYPES)
