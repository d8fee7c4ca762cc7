"""Splice: frames joined with their neighbors, as speech models do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import ALL_DTYPES
from ._indexing import wrap_indices
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel


def splice(
    x: Array,
    *,
    context: Sequence[int] | None = None,
    forward_indexes: Sequence[int] | None = None,
    output_dim: int = 0,
) -> Array:
    """Output frame t is the input frames ``forward_indexes[t * P : (t + 1) * P]`` side by side, P the context's length.

    Args:
        x: (N, T, D), any dtype.
        context: P offsets, of which only the number counts.
        forward_indexes: P * (T - P + 1) frames, each 0 to T - 1.
        output_dim: must be P * D.

    Returns:
        (N, T - P + 1, P * D).

    NOTE: as MindSpore Lite reads the attributes; the offsets themselves, Kaldi's definition, are in
    ``forward_indexes`` already.
    """
    frames = np.array(forward_indexes, dtype=np.intp)
    return x[:, frames].reshape(x.shape[0], frames.size // len(context or ()), output_dim)


def infer_splice(
    x: ArraySpec, *, context: Sequence[int] | None, forward_indexes: Sequence[int] | None, output_dim: int
) -> ArraySpec:
    """The spec of ``splice``.

    Raises:
        KernelInputError: rank other than 3, no context, frames of another number or out of range, another
            ``output_dim``.
    """
    if x.rank not in (None, 3):
        raise KernelInputError(f"input must be (N, T, D), got shape {x.shape}")
    parts, frames = len(context or ()), len(forward_indexes or ())
    if parts == 0 or frames == 0 or frames % parts:
        raise KernelInputError(f"{frames} forward_indexes are not a whole number of frames for {parts} of context")
    n, t, d = x.shape or (UNKNOWN,) * 3
    if t != UNKNOWN:
        _check_frames(np.array(forward_indexes), parts, t)
    if d != UNKNOWN and output_dim != parts * d:
        raise KernelInputError(f"output_dim must be {parts} * {d}, got {output_dim}")
    return ArraySpec(x.dtype, (n, frames // parts, output_dim))


def _check_frames(frames: Array, parts: int, length: int) -> None:
    if frames.size != parts * (length - parts + 1):
        raise KernelInputError(
            f"forward_indexes must hold {parts} * ({length} - {parts} + 1) values, got {frames.size}"
        )
    wrap_indices(frames, length, negative=False)


KERNEL = ReferenceKernel("Splice", splice, infer_splice, ALL_DTYPES)
