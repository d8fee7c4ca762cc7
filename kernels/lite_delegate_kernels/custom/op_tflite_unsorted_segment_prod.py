"""UNSORTED_SEGMENT_PROD: the product of the rows of each segment."""

from __future__ import annotations

import numpy as np

from .._kernel import Array, ArraySpec, ReferenceKernel
from ._segments import DTYPES, combined, infer_combined


@np.errstate(all="ignore")
def unsorted_segment_prod(x: Array, segments: Array, count: Array) -> Array:
    """The product of the rows of each segment; see ``combined``."""
    return combined(np.multiply, 1, x, segments, count)


def infer_unsorted_segment_prod(x: ArraySpec, segments: ArraySpec, count: ArraySpec) -> ArraySpec:
    """(segments, ...); raises KernelInputError for types that do not fit."""
    return infer_combined(x, segments, count)


KERNEL = ReferenceKernel("tflite.UNSORTED_SEGMENT_PROD", unsorted_segment_prod, infer_unsorted_segment_prod, DTYPES)
