"""UNSORTED_SEGMENT_MIN: the smallest of the rows of each segment."""

from __future__ import annotations

import numpy as np

from .._kernel import Array, ArraySpec, ReferenceKernel
from ._segments import DTYPES, combined, highest, infer_combined


@np.errstate(all="ignore")
def unsorted_segment_min(x: Array, segments: Array, count: Array) -> Array:
    """The smallest of the rows of each segment; see ``combined``."""
    return combined(np.minimum, highest(x.dtype), x, segments, count)


def infer_unsorted_segment_min(x: ArraySpec, segments: ArraySpec, count: ArraySpec) -> ArraySpec:
    """(segments, ...); raises KernelInputError for types that do not fit."""
    return infer_combined(x, segments, count)


KERNEL = ReferenceKernel("tflite.UNSORTED_SEGMENT_MIN", unsorted_segment_min, infer_unsorted_segment_min, DTYPES)
