"""ReverseSequence: the first elements of every sequence of a batch read from their end."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, INTS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._shapes import normalize_axis


def reverse_sequence(x: Array, lengths: Array, *, seq_dim: int = 0, batch_dim: int = 0) -> Array:
    """``x`` with the first ``lengths[b]`` positions along ``seq_dim`` turned round, for each b along ``batch_dim``.

    Args:
        x: rank >= 2, any dtype.
        lengths: integers, one per position of ``batch_dim``, each 0 to the size of ``seq_dim``.
        seq_dim, batch_dim: two different axes, negative ones count from the end.

    Returns:
        The shape of ``x``; positions from ``lengths[b]`` on stay.

    Raises:
        KernelInputError: a length is out of range.

    NOTE: both axes are 0 by default, so a node must set one of them.
    """
    seq, batch = _axes(x.ndim, seq_dim, batch_dim)
    size = x.shape[seq]
    _check_lengths(lengths, size)
    places = np.arange(size)
    counts = lengths.astype(np.intp).reshape(-1, 1)
    source = np.where(places < counts, counts - 1 - places, places)
    lines = np.moveaxis(x, (batch, seq), (0, 1))
    reversed_lines = lines[np.arange(x.shape[batch])[:, None], source]
    return np.moveaxis(reversed_lines, (0, 1), (batch, seq))


def infer_reverse_sequence(x: ArraySpec, lengths: ArraySpec, *, seq_dim: int, batch_dim: int) -> ArraySpec:
    """The spec of ``x``.

    Raises:
        KernelInputError: equal axes, one out of range, or other than one length per position of ``batch_dim``.
    """
    check_dtype(lengths, INTS, "lengths")
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    seq, batch = _axes(len(x.shape), seq_dim, batch_dim)
    _check_count(lengths, x.shape, batch)
    if lengths.value is not None and x.shape[seq] != UNKNOWN:
        _check_lengths(lengths.value, x.shape[seq])
    return ArraySpec(x.dtype, x.shape)


def _axes(rank: int, seq_dim: int, batch_dim: int) -> tuple[int, int]:
    seq, batch = normalize_axis(seq_dim, rank), normalize_axis(batch_dim, rank)
    if seq == batch:
        raise KernelInputError(f"seq_dim and batch_dim must be two axes, got {seq_dim} and {batch_dim}")
    return seq, batch


def _check_count(lengths: ArraySpec, shape: Shape, batch: int) -> None:
    if lengths.shape is None:
        return
    if len(lengths.shape) != 1 or (
        UNKNOWN not in (lengths.shape[0], shape[batch]) and lengths.shape[0] != shape[batch]
    ):
        raise KernelInputError(
            f"lengths must hold one value per position of batch_dim of shape {shape}, got shape {lengths.shape}"
        )


def _check_lengths(lengths: Array, size: int) -> None:
    if lengths.size and not 0 <= lengths.min() <= lengths.max() <= size:
        raise KernelInputError(f"lengths must be 0 to {size}, got {lengths.tolist()}")


KERNEL = ReferenceKernel("ReverseSequence", reverse_sequence, infer_reverse_sequence, ALL_DTYPES)
