"""Dropout: nothing is dropped when a model is only run."""

from __future__ import annotations

import numpy as np

from ._dtypes import FLOATS, check_dtype
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel


def dropout(x: Array, *, keep_prob: float = 0.5, output_count: int = 1) -> Array | tuple[Array, ...]:
    """``x`` itself, and a mask that keeps every element.

    NOTE: the mask has the dtype of ``x``, as in MindSpore; ONNX's is bool.

    Args:
        x: any shape, float.
        keep_prob: no effect; it counts in training only.
        output_count: 1, or 2 for the mask too.

    Returns:
        ``x``; with two outputs also ones in the shape and dtype of ``x``.
    """
    return x if output_count == 1 else (x, np.ones(x.shape, dtype=x.dtype))


def infer_dropout(x: ArraySpec, *, output_count: int) -> ArraySpec | tuple[ArraySpec, ...]:
    """The spec of ``x``, for the mask too; raises KernelInputError for other dtypes, or more than 2 outputs."""
    check_dtype(x, FLOATS)
    if output_count not in (1, 2):
        raise KernelInputError(f"1 or 2 outputs expected, got {output_count}")
    same = ArraySpec(x.dtype, x.shape)
    return same if output_count == 1 else (same, same)


KERNEL = ReferenceKernel("Dropout", dropout, infer_dropout, FLOATS, needs_output_count=True)
