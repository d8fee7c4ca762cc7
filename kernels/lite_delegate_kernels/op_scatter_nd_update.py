"""ScatterNdUpdate: a copy with slices replaced at coordinates."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES
from ._indexing import as_rows, row_numbers
from ._kernel import Array, ReferenceKernel
from ._scatter import infer_scatter


def scatter_nd_update(x: Array, indices: Array, updates: Array) -> Array:
    """``x`` with ``x[i_0, ..., i_{K-1}]`` replaced by an update for every coordinate, in order.

    Args:
        x: any rank, any dtype.
        indices: integers (..., K); negative ones count from the end.
        updates: the dtype of ``x``, shape ``indices.shape[:-1] + x.shape[K:]``.

    Raises:
        KernelInputError: an index is out of range.

    NOTE: of several updates of one coordinate the last wins, as in MindSpore Lite; TensorFlow and ONNX leave it open.
    """
    length = indices.shape[-1]
    rows = row_numbers(indices, x.shape[:length]).ravel()
    out = np.array(x, order="C")
    as_rows(out, length)[rows] = as_rows(updates, indices.ndim - 1)
    return out


KERNEL = ReferenceKernel("ScatterNdUpdate", scatter_nd_update, infer_scatter, ALL_DTYPES)
