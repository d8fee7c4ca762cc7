"""TensorScatterAdd: a copy with updates added at coordinates."""

from __future__ import annotations

import numpy as np

from ._dtypes import NUMBERS, check_dtype, widen
from ._indexing import add_rows, as_rows, row_numbers
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._scatter import infer_scatter


@np.errstate(over="ignore", invalid="ignore")
def tensor_scatter_add(x: Array, indices: Array, updates: Array) -> Array:
    """``x`` with an update added to ``x[i_0, ..., i_{K-1}]`` for every coordinate; repeated ones add up.

    Args:
        x: any rank, float or integer; integers wrap around, float16 is summed in float32.
        indices: integers (..., K); negative ones count from the end.
        updates: the dtype of ``x``, shape ``indices.shape[:-1] + x.shape[K:]``.

    Raises:
        KernelInputError: an index is out of range.
    """
    length = indices.shape[-1]
    rows = row_numbers(indices, x.shape[:length]).ravel()
    out = np.array(widen(x), order="C")
    add_rows(as_rows(out, length), rows, widen(updates))
    return out.astype(x.dtype, copy=False)


def infer_tensor_scatter_add(x: ArraySpec, indices: ArraySpec, updates: ArraySpec) -> ArraySpec:
    """The spec of ``x``; raises KernelInputError as ``infer_scatter``."""
    check_dtype(x, NUMBERS)
    return infer_scatter(x, indices, updates)


KERNEL = ReferenceKernel("TensorScatterAdd", tensor_scatter_add, infer_tensor_scatter_add, NUMBERS)
