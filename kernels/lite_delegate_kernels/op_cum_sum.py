"""CumSum: running sums along one axis."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS, check_dtype, widen
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._movement import along, constant_ints, int_list, single_int
from ._shapes import normalize_axis


@np.errstate(all="ignore")
def cum_sum(x: Array, axis: Array, *, exclusive: bool = False, reverse: bool = False) -> Array:
    """Each element replaced by the sum of all up to it along ``axis``.

    Args:
        x: rank >= 1, float or integer; integers wrap around, float16 is summed in float32.
        axis: one integer, negative counts from the end.
        exclusive: whether the element itself is left out of its sum, so that the first is 0.
        reverse: whether sums run from the end of the axis.

    Raises:
        KernelInputError: ``axis`` is out of range.
    """
    a = normalize_axis(single_int(int_list(axis, "axis"), "axis"), x.ndim)
    wide = widen(x)
    out = np.zeros_like(wide)
    source, sums = (np.flip(wide, a), np.flip(out, a)) if reverse else (wide, out)
    if exclusive:
        source, sums = source[along(a, slice(0, -1))], sums[along(a, slice(1, None))]
    np.cumsum(source, axis=a, dtype=wide.dtype, out=sums)
    return out.astype(x.dtype, copy=False)


def infer_cum_sum(x: ArraySpec, axis: ArraySpec) -> ArraySpec:
    """The spec of ``x``."""
    check_dtype(x, NUMBERS)
    values = constant_ints(axis, "axis")
    if values is not None:
        a = single_int(values, "axis")
        if x.rank is not None:
            normalize_axis(a, x.rank)
    return ArraySpec(x.dtype, x.shape)


KERNEL = ReferenceKernel("CumSum", cum_sum, infer_cum_sum, NUMBERS)
