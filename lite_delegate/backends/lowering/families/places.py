"""Places and lengths as ONNX's operators take them, such that operators fail at places where the kernel fails."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ..emitter import FITS
from ..lowering import Lowering, wanted
from ..term import Dtype, Lowered, Term
from .elementwise import BOOL, cast

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


def as_places(lowering: Lowering, term: Term) -> Term:
    """Places as integers of 32 or 64 bits."""
    return term if term.dtype in (INT64, INT32) else as_int64(lowering, term)


def as_int64(lowering: Lowering, term: Term) -> Term:
    """Places as integers of 64 bits; constant ones stay constant."""
    if term.constant is not None and term.dtype != INT64:
        return lowering.array(term.constant.astype(INT64))
    return cast(lowering, term, INT64)


def as_int32(lowering: Lowering, term: Term) -> Term:
    """Places as integers of 32 bits; places beyond become the farthest place, or the run fails at them."""
    if np.can_cast(term.dtype, INT32):
        return cast(lowering, term, INT32)
    ends = _ends(term.dtype)
    if term.constant is not None:
        return lowering.array(np.clip(term.constant, *ends).astype(INT32))
    bounds = [lowering.scalar(end, term.dtype) for end in ends]
    if lowering.can("Clip", [term, *bounds], [(term.dtype, term.shape)]):
        return cast(lowering, lowering.emit("Clip", [term, *bounds], term.dtype, term.shape), INT32)
    return lowering.emit("Cast", [term], INT32, term.shape, **{FITS: 1})


def _ends(dtype: Dtype) -> tuple[int, int]:
    own, narrow = np.iinfo(dtype.name), np.iinfo(INT32)
    return max(own.min, narrow.min), min(own.max, narrow.max)


def never_negative(lowering: Lowering, places: Lowered, count: int) -> Term:
    """Places of a kernel that does not count negative places from the end: these become a place that does not exist.

    Raises:
        NotLowered: a constant place is below 0.
    """
    term = as_places(lowering, lowering.in_order(places))
    if places.constant is not None:
        lowest = places.constant.min(initial=0)
        wanted(lowest >= 0, RejectCode.ATTRIBUTE, "places must not be negative", f"has {lowest}")
        return term
    if places.dtype.kind == "u":
        return term
    below = lowering.emit("Less", [term, lowering.scalar(0, term.dtype)], BOOL, term.shape)
    return lowering.emit("Where", [below, lowering.scalar(count, term.dtype), term], term.dtype, term.shape)


def is_inside(lowering: Lowering, numbers: Term, size: int) -> Term:
    """A term of bools: whether each 32-bit integer is between 0 and ``size - 1``."""
    bounds = [lowering.scalar(end, INT32) for end in (0, size - 1)]
    kept = lowering.emit("Clip", [numbers, *bounds], INT32, numbers.shape)
    return lowering.emit("Equal", [numbers, kept], BOOL, numbers.shape)
