"""Ranges, one for each element of three vectors: how long they are, and their numbers one after another."""

from __future__ import annotations

import numpy as np

from ._kernel import Array, KernelInputError


def range_lengths(first: Array, last: Array, step: Array) -> Array:
    """``max(0, ceil((last - first) / step))`` of every element, floats rounded to their dtype after each operation.

    Raises:
        KernelInputError: a step is 0, or floats that give no length.
    """
    if not np.all(step):
        raise KernelInputError("the step must not be 0")
    if first.dtype.kind == "f":
        with np.errstate(all="ignore"):
            counts = np.ceil((last - first) / step)
        if not np.isfinite(counts).all():
            raise KernelInputError(f"from {first} to {last} in steps of {step} has no length")
    else:
        begin, end, stride = (a.astype(np.int64) for a in (first, last, step))
        counts = -((begin - end) // stride)
    return np.maximum(counts, 0).astype(np.intp)


def range_values(first: Array, step: Array, lengths: Array) -> Array:
    """``first[i] + j * step[i]`` for j in 0..lengths[i] - 1, one i after another, in the dtype of ``first``."""
    begins = np.cumsum(lengths) - lengths
    places = np.arange(lengths.sum()) - np.repeat(begins, lengths)
    with np.errstate(all="ignore"):
        numbers: Array = np.repeat(first, lengths) + places.astype(first.dtype) * np.repeat(step, lengths)
    return numbers
