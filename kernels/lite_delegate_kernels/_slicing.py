"""The reading that StridedSlice gives its begin, end, stride entries and its masks, dimension by dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._kernel import UNKNOWN, KernelInputError, Shape
from ._movement import MAX_RANK
from ._shapes import normalize_axes


@dataclass(frozen=True, slots=True)
class Entry:
    """One dimension's begin, end and stride as the node gives them."""

    begin: int
    end: int
    stride: int


@dataclass(frozen=True, slots=True)
class Masks:
    """The five masks of a StridedSlice; bit i speaks of entry i."""

    begin: int
    end: int
    ellipsis: int
    new_axis: int
    shrink: int

    @classmethod
    def checked(cls, begin: int, end: int, ellipsis: int, new_axis: int, shrink: int) -> Masks:
        """The masks, of the ellipsis only the lowest bit.

        Raises:
            KernelInputError: a mask is negative.
        """
        if min(begin, end, ellipsis, new_axis, shrink) < 0:
            raise KernelInputError(f"masks must not be negative, got {[begin, end, ellipsis, new_axis, shrink]}")
        lowest = ellipsis & ~new_axis
        return cls(begin, end, lowest & -lowest, new_axis, shrink)


@dataclass(frozen=True, slots=True)
class Piece:
    """The effect of one entry: the numpy index item, and the output dimension (None when it is dropped)."""

    index: slice | int | None
    dim: int | None


_NEW_AXIS = Piece(None, 1)


_WHOLE = Entry(0, 2**62, 1)
"""Clamps to the whole dimension; only the form with axes, which clamps, uses it."""


def entries_of(
    begin: Sequence[int], end: Sequence[int], strides: Sequence[int], axes: Sequence[int] | None, rank: int
) -> list[Entry | None]:
    """The entries in the order of the dimensions; with ``axes``, one for each of ``rank`` dimensions.

    Raises:
        KernelInputError: lengths differ, a stride is 0, or an axis is out of range or named twice.
    """
    if not len(begin) == len(end) == len(strides) or (axes and len(axes) != len(begin)):
        lengths = [len(begin), len(end), len(strides)] + ([len(axes)] if axes else [])
        raise KernelInputError(f"begin, end, strides and axes must have one length, got lengths {lengths}")
    if 0 in strides:
        raise KernelInputError(f"strides must not be 0, got {list(strides)}")
    given: list[Entry | None] = [Entry(b, e, s) for b, e, s in zip(begin, end, strides, strict=True)]
    if axes is None:
        return given
    if len(given) > rank:
        raise KernelInputError(f"{len(given)} entries are too many for rank {rank}")
    placed = dict(zip(normalize_axes(axes or range(len(given)), rank), given, strict=True))
    return [placed.get(i, _WHOLE) for i in range(rank)]


def unknown_entries(
    count: int | None, axes: Sequence[int] | None, rank: int, *, has_axes: bool
) -> list[Entry | None] | None:
    """The entries of which at most the number and the axes are known; None when not even their number is.

    Args:
        count: how many there are, None when that is not known.
        axes: their dimensions, None when they are not known.
        rank: of the input.
        has_axes: whether the node has axes, so that there is an entry for each of ``rank`` dimensions.

    Raises:
        KernelInputError: more of them than an array has dimensions.
    """
    if count is not None and count > MAX_RANK:
        raise KernelInputError(f"begin must hold at most {MAX_RANK} values, got {count}")
    if not has_axes:
        return None if count is None else [None] * count
    named = axes if axes or count is None or axes is None else range(count)
    if not named:
        return [None] * rank
    touched = normalize_axes(named, rank)
    return [None if i in touched else _WHOLE for i in range(rank)]


def slice_pieces(shape: Shape, entries: Sequence[Entry | None], masks: Masks, *, clamp: bool) -> list[Piece]:
    """The effect of every entry on its dimension, and the dimensions after the last entry, taken whole.

    Args:
        shape: of the input, dimensions may be ``UNKNOWN``.
        entries: None for one that is not known before the model runs.
        masks: see ``Masks``.
        clamp: values out of range are moved into it, otherwise they are an error.

    Raises:
        KernelInputError: more entries than dimensions, or a value out of range.
    """
    pieces: list[Piece] = []
    used = 0
    for i, entry in enumerate(entries):
        if masks.new_axis >> i & 1:
            pieces.append(_NEW_AXIS)
            continue
        if used == len(shape):
            raise KernelInputError(f"{len(entries)} entries are too many for input shape {shape}")
        pieces.append(_piece(shape[used], entry, i, masks, clamp))
        used += 1
    return pieces + [Piece(slice(None), d) for d in shape[used:]]


def _piece(dim: int, entry: Entry | None, i: int, masks: Masks, clamp: bool) -> Piece:
    open_begin = bool((masks.begin | masks.ellipsis) >> i & 1)
    open_end = bool((masks.end | masks.ellipsis) >> i & 1)
    shrink = bool(masks.shrink >> i & 1)
    if entry is None:
        return Piece(slice(None), None if shrink else UNKNOWN)
    begin = 0 if open_begin else entry.begin
    if shrink:
        return _single(dim, begin)
    if dim == UNKNOWN:
        return Piece(slice(None), _length_of_unknown(begin, entry, open_end or clamp))
    end = dim if open_end else entry.end
    positions = _range(dim, begin, end, entry.stride, clamp)
    stop = positions.stop if positions.stop >= 0 else None
    return Piece(slice(positions.start, stop, positions.step) if positions else slice(0, 0), len(positions))


def _length_of_unknown(begin: int, entry: Entry, end_depends: bool) -> int:
    # What is out of range is rejected, so that two values counted from one side fix the length.
    if end_depends or (begin < 0) != (entry.end < 0):
        return UNKNOWN
    return len(range(begin, entry.end, entry.stride))


def _single(dim: int, begin: int) -> Piece:
    if dim == UNKNOWN:
        return Piece(0, None)
    place = begin + dim if begin < 0 else begin
    if not 0 <= place < dim:
        raise KernelInputError(f"begin {begin} is out of range for a dimension of {dim}")
    return Piece(place, None)


def _range(dim: int, begin: int, end: int, stride: int, clamp: bool) -> range:
    first = begin + dim if begin < 0 else begin
    last = end + dim if end < 0 else end
    lowest, highest = (-1, dim - 1) if stride < 0 else (0, dim)
    if clamp:
        return range(min(max(first, 0), highest), min(max(last, lowest), dim), stride)
    if not 0 <= first <= dim or not -1 <= last <= dim:
        raise KernelInputError(f"begin {begin} and end {end} are out of range for a dimension of {dim}")
    if first > highest and last < first:
        raise KernelInputError(f"begin {begin} is past the end of a dimension of {dim}, going backwards")
    return range(first, last, stride)
