"""UNSORTED_SEGMENT_MAX: the largest of the rows of each segment."""

from __future__ import annotations

import numpy as np

from .._kernel import Array, ArraySpec, ReferenceKernel
from ._segments import DTYPES, combined, infer_combined, lowest


@np.errstate(all="ignore")
def unsorted_segment_max(x: Array, segments: Array, count: Array) -> Array:
    """The largest of the rows of each segment; see ``combined``."""
    return combined(np.maximum, lowest(x.dtype), x, segments, count)


def infer_unsorted_segment_max(x: ArraySpec, segments: ArraySpec, count: ArraySpec) -> ArraySpec:
    """(segments, ...); raises KernelInputError for types that do not fit."""
    return infer_combined(x, segments, count)


KERNEL = ReferenceKernel("tflite.UNSORTED_SEGMENT_MAX", unsorted_segment_max, infer_unsorted_segment_max, DTYPES)
