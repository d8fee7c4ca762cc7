"""The cuts of Split, Unstack, Crop, SliceFusion and StridedSlice: positions along each axis from the attributes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..ir.primitives import Crop, Split, StridedSlice
from .fitting import DoesNotFit, placed_axes
from .operands import normalized

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Of each axis a the positions ``starts[a] + i * strides[a]``, i from 0 to ``counts[a] - 1``.

    Strides are not 0; negative ones go backwards.
    """

    starts: Shape
    counts: Shape
    strides: Shape


@dataclass(frozen=True, slots=True)
class SlicedPart:
    """One output of a slicing operator.

    Attributes:
        positions: of the input, along each of its axes.
        shape: of the output, which may have axes of 1 more than the slice, or fewer.
    """

    positions: Grid
    shape: Shape


def whole(shape: Shape) -> Grid:
    """Every position of a tensor."""
    return Grid((0,) * len(shape), shape, (1,) * len(shape))


def split_cuts(shape: Shape, primitive: Split, given: Sequence[int] | None, outputs: int) -> list[SlicedPart]:
    """One cut per output of a Split.

    Args:
        given: the values of its second input, which replace ``size_splits``; None where there is none.
        outputs: how many the node has.

    Raises:
        DoesNotFit: the axis is outside, or the sizes do not add up to its dimension or are not one per output.
    """
    (axis,) = placed_axes([primitive.axis], len(shape), "axis")
    sizes = _part_sizes(shape[axis], tuple((primitive.size_splits or ()) if given is None else given), outputs)
    if primitive.output_num not in (0, outputs):
        raise DoesNotFit(f"output_num must be the number of outputs, {outputs}, is {primitive.output_num}")
    starts = accumulate(sizes[:-1], initial=0)
    return [_part(shape, axis, start, size) for start, size in zip(starts, sizes, strict=True)]


def _part_sizes(dim: int, given: Sequence[int], outputs: int) -> list[int]:
    if not given and dim % outputs == 0:
        return [dim // outputs] * outputs
    fixed = sum(size for size in given if size >= 0)
    sizes = [*given[:-1], dim - fixed if given[-1] == -1 else given[-1]] if given else []
    if len(sizes) != outputs or min(sizes) < 0 or sum(sizes) != dim:
        wanted = f"equal parts of {dim}" if not given else f"sizes that add up to {dim}"
        raise DoesNotFit(f"{counted(outputs, 'output')} must be {wanted}, size_splits is {list(given)}")
    return sizes


def _part(shape: Shape, axis: int, start: int, size: int) -> SlicedPart:
    starts = tuple(start if i == axis else 0 for i in range(len(shape)))
    counts = (*shape[:axis], size, *shape[axis + 1 :])
    return SlicedPart(Grid(starts, counts, (1,) * len(shape)), counts)


def unstack_cuts(shape: Shape, axis: int, outputs: int) -> list[SlicedPart]:
    """One cut per output of an Unstack, without the axis.

    Raises:
        DoesNotFit: the axis is outside, or its dimension is not the number of outputs.
    """
    (place,) = placed_axes([axis], len(shape), "axis")
    if shape[place] != outputs:
        raise DoesNotFit(f"a dimension of {shape[place]} makes as many outputs, the node has {outputs}")
    without = (*shape[:place], *shape[place + 1 :])
    return [SlicedPart(_part(shape, place, start, 1).positions, without) for start in range(outputs)]


def slice_cut(shape: Shape, begin: Sequence[int], size: Sequence[int], axes: Sequence[int] | None) -> SlicedPart:
    """The cut of a SliceFusion. ``axes`` (None: in order) says which axis each ``begin`` and ``size`` speaks of.

    Raises:
        DoesNotFit: not one value per axis, or the box leaves the tensor.
    """
    rank = len(shape)
    places = placed_axes(axes or range(rank), rank, "axes")
    if not len(begin) == len(size) == len(places) == rank:
        raise DoesNotFit(f"begin and size must hold {counted(rank, 'value')}, hold {list(begin)} and {list(size)}")
    starts = tuple(begin[places.index(axis)] for axis in range(rank))
    sizes = tuple(size[places.index(axis)] for axis in range(rank))
    counts = tuple(d - b if n == -1 else n for d, b, n in zip(shape, starts, sizes, strict=True))
    if any(b < 0 or n < 0 or b + n > d for d, b, n in zip(shape, starts, counts, strict=True)):
        raise DoesNotFit(f"begin {list(begin)} and size {list(size)} must stay inside of {list(shape)}")
    return SlicedPart(Grid(starts, counts, (1,) * rank), counts)


def crop_cut(shape: Shape, primitive: Crop, like: Shape) -> SlicedPart:
    """The cut of a Crop to the shape ``like``.

    Raises:
        DoesNotFit: the box is not inside of the input.
    """
    first, offsets = normalized(primitive.axis, len(shape)), tuple(primitive.offsets or (0,))
    cropped = len(shape) - first
    begins = (0,) * first + (offsets * cropped if len(offsets) == 1 else offsets)
    inside = len(begins) == len(shape) == len(like) and all(
        begin >= 0 and size > 0 and begin + size <= dim for begin, size, dim in zip(begins, like, shape, strict=True)
    )
    if not inside:
        raise DoesNotFit(f"offsets {list(offsets)} from axis {first} and sizes {list(like)} must lie in {list(shape)}")
    return SlicedPart(Grid(begins, like, (1,) * len(shape)), like)


@dataclass(frozen=True, slots=True)
class AxisRange:
    """The entry of a StridedSlice for one axis."""

    begin: int
    end: int
    stride: int


def strided_cut(
    shape: Shape,
    primitive: StridedSlice,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    axes: Sequence[int] | None = None,
) -> SlicedPart:
    """The cut of a StridedSlice.

    Entry i speaks of the next axis that none before it spoke of; bit i of the masks is about entry i. With
    ``axes`` there is an entry per axis, the whole axis where none is named, and what leaves the axis is cut off.

    Args:
        axes: of the form with five inputs, empty: the first ones; None for the form with four.

    Raises:
        DoesNotFit: lengths differ, a mask is negative, a stride 0, there are more entries than axes, or, without
            ``axes``, a position outside.
    """
    entries = _entries(shape, begin, end, strides, axes)
    masks = (primitive.begin_mask, primitive.end_mask, primitive.ellipsis_mask)
    if min(*masks, primitive.new_axis_mask, primitive.shrink_axis_mask) < 0:
        raise DoesNotFit(f"masks must not be negative, are {primitive!r}")
    found: list[range] = []
    dims: list[int] = []
    for number, entry in enumerate(entries):
        if primitive.new_axis_mask >> number & 1:
            dims.append(1)
            continue
        if len(found) == len(shape):
            raise DoesNotFit(f"{counted(len(entries), 'entry is', 'entries are')} too many for shape {list(shape)}")
        positions = _positions(shape[len(found)], entry, number, primitive, cut_off=axes is not None)
        found.append(positions)
        dims += [] if primitive.shrink_axis_mask >> number & 1 else [len(positions)]
    rest = shape[len(found) :]
    found += [range(dim) for dim in rest]
    grid = Grid(tuple(r.start for r in found), tuple(map(len, found)), tuple(r.step for r in found))
    return SlicedPart(grid, (*dims, *rest))


def _entries(
    shape: Shape, begin: Sequence[int], end: Sequence[int], strides: Sequence[int], axes: Sequence[int] | None
) -> list[AxisRange]:
    if not len(begin) == len(end) == len(strides) or (axes and len(axes) != len(begin)):
        lengths = [len(begin), len(end), len(strides), *([len(axes)] if axes else [])]
        raise DoesNotFit(f"begin, end, strides and axes must have one length, have {lengths}")
    if 0 in strides:
        raise DoesNotFit(f"strides must not be 0, are {list(strides)}")
    given = list(map(AxisRange, begin, end, strides))
    if axes is None:
        return given
    named = placed_axes(axes or range(len(given)), len(shape), "axes")
    placed = dict(zip(named, given, strict=True))
    return [placed.get(axis, AxisRange(0, dim, 1)) for axis, dim in enumerate(shape)]


def _positions(dim: int, entry: AxisRange, number: int, primitive: StridedSlice, *, cut_off: bool) -> range:
    """The positions that one entry takes of an axis of ``dim``."""
    ellipsis = primitive.ellipsis_mask & ~primitive.new_axis_mask
    opened = ellipsis & -ellipsis  # of several bits the lowest counts, for a single axis
    begin = 0 if (primitive.begin_mask | opened) >> number & 1 else entry.begin
    first = normalized(begin, dim)
    if primitive.shrink_axis_mask >> number & 1:
        if not 0 <= first < dim:
            raise DoesNotFit(f"begin {begin} is outside of a dimension of {dim}")
        return range(first, first + 1)
    end = dim if (primitive.end_mask | opened) >> number & 1 else entry.end
    last = normalized(end, dim)
    lowest, highest = (-1, dim - 1) if entry.stride < 0 else (0, dim)
    if cut_off:
        return range(min(max(first, 0), highest), min(max(last, lowest), dim), entry.stride)
    if not 0 <= first <= dim or not -1 <= last <= dim or (first > highest and last < first):
        raise DoesNotFit(f"begin {begin}, end {end}, stride {entry.stride} leave a dimension of {dim}")
    return range(first, last, entry.stride)
