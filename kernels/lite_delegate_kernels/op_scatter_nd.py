"""ScatterNd: an array of zeros with updates added at coordinates."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, INTS, check_dtype, widen
from ._indexing import add_rows, as_rows, row_numbers
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._movement import constant_sizes, size_list, unknown_shape, vector_length
from ._scatter import check_updates


@np.errstate(over="ignore", invalid="ignore")
def scatter_nd(shape: Array, indices: Array, updates: Array) -> Array:
    """Zeros of ``shape``, plus ``updates`` at ``indices``.

    Args:
        shape: integers >= 0, the output dimensions.
        indices: integers (..., K) that address the first K of them; negative ones count from the end.
        updates: any dtype, shape ``indices.shape[:-1] + shape[K:]``.

    Returns:
        The dtype of ``updates``. Updates of one coordinate are summed (bools or-ed), float16 in float32.

    Raises:
        KernelInputError: an index is out of range, or the updates do not fit the shape.

    NOTE: as TensorFlow defines it; MindSpore Lite's kernel lets the last update of a coordinate win.
    """
    dims = size_list(shape, "shape")
    # The shape may be data, which nothing was compared with before.
    check_updates(dims, ArraySpec(indices.dtype, indices.shape), ArraySpec(updates.dtype, updates.shape))
    wide = widen(updates)
    out = np.zeros(dims, dtype=wide.dtype)
    length = indices.shape[-1]
    rows = row_numbers(indices, out.shape[:length]).ravel()
    add_rows(as_rows(out, length), rows, wide)
    return out.astype(updates.dtype, copy=False)


def infer_scatter_nd(shape: ArraySpec, indices: ArraySpec, updates: ArraySpec) -> ArraySpec:
    """The dimensions that ``shape`` holds, as far as they are known."""
    check_dtype(updates, ALL_DTYPES, "updates")
    sizes = constant_sizes(shape, "shape")
    check_updates(sizes, indices, updates)
    return ArraySpec(updates.dtype, unknown_shape(vector_length(shape)) if sizes is None else sizes)


KERNEL = ReferenceKernel("ScatterNd", scatter_nd, infer_scatter_nd, INTS)
