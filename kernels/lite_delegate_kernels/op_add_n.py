"""AddN: the sum of any number of arrays."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS, check_dtype, check_same_dtype, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import merge_shapes


@np.errstate(all="ignore")
def add_n(*xs: Array) -> Array:
    """``xs[0] + xs[1] + ...``. Integers wrap around.

    NOTE: MindSpore Lite wants two arrays at least; here one is fine too, as in TensorFlow.

    Args:
        xs: at least one array, all of one shape and one float or integer dtype.

    Returns:
        That shape and dtype; may be ``xs[0]`` itself. float16 is added up in float32.
    """
    if len(xs) == 1:
        return xs[0]
    total: Array = np.asarray(np.add(widen(xs[0]), xs[1]))
    for x in xs[2:]:
        total += x
    return total.astype(xs[0].dtype, copy=False)


def infer_add_n(*xs: ArraySpec) -> ArraySpec:
    """The one spec of all inputs; raises KernelInputError for none, mixed dtypes and shapes that differ."""
    if not xs:
        raise KernelInputError("at least 1 input expected, got none")
    check_dtype(xs[0], NUMBERS)
    check_same_dtype(*xs)
    shapes = [x.shape for x in xs if x.shape is not None]
    return ArraySpec(xs[0].dtype, merge_shapes(shapes) if shapes else None)


KERNEL = ReferenceKernel("AddN", add_n, infer_add_n, NUMBERS)
