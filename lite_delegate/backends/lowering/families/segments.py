"""Slices of segments, combined."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.custom import custom_type
from ....semantics.operands import required
from ..lowering import Lowering, wanted
from ..term import Dtype, Lowered, Term
from .places import as_places, never_negative
from .reshaping import reshaped
from .results import as_model, given_dtype, given_shape
from .scattering import MOST_ROWS, combined, spread_rows

SEGMENTS = {
    "UnsortedSegmentSum": "add",
    "tflite.UNSORTED_SEGMENT_MAX": "max",
    "tflite.UNSORTED_SEGMENT_MIN": "min",
    "tflite.UNSORTED_SEGMENT_PROD": "mul",
}
"""The reduction of ScatterElements for each operator."""


def lower_segments(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The combined slices of each segment; negative segments go to an extra first one, which is cut off."""
    x, ids = (lowering.value(required(kernel, position)) for position in (0, 1))
    assert kernel.primitive is not None
    return _in_segments(kernel, lowering, x, ids, SEGMENTS[custom_type(kernel.primitive)])


def lower_sparse_segment_sum(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Lowers SparseSegmentSum: sums of picked rows. The number of segments follows from the ids, which are constant."""
    x, indices, ids = (lowering.value(required(kernel, position)) for position in range(3))
    places = never_negative(lowering, indices, x.shape[0])
    shape = (*places.shape, *x.shape[1:])
    picked = lowering.emit("Gather", [lowering.in_order(x), places], x.dtype, shape, axis=0)
    return _in_segments(kernel, lowering, as_model(picked), ids, "add")


def _in_segments(kernel: Kernel, lowering: Lowering, x: Lowered, ids: Lowered, how: str) -> Lowered:
    shape, dtype = given_shape(kernel), given_dtype(kernel)
    wanted(0 not in shape, RejectCode.SHAPE, "segments must have elements", f"has {shape}")
    size, rows = math.prod(shape[1:]), math.prod(ids.shape)
    places = _places(lowering, reshaped(lowering, ids, (rows,)))
    start = lowering.array(np.full((shape[0] + 1, size), _start(how, dtype), dtype))
    updates = lowering.in_order(reshaped(lowering, x, (rows, size)))
    made = combined(lowering, start, spread_rows(lowering, places, (rows, size)), updates, how, 0)
    bounds = [lowering.ints([each]) for each in (1, shape[0] + 1, 0, 1)]
    kept = lowering.emit("Slice", [made, *bounds], dtype, (shape[0], size))
    return reshaped(lowering, as_model(kept), shape)


def _places(lowering: Lowering, ids: Lowered) -> Term:
    """The row of each slice: 0 for a slice in no segment, else the segment plus 1."""
    if ids.constant is not None:
        rows = np.maximum(ids.constant.astype(np.int64), -1) + 1
        return lowering.array(np.minimum(rows, MOST_ROWS).astype(np.int32))
    places = as_places(lowering, lowering.in_order(ids))
    least, one = (lowering.scalar(number, places.dtype) for number in (-1, 1))
    places = lowering.emit("Max", [places, least], places.dtype, places.shape)
    return lowering.emit("Add", [places, one], places.dtype, places.shape)


def _start(how: str, dtype: Dtype) -> float:
    if how in ("add", "mul"):
        return int(how == "mul")
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return limits.min if how == "max" else limits.max


LOWERINGS = {**dict.fromkeys(SEGMENTS, lower_segments), "SparseSegmentSum": lower_sparse_segment_sum}
