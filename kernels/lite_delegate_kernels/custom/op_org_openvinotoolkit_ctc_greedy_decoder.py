"""CTCGreedyDecoder: the class of every step, without repeats and blanks."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import check_rank

_NONE = -1
"""What stands behind the end of a sequence."""


def ctc_greedy_decoder(data: Array, sequence_mask: Array, *, ctc_merge_repeated: int = 1) -> Array:
    """The largest class of each step, in order, where it is not the last class, which is the blank.

    Args:
        data: (T, N, C): how likely each class is at each of T steps of N sequences, float; of equal ones the first.
        sequence_mask: (T, N): a sequence ends before the first step where this is 0.
        ctc_merge_repeated: whether a class that is also that of the step before is left out; a blank in between parts
            the two.

    Returns:
        (N, T, 1, 1) in the dtype of ``data``: the classes of each sequence, then -1. Source: OpenVINO's operation
        CTCGreedyDecoder of opset 1.
    """
    steps, batch, classes = data.shape
    decoded = np.full((batch, steps), _NONE, data.dtype)
    best = data.argmax(axis=2)
    for n in range(batch):
        before, count = _NONE, 0
        for step in range(steps):
            if sequence_mask[step, n] == 0:
                break
            found = int(best[step, n])
            if found != classes - 1 and not (ctc_merge_repeated and found == before):
                decoded[n, count] = found
                count += 1
            before = found
    return decoded.reshape(batch, steps, 1, 1)


def infer_ctc_greedy_decoder(data: ArraySpec, sequence_mask: ArraySpec) -> ArraySpec:
    """(N, T, 1, 1); raises KernelInputError for dtypes or shapes that do not fit."""
    check_dtype(data, FLOATS, "data")
    check_dtype(sequence_mask, FLOATS, "sequence_mask")
    check_rank(data, 3, 3, "data")
    check_rank(sequence_mask, 2, 2, "sequence_mask")
    steps, batch, classes = data.shape or (UNKNOWN,) * 3
    pairs = zip((steps, batch), sequence_mask.shape or (UNKNOWN,) * 2, strict=True)
    if any(UNKNOWN not in pair and pair[0] != pair[1] for pair in pairs):
        raise KernelInputError(f"sequence_mask of shape {sequence_mask.shape} must have the first two of {data.shape}")
    if classes == 0:
        raise KernelInputError(f"data must have a class at least, got shape {data.shape}")
    return ArraySpec(data.dtype, (batch, steps, 1, 1))


KERNEL = ReferenceKernel("org.openvinotoolkit.CTCGreedyDecoder", ctc_greedy_decoder, infer_ctc_greedy_decoder, FLOATS)
